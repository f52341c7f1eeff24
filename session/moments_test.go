package session

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"almanac/session/trace"
	"almanac/session/vm"
)

func (b *bench) mark() int64 {
	b.t.Helper()
	n, err := b.session.Mark(b.t.Context())
	if err != nil {
		b.t.Fatal(err)
	}
	return n
}

func (b *bench) rewind(mark int64, lua bool) []string {
	b.t.Helper()
	left, err := b.session.Rewind(b.t.Context(), mark, lua)
	if err != nil {
		b.t.Fatal(err)
	}
	return left
}

// TestRewind goes back to moments: after changes that no diff shows, scripts that failed, a reset, a kill, and to the
// moment before the first script.
func TestRewind(t *testing.T) {
	b := newBench(t, func(o *Options) { o.Loose = true })
	first := b.mark()
	b.fine(world1)
	b.fine("list = {1, 2, 3}")
	second := b.mark()
	if ran, kept := b.session.Marked(second); ran || !kept {
		t.Errorf("marked: ran %v, kept %v", ran, kept)
	}
	for _, change := range []string{
		"list[1] = 9", "list = nil inc()", "list[2] = nil error('no')", "acc = 1 list = coroutine.create(print)",
	} {
		b.run(User, change)
		if ran, kept := b.session.Marked(second); !ran || !kept {
			t.Errorf("%s: ran %v, kept %v", change, ran, kept)
		}
		b.rewind(second, true)
		second = b.mark()
		b.fine(check1)
		if got := b.fine("return list[1], #list"); got != "1\n3" {
			t.Errorf("%s: %s", change, got)
		}
		b.rewind(second, true)
		second = b.mark()
	}
	if _, err := b.session.Reset(t.Context()); err != nil {
		t.Fatal(err)
	}
	b.rewind(second, true)
	second = b.mark()
	b.kill()
	b.rewind(second, true)
	b.fine(check1)
	b.rewind(first, true)
	if got := b.fine("return list, acc"); got != "nil\nnil" {
		t.Errorf("before the first script: %s", got)
	}
	if len(b.session.Globals()) != 0 {
		t.Errorf("globals %v", b.session.Globals())
	}
	if _, err := b.session.Rewind(t.Context(), second, true); err == nil {
		t.Error("a mark outlived one before it")
	}
}

// TestRewindLeaves names what a moment could not keep.
func TestRewindLeaves(t *testing.T) {
	b := newBench(t, nil)
	b.fine("x = 1 waiting = coroutine.wrap(function() coroutine.yield() end) waiting()")
	mark := b.mark()
	b.fine("x = 2")
	if left := b.rewind(mark, true); strings.Join(left, " ") != "waiting" {
		t.Errorf("left %v", left)
	}
	if got := b.fine("return x, waiting"); got != "1\nnil" {
		t.Error(got)
	}
}

// TestRewindNews shows what the model is told when it does not know any more what happened since a mark, and the log.
func TestRewindNews(t *testing.T) {
	b := newBench(t, nil)
	b.fine("before = 1")
	mark := b.mark()
	b.session.News()
	if out := b.run(Model, "mine = 1 before = 2"); out.Err != nil {
		t.Fatal(out.Err)
	}
	b.fine("yours = 1")
	b.session.News()
	b.rewind(mark, false)
	want := News{Globals: vm.Diff{Added: []string{"before", "mine", "yours"}}}
	if diff := cmp.Diff(want, b.session.News()); diff != "" {
		t.Errorf("the conversation alone (-want +got)\n%s", diff)
	}
	mark = b.mark()
	if out := b.run(Model, "mine = 2 yours = nil"); out.Err != nil {
		t.Fatal(out.Err)
	}
	b.rewind(mark, true)
	if diff := cmp.Diff(News{Back: true}, b.session.News()); diff != "" {
		t.Errorf("with Lua (-want +got)\n%s", diff)
	}
	if last := b.records[len(b.records)-1]; last.Kind != trace.KindBack || last.Text != "run 3" || last.Run == "" {
		t.Errorf("the last record is %+v", last)
	}
}
