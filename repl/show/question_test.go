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
