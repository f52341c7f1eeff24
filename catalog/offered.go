package catalog

// This file says what of an entry is, where it comes from, a prompt or a resource, for programs that pass these on as
// such.

import "context"

// A Prompt is one that an action gets by the arguments "name" and "arguments". All of it is the source's words.
type Prompt struct {
	Name, Title, Description string
	Arguments                []PromptArgument
}

// A PromptArgument is a text that a prompt is filled in with.
type PromptArgument struct {
	Name, Description string
	Required          bool
}

// A Resource is what an action reads, as its source lists it.
type Resource struct {
	// URI is its address, or the template of addresses (RFC 6570) that the action takes.
	URI      string
	Template bool
	// Name, Title, Description and MIME are the source's words; all but Name may be empty.
	Name, Title, Description, MIME string
	// Args are the arguments that read an address; ok is false where the action does not read it.
	Args func(uri string) (args map[string]any, ok bool)
}

type verbatimKey struct{}

// WithVerbatim returns a context under which actions that read a Resource or get a Prompt return each part as a table
// of its own, {kind="text", text=..., uri=..., mime_type=...}, and parse no text.
func WithVerbatim(ctx context.Context) context.Context {
	return context.WithValue(ctx, verbatimKey{}, true)
}

// Verbatim reports whether ctx is from WithVerbatim.
func Verbatim(ctx context.Context) bool { return ctx.Value(verbatimKey{}) != nil }
