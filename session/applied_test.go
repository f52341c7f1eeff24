package session

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"time"

	"almanac/catalog"
	"almanac/catalog/pattern"
	"almanac/session/effect"
	"almanac/session/trace"
)

// effectsOf reads effects as {"state.set", "count", 1}.
func effectsOf(list any) (effects []catalog.Effect) {
	items, _ := list.([]any)
	for _, item := range items {
		e := append(item.([]any), nil, nil)
		effects = append(effects, catalog.Effect{Kind: fmt.Sprint(e[0]), Target: fmt.Sprint(e[1]), Value: e[2]})
	}
	return effects
}

// openEmitter gives the session actions that have the effects that they are told to have, and opts in to kinds.
func (b *bench) openEmitter(kinds ...string) {
	b.t.Helper()
	input := catalog.MustSchema(`{"type":"object","properties":{"effects":{"type":"array"},"late":{"type":"boolean"}}}`)
	emit := catalog.Entry{ID: "work.emit", Operation: catalog.Read, Input: input}
	emit.Action = func(_ context.Context, c catalog.Call) (catalog.Result, error) {
		if c.Args["late"] == true {
			time.Sleep(time.Duration(rand.IntN(1000)) * time.Microsecond)
		}
		return catalog.Result{Data: true, Effects: effectsOf(c.Args["effects"])}, nil
	}
	both := catalog.Entry{ID: "work.both", Operation: catalog.Read, Input: input,
		Lua: `work.emit{effects = args.effects} return work.emit{effects = {{"state.set", "both", true}}}`}
	all, report := catalog.New([]catalog.Entry{emit, both}, catalog.Options{})
	if len(report.Skipped) > 0 {
		b.t.Fatal(report.Skipped)
	}
	b.replace(all.View())
	b.session.SetApplyEffects(patternsOf(b.t, kinds))
}

func patternsOf(t *testing.T, texts []string) []pattern.Pattern {
	t.Helper()
	patterns, err := pattern.ParseAll(texts)
	if err != nil {
		t.Fatal(err)
	}
	return patterns
}

func (b *bench) applyRecorded(text string) string {
	var list any
	if err := json.Unmarshal([]byte(text), &list); err != nil {
		b.t.Fatal(err)
	}
	out, err := b.session.ApplyRecorded(b.t.Context(), 7, "effects of cell 3", effectsOf(list))
	return b.orError(out, err)
}

// showApplied is what became of the effects.
func showApplied(out *Outcome) string {
	var w strings.Builder
	for _, e := range out.Applied {
		fmt.Fprintf(&w, "applied %s\n", e.Title())
	}
	for _, e := range out.WouldApply {
		fmt.Fprintf(&w, "would apply %s\n", e.Title())
	}
	for _, r := range out.RejectedEffects {
		fmt.Fprintf(&w, "rejected %s: %s\n", r.Effect.Title(), r.Reason)
	}
	return w.String()
}

// randomEffects are up to four effects; of some the path leads through a value that is no table.
func randomEffects(rnd *rand.Rand) (effects []catalog.Effect) {
	values := []any{int64(rnd.IntN(100)), "text", true, []any{int64(1)}, map[string]any{"b": int64(2), "none": nil}, 1.5,
		int64(1) << 60, strings.Repeat("x", 5000)}
	pick := func(list ...string) string { return list[rnd.IntN(len(list))] }
	for range rnd.IntN(5) {
		e := catalog.Effect{Kind: effect.StateSetPath, Target: pick("a.b", "list[1]", "c.x", "new.x.y")}
		switch rnd.IntN(16) {
		case 0, 1, 2:
			e.Kind, e.Target = effect.StateSet, pick("b", "b", "b", "c")
		case 3:
			e.Kind, e.Target = effect.StateDelete, pick("a", "b", "list")
		case 4:
			e.Kind = effect.StateDeletePath
		case 5:
			e.Kind, e.Target = effect.StateReplace, ""
		}
		switch e.Kind {
		case effect.StateSet, effect.StateSetPath:
			e.Value = values[rnd.IntN(len(values))]
		case effect.StateReplace:
			e.Value = map[string]any{"a": map[string]any{}, "c": values[rnd.IntN(len(values))]}
		}
		effects = append(effects, e)
	}
	return effects
}

