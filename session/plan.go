package session

// This file keeps what previews came to as numbered plans, and runs a script under its plan.

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"almanac/catalog/lua"
	"almanac/catalog/pattern"
	"almanac/catalog/text"
	"almanac/catalog/unknown"
	"almanac/session/policy"
	"almanac/session/trace"
	"almanac/session/vm"
)

// A session keeps as many plans, and as many bytes of them, but always the newest.
const (
	maxPlans     = 50
	maxPlanBytes = 4 << 20
)

// CodeApplied is the code of a plan that was applied before.
const CodeApplied = "applied"

// A Plan is what a preview came to: Session.Apply runs its script as long as it does that.
type Plan struct {
	N      int
	Script Script // as it was previewed
	At     time.Time
	// Text is the plan in a few words: "2 writes, 4 reads, sets total".
	Text string
	// Writes are the mutations in order; arguments that only an earlier one's result gives show as "<id of
	// billing.refund.issue>".
	Writes []trace.Call
	Reads  []PlannedRead
	// Would tells which variables of the session it would change.
	Would vm.Diff
	// Applied is the run that applied it: "cell 7"; empty when none did. A run that was stopped before its first write
	// does not count.
	Applied string

	writes  []foreseen
	reads   []rested
	size    int     // in bytes, about
	effects int     // that it would apply
	tape    vm.Tape // what the preview read of the clock and of chance: the run reads it again
}

// A PlannedRead is a read that a plan rests on.
type PlannedRead struct {
	Call   trace.Call
	Digest string // of what it returned
	// After is set for one that comes after a write: it is not compared.
	After bool
}

// plans are those that a session keeps, oldest first.
type plans struct {
	kept []*Plan
	made int
	last int // that of the last preview; zero where it ended in none
}

// keepPlan makes a plan of a preview that ended well.
func (r *run) keepPlan(out *Outcome) {
	w := r.session.world
	out.NotReached = r.notReached(out)
	if r.mode != trace.ModePreview || r.before != "" {
		return
	}
	if out.Err != nil {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.plans.last = 0
		return
	}
	p := &Plan{Script: r.script, At: r.started, Would: out.Would, writes: r.writes(), reads: r.reads(),
		tape: out.Tape, effects: len(out.WouldApply)}
	p.size = len(p.Script.Source) + len(p.tape)
	for _, f := range p.writes {
		p.size += len(lua.Literal(f.args, lua.Options{}))
		if f.entry.Action != nil {
			f.call.Args, _ = unknown.Plain(f.args).(map[string]any)
			f.call.Verdict = trace.Planned
			p.Writes = append(p.Writes, r.recordable(f.call))
		}
	}
	for _, read := range p.reads {
		p.size += readSample + len(lua.Literal(read.call.Args, lua.Options{}))
		p.Reads = append(p.Reads, PlannedRead{read.call, read.digest, read.after})
	}
	p.Text = p.words()
	w.mu.Lock()
	defer w.mu.Unlock()
	w.plans.made++
	p.N, w.plans.last = w.plans.made, w.plans.made
	w.plans.kept = append(w.plans.kept, p)
	size := 0
	for i, kept := range slices.Backward(w.plans.kept) {
		if size += kept.size; size > maxPlanBytes && i < len(w.plans.kept)-1 || len(w.plans.kept)-i > maxPlans {
			w.plans.kept = slices.Delete(w.plans.kept, 0, i+1)
			break
		}
	}
	out.Plan, out.PlanText = p.N, p.Text
}

// words is the plan in a few words.
func (p *Plan) words() string {
	parts := []string{"no writes"}
	if n := len(p.Writes); n > 0 {
		parts[0] = text.Count(n, "write")
	}
	if n := len(p.Reads); n > 0 {
		parts = append(parts, text.Count(n, "read"))
	}
	if sets := slices.Concat(p.Would.Added, p.Would.Changed); len(sets) > 0 {
		parts = append(parts, "sets "+shortList(sets))
	}
	if len(p.Would.Removed) > 0 {
		parts = append(parts, "removes "+shortList(p.Would.Removed))
	}
	if p.effects > 0 {
		parts = append(parts, "applies "+text.Count(p.effects, "effect"))
	}
	return strings.Join(parts, ", ")
}

