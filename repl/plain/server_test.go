package plain

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"

	"almanac/catalog"
	"almanac/internal/golden"
	"almanac/repl/show"
	"almanac/session"
)

// TestAServerAsks types answers to questions of servers, line by line; what is typed stands behind the prompts.
func TestAServerAsks(t *testing.T) {
	form := catalog.MustSchema(`{"type":"object","required":["email","plan"],"properties":{
		"email":{"type":"string","format":"email","title":"Your address","description":"where the invoice goes"},
		"plan":{"type":"string","oneOf":[{"const":"s","title":"Small"},{"const":"l","title":"Large"}]},
		"seats":{"type":"integer","minimum":1,"maximum":9,"default":2},
		"extras":{"type":"array","maxItems":2,"items":{"type":"string","enum":["logs","backup","2"]}},
		"yearly":{"type":"boolean"}, "from":{"type":"string","format":"date"}, "rate":{"type":"number"}}}`)
	asks := map[string]*catalog.Inquiry{
		"form":    {Server: "bank", Text: "Which plan?\x1b[2J", Form: form},
		"url":     {Server: "bank", Text: "Log in first.", URL: "https://login.example.com/a?b=c"},
		"confirm": {Server: "bank", Text: "Go on?"},
	}
	var b strings.Builder
	for _, c := range []struct {
		asks  string
		typed []string
	}{
		{"form", []string{"y", "fill in", "nobody", "ann@example.com", "huge", "large", "", "4", "logs, 2", "maybe", "yes",
			"31.1.2027", "2027-01-31", "1.5", "send"}},
		{"form", []string{"e", "ann@example.com", "1", "ten", "10", "9", "", "", "", "<", "2027-02-01", "", "e", "cancel"}},
		{"form", []string{"e", "", "ann@example.com"}},
		{"form", []string{"print(1)", "no, not today"}},
		{"form", []string{"decline"}},
		{"url", []string{"https://login.example.com", "e", "yes"}},
		{"url", []string{"cancel"}},
		{"confirm", []string{"ok"}},
		{"confirm", nil},
	} {
		typed := c.typed
		var out bytes.Buffer
		a := NewAsker(func() (string, error) {
			if len(typed) == 0 {
				return "", io.EOF
			}
			line := typed[0]
			typed = typed[1:]
			fmt.Fprintln(&out, line)
			return line, nil
		}, &out, Options{Width: 90})
		r := session.Request{Inquiry: asks[c.asks], Args: map[string]any{}, Reason: "during bank.open",
			Entry: &catalog.Entry{ID: "bank", Input: asks[c.asks].Form, Risk: catalog.Low}}
		if c.asks == "form" {
			r.Args["seats"] = int64(2)
		}
		got := a.Ask(t.Context(), r)
		fmt.Fprintf(&b, "== %s\n%s-> %v %s %s\n", c.asks, out.String(), got.Verdict == session.Once,
			show.ArgsText(r.Entry, got.Args, 0), got.Reason)
	}
	golden.Equal(t, "testdata/server.golden", b.String())
}
