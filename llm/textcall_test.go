package llm

import (
	"strings"
	"testing"
)

// TestCallWrittenAsText: what a server did not read as a call is not run, and the answer says so.
func TestCallWrittenAsText(t *testing.T) {
	for text, want := range map[string]bool{
		"<tool_call>\n{\"name\": \"one\", \"arguments\": {}}\n</tool_call>":                true,
		"Let me look.\n```json\n{\"name\":\"one\",\"parameters\":{\"script\":\"x\"}}\n```": true,
		`{"type": "function", "function": "one", "arguments": "{}"}`:                       true,
		`[TOOL_CALLS] [{"name": "one", "arguments": {}}]`:                                  true,
		`[TOOL_CALLS]one{"script": "x"}`:                                                   true,
		"<function=one>{}</function>":                                                      true,
		`<invoke name="one">`:                                                              true,
		"<tool_call>one\n<arg_key>script</arg_key>":                                        true,
		"[one(script='x')]":                                                                true,
		"<|channel|>commentary to=functions.one <|message|>{}":                             true,
		"I would call the tool one, with a script.":                                        false,
		`{"name": "onerous"}`:                                                              false,
		`{"name": "two", "arguments": {}}`:                                                 false,
		"one":                                                                              false,
	} {
		p := &scripted{t: t, steps: []step{{text: text}}}
		c := NewConversation(Options{Target: Target{Provider: p}, Tools: func() []Tool { return []Tool{echo("one")} }})
		answer, err := c.Send(t.Context(), "go")
		if err != nil || !strings.HasPrefix(answer, text) || strings.HasSuffix(answer, textCallMark) != want {
			t.Errorf("%s\n%s, %v", text, answer, err)
		}
		if n := len(c.Messages()); n != 2 {
			t.Errorf("%d messages", n)
		}
	}
}
