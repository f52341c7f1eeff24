package vm

import (
	"errors"
	"strings"
	"time"
)

// This file holds the types that a Machine takes and gives; they also cross the wire between the kernel process and
// its parent, so their fields are plain data.

// Limits bound one run. A zero field means its default.
type Limits struct {
	// Steps is the number of VM instructions, counted in steps of about 1,000. Default 10,000,000.
	Steps int64
	// Time is Lua time: the clock stands still during host calls, but for what OwnTime names. Default 1.5 s.
	Time time.Duration
	// String is the size of the largest single string in bytes. Default 64 MiB.
	String int
	// Output is how many bytes of printed text a run may leave, stdout, stderr and logs together; what comes after
	// is dropped and counted. Default 1 MiB.
	Output int
	// Depth is how deep calls through library functions and metamethods may nest. Default and most: 190.
	Depth int
	// Levels is how deep calls of Lua functions may nest, those of coroutines that resumed one another together; a
	// few hundred more may be made before it is noticed. Default and most: 200,000.
	Levels int
	// Coroutines is how many may be alive at once. Default 1,000.
	Coroutines int
	// Value is how many bytes of encoded data one returned value may carry; a larger one comes back as Repr only.
	// Default 4 MiB.
	Value int
}

// A Surface is the set of host names that a script sees.
type Surface string

// The surfaces.
const (
	// Query scripts see catalog.* and the prelude, no actions.
	Query Surface = "query"
	// Execute scripts see the actions, call, catalog.search, catalog.describe and the prelude.
	Execute Surface = "execute"
)

// A Script is one piece of source for a Machine.
type Script struct {
	Source string
	// Name is what messages call the source: "cell 7".
	Name    string
	Surface Surface
	// Roots are the first segments of the visible action ids: "billing", "crm". A global of that name that the
	// session has not set is a lazy action name.
	Roots []string
	// Expr asks for a lone expression to be returned: "1+1" means "return 1+1".
	Expr bool
	// Keep names globals that are set to the first returned value when the run succeeds and returned one: "_", "_7".
	// They do not count in Globals and Diff.
	Keep []string
	// Args are the arguments of a program: the chunk gets them as "...", and the global arg has them, with Name as arg[0].
	// Nil sets no arg.
	Args []string
	// Preview says that the host may answer calls with values that only a real run gives; see catalog/unknown.
	Preview bool
	// State has the name state mean the state that the host sets, also while there is none: then it is empty.
	State bool
	// Times is how often the chunk runs within the one run; its values are the last ones. Above zero the run is measured:
	// Reply.Allocated.
	Times int
	// Tape is what an earlier run of the source has read, to be read again; empty for what is real.
	Tape Tape
}

// A Stream is where printed text goes.
type Stream string

// The streams: print and io.write go to Stdout, warn and eprint to Stderr, log to Logs.
const (
	Stdout Stream = "stdout"
	Stderr Stream = "stderr"
	Logs   Stream = "log"
)

// A Host provides what the machine itself cannot do. The machine's clock stands still while one of its functions runs.
// Arguments and answers are data: nil, bool, int64, float64, string, []any, map[string]any, and in a preview
// unknown.Value. A string may hold any bytes.
type Host struct {
	// Call runs the action id. line is the line of the script that asked. A value that was passed without a name is under
	// Alone.
	Call func(id string, args map[string]any, line int) (any, error)
	// Op runs a catalog primitive or a session service: "catalog.search", "catalog.pick", "catalog.describe" ...
	// args are the Lua arguments in order.
	Op func(name string, args []any) (any, error)
	// Write takes printed text as it comes.
	Write func(s Stream, text string)
}

// Alone is the name in a call's arguments of a value that the script passed alone and without one: x.get(7). The host
// knows which argument it is.
const Alone = "\x00alone"

