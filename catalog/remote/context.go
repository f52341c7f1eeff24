package remote

import (
	"context"
	"maps"
	"strings"

	"almanac/catalog"
)

// contextOf is what always goes with a call. The conversation and what effects have set go where an action takes them.
func contextOf(c catalog.Context) Context {
	return Context{Actor: c.Actor, AgentName: c.AgentName, TeamID: c.TeamID, Tenant: c.Tenant, SessionID: c.SessionID}
}

// take adds the value of an argument that the caller's session has filled in from the context.
func (c *Context) take(from string, value any) {
	if key, set := strings.CutPrefix(from, "set."); set && value != nil {
		c.Set = maps.Clone(c.Set)
		if c.Set == nil {
			c.Set = map[string]any{}
		}
		c.Set[key] = value
	}
	if from != "messages" {
		return
	}
	list, _ := value.([]any)
	for _, item := range list {
		m, _ := item.(map[string]any)
		role, _ := m["role"].(string)
		said, _ := m["text"].(string)
		c.Messages = append(c.Messages, catalog.Message{Role: role, Text: said})
	}
}

// MaxHops is how many hosts a call goes through: a host may offer what another one does, and two of them each other's.
const MaxHops = 4

type hopsKey struct{}

// WithHops returns the context of a call that came through so many hosts.
func WithHops(ctx context.Context, n int) context.Context {
	return context.WithValue(ctx, hopsKey{}, n)
}

// hops is how many hosts the call under ctx came through.
func hops(ctx context.Context) int {
	n, _ := ctx.Value(hopsKey{}).(int)
	return n
}
