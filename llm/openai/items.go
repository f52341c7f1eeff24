package openai

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"
	"sync"

	"almanac/llm"
)

// This file assembles an answer from the events of the Responses interface: items (messages, reasoning, calls) that
// come in deltas, then once more as a whole.

// An event is one of the stream. Fields that do not belong to its Type are zero.
type event struct {
	Type     string          `json:"type"`
	Object   string          `json:"object"` // of a whole answer
	Output   int             `json:"output_index"`
	Summary  int             `json:"summary_index"`
	Delta    json.RawMessage `json:"delta"`
	Args     json.RawMessage `json:"arguments"`
	Item     item            `json:"item"`
	Response struct {
		Status     string `json:"status"`
		Output     []item `json:"output"`
		Incomplete struct {
			Reason string `json:"reason"`
		} `json:"incomplete_details"`
		Usage *struct {
			Input        int `json:"input_tokens"`
			Output       int `json:"output_tokens"`
			InputDetails struct {
				Cached int `json:"cached_tokens"`
			} `json:"input_tokens_details"`
			OutputDetails struct {
				Reasoning int `json:"reasoning_tokens"`
			} `json:"output_tokens_details"`
		} `json:"usage"`
		Error json.RawMessage `json:"error"`
	} `json:"response"`
	Error json.RawMessage `json:"error"`
}

// An item is a part of an answer as servers write it.
type item struct {
	ID        string          `json:"id"`
	Type      string          `json:"type"`
	Content   []itemPart      `json:"content"`
	Summary   []itemPart      `json:"summary"`
	Encrypted string          `json:"encrypted_content"`
	CallID    string          `json:"call_id"`
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments"`
}

type itemPart struct {
	Type    string `json:"type"`
	Text    string `json:"text"`
	Refusal string `json:"refusal,omitempty"`
}

// An itemAnswer is a completion as far as it has come over the Responses interface.
type itemAnswer struct {
	answer
	items []*openItem
}

// An openItem is an item as far as it has come.
type openItem struct {
	index int
	item
	said, thought strings.Builder // what was heard of it
	part          int             // of its summary
	call          *call           // nil for other items
}

func (a *itemAnswer) take(e event) {
	switch e.Type {
	case "response.output_item.added":
		a.open(e.Output, e.Item)
	case "response.output_text.delta", "response.refusal.delta":
		a.sayIn(a.open(e.Output, item{Type: "message"}), plain(e.Delta))
	case "response.reasoning_summary_text.delta", "response.reasoning_text.delta":
		it := a.open(e.Output, item{Type: "reasoning"})
		a.thinkIn(it, e.Summary, plain(e.Delta))
	case "response.function_call_arguments.delta":
		a.open(e.Output, item{Type: "function_call"}).call.args.WriteString(plain(e.Delta))
	case "response.function_call_arguments.done":
		a.close(e.Output, item{Type: "function_call", Arguments: e.Args})
	case "response.output_item.done":
		a.close(e.Output, e.Item)
	case "response.completed", "response.incomplete":
		a.end(e)
	}
}

// open returns the item of a type at the index, a new one with what is known of it if there is none. Where servers do
// not number the items it is the latest of its type.
func (a *itemAnswer) open(index int, known item) *openItem {
	for _, it := range slices.Backward(a.items) {
		if it.index != index || it.Type != known.Type {
			continue
		}
		if it.call == nil {
			return it
		}
		if known.CallID == "" || it.call.id == "" || it.call.id == known.CallID {
			it.call.id, it.call.name = cmp.Or(it.call.id, known.CallID), cmp.Or(it.call.name, known.Name)
			return it
		}
	}
	it := &openItem{index: index, item: known}
	if known.Type == "function_call" {
		it.call = &call{id: known.CallID, name: known.Name, index: index}
		it.call.args.WriteString(argsText(known.Arguments))
		a.calls = append(a.calls, it.call)
	}
	a.items = append(a.items, it)
	return it
}

// close takes in what a whole item has that did not come in deltas.
func (a *itemAnswer) close(index int, whole item) {
	it := a.open(index, item{Type: whole.Type, CallID: whole.CallID, Name: whole.Name})
	switch whole.Type {
	case "function_call":
		if args := argsText(whole.Arguments); args != "" {
			it.call.args.Reset()
			it.call.args.WriteString(args)
		}
	case "message":
		var text string
		for _, p := range whole.Content {
			text += p.Text + p.Refusal
		}
		if rest, ok := strings.CutPrefix(text, it.said.String()); ok {
			a.sayIn(it, rest)
		}
	case "reasoning":
		it.ID, it.Summary, it.Encrypted = whole.ID, whole.Summary, whole.Encrypted
		if it.thought.Len() == 0 {
			for i, p := range slices.Concat(whole.Summary, whole.Content) {
				a.thinkIn(it, i, p.Text)
			}
		}
	}
}

