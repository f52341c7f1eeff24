package llm_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"strings"

	"almanac/llm"
	"almanac/llm/replay"
)

// A conversation runs the tools that the model asks for until there is an answer. Here the model is a recording; a real
// one is an openai.Provider.
func Example() {
	provider, err := replay.Parse(strings.NewReader(`
{"last": {"role": "user", "text": "What is the time?"}, "tools": ["clock"], "response": {"calls": [{"id": "1", "name": "clock", "args": "{}"}]}}
{"last": {"role": "tool", "text": "noon"}, "tools": ["clock"], "deltas": ["It is ", "noon."], "response": {"text": "It is noon."}}
`))
	if err != nil {
		log.Fatal(err)
	}
	clock := llm.Tool{Name: "clock", Description: "Tell the time.", Schema: json.RawMessage(`{"type": "object"}`),
		Run: func(context.Context, json.RawMessage) (llm.Answer, error) { return llm.Answer{Text: "noon"}, nil }}
	recorded := llm.Target{Provider: provider, Model: "recorded"}
	c := llm.NewConversation(llm.Options{Target: recorded, Tools: func() []llm.Tool {
		return []llm.Tool{clock}
	}})
	answer, err := c.Send(context.Background(), "What is the time?")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(answer)
	// Output:
	// It is noon.
}
