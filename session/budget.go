package session

// This file counts what a run does through the door, and asks the person whether a run of theirs goes on when its
// budget is used up.

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"almanac/catalog"
	"almanac/catalog/text"
	"almanac/session/trace"
	"almanac/session/vm"
)

// A Budget bounds what one run may do through the door. A zero field means its default.
type Budget struct {
	Calls     int           // action calls in a run; default 50, in a run of the person's 1,000
	Mutations int           // calls that mutate in a run, allowed or approved; default 20, in a run of the person's 200
	Refused   int           // calls in a run that are refused and that the script may catch; default 1,000
	Selected  int           // ids in Script.Actions, with those that the script has described; default 20
	Described int           // ids in one Describe, and in all of a run of the model's; default 10
	Shown     int           // hits that a query lists, and all that a run of the model's reads of the catalog; default 20
	Result    int           // bytes of one action's result; default 8 MiB
	Wait      time.Duration // one action call, when its entry names no timeout; default 60 s
}

// or returns the budget with the fields of other where it has none.
func (b Budget) or(other Budget) Budget {
	return Budget{
		Calls: cmp.Or(b.Calls, other.Calls), Mutations: cmp.Or(b.Mutations, other.Mutations),
		Refused: cmp.Or(b.Refused, other.Refused), Selected: cmp.Or(b.Selected, other.Selected),
		Described: cmp.Or(b.Described, other.Described), Shown: cmp.Or(b.Shown, other.Shown),
		Result: cmp.Or(b.Result, other.Result), Wait: cmp.Or(b.Wait, other.Wait),
	}
}

func (b Budget) withDefaults() Budget {
	return b.or(Budget{
		Calls: 50, Mutations: 20, Refused: 1000, Selected: 20, Described: 10, Shown: 20, Result: 8 << 20,
		Wait: 60 * time.Second,
	})
}

// Usage counts what the last or current run did, and says how much it may; all is zero before the first.
type Usage struct {
	Calls, Mutations         int
	CallLimit, MutationLimit int
}

// An Overrun is a budget that a run of the person's has used up.
type Overrun struct {
	Name string // "calls" or "mutations", as /limits calls it
	Used int
	More int // what a yes adds
}

// String says what is used up: "1,000 action calls".
func (o Overrun) String() string {
	if o.Name == "mutations" {
		return text.Count(o.Used, "mutation")
	}
	return text.Count(o.Used, "action call")
}

// Budget returns what one run of the author's may do; no field is zero.
func (s *Session) Budget(a Author) Budget {
	s.world.mu.Lock()
	defer s.world.mu.Unlock()
	if a != User {
		return s.world.options.Budget
	}
	return s.world.userBudget
}

