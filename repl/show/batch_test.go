package show

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"almanac/catalog"
	"almanac/session"
)

// someRun is a run of refunds and notes, one of which is not known yet.
func someRun() session.Request {
	refund := &catalog.Entry{ID: "billing.refund.issue", Mutates: true, Risk: catalog.High,
		Description: "Refund an invoice. Cannot be undone.", Target: "POST https://pay.example.com/refunds"}
	note := &catalog.Entry{ID: "support.note.add", Mutates: true, Risk: catalog.Low, Description: "Add a note."}
	args := func(id string, cents int) map[string]any { return map[string]any{"id": id, "amount_cents": cents} }
	return session.Request{Author: session.Model, Cell: 9, N: 2, Line: 3, Reason: "mutations need approval",
		Entry: refund, Args: args("inv_1", 100), Source: "a\nb\nc\nd", Batch: []session.Planned{
			{Entry: refund, Args: args("inv_1", 100), Injected: map[string]any{"tenant": "acme"}, Line: 3,
				Preview: "-balance 100\n+balance 0\nstatus void\nrefunds 1\nupdated today"},
			{Entry: note, Args: map[string]any{"text": "refunded inv_1"}, Injected: map[string]any{"tenant": "t1"}, Line: 4},
			{Entry: refund, Args: map[string]any{"id": "inv_2", "key": "[redacted]"}, Credentials: []string{"key"},
				Injected: map[string]any{"tenant": "acme"}, Line: 3, Preview: "-balance 5\n"},
			{Entry: note, Args: map[string]any{"text": "<id of billing.refund.issue>"},
				Injected: map[string]any{"tenant": "t2"}, Line: 4, Unknown: []string{"text"}},
		}}
}

func linesText(lines []Line) string {
	var b strings.Builder
	for _, l := range lines {
		b.WriteString(l.String() + "\n")
	}
	return b.String()
}

// The list has each action once, with its risk and all its warnings, and under it its calls with their numbers in the
// order of the script.
func TestBatchQuestion(t *testing.T) {
	q := QuestionOf(someRun(), Options{}.Marks())
	q.Batch.Switch(2, false)
	got := linesText(append([]Line{q.Title(Options{}.Marks())}, q.Body(0, false)...))
	want := `approve? 4 writes, 2 of high risk, in 1 run   !! MUTATES · HIGH RISK
billing.refund.issue 2 times, 1 off   !! MUTATES · HIGH RISK
  ! The argument key holds a credential, shown as [redacted]: it will be sent to pay.example.com.
  ! Cannot be undone.
  Refund an invoice.
  goes to pay.example.com
  filled in by the host: { tenant = "acme" }
  1 on  { amount_cents = 100, id = "inv_1" }
        -balance 100
        +balance 0
        status void
        2 more lines: v shows all
  3 off { id = "inv_2", key = "[redacted]" }
        -balance 5
support.note.add 2 times   mutates · low risk
  Add a note.
  2 on  { text = "refunded inv_1" }
        filled in by the host: { tenant = "t1" }
  4 on  { text = "<id of billing.refund.issue>" }
        filled in by the host: { tenant = "t2" }
        text is known only when applied: asked when it comes
asked by the model in [9] · mutations need approval
`
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the question (-want +got):\n%s", diff)
	}
	script := linesText(q.ScriptLines(Options{}.Marks()))
	if script != "  1 ┊ a\n  2 ┊ b\n> 3 ┊ c\n> 4 ┊ d\n" {
		t.Errorf("the script marks\n%s", script)
	}
}

// Many calls of one action are folded to the first few; the cursor unfolds them.
func TestBatchFolds(t *testing.T) {
	r := someRun()
	for i := range 17 {
		r.Batch = append(r.Batch, session.Planned{Entry: r.Batch[1].Entry, Args: map[string]any{"text": fmt.Sprint(i)}})
	}
	b := NewBatch(r.Batch, session.Approval{})
	b.Switch(20, false)
	list := func(whole bool) string {
		lines, _ := b.Lines(80, Options{}.Marks(), true, whole)
		return linesText(lines)
	}
	if got := list(false); !strings.Contains(got, "\n  14 more: v shows all (1 off)\n") || strings.Contains(got, `"16"`) {
		t.Errorf("the list is\n%s", got)
	}
	if got := list(true); strings.Contains(got, "more") || !strings.Contains(got, `"16"`) {
		t.Errorf("the whole list is\n%s", got)
	}
	b.Move(100)
	if got := list(false); !strings.Contains(got, `> 21 off { text = "16" }`) || strings.Contains(got, "more: v") {
		t.Errorf("with the cursor at the end\n%s", got)
	}
	if b.Move(-100); b.At() != 0 {
		t.Errorf("the cursor is at %d", b.At())
	}
}

