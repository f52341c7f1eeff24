package openaitest

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"
	"unicode/utf8"
)

// A Reply is one answer of the server. The zero Reply is a stream with neither text nor calls.
type Reply struct {
	// Text is streamed word by word, or in pieces of Chunk bytes when that is not zero.
	Text  string
	Chunk int
	// Delay is waited before each piece of text and each fragment of a call.
	Delay time.Duration
	// Reasoning is streamed before the text, in the field named ReasoningField: "reasoning_content" when that is empty.
	Reasoning, ReasoningField string
	Calls                     []Call
	// Usage replaces the counts that are sent; nil counts a quarter of the bytes.
	Usage map[string]any
	// Finish replaces the finish reason; "-" sends none.
	Finish string
	// Expect must be part of the last message's text; otherwise the server answers 400 and keeps the reply.
	Expect string

	// Status, when it is not zero, makes this a plain HTTP answer with Header and Body. An empty Body becomes an
	// error in OpenAI's form.
	Status int
	Header map[string]string
	Body   string
	// Whole sends the completion as one JSON document, as servers do that cannot stream.
	Whole bool

	// What follows text and calls in the stream, in this order:
	Raw     []string // lines as they stand, each followed by a blank line
	Hang    bool     // nothing, until the client or the server goes away
	Cut     bool     // the connection is cut
	NoUsage bool     // no usage although it was asked for
	NoDone  bool     // no end mark
}

// A Call is a tool call of a Reply.
type Call struct {
	// ID is "call_1", "call_2" … when it is empty.
	ID   string
	Name string
	// Args is sent as it stands, valid or not.
	Args string
	// Cuts are the offsets in Args where a new fragment begins. With none, Args is cut in three.
	Cuts []int
	// OneChunk sends name, id and arguments in one chunk.
	OneChunk bool
	// NoIndex, NoID and ZeroIndex leave fields out or number every call 0; Repeat puts id and name in each fragment.
	NoIndex, NoID, ZeroIndex, Repeat bool
	// Object sends the arguments as an object instead of a string; it implies OneChunk.
	Object bool
}

// pieces parts the text of r.
func (r Reply) pieces() []string {
	return r.split(r.Text)
}

func (r Reply) split(text string) []string {
	if r.Chunk == 0 {
		return strings.SplitAfter(text, " ")
	}
	var out []string
	for text != "" {
		n := min(r.Chunk, len(text))
		out, text = append(out, text[:n]), text[n:]
	}
	return out
}

func (r Reply) reasoningField() string { return cmp.Or(r.ReasoningField, "reasoning_content") }

func (r Reply) finish() any {
	switch {
	case r.Finish == "-":
		return nil
	case r.Finish != "":
		return r.Finish
	case len(r.Calls) > 0:
		return "tool_calls"
	}
	return "stop"
}

// id is the ID of the call numbered i.
func (c Call) id(i int) string { return cmp.Or(c.ID, fmt.Sprintf("call_%d", i+1)) }

// fragments are the entries of tool_calls, one for each chunk, that make up the call numbered i.
func (c Call) fragments(i int) []any {
	id, index := c.id(i), i
	if c.ZeroIndex {
		index = 0
	}
	fragment := func(first bool, args any) any {
		function := map[string]any{"arguments": args}
		f := map[string]any{"function": function}
		if !c.NoIndex {
			f["index"] = index
		}
		if first || c.Repeat {
			function["name"] = c.Name
			f["type"] = "function"
			if !c.NoID {
				f["id"] = id
			}
		}
		return f
	}
	if c.Object {
		return []any{fragment(true, json.RawMessage(c.Args))}
	}
	if c.OneChunk {
		return []any{fragment(true, c.Args)}
	}
	out := []any{fragment(true, "")}
	for _, piece := range c.argPieces() {
		out = append(out, fragment(false, piece))
	}
	return out
}

func (c Call) argPieces() []string {
	cuts := c.Cuts
	if cuts == nil && len(c.Args) >= 3 {
		cuts = []int{len(c.Args) / 3, len(c.Args) * 2 / 3}
	}
	var out []string
	from := 0
	for _, at := range append(append([]int(nil), cuts...), len(c.Args)) {
		at = max(from, min(at, len(c.Args)))
		for at > from && at < len(c.Args) && !utf8.RuneStart(c.Args[at]) {
			at-- // JSON cannot have half a letter
		}
		out = append(out, c.Args[from:at])
		from = at
	}
	return out
}

// message is the assistant message of a Reply that is sent whole.
func (r Reply) message() map[string]any {
	m := map[string]any{"role": "assistant", "content": r.Text}
	if r.Reasoning != "" {
		m[r.reasoningField()] = r.Reasoning
	}
	var calls []any
	for i, c := range r.Calls {
		c.OneChunk = true
		calls = append(calls, c.fragments(i)...)
	}
	if calls != nil {
		m["tool_calls"] = calls
	}
	return m
}

// fail writes an HTTP answer that is no completion.
func (r Reply) fail(w http.ResponseWriter) {
	body := r.Body
	if body == "" {
		body = errorBody(http.StatusText(r.Status))
	}
	kind := "application/json"
	if strings.HasPrefix(strings.TrimSpace(body), "<") {
		kind = "text/html"
	}
	w.Header().Set("Content-Type", kind)
	for name, value := range r.Header {
		w.Header().Set(name, value)
	}
	w.WriteHeader(r.Status)
	fmt.Fprint(w, body)
}

func errorBody(message string) string {
	fault := map[string]any{"message": message, "type": "invalid_request_error", "code": nil}
	text, _ := json.Marshal(map[string]any{"error": fault})
	return string(text)
}
