package openai

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"strings"

	"almanac/llm"
)

// This file assembles an answer from the chunks of a stream.

// A chunk is one event of a stream, or a whole answer where the server does not stream. It is read here and not by
// go-openai because servers differ: arguments that are objects, text in parts, errors beside choices.
type chunk struct {
	Choices []choice `json:"choices"`
	Usage   *struct {
		Input        int `json:"prompt_tokens"`
		Output       int `json:"completion_tokens"`
		InputDetails struct {
			Cached int `json:"cached_tokens"`
		} `json:"prompt_tokens_details"`
		OutputDetails struct {
			Reasoning int `json:"reasoning_tokens"`
		} `json:"completion_tokens_details"`
		// CacheHit is where DeepSeek's servers say what was cached.
		CacheHit int `json:"prompt_cache_hit_tokens"`
	} `json:"usage"`
	Error json.RawMessage `json:"error"`
}

type choice struct {
	Index        int             `json:"index"`
	Delta        part            `json:"delta"`
	Message      part            `json:"message"`
	FinishReason string          `json:"finish_reason"`
	Error        json.RawMessage `json:"error"`
}

type part struct {
	Content json.RawMessage `json:"content"`
	Refusal string          `json:"refusal"`
	// Reasoning comes under one of two names; servers that send both send the same text.
	ReasoningContent json.RawMessage `json:"reasoning_content"`
	Reasoning        json.RawMessage `json:"reasoning"`
	ToolCalls        []fragment      `json:"tool_calls"`
}

// A fragment is a piece of a tool call, or all of it.
type fragment struct {
	Index    *int   `json:"index"`
	ID       string `json:"id"`
	Function struct {
		Name      string          `json:"name"`
		Arguments json.RawMessage `json:"arguments"`
	} `json:"function"`
}

// fault returns the error that a chunk carries instead of, or beside, an answer.
func (c chunk) fault(line []byte) (fault, bool) {
	if present(c.Error) {
		return readFault(line), true
	}
	for _, ch := range c.Choices {
		if present(ch.Error) {
			return readFault([]byte(`{"error":` + string(ch.Error) + `}`)), true
		}
	}
	if c.Choices == nil && c.Usage == nil {
		if f := readFault(line); f.object == "error" {
			return f, true
		}
	}
	return fault{}, false
}

func present(raw json.RawMessage) bool { return len(raw) > 0 && string(raw) != "null" }

// The most that a completion may have: bytes of text, reasoning and arguments together, and calls. More is no answer of
// use, but a server or model that has lost its end.
const (
	maxAnswer = 4 << 20
	maxCalls  = 64
)

// An answer is a completion as far as it has come.
type answer struct {
	hear      func(llm.Piece)
	nextID    func() string
	text      strings.Builder
	reasoning strings.Builder
	calls     []*call
	usage     llm.Usage
	stop      string
}

// A call is a tool call as far as it has come.
type call struct {
	id    string
	name  string
	index int // -1 when the server gave none
	args  bytes.Buffer
}

// whole tells whether nothing can be missing from the arguments. Without a bracket at the end they are not read.
func (c *call) whole() bool {
	args := bytes.TrimSpace(c.args.Bytes())
	return bytes.HasSuffix(args, []byte("}")) && json.Valid(args)
}

func (a *answer) take(c chunk) {
	if u := c.Usage; u != nil {
		a.usage = llm.Usage{
			Input: u.Input, Output: u.Output, Reasoning: u.OutputDetails.Reasoning,
			Cached: max(u.InputDetails.Cached, u.CacheHit),
		}
	}
	for _, ch := range c.Choices {
		if ch.Index != 0 {
			continue
		}
		for _, p := range []part{ch.Delta, ch.Message} {
			a.think(cmp.Or(plain(p.ReasoningContent), plain(p.Reasoning)))
			a.say(plain(p.Content))
			a.say(p.Refusal)
			for _, f := range p.ToolCalls {
				a.takeCall(f)
			}
		}
		if ch.FinishReason != "" {
			a.stop = ch.FinishReason
		}
	}
}

