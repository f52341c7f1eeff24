package llm

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// A step is what a scripted provider does for one request: it streams text, then fails, hangs or answers.
type step struct {
	text  string
	think string // before the text
	calls []ToolCall
	err   error
	hang  bool // after the text, until ctx is done
	stop  string
	usage Usage
}

// A scripted is a Provider whose steps are fixed. It fails the test when a request breaks the rules that servers
// have for the order of messages.
type scripted struct {
	t        *testing.T
	steps    []step
	requests []Request
	hanging  chan struct{} // gets a value when a step hangs
}

func (s *scripted) Complete(ctx context.Context, r Request, hear func(Piece)) (Response, error) {
	checkOrder(s.t, r.Messages)
	s.requests = append(s.requests, r)
	if len(s.requests) > len(s.steps) {
		s.t.Fatalf("request %d: the script has %d steps", len(s.requests), len(s.steps))
	}
	now := s.steps[len(s.requests)-1]
	if now.think != "" {
		hear(Piece{Reasoning: now.think})
	}
	for _, word := range strings.SplitAfter(now.text, " ") {
		if word != "" {
			hear(Piece{Text: word})
		}
	}
	if now.hang {
		s.hanging <- struct{}{}
		<-ctx.Done()
		return Response{}, ctx.Err()
	}
	if now.err != nil {
		return Response{}, now.err
	}
	return Response{Text: now.text, Reasoning: now.think, Calls: now.calls, Stop: now.stop, Usage: now.usage}, nil
}

// checkOrder fails when a call has no answer, an answer no call, or two messages of one speaker follow each other.
func checkOrder(t *testing.T, ms []Message) {
	t.Helper()
	var open []string
	for i, m := range ms {
		if m.Role == ToolRole {
			if len(open) == 0 || open[0] != m.CallID || m.Text == "" {
				t.Errorf("message %d: answer %q to %q, open calls: %q", i, m.Text, m.CallID, open)
				return
			}
			open = open[1:]
			continue
		}
		if len(open) > 0 {
			t.Errorf("message %d: calls %q have no answer", i, open)
		}
		if i == 0 && m.Role != User || i > 0 && m.Role == User && ms[i-1].Role != Assistant {
			t.Errorf("message %d: out of turn: %s", i, m.Role)
		}
		for _, c := range m.Calls {
			if !json.Valid(c.Args) {
				t.Errorf("message %d: arguments %q are no JSON", i, c.Args)
			}
			open = append(open, c.ID)
		}
	}
	if len(open) > 0 {
		t.Errorf("calls %q have no answer", open)
	}
}

func call(id, name, args string) ToolCall {
	return ToolCall{ID: id, Name: name, Args: json.RawMessage(args)}
}

// transcript writes messages one a line.
func transcript(ms []Message) []string {
	var lines []string
	for _, m := range ms {
		line := string(m.Role) + ": " + m.Text
		for _, c := range m.Calls {
			line += fmt.Sprintf(" <%s %s>", c.Name, c.Args)
		}
		lines = append(lines, line)
	}
	return lines
}

func echo(name string) Tool {
	return Tool{Name: name, Run: func(_ context.Context, args json.RawMessage) (Answer, error) {
		return Answer{Text: name + " got " + string(args)}, nil
	}}
}

func TestSendRunsTools(t *testing.T) {
	p := &scripted{t: t, steps: []step{
		{text: "I look. ", calls: []ToolCall{call("a", "one", `{"x":1}`), call("b", "two", "")},
			usage: Usage{Input: 10, Output: 4}},
		{text: "It is done.", usage: Usage{Input: 30, Output: 5, Cached: 8}},
	}}
	var events []string
	c := NewConversation(Options{
		Target: Target{Provider: p, Model: "m"}, System: func() Prompt { return Prompt{Text: "be brief"} },
		Tools: func() []Tool { return []Tool{echo("one"), echo("two")} },
		Observe: func(e Event) {
			events = append(events, strings.TrimSpace(fmt.Sprintf("%d %s%s", e.Kind, e.Text, e.Call.Name)))
		},
	})
	answer, err := c.Send(t.Context(), "do it")
	if err != nil || answer != "It is done." {
		t.Fatalf("answer %q, error %v", answer, err)
	}
	want := []string{
		"user: do it",
		`assistant: I look.  <one {"x":1}> <two {}>`,
		`tool: one got {"x":1}`,
		`tool: two got {}`,
		"assistant: It is done.",
	}
	if d := cmp.Diff(want, transcript(c.Messages())); d != "" {
		t.Error(d)
	}
	wantEvents := []string{
		"1 I", "1 look.", "2 I look.", "3 one", `4 one got {"x":1}one`, "3 two", "4 two got {}two",
		"1 It", "1 is", "1 done.", "2 It is done.",
	}
	if d := cmp.Diff(wantEvents, events); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff(Usage{Input: 40, Output: 9, Cached: 8, Completions: 2}, counted(c.Usage())); d != "" {
		t.Error(d)
	}
	if r := p.requests[0]; r.System != "be brief" || r.Model != "m" || len(r.Tools) != 2 {
		t.Errorf("request: %+v", r)
	}
}

