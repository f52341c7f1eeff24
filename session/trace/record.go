package trace

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"almanac/catalog"
)

// A Kind says what a Record is about.
type Kind string

// The kinds, in the order a session usually writes them.
const (
	KindSession  Kind = "session"  // the session began: Session
	KindPrompt   Kind = "prompt"   // somebody's words: Author, Text
	KindRun      Kind = "run"      // a script is about to run: Author, Text, Cell, Mode
	KindAsk      Kind = "ask"      // a person is about to be asked: Call, or Batch for a whole run
	KindBegin    Kind = "begin"    // a mutation is about to be made: Call
	KindCall     Kind = "call"     // a call ended, whatever its outcome: Call
	KindOutput   Kind = "output"   // a script printed: Text, Stream; it is in the log before anybody sees it
	KindOutcome  Kind = "outcome"  // a run ended: Outcome
	KindAnswer   Kind = "answer"   // the model's words: Text
	KindDescribe Kind = "describe" // ids were described: IDs
	KindReset    Kind = "reset"    // the Lua session was emptied
	KindBack     Kind = "back"     // the globals went back to those that Run had left: Text says which
	KindResume   Kind = "resume"   // the session began with the globals that Run of an earlier one had left, or with none
	KindMessage  Kind = "message"  // the conversation grew: Message
	KindForget   Kind = "forget"   // the conversation was emptied
	KindUsage    Kind = "usage"    // a completion, or a tool, cost something: Usage
	KindArrived  Kind = "arrived"  // another session of the team sent something: Author, Item
	KindName     Kind = "name"     // the person named the session: Text
	KindNote     Kind = "note"     // anything else worth keeping: Text
)

// A Mode says how a script ran.
type Mode string

// The modes.
const (
	ModeRun     Mode = "run"
	ModeFresh   Mode = "fresh"
	ModePreview Mode = "preview"
	ModeQuery   Mode = "query"
)

// A Record is one line of a session's log. Fields that do not belong to its Kind are zero.
type Record struct {
	Time   time.Time `json:"time"`
	Kind   Kind      `json:"kind"`
	Cell   int       `json:"cell,omitempty"`
	Run    string    `json:"run,omitempty"`
	Author string    `json:"author,omitempty"`
	Mode   Mode      `json:"mode,omitempty"`
	Text   string    `json:"text,omitempty"`
	Stream string    `json:"stream,omitempty"` // what was printed to: stdout, stderr or log
	IDs    []string  `json:"ids,omitempty"`
	// Turn names what narrowed the view for the turn of a prompt.
	Turn []string `json:"turn,omitempty"`
	// Line is which line of what was read is the first one of a run's Text; zero means 1. Lines of its calls count from
	// the beginning of what was read.
	Line int `json:"line,omitempty"`
	// Script says how a run's Text was run.
	Script *Script  `json:"script,omitempty"`
	Call   *Call    `json:"call,omitempty"`
	Ended  *Outcome `json:"outcome,omitempty"`
	About  *About   `json:"session,omitempty"`
	// Plan is the number of the plan that a run is held to; zero for none.
	Plan int `json:"plan,omitempty"`
	// Batch are the calls that one question for a whole run is about.
	Batch []Call `json:"batch,omitempty"`
	// Effects are those of context.set that a going back, of KindBack or KindReset, took back or did again.
	Effects []catalog.Effect `json:"effects,omitempty"`
	// Before is set in the records of the preview that precedes a run, for the question about all of it: the run's id.
	Before string `json:"before,omitempty"`
	// Message is a message of the conversation, in the words of the package that keeps it. One that answers a call which
	// an earlier record answered replaces it.
	Message json.RawMessage `json:"message,omitempty"`
	// Item is what another session sent, in the words of the package that brings it.
	Item json.RawMessage `json:"item,omitempty"`
	// Usage is what something cost, in the words of the package that counts it; what all records say is added up.
	Usage json.RawMessage `json:"usage,omitempty"`
	// Whole is the result of Call where Call.Result is a part of it, for who keeps it in memory. No log has it. It is
	// shared and must not be changed.
	Whole any `json:"-"`
	// Values are what the digests of Call are of, as Pack writes it. The log keeps them beside itself.
	Values [][]byte `json:"-"`
}

// Keep adds data to the values of r and returns the digest; it is empty where data cannot be kept.
func (r *Record) Keep(data any) (digest string) {
	packed, digest, err := Pack(data)
	if err == nil {
		r.Values = append(r.Values, packed)
	}
	return digest
}

// A Script is how a run was asked for, beside its source; see session.Script. Logs of old have none.
type Script struct {
	Name  string   `json:"name,omitempty"`
	Expr  bool     `json:"expr,omitempty"`
	Keep  []string `json:"keep,omitempty"`
	Args  []string `json:"args,omitzero"`
	Times int      `json:"times,omitempty"`
	// N is the number of the run, which the handles of its sets have.
	N int64 `json:"n,omitempty"`
	// State tells that the name state meant the state, also while there was none.
	State bool `json:"state,omitempty"`
}

