package llm

import (
	"cmp"
	"context"
	"strings"
)

// This file says who completes: one conversation may go from one model to another.

// A Target is a model at a server.
type Target struct {
	// Name is what the configuration calls it; empty for a model that is known by its own name.
	Name string
	// Model is the name sent to the provider.
	Model    string
	Provider Provider
	// Window is how many tokens the model can read, by the configuration; 0 where that does not say.
	Window int
	Price  Price
	// Images tells that the model sees pictures.
	Images bool
	// Server is the address of the server as it can be shown.
	Server string
	// Models lists what the server has; nil where it cannot be asked.
	Models func(context.Context) ([]Model, error)
	// Ready reads the key of the server and fails where there is none; nil where it needs none.
	Ready func(context.Context) error
}

// String is what the person calls the target.
func (t Target) String() string { return cmp.Or(t.Name, t.Model) }

// Host is the server without scheme and path; empty where the target has no server.
func (t Target) Host() string {
	_, rest, found := strings.Cut(t.Server, "://")
	if !found {
		rest = t.Server
	}
	host, _, _ := strings.Cut(rest, "/")
	return host[strings.LastIndexByte(host, '@')+1:]
}

// A Price is what a million tokens cost, in the currency of whoever wrote it down; zero is unknown.
type Price struct {
	In, Cached, Out float64
}

// cost is what a completion costs; known counts it if the price is known. Cached tokens without a price of their own
// cost as much as others.
func (p Price) cost(u Usage) (cost float64, known int) {
	if p == (Price{}) {
		return 0, 0
	}
	fresh := float64(u.Input-u.Cached) * p.In
	return (fresh + float64(u.Cached)*cmp.Or(p.Cached, p.In) + float64(u.Output)*p.Out) / 1e6, 1
}

// Target returns who completes next.
func (c *Conversation) Target() Target {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.target
}

// Use makes t complete from the next completion on, and the window that of t: as it is configured, or else KnownWindow.
// The history stays; its length is an estimate until the new server has counted.
func (c *Conversation) Use(t Target) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if t.Server != c.target.Server || t.String() != c.target.String() {
		c.start, c.short, c.system = lastSummary(c.messages), 0, nil // its window may have room for what was left out
		c.context = contextSize{estimated: totalTokens(c.sent())}    // it was counted by another tokenizer
	}
	c.target = t
	c.window = cmp.Or(t.Window, KnownWindow(t.Model))
}

// Turns returns how many turns the history has.
func (c *Conversation) Turns() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return turns(c.messages)
}

// Room returns how many tokens a request may have; see SetWindow.
func (c *Conversation) Room() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.budget()
}

// provider is who completes for t: secrets do not reach it.
func (c *Conversation) provider(t Target) Provider {
	if c.options.Secrets == nil {
		return t.Provider
	}
	return filtered{t.Provider, c.options.Secrets}
}
