package catalog

import (
	"fmt"
	"testing"
)

// TestNamedNamespaces ranks what a named product does above what others do with the same words.
func TestNamedNamespaces(t *testing.T) {
	var entries []Entry
	for _, product := range []string{"slack", "acmeMail", "teams"} {
		for _, thing := range []string{"channel", "user", "file", "reaction"} {
			entries = append(entries, Entry{ID: product + "." + thing + ".list", Description: "List every " + thing + "."})
		}
		entries = append(entries, Entry{ID: product + ".chat.post", Namespace: []string{product, "chat"}, Description: "Post a text."})
	}
	for i := range 20 {
		entries = append(entries, Entry{ID: fmt.Sprintf("bridge%d.send_message", i), Description: "Send a message to a chat."})
	}
	entries = append(entries, Entry{ID: "bridge.notify", Description: "Post a text in a chat, as a message, such as to a user of a channel."})
	c, _ := New(entries, Options{})
	for query, want := range map[string][]string{
		"post a text in slack": {"slack"}, "Post a text with Acme Mail": {"acmemail"}, "teams: post a text": {"teams"},
		"post a text": nil, "the slack of a rope": nil, "Post a text in slack. List the files in teams.": nil, "list nothing in chat of others": nil,
	} {
		var names []string
		for _, n := range c.View().parse(query).named {
			names = append(names, c.exact.of(namespaceKind).names.At(int(n)))
		}
		if len(want) > 0 && (len(names) == 0 || names[0] != want[0]) || len(want) == 0 && len(names) > 0 {
			t.Errorf("%q names %v, want %v", query, names, want)
		}
	}
	if s := mustSearch(t, c.View(), "post a text message in slack chat", SearchOptions{}); s.Hits()[0].ID != "slack.chat.post" {
		t.Errorf("got %v", ids(s.Top(3)))
	}
}
