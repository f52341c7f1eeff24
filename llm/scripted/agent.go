// Package scripted is a deterministic agent in place of a model: a Provider that follows fixed rules and reads only
// what a model would see, which is the system text, the messages and the tools. It makes tokens,
// turns and safety comparable without a network, and it says in its words that it is no model.
//
//	Agent    the provider
//	goal     a part of a prompt: its words, and the values in it
//	action   what an agent has read of an action
//	plan     a call of an action: its arguments and where they come from
//
// With a query, a describe and an execute tool it searches for each goal, describes the first hits and writes a Lua
// script. With other tools it takes the one whose words are most like the goal. Start at Agent.Complete.
package scripted

import (
	"context"
	"fmt"
	"iter"
	"strings"
	"sync"

	"almanac/llm"
)

// Name is the model's name of an Agent.
const Name = "scripted"

// An Agent does one prompt at a time, by rules. The zero value is ready to use.
type Agent struct {
	mu   sync.Mutex
	next func() (llm.Response, bool)
	stop func()
	run  *run
}

// A run is one prompt on its way.
type run struct {
	request llm.Request
	yield   func(llm.Response) bool
	calls   int
	goals   []goal
	have    []result
	records []string // those that the parts so far have named
	said    []string
	stopped bool
}

// A result is what an earlier call gave.
type result struct {
	action action
	name   string // the global that has it; with three tools only
	value  any    // with a tool for each action only
}

// Complete implements llm.Provider.
func (a *Agent) Complete(ctx context.Context, r llm.Request, hear func(llm.Piece)) (llm.Response, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if err := ctx.Err(); err != nil {
		return llm.Response{}, err
	}
	if len(r.Messages) == 0 {
		return llm.Response{}, fmt.Errorf("scripted agent: no prompt")
	}
	if last := r.Messages[len(r.Messages)-1]; last.Role != llm.ToolRole || a.next == nil {
		a.end()
		a.run = &run{goals: goalsOf(last.Text)}
		a.next, a.stop = iter.Pull(a.run.do)
	}
	a.run.request = r
	p, ok := a.next()
	if !ok {
		p.Text = "I stopped."
	}
	if len(p.Calls) == 0 {
		a.end()
	}
	if p.Text != "" {
		hear(llm.Piece{Text: p.Text})
	}
	return p, nil
}

// Close ends a run that was left before its end.
func (a *Agent) Close() error {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.end()
	return nil
}

func (a *Agent) end() {
	if a.stop != nil {
		a.stop()
		a.next, a.stop = nil, nil
	}
}

// do follows the rules until they end.
func (r *run) do(yield func(llm.Response) bool) {
	r.yield = yield
	pursue := r.pursueDirectly
	if tools, ok := r.layer(); ok {
		pursue = func(g goal) { r.pursue(tools, g) }
	}
	for _, g := range r.goals {
		for _, v := range g.values {
			if v.kind == record {
				r.records = append(r.records, v.text)
			}
		}
		if pursue(g); r.stopped {
			break
		}
	}
	text := strings.Join(r.said, "\n")
	if text == "" {
		text = "I found no action for this."
	}
	yield(llm.Response{Text: text + "\n(scripted agent: fixed rules, no model)"})
}

// A call is one that the agent wishes for.
type call struct {
	tool string
	args map[string]any
}

// turn asks for calls and returns their answers. None come once the run has been stopped.
func (r *run) turn(calls ...call) []string {
	p := llm.Response{}
	for _, c := range calls {
		r.calls++
		p.Calls = append(p.Calls, llm.ToolCall{ID: fmt.Sprintf("call_%d", r.calls), Name: c.tool, Args: encode(c.args)})
	}
	answers := make([]string, len(calls))
	if r.stopped || !r.yield(p) {
		r.stopped = true
		return answers
	}
	ms := r.request.Messages
	for i := range calls {
		if at := len(ms) - len(calls) + i; at >= 0 {
			answers[i] = ms[at].Text
		}
	}
	return answers
}

func (r *run) say(format string, args ...any) { r.said = append(r.said, fmt.Sprintf(format, args...)) }

// layerTools are the names of the three tools.
type layerTools struct{ query, describe, execute string }

// layer finds the three tools by the ends of their names.
func (r *run) layer() (t layerTools, ok bool) {
	for _, tool := range r.request.Tools {
		switch {
		case strings.HasSuffix(tool.Name, "_query"):
			t.query = tool.Name
		case strings.HasSuffix(tool.Name, "_describe"):
			t.describe = tool.Name
		case strings.HasSuffix(tool.Name, "_execute"):
			t.execute = tool.Name
		}
	}
	return t, t.query != "" && t.describe != "" && t.execute != ""
}