func TestToolAnswers(t *testing.T) {
	broken := Tool{Name: "broken", Run: func(context.Context, json.RawMessage) (Answer, error) {
		return Answer{Text: "half"}, errors.New("it broke")
	}}
	silent := Tool{Name: "silent", Run: func(context.Context, json.RawMessage) (Answer, error) { return Answer{}, nil }}
	for _, test := range []struct {
		name string
		call ToolCall
		stop string
		want string
	}{
		{"unknown tool", call("a", "tree", "{}"), "", `error: unknown tool "tree": the tools are one, broken, silent`},
		{"malformed", call("a", "one", `{"x":`), "",
			"error: one: arguments are not a JSON object: unexpected end of JSON input at byte 5 of 5; send them again"},
		{"cut off", call("a", "one", `{"x":`), StopLength,
			"error: one: arguments cut off at the output limit; split the script into several calls"},
		{"not an object", call("a", "one", `[1]`), "",
			"error: one: arguments are not a JSON object: got array; send them again"},
		{"none", call("a", "one", ""), "", "one got {}"},
		{"null", call("a", "one", "null"), "", "one got {}"},
		{"object in a string", call("a", "one", `"{\"x\":1}"`), "", `one got {"x":1}`},
		{"raw line ends", call("a", "one", "{\"x\":\"a\nb\"}"), "", `one got {"x":"a\u000ab"}`},
		{"tool fails", call("a", "broken", "{}"), "", "half\nerror: it broke"},
		{"nothing", call("a", "silent", "{}"), "", "(nothing)"},
	} {
		t.Run(test.name, func(t *testing.T) {
			p := &scripted{t: t, steps: []step{{calls: []ToolCall{test.call}, stop: test.stop}, {text: "ok"}}}
			c := NewConversation(Options{Target: Target{Provider: p},
				Tools: func() []Tool { return []Tool{echo("one"), broken, silent} }})
			if _, err := c.Send(t.Context(), "go"); err != nil {
				t.Fatal(err)
			}
			if got := c.Messages()[2].Text; got != test.want {
				t.Errorf("got  %s\nwant %s", got, test.want)
			}
		})
	}
}

func TestInterruptLeavesValidHistory(t *testing.T) {
	twoCalls := []ToolCall{call("a", "stop", "{}"), call("b", "stop", "{}")}
	for _, test := range []struct {
		name  string
		steps []step
		want  []string // the history after the interrupt
	}{
		{"before any text", []step{{hang: true}}, nil},
		{"amid text", []step{{text: "Well, I", hang: true}}, []string{"user: go", "assistant: Well, I\n[interrupted]"}},
		{"in the first tool", []step{{text: "Now.", calls: twoCalls}}, []string{
			"user: go", "assistant: Now. <stop {}> <stop {}>", "tool: interrupted by the person",
			"tool: not run: interrupted by the user",
		}},
		{"after a tool", []step{{calls: []ToolCall{call("a", "one", "{}")}}, {hang: true}}, []string{
			"user: go", "assistant:  <one {}>", "tool: one got {}",
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			p := &scripted{t: t, steps: append(test.steps, step{text: "hello again"}), hanging: make(chan struct{}, 1)}
			stop := Tool{Name: "stop", Run: func(ctx context.Context, _ json.RawMessage) (Answer, error) {
				cancel()
				return Answer{}, ctx.Err()
			}}
			c := NewConversation(Options{Target: Target{Provider: p}, Tools: func() []Tool { return []Tool{echo("one"), stop} }})
			go func() {
				select {
				case <-p.hanging:
					cancel()
				case <-ctx.Done():
				}
			}()
			if _, err := c.Send(ctx, "go"); !errors.Is(err, context.Canceled) {
				t.Fatalf("error %v", err)
			}
			if d := cmp.Diff(test.want, transcript(c.Messages())); d != "" {
				t.Error(d)
			}
			if answer, err := c.Send(t.Context(), "again"); err != nil || answer != "hello again" {
				t.Errorf("the next Send: %q, %v", answer, err)
			}
		})
	}
}