// TestAppliedInOrder runs random scripts whose calls have random effects, one after the other and side by side. The
// state is what the effects make of it in the order of the script, all of a run or none. Undo and Redo go through the
// same states, and so does a replay of the log.
func TestAppliedInOrder(t *testing.T) {
	rnd := rand.New(rand.NewPCG(15, 1))
	b := newBench(t, nil)
	b.openEmitter("state.*")
	now := func(b *bench) map[string]any {
		state, err := b.session.State(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return state
	}
	states := []map[string]any{nil}
	rejected := 0
	for n := range 30 {
		var all []catalog.Effect
		emit := func(late bool) string {
			effects := randomEffects(rnd)
			all = append(all, effects...)
			list := []any{}
			for _, e := range effects {
				list = append(list, []any{e.Kind, e.Target, e.Value})
			}
			text, _ := json.Marshal(list)
			return fmt.Sprintf("work.emit{late = %t, effects = json.decode(%q)}\n", late, text)
		}
		source := emit(false)
		if n%2 == 0 {
			source += fmt.Sprintf("local jobs = {function() %s %s end, function() %s end, function() %s end}\n"+
				"parallel(jobs, function(job) job() end)\n", emit(true), emit(true), emit(true), emit(true))
		}
		source += emit(false)
		fails := rnd.IntN(8) == 0
		if fails {
			source += "error('no')"
		}
		var out *Outcome
		if recorded := n%5 == 4 && !fails && len(all) > 0; recorded {
			var err error
			if out, err = b.session.ApplyRecorded(t.Context(), 0, "effects of run 1", all); err != nil {
				t.Fatal(err)
			}
		} else {
			out = b.run(User, source)
		}
		if (out.Err != nil) != fails {
			t.Fatal(source, out.Err)
		}
		was := states[len(states)-1]
		want := was
		if !fails && len(all) > 0 {
			next, bad := effect.Apply(was, all)
			if want = next; len(bad) > 0 {
				rejected++
			}
			if len(bad) != len(out.RejectedEffects) || (len(bad) == 0) != (len(out.Applied) == len(all)) {
				t.Fatalf("%s: rejected %v, want %v", source, out.RejectedEffects, bad)
			}
		}
		if got := now(b); !reflect.DeepEqual(got, want) {
			t.Fatalf("%s: the state is %v, want %v", source, got, want)
		}
		if !reflect.DeepEqual(was, want) {
			states = append(states, want)
		}
	}
	if rejected < 3 || len(states) < 10 {
		t.Errorf("%d runs rejected, %d states: too few to tell", rejected, len(states))
	}
	for i := len(states) - 2; i > 0; i-- {
		b.steps("undo")
		if got := now(b); !reflect.DeepEqual(got, states[i]) {
			t.Fatalf("%d states back: %v, want %v", len(states)-1-i, got, states[i])
		}
	}
	b.steps(fmt.Sprintf("redo %d", len(states)-2))
	if got, want := now(b), states[len(states)-1]; !reflect.DeepEqual(got, want) {
		t.Fatalf("redone: %v, want %v", got, want)
	}
	other := newReplay(t)
	other.openEmitter()
	for _, run := range b.taped() {
		if out := run.again(other); out.State != run.ended.State {
			t.Fatalf("%s: the replay leaves another state: %v, %v", run.run.Text, now(other), out.Err)
		}
	}
	if got, want := now(other), states[len(states)-1]; !reflect.DeepEqual(got, want) {
		t.Fatalf("replayed: %v, want %v", got, want)
	}
}

// TestAppliedSurvives resumes a session with a state in another one.
func TestAppliedSurvives(t *testing.T) {
	var saved State
	b := newBench(t, func(o *Options) { o.Saved = func(s State) { saved = s } })
	b.openEmitter("state.*")
	b.run(User, `work.emit{effects = {{"state.set", "a", {1, {}, json.array{}, null}}, {"state.set", "key", "hunter2"}}}`)
	out := b.run(User, `work.emit{effects = {{"state.set", "key", "gone"}}} return json.encode(state)`)
	if got := out.Values[0].Data; got != `{"a":[1,{},[],null],"key":"[redacted]"}` {
		t.Errorf("secrets are not taken out: %v", got)
	}
	b.settle()
	other := newBench(t, nil)
	if err := other.session.Resume(t.Context(), saved, nil); err != nil {
		t.Fatal(err)
	}
	if got := other.run(User, "return json.encode(state)"); got.Values[0].Data != `{"a":[1,{},[],null],"key":"gone"}` {
		t.Error(show(got))
	}
	if out := other.run(User, "state.a = 1"); out.Err == nil {
		t.Error("a resumed state can be written to")
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, r := range b.records {
		if r.Kind == trace.KindOutcome && bytes.Contains(fmt.Append(nil, r.Ended.Applied), []byte("hunter2")) {
			t.Error("the log has a secret")
		}
	}
}

// TestAppliedKilled ends the Lua process at some moment of a run or after it: the state then has all effects of the run
// or none, and an outcome that says they were applied is true.
func TestAppliedKilled(t *testing.T) {
	b := newBench(t, nil)
	b.openEmitter("state.*")
	before, lost := int64(0), 0
	script := `work.emit{effects = {{"state.set", "a", %d}}} work.emit{effects = {{"state.set", "b", %[1]d}}}`
	took := b.run(User, fmt.Sprintf(script, 0)).Elapsed
	for n := int64(1); n <= 40; n++ {
		machine, after := b.session.world.machine, time.Duration(rand.Int64N(int64(3*took)))
		killed := make(chan struct{})
		go func() {
			defer close(killed)
			time.Sleep(after)
			machine.Discard()
		}()
		out := b.run(User, fmt.Sprintf(script, n))
		<-killed
		if out.Err != nil {
			lost++
		}
		again := b.run(User, `return state.a, state.b`)
		if again.Err != nil {
			t.Fatal(show(again))
		}
		got, want := again.Values[0].Data, before
		if out.Err == nil {
			want = n
		}
		if got != want || again.Values[1].Data != want || (out.Err == nil) != (len(out.Applied) == 2) {
			t.Fatalf("run %d left %s\nwant %d after\n%s", n, show(again), want, show(out))
		}
		before = want
	}
	t.Logf("%d of 40 runs were lost", lost)
}
