package transcript

import (
	"fmt"
	"strings"
	"testing"

	"almanac/session"
	"almanac/session/trace"
)

// FuzzCells holds the reading of a log against records in any order: it never fails.
func FuzzCells(f *testing.F) {
	f.Add([]byte{0, 1, 2, 3, 4, 5, 6, 7})
	kinds := []trace.Kind{trace.KindRun, trace.KindOutcome, trace.KindPrompt, trace.KindAnswer, trace.KindCall,
		trace.KindReset, trace.KindName, "unknown"}
	f.Fuzz(func(t *testing.T, steps []byte) {
		var records []trace.Record
		for _, b := range steps {
			r := trace.Record{
				Kind: kinds[b%8], Cell: int(b>>3) % 4, Run: fmt.Sprint(b >> 5), Author: "you", Mode: trace.ModeRun,
				Text: "return 1",
			}
			if b&64 != 0 {
				r.Call, r.Ended = &trace.Call{ID: "a.b", Mutates: true}, &trace.Outcome{OK: b&32 != 0, Repr: "```"}
			}
			records = append(records, r)
		}
		var b strings.Builder
		for _, format := range []Format{FormatLua, FormatMarkdown, FormatJSONL} {
			if err := Write(&b, records, format); err != nil {
				t.Error(err)
			}
		}
	})
}

// Calls of a list that the person denied are one line, with the reason.
func TestMarkdownOfADeniedList(t *testing.T) {
	r := Run{Author: session.Model, Source: "f()", Ended: &trace.Outcome{Error: "3 writes: you denied this: late"}}
	call := trace.Call{ID: "billing.refund.issue", Verdict: trace.Denied, Rule: trace.Refused, Mutates: true,
		Error: "billing.refund.issue: you denied this: late"}
	other := call
	other.Error = "billing.refund.issue: you denied this"
	off := call
	off.Rule = trace.SwitchedOff
	r.Calls = []trace.Call{call, call, call, other, off}
	var b strings.Builder
	writeRun(&b, r)
	want := "- `billing.refund.issue` 3 times denied, would change data (you denied this: late)\n" +
		"- `billing.refund.issue` denied, would change data (you denied this)\n" +
		"- `billing.refund.issue` switched off, would change data\n"
	if !strings.Contains(b.String(), want) {
		t.Errorf("got\n%s\nwant\n%s", b.String(), want)
	}
}
