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
		entries = append(entries,
			Entry{ID: product + ".chat.post", Namespace: []string{product, "chat"}, Description: "Post a text."})
	}
	for i := range 20 {
		entries = append(entries,
			Entry{ID: fmt.Sprintf("bridge%d.send_message", i), Description: "Send a message to a chat."})
	}
	entries = append(entries,
		Entry{ID: "bridge.notify", Description: "Post a text in a chat, as a message, such as to a user of a channel."})
	c, _ := New(entries, Options{})
	if s := mustSearch(t, c.View(), "post a text message in slack chat",
		SearchOptions{}); s.Hits()[0].ID != "slack.chat.post" {
		t.Errorf("got %v", ids(s.Top(3)))
	}
}