// Plans lists the plans that are kept, oldest first.
func (s *Session) Plans() []Plan {
	s.world.mu.Lock()
	defer s.world.mu.Unlock()
	var all []Plan
	for _, p := range s.world.plans.kept {
		all = append(all, *p)
	}
	return leaves(s.world, all)
}

// LastPlan is the number of the plan that the last preview ended in; zero where it ended in none, or there was none.
func (s *Session) LastPlan() int {
	s.world.mu.Lock()
	defer s.world.mu.Unlock()
	return s.world.plans.last
}

// Apply is how a plan is applied.
type Apply struct {
	// Loose are actions whose reads may return something else than in the preview, beside Options.LooseReads.
	Loose []pattern.Pattern
	// Name, Cell and Keep are those of the Script that is run.
	Name string
	Cell int
	Keep []string
}

// Apply runs the script of the plan n as the person's. It is stopped before a write that the plan does not have, has
// with other arguments or in another order, and by a read before the first write that returns something else. What the
// plan has is not asked about again, but for arguments that were not known; what the policy denies stays denied. A plan
// is applied once.
func (s *Session) Apply(ctx context.Context, n int, o Apply) (*Outcome, error) {
	w := s.world
	w.mu.Lock()
	i := slices.IndexFunc(w.plans.kept, func(p *Plan) bool { return p.N == n })
	if i < 0 {
		made := w.plans.made
		w.mu.Unlock()
		if n > 0 && n <= made {
			return nil, fmt.Errorf("plan %d: not kept any more: preview the script again", n)
		}
		return nil, fmt.Errorf("plan %d: there is none", n)
	}
	plan := w.plans.kept[i]
	w.mu.Unlock()
	script := plan.Script
	script.Author, script.Name, script.Cell, script.Keep = User, o.Name, o.Cell, o.Keep
	script.Tape = plan.tape
	mode := trace.ModeRun
	if script.Fresh {
		mode = trace.ModeFresh
	}
	r, err := s.newRun(script, mode)
	if err != nil {
		return nil, err
	}
	r.applies = plan
	r.list = newList(fmt.Sprintf("plan %d", n), plan.writes, plan.reads, slices.Concat(o.Loose, w.options.LooseReads)...)
	r.list.exact = true
	return r.do(ctx)
}

// planNumber is that of the plan which the run applies; zero for none.
func (r *run) planNumber() int {
	if r.applies == nil {
		return 0
	}
	return r.applies.N
}

// begins checks a run under a plan before it begins. A nil outcome lets it begin.
func (r *run) begins() (*Outcome, error) {
	w := r.session.world
	w.mu.Lock()
	applied := r.applies.Applied
	w.mu.Unlock()
	fault := vm.Error{Kind: vm.Denied}
	if applied != "" {
		fault.Code, fault.Message = CodeApplied, fmt.Sprintf("%s: already applied by %s", r.list.name, applied)
		fault.Hint = "preview the script again for a new plan"
		return r.unbegun(&Outcome{}, fault)
	}
	for _, f := range r.applies.writes {
		if err := r.mayMake(f); err != nil {
			fault.Code, fault.Message = err.Code, err.Message
			fault.Hint = strings.TrimPrefix(err.Hint+"; nothing was made", "; ")
			return r.unbegun(&Outcome{}, fault)
		}
	}
	return nil, nil
}

// mayMake tells why a write of a plan would be denied.
func (r *run) mayMake(f foreseen) *vm.HostError {
	c := trace.Call{ID: f.entry.ID}
	asks := r.session.Requested(f.entry, f.args)
	d := r.verdict(asks, &c)
	switch {
	case d.Verdict != policy.Allow && d.Verdict != policy.AskFor:
		return r.refusal(CodeDenied, d, d.Why(), &c)
	case d.Verdict == policy.AskFor && unknown.In(f.args) && r.session.world.options.Approve == nil:
		return r.refusal(CodeNoApproval, d, "its arguments are known only when applied, and nobody can be asked", &c)
	}
	return nil
}

// notReached ends a run under a plan, and names the writes that it did not come to.
func (r *run) notReached(out *Outcome) []string {
	if r.applies == nil {
		return nil
	}
	w := r.session.world
	w.mu.Lock()
	defer w.mu.Unlock()
	if r.list.begun || out.Err == nil {
		r.applies.Applied = r.label()
	}
	out.Plan, out.PlanText = r.applies.N, r.applies.Text
	if out.Err != nil {
		return nil
	}
	return r.list.notReached()
}