// excess is that of the answer, whose items may be no more than calls may be, with thoughts between them.
func (a *itemAnswer) excess() string {
	size := 0
	for _, it := range a.items {
		size += len(it.Encrypted)
	}
	if len(a.items) > 4*maxCalls || size > maxThoughtBytes {
		return "too many parts"
	}
	return a.answer.excess()
}

func (a *itemAnswer) sayIn(it *openItem, text string) {
	if text == "" {
		return
	}
	if it.said.Len() == 0 && a.text.Len() > 0 {
		a.say("\n\n") // the model said something before
	}
	it.said.WriteString(text)
	a.say(text)
}

// thinkIn hears what the model thought, part for part a paragraph.
func (a *itemAnswer) thinkIn(it *openItem, part int, text string) {
	if text == "" {
		return
	}
	if a.reasoning.Len() > 0 && (it.thought.Len() == 0 || part != it.part) {
		a.think("\n\n")
	}
	it.part = part
	it.thought.WriteString(text)
	a.think(text)
}

// end takes in the whole answer. Of its items it hears those of a type that has not come yet.
func (a *itemAnswer) end(e event) {
	come := map[string]bool{}
	for _, it := range a.items {
		come[it.Type] = true
	}
	for i, whole := range e.Response.Output {
		if !come[whole.Type] {
			a.close(i, whole)
		}
	}
	if u := e.Response.Usage; u != nil {
		a.usage = llm.Usage{
			Input: u.Input, Output: u.Output, Cached: u.InputDetails.Cached, Reasoning: u.OutputDetails.Reasoning,
		}
	}
	switch reason := e.Response.Incomplete.Reason; {
	case e.Type == "response.incomplete" && reason == llm.StopFilter:
		a.stop = llm.StopFilter
	case e.Type == "response.incomplete":
		a.stop = llm.StopLength
	case len(a.calls) > 0:
		a.stop = "tool_calls"
	default:
		a.stop = "stop"
	}
}

// encrypted returns the reasoning items before each call, once the calls have their ids.
func (a *itemAnswer) encrypted(model string) []thought {
	var all []thought
	var open []json.RawMessage
	slices.SortStableFunc(a.items, func(x, y *openItem) int { return cmp.Compare(x.index, y.index) })
	for _, it := range a.items {
		switch {
		case it.Type == "reasoning" && it.Encrypted != "":
			text, _ := json.Marshal(map[string]any{
				"type": it.Type, "id": it.ID, "encrypted_content": it.Encrypted, "summary": append([]itemPart{}, it.Summary...),
			})
			open = append(open, text)
		case it.call != nil:
			for _, text := range open {
				all = append(all, thought{model, it.call.id, text})
			}
			open = nil
		}
	}
	return all
}

// A thought is reasoning that only the server can read. It wants it back with the call that followed.
type thought struct {
	model, callID string
	item          json.RawMessage
}

// Bounds of the thoughts that are kept, oldest first out: the turns that run have room in them.
const (
	maxThoughts     = 256
	maxThoughtBytes = 8 << 20
)

// A thoughtStore keeps thoughts with the provider and not in the conversation: no other server can use them, and no log
// has them. Safe for concurrent use.
type thoughtStore struct {
	mu   sync.Mutex
	kept []thought
	size int
}

func (t *thoughtStore) keep(all []thought) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, one := range all {
		t.kept = append(t.kept, one)
		t.size += len(one.item)
	}
	out := 0
	for out < len(t.kept) && (len(t.kept)-out > maxThoughts || t.size > maxThoughtBytes) {
		t.size -= len(t.kept[out].item)
		out++
	}
	t.kept = slices.Delete(t.kept, 0, out)
}

// before returns what the model thought before the call.
func (t *thoughtStore) before(model, callID string) []json.RawMessage {
	t.mu.Lock()
	defer t.mu.Unlock()
	var all []json.RawMessage
	for _, one := range t.kept {
		if one.model == model && one.callID == callID {
			all = append(all, one.item)
		}
	}
	return all
}
