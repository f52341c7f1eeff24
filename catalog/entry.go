package catalog

import (
	"context"
	"crypto/sha256"
	"fmt"
	"maps"
	"time"
)

// An Operation says what an action does to the thing it works on. It is a lower-case word; sources may use others
// than the constants here.
type Operation string

// The operations that most actions fall under. An empty Operation counts as Read when the entry does not mutate
// and as Update when it does.
const (
	Read   Operation = "read"
	Create Operation = "create"
	Update Operation = "update"
	Delete Operation = "delete"
	Admin  Operation = "admin"
)

// Risk says how much harm a wrong call can do. The zero value counts as Low for reads and Medium for mutations.
type Risk string

// The risks, least first.
const (
	Low    Risk = "low"
	Medium Risk = "medium"
	High   Risk = "high"
)

// Undescribed ends a description that its source made of the action's name, because it found none.
const Undescribed = "(undescribed)"

// An Entry describes one action and carries the code that does it. Entries are values: a Catalog copies them when
// it is built and never changes them afterwards.
type Entry struct {
	// ID is a dotted lower-case path, unique in its catalog: "billing.invoice.list_unpaid".
	ID string
	// Title is a short name for people; may be empty.
	Title string
	// Description is one or a few sentences; the first is what a list shows.
	Description string
	// Namespace is the path the entry is found under. Empty means the segments of ID but the last.
	Namespace []string
	Operation Operation
	// Entities are the kinds of thing the action takes or returns, in the singular: "customer", "invoice".
	Entities []string
	// Category is the one subject that the action belongs to: "finance". It is found like a tag; may be empty.
	Category string
	Tags     []string
	// Products are usual names of what the action belongs to, such as a service: "Google Drive". It is found by them as by
	// its namespace.
	Products []string
	// Version is the action's own, in any form: "2.1". Empty where it has none.
	Version string
	// Aliases are other names and phrases people use for the action: "past due invoices".
	Aliases []string
	// Input describes the argument table. Nil means that the action takes no arguments.
	Input *Schema
	// Strict refuses arguments that Input does not list, inside of tables too: New closes Input, see spec.Closed.
	Strict bool
	// Output describes the result. Nil means that it is not known.
	Output *Schema
	// Mutates is true when a call may change anything outside the session.
	Mutates bool
	Risk    Risk
	// Examples are Lua calls, complete as they stand.
	Examples []string
	// Paged is set if results say whether there is a next page. Otherwise it is guessed from the arguments.
	Paged bool
	// Timeout bounds one attempt of a call; zero means the session's default.
	Timeout time.Duration
	// Retry says how often a call is tried whose failure is Transient, or an attempt that ran out of its Timeout; nil
	// means the defaults, without the latter. Only reads are tried again, and mutations that have a Key.
	Retry *Retry
	// Key is the idempotency key of a mutation; nil where it takes none.
	Key *Key
	// SendsKey is set if Action sends the header that Call.Key names.
	SendsKey bool
	// Hooks look at each call and may refuse or change it, after those of the session; nil without any.
	Hooks *Hooks
	// Source names where the entry comes from, as the person wrote it: "openapi:petstore.yaml". May be empty.
	Source string
	// Guide is what the source says of how its actions are to be used, in its own words, on one line; may be empty.
	Guide string
	// Prompts are those that the action gets, Resource what it reads, for programs that list such; none elsewhere.
	Prompts  []Prompt
	Resource *Resource
	// Target says what a call reaches outside of the program: "GET https://api.example.com/invoices". May be empty.
	Target string
	// Compensate is the call that takes back what a call of the action did; nil where none does.
	Compensate *Compensation
	// Effects are templates: filled in from the arguments and the result, they go with each result after those of Action.
	Effects []Effect
	// SendsEffects is set if results of Action have them filled in already; Effects are for previews then.
	SendsEffects bool
	// Supplies are arguments of other actions that are in results of this one, as its source says. Plans follow them.
	Supplies []Supply
	// Inject lists arguments that the host fills in. They are not in Input: callers may not send them.
	Inject []Injection
	// Needs names the values of the Context without which a call fails, for actions that read them there.
	Needs []string
	// Action does the work. Without it and without Lua an entry can be found and described but not called.
	Action Action
	// Recipe is what the source makes Action of, in a form of its own: it is stored with the entry where Action cannot be.
	// It has no secrets. Empty where nothing of the source is kept.
	Recipe string
	// Sealed is set if Recipe says things of a call that nothing else here does, such as what it sends beside its
	// arguments: it counts in Fingerprint then.
	Sealed bool
	// Lua does the work if Action is nil: the body of a function of args, which the session runs in a machine of its own,
	// where it may call other actions on the same call path. Its return value is the result.
	Lua string
	// Uses are actions that Lua calls, as they were when it was written; none where that is not known. See View.Stale.
	Uses []Use
	// Preview describes what a call would change, as text such as a diff, and changes nothing. An error means that the
	// call would fail. Nil means that the arguments say it all.
	Preview func(ctx context.Context, call Call) (string, error)
}

