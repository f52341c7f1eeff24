package tools_test

import (
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"almanac/llm"
	"almanac/llm/openai"
	"almanac/llm/openai/openaitest"
	"almanac/llm/tools"
	"almanac/session"
)

// TestSoak holds a long conversation over a socket, two calls in parallel in each turn: what it needs beyond its
// history does not grow, and every request is valid and fits the window. make soak has 1,000 turns.
func TestSoak(t *testing.T) {
	const window = 12_000
	turns := 100
	if n, err := strconv.Atoi(os.Getenv("ALMANAC_SOAK")); err == nil {
		turns = n
	}
	early := turns / 5
	view := open(t)
	s := newSession(t, view, session.Options{})
	server := openaitest.New()
	defer server.Close()
	longest, compactions := 0, 0
	server.Answer(func(r openaitest.Request) openaitest.Reply {
		longest = max(longest, tokens(r))
		if fault := invalid(r.Messages); fault != "" {
			t.Error(fault)
			return openaitest.Reply{Status: 400}
		}
		switch last := r.Messages[len(r.Messages)-1]; {
		case strings.HasPrefix(last.Content, "Sum up this conversation"):
			compactions++
			return openaitest.Reply{Text: "The person asks for invoices, turn after turn; the latest are in the global found."}
		case last.Role == "tool":
			return openaitest.Reply{Text: "They are in `found`."}
		}
		return openaitest.Reply{Reasoning: "I run it.", Calls: []openaitest.Call{
			{Name: "lua_tools_execute", Args: `{"script":"found = billing.invoice.list_unpaid{customer_id='cus_0001'}; return found"}`},
			{Name: "lua_tools_query", Args: `{"script":"return catalog.search('refund', {limit=3})"}`},
		}}
	})
	briefing := tools.NewBriefing(s, tools.Options{})
	kept := 0
	c := llm.NewConversation(llm.Options{
		Target: llm.Target{Provider: openai.New(openai.Options{BaseURL: server.URL()}), Model: "scripted", Window: window},
		System: briefing.System, Tools: briefing.Tools,
		Keep: func(m llm.Message) {
			kept += len(m.Text) + len(m.Short) + len(m.Reasoning)
			for _, call := range m.Calls {
				kept += len(call.Args)
			}
		},
	})
	type size struct{ heap, kept, goroutines int }
	measure := func() size {
		runtime.GC()
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return size{int(m.HeapAlloc), kept, runtime.NumGoroutine()}
	}
	var before size
	for i := range turns {
		if i == early {
			before = measure()
		}
		answer, err := c.Send(t.Context(), fmt.Sprintf("Turn %d: which invoices are unpaid?", i))
		if err != nil || answer != "They are in `found`." {
			t.Fatalf("turn %d: %q, %v", i, answer, err)
		}
	}
	after := measure()
	t.Logf("%d turns, %d compactions, longest request %d tokens; heap %d KB at turn %d, %d KB at the end, history %d KB more",
		turns, compactions, longest, before.heap>>10, early, after.heap>>10, (after.kept-before.kept)>>10)
	if longest > window {
		t.Errorf("a request of %d tokens, the window has %d", longest, window)
	}
	if compactions == 0 || compactions > turns/20 {
		t.Errorf("%d compactions", compactions)
	}
	if grown, history := after.heap-before.heap, after.kept-before.kept; grown > 2*history+1<<20 {
		t.Errorf("the heap grew by %d bytes, the history by %d", grown, history)
	}
	if after.goroutines > before.goroutines+10 { // connections that are closing
		t.Errorf("%d goroutines at turn %d, %d at the end", before.goroutines, early, after.goroutines)
	}
	if n := len(c.Messages()); n != turns*5+compactions {
		t.Errorf("the history has %d messages", n)
	}
}

// tokens is a quarter of the bytes of the messages, with what frames them.
func tokens(r openaitest.Request) int {
	n := 0
	for _, m := range r.Messages {
		n += len(m.Content)/4 + 4
		for _, call := range m.ToolCalls {
			n += len(call.Function.Arguments) / 4
		}
	}
	return n
}

// invalid says what a strict server would refuse: a call without its answer, or an answer without its call.
func invalid(messages []openaitest.Message) string {
	var open []string
	for i, m := range messages {
		switch {
		case m.Role == "tool" && (len(open) == 0 || open[0] != m.ToolCallID):
			return fmt.Sprintf("message %d answers %s, want %v", i, m.ToolCallID, open)
		case m.Role == "tool":
			open = open[1:]
			continue
		case len(open) > 0:
			return fmt.Sprintf("message %d comes before the answers to %v", i, open)
		}
		for _, call := range m.ToolCalls {
			open = append(open, call.ID)
		}
	}
	return ""
}
