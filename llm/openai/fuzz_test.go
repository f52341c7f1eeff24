package openai

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"almanac/llm"
)

// chunked answers every request with the same body, in reads of as many bytes as the cuts say, in turn.
type chunked struct {
	body string
	cuts []byte
}

func (c chunked) RoundTrip(r *http.Request) (*http.Response, error) {
	body := io.NopCloser(&chunkReader{rest: c.body, cuts: c.cuts})
	return &http.Response{StatusCode: 200, Status: "200 OK", Header: http.Header{}, Request: r, Body: body}, nil
}

type chunkReader struct {
	rest string
	cuts []byte
	n    int
}

func (c *chunkReader) Read(p []byte) (int, error) {
	if c.rest == "" {
		return 0, io.EOF
	}
	size := len(c.rest)
	if len(c.cuts) > 0 {
		size = 1 + int(c.cuts[c.n%len(c.cuts)])
		c.n++
	}
	n := copy(p, c.rest[:min(size, len(c.rest))])
	c.rest = c.rest[n:]
	return n, nil
}

// fuzzAnswer gives the body to a provider and to a conversation: there is an error or a response whose pieces add up,
// the same however the bytes come, and the history stays valid.
func fuzzAnswer(t *testing.T, api, body string, cuts []byte) {
	ask := func(cuts []byte) (llm.Response, string) {
		p := New(Options{BaseURL: "http://x/v1", API: api, HTTP: &http.Client{Transport: chunked{body, cuts}}})
		var text, reasoning strings.Builder
		r, err := p.Complete(t.Context(), llm.Request{Model: "m"}, func(piece llm.Piece) {
			text.WriteString(piece.Text)
			reasoning.WriteString(piece.Reasoning)
		})
		var e *llm.Error
		switch {
		case err != nil && !errors.As(err, &e):
			t.Errorf("error of another type: %T %v", err, err)
		case err == nil && (text.String() != r.Text || reasoning.String() != r.Reasoning):
			t.Errorf("heard %q and %q, got %q and %q", text.String(), reasoning.String(), r.Text, r.Reasoning)
		case err != nil:
			return r, err.Error()
		}
		seen := map[string]bool{}
		for _, c := range r.Calls {
			if c.ID == "" || seen[c.ID] {
				t.Errorf("call id %q is empty or taken", c.ID)
			}
			seen[c.ID] = true
		}
		return r, responseLine(r)
	}
	_, whole := ask(nil)
	if _, pieces := ask(cuts); pieces != whole {
		t.Errorf("in one: %s\nin pieces: %s", whole, pieces)
	}
	p := New(Options{BaseURL: "http://x/v1", API: api, HTTP: &http.Client{Transport: chunked{body, cuts}}})
	c := llm.NewConversation(llm.Options{Target: llm.Target{Provider: p, Model: "m"}, MaxTurns: 2, Retries: -1})
	_, _ = c.Send(t.Context(), "go")
	validHistory(t, c.Messages())
}

// validHistory: the arguments of each call are one object, and each is answered once, in order, before anything else.
func validHistory(t *testing.T, history []llm.Message) {
	var open []llm.ToolCall
	for _, m := range history {
		if m.Role == llm.ToolRole {
			if len(open) == 0 || open[0].ID != m.CallID {
				t.Fatalf("answer to %q, want to %v", m.CallID, open)
			}
			open = open[1:]
			continue
		}
		if len(open) > 0 {
			t.Fatalf("%s before the answers to %v", m.Role, open)
		}
		for _, call := range m.Calls {
			var object map[string]any
			if err := json.Unmarshal(call.Args, &object); err != nil || object == nil {
				t.Fatalf("arguments %s: %v", call.Args, err)
			}
		}
		open = m.Calls
	}
	if len(open) > 0 {
		t.Fatalf("no answers to %v", open)
	}
}

func FuzzStream(f *testing.F) {
	for i, body := range []string{
		"data: {\"choices\":[{\"delta\":{\"content\":\"a\"}}]}\n\ndata: [DONE]\n",
		"data: {\"error\": 5}",
		`{"error":{"message":["a"]}}`,
		"[{\"error\":null}]",
		"<html",
		"data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"function\":{\"arguments\":{}}},{\"index\":-1,\"id\":\"a\"}]}}]}\r\n",
		"\xef\xbb\xbfdata: null\n:c\ndata: []\n",
		"data: {\"choices\":[{\"delta\":{\"reasoning\":\"h\",\"tool_calls\":[{\"id\":\"a\",\"function\":{\"name\":\"q\",\"arguments\":\"{\\\"a\\\"\"}}]}}]}\n" +
			"data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"function\":{\"arguments\":\":1}\"}}]},\"finish_reason\":\"tool_calls\"}]}\n",
	} {
		f.Add(body, []byte{byte(i), 0, 7})
	}
	f.Fuzz(func(t *testing.T, body string, cuts []byte) { fuzzAnswer(t, ChatAPI, body, cuts) })
}

func FuzzResponses(f *testing.F) {
	for i, body := range []string{
		"data: {\"type\":\"response.output_text.delta\",\"delta\":\"a\"}\n\ndata: {\"type\":\"response.completed\"}\n",
		`{"object":"response","status":"incomplete","output":[{"type":"message","content":[{"text":"a"}]},{"type":"function_call"}]}`,
		`data: {"type":"response.failed","response":{"error":{"message":"x"}}}`,
		"data: {\"type\":\"response.output_item.added\",\"item\":{\"type\":\"function_call\",\"call_id\":\"a\",\"name\":\"q\"}}\n" +
			"data: {\"type\":\"response.function_call_arguments.delta\",\"delta\":\"{\\\"a\\\":\"}\n" +
			"data: {\"type\":\"response.function_call_arguments.done\",\"arguments\":{}}\n" +
			"data: {\"type\":\"response.output_item.done\",\"item\":{\"type\":\"reasoning\",\"summary\":[{\"text\":\"b\"}],\"encrypted_content\":\"c\"}}\n" +
			"data: {\"type\":\"response.incomplete\",\"response\":{\"usage\":{\"input_tokens\":1},\"incomplete_details\":{\"reason\":\"x\"}}}\n",
		"data: {\"type\":\"error\",\"code\":7}\n",
	} {
		f.Add(body, []byte{byte(i), 0, 7})
	}
	f.Fuzz(func(t *testing.T, body string, cuts []byte) { fuzzAnswer(t, ResponsesAPI, body, cuts) })
}
