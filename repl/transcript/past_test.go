package transcript

import (
	"strings"
	"testing"

	"almanac/repl/event"
	"almanac/session/trace"
)

// A question that was open when the program ended is a call that was not made: in the cells, in what a screen shows and
// in an export. One that was answered is not told twice.
func TestAskedWhenItEnded(t *testing.T) {
	call := func(n int) *trace.Call { return &trace.Call{N: n, ID: "crm.note", Mutates: true} }
	begun := []trace.Record{
		{Kind: trace.KindRun, Run: "r", Cell: 1, Author: "you", Mode: trace.ModeRun, Text: "crm.note{}"},
		{Kind: trace.KindAsk, Run: "r", Cell: 1, Call: call(1)},
	}
	task := trace.Call{N: 2, ID: "crm.task", Mutates: true}
	const told = "ended while you were asked; not made"
	for _, c := range []struct {
		name  string
		later []trace.Record
		want  int
	}{
		{"open", nil, 1},
		{"the second one", []trace.Record{{Kind: trace.KindCall, Run: "r", Cell: 1, Call: call(1)},
			{Kind: trace.KindAsk, Run: "r", Cell: 1, Call: call(2)}}, 1},
		{"denied", []trace.Record{{Kind: trace.KindCall, Run: "r", Cell: 1, Call: call(1)}}, 0},
		{"begun", []trace.Record{{Kind: trace.KindBegin, Run: "r", Cell: 1, Call: call(1)}}, 0},
		{"open for a whole run", []trace.Record{{Kind: trace.KindCall, Run: "r", Cell: 1, Call: call(1)},
			{Kind: trace.KindAsk, Run: "r", Cell: 1, Batch: []trace.Call{*call(1), task}}}, 2},
		{"a whole run", []trace.Record{{Kind: trace.KindCall, Run: "r", Cell: 1, Call: call(1)},
			{Kind: trace.KindAsk, Run: "r", Cell: 1, Batch: []trace.Call{*call(1), task}},
			{Kind: trace.KindNote, Run: "r", Cell: 1, Text: "approved"}}, 0},
		{"a preview", []trace.Record{
			{Kind: trace.KindRun, Run: "p", Before: "r", Cell: 1, Author: "you", Mode: trace.ModePreview, Text: "crm.note{}"},
			{Kind: trace.KindCall, Run: "p", Before: "r", Cell: 1, Call: call(1)}}, 1},
		{"over", []trace.Record{{Kind: trace.KindOutcome, Run: "r", Cell: 1, Ended: &trace.Outcome{}}}, 0},
	} {
		records := append(begun[:2:2], c.later...)
		cells, _ := Cells(records)
		if len(cells[0].Runs) != 1 {
			t.Errorf("%s: %d runs", c.name, len(cells[0].Runs))
		}
		last := trace.Call{}
		for _, made := range cells[0].Calls {
			last = made
		}
		if asked := last.Verdict == trace.Interrupted && last.Error == told; asked != (c.want > 0) {
			t.Errorf("%s: cells: %+v", c.name, cells[0].Calls)
		}
		var lines, earlier, export strings.Builder
		for _, line := range (Past{Records: records}).Lines(event.RenderOptions{}) {
			earlier.WriteString(line.String() + "\n")
		}
		for _, line := range Lines(records, 200, event.RenderOptions{}) {
			lines.WriteString(line.String() + "\n")
		}
		if err := Write(&export, records, FormatMarkdown); err != nil {
			t.Fatal(err)
		}
		texts := map[string]string{"lines": lines.String(), "earlier": earlier.String(), "export": export.String()}
		for where, text := range texts {
			if got := strings.Count(text, told); got != c.want {
				t.Errorf("%s: %s: %s", c.name, where, text)
			}
		}
	}
}

// TestUnendedOnce: what is not known of a mutation is said at the next resume, and not at those after it.
func TestUnendedOnce(t *testing.T) {
	records := []trace.Record{
		{Kind: trace.KindRun, Run: "a", Cell: 1, Author: "you", Mode: trace.ModeRun, Text: "slow.put{}"},
		{Kind: trace.KindBegin, Run: "a", Cell: 1, Call: &trace.Call{N: 1, ID: "slow.put"}},
	}
	first := Past{Records: records}.Unended()
	if len(first) != 1 || !strings.HasPrefix(first[0], "slow.put may or may not have happened") {
		t.Errorf("first %q", first)
	}
	if again := (Past{Records: append(records, trace.Record{Kind: trace.KindResume})}).Unended(); len(again) > 0 {
		t.Errorf("again %q", again)
	}
}

// A run that the log has no end of did not finish, and the screen that shows it again says so.
func TestCutOffRun(t *testing.T) {
	records := []trace.Record{
		{Kind: trace.KindRun, Run: "a", Cell: 1, Author: "you", Mode: trace.ModeRun, Text: "x = 1"},
		{Kind: trace.KindOutcome, Run: "a", Cell: 1, Ended: &trace.Outcome{OK: true}},
		{Kind: trace.KindRun, Run: "b", Cell: 2, Author: "you", Mode: trace.ModeRun, Text: "while true do end"},
	}
	var shown strings.Builder
	for _, line := range (Past{Records: records}).Lines(event.RenderOptions{}) {
		shown.WriteString(line.String() + "\n")
	}
	const told = "it did not finish: the program ended"
	if got := shown.String(); strings.Count(got, told) != 1 {
		t.Errorf("want %q once:\n%s", told, got)
	}
}
