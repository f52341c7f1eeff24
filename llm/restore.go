package llm

import (
	"slices"
	"strings"
)

// Restore replaces the history with the messages that an earlier conversation passed to Options.Keep, in order. The
// last of several answers to one call wins. Messages that servers reject are dropped or repaired: answers without a
// call, calls without an answer, prompts without one, an answer that was cut off and sent again, unknown roles. A last
// prompt that has no whole answer is one that Retry sends again. Requests begin at the last summary. Until the next
// request, Context estimates their length. The error is ErrBusy.
func (c *Conversation) Restore(kept []Message) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.busy {
		return ErrBusy
	}
	c.clear()
	c.messages = whole(kept)
	c.start = lastSummary(c.messages)
	c.context.estimated = totalTokens(c.messages[c.start:])
	c.failed = unansweredPrompt(kept, c.messages)
	return nil
}

// unansweredPrompt is the last prompt of what was kept, of which ms was made, where it has no whole answer; else nil.
func unansweredPrompt(kept, ms []Message) *failed {
	for len(kept) > 0 && thoughtOnly(kept[len(kept)-1]) {
		kept = kept[:len(kept)-1]
	}
	n := len(kept)
	switch {
	case n == 0 || kept[n-1].Role == Cut:
		return nil
	case kept[n-1].isPrompt():
		return &failed{prompt: kept[n-1].Text, gone: true}
	case len(ms) == 0:
		return nil
	}
	last, at := ms[len(ms)-1], lastTurn(ms)
	if ms[at].Role == User && (last.Role == ToolRole || strings.HasSuffix(last.Text, "\n"+interruptedMark)) {
		return &failed{prompt: promptIn(ms, at)}
	}
	return nil
}

// thoughtOnly tells that m is reasoning that led to nothing.
func thoughtOnly(m Message) bool { return m.Role == Assistant && m.Text == "" && len(m.Calls) == 0 }

// lastSummary is where requests begin: at the newest summary, or the first message.
func lastSummary(ms []Message) int {
	for i := len(ms) - 1; i > 0; i-- {
		if ms[i].Role == Summary {
			return i
		}
	}
	return 0
}

// whole makes a valid history of messages as they were kept.
func whole(kept []Message) []Message {
	var out []Message
	var open map[string]int // where the answers of the last assistant message are
	for _, m := range kept {
		switch m.Role {
		case User:
			open = nil
			out = append(answered(out), m)
		case Assistant:
			if thoughtOnly(m) {
				continue
			}
			if n := len(out); n > 0 && out[n-1].Role == Assistant {
				out = out[:n-1]
			}
			open = map[string]int{}
			said := m
			said.Calls = nil
			for _, call := range m.Calls {
				said.Calls = append(said.Calls, storable(call))
			}
			out = append(out, said)
			for _, call := range said.Calls {
				open[call.ID] = len(out)
				out = append(out, Message{Role: ToolRole, CallID: call.ID, Text: unanswered})
			}
		case ToolRole:
			if at, ok := open[m.CallID]; ok {
				out[at].Text, out[at].Short = m.Text, m.Short
			}
		case Cut:
			out, open = out[:promptOf(out, m.Cell)], nil
		case Summary:
			at := len(out)
			for range m.After {
				at = lastTurn(out[:at])
			}
			out = slices.Insert(out, at, m)
			for id := range open {
				if open[id] >= at {
					open[id]++
				}
			}
		}
	}
	return answered(out)
}

// answered is ms without a prompt at its end, and what arrived for it: it failed, or the program ended before it was
// answered.
func answered(ms []Message) []Message {
	n := len(ms)
	if n == 0 || !ms[n-1].isPrompt() {
		return ms
	}
	cell := ms[n-1].Cell
	for n--; n > 0 && ms[n-1].isArrival() && ms[n-1].Cell == cell; n-- {
	}
	return ms[:n]
}
