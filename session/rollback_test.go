package session

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"almanac/session/trace"
	"almanac/session/vm"
)

// state is the snapshot of the shared machine, nil where there is none.
func (b *bench) state() []byte {
	b.t.Helper()
	w := b.session.world
	if w.machine == nil {
		return nil
	}
	s, err := w.machine.Snapshot(b.t.Context())
	if err != nil {
		b.t.Fatal(err)
	}
	return s.Data
}

// TestInterruptedRunIsPutBack stops a run from outside: what it had set is gone, what came before is there.
func TestInterruptedRunIsPutBack(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	b := newBench(t, func(o *Options) { o.Write = func(vm.Stream, string) { cancel() } })
	b.fine(world1)
	before := b.state()
	out, err := b.session.Run(ctx, Script{Source: "inc() x = 1 acc = nil print('now') while true do end", Author: User})
	if err != nil || out.Err == nil || out.Err.Kind != vm.Interrupt || !out.RolledBack ||
		strings.Join(out.PutBack.Added, " ") != "x" || strings.Join(out.PutBack.Removed, " ") != "acc" {
		t.Fatalf("%v, %+v", err, out)
	}
	if !bytes.Equal(before, b.state()) {
		t.Error("the globals are not those of before")
	}
	last := b.records[len(b.records)-1]
	if last.Kind != trace.KindOutcome || !last.Ended.PutBack || len(last.Ended.Changed) > 0 {
		t.Errorf("the log ends in %+v", last.Ended)
	}
	if d := b.session.News().Globals; strings.Contains(strings.Join(d.Added, " "), "x") {
		t.Errorf("the model is told of %v", d)
	}
}

// TestRunsThatArePutBackAreNone: neither a mark nor the next run, a kill or another failure knows of them.
func TestRunsThatArePutBackAreNone(t *testing.T) {
	b := newBench(t, nil)
	b.fine(world1)
	mark, before := b.mark(), b.state()
	for _, source := range []string{"inc() error('a')", "x = 1 error('b')", "acc = nil error('c')"} {
		if out := b.run(Model, source); !out.RolledBack || !bytes.Equal(before, b.state()) {
			t.Errorf("%s: put back %v", source, out.RolledBack)
		}
		if ran, kept := b.session.Marked(mark); ran || !kept {
			t.Errorf("%s: ran %v, kept %v since the mark", source, ran, kept)
		}
	}
	b.kill()
	b.run(User, "return 1")
	if !bytes.Equal(before, b.state()) {
		t.Error("after a kill the globals are not those of before")
	}
}

// TestTooLargeToPutBack says so, and goes on as soon as it can.
func TestTooLargeToPutBack(t *testing.T) {
	b := newBench(t, func(o *Options) { o.Kernel.Memory = 64 << 20 })
	b.fine("x = 1")
	b.fine("big = ('x'):rep(9 * 2^20)")
	out := b.run(User, "x = 2 error('no')")
	if want := "no copy was kept (larger than 8.0 MiB)"; out.NotPutBack != want || out.RolledBack ||
		strings.Join(out.Globals.Changed, "") != "x" {
		t.Errorf("not put back %q, put back %v, set %v", out.NotPutBack, out.RolledBack, out.Globals)
	}
	b.fine("big = nil")
	b.run(User, "x = 3 error('no')")
	if got := b.fine("return x"); got != "2" {
		t.Errorf("x = %s", got)
	}
}

// TestLoose leaves what a failed run has set.
func TestLoose(t *testing.T) {
	b := newBench(t, func(o *Options) { o.Loose = true })
	out := b.run(User, "x = 1 error('no')")
	if out.RolledBack || out.NotPutBack != "" || len(out.Globals.Added) != 1 {
		t.Errorf("%+v", out)
	}
	b.session.SetTransactional(true)
	b.run(User, "x = 2 error('no')")
	if got := b.fine("return x"); got != "1" {
		t.Errorf("x = %s", got)
	}
}
