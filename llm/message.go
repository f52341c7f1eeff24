package llm

import (
	"context"
	"encoding/json"
)

// This file defines what goes to a Provider and what comes back.

// A Role names the author of a Message.
type Role string

// The roles. A System message is never kept in a conversation: the system text is a field of Request.
const (
	System    Role = "system"
	User      Role = "user"
	Assistant Role = "assistant"
	ToolRole  Role = "tool"
	// Summary is what the model wrote of earlier turns; it stands for them in requests, where a user says it.
	Summary Role = "summary"
	// Cut tells that the conversation went back to before the prompt of Cell; see Conversation.Cut. Only what Options.Keep
	// is told has it.
	Cut Role = "cut"
)

// A Message is one entry of a conversation. A valid history answers every call of an assistant message with one
// tool message, in the order of the calls, before anything else is said.
type Message struct {
	Role Role   `json:"role"`
	Text string `json:"text,omitempty"`
	// Calls are the tools that an assistant message asks for.
	Calls []ToolCall `json:"calls,omitempty"`
	// CallID is the ID of the ToolCall that a tool message answers.
	CallID string `json:"call_id,omitempty"`
	// Short stands for the Text of a tool message in later requests, once there is no room for the whole of it.
	Short string `json:"short,omitempty"`
	// Images are the pictures that a tool message names; only a Request has them.
	Images []Image `json:"-"`
	// From is the session that a user message came from, where that is another one; no Request has it.
	From string `json:"from,omitempty"`
	// Cell is what Options.Cell returned when a user message was sent.
	Cell int `json:"cell,omitempty"`
	// After is how many of the newest turns a Summary leaves as they are.
	After int `json:"after,omitempty"`
	// Reasoning is what the model thought before an assistant message, cut to 16 KiB. It is kept to be read; no Request
	// has it.
	Reasoning string `json:"reasoning,omitempty"`
	// Model is the name of the target that an assistant message is of; no Request has it.
	Model string `json:"model,omitempty"`
}

// A ToolCall is the model's wish to have a tool run.
type ToolCall struct {
	// ID pairs the call with its answer; never empty.
	ID   string `json:"id"`
	Name string `json:"name"`
	// Args is what the model wrote. In a Response it may be empty or malformed; in the history it is always one
	// valid JSON object.
	Args json.RawMessage `json:"args,omitempty"`
}

// A Tool is a function that the model may call.
type Tool struct {
	Name        string
	Description string
	// Schema is the JSON Schema of the arguments, an object.
	Schema json.RawMessage
	// Part is what its answers count as; the zero Part is PartExecute.
	Part Part
	// Run gets the arguments as one valid JSON object and returns what the model reads. An error's text is read by the
	// model too; it does not end the conversation.
	Run func(ctx context.Context, args json.RawMessage) (Answer, error)
}

// An Answer is what a tool returns.
type Answer struct {
	Text string
	// Short may stand for Text later: it says what the answer was and where the whole of it is. Empty: a note says how
	// long it was.
	Short string
	// Usage is what running the tool took: calls and times.
	Usage Usage
}

// A Prompt is a system text.
type Prompt struct {
	Text string
	// Card and Notes are the parts of Text that tell of the catalog and hold the project's notes; empty for none.
	Card, Notes string
}

// A Request asks for one completion. The slices are shared with the conversation and must not be changed.
type Request struct {
	System   string
	Messages []Message
	Tools    []Tool
	Model    string
}

// A Piece is a part of a completion as it comes: text of the answer, or what the model thinks before it.
type Piece struct{ Text, Reasoning string }

// A Response is one completion.
type Response struct {
	Text      string
	Reasoning string
	Calls     []ToolCall
	// Usage is zero when the server did not tell.
	Usage Usage
	// Stop is why the model stopped: one of the Stop constants or the server's own word.
	Stop string
}

// Reasons to stop that mean that something is missing from the answer.
const (
	StopLength = "length"         // the output limit was reached
	StopFilter = "content_filter" // the server withheld the rest
)

// A Provider completes requests. It is safe for concurrent use.
type Provider interface {
	// Complete sends r and waits for the whole completion. hear gets the text and the reasoning as they come, in pieces
	// that add up to those of the Response; it is never nil and is called from the goroutine of the caller. A failure is
	// an *Error where the provider can tell what went wrong; when ctx is done it is ctx's error. Complete never retries.
	Complete(ctx context.Context, r Request, hear func(Piece)) (Response, error)
}
