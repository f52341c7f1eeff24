package web

import (
	"github.com/zalando/go-keyring"
)

// KeyringService is the service name of our credentials in the system keyring.
const KeyringService = "almanac"

// Keyring looks a name up in the keyring of the system: the Secret Service on Linux, the keychain on macOS, the
// credential manager on Windows.
func Keyring(name string) (string, error) { return keyring.Get(KeyringService, name) }
