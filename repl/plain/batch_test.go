package plain

import (
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"almanac/catalog"
	"almanac/repl/event"
	"almanac/session"
)

// Lines change the list and answer it; a word that is neither changes and answers nothing.
func TestBatchAnswers(t *testing.T) {
	refund := &catalog.Entry{ID: "billing.refund.issue", Mutates: true, Risk: catalog.High,
		Description: "Refund an invoice. Cannot be undone.",
		Input:       catalog.MustSchema(`{"type":"object","properties":{"id":{"type":"integer"}}}`)}
	r := session.Request{Entry: refund, Author: session.Model, Cell: 3,
		Source: "for i = 1, 3 do\n  refund(i)\nend"}
	for i := range 3 {
		r.Batch = append(r.Batch, session.Planned{Entry: refund, Args: map[string]any{"id": i + 1}, Line: 2})
	}
	r.Batch[2].Unknown = []string{"id"}
	off := func(items ...int) session.Approval { return session.Approval{Verdict: session.Once, Off: items} }
	for _, c := range []struct {
		typed []string
		want  session.Approval
		said  []string
	}{
		{[]string{"y"}, off(), []string{
			"approve? 3 writes, 3 of high risk, in 1 run   !! MUTATES · HIGH RISK\n" +
				"  billing.refund.issue 3 times   !! MUTATES · HIGH RISK\n    ! Cannot be undone.\n",
			"\n    3 on  { id = 3 }\n          id is known only when applied: asked when it comes\n",
			"y make 2 of 3 · n deny all · off 2 5 leaves out", "approved as a list: 2 of 3; asked when applied: 3"}},
		{[]string{"off 1 3", "y"}, off(0, 2), []string{"switched off: 2 writes", "y (make 1 of 3), n, "}},
		{[]string{"off 1-3", "y", "ON 2", "yes"}, off(0, 2), []string{"switched off: 3 writes\nn, n with a reason, off 2",
			"nothing is left to make: everything is off; n"}},
		{[]string{"off", "off 4", "on x", "e", "e 1 2", "y"}, off(), []string{"which ones? want numbers from 1 to 3",
			"4: want numbers", "x: want numbers", "one at a time"}},
		{[]string{"e 2", "{ id = 7 }", "y"},
			session.Approval{Verdict: session.Once, Edited: map[int]map[string]any{1: {"id": int64(7)}}},
			[]string{"2 is now { id = 7 }", "approved as a list: 2 of 3; edited: 2 to { id = 7 }; asked"}},
		{[]string{"e 2", "id", "e 2", "", "e 3", "y"}, off(), []string{"want a table", "asked about then"}},
		{[]string{"n wrong customer"}, session.Approval{Reason: "wrong customer"}, nil},
		{[]string{"n"}, session.Approval{}, nil},
		{[]string{"a", "yes please", "2", "offer", "/allow", "1 2", "v", "?", "n"}, session.Approval{},
			[]string{"not an answer: type y, n, v or ? alone, or off, on or e with numbers of the list",
				"> 2 ┊   refund(i)", "Refund an invoice. Cannot be undone."}},
		{nil, session.Approval{Reason: "no answer"}, []string{"denied: no answer"}},
	} {
		lines := c.typed
		read := func() (string, error) {
			if len(lines) == 0 {
				return "", io.EOF
			}
			l := lines[0]
			lines = lines[1:]
			return l, nil
		}
		var out strings.Builder
		a := NewAsker(read, &out, Options{Width: 80, Render: event.RenderOptions{NoEcho: true}})
		if diff := cmp.Diff(c.want, a.Ask(t.Context(), r)); diff != "" || len(lines) > 0 {
			t.Errorf("%q: %d not read (-want +got):\n%s", c.typed, len(lines), diff)
		}
		for _, said := range c.said {
			if !strings.Contains(out.String(), said) {
				t.Errorf("%q: no %q in\n%s", c.typed, said, out.String())
			}
		}
	}
}