// SetUserBudget changes what the person's runs may do, from the next one on; zero fields stay as they are, and none
// gets larger than the session's roles have it. The error says that the change could not be recorded; then it is not
// made.
func (s *Session) SetUserBudget(b Budget) error {
	w := s.world
	b = b.or(s.Budget(User))
	for _, role := range s.Roles() {
		b = b.within(role.UserBudget)
	}
	if err := w.note("limits of your runs: %d calls, %d mutations", b.Calls, b.Mutations); err != nil {
		return err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.userBudget = b
	return nil
}

func (r *run) budget() Budget { return r.session.Budget(r.script.Author) }

// spend takes the call from the budget before anything else is done for it. What takes back other calls is counted, but
// not bounded: they were.
func (r *run) spend(ctx context.Context, entry *catalog.Entry, c *trace.Call) error {
	if back, _ := isCompensating(ctx); back {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.used.Calls++
		r.tellUsed()
		return nil
	}
	for {
		over := r.take(entry)
		if over == nil {
			return nil
		}
		if err := r.goOn(ctx, entry, over, c); err != nil {
			return err
		}
	}
}

// take counts the call, or returns what is used up.
func (r *run) take(entry *catalog.Entry) *Overrun {
	r.mu.Lock()
	defer r.mu.Unlock()
	if over := r.over(entry); over != nil {
		return over
	}
	r.used.Calls++
	r.tellUsed()
	return nil
}

// over is what a call would use too much of. The caller holds mu.
func (r *run) over(entry *catalog.Entry) *Overrun {
	switch u := r.used; {
	case u.Calls >= u.CallLimit:
		return &Overrun{"calls", u.CallLimit, r.again.Calls}
	case r.counts(entry) && (r.mode != trace.ModePreview || r.before != "") && u.Mutations >= u.MutationLimit:
		return &Overrun{"mutations", u.MutationLimit, r.again.Mutations}
	}
	return nil
}

// goOn asks the person whether the run may have as much again. The error ends the run.
func (r *run) goOn(ctx context.Context, entry *catalog.Entry, over *Overrun, c *trace.Call) error {
	w := r.session.world
	if r.script.Author != User || w.options.Approve == nil {
		return r.exhausted(entry, over, c)
	}
	waited := time.Now()
	select { // one question at a time
	case w.asking <- struct{}{}:
		defer func() { <-w.asking }()
		c.Start = c.Start.Add(time.Since(waited))
	case <-ctx.Done():
		c.Start = c.Start.Add(time.Since(waited))
		c.Verdict = trace.Interrupted
		return interrupted()
	}
	r.mu.Lock()
	over = r.over(entry)
	r.mu.Unlock()
	switch { // by the answer to a question that came first
	case over == nil:
		return nil
	case r.halted:
		return r.exhausted(entry, over, c)
	}
	waited = time.Now()
	answer, err := w.options.Approve(ctx, Request{
		Over: over, Entry: entry, Author: r.script.Author, Cell: r.script.Cell, N: c.N, Line: sourceLine(c),
		Source: leaves(w, r.script.Source),
	})
	c.Start = c.Start.Add(time.Since(waited))
	if ctx.Err() != nil {
		c.Verdict = trace.Interrupted
		return &vm.HostError{Fatal: true, Kind: vm.Interrupt, Message: "not made: the question was not answered"}
	}
	if r.halted = err != nil || answer.Verdict != Once; r.halted {
		return r.exhausted(entry, over, c)
	}
	if err := w.note("%s goes on after %s: allowed by you when asked", r.label(), over); err != nil {
		c.Verdict = trace.Denied
		return denied(CodeLog, fmt.Sprintf("%s: denied: %v", entry.ID, err), "")
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if over.Name == "calls" {
		r.used.CallLimit += over.More
	} else {
		r.used.MutationLimit += over.More
	}
	r.tellUsed()
	return nil
}

// exhausted is the error of a run that has used all budget; its hint names the setting.
func (r *run) exhausted(entry *catalog.Entry, over *Overrun, c *trace.Call) error {
	c.Verdict, c.Rule = trace.Limited, "budget "+over.Name
	err := limited(over.Name, fmt.Sprintf("%s: the run has used all %s", entry.ID, over))
	role := r.boundBy(over.Name)
	switch {
	case role != "" && r.script.Author != User:
		err.Hint = fmt.Sprintf("do it in several runs; the bound is limits.%s of the role %s", over.Name, role)
	case role != "":
		err.Hint = fmt.Sprintf("the bound is limits.your_%s of the role %s: do it in several runs", over.Name, role)
	case r.script.Author != User && r.session.world.options.Client != "":
		err.Hint = fmt.Sprintf("do it in several runs; the setting is %s of the client %s, or limits.%s where it has "+
			"none", over.Name, r.session.world.options.Client, over.Name)
	case r.script.Author != User:
		err.Hint = fmt.Sprintf("do it in several runs; the setting is limits.%s", over.Name)
	case !r.session.world.options.Commands:
		err.Hint = fmt.Sprintf("the setting is limits.your_%s: --limits-your-%s %d", over.Name, over.Name, 2*over.Used)
	default:
		err.Hint = fmt.Sprintf("/limits %s %d lets a run of yours make more; kept as limits.your_%s in the configuration",
			over.Name, 2*over.Used, over.Name)
	}
	return err
}

// boundBy names the role whose limit the run has reached; empty where none is.
func (r *run) boundBy(name string) string {
	of := func(b Budget) int {
		if name == "calls" {
			return b.Calls
		}
		return b.Mutations
	}
	for _, role := range r.session.Roles() {
		bound := role.Budget
		if r.script.Author == User {
			bound = role.UserBudget
		}
		if n := of(bound); n > 0 && n == of(r.budget()) {
			return role.Name
		}
	}
	return ""
}

// counts tells whether a call of the action counts against the budget of mutations.
func (r *run) counts(entry *catalog.Entry) bool {
	uncounted := r.session.world.options.Uncounted
	return entry.Mutates && (uncounted == "" || entry.Source != uncounted)
}

// mutated counts a mutation that is about to be made.
func (r *run) mutated(entry *catalog.Entry) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.counts(entry) {
		r.used.Mutations++
	}
	r.tellUsed()
}

// tellUsed lets Used tell what the run has used; the preview before a run made nothing, and a Go program's calls are no
// run. The caller holds the run's mu.
func (r *run) tellUsed() {
	if r.before != "" || r.invoked != nil {
		return
	}
	w := r.session.world
	w.mu.Lock()
	defer w.mu.Unlock()
	w.used = r.used
}

func limited(name, message string) *vm.HostError {
	return &vm.HostError{Fatal: true, Kind: vm.Limit, Limit: name, Code: CodeBudget, Message: message}
}
