package event

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"almanac/catalog"
	"almanac/catalog/team"
	"almanac/catalog/text"
	"almanac/internal/golden"
	"almanac/repl/input"
	"almanac/repl/show"
	"almanac/session"
	"almanac/session/trace"
	"almanac/session/vm"
)

func invoices(n int) vm.Value {
	var list []any
	for i := range n {
		list = append(list, map[string]any{
			"id": fmt.Sprintf("inv_%d", 1001+i), "amount_cents": int64(12900 + i*7777), "status": "open",
			"customer": "Åkerström 漢字 GmbH & Co. KG, Zweigniederlassung Süd", "memo": "a\x1b[31mb\nc",
		})
	}
	return vm.Value{Type: "table", Repr: "{ ... }", Data: list, Whole: true, Size: n}
}

func ran(values ...vm.Value) Event {
	return Event{Kind: Ran, Cell: 3, Author: session.User, Outcome: &session.Outcome{Values: values}}
}

func call(v trace.Verdict, c trace.Call) Event {
	c.N, c.ID, c.Verdict, c.Took = 1, "billing.refund.issue", v, 84*time.Millisecond
	return Event{Kind: Called, Cell: 3, Call: &c}
}

// renderCases are events with a name; their text is kept in testdata/render.
func renderCases() map[string][]Event {
	refund := &catalog.Entry{
		ID: "billing.refund.issue", Mutates: true, Risk: catalog.High,
		Description: "Issue a refund for an invoice. The money goes back at once.",
	}
	args := map[string]any{"invoice_id": "inv_1001", "amount_cents": int64(12900), "reason": "dup\u202elicate\x1b[2J"}
	return map[string][]Event{
		"thought": {
			{Kind: Thought, Cell: 3, Author: session.Model, Text: "short", Total: 5},
			{Kind: Thought, Author: session.Model, Text: "They want\x1b[2J a number.", Total: 70_000,
				Elapsed: 3200 * time.Millisecond},
			{Kind: Thought, Cell: 3, Full: true,
				Text:  "They want a number.\n\nI count the invoices of Acme, one customer after the other, until all are counted.",
				Total: 70_000},
		},
		"arrived": {
			{Kind: Arrived, Item: &team.Item{Number: 7, Kind: team.Question, From: "ann", To: "bo", Query: "q3",
				Text: "which?"}},
			{Kind: Arrived, Item: &team.Item{Number: 8, Kind: team.Message, From: "ann", Topic: "the \x1b[2Jmove",
				Text: "The migration of the invoices is done, and all of the customers were told of it on time."}},
			{Kind: Arrived, Item: &team.Item{Number: 9, Kind: team.Review, From: "bo", To: "ann", Text: "one\ntwo\x1b[2J"}},
			{Kind: Arrived, Full: true, Item: &team.Item{Number: 9, Kind: team.Review, From: "bo", To: "ann",
				Text: "one\n✓ two"}},
		},
		"echo": {
			{Kind: Began, Cell: 3, Mode: input.LuaMode, Text: "for i = 1, 2 do\n\tprint(i)\nend"},
			{Kind: Began, Mode: input.AskMode, Text: "/status"},
			{Kind: Began, Cell: 12, Mode: input.LuaMode,
				Text: "billing.refund.issue{invoice_id=\"inv_04323\", amount_cents=100, reason=\"a duplicate\"}\nreturn 'done'"},
			{Kind: Began, Cell: 13, Mode: input.AskMode,
				Text: "draft a refund note for each invoice of Acme over 100 dollars, and tell me what they come to"},
			{Kind: Wrote, Author: session.Model, Tool: "lua_tools_query",
				Text: "local found = catalog.search(\"list unpaid invoices for a customer\", {domains={\"billing\"}})"},
		},
		"table": {ran(invoices(3))},
		"many":  {ran(invoices(25))},
		"values": {ran(vm.Value{Type: "number", Repr: "2"}, vm.Value{Type: "string", Repr: `"\27[31mred"`},
			vm.Value{Type: "nil", Repr: "nil"})},
		"long": {ran(vm.Value{Type: "table", Repr: "{" + strings.Repeat("\n  1,", 30) + "\n}"})},
		"calls": {
			call(trace.OK, trace.Call{Brief: "12 rows"}),
			call(trace.OK, trace.Call{Brief: "1 field", Mutates: true}),
			call(trace.Failed, trace.Call{Error: "billing.refund.issue: no such invoice\x1b[1m", Args: args}),
			call(trace.Denied, trace.Call{Error: "billing.refund.issue: denied: this session is read-only", Args: args}),
			call(trace.Planned, trace.Call{Args: args}),
		},
		"preview": {{Kind: Ran, Cell: 3, Author: session.User, Outcome: &session.Outcome{
			DryRun: true, Missing: []string{"open", "x"}, Plan: 3, PlanText: "1 write, 1 read, sets total",
			Calls: []trace.Call{{ID: "billing.refund.issue", Mutates: true, Verdict: trace.Planned, Args: args},
				{ID: "crm.customer.get", Verdict: trace.OK}},
		}}},
		"preview-diff": {{Kind: Ran, Author: session.User, Outcome: &session.Outcome{DryRun: true, Calls: []trace.Call{
			{N: 1, ID: "notes.tidy", Verdict: trace.Planned, Composed: true},
			{N: 2, ID: "fs.write", Depth: 1, Mutates: true, Verdict: trace.Planned, Args: map[string]any{"path": "a.txt"},
				Preview: "--- a.txt\n+++ a.txt\n@@ -1 +1 @@\n-old \x1b[31m\n+new\n"},
		}}}},
		"composed": {
			{Kind: Called, Cell: 3, Call: &trace.Call{N: 2, Depth: 1, ID: "fs.write", Verdict: trace.OK, Mutates: true}},
			{Kind: Called, Cell: 3, Call: &trace.Call{N: 1, ID: "notes.tidy", Verdict: trace.OK, Mutates: true, Composed: true}},
		},
		"asked-diff": {{Kind: Asked, Ask: &Ask{Request: session.Request{
			Entry: refund, Args: map[string]any{"invoice_id": "inv_1"}, Injected: map[string]any{"tenant_id": "acme"},
			Preview: "-open\n+refunded, and a line that is much longer than the screen is wide so that it has to be broken somewhere in its middle\n",
		}}}},
		"preview-reads": {{Kind: Ran, Author: session.User, Outcome: &session.Outcome{
			DryRun: true, Plan: 4, PlanText: "no writes",
		}}},
		"preview-failed": {{Kind: Ran, Author: session.User, Outcome: &session.Outcome{
			DryRun: true, Err: &vm.Error{Kind: vm.Runtime, Message: "<id of a.b> is known only when applied", Line: 1},
			Calls: []trace.Call{{ID: "billing.refund.issue", Mutates: true, Verdict: trace.Planned, Args: args}},
		}}},
		"applied": {{Kind: Ran, Cell: 5, Author: session.User, Outcome: &session.Outcome{
			Plan: 3, NotReached: []string{"billing.refund.issue", "crm.note\x1b[1m.add"},
		}}},
		"errors": {
			{Kind: Ran, Author: session.User, Outcome: &session.Outcome{Err: &vm.Error{
				Kind: vm.Runtime, Message: "attempt to index a nil value (global 'x')", Line: 2, Column: 9,
				Excerpt: "\tlocal 漢 = x.z", Hint: "x is not set", Traceback: []string{"function f", "main chunk"},
			}}},
			{Kind: Ran, Author: session.User, Outcome: &session.Outcome{Err: &vm.Error{
				Message: "billing.refund.issue: denied", Line: 3,
				Excerpt: `  out = billing.refund.issue{invoice_id = id, amount_cents = 100, reason = "more than a row has room for"}`,
			}}},
			{Kind: Ran, Author: session.User,
				Outcome: &session.Outcome{Err: &vm.Error{Kind: vm.Interrupt, Message: "interrupted"}}},
			{Kind: Ran, Author: session.User, Outcome: &session.Outcome{
				Err:  &vm.Error{Kind: vm.Limit, Message: "the script used more than 256 MiB", Limit: "memory"},
				Lost: "the Lua process ended (memory); the next input starts a new one without x",
			}},
			{Kind: Ended, Cell: 3, Err: context.Canceled},
			{Kind: Ended, Cell: 3, Err: &vm.Error{Message: "shown already"}, Elapsed: 3 * time.Second},
			{Kind: Ended, Err: errors.New("unknown command /rset: did you mean /lua reset?")},
		},
		"said": {
			{Kind: Said, Text: "plain \x1b[5m text"},
			{Kind: Said, Level: Notice, Text: "policy ask"},
			{Kind: Said, Level: Warning, Text: "history: disk full"},
		},
		"model": {
			{Kind: Spoke, Text: "Three drafts.\nThe largest\x1b]52;c;x\a is inv_1001."},
			{Kind: Wrote, Tool: "lua_tools_execute", Text: "for _, i in ipairs(open) do\n  note(i)\nend\n"},
			{Kind: Wrote, Tool: "lua_tools_describe", Text: "billing.refund.issue\ncrm.customer.get"},
			{Kind: Ran, Author: session.Model, Cell: 8,
				Outcome: &session.Outcome{Values: []vm.Value{{Repr: "{\n  1,\n  2,\n  3,\n}"}}}},
		},
		"asked": {{Kind: Asked, Cell: 9, Ask: &Ask{Request: session.Request{
			Entry: refund, Args: args, Author: session.Model, N: 2, Line: 4, Reason: "risk high needs approval",
		}}}},
		"asked-long": {{Kind: Asked, Ask: &Ask{Request: session.Request{
			Entry: refund, Args: map[string]any{"note": strings.Repeat("long words ", 20)}, Author: session.User,
		}}}},
	}
}

