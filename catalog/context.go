package catalog

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"almanac/catalog/lua"
	"almanac/catalog/text"
)

// Context is what the host knows about a call. The host injects it, never the model, and it appears in no schema.
type Context struct {
	// Actor is the person for whom the session runs, AgentName the agent that it runs as, TeamID the agent's team.
	Actor, AgentName, TeamID string
	Tenant                   string
	SessionID                string
	// ProjectPath is the folder of the project, Workspace the one that the workspace source serves.
	ProjectPath, Workspace string
	// Messages is the conversation so far, oldest first, with calls and their answers; the slice is shared and must not be
	// changed. The value messages has the words alone, transcript all.
	Messages []Message
	// Set holds what effects of actions have set (context.set): texts, numbers, true or false. It must not be changed.
	Set map[string]any
}

// Or is the context with the values of other where it has none.
func (c Context) Or(other Context) Context {
	or := c
	to := or.texts()
	for i, t := range other.texts() {
		*to[i].at = cmp.Or(*to[i].at, *t.at)
	}
	if or.Messages == nil {
		or.Messages = other.Messages
	}
	if or.Set == nil {
		or.Set = other.Set
	}
	return or
}

// A contextText is a value of a Context that is a text.
type contextText struct {
	name string
	at   *string
}

func (c *Context) texts() []contextText {
	return []contextText{
		{"actor", &c.Actor}, {"agent_name", &c.AgentName}, {"team_id", &c.TeamID}, {"tenant", &c.Tenant},
		{"session_id", &c.SessionID}, {"project_path", &c.ProjectPath}, {"workspace", &c.Workspace},
	}
}

// ContextNames lists the names of the values that Value knows.
func ContextNames() (names []string) {
	for _, t := range (&Context{}).texts() {
		names = append(names, t.name)
	}
	return append(names, "messages", "transcript")
}

// Only is the context with no other values than those of some names; messages stands for the transcript, too, and set
// for all that effects have set.
func (c Context) Only(names []string) (only Context) {
	to := only.texts()
	for i, from := range c.texts() {
		if slices.Contains(names, from.name) {
			*to[i].at = *from.at
		}
	}
	if slices.Contains(names, "messages") {
		only.Messages = c.Messages
	}
	if slices.Contains(names, "set") {
		only.Set = c.Set
	}
	return only
}

// setPrefix stands before the names of Context.Set.
const setPrefix = "set."

// IsContextName reports whether an argument may come from the value that the name stands for.
func IsContextName(name string) bool {
	key, set := strings.CutPrefix(name, setPrefix)
	return set && CheckContextKey(key) == nil || slices.Contains(ContextNames(), name)
}

// CheckContextKey says why an effect may never set the name.
func CheckContextKey(key string) error {
	switch {
	case slices.Contains(ContextNames(), key):
		return fmt.Errorf("%s is the host's to set", key)
	case lua.IsName(key):
		return nil
	}
	return fmt.Errorf("%q is not a name: want letters, digits and underscores", text.ClipBytes(key, 40))
}

// Value is the value of a name, nil if the session has none; ok is false for names that IsContextName does not know.
func (c Context) Value(name string) (value any, ok bool) {
	for _, t := range c.texts() {
		switch {
		case t.name == name && *t.at == "":
			return nil, true
		case t.name == name:
			return *t.at, true
		}
	}
	switch name {
	case "messages", "transcript":
		all := make([]any, 0, len(c.Messages))
		for _, m := range c.Messages {
			if name == "transcript" || m.IsWords() {
				all = append(all, map[string]any{"role": m.Role, "text": m.Text})
			}
		}
		return all, true
	}
	return c.Set[strings.TrimPrefix(name, setPrefix)], IsContextName(name)
}

// A Message is one turn of the conversation as an action may see it. Its role is user or assistant for words, call for
// what the assistant hands to a tool, and tool for the answer to that.
type Message struct {
	Role, Text string
}

// IsWords tells a message of words from calls and their answers.
func (m Message) IsWords() bool { return m.Role != "call" && m.Role != "tool" }
