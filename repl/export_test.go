package repl

import (
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"almanac/internal/golden"
	"almanac/repl/event"
	"almanac/repl/transcript"
	"almanac/session"
	"almanac/session/policy"
	"almanac/session/trace"
)

// pieces are cells as people and models write them. Each may use what the others leave.
var pieces = []string{
	"n = (n or 0) + %d", "print(n)", "n", "_", "local k = %d; m = k * 2", "function add(x) return x + %d end",
	"add and add(%d)", "t = t or {}; t[#t + 1] = %d", "#(t or {})", "{a = %d, b = {1, 2}}", "return %d", "return",
	"if n then return n end m = %d", "for i = 1, 3 do t2 = {i, %d} end", "(print)(%d)", "_1", "_2 and _2", "_3, _4",
	"-- nothing", "goto done; n = %d ::done::", "s = 'a\\nb' .. %d", "json.null == null", "[[\nlong]] .. %d",
	"io.write('x', %d)", "function f(x) return x end", "do return end", "broken = %d error('no')", "m = nil",
	"x, y = %d, y", "map({1, 2}, function(v) return v * %d end) -- doubled",
	"billing.invoice.list_unpaid{customer_id='c', limit=%d}[1].id", "c = crm.customer.get{id='c%d'}",
}

// brief is a session's globals as text, with the last result, and without what failed cells left.
func brief(t *testing.T, sh *Shell) string {
	var b strings.Builder
	for _, g := range event.Named(sh.Session().Globals()) {
		if g.Name != "broken" {
			fmt.Fprintf(&b, "%s %s %d %s\n", g.Name, g.Type, g.Size, g.Brief)
		}
	}
	out := run(t, sh, session.Script{Source: "return _", Author: session.User})
	fmt.Fprintf(&b, "_ %s", out.Values[0].Repr)
	return b.String()
}

// TestExportRunsAgain is the property that the .lua of a session, run by itself, leaves the session's globals.
func TestExportRunsAgain(t *testing.T) {
	for seed := range uint64(25) {
		random := rand.New(rand.NewPCG(seed, 7))
		sh, _ := newShell(t, Options{}, policy.Policy{})
		for range 12 {
			piece := pieces[random.IntN(len(pieces))]
			if strings.Contains(piece, "%d") {
				piece = fmt.Sprintf(piece, random.IntN(9))
			}
			if random.IntN(4) == 0 {
				run(t, sh, session.Script{
					Source: piece, Author: session.Model, Cell: 99,
					Actions: []string{"crm.customer.get", "billing.invoice.list_unpaid"},
				})
				continue
			}
			typed(t.Context(), sh, "!"+piece, nil)
		}
		records, _ := sh.options.Log()
		var script strings.Builder
		if err := transcript.Write(&script, records, transcript.FormatLua); err != nil {
			t.Fatal(err)
		}
		again, _ := newShell(t, Options{}, policy.Policy{})
		out := run(t, again, session.Script{Source: script.String(), Author: session.User})
		if out.Err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, out.Err, script.String())
		}
		if diff := cmp.Diff(brief(t, sh), brief(t, again)); diff != "" {
			t.Fatalf("seed %d: (-session +again)\n%s\n%s", seed, diff, script.String())
		}
	}
}

