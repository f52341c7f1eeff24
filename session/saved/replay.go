package saved

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"almanac/catalog"
	"almanac/catalog/compare"
	"almanac/catalog/lua"
	"almanac/catalog/manifest"
	"almanac/session"
	"almanac/session/policy"
	"almanac/session/trace"
)

// This file runs an action again on what was recorded. No real call is made: its catalog has the action, and the
// actions that it uses with the answers of the recording.

// Replay runs the action of e with the arguments of a test in a session of its own. view has the actions that it uses;
// one that is gone takes any arguments. What it came to has the calls that it made; err is why it could not be run, and
// failed why it did not end well.
func Replay(ctx context.Context, e *catalog.Entry, t manifest.Test, view *catalog.View) (
	got manifest.Test, failed, err error) {
	tape := &tape{calls: slices.Clone(t.Calls)}
	entries := []catalog.Entry{*e}
	for _, id := range usedBy(e, t) {
		entries = append(entries, tape.entry(id, view))
	}
	all, _ := catalog.New(entries, catalog.Options{})
	s, err := session.New(all.View(), session.Options{
		Policy: policy.Policy{Mode: policy.Session}, UserBudget: session.Budget{Calls: 10_000, Mutations: 10_000},
		Approve: func(context.Context, session.Request) (session.Approval, error) {
			return session.Approval{Verdict: session.Once}, nil // nothing is called
		},
	})
	if err != nil {
		return got, nil, err
	}
	defer s.Close()
	out, err := s.Run(ctx, session.Script{
		Source: "return call(" + lua.Quote(e.ID) + ", " + lua.Literal(t.Args, lua.Options{}) + ")",
		Name:   e.ID, Author: session.User, Fresh: true,
	})
	if err != nil {
		return got, nil, err
	}
	got.Args = t.Args
	for _, c := range out.Calls {
		if c.Depth == 1 {
			got.Calls = append(got.Calls, tape.answered(c))
		}
	}
	if out.Err != nil {
		return got, out.Err, nil
	}
	if len(out.Values) > 0 {
		got.Result = out.Values[0].Data
	}
	return got, nil, nil
}

// usedBy lists the ids that a test's calls and the action's uses name, without the action itself.
func usedBy(e *catalog.Entry, t manifest.Test) []string {
	ids := map[string]bool{}
	for _, c := range t.Calls {
		ids[c.ID] = true
	}
	for _, use := range e.Uses {
		ids[use.ID] = true
	}
	delete(ids, e.ID)
	return slices.Sorted(maps.Keys(ids))
}

// A tape answers calls with what was recorded.
type tape struct {
	mu    sync.Mutex
	calls []manifest.TestCall // those not made yet
	made  []manifest.TestCall
}

// entry is an action that answers from the tape: what the view has of it, without what makes it act.
func (t *tape) entry(id string, view *catalog.View) catalog.Entry {
	e := catalog.Entry{ID: id, Input: catalog.MustSchema(`{"type":"object"}`)}
	if now, ok := view.Lookup(id); ok {
		e = *now
	}
	e.Lua, e.Uses, e.Inject, e.Preview, e.Timeout, e.Paged = "", nil, nil, nil, 0, true
	e.Action = func(_ context.Context, c catalog.Call) (catalog.Result, error) { return t.play(c) }
	return e
}

// play answers a call with the first recorded one that is like it and was not made yet.
func (t *tape) play(c catalog.Call) (catalog.Result, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	i := slices.IndexFunc(t.calls, func(r manifest.TestCall) bool { return r.ID == c.ID && compare.Same(r.Args, c.Args) })
	if i < 0 {
		return catalog.Result{}, fmt.Errorf("the recorded run made no such call")
	}
	r := t.calls[i]
	t.calls = slices.Delete(t.calls, i, i+1)
	t.made = append(t.made, r)
	if r.Error != "" {
		return catalog.Result{}, fmt.Errorf("%s", strings.TrimPrefix(r.Error, r.ID+": "))
	}
	return catalog.Result{Data: r.Result, Next: t.next(r)}, nil
}

// next is what the next call of the same action has in other words: where the action gives pages, the next page.
func (t *tape) next(r manifest.TestCall) map[string]any {
	i := slices.IndexFunc(t.calls, func(o manifest.TestCall) bool { return o.ID == r.ID })
	if i < 0 {
		return nil
	}
	next := map[string]any{}
	for name, v := range t.calls[i].Args {
		if !compare.Same(v, r.Args[name]) {
			next[name] = v
		}
	}
	return next
}

// answered is a call of the replay with what it was answered.
func (t *tape) answered(c trace.Call) manifest.TestCall {
	got := manifest.TestCall{ID: c.ID, Args: c.Args, Error: c.Error}
	i := slices.IndexFunc(t.made, func(r manifest.TestCall) bool { return r.ID == c.ID && compare.Same(r.Args, c.Args) })
	if i >= 0 {
		got.Args, got.Result, got.Error = t.made[i].Args, t.made[i].Result, t.made[i].Error
		t.made = slices.Delete(t.made, i, i+1)
	}
	return got
}

// Compare says in lines how a replay differs from its test; empty where it does not.
func Compare(want, got manifest.Test) []string {
	var lines []string
	for i := range max(len(want.Calls), len(got.Calls)) {
		switch {
		case i >= len(want.Calls):
			lines = append(lines, fmt.Sprintf("+ call %d: %s", i+1, callText(got.Calls[i])))
		case i >= len(got.Calls):
			lines = append(lines, fmt.Sprintf("- call %d: %s", i+1, callText(want.Calls[i])))
		case want.Calls[i].ID != got.Calls[i].ID || !compare.Same(want.Calls[i].Args, got.Calls[i].Args):
			lines = append(lines, fmt.Sprintf("- call %d: %s", i+1, callText(want.Calls[i])),
				fmt.Sprintf("+ call %d: %s", i+1, callText(got.Calls[i])))
		}
	}
	for _, d := range compare.Values("result", want.Result, got.Result) {
		lines = append(lines, "- "+d.Path+": "+d.Want, "+ "+d.Path+": "+d.Got)
	}
	return lines
}

func callText(c manifest.TestCall) string {
	return c.ID + lua.Literal(c.Args, lua.Options{Tight: true, Limit: 300})
}
