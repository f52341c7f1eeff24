package session

import (
	"time"

	"almanac/catalog"
	"almanac/session/policy"
	"almanac/session/trace"
	"almanac/session/vm"
)

// An Author says who wrote a script.
type Author string

// The authors. The zero Author counts as Model: it has the fewer rights.
const (
	User  Author = "you"
	Model Author = "model"
)

// A Script is one piece of Lua to run.
type Script struct {
	Source string
	// Name is what messages call the source; empty means "script".
	Name string
	// Line is which line of what was read its first one is, for messages; zero means 1.
	Line   int
	Author Author
	// Actions selects ids that the model may call in this run beside the described ones; at most Budget.Selected.
	Actions []string
	// Listed has the person asked about all its mutations as one list, whoever wrote it and whatever the policy allows.
	// Where nobody can be asked the policy decides about each. Its effects are only recorded: it takes back what others
	// did.
	Listed bool
	// Fresh runs the script in a new machine that is discarded. Of its effects only directives can be applied.
	Fresh bool
	// Cell is the number the person knows the script by; zero when it has none.
	Cell int
	// Expr asks for a lone expression to be returned: "1+1" means "return 1+1".
	Expr bool
	// Keep names globals that get the first returned value of a successful run: "_", "_7".
	Keep []string
	// Args are the arguments of a program, which the script has as "..." and in the global arg; nil where it is none.
	Args []string
	// Times is how often the source runs within one run and its budget; zero means once. More than once it may only read.
	// Above zero Outcome.Allocated is measured.
	Times int
	// Tape is what an earlier run of the source has read of the clock and the like, to be read again; empty for what is
	// real.
	Tape vm.Tape
	// Replay answers the calls from what an earlier run recorded; nil makes them.
	Replay *Replay
	// Apply are effects that are applied after the run instead of its own; see Session.ApplyRecorded.
	Apply []catalog.Effect

	answers string // the name of the question that the effects of Apply answer
}

// An Outcome is what a run came to. It is filled as far as the run went, also when the script failed.
type Outcome struct {
	// Run is the id of the run in the log.
	Run    string
	Values []vm.Value
	// Sets are the results of searches among Values, in their order.
	Sets           []catalog.Set
	Stdout, Stderr string
	Logs           []string
	// Calls stand in the order of the script, as if none had been made side by side; their numbers tell how they began.
	Calls []trace.Call
	// Effects are what the called actions would like changed beyond their data, in the order of Calls.
	Effects []catalog.Effect
	// Applied are those of them that were applied after the run, all that were to be or none; see Options.ApplyEffects.
	// RejectedEffects are those that stood in the way, if any. WouldApply are those that the run of a preview would apply.
	Applied, WouldApply []catalog.Effect
	RejectedEffects     []catalog.RejectedEffect
	// State is a digest of the state that the applied effects left; empty where none were applied.
	State string
	// Specs are what the script had described, each once; none for a person's.
	Specs []catalog.Spec
	// Withheld tells that the script of the model's found more actions than one answer has.
	Withheld bool
	// Used is what the run used of its budget.
	Used Usage
	// DryRun is true for a preview: nothing was changed. Fresh is true for a run in a machine of its own.
	DryRun, Fresh bool
	// Plan is the number of the plan that a preview ended in, for Session.Apply, or that the run applied; zero for none.
	Plan int
	// PlanText is the plan in a few words: "2 writes, 4 reads, sets total".
	PlanText string
	// Would tells which variables of the session a preview would have changed.
	Would vm.Diff
	// NotReached names the writes of the applied plan that the script did not come to, though it ended well.
	NotReached []string
	Steps      int64
	Elapsed    time.Duration // of the script, with host calls and approvals
	// LuaTime is Elapsed without host calls, Allocated how many bytes the script asked for; see Script.Times.
	LuaTime   time.Duration
	Allocated int64
	// Globals tells which variables of the session the run changed; one in a machine of its own changes none.
	Globals vm.Diff
	// RolledBack tells that the run failed and had changed globals, which are as they were before it. PutBack names those
	// that it had set or removed, or changed inside, as far as that is looked at; Globals names none.
	RolledBack bool
	PutBack    vm.Diff
	// NotPutBack says why the globals are as a run that failed has left them; empty where it did not fail, changed
	// nothing, or the session is not transactional.
	NotPutBack string
	// Dropped counts printed bytes that the output limit cut.
	Dropped int64
	// Tape is what the run has read of the clock and the like.
	Tape vm.Tape
	// Hint says what may be meant by a name that is not set, where the script was that name; else empty.
	Hint string
	// Err is set when the script failed or was stopped.
	Err *vm.Error
	// Lost says that the Lua process ended, as of which run the globals are back in a new one, and what is not; empty
	// when it lives. It may have ended before this run began.
	Lost string
	// Unsaved says once that the globals are too many to be brought back should the Lua process end; empty otherwise.
	Unsaved string
	// Missing names globals of the session that a preview's script reads and that could not be copied for it.
	Missing []string
}