// Callable reports whether the entry has code to run.
func (e *Entry) Callable() bool { return e.Action != nil || e.Lua != "" }

// Fingerprint changes with what a call of the entry does or takes: its mutation flag, a schema, its target, its Lua,
// its version, a Recipe that is Sealed. Texts do not count.
func (e *Entry) Fingerprint() [16]byte {
	h := sha256.New()
	fmt.Fprintf(h, "%s\x00%s\x00%t\x00%s\x00%s\x00", e.ID, OperationOf(e), e.Mutates, RiskOf(e), e.Target)
	for _, injection := range e.Inject {
		fmt.Fprintf(h, "%s\x00%s\x00", injection.Field, injection.From)
		if injection.Optional {
			h.Write([]byte("?"))
		}
	}
	for _, name := range e.Needs {
		fmt.Fprintf(h, "needs %s\x00", name)
	}
	h.Write([]byte(e.Lua))
	if e.Sealed {
		fmt.Fprintf(h, "recipe %s\x00", e.Recipe)
	}
	if len(e.Effects) > 0 {
		h.Write(appendEffects(nil, e.Effects))
	}
	e.conduct(h)
	h.Write(e.Input.JSON())
	h.Write([]byte{0})
	h.Write(e.Output.JSON())
	if e.Version != "" {
		h.Write([]byte("\x00" + e.Version))
	}
	return [16]byte(h.Sum(nil))
}

// An Injection is an argument that comes from the Context of a call and never from its caller.
type Injection struct {
	// Field is the name of the argument that the action gets.
	Field string
	// From is the context's name of the value, one of ContextNames or "set." and a name in Context.Set.
	From string
	// Optional leaves the argument out where the session has no such value; otherwise the call fails.
	Optional bool
	// Number is set if the action takes a number; the value must then be the text of one.
	Number bool
}

// An Action does the work of an entry. It gets checked arguments and returns data; other changes that it requests are
// listed as effects. It never calls back into the session, which is waiting for it. It must return when ctx is done,
// and must be safe for concurrent use.
type Action func(ctx context.Context, call Call) (Result, error)

// A Supply is an argument of another action that is in a result.
type Supply struct {
	// ID is the action, Argument the name of its argument.
	ID, Argument string
	// Field is where it is in the result: "owner.id", "items[1].id". Empty for the whole result.
	Field string
}

// A Call is one use of an action.
type Call struct {
	ID string
	// Args holds the normalised arguments; never nil. Values are nil, bool, int64, float64, string, []any and
	// map[string]any. Integers arrive as int64.
	Args    map[string]any
	Context Context
	// Key is the idempotency key, the same for all attempts of a call; empty where the entry has no Key with a Header.
	// KeyHeader is then that header.
	Key, KeyHeader string
}

// With is the call with more arguments, in a table of its own; more wins.
func (c Call) With(more map[string]any) Call {
	if len(more) > 0 {
		c.Args = maps.Clone(c.Args)
		maps.Copy(c.Args, more)
	}
	return c
}

// A Result is what an action returns.
type Result struct {
	// Data is nil, bool, int, int64, float64, string, []any or map[string]any, nested freely.
	Data any
	// Effects lists what the action would like changed beyond its data.
	Effects []Effect
	// Rejected lists effects that came in a form that cannot be read, for the record.
	Rejected []RejectedEffect
	// Next holds the arguments that differ for the next page: {"page": 2}. Nil where there is no next page.
	Next map[string]any
	// Unsure is set if it is unknown whether there is a next page: Next is worth a try, but may give an empty page or the
	// same one again; if Next is nil there may be more, with no known way to fetch it.
	Unsure bool
	// Status is that of the HTTP answer; zero where there is none, or it is not known.
	Status int
	// Note is a line about the data for the record: "not found", "parsed from text". May be empty.
	Note string
}