// TestFailedPrompt shows that a prompt that failed is not sent with the next one, and is what Retry sends.
func TestFailedPrompt(t *testing.T) {
	p := &scripted{t: t, steps: []step{{err: &Error{Kind: BadKey, Message: "no", Hint: "check the key"}}, {text: "hi"}}}
	c := NewConversation(Options{Target: Target{Provider: p}})
	if _, err := c.Send(t.Context(), "first"); err == nil || err.Error() != "no; check the key" {
		t.Fatalf("error %v", err)
	}
	if _, err := c.Send(t.Context(), "second"); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]string{"user: second"}, transcript(p.requests[1].Messages)); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]string{"user: second", "assistant: hi"}, transcript(c.Messages())); d != "" {
		t.Error(d)
	}
	if _, err := c.Retry(t.Context()); err == nil || c.Failed() != "" {
		t.Errorf("retry of an answered prompt: %v", err)
	}
}

func TestRetryFailedPrompt(t *testing.T) {
	failed := &Error{Kind: BadKey, Message: "no"}
	for _, test := range []struct {
		name  string
		steps []step
		sent  []string // by Retry
		want  []string // the history afterwards
	}{
		{"nothing came", []step{{err: failed}, {text: "hi"}}, []string{"user: go"}, []string{"user: go", "assistant: hi"}},
		{"half an answer", []step{{text: "half", err: failed}, {text: "hi"}}, []string{"user: go"},
			[]string{"user: go", "assistant: hi"}},
		{"after a tool", []step{{calls: []ToolCall{call("a", "one", "{}")}}, {err: failed}, {text: "hi"}},
			[]string{"user: go", "assistant:  <one {}>", "tool: one got {}"},
			[]string{"user: go", "assistant:  <one {}>", "tool: one got {}", "assistant: hi"}},
		{"empty answer", []step{{}, {text: "hi"}}, []string{"user: go"}, []string{"user: go", "assistant: hi"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			p := &scripted{t: t, steps: test.steps}
			var kept []Message
			c := NewConversation(Options{Target: Target{Provider: p}, Retries: -1,
				Tools: func() []Tool { return []Tool{echo("one")} },
				Keep:  func(m Message) { kept = append(kept, m) }})
			if _, err := c.Send(t.Context(), "go"); err == nil || c.Failed() != "go" {
				t.Fatalf("error %v, failed %q", err, c.Failed())
			}
			if answer, err := c.Retry(t.Context()); err != nil || answer != "hi" || c.Failed() != "" {
				t.Errorf("%q, %v, failed %q", answer, err, c.Failed())
			}
			if d := cmp.Diff(test.sent, transcript(p.requests[len(p.requests)-1].Messages)); d != "" {
				t.Errorf("sent (-want +got)\n%s", d)
			}
			if d := cmp.Diff(test.want, transcript(c.Messages())); d != "" {
				t.Errorf("history (-want +got)\n%s", d)
			}
			if d := cmp.Diff(test.want, transcript(whole(kept))); d != "" {
				t.Errorf("restored (-want +got)\n%s", d)
			}
		})
	}
}