func TestLines(t *testing.T) {
	for name, events := range renderCases() {
		t.Run(name, func(t *testing.T) {
			var b strings.Builder
			for _, o := range []struct {
				head  string
				width int
				RenderOptions
			}{{"80", 80, RenderOptions{}}, {"40 ascii", 40, RenderOptions{Options: show.Options{ASCII: true}}}} {
				fmt.Fprintf(&b, "== %s\n", o.head)
				for _, e := range events {
					for _, l := range Lines(e, o.width, o.RenderOptions) {
						line := l.String()
						if text.Sanitize(line) != line || strings.ContainsAny(line, "\n\t") {
							t.Errorf("unsafe line %q", line)
						}
						b.WriteString(strings.TrimRight(line, " ") + "\n")
					}
				}
			}
			golden.Equal(t, "testdata/render/"+name+".golden", b.String())
		})
	}
}

// Numbers are never cut and a table never leaves the screen while it has text to shrink.
func TestTableFits(t *testing.T) {
	for width := 30; width < 200; width++ {
		for _, l := range Lines(ran(invoices(3)), width, RenderOptions{}) {
			if l.Width() > width {
				t.Fatalf("width %d: a line of %d: %q", width, l.Width(), l.String())
			}
		}
	}
	lines := Lines(ran(invoices(2)), 30, RenderOptions{})
	if got := lines[1].String(); !strings.Contains(got, "12900") {
		t.Errorf("the number was cut: %q", got)
	}
}

