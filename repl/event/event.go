package event

import (
	"strings"
	"time"

	"almanac/catalog/team"
	"almanac/repl/input"
	"almanac/session"
	"almanac/session/trace"
	"almanac/session/vm"
)

// An EventKind says what an Event reports.
type EventKind int

// The kinds. A cell begins with Began and ends with Ended; what comes between belongs to it.
const (
	// Began: a cell starts. Cell, Author, Text (its source or the prompt), Mode.
	Began EventKind = iota + 1
	// Printed: text from a running script. Stream, Text; not line by line.
	Printed
	// Called: an action call ended. Call.
	Called
	// Wrote: the model wrote a script and is about to run it. Text is the source, Tool the tool's name.
	Wrote
	// Spoke: a piece of the model's answer as it streams in. Text.
	Spoke
	// Ran: a script ended. Outcome, and for one of the model's its source as Text. With a Call it shows what that
	// returned.
	Ran
	// Said: a message of the shell's own: help, lists, specs. Text; Level tells how to show it.
	Said
	// Asked: a person must decide. Ask; answer it, or the run waits until it is interrupted.
	Asked
	// Ended: the cell is over. Err is set when it failed, Elapsed tells how long it took.
	Ended
	// Cleared: the screen should be cleared.
	Cleared
	// Opened: something is to be looked at. Pane says what; Text is its list, for who has no screen; Path is where a value
	// is, Author and Cell are zero.
	Opened
	// Found: a search found actions. Hits, the best first; Total counts all there are; Text is what to know of them. Of a
	// script that returned the set, and whose Ran event does not show it, Outcome.
	Found
	// Listed: what is below a name, as Hits; Text is the head of the list.
	Listed
	// Drafted: the person wants to edit Text, outside, as the next input; where they type if it is Inline. Who has no
	// screen shows it.
	Drafted
	// Recalled: Text, which was sent before, should be in the input, to be edited. Who has no screen shows it.
	Recalled
	// Themed: the screen should look like the theme called Text, or list the themes when it is empty. Who has no colours
	// passes it over.
	Themed
	// Copied: Text should be where the person can paste it from. It is there by way of Tool, or Err says why not, and who
	// knows no other way prints it.
	Copied
	// Thought: the model's reasoning before what it says or does next is over. Text is the beginning of it, Total its
	// length in bytes, Elapsed how long it took; Full asks for it to be shown whole.
	Thought
	// Answered: the model reads what a tool of its own answered. Tool; Text is the beginning of it, Total its length in
	// bytes; Full asks for it to be shown whole. What a Ran event has shown has none.
	Answered
	// Arrived: another session of the team sent something. Item; Full asks for it to be shown whole. It is of no cell.
	Arrived
	// Retrying: the model's server failed and will be asked again. Text says so, for who shows no countdown.
	Retrying
)

// A Pane is a part of the session that a screen can show beside the transcript.
type Pane int

// The panes.
const (
	// CatalogPane browses the actions.
	CatalogPane Pane = iota + 1
	// VariablesPane lists the globals.
	VariablesPane
	// TracePane lists the calls.
	TracePane
	// PreviewPane shows what the last preview came to.
	PreviewPane
	// ValuePane shows a value as a tree; Event.Path says which.
	ValuePane
	// SessionsPane lists the sessions that are kept.
	SessionsPane
	// TranscriptPane shows what the log tells of this session and of those that it goes on from.
	TranscriptPane
	// PagerPane pages through Event.Inside; Event.Words says what it is.
	PagerPane
)

// A Level says how a Said message is meant.
type Level int

// The levels.
const (
	Plain Level = iota
	Notice
	Warning
	Failure
)

// An Event is one thing that happened in the shell, in order. Fields that do not belong to its Kind are zero.
type Event struct {
	Kind    EventKind
	Cell    int
	Author  session.Author
	Mode    input.Mode
	Text    string
	Tool    string
	Level   Level
	Stream  vm.Stream
	Call    *trace.Call
	Outcome *session.Outcome
	Ask     *Ask
	Item    *team.Item
	Err     error
	Elapsed time.Duration
	// Full asks for a Ran event to be shown whole, without the limit on rows.
	Full bool
	// Before tells of a Ran event's globals that the other author had set whose they were.
	Before map[string]Setter
	// Times is how many calls a Called event stands for; zero means one. Call holds the first, with the time of all.
	Times int
	Pane  Pane
	Path  []vm.Step
	// Words are what an Opened pane should be narrowed to, Interactive to the sessions that a person sat before.
	Words       string
	Interactive bool
	// Inline asks for the Text of a Drafted event where the person types, if nothing is typed there.
	Inline bool
	// Inside is what a pager shows, in the place of Text.
	Inside []Event
	// Cut asks for the Text of an Opened or Said event to be cut at the width of the screen, not broken.
	Cut   bool
	Hits  []Hit
	Total int
}

// An Ask is a question to the person. Exactly one answer must be sent; the channel has room for it.
type Ask struct {
	Request session.Request
	Answer  chan session.Approval
}

// Result is what the cell came to, as text: the model's words, or what the script printed and returned.
func (c Cell) Result() string {
	if c.Answer != "" {
		return strings.TrimRight(c.Answer, "\n")
	}
	if c.Outcome == nil || c.Form == input.Words {
		return ""
	}
	parts := []string{}
	if c.Outcome.Stdout != "" {
		parts = append(parts, strings.TrimRight(c.Outcome.Stdout, "\n"))
	}
	for _, v := range c.Outcome.Values {
		parts = append(parts, v.Repr)
	}
	return strings.Join(parts, "\n")
}
