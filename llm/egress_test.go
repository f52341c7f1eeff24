package llm

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"almanac/catalog/secret"
)

// A told provider answers with its text in pieces of five bytes, and keeps what it was sent.
type told struct {
	sent string
	text string
	call string
	err  error
}

func (p *told) Complete(_ context.Context, r Request, hear func(Piece)) (Response, error) {
	for _, t := range r.Tools {
		p.sent += t.Description + string(t.Schema)
	}
	p.sent += fmt.Sprintf("%s %+v", r.System, r.Messages)
	for rest := p.text; rest != ""; rest = rest[min(5, len(rest)):] {
		hear(Piece{Reasoning: rest[:min(5, len(rest))]})
	}
	for rest := p.text; rest != ""; rest = rest[min(5, len(rest)):] {
		hear(Piece{Text: rest[:min(5, len(rest))]})
	}
	response := Response{Text: p.text, Reasoning: p.text}
	if p.call != "" {
		response.Calls = []ToolCall{{ID: "1", Name: "run", Args: json.RawMessage(p.call)}}
	}
	p.call = ""
	return response, p.err
}

// TestSecrets shows that no secret goes to a model, and none comes from it: not in words, calls, errors or events.
func TestSecrets(t *testing.T) {
	const value = "s3cret-va\"lue"
	for _, err := range []error{nil, errors.New("cause: " + value),
		&Error{Kind: BadKey, Message: "bad key " + value, Hint: value, Err: errors.New(value)}} {
		p := &told{text: "it is " + value + ", I think", call: `{"script":"return \"s3cret-va\\\"lue\""}`, err: err}
		var out strings.Builder
		c := NewConversation(Options{
			Target: Target{Provider: p}, Retries: -1, Secrets: secret.NewFilter(func() []string { return []string{value} }),
			System: func() Prompt { return Prompt{Text: "the key is " + value} },
			Tools: func() []Tool {
				return []Tool{{Name: "run", Description: value, Run: func(_ context.Context, args json.RawMessage) (Answer, error) {
					fmt.Fprintf(&out, "%s", args)
					return Answer{Text: "got " + value}, nil
				}}}
			},
			Observe: func(e Event) {
				if e.Kind != ToolEnded { // in a program the session has seen to what a tool answers
					fmt.Fprintf(&out, "%s%s%v", e.Text, e.Call.Args, e.Err)
				}
			},
		})
		answer, failed := c.Send(t.Context(), "use "+value)
		fmt.Fprintf(&out, "%s%v%+v", answer, failed, errors.Unwrap(failed))
		for where, text := range map[string]string{"sent": p.sent, "shown": out.String()} {
			if strings.Contains(text, "lue") || strings.Contains(text, "cret-va") || !strings.Contains(text, secret.Mark) {
				t.Errorf("%s: %s", where, text)
			}
		}
		if err == nil && answer != "it is "+secret.Mark+", I think" {
			t.Errorf("answer: %s", answer)
		}
	}
}