// A Value is one value as a run returned or printed it.
type Value struct {
	// Type is the Lua type: "nil", "number", "string", "boolean", "table", "function", "thread", "action", "null",
	// "unknown".
	Type string
	// Repr is the value in readable, near-Lua text, keys sorted, at most 64 KiB.
	Repr string
	// Data is the value as data, nil when it is nil or not data (see Whole).
	Data any
	// Whole is true when Data holds all of the value: no function, cycle or size limit stood in the way.
	Whole bool
	// Why tells, where Whole is false, what stood in the way: "it is a function", ".a.b is a table that contains itself".
	Why string
	// Size counts a table's entries or a string's bytes.
	Size int
	// Action is the id, or the path on the way to one, that a value of type "action" names.
	Action string
	// Prose is true when Repr is the host's text for people and models (an answer of the catalog) and not Lua. No machine
	// sets it.
	Prose bool `cbor:"-"`
	// Catalog is a value of the catalog's, such as a plan, as plain data without handles; nil for any other. No machine
	// sets it.
	Catalog any `cbor:"-"`
	// Fields is the order of the fields of a record, or of the records in a list, as the action that returned them
	// declares it; nil when it is not known. No machine sets it.
	Fields []string `cbor:"-"`
}

// Plain is the value as data, and whether that is all of it.
func (v Value) Plain() (data any, whole bool) {
	if v.Catalog != nil {
		return v.Catalog, true
	}
	return v.Data, v.Whole
}

// A Global is one variable that the session has set.
type Global struct {
	Name string
	Type string
	// Size counts a table's entries or a string's bytes; zero otherwise.
	Size int
	// Brief is the value in at most 60 characters.
	Brief string
}

// A Diff is how the globals changed in a run; names are sorted.
type Diff struct {
	Added, Changed, Removed []string
}

// A Reply is the outcome of a run. It is filled as far as the run got, even if Err is set.
type Reply struct {
	Values  []Value
	Err     *Error
	Steps   int64
	Elapsed time.Duration // Lua time, without host calls
	// Allocated is how many bytes the script asked for, whether or not they were freed again, where Script.Times is set.
	Allocated int64
	Globals   []Global // all that the session has set, by name
	Changed   Diff
	// Dropped counts printed bytes beyond Limits.Output.
	Dropped int64
	// Tape is what the run has read.
	Tape Tape
	// Hint says what may be meant where a name alone, asked for by Script.Expr, is not set; else empty.
	Hint string
}

// A Kind is the kind of failure of an Error.
type Kind string

// The kinds. Syntax and Runtime are the script's own; the others end the run and cannot be caught by it. Lost is the
// end of the process that ran it, which nobody asked for.
const (
	Syntax    Kind = "syntax"
	Runtime   Kind = "runtime"
	Limit     Kind = "limit"
	Denied    Kind = "denied"
	Interrupt Kind = "interrupt"
	Lost      Kind = "lost"
)

// An Error is a failed run.
type Error struct {
	Kind Kind
	// Message says what was wrong, without position.
	Message string
	// Line and Column count from 1; zero means not known. Column counts bytes.
	Line, Column int
	// Excerpt is the source line, "" when not known.
	Excerpt string
	// Hint says what to do; may be empty.
	Hint string
	// Traceback lists the calls, innermost first.
	Traceback []string
	// Value is the error value when it was not a string and Message does not show all of it.
	Value *Value
	// Limit names the limit that was hit: "time", "steps", "memory", "string", "depth", "calls" ...
	Limit string
	// Incomplete is true for a syntax error that more input could mend.
	Incomplete bool
	// Missing is the global whose nil value was used, "" when the error has another cause.
	Missing string
	// Call is the id of the action whose call failed with this error, "" when the error has another cause.
	Call string
	// Code carries the host's own code of a failed call ("unknown_action", "bad_argument", ...); may be empty.
	Code string
}

// A HostError is what Host.Call and Host.Op return to say more than a message. Any other error raises a catchable
// Lua error with its text.
type HostError struct {
	// Fatal errors end the run with Kind (Denied, Limit or Interrupt) and cannot be caught by the script.
	Fatal   bool
	Kind    Kind
	Message string
	Hint    string
	Limit   string
	Code    string
	// Refused is set if the host did nothing: the time of the answer counts as the script's own.
	Refused bool
}

// OwnTime reports whether the time of a host call counts as the script's: that of a primitive and of a refused call
// does; that of an action, or of a person who is asked, does not. op is empty for a call.
func OwnTime(op string, err error) bool {
	if op != "" && !strings.HasPrefix(op, "call.") {
		return true
	}
	var host *HostError
	return errors.As(err, &host) && host.Refused
}

func (e *HostError) Error() string { return e.Message }