func TestRetry(t *testing.T) {
	limited := &Error{Kind: RateLimited, Message: "429"}
	for _, test := range []struct {
		name  string
		steps []step
		tries int
		fails bool
	}{
		{"comes good", []step{{err: limited}, {err: limited}, {text: "ok"}}, 3, false},
		{"never comes good", []step{{err: limited}, {err: limited}, {err: limited}, {err: limited}}, 4, true},
		{"text has come", []step{{text: "half ", err: &Error{Kind: Broken}}}, 1, true},
		{"no use", []step{{err: &Error{Kind: BadKey}}}, 1, true},
		{"not an llm error", []step{{err: errors.New("odd")}}, 1, true},
		{"a long wait", []step{{err: &Error{Kind: RateLimited, RetryAfter: time.Hour}}}, 1, true},
		{"a short wait", []step{{err: &Error{Kind: ServerFault, RetryAfter: time.Millisecond}}, {text: "ok"}}, 2, false},
		{"nothing said", []step{{}}, 1, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			p := &scripted{t: t, steps: test.steps}
			told := 0
			c := NewConversation(Options{Target: Target{Provider: p}, RetryWait: time.Microsecond, Observe: func(e Event) {
				if e.Kind == Retrying {
					if told++; e.Retry.N != told || e.Retry.Of != 3 || e.Retry.Wait <= 0 || e.Err == nil {
						t.Errorf("retry %d: %+v", told, e)
					}
				}
			}})
			_, err := c.Send(t.Context(), "go")
			if told == 3 && !strings.HasSuffix(err.Error(), "(after 3 retries)") {
				t.Errorf("error %v", err)
			}
			if (err != nil) != test.fails || len(p.requests) != test.tries || told != test.tries-1 {
				t.Errorf("error %v after %d tries, %d told", err, len(p.requests), told)
			}
		})
	}
}

func TestInterruptWhileWaitingToRetry(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	p := &scripted{t: t, steps: []step{{err: &Error{Kind: RateLimited}}}}
	c := NewConversation(Options{Target: Target{Provider: p}, RetryWait: time.Hour, Observe: func(e Event) { cancel() }})
	if _, err := c.Send(ctx, "go"); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

func TestBusyAndReset(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	p := &scripted{t: t, steps: []step{{hang: true}, {text: "fresh"}}, hanging: make(chan struct{}, 1)}
	c := NewConversation(Options{Target: Target{Provider: p}})
	done := make(chan error, 1)
	go func() {
		_, err := c.Send(ctx, "one")
		done <- err
	}()
	<-p.hanging
	if _, err := c.Send(t.Context(), "two"); !errors.Is(err, ErrBusy) {
		t.Errorf("a second Send: %v", err)
	}
	c.Reset()
	if n := len(c.Messages()); n != 1 {
		t.Errorf("%d messages while the Send runs", n)
	}
	cancel()
	<-done
	if n := len(c.Messages()); n != 0 {
		t.Errorf("%d messages after the reset", n)
	}
	if _, err := c.Send(t.Context(), " \n"); err == nil {
		t.Error("an empty message was sent")
	}
}

func TestTurnLimit(t *testing.T) {
	again := step{calls: []ToolCall{call("a", "one", "{}")}}
	p := &scripted{t: t, steps: []step{again, again, {text: "done"}}}
	c := NewConversation(Options{Target: Target{Provider: p}, MaxTurns: 2,
		Tools: func() []Tool { return []Tool{echo("one")} }})
	_, err := c.Send(t.Context(), "go")
	var limit *TurnLimitError
	if !errors.As(err, &limit) || limit.Turns != 2 {
		t.Fatalf("error %v", err)
	}
	if answer, err := c.Send(t.Context(), "go on"); err != nil || answer != "done" {
		t.Errorf("%q, %v", answer, err)
	}
}

func TestCutOffAnswerSaysSo(t *testing.T) {
	p := &scripted{t: t, steps: []step{{text: "Once upon", stop: StopLength}, {stop: StopFilter}}}
	var heard strings.Builder
	c := NewConversation(Options{Target: Target{Provider: p}, Observe: func(e Event) {
		if e.Kind == Delta {
			heard.WriteString(e.Text)
		}
	}})
	want := "Once upon\n[cut off: output limit reached]"
	answer, err := c.Send(t.Context(), "tell")
	if err != nil || answer != want || heard.String() != want {
		t.Errorf("%q, %v, heard %q", answer, err, heard.String())
	}
	if answer, err := c.Send(t.Context(), "tell"); err != nil || answer != "[cut off by the server's content filter]" {
		t.Errorf("%q, %v", answer, err)
	}
}

func FuzzArguments(f *testing.F) {
	for _, s := range []string{"", "null", `{"a":1}`, "{\"a\":\"\n\"}", `"{}"`, `"\"{}\""`, `"`, `{"\`, "\"\x00\"", `[`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		args, ok := objectArgs(json.RawMessage(s))
		var object map[string]any
		if ok && json.Unmarshal(args, &object) != nil {
			t.Errorf("%q was read as %q, which is no object", s, args)
		}
		stored := storable(ToolCall{Args: json.RawMessage(s)})
		if json.Unmarshal(stored.Args, &object) != nil {
			t.Errorf("%q is stored as %q, which is no object", s, stored.Args)
		}
	})
}
