//go:build unix

package e2e

import (
	"strings"
	"testing"

	"almanac/llm/openai/openaitest"
)

// The person has the conversation summed up, reads the summary and goes on; a later session goes on from it, and /clear
// begins anew.
func TestCompact(t *testing.T) {
	home := newHome(t)
	x := start(t, setup{home: home, model: []openaitest.Reply{
		{Text: "Acme owes 240."},
		{Text: "They asked about Acme, cus_0001: it owes 240."},
		{Text: "Still 240.", Expect: "cus_0001"},
	}})
	x.line("/compact")
	x.want(`compact: the conversation is empty`)
	x.line("what does Acme owe?")
	x.want(`Acme owes 240\.`)
	x.line("/compact keep the ids")
	x.want(`the model summed up 1 turn: \d+ tokens became \d+`, `They asked about Acme, cus_0001`)
	if asked := x.server.Requests()[1].Last(); !strings.HasSuffix(asked, "The person asks: keep the ids") {
		t.Errorf("the model was asked %q", asked)
	}
	x.line("and now?")
	x.want(`Still 240\.`)
	x.line("/quit")
	x.ended()

	y := open(t, setup{home: home, args: []string{"--continue"}, model: []openaitest.Reply{
		{Text: "As before.", Expect: "and then?"}, {Text: "Who are you?", Expect: "anew"},
	}})
	y.line("and then?")
	y.want(`As before\.`)
	first := y.server.Requests()[0].Messages[1].Content
	if !strings.Contains(first, "it owes 240.\n\nand now?") || strings.Contains(first, "what does Acme owe?") {
		t.Errorf("after it was resumed the conversation begins with %q", first)
	}
	y.line("/clear")
	y.want(`new conversation; Lua globals kept`)
	y.gone(`As before`)
	y.line("anew")
	y.want(`Who are you\?`)
	if n := len(y.server.Requests()[1].Messages); n != 2 {
		t.Errorf("a new conversation has %d messages", n)
	}
}
