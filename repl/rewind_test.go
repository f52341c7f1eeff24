package repl

import (
	"testing"

	"almanac/internal/golden"
	"almanac/llm"
	"almanac/session/policy"
)

// TestRewind goes back to prompts by the command: with and without Lua, where scripts ran and where none did, and with
// wrong words.
func TestRewind(t *testing.T) {
	said := func(text string) llm.Response { return llm.Response{Text: text} }
	sh, _ := withModel(t, policy.Policy{Mode: policy.Session}, Options{},
		said("Hello."),
		executes(`n = (n or 0) + 1 billing.refund.issue{invoice_id = "i", amount_cents = 5}`), said("Refunded."),
		executes(`n = n + 1 billing.refund.issue{invoice_id = "i", amount_cents = 6}`), said("Again."),
		said("Once more."), said("New."),
	)
	text, answers := "", []string{"y", "y"}
	for _, line := range []string{
		"/rewind", "hello", "!n = 1", "refund\nit", "and again", "/rewind", "/rewind 4", "/rewind 4 lua", "!n", "/rewind",
		"and again", "/rewind 6 keep", "!n", "/rewind 9", "/rewind x", "/rewind 3 all", "/rewind 3 lua", "!n",
		"/rewind 1 lua", "!n", "/rewind", "anew", "/rewind 10", "/rewind",
	} {
		text += "> " + line + "\n" + typed(t.Context(), sh, line, &answers)
	}
	golden.Equal(t, "testdata/rewind.golden", text)
	if ms := sh.options.Conversation.Messages(); len(ms) != 0 {
		t.Errorf("the conversation has %v", ms)
	}
}