func run(t *testing.T, sh *Shell, s session.Script) *session.Outcome {
	t.Helper()
	out, err := sh.Session().Run(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// TestTakeIn shows that a shell goes on where the records of another end: cells, numbers, and what has to be run again.
func TestTakeIn(t *testing.T) {
	sh, back := newShell(t, Options{}, policy.Policy{Mode: policy.Session, Rules: []policy.Rule{{Verdict: policy.Allow}}})
	for _, line := range []string{"gone = 1", "/lua reset", "x = 2", "/preview x = 3", "error('no')",
		"r = billing.refund.issue{invoice_id='i', amount_cents=5}", "x * 3"} {
		typed(t.Context(), sh, line, nil)
	}
	records, _ := sh.options.Log()
	if len(back.acts) != 1 {
		t.Fatalf("the back office was told %v", back.acts)
	}
	next, after := newShell(t, Options{Past: transcript.Past{Records: records}}, policy.Policy{
		Mode: policy.Session, Rules: []policy.Rule{{Verdict: policy.Allow}},
	})
	if st, n := next.StatusLine(), len((transcript.Past{Records: records}).Pending()); st.Cell != 6 || n != 3 {
		t.Errorf("cell %d, %d pending", st.Cell, n)
	}
	got := typed(t.Context(), next, "/expand 6", nil) + typed(t.Context(), next, "/trace", nil) +
		typed(t.Context(), next, "/replay --here", nil) + typed(t.Context(), next, "x, _6, r",
		nil) + typed(t.Context(), next, "/replay --here", nil)
	golden.Equal(t, "testdata/takein.golden", got)
	if len(after.acts) > 0 {
		t.Errorf("the back office was told again: %v", after.acts)
	}
}

// TestExport shows a session of a person and a model in both forms: with a name, a denied and an approved change, a
// reset, words that would break out of a block or a comment, and a run that never ended.
func TestExport(t *testing.T) {
	at := time.Date(2026, 11, 20, 10, 0, 0, 0, time.UTC)
	you, model := "you", "model"
	refund := func(v trace.Verdict, rule string) *trace.Call {
		return &trace.Call{N: 1, ID: "billing.refund.issue", Mutates: true, Verdict: v, Rule: rule, Brief: "1 field"}
	}
	ran := func(run string, cell int, author, source string, o *trace.Outcome, calls ...*trace.Call) []trace.Record {
		records := []trace.Record{{Time: at, Kind: trace.KindRun, Run: run, Cell: cell, Author: author,
			Mode: trace.ModeRun, Text: source}}
		for _, c := range calls {
			records = append(records, trace.Record{Time: at, Kind: trace.KindCall, Run: run, Cell: cell, Call: c})
		}
		if o != nil {
			records = append(records, trace.Record{Time: at, Kind: trace.KindOutcome, Run: run, Cell: cell, Ended: o})
		}
		return records
	}
	ok := &trace.Outcome{OK: true}
	records := slices.Concat(
		[]trace.Record{{Time: at, Kind: trace.KindSession, About: &trace.About{ID: "20261120-100000-aa"}}},
		ran("r1", 1, you, "old = 1", ok),
		[]trace.Record{{Time: at, Kind: trace.KindReset}, {Time: at, Kind: trace.KindName, Text: "refund\nround"}},
		[]trace.Record{{Time: at, Kind: trace.KindPrompt, Cell: 2, Author: you, Text: "refund it\n]] os.exit() --"}},
		ran("r2", 2, model, "n = #billing.invoice.list{}", ok),
		ran("r3", 2, model, "return billing.refund.issue{}",
			&trace.Outcome{Error: "denied\nby the person", Changed: []string{"n"}}, refund(trace.Denied, "refused")),
		ran("r4", 2, model, "return billing.refund.issue{}", ok, refund(trace.OK, "approved once")),
		[]trace.Record{{Time: at, Kind: trace.KindAnswer, Cell: 2, Author: model, Text: "Done.\x1b[2J"}},
		ran("r5", 3, you, "print('```')", &trace.Outcome{OK: true, Stdout: "```\n"}),
		ran("r6", 4, you, "while true do end", nil),
	)
	var b strings.Builder
	for _, f := range []transcript.Format{transcript.FormatLua, transcript.FormatMarkdown} {
		fmt.Fprintf(&b, "== %s\n", f)
		if err := transcript.Write(&b, records, f); err != nil {
			t.Fatal(err)
		}
	}
	golden.Equal(t, "testdata/export.golden",
		strings.ReplaceAll(b.String(), at.Local().Format("2006-01-02 15:04"), "TIME"))
}

// A file is there whole or not at all, an existing one stays, and nothing else is left in the folder.
func TestWriteNew(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "a.txt")
	broken := errors.New("broken")
	err := writeNew(name, func(w io.Writer) error { _, _ = io.WriteString(w, "half"); return broken })
	if !errors.Is(err, broken) || !strings.HasPrefix(err.Error(), name+": ") {
		t.Errorf("%v", err)
	}
	whole := func(w io.Writer) error { _, err := io.WriteString(w, "whole"); return err }
	if err := writeNew(name, whole); err != nil {
		t.Fatal(err)
	}
	meanwhile := func(w io.Writer) error { return os.WriteFile(filepath.Join(dir, "b.txt"), []byte("theirs"), 0o600) }
	for path, write := range map[string]func(io.Writer) error{name: whole, filepath.Join(dir, "b.txt"): meanwhile} {
		if err := writeNew(path, write); err == nil || !strings.Contains(err.Error(), "file exists: choose another name") {
			t.Errorf("%s: %v", path, err)
		}
	}
	names, _ := filepath.Glob(filepath.Join(dir, "*"))
	hidden, _ := filepath.Glob(filepath.Join(dir, ".a*"))
	text, _ := os.ReadFile(name)
	theirs, _ := os.ReadFile(filepath.Join(dir, "b.txt"))
	if len(names) != 2 || len(hidden) > 0 || string(text) != "whole" || string(theirs) != "theirs" {
		t.Errorf("%v %v %q %q", names, hidden, text, theirs)
	}
}
