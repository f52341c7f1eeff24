package catalog

// This file writes an action as a tool of its own, for models and clients that take one tool for each action.

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
	"unicode"

	"almanac/catalog/text"
)

// A Tool is an action as models and MCP clients take it.
type Tool struct {
	// ID is the action's, Name the tool's: letters, digits and _, at most 64.
	ID, Name           string
	Title, Description string
	// Input is the schema of the arguments, an object; Output that of the result, nil where it is not known.
	Input, Output json.RawMessage
	// ReadOnly and Destructive are what MCP's annotations of these names say: it changes nothing; it deletes, or a wrong
	// call does much harm.
	ReadOnly, Destructive bool
}

// maxToolName is the longest name that servers take.
const maxToolName = 64

// Tool is the action as a tool. Its name is the id in snake case, or where taken has that name, or the id does not fit
// into one, the beginning of it and a hash of the id; it is added to taken, which may be nil. Strict actions have a
// closed schema: see Entry.Strict.
func (e *Entry) Tool(taken map[string]bool) Tool {
	t := Tool{ID: e.ID, Name: toolName(e.ID, taken), Title: e.Title, Description: strings.TrimSpace(e.Description),
		Input: e.Input.JSON(), ReadOnly: !e.Mutates,
		Destructive: e.Mutates && (OperationOf(e) == Delete || RiskOf(e) == High)}
	if e.Output != nil {
		t.Output = e.Output.JSON()
	}
	if t.Description == "" {
		t.Description = e.Title
	}
	if e.Mutates {
		t.Description += fmt.Sprintf(" (changes data, %s risk)", RiskOf(e))
	}
	if taken != nil {
		taken[t.Name] = true
	}
	return t
}

func toolName(id string, taken map[string]bool) string {
	var b strings.Builder
	fits, lower := true, false
	for _, r := range id {
		switch {
		case r >= 'A' && r <= 'Z' && lower: // getItem is get_item
			b.WriteByte('_')
		case r > unicode.MaxASCII:
			fits, r = false, '_'
		case r != '_' && !(r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'):
			r = '_'
		}
		lower = r >= 'a' && r <= 'z' || r >= '0' && r <= '9'
		b.WriteRune(unicode.ToLower(r))
	}
	name := b.String()
	if fits && len(name) <= maxToolName && !taken[name] {
		return name
	}
	sum := sha256.Sum256([]byte(id))
	return text.HeadBytes(name, maxToolName-9) + "_" + hex.EncodeToString(sum[:4])
}