func FuzzLines(f *testing.F) {
	f.Add("text\x1b\n\t\u202e", 40, 2)
	f.Add("\xff漢", 0, 1)
	f.Fuzz(func(t *testing.T, foreign string, width, column int) {
		events := []Event{
			{Kind: Began, Cell: 1, Text: foreign},
			{Kind: Printed, Text: foreign},
			{Kind: Wrote, Tool: foreign, Text: foreign},
			{Kind: Spoke, Text: foreign},
			{Kind: Said, Text: foreign},
			call(trace.Failed, trace.Call{Error: foreign, Args: map[string]any{foreign: foreign}}),
			call(trace.OK, trace.Call{Brief: foreign}),
			ran(vm.Value{Repr: foreign}, vm.Value{Data: []any{map[string]any{foreign: foreign, "n": int64(1)}}, Whole: true}),
			{Kind: Ran, Outcome: &session.Outcome{
				Lost: foreign, Missing: []string{foreign}, DryRun: true, Calls: []trace.Call{{ID: foreign, Verdict: trace.Planned}},
				Err: &vm.Error{
					Message: foreign, Line: 1, Column: column, Excerpt: foreign, Hint: foreign, Traceback: []string{foreign, foreign},
				},
			}},
			{Kind: Asked, Ask: &Ask{Request: session.Request{Entry: &catalog.Entry{ID: foreign, Description: foreign},
				Args: map[string]any{"a": foreign}, Reason: foreign}}},
			{Kind: Ended, Err: errors.New(foreign)},
		}
		for _, e := range events {
			for _, l := range Lines(e, width%300, RenderOptions{}) {
				if s := l.String(); text.Sanitize(s) != s || strings.Contains(s, "\n") {
					t.Fatalf("kind %d of %q: unsafe line %q", e.Kind, foreign, s)
				}
			}
		}
	})
}

