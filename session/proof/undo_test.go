package proof

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"almanac/session"
	"almanac/session/kept"
	"almanac/session/syntax"
)

// A timeline is the states that the scripts of a session have left.
type timeline struct {
	*bench
	states []string
	at     int
}

// follow runs random programs piece by piece and keeps the states.
func follow(b *bench, program string) *timeline {
	l := &timeline{bench: b, states: []string{b.globals()}}
	for _, piece := range append([]string{opening}, pieces(program)...) {
		out := b.run(piece)
		if now := b.globals(); now != l.states[l.at] || len(session.Writes(out.Calls)) > 0 {
			l.states = append(l.states, now)
			l.at++
		}
	}
	return l
}

// move goes by n states, where so many are there, and says how the globals are not those of then.
func (l *timeline) move(n int) string {
	var err error
	if n < 0 {
		_, err = l.session.Undo(l.t.Context(), -n)
	} else {
		_, err = l.session.Redo(l.t.Context(), n)
	}
	to, last := l.at+n, len(l.states)-1
	where := fmt.Sprintf("from state %d of %d by %d", l.at, last, n)
	switch outside := to < 0 || to > last; {
	case outside != (err != nil):
		return fmt.Sprintf("%s: %v", where, err)
	case outside:
		to = l.at
	}
	if l.at = to; l.globals() != l.states[to] {
		return where + ": other globals"
	}
	return ""
}

// moves makes some, up to one that does not come to what it should.
func (l *timeline) moves(all ...int) string {
	for _, n := range all {
		if broken := l.move(n); broken != "" {
			return broken
		}
	}
	return ""
}

// TestUndone goes through the states that random programs leave, back and forth in steps of every size: each is as it
// was, byte for byte. A run that changes nothing in between does not matter; after one that does, what was undone is
// gone.
func TestUndone(t *testing.T) {
	random(t, func(t *testing.T, program string) string {
		b := newBench(t, nil)
		defer b.close()
		l := follow(b, program)
		last := l.at
		for size := 1; size <= last+1; size++ {
			if broken := l.moves(-size, size, -size-1, -1, size+1, 1, last); broken != "" {
				return broken
			}
			for l.at < last {
				if broken := l.move(1); broken != "" {
					return broken
				}
			}
		}
		if broken := l.move(-1); broken != "" {
			return broken
		}
		b.run("anew = {}")
		l.states, l.at = append(l.states[:last], b.globals()), last
		return l.moves(1, -1, 1)
	})
}

// TestUndoneLater undoes and redoes in a session that goes on from another one, which ended at any of its states.
func TestUndoneLater(t *testing.T) {
	back := 0
	random(t, func(t *testing.T, program string) string {
		first := must(kept.Open(filepath.Join(t.TempDir(), "first.kept")))
		defer first.Close()
		a := newBench(t, func(o *session.Options) { o.Store = first })
		l := follow(a, program)
		back = (back + 1) % len(l.states)
		broken := l.moves(-back)
		if back == 0 {
			broken = ""
		}
		a.close()
		if broken != "" {
			return broken
		}
		second := must(kept.Open(filepath.Join(t.TempDir(), "second.kept")))
		defer second.Close()
		b := newBench(t, func(o *session.Options) { o.Store = second })
		defer b.close()
		whole := func(string) bool { return true }
		err := errors.Join(b.session.Resume(t.Context(), a.saved, nil), b.session.ResumeHistory(t.Context(), first, whole))
		if err != nil {
			return err.Error()
		}
		l.bench = b
		if b.globals() != l.states[l.at] {
			return "other globals than the session before ended with"
		}
		return l.moves(-l.at, len(l.states)-1, 1-len(l.states))
	})
}

// pieces cuts a program into the scripts that its lines are.
func pieces(program string) (all []string) {
	piece := ""
	for line := range strings.Lines(program) {
		if piece += line; syntax.Check(piece) == nil {
			all, piece = append(all, piece), ""
		}
	}
	return all
}
