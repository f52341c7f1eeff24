package session

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"almanac/session/trace"
)

// TestResume shows that the state of one session is that of the next, and that what does not fit changes nothing.
func TestResume(t *testing.T) {
	states := make(chan State, 10)
	first := newBench(t, func(o *Options) { o.Saved = func(s State) { states <- s } })
	first.fine(world1)
	state := <-states
	if state.Globals == 0 || state.Run == "" || state.Label != "run 1" {
		t.Errorf("state %q of %q with %d globals", state.Label, state.Run, state.Globals)
	}
	second := newBench(t, nil)
	second.fine("mine = 1")
	for reason, bad := range map[string]State{
		"another version": {Prelude: "other", Bytes: state.Bytes},
		"checksum":        {Prelude: state.Prelude, Bytes: []byte("LuaState junk")},
	} {
		err := second.session.Resume(t.Context(), bad, nil)
		var unfit *StateError
		if !errors.As(err, &unfit) {
			t.Errorf("%s: %v", reason, err)
		}
		if got := second.fine("return mine"); got != "1" {
			t.Errorf("%s: the globals of before: %s", reason, got)
		}
	}
	if err := second.session.Resume(t.Context(), state, []string{"shop.item.price", "gone.id"}); err != nil {
		t.Fatal(err)
	}
	second.fine(check1)
	if got := strings.Join(second.session.Described(), " "); got != "shop.item.price" {
		t.Errorf("described: %s", got)
	}
	second.kill()
	if out := second.run(User, check1); out.Err != nil || out.Lost == "" {
		t.Errorf("after a kill: %v, lost %q", out.Err, out.Lost)
	}
}

// TestSavedWithoutSecrets shows that a state that holds a secret stays in the process.
func TestSavedWithoutSecrets(t *testing.T) {
	states := make(chan State, 10)
	b := newBench(t, func(o *Options) { o.Saved = func(s State) { states <- s } })
	b.fine(`x = "hunter" .. "2"`)
	b.fine(`x = 1`)
	if s := <-states; s.Label != "run 2" {
		t.Errorf("the state of %s was told", s.Label)
	}
}

// TestSavedFirst: the state of a run is out of the process before the log has the run as ended, so that no kill comes
// between them.
func TestSavedFirst(t *testing.T) {
	var saved, late []string
	b := newBench(t, func(o *Options) {
		o.Saved = func(st State) { saved = append(saved, st.Run) }
		record := o.Record
		o.Record = func(r trace.Record) error {
			if r.Kind == trace.KindOutcome && r.Ended.OK && !slices.Contains(saved, r.Run) {
				late = append(late, r.Run)
			}
			return record(r)
		}
	})
	for _, source := range []string{"x = 1", "y = {x, x}", "x, y = nil", "return x"} {
		b.fine(source)
	}
	if len(late) > 0 || len(saved) != 4 {
		t.Errorf("%d states, %d of them late", len(saved), len(late))
	}
}
