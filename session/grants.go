package session

// This file asks the person about a call, and keeps what was granted: by an answer, a command, the command line or the
// configuration.

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"almanac/catalog"
	"almanac/catalog/pattern"
	"almanac/session/policy"
	"almanac/session/trace"
	"almanac/session/vm"
)

// Policy returns the policy of now.
func (s *Session) Policy() policy.Policy {
	s.world.mu.Lock()
	defer s.world.mu.Unlock()
	return s.world.policyNow()
}

// policyNow is a copy of the policy in which grants wait that the configuration has no more. The caller holds mu.
func (w *world) policyNow() policy.Policy {
	p := w.policy
	p.Grants = slices.Clone(p.Grants)
	if w.options.Kept == nil {
		return p
	}
	for i, g := range p.Grants {
		if g.For != policy.Always {
			continue
		}
		if err := w.options.Kept(g); err != nil {
			p.Grants[i].Waits = err.Error()
		}
	}
	return p
}

// SetPolicy changes the policy from the next call on, its grants included: those that p does not have are taken back.
// The error says that the change could not be recorded; then it is not made.
func (s *Session) SetPolicy(p policy.Policy) error {
	w := s.world
	if err := w.note("policy %s", cmp.Or(p.Mode, policy.ReadOnly)); err != nil {
		return err
	}
	w.setPolicy(p)
	return nil
}

// setPolicy numbers the grants that have no number.
func (w *world) setPolicy(p policy.Policy) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.policy = p
	w.policy.Grants = nil
	for _, g := range p.Grants {
		w.add(g)
	}
	w.policy = w.policy.Settle(w.view)
}

// add gives a grant its number. The caller holds mu.
func (w *world) add(g policy.Grant) policy.Grant {
	if g.N == 0 {
		w.granted++
		g.N = w.granted
	}
	if g.At.IsZero() {
		g.At = time.Now()
	}
	w.policy = w.policy.With(g)
	return w.policy.Grants[len(w.policy.Grants)-1]
}

// Grant lets calls through from now on and returns the grant with its number and with its bounds closed. The error says
// that no value meets them, or that the grant could not be recorded; then nothing is granted.
func (s *Session) Grant(g policy.Grant) (_ policy.Grant, err error) {
	w := s.world
	g.N = 0
	if g.Bounds, err = policy.CloseBounds(g.Bounds); err != nil {
		return policy.Grant{}, err
	}
	if err := w.note("granted %s: %s, by %s", g.For.Words(), g, g.By); err != nil {
		return policy.Grant{}, err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	g = w.add(g)
	w.policy = w.policy.Settle(w.view)
	return g, nil
}

// GrantedAtEnd lists the grants for the session that were there at the end of the last session of a log, as they were
// noted: one that goes on from it begins without them.
func GrantedAtEnd(records []trace.Record) (granted []string) {
	for _, r := range records {
		switch {
		case r.Kind == trace.KindSession, r.Kind == trace.KindNote && strings.HasPrefix(r.Text, "policy "):
			granted = nil
		case r.Kind != trace.KindNote:
		case strings.HasPrefix(r.Text, "granted "+policy.ForSession.Words()+": "):
			_, text, _ := strings.Cut(r.Text, ": ")
			granted = append(granted, text[:max(strings.LastIndex(text, ", by "), 0)])
		case strings.HasPrefix(r.Text, "revoked grant "):
			_, text, _ := strings.Cut(r.Text, ": ")
			if i := slices.Index(granted, text); i >= 0 {
				granted = slices.Delete(granted, i, i+1)
			}
		}
	}
	return granted
}

// PolicyAtEnd is the mode that was set last in the last session of a log; empty when none was.
func PolicyAtEnd(records []trace.Record) (m policy.Mode) {
	for _, r := range records {
		if r.Kind == trace.KindSession {
			m = ""
		} else if word, set := strings.CutPrefix(r.Text, "policy "); set && r.Kind == trace.KindNote {
			m = policy.Mode(word)
		}
	}
	return m
}

// Revoke takes the grant with the number back from the next call on, and returns it. A grant is gone also when that
// could not be recorded, which the error says.
func (s *Session) Revoke(n int) (policy.Grant, error) {
	w := s.world
	w.mu.Lock()
	i := slices.IndexFunc(w.policy.Grants, func(g policy.Grant) bool { return g.N == n })
	if i < 0 {
		w.mu.Unlock()
		return policy.Grant{}, fmt.Errorf("grant %d: there is none; /policy lists them", n)
	}
	g := w.policy.Grants[i]
	w.policy = w.policy.Without(func(g policy.Grant) bool { return g.N == n })
	w.mu.Unlock()
	return g, w.note("revoked grant %d: %s", n, g)
}

// decide is what the policy of now says. It counts the use of a grant.
func (w *world) decide(r policy.Request) policy.Decision {
	w.mu.Lock()
	defer w.mu.Unlock()
	d := w.policyNow().Decide(r)
	for i := range w.policy.Grants {
		if w.policy.Grants[i].N == d.Grant {
			w.policy.Grants[i].Used++
		}
	}
	return d
}

// endRun takes back what was granted for one run.
func (w *world) endRun() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.policy = w.policy.Without(func(g policy.Grant) bool { return g.For == policy.ForRun })
}

