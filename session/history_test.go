package session

import (
	"bytes"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"almanac/session/kept"
	"almanac/session/policy"
	"almanac/session/trace"
	"almanac/session/vm"
)

// steps plays lines of words: "undo 2", "redo", "checkpoint a", "restore a", "reset", "kill", "lua x = 1", and after
// "->" what follows: an error, or what the line says of x.
func (b *bench) steps(script string) {
	b.t.Helper()
	for _, line := range strings.Split(strings.TrimSpace(script), "\n") {
		do, want, checks := strings.Cut(strings.TrimSpace(line), " -> ")
		word, arg, _ := strings.Cut(do, " ")
		n := 1
		if _, err := fmt.Sscan(arg, &n); err != nil {
			n = 1
		}
		var got string
		var err error
		var m Move
		switch word {
		case "lua":
			got = strings.ReplaceAll(b.fine(arg), "\n", " ")
		case "lost":
			if out := b.run(User, arg); out.Lost == "" {
				b.t.Errorf("%s: nothing lost", line)
			}
		case "fails":
			if out := b.run(User, arg); out.Err == nil {
				b.t.Errorf("%s: no error", line)
			}
		case "undo":
			m, err = b.session.Undo(b.t.Context(), n)
			got = titles(m.Over)
		case "redo":
			m, err = b.session.Redo(b.t.Context(), n)
			got = titles(m.Over)
		case "checkpoint":
			_, _, _, err = b.session.Checkpoint(b.t.Context(), arg)
		case "restore":
			m, err = b.session.Restore(b.t.Context(), arg)
			got = strings.Join(m.Changed.Changed, " ")
		case "reset":
			_, err = b.session.Reset(b.t.Context())
		case "kill":
			if err := b.session.world.settle(b.t.Context()); err != nil {
				b.t.Fatal(err)
			}
			b.kill()
		}
		if err != nil {
			got = err.Error()
		}
		if checks && got != want || !checks && err != nil {
			b.t.Errorf("%s: got %s", line, got)
		}
	}
}

func TestUndo(t *testing.T) {
	for name, script := range map[string]string{
		"there and back": `
			undo -> nothing to undo
			redo -> nothing to redo
			lua x = 1
			lua x = 2
			lua x = {3}
			lua x[1] = 4
			undo -> run 4
			lua return x[1] -> 3
			undo 2 -> run 3, run 2
			lua return x -> 1
			redo 2 -> run 2, run 3
			lua return x[1] -> 3
			undo 9 -> only 3 steps can be taken back
			undo 3 -> run 3, run 2, run 1
			lua return x -> nil
			redo 4 -> run 1, run 2, run 3, run 4
			lua return x[1] -> 4
			redo -> nothing to redo`,
		"a new run drops what was undone": `
			lua x = 1
			lua x = 2
			undo
			lua x = 3
			redo -> nothing to redo
			undo -> run 3
			lua return x -> 1`,
		"a run that sets nothing is no step": `
			lua x = 1
			lua return x -> 1
			lua x = x
			undo -> run 1
			lua return 7 -> 7
			redo -> run 1`,
		"a run that failed is no step": `
			lua x = {1}
			fails x[1] = 2 y = 3 error('no')
			lua return x[1], y -> 1 nil
			undo -> run 1
			redo -> run 1
			lua return x[1], y -> 1 nil`,
		"checkpoints": `
			checkpoint nothing
			lua x = {1}
			checkpoint one
			lua x = {2, 2}
			restore one -> x
			lua return x[1] -> 1
			undo -> the restore of one
			lua return x[1] -> 2
			redo
			lua return x[1] -> 1
			restore On -> On: no such checkpoint; did you mean one?
			restore zzzzzz -> zzzzzz: no such checkpoint; /restore lists them
			restore nothing
			lua return x -> nil
			checkpoint one
			restore one
			lua return x -> nil`,
		"a reset is taken back": `
			lua x = 1
			reset
			lua return x -> nil
			undo -> the reset
			lua return x -> 1
			redo -> the reset
			lua return x -> nil`,
		"what cannot be kept": `
			lua x = 1
			lua x = 2 co = coroutine.wrap(function() coroutine.yield() end) co()
			lua x = 3
			undo
			lua return x, co == nil -> 2 true
			redo
			lua return x -> 3`,
		"a machine that ended": `
			lua x = 1
			lua x = 2
			kill
			undo -> run 2
			lua return x -> 1
			kill
			redo -> run 2
			lua return x -> 2
			kill
			lost y = 1
			undo -> run 5
			lua return x, y -> 2 nil`,
	} {
		t.Run(name, func(t *testing.T) {
			newBench(t, nil).steps(script)
		})
	}
}