// An Answer is what a query came to.
type Answer struct {
	// Plan holds what the script returned when that was a plan, a step, a set or a list of ids; it has no steps
	// otherwise.
	Plan catalog.Plan
	// Text is the answer in few lines for a person or a model.
	Text    string
	Outcome *Outcome
}

// A Request is what a person is asked before a mutation, before a whole run, or before a run goes on that has used its
// budget.
type Request struct {
	// Batch is set where the question is about a whole run: the mutations of its preview that the policy asks about, in
	// order. Only Once says yes, to the list; Entry, Args and what else is about one call are then those of the first.
	Batch []Planned
	// Partial says why the run may come to more or less than Batch: the preview saw no further, or the run ends early
	// without what the person switched off. Empty when Batch is the whole run. Calls beyond are asked about when they
	// come.
	Partial string
	// Chosen holds what the person switched off and edited in the answer before, where Batch is asked about once more;
	// the question begins with it. Only Off and Edited are set.
	Chosen Approval
	// Inquiry is set where the server of an action asks during its call: only Once says yes, with Args as the values of
	// the form. Entry then stands for the server, with the form as its Input, and Args are the form's defaults.
	Inquiry *catalog.Inquiry
	// Over is set where the question is whether the run goes on: only Once says yes. Entry is then the call that comes
	// next.
	Over  *Overrun
	Entry *catalog.Entry
	Args  map[string]any
	// Injected holds the arguments that the host fills in beside them; nil when there are none.
	Injected map[string]any
	// Credentials names the arguments that hold a credential, which Args and Injected show as [redacted]: it is sent.
	Credentials []string
	// Preview says what the call would change, from the action's preview; may be empty.
	Preview string
	Author  Author
	// Cell and N say which call of which cell it is; Line is the script's line.
	Cell, N, Line int
	// Reason says why the policy asks.
	Reason string
	// Source is the script that asks, secrets taken out. Line is one of its lines but for calls of a composed action's
	// body, which have none.
	Source string
}

// A Planned is a mutation that a preview recorded: one line of the question about a whole run.
type Planned struct {
	Entry *catalog.Entry
	// Args and Injected are as in a Request. An argument that only the result of an earlier mutation gives shows as
	// "<id of billing.refund.issue>".
	Args, Injected map[string]any
	Credentials    []string
	// Preview says what the call would change, from the action's preview; may be empty.
	Preview string
	// N says which call of the preview it is; Line is the script's line, 0 for calls of a composed action's body.
	N, Line int
	// Unknown holds the paths of the arguments that an earlier mutation's result gives, as "invoice_id" or "lines[0].id".
	// Such a call is asked about again, with the real values, when it comes.
	Unknown []string
}

// A Consent is how far an Approval goes.
type Consent int

// The consents; the zero Consent refuses.
const (
	Refuse Consent = iota
	Once
	// ForSession makes a grant of it.
	ForSession
)

// An Approval is the person's answer to a Request.
type Approval struct {
	Verdict Consent
	// Bounds limit the arguments of the calls that ForSession grants; without any they do not matter.
	Bounds []policy.Bound
	// Only has ForSession grant no calls with arguments that Bounds does not speak of.
	Only bool
	// Reason tells the author why it was refused; may be empty.
	Reason string
	// Args replaces the arguments when it is not nil; they are checked again.
	Args map[string]any
	// Off holds indexes in Batch: these calls are not made. The script gets nil for them and goes on.
	Off []int
	// Edited holds arguments in place of the planned ones, by index in Batch; they are checked again, also those of calls
	// that are off, which may be switched on when Batch is asked about once more.
	Edited map[int]map[string]any
}