// excess says what the answer has too much of; "" for nothing.
func (a *answer) excess() string {
	size := a.text.Len() + a.reasoning.Len()
	for _, c := range a.calls {
		size += c.args.Len()
	}
	switch {
	case size > maxAnswer:
		return fmt.Sprintf("longer than %d MiB", maxAnswer>>20)
	case len(a.calls) > maxCalls:
		return fmt.Sprintf("more than %d tool calls", maxCalls)
	}
	return ""
}

func (a *answer) say(text string) {
	if text != "" {
		a.text.WriteString(text)
		a.hear(llm.Piece{Text: text})
	}
}

func (a *answer) think(text string) {
	if text != "" {
		a.reasoning.WriteString(text)
		a.hear(llm.Piece{Reasoning: text})
	}
}

// plain reads content: a string, or a list of parts that have one.
func plain(raw json.RawMessage) string {
	var text string
	if !present(raw) || json.Unmarshal(raw, &text) == nil {
		return text
	}
	var parts []struct {
		Text string `json:"text"`
	}
	if json.Unmarshal(raw, &parts) != nil {
		return ""
	}
	for _, p := range parts {
		text += p.Text
	}
	return text
}

// takeCall adds a fragment to the call it belongs to, or begins one.
func (a *answer) takeCall(f fragment) {
	args := argsText(f.Function.Arguments)
	c := a.find(f)
	if c == nil {
		c = &call{index: -1}
		if f.Index != nil {
			c.index = *f.Index
		}
		a.calls = append(a.calls, c)
	} else if len(args) == c.args.Len() && args == c.args.String() && c.whole() {
		return // some servers end with all the arguments again
	}
	if c.id == "" {
		c.id = f.ID
	}
	if c.name == "" {
		c.name = f.Function.Name
	}
	c.args.WriteString(args)
}

// find returns the call that f goes on with, nil when f begins a new one. An id that is new, or a name where the
// last call is whole or has another, begins a call whatever the index says: some servers number every call 0, some
// none, some repeat id and name in each fragment.
func (a *answer) find(f fragment) *call {
	c := a.candidate(f)
	switch {
	case c == nil:
		return nil
	case f.ID != "" && c.id != "" && f.ID != c.id:
		return nil
	case f.Function.Name == "":
		return c
	case c.name == "":
		return c
	case c.name != f.Function.Name || c.whole():
		return nil
	}
	return c
}

// candidate returns the latest call with the id of f, else with its index, else the last one.
func (a *answer) candidate(f fragment) *call {
	for i := len(a.calls) - 1; i >= 0 && f.ID != ""; i-- {
		if a.calls[i].id == f.ID {
			return a.calls[i]
		}
	}
	for i := len(a.calls) - 1; i >= 0 && f.Index != nil; i-- {
		if a.calls[i].index == *f.Index {
			return a.calls[i]
		}
	}
	if len(a.calls) == 0 || f.Index != nil && f.Function.Name != "" {
		return nil
	}
	return a.calls[len(a.calls)-1]
}

// argsText reads arguments: JSON in a string, as it should be, or the object itself.
func argsText(raw json.RawMessage) string {
	var text string
	if !present(raw) || json.Unmarshal(raw, &text) == nil {
		return text
	}
	return string(raw)
}

func (a *answer) response() llm.Response {
	r := llm.Response{Text: a.text.String(), Reasoning: a.reasoning.String(), Usage: a.usage, Stop: a.stop}
	seen := map[string]bool{}
	for _, c := range a.calls {
		if c.id == "" || seen[c.id] {
			c.id = a.nextID()
		}
		seen[c.id] = true
		r.Calls = append(r.Calls, llm.ToolCall{ID: c.id, Name: c.name, Args: json.RawMessage(c.args.Bytes())})
	}
	return r
}
