package llm

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A tool that runs may ask what was said and have a completion of its own: it waits for nothing, and of the calls it
// sees those that have an answer.
func TestToolLooksBack(t *testing.T) {
	p := &scripted{t: t, steps: []step{
		{text: "Let me look.", calls: []ToolCall{call("1", "look", `{"n":1}`), call("2", "look", `{"n":2}`)}},
		{text: "an aside"},
		{text: "another"},
		{text: "Done."},
	}}
	var saw []string
	var c *Conversation
	look := Tool{Name: "look", Run: func(ctx context.Context, _ json.RawMessage) (Answer, error) {
		saw = append(saw, strings.Join(transcript(c.Said()), "\n"))
		said, err := c.Ask(ctx, "be brief", "well?")
		return Answer{Text: said}, err
	}}
	c = NewConversation(Options{Target: Target{Provider: p}, Tools: func() []Tool { return []Tool{look} }})
	if answer, err := c.Send(t.Context(), "go"); err != nil || answer != "Done." {
		t.Fatal(answer, err)
	}
	first := "user: go\nassistant: Let me look."
	second := first + ` <look {"n":1}>` + "\ntool: an aside"
	whole := first + ` <look {"n":1}> <look {"n":2}>` + "\ntool: an aside\ntool: another\nassistant: Done."
	saw = append(saw, strings.Join(transcript(c.Said()), "\n"))
	if diff := cmp.Diff([]string{first, second, whole}, saw); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	if n := c.TurnUsage().Completions; n != 4 {
		t.Errorf("%d completions are counted", n)
	}
}

// A completion without an end is none.
func TestAskIsBounded(t *testing.T) {
	endless := step{text: strings.Repeat("word ", 10_000), hang: true}
	p := &scripted{t: t, steps: []step{endless}, hanging: make(chan struct{}, 1)}
	c := NewConversation(Options{Target: Target{Provider: p}})
	if said, err := c.Ask(t.Context(), "", "well?"); err == nil {
		t.Error(said)
	}
}