// About says whose log it is; it is the first record of every log.
type About struct {
	ID      string   `json:"id"`
	Version string   `json:"version,omitempty"`
	Actor   string   `json:"actor,omitempty"`
	Tenant  string   `json:"tenant,omitempty"`
	Sources []string `json:"sources,omitempty"`
	Dir     string   `json:"dir,omitempty"`
	// Process is the number of the process that writes the log.
	Process int `json:"process,omitempty"`
	// Front is what the session was run from; logs of old have none.
	Front Front `json:"front,omitempty"`
	// Resumes is the id of the session that this one goes on from; empty when it began anew.
	Resumes string `json:"resumes,omitempty"`
}

// A Front is what a session is run from.
type Front string

// The fronts.
const (
	FrontTerminal Front = "terminal" // a person at a keyboard
	FrontPipe     Front = "pipe"     // lines of standard input
	FrontAsk      Front = "-p"       // one prompt of the command line
	FrontScript   Front = "script"   // -e, run or a query script
	FrontAgent    Front = "agent"    // an agent of a team
	FrontServe    Front = "serve"    // a client of the gateway
	FrontHost     Front = "host"     // callers on a bus
)

// Interactive tells whether a person sat before it. A log that does not say so is taken for one.
func (f Front) Interactive() bool { return f == "" || f == FrontTerminal }

// A Verdict is how a call ended on the call path.
type Verdict string

// The verdicts.
const (
	OK       Verdict = "ok"
	Failed   Verdict = "failed"   // the action returned an error, or was stopped on its way
	Rejected Verdict = "rejected" // unknown id or arguments that do not fit: the script may catch it
	Denied   Verdict = "denied"   // view, policy, permission or the person said no
	Limited  Verdict = "limited"  // a budget was used up
	Planned  Verdict = "planned"  // a preview recorded the mutation and called nothing
	// Interrupted: the run was stopped while the person was asked; the action was not called.
	Interrupted Verdict = "interrupted" // in words "not made"
)

// Words is what a person or a model reads of the verdict.
func (v Verdict) Words() string {
	if v == Interrupted {
		return "not made"
	}
	return string(v)
}

// The rules by which a person's answer ended a call.
const (
	Refused     = "refused"      // the person denied it
	SwitchedOff = "switched off" // the person took it out of an approved list; the script went on
)

// Edited ends the rule of a call whose arguments the person changed when asked.
const Edited = ", arguments edited"

// Edited tells that the person changed the arguments when asked.
func (c Call) Edited() bool { return strings.HasSuffix(c.Rule, Edited) }

// A Call is one use of an action as the log keeps it: secrets are redacted, large values cut.
type Call struct {
	// N counts the calls of the run from 1, in the order they began.
	N  int    `json:"n"`
	ID string `json:"id"`
	// Depth is how many composed actions the call is inside of.
	Depth int `json:"depth,omitempty"`
	// In is the number of the innermost of them; zero where there is none.
	In int `json:"in,omitempty"`
	// Composed is true for a composed action: what it did is in the calls inside of it.
	Composed bool           `json:"composed,omitempty"`
	Line     int            `json:"line,omitempty"`
	Author   string         `json:"author,omitempty"`
	Actor    string         `json:"actor,omitempty"`
	Args     map[string]any `json:"args,omitempty"`
	// ArgsPart says how much of the arguments Args is: "3 of 40 fields"; empty where it is all of them.
	ArgsPart string `json:"args_part,omitempty"`
	// Hooks are those that changed the call or refused it, in order.
	Hooks []Hook `json:"hooks,omitempty"`
	// Given holds the arguments as the script gave them, where hooks changed them; GivenCut tells that some are cut.
	Given    map[string]any `json:"given,omitempty"`
	GivenCut bool           `json:"given_cut,omitempty"`
	// Injected holds the arguments that the host filled in.
	Injected map[string]any `json:"injected,omitempty"`
	// Preview says what the call would change; cut to 64 KiB.
	Preview string       `json:"preview,omitempty"`
	Mutates bool         `json:"mutates,omitempty"`
	Risk    catalog.Risk `json:"risk,omitempty"`
	Verdict Verdict      `json:"verdict"`
	Rule    string       `json:"rule,omitempty"` // the policy rule or the approval that decided
	Error   string       `json:"error,omitempty"`
	// Code and Hint are what the script was told beside Error. Fatal is set where it could not catch it: the kind, as in
	// vm.Error, and Limit the limit that was hit.
	Code  string `json:"code,omitempty"`
	Hint  string `json:"hint,omitempty"`
	Fatal string `json:"fatal,omitempty"`
	Limit string `json:"limit,omitempty"`
	// Times counts refused calls that are alike and have this one record; zero where each call has its own.
	Times int    `json:"times,omitempty"`
	Brief string `json:"brief,omitempty"` // the result in a few words: "12 rows"
	Note  string `json:"note,omitempty"`  // what the action said about its result: "not found"
	// Misfit says where the result is other than its output schema says; empty where nothing was found.
	Misfit string `json:"misfit,omitempty"`
	// Result is the result, or the beginning of it, some 4 KiB, where Part says how much that is: "13 of 30 rows".
	Result any    `json:"result,omitempty"`
	Part   string `json:"part,omitempty"`
	// Bytes is about how large the result is. No log has it.
	Bytes int `json:"-"`
	// Whole is the digest of the result where Result is not exactly that, and ArgsWhole that of the arguments where Args
	// are cut; see Pack.
	Whole     string `json:"whole,omitempty"`
	ArgsWhole string `json:"args_whole,omitempty"`
	// Next are the arguments that differ for the next page, and Unsure is set where it is unknown whether there is one; as
	// in catalog.Result.
	Next   map[string]any `json:"next,omitempty"`
	Unsure bool           `json:"unsure,omitempty"`
	// Replayed tells that the call was answered by the log of an earlier run: nothing was called, so it does not mutate.
	Replayed bool `json:"replayed,omitempty"`
	// Effects are what the result carries beside its data, and EffectsRejected those that are not well formed.
	Effects         []catalog.Effect         `json:"effects,omitempty"`
	EffectsRejected []catalog.RejectedEffect `json:"effects_rejected,omitempty"`
	// EffectsPart tells that values of Effects are cut.
	EffectsPart bool `json:"effects_part,omitempty"`
	// Compensates are the numbers of the calls that this one took back, in a with_compensation that failed.
	Compensates []int `json:"compensates,omitempty"`
	// Undo is the call that takes this one back; nil where it wrote nothing, or its action declares none.
	Undo *Undo `json:"undo,omitempty"`
	// Key is the idempotency key that the action sent with each attempt.
	Key string `json:"key,omitempty"`
	// Attempts are all those that were made, where there was more than one.
	Attempts []Attempt     `json:"attempts,omitempty"`
	Start    time.Time     `json:"start"`
	Took     time.Duration `json:"took_ns"` // without waiting for a person
}

