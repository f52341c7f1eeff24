package web

import (
	"github.com/zalando/go-keyring"
)

// keyringService is the service name of our credentials in the system keyring.
const keyringService = "almanac"

// Keyring looks a name up in the keyring of the system: the Secret Service on Linux, the keychain on macOS, the
// credential manager on Windows.
func Keyring(name string) (string, error) { return keyring.Get(keyringService, name) }