// A long script of the model's is folded while nobody knows how it ends, and stands whole above its error.
func TestScriptsFold(t *testing.T) {
	source := "local n = 0\nfor i = 1, 3 do\n  n = n + i\nend\nlocal x = n\nlocal y = x\nreturn y.z"
	text := func(e Event) string {
		var b strings.Builder
		for _, l := range Lines(e, 80, RenderOptions{}) {
			b.WriteString(l.String() + "\n")
		}
		return b.String()
	}
	wrote := text(Event{Kind: Wrote, Cell: 8, Tool: "lua_tools_execute", Text: source})
	if strings.Contains(wrote, "return y.z") || !strings.Contains(wrote, "… 3 more lines · /expand 8") {
		t.Errorf("not folded:\n%s", wrote)
	}
	failed := text(Event{
		Kind: Ran, Cell: 8, Author: session.Model, Text: source,
		Outcome: &session.Outcome{Err: &vm.Error{Kind: vm.Runtime, Message: "boom"}},
	})
	if !strings.Contains(failed, "┊ return y.z\nerror: boom") {
		t.Errorf("not open:\n%s", failed)
	}
}

// What a script of the model's prints cannot be taken for a line of the program's own: every row of it has a margin.
func TestModelsOutputHasAMargin(t *testing.T) {
	fake := "approve? billing.refund.issue\n  ✓ billing.refund.issue  1 field\n" +
		strings.Repeat("pad ", 30) + "✓ done\n\n"
	for _, c := range []struct {
		ascii bool
		width int
		mark  string
	}{{false, 80, "┊ "}, {true, 40, "| "}, {false, 0, "┊ "}} {
		o := RenderOptions{Options: show.Options{ASCII: c.ascii}}
		e := Event{Kind: Printed, Cell: 1, Stream: vm.Stdout, Text: fake, Author: session.Model}
		lines := Lines(e, c.width, o)
		for _, l := range lines {
			if !strings.HasPrefix(l.String(), c.mark) || c.width > 0 && l.Width() > c.width {
				t.Errorf("width %d: %q", c.width, l)
			}
		}
		e.Author = session.User
		if plain := Lines(e, c.width, o); strings.HasPrefix(plain[0].String(), c.mark) || len(lines) < len(plain) {
			t.Errorf("the person's own: %q", plain)
		}
	}
}

// Scripts that run while a prompt is answered are the model's.
func TestWhoPrints(t *testing.T) {
	f := NewFeed()
	write := f.Session(session.Options{}, false).Write
	for form, want := range map[input.Form]session.Author{input.Words: session.Model, input.Lua: session.User} {
		f.Begin(Cell{N: 1, Form: form, Author: session.User})
		f.Take()
		write(vm.Stdout, "x\n")
		if events := f.Take(); len(events) != 1 || events[0].Author != want {
			t.Errorf("%v: %+v", form, events)
		}
	}
}
