package llm

// An EventKind says what an Event tells.
type EventKind int

// The kinds, in the order they come in: for each model turn deltas, TurnEnded, then a pair for each tool call.
const (
	// Delta: a piece of the model's text. Text.
	Delta EventKind = iota + 1
	// TurnEnded: a completion is whole. Text is all of it, Usage what it cost.
	TurnEnded
	// ToolStarted: a tool is about to run. Call, its arguments always one valid JSON object.
	ToolStarted
	// ToolEnded: a tool has run. Call; Text is what the model will read; Err is set when the tool failed.
	ToolEnded
	// Retrying: a completion failed before any text came and will be tried again. Err; Text says when.
	Retrying
	// Trimmed: the oldest turns are left out of requests from now on. Text says how many.
	Trimmed
)

// An Event is one thing that happened during a Send. Fields that do not belong to its Kind are zero.
type Event struct {
	Kind  EventKind
	Text  string
	Call  ToolCall
	Err   error
	Usage Usage
}
