package session

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"almanac/session/vm"
)

// diffText is how the globals differ around a cell.
func (b *bench) diffText(ctx context.Context, cell int) string {
	p, diffs, err := b.session.Diff(ctx, cell)
	if err != nil {
		return "error: " + err.Error() + "\n"
	}
	var w strings.Builder
	for _, r := range p.Runs[:1] {
		fmt.Fprintf(&w, "%s by %s\n", r.Label, r.Author)
	}
	repr := func(v *vm.Value) string {
		if v == nil {
			return "nothing"
		}
		return v.Repr
	}
	for _, d := range diffs {
		for _, at := range d.At {
			fmt.Fprintf(&w, "  %s: %s -> %s\n", at.Path, at.Want, at.Got)
		}
		if d.At == nil {
			fmt.Fprintf(&w, "  %s: %s -> %s\n", d.Name, repr(d.Was), repr(d.Is))
		}
	}
	return w.String()
}

func TestDiff(t *testing.T) {
	b := newBench(t, nil)
	cell := 0
	run := func(source string) {
		t.Helper()
		cell++
		script := Script{Source: source, Author: User, Cell: cell, Keep: []string{"_"}}
		if _, err := b.session.Run(t.Context(), script); err != nil {
			t.Fatal(err)
		}
	}
	many := "x = nil"
	set := ""
	for i := range 300 {
		many += fmt.Sprintf(" g%03d = %d", i, i)
		set += fmt.Sprintf("  g%03d: nothing -> %d\n", i, i)
	}
	for _, step := range []struct{ source, want string }{
		{`x = 1 t = { a = { b = { 1, 2 } }, f = function(x) return x end, print }
			function f(x) return x end c = coroutine.wrap(print) _G["a b"] = "text"`, `cell 1 by you
  a b: nothing -> "text"
  f: nothing -> <function>
  t: nothing -> { <function>, a = { b = { 1, 2 } }, f = <function> }
  x: nothing -> 1
`},
		{`t.a.b[2] = 3 t.a.c = {} return 7`, `cell 2 by you
  t.a.b[2]: 2 -> 3
  t.a.c: nothing -> {}
`},
		{`x = "one" function f(y) end t.f = function(y) end t.a = 5`, `cell 3 by you
  f: <function> -> <function>
  t.a: {b = {1, 3}, c = {}} -> 5
  x: 1 -> "one"
`},
		{many, "cell 4 by you\n" + set + `  x: "one" -> nothing` + "\n"},
		{"print(1)", "error: cell 5: it changed no globals, or the states around it are not kept any more\n"},
	} {
		run(step.source)
		if got := b.diffText(t.Context(), cell); got != step.want {
			t.Errorf("%s:\n%s\nwant\n%s", step.source, got, step.want)
		}
	}
	if got := b.diffText(t.Context(), 0); !strings.HasPrefix(got, "cell 4 by you") {
		t.Error(got)
	}
	if _, err := b.session.Undo(t.Context(), 1); err != nil {
		t.Fatal(err)
	}
	if got := b.diffText(t.Context(), 0); !strings.HasPrefix(got, "cell 3 by you") {
		t.Error(got)
	}
	if got := b.diffText(t.Context(), 4); !strings.HasPrefix(got, "cell 4 by you") { // it can be done again
		t.Error(got)
	}
	if out := b.run(User, "return g001, t.a"); out.Values[0].Repr != "nil" || out.Values[1].Repr != "5" {
		t.Errorf("a diff changed the globals: %s", show(out))
	}
}
