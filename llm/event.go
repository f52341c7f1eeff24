package llm

import "time"

// An EventKind says what an Event reports.
type EventKind int

// The kinds in order: for each model turn its deltas, TurnEnded, then a pair for each tool call.
const (
	// Delta carries a piece of the model's text in Text.
	Delta EventKind = iota + 1
	// TurnEnded: a completion is done. Text holds all of it, Usage its cost, Target who made it.
	TurnEnded
	// ToolStarted: a tool is about to run. Call, its arguments always one valid JSON object.
	ToolStarted
	// ToolEnded: a tool has run. Call; Text is what the model will read; Err is set when the tool failed.
	ToolEnded
	// Retrying: a completion failed before any text came and will be tried again. Err, Retry.
	Retrying
	// Trimmed: the oldest turns are left out of requests from now on. Text says how many.
	Trimmed
	// Compacted: a summary stands for the earlier turns from now on. Text is the summary, Turns how many turns it sums up,
	// Tokens how long the history was and is, estimated.
	Compacted
	// Thinking carries a piece of the model's reasoning in Text. It comes before the deltas of its turn.
	Thinking
	// FallingBack: a target has failed for good before any text came, and Target is tried. Text is its name; Err.
	FallingBack
	// Switched: the Target that was tried has answered and stays. Text is the name of the one before.
	Switched
)

// An Event is one thing that happened during a Send. Fields that do not belong to its Kind are zero.
type Event struct {
	Kind   EventKind
	Text   string
	Call   ToolCall
	Err    error
	Usage  Usage
	Target Target
	Retry  Retry
	Turns  int
	// Tokens are before and after.
	Tokens [2]int
}

// A Retry is the wait before a completion is tried again for the Nth of at most Of times.
type Retry struct {
	Wait  time.Duration
	N, Of int
}
