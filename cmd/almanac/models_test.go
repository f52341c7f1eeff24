package main

import (
	"errors"
	"slices"
	"testing"

	"almanac/catalog/web"
)

// TestModelKey shows where the key of a model's server is read, and that it is a secret from then on.
func TestModelKey(t *testing.T) {
	t.Setenv("TEST_MODEL_KEY", "sk-from-the-environment")
	rings := map[string]string{"work/models": "sk-from-the-keyring", "dummy": "x"}
	for _, test := range []struct {
		name        string
		from        keySource
		want, fails string
	}{
		{"none", keySource{}, "", ""},
		{"environment", keySource{env: "TEST_MODEL_KEY"}, "sk-from-the-environment", ""},
		{"a variable that is not set", keySource{env: "TEST_NO_KEY"}, "", "TEST_NO_KEY is not set in the environment"},
		{"keyring", keySource{keyring: "work/models"}, "sk-from-the-keyring", ""},
		{"nothing in the keyring", keySource{keyring: "home"}, "", "home is not in the system keyring"},
		{"a dummy key", keySource{keyring: "dummy"}, "x", ""},
		{"command", keySource{command: []string{"sh", "-c", "echo sk-from-a-command"}}, "sk-from-a-command", ""},
		{"a command that prints nothing", keySource{command: []string{"true"}}, "",
			"true: want it to print one line, the key"},
		{"one that prints lines", keySource{command: []string{"printf", "a\nb"}}, "",
			"printf: want it to print one line, the key"},
		{"one that fails", keySource{command: []string{"false"}}, "", "false: exit status 1"},
	} {
		t.Run(test.name, func(t *testing.T) {
			c := newCredentials()
			c.keyring = web.NewVault(nil, func(name string) (string, error) {
				if key, found := rings[name]; found {
					return key, nil
				}
				return "", errors.New("not found")
			})
			got, err := c.key(t.Context(), test.from)
			if got != test.want && err == nil || err != nil && err.Error() != test.fails || err == nil && test.fails != "" {
				t.Errorf("%q, error %v, want %q, %q", got, err, test.want, test.fails)
			}
			if secret := slices.Contains(c.values(), got); secret != (err == nil && len(got) >= leastKey) {
				t.Errorf("%q is a secret: %v", got, secret)
			}
		})
	}
}
