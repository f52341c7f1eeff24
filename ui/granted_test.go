package ui

import (
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"almanac/repl/event"
)

// runs types a line, answers its question with the keys, and returns what was printed meanwhile.
func (s *screen) runs(line string, answer ...string) string {
	s.t.Helper()
	printed := len(s.printed)
	ended := make(chan tea.Msg, 1)
	cmd := s.submit(line)
	go func() { ended <- cmd() }()
	for deadline := time.Now().Add(30 * time.Second); time.Now().Before(deadline); time.Sleep(time.Millisecond) {
		s.pass(frameTime)
		if len(s.asks) > 0 && len(answer) > 0 {
			s.keys(answer...)
			answer = nil
		}
		select {
		case msg := <-ended:
			s.send(msg)
			s.pass(frameTime)
			return strings.Join(s.printed[printed:], "\n")
		default:
		}
	}
	s.t.Fatalf("%s does not end:\n%s", line, s.picture())
	return ""
}

// What is granted at a question is said in the same words by the status row, /policy, /why and the catalog pane, and by
// none of them once it is taken back.
func TestGrantIsSaidEverywhere(t *testing.T) {
	const call = `billing.refund.issue{invoice_id = "inv_1", amount_cents = 5}`
	for _, c := range []struct {
		keys           []string
		grant, decides string
	}{
		{[]string{"pause", "a", "pause", "pause", "3", "pause", "enter"}, "billing.refund.issue",
			"a call is allowed (grant 1: billing.refund.issue)"},
		{[]string{"pause", "a", "pause", "pause", "2", "pause", "enter"}, "billing.refund.issue 0 <= amount_cents <= 5",
			"a call within the bounds is allowed (grant 1: billing.refund.issue 0 <= amount_cents"},
		{[]string{"pause", "a", "pause", "pause", "1", "pause", "enter"},
			`billing.refund.issue only amount_cents = 5, invoice_id = "inv_1"`,
			"a call within the bounds is allowed (grant 1: billing.refund.issue only amount_cents"},
	} {
		s := screenOf(t, lived(t), 120, 40)
		s.handle = s.shell.HandleIn
		said := func() map[string]string {
			said := map[string]string{"the status row": s.statusRow(false)}
			said["/policy"] = s.runs("/policy")
			said["/why"] = s.runs("/why billing.refund.issue")
			s.open(event.CatalogPane)
			s.paneKeys("billing refund issue")
			said["the catalog pane"] = s.View().Content
			s.paneKeys("esc", "esc", "esc")
			return said
		}
		told := s.runs(call, c.keys...)
		if !strings.Contains(told, "allowed for this session with ") || !strings.Contains(told, "✓ billing.refund.issue") {
			t.Fatalf("%q: told %s", c.keys, told)
		}
		if told := s.runs(call); strings.Contains(told, "approve") || !strings.Contains(told, "✓ billing.refund.issue") {
			t.Errorf("%q: the same call is asked about again: %s", c.keys, told)
		}
		want := map[string]string{
			"the status row": "writes: ask, 1 grant", "/policy": "  1  " + c.grant + "\n", "/why": c.decides,
			"the catalog pane": "grant 1",
		}
		for where, text := range said() {
			if !strings.Contains(text, want[where]) {
				t.Errorf("%q: %s does not say %q:\n%s", c.keys, where, want[where], text)
			}
		}
		s.runs("/policy revoke 1")
		for where, text := range said() {
			text = strings.Replace(text, "\nno grants", "", 1)
			if strings.Contains(text, "grant") || strings.Contains(text, "allowed") {
				t.Errorf("%q: after it was taken back %s says\n%s", c.keys, where, text)
			}
		}
		if told := s.runs(call, "pause", "n", "pause", "esc"); !strings.Contains(told, "you: denied") {
			t.Errorf("%q: it is not asked about again: %s", c.keys, told)
		}
	}
}