// An Attempt is one of several at the same call.
type Attempt struct {
	Took  time.Duration `json:"took_ns"`
	Error string        `json:"error,omitempty"`    // empty for the one that succeeded
	Pause time.Duration `json:"pause_ns,omitempty"` // before the next
}

// An Undo is the call that takes another back: what its catalog.Compensation made of its whole arguments and result.
type Undo struct {
	ID   string         `json:"id"`
	Args map[string]any `json:"args,omitempty"`
	// Cannot says why there is none; empty where there is.
	Cannot string `json:"cannot,omitempty"`
	// Made tells that it was made. No log has it.
	Made bool `json:"made,omitempty"`
}

// Wrote tells that the call itself changed data: none that a composed action stands for, and none that was answered by
// a log.
func (c *Call) Wrote() bool { return c.Mutates && !c.Composed && !c.Replayed && c.Verdict == OK }

// Words is what a person reads of how the call ended.
func (c *Call) Words() string {
	if c.Rule == SwitchedOff {
		return c.Rule
	}
	return c.Verdict.Words()
}

// TakesBack tells what the call took back: "takes back 2, 3", empty for most.
func (c *Call) TakesBack() string {
	if c.Compensates == nil {
		return ""
	}
	return "takes back " + strings.Trim(strings.ReplaceAll(fmt.Sprint(c.Compensates), " ", ", "), "[]")
}

// An Outcome is a run's end as the log keeps it.
type Outcome struct {
	OK   bool   `json:"ok"`
	Repr string `json:"repr,omitempty"` // cut to 4 KiB
	// ReprSum is a digest of the whole where Repr is cut.
	ReprSum string `json:"repr_sum,omitempty"`
	Error   string `json:"error,omitempty"`
	// Kind is that of the error, as in vm.Error, and Limit the limit that was hit.
	Kind  string `json:"kind,omitempty"`
	Limit string `json:"limit,omitempty"`
	// Unbegun tells that the script did not begin: what its preview came to was not approved.
	Unbegun bool     `json:"unbegun,omitempty"`
	Stdout  string   `json:"stdout,omitempty"` // of logs of old; later ones have it in records of its own
	Stderr  string   `json:"stderr,omitempty"`
	Calls   int      `json:"calls,omitempty"`
	Changed []string `json:"changed,omitempty"` // globals set or removed
	// PutBack tells that the run failed and the globals that it had changed were put back.
	PutBack bool `json:"put_back,omitempty"`
	// Applied are the effects that were applied after the run, in order. AppliedPart tells that they are not exactly what
	// was applied: some values are cut; AppliedWhole is then the digest of all of them. State is one of the state that
	// they left.
	Applied      []catalog.Effect `json:"applied,omitempty"`
	AppliedPart  bool             `json:"applied_part,omitempty"`
	AppliedWhole string           `json:"applied_whole,omitempty"`
	State        string           `json:"state,omitempty"`
	// RejectedEffects are those for which none were applied; their values are cut.
	RejectedEffects []catalog.RejectedEffect `json:"rejected_effects,omitempty"`
	Plan            int                      `json:"plan,omitempty"` // the number of the plan that a preview ended in
	// Tape is what the run read of the clock and the like, for a replay; see vm.Tape.
	Tape string        `json:"tape,omitempty"`
	Took time.Duration `json:"took_ns"`
}
