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

// A question names the host that the call goes to, and its risk also where the action does not declare one.
func TestQuestionNamesTheHost(t *testing.T) {
	for target, want := range map[string]string{
		"POST https://api.example.com:8443/pets?x=1": "goes to api.example.com:8443",
		"host ops: POST https://api.example.com/a":   "goes to api.example.com",
		"gRPC grpc.example.com:443/shop.Cart/Add":    "goes to grpc.example.com:443",
		"gRPC (no server)/shop.Cart/Add":             "",
		"POST https://a\u202eb.example/x":            "goes to a",
		"team red":                                   "",
		"":                                           "",
	} {
		e := &catalog.Entry{ID: "a.b", Mutates: true, Target: target}
		q := QuestionOf(session.Request{Entry: e, Args: map[string]any{}}, Marks{Dot: "-"})
		got := ""
		for _, l := range q.Body(80, false) {
			if text := l.String(); strings.HasPrefix(text, "goes to") {
				got = text
			}
		}
		if !strings.HasPrefix(got, want) || want == "" && got != "" || strings.ContainsRune(got, '\u202e') {
			t.Errorf("%s: got %q, want %q", target, got, want)
		}
		if risk := q.RiskText(Marks{Dot: "-"}); risk != "mutates - medium risk" {
			t.Errorf("got %s", risk)
		}
	}
}
