package show

import (
	"strings"
	"testing"

	"almanac/catalog"
	"almanac/session"
)

// A credential that is shown as [redacted] is sent all the same, which stands in front of every other warning.
func TestQuestionWarnsOfCredentials(t *testing.T) {
	for want, e := range map[string]*catalog.Entry{
		"sent to api.example.com:8443.": {Target: "POST https://api.example.com:8443/pets?x=1", Source: "openapi:pets.yaml"},
		"sent to mcp:pets serve.":       {Source: "mcp:pets serve"},
		"sent to pets.add.":             {},
	} {
		e.ID, e.Mutates, e.Description = "pets.add", true, "Add a pet. This cannot be undone."
		q := QuestionOf(session.Request{Entry: e, Args: map[string]any{"note": "[redacted]"},
			Credentials: []string{"note"}}, Marks{})
		lines := ""
		for _, l := range q.WarningLines() {
			lines += l.String()
		}
		if !strings.HasPrefix(lines, "! The argument note holds a credential, shown as [redacted]: it will be "+want) ||
			!strings.Contains(lines, "cannot be undone") {
			t.Errorf("got %s, want %s", lines, want)
		}
	}
}

// A conversation that goes to an action is told by its length: nobody reads all of it to approve a call.
func TestQuestionTellsOfTheConversation(t *testing.T) {
	e := &catalog.Entry{ID: "notes.keep", Inject: []catalog.Injection{
		{Field: "said", From: "transcript"}, {Field: "tenant_id", From: "tenant"},
	}}
	said := []any{map[string]any{"role": "user", "text": "hi"}, map[string]any{"role": "assistant", "text": "hello"}}
	for want, filled := range map[string]map[string]any{
		`filled in by the host: { tenant_id = "acme" }; said: the conversation, 2 messages`: {"said": said, "tenant_id": "acme"},
		`filled in by the host: said: the conversation, 2 messages`:                         {"said": said},
		`filled in by the host: { said = "none" }`:                                          {"said": "none"},
		``: nil,
	} {
		if q := QuestionOf(session.Request{Entry: e, Injected: filled}, Marks{}); q.Filled != want {
			t.Errorf("got %s, want %s", q.Filled, want)
		}
	}
}
