package web

import (
	"github.com/zalando/go-keyring"

	"almanac/catalog/web/login"
)

// keyringService is the service name of our credentials in the system keyring.
const keyringService = "almanac"

// Keyring looks a name up in the keyring of the system: the Secret Service on Linux, the keychain on macOS, the
// credential manager on Windows.
func Keyring(name string) (string, error) { return keyring.Get(keyringService, name) }

// LoginKeyring is where the keyring of the system keeps logins.
func LoginKeyring() login.Keyring {
	return login.Keyring{
		Get:    Keyring,
		Set:    func(name, value string) error { return keyring.Set(keyringService, name, value) },
		Delete: func(name string) error { return keyring.Delete(keyringService, name) },
	}
}
