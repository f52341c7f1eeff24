// This file collects the program's secrets, for redaction of all output.

package main

import (
	"os"
	"slices"
	"sync"

	"almanac/catalog/secret"
	"almanac/catalog/source"
	"almanac/catalog/web"
	"almanac/catalog/web/login"
)

// leastKey is the length in bytes from which a provider's key is a secret. Local servers are given dummy keys such as
// x, local or ollama, and redacting those words would destroy text.
const leastKey = 8

// credentials are the current values that must never be shown, returned or recorded.
type credentials struct {
	filter  *secret.Filter
	keyring *web.Vault // keys of models

	mu      sync.Mutex
	written []string // into addresses, and keys of models
	loaders []*source.Loader
	logins  []*login.Store
}

func newCredentials() *credentials {
	c := &credentials{keyring: web.NewVault(nil, web.Keyring)}
	c.filter = secret.NewFilter(c.values)
	return c
}

// address adds the credentials in a configured URL.
func (c *credentials) address(text string) {
	_, values := secret.Address(text)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.written = append(c.written, values...)
}

// add adds a key of a model's server.
func (c *credentials) add(key string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(key) >= leastKey && !slices.Contains(c.written, key) {
		c.written = append(c.written, key)
	}
}

// follow adds the credentials that l's sources use.
func (c *credentials) follow(l *source.Loader) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.loaders = append(c.loaders, l)
}

// keep adds the tokens of logins.
func (c *credentials) keep(s *login.Store) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.logins = append(c.logins, s)
}

func (c *credentials) values() []string {
	var values []string
	for _, name := range []string{"OPENAI_API_KEY", "ALMANAC_API_KEY", serveToken} {
		if v := os.Getenv(name); len(v) >= leastKey {
			values = append(values, v)
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	values = append(values, c.written...)
	for _, l := range c.loaders {
		values = append(values, l.Secrets()...)
	}
	for _, s := range c.logins {
		values = append(values, s.Secrets()...)
	}
	return values
}