// TestUndoTells shows what a caller, the log and the model learn.
func TestUndoTells(t *testing.T) {
	b := newBench(t, func(o *Options) { o.Policy = policy.Policy{Mode: policy.Session} })
	b.fine("before = 1")
	b.session.News()
	b.fine("x = 1 before = 2 shop.item.price{item_id = 'a', cents = 7}")
	b.fine("shop.item.price{item_id = 'b', cents = 8} return 1")
	m, err := b.session.Undo(t.Context(), 2)
	if err != nil {
		t.Fatal(err)
	}
	var wrote []string
	for _, p := range m.Over {
		for _, c := range p.Writes {
			wrote = append(wrote, fmt.Sprint(c.ID, c.Args["item_id"]))
		}
	}
	if diff := cmp.Diff([]string{"shop.item.priceb", "shop.item.pricea"}, wrote); diff != "" {
		t.Errorf("writes (-want +got)\n%s", diff)
	}
	if diff := cmp.Diff(vm.Diff{Changed: []string{"before"}, Removed: []string{"x"}}, m.Changed); diff != "" {
		t.Errorf("changed (-want +got)\n%s", diff)
	}
	if m.To.Title() != "run 1" || !m.To.Now {
		t.Errorf("to %+v", m.To)
	}
	if last := b.records[len(b.records)-1]; last.Kind != trace.KindBack || last.Text != "run 1" {
		t.Errorf("the last record is %+v", last)
	}
	want := News{
		Moved:   "took back run 3, run 2: the globals are those of run 1",
		Globals: vm.Diff{Changed: []string{"before"}},
	}
	if diff := cmp.Diff(want, b.session.News()); diff != "" {
		t.Errorf("news (-want +got)\n%s", diff)
	}
}

// TestHistoryKept resumes a session with its earlier states, twice, also where its last file is older than its globals.
func TestHistoryKept(t *testing.T) {
	dir := t.TempDir()
	var states []State
	open := func(name string) (*bench, *kept.Store) {
		t.Helper()
		store, err := kept.Open(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { store.Close() })
		return newBench(t, func(o *Options) {
			o.Store, o.Saved = store, func(s State) { states = append(states, s) }
		}), store
	}
	all := func(string) bool { return true }
	b, store := open("first.kept")
	b.steps("lua x = 1\ncheckpoint one\nlua x = 2\nlua x = 'hunter' .. 2\nlua x = 3\nlua x = 4\nundo")
	for i := range 2 {
		if err := b.session.Close(); err != nil {
			t.Fatal(err)
		}
		next, nextStore := open(fmt.Sprint(i))
		if err := next.session.Resume(t.Context(), states[len(states)-1], nil); err != nil {
			t.Fatal(err)
		}
		if err := next.session.ResumeHistory(t.Context(), store, all); err != nil {
			t.Fatal(err)
		}
		if err := store.Close(); err != nil {
			t.Fatal(err)
		}
		b, store = next, nextStore
		b.steps(`
			lua return x -> 3
			undo -> that state is not kept (holds a secret, which is not written to disk)
			undo 2 -> run 4, run 3
			lua return x -> 2
			redo 3 -> run 3, run 4, run 5
			lua return x -> 4
			restore one -> x
			lua return x -> 1
			undo 2`)
	}
	resumed := newBench(t, nil)
	other := states[0]
	if err := resumed.session.Resume(t.Context(), other, nil); err != nil {
		t.Fatal(err)
	}
	if err := b.session.Close(); err != nil {
		t.Fatal(err)
	}
	if err := resumed.session.ResumeHistory(t.Context(), store, all); err != nil {
		t.Fatal(err)
	}
	resumed.steps("lua return x -> 1\nundo -> the resume\nlua return x -> 3")
}

// TestHistoryOfAKill: a state that was written and whose run the log does not have as ended is no step after a resume.
func TestHistoryOfAKill(t *testing.T) {
	store, err := kept.Open(filepath.Join(t.TempDir(), "a.kept"))
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	var states []State
	b := newBench(t, func(o *Options) { o.Store, o.Saved = store, func(s State) { states = append(states, s) } })
	b.steps("lua x = 1\nlua x = 2\nlua x = 3")
	if err := b.session.Close(); err != nil {
		t.Fatal(err)
	}
	next := newBench(t, nil)
	ended := func(run string) bool { return run != states[2].Run }
	if err := next.session.Resume(t.Context(), states[1], nil); err != nil {
		t.Fatal(err)
	}
	if err := next.session.ResumeHistory(t.Context(), store, ended); err != nil {
		t.Fatal(err)
	}
	next.steps("redo -> nothing to redo\nundo -> run 2\nlua return x -> 1")
}

// TestHistoryBounds: no more states are kept than the bounds say, the same one costs nothing, and that of now stays.
func TestHistoryBounds(t *testing.T) {
	b := newBench(t, nil)
	fill := func(n int, state func(i int) []byte) *history {
		h := newHistory(b.session.world)
		for i := range n {
			data := state(i)
			h.ran(PointRun{Label: fmt.Sprint(i)}, h.points[0].Time, vm.Diff{}, nil, nil)
			h.keep(&savedState{snapshot: vm.Snapshot{Data: data, Own: min(len(data), 10)}})
			h.mark(moment{})
		}
		return h
	}
	held := func(h *history) (n int) {
		for s := range h.states() {
			if len(s.data) > 0 {
				n++
			}
		}
		return n
	}
	large := fill(6, func(i int) []byte { return bytes.Repeat([]byte{byte(i)}, maxMemory/4+1) })
	if n := held(large); n != 3 || large.points[large.at].State.data[0] != 5 {
		t.Errorf("%d large states", n)
	}
	many := fill(300, func(i int) []byte { return fmt.Append(nil, i) })
	if n := held(many); n != maxMoments || len(many.points) != maxUndo+1 {
		t.Errorf("%d states of %d points", n, len(many.points))
	}
	same := []byte("the same")
	if h := fill(300, func(int) []byte { return same }); len(h.points) != 2 || h.inMemory() != len(same) {
		t.Errorf("%d points, %d bytes", len(h.points), h.inMemory())
	}
}
