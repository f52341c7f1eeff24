package web

// This file has what sources on the web have in common, whatever their documents are.

import (
	"sync"

	"almanac/catalog/secret"
)

// A Site says where a source is, and how its requests are made.
type Site struct {
	// From is what the source is read from: an address, or a file.
	From string
	// Source names the source in entries and reports.
	Source string
	// Name is the first segment of all ids, and part of the names of credentials. Empty means one made of From.
	Name string
	// Base is the address of the server, in place of those that From says; may be empty.
	Base string
	// Vault holds the credentials; nil has none. Access is what the configuration says of requests.
	Vault  *Vault
	Access Access
}

// Written are the values that stand in the addresses themselves.
func (s Site) Written() (all []string) {
	for _, address := range []string{s.From, s.Base} {
		_, values := secret.Address(address)
		all = append(all, values...)
	}
	return all
}

// Secrets are the credentials that were used so far, and what the addresses hold.
func (s Site) Secrets() []string { return append(s.Vault.Secrets(), s.Written()...) }

// Token is the credential of a server that does not say what it wants, in the source called name: a bearer token, which
// need not be there.
func (s Site) Token(name string) [][]Auth {
	auth := [][]Auth{{{Kind: Bearer, Names: []string{EnvName(name, "TOKEN")}}}}
	s.Vault.Expect(auth)
	return auth
}

// A Ready has the Client that the last reading of a source made, and why its actions cannot be called now. The zero
// Ready has neither. It is safe for concurrent use.
type Ready struct {
	mu     sync.Mutex
	client *Client
	health error
}

// Take has both in place of those before, whose client it closes; client may be nil. It changes nothing and fails if
// the client may reach a server that the one before may not.
func (r *Ready) Take(client *Client, health error) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.client != nil && client != nil {
		if err := r.client.Covers(client); err != nil {
			return err
		}
	}
	if r.client != nil {
		r.client.Close()
	}
	r.client, r.health = client, health
	return nil
}

// Client is the one that was taken; nil before, or where there is no server.
func (r *Ready) Client() *Client {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.client
}

// Health says why actions cannot be called now; nil where they can, and before the first reading.
func (r *Ready) Health() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.health
}

// Close drops idle connections.
func (r *Ready) Close() error {
	if c := r.Client(); c != nil {
		c.Close()
	}
	return nil
}