func (w *world) note(format string, args ...any) error {
	return w.record(trace.Record{Kind: trace.KindNote, Text: w.redactor.text(fmt.Sprintf(format, args...))})
}

// asked says how a grant came about that answers a question of this run.
func (r *run) asked() string {
	if r.script.Cell > 0 {
		return fmt.Sprintf("you when asked in [%d]", r.script.Cell)
	}
	return "you when asked"
}

// sourceLine is the line of the script that calls, 0 for what is written in another source.
func sourceLine(c *trace.Call) int {
	if c.In > 0 {
		return 0
	}
	return c.Line
}

// ask waits for the person's answer. Anything but a clear yes is a no.
func (r *run) ask(ctx context.Context, entry *catalog.Entry, call catalog.Call, asks policy.Request,
	c *trace.Call) (map[string]any, error) {
	w := r.session.world
	d := r.session.Policy().Decide(asks)
	if w.options.Approve == nil {
		return nil, r.refusal(CodeNoApproval, d, d.Why()+", and nobody can be asked", c)
	}
	if _, asks := isCompensating(ctx); !asks {
		return nil, r.refusal(CodeNoApproval, d, d.Why()+", and nobody is asked after an interrupt", c)
	}
	if err := r.previewCall(ctx, entry, call, c); err != nil {
		return nil, err
	}
	waited := time.Now()
	select { // one question at a time
	case w.asking <- struct{}{}:
		defer func() { <-w.asking }()
		c.Start = c.Start.Add(time.Since(waited))
	case <-ctx.Done():
		c.Start = c.Start.Add(time.Since(waited))
		c.Verdict = trace.Interrupted
		return nil, interrupted()
	}
	if now := r.verdict(asks, c); now.Verdict == policy.Allow { // by the answer to a question that came first
		return call.Args, nil
	} else if now.Verdict != policy.AskFor {
		return nil, r.refusal(CodeDenied, now, now.Why(), c)
	}
	asked := r.recordable(*c)
	if err := w.record(r.of(trace.Record{Kind: trace.KindAsk, Call: &asked})); err != nil {
		c.Verdict = trace.Denied
		return nil, denied(CodeLog, fmt.Sprintf("%s: denied: %v", entry.ID, err), "")
	}
	waited = time.Now()
	shown, injected := leaves(w, call.Args), leaves(w, c.Injected)
	answer, err := w.options.Approve(ctx, Request{
		Entry: entry, Args: shown, Injected: injected, Preview: c.Preview,
		Credentials: leaves(w, append(withheld(call.Args, shown), withheld(c.Injected, injected)...)),
		Author:      r.script.Author, Cell: r.script.Cell, N: c.N, Line: sourceLine(c),
		Reason: w.redactor.text(strings.TrimPrefix(c.TakesBack()+"; "+d.Why(), "; ")),
		Source: leaves(w, r.script.Source),
	})
	c.Start = c.Start.Add(time.Since(waited))
	if ctx.Err() != nil {
		c.Verdict = trace.Interrupted
		return nil, &vm.HostError{Fatal: true, Kind: vm.Interrupt, Message: "not made: the question was not answered"}
	}
	if err != nil {
		c.Verdict = trace.Denied
		return nil, denied(CodeNoApproval, fmt.Sprintf("%s: denied: the question was not answered: %v", entry.ID, err), "")
	}
	if err := r.takeAnswer(entry, d, answer, unshownBounds(answer.Bounds, shown, call.Args), c); err != nil {
		return nil, err
	}
	if answer.Args == nil {
		return call.Args, nil
	}
	c.Rule += trace.Edited
	c.Preview = "" // it was of other arguments
	args, err := r.edited(ctx, entry, unshown(answer.Args, shown, call.Args), call.Context, c)
	var refused *vm.HostError
	if errors.As(err, &refused) {
		refused.Refused = false // the time was the person's
	}
	return args, err
}

// takeAnswer takes in what the person said about a call that d asks about: a grant, once, or no, which is an error.
func (r *run) takeAnswer(entry *catalog.Entry, d policy.Decision, answer Approval, bounds []policy.Bound,
	c *trace.Call) error {
	red := r.session.world.redactor
	switch answer.Verdict {
	case ForSession:
		g, err := r.session.Grant(policy.Grant{
			Pattern: pattern.Exact(entry.ID), Bounds: bounds, Only: answer.Only,
			Seen: policy.SeenOf(entry), By: r.asked(), Used: 1,
		})
		if err != nil {
			c.Verdict = trace.Denied
			return denied(CodeLog, fmt.Sprintf("%s: denied: %v", entry.ID, err), "")
		}
		c.Rule = red.text(g.Rule())
	case Once:
		if c.Rule = "approved once"; d.ByRule() {
			c.Rule += ", asked by " + red.text(d.Rule)
		}
	default:
		c.Verdict, c.Rule = trace.Denied, trace.Refused
		text := entry.ID + RefusedText
		if answer.Reason != "" {
			text += ": " + answer.Reason
		}
		return denied(CodeRefused, text, "")
	}
	return nil
}