func TestBatchAnswers(t *testing.T) {
	edited := map[string]any{"text": "late"}
	for _, c := range []struct {
		name string
		do   func(b *Batch)
		yes  string
		told string
		want session.Approval
		err  error
	}{
		{"all", func(*Batch) {}, "make 3 of 4", "approved as a list: 3 of 4; asked when applied: 4",
			session.Approval{Verdict: session.Once}, nil},
		{"some", func(b *Batch) { b.Switch(0, false); b.Switch(3, false) }, "make 2 of 4",
			"approved as a list: 2 of 4; switched off: 1, 4", session.Approval{Verdict: session.Once, Off: []int{0, 3}}, nil},
		{"edited", func(b *Batch) { b.Switch(1, false); b.Edit(1, edited) }, "make 3 of 4",
			"approved as a list: 3 of 4; edited: 2 to { text = \"late\" }; asked when applied: 4",
			session.Approval{Verdict: session.Once, Edited: map[int]map[string]any{1: edited}}, nil},
		{"edited, then off", func(b *Batch) { b.Edit(1, edited); b.Switch(1, false) }, "make 2 of 4",
			"approved as a list: 2 of 4; switched off: 2; asked when applied: 4",
			session.Approval{Verdict: session.Once, Off: []int{1}, Edited: map[int]map[string]any{1: edited}}, nil},
		{"only what comes later", func(b *Batch) {
			for i := range 3 {
				b.Switch(i, false)
			}
		}, "go on, 1 asked later", "approved as a list: 0 of 4; switched off: 1, 2, 3; asked when applied: 4",
			session.Approval{Verdict: session.Once, Off: []int{0, 1, 2}}, nil},
		{"none", func(b *Batch) {
			for i := range 4 {
				b.Switch(i, false)
			}
		}, "make nothing", "approved as a list: 3 of 4; asked when applied: 4", session.Approval{}, ErrNothingLeft},
	} {
		b := NewBatch(someRun().Batch, session.Approval{})
		c.do(b)
		yes, ok := b.Yes()
		got, err := b.Approval()
		if diff := cmp.Diff(c.want, got); diff != "" || yes != c.yes || b.Told(got) != c.told || !errors.Is(err, c.err) ||
			ok != (c.err == nil) {
			t.Errorf("%s: %q, %q, %v (-want +got):\n%s", c.name, yes, b.Told(got), err, diff)
		}
	}
	chosen := session.Approval{Verdict: session.Once, Off: []int{0, 1},
		Edited: map[int]map[string]any{1: edited, 2: edited}}
	b := NewBatch(someRun().Batch, chosen)
	if got, err := b.Approval(); !reflect.DeepEqual(got, chosen) || err != nil || b.On(0) || !b.On(3) {
		t.Errorf("a list that begins with %+v is %+v: %v", chosen, got, err)
	}
	told := b.Told(chosen)
	want := "instead of that, approved as a list: 1 of 4; switched off: 1, 2; edited: 3 "
	if !strings.HasPrefix(told, want) {
		t.Errorf("told %q, want %q", told, want)
	}
	b.Switch(1, true)
	if _, args := b.Call(1); !reflect.DeepEqual(args, edited) {
		t.Errorf("switched on, it has %v", args)
	}
	if err := NewBatch(someRun().Batch, session.Approval{}).Editable(3); err == nil {
		t.Error("what is not known yet can be edited")
	}
}

func TestBatchNumbers(t *testing.T) {
	b := NewBatch(someRun().Batch, session.Approval{})
	for words, want := range map[string]string{
		"2": "[1]", "2 4": "[1 3]", "1, 3-4": "[0 2 3]", "all": "[0 1 2 3]", "1;2": "[0 1]",
		"": "which ones? want numbers from 1 to 4, as in 2 5 or 2-5", "0": "0: want numbers", "5": "5: want numbers",
		"3-2": "3-2: want", "2-": "2-: want", "-1": "-1: want", "two": "two: want", "1 2 x\x1b[31m": `x\27[31m: want`,
		"99999999999999999999": "99999999999999999999: want",
	} {
		items, err := b.Numbers(words)
		got := fmt.Sprint(items)
		if err != nil {
			got = err.Error()
		}
		if err == nil && got != want || err != nil && !strings.HasPrefix(got, want) {
			t.Errorf("%q: %s, want %s", words, got, want)
		}
	}
}

// Whatever the words of a warning and the width, every rendering has all of it.
func TestWarningsAreNeverCut(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 60 {
		var run session.Request
		var want []string
		for e := range 1 + r.IntN(4) {
			entry := &catalog.Entry{ID: fmt.Sprintf("a%d.b", e), Mutates: true, Risk: catalog.High}
			for w := range 1 + r.IntN(12) {
				note := fmt.Sprintf("Note%d.%d%s cannot be undone.", e, w, strings.Repeat(" and so it goes", r.IntN(60)))
				want = append(want, note)
				entry.Description += note + " "
			}
			for range 1 + r.IntN(12) {
				run.Batch = append(run.Batch, session.Planned{Entry: entry, Args: map[string]any{}})
			}
		}
		run.Entry = run.Batch[0].Entry
		single := run
		single.Batch = nil
		whole := QuestionOf(run, Options{}.Marks())
		for name, q := range map[string]Question{"run": whole, "call": QuestionOf(single, Options{}.Marks())} {
			width := 20 + r.IntN(101)
			said := strings.Join(strings.Fields(linesText(Wrap(append(q.WarningLines(), q.Body(width, false)...), width))), " ")
			for _, note := range want {
				if name == "call" && !strings.HasPrefix(note, "Note0.") {
					continue
				}
				if n := strings.Count(said, "! "+note); n != 1 {
					t.Fatalf("%s: at %d columns %q is there %d times in\n%s", name, width, note, n, said)
				}
			}
		}
	}
}
