package llm

import (
	"context"
	"encoding/json"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// twice asks for two tools at once and then answers.
type twice struct{ asked int }

func (p *twice) Complete(_ context.Context, _ Request, hear func(Piece)) (Response, error) {
	if p.asked++; p.asked == 1 {
		return Response{Calls: []ToolCall{{ID: "a", Name: "run", Args: json.RawMessage(`{}`)}, {ID: "b", Name: "run"}}}, nil
	}
	hear(Piece{Text: "done"})
	return Response{Text: "done"}, nil
}

// TestRestore shows that what Keep was told, cut off anywhere, is a history again.
func TestRestore(t *testing.T) {
	var kept []Message
	c := NewConversation(Options{
		Target: Target{Provider: &twice{}}, Keep: func(m Message) { kept = append(kept, m) },
		Tools: func() []Tool {
			return []Tool{{Name: "run", Run: func(context.Context, json.RawMessage) (Answer, error) {
				return Answer{Text: "ran"}, nil
			}}}
		},
	})
	if _, err := c.Send(t.Context(), "go"); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(c.Messages(), kept); diff != "" {
		t.Errorf("kept (-history +kept)\n%s", diff)
	}
	other := NewConversation(Options{Target: Target{Provider: &twice{}}})
	if err := other.Restore(kept); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(c.Messages(), other.Messages()); diff != "" {
		t.Errorf("(-was +is)\n%s", diff)
	}
	if other.Context().Used == 0 {
		t.Error("the context is empty")
	}
	for n := range kept {
		messages := whole(kept[:n])
		answers := 0
		for i, m := range messages {
			switch m.Role {
			case Assistant:
				answers = len(m.Calls)
			case ToolRole:
				if answers--; answers < 0 {
					t.Errorf("%d kept: message %d answers nothing", n, i)
				}
			}
		}
		if answers > 0 {
			t.Errorf("%d kept: %d calls without an answer", n, answers)
		}
	}
}

// TestKeepsWhatHappened shows that what Keep is told says of no tool that it was not run, unless it was not.
func TestKeepsWhatHappened(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	var kept []Message
	c := NewConversation(Options{
		Target: Target{Provider: &twice{}}, Keep: func(m Message) { kept = append(kept, m) },
		Tools: func() []Tool {
			return []Tool{{Name: "run", Run: func(context.Context, json.RawMessage) (Answer, error) {
				cancel()
				return Answer{Text: "ran"}, nil
			}}}
		},
	})
	if _, err := c.Send(ctx, "go"); err == nil {
		t.Fatal("not interrupted")
	}
	want := []string{"user: go", "assistant:  <run {}> <run {}>", "tool: ran", "tool: " + notRun}
	if diff := cmp.Diff(want, transcript(kept)); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestRestoreMends(t *testing.T) {
	kept := []Message{
		{Role: ToolRole, CallID: "x", Text: "of no call"},
		{Role: "nobody", Text: "?"},
		{Role: User, Text: "hi"},
		{Role: Assistant, Calls: []ToolCall{{ID: "a", Name: "run", Args: json.RawMessage(`[1]`)}}},
		{Role: User, Text: "failed"},
		{Role: User, Text: "again"},
		{Role: ToolRole, CallID: "a", Text: "too late"},
		{Role: Assistant, Text: "He\n[interrupted]"},
		{Role: Assistant, Text: "Hello"},
		{Role: User, Text: "not answered"},
	}
	want := []Message{
		{Role: User, Text: "hi"},
		{Role: Assistant, Calls: []ToolCall{{ID: "a", Name: "run", Args: json.RawMessage(`{"malformed":"[1]"}`)}}},
		{Role: ToolRole, CallID: "a", Text: unanswered},
		{Role: User, Text: "again"},
		{Role: Assistant, Text: "Hello"},
	}
	if diff := cmp.Diff(want, whole(kept)); diff != "" {
		t.Error(diff)
	}
}

// TestRetryOfRestored shows that a conversation that was cut off anywhere before the answer can go on from there.
func TestRetryOfRestored(t *testing.T) {
	asked := Message{Role: Assistant, Calls: []ToolCall{{ID: "a", Name: "run", Args: json.RawMessage(`{}`)}}}
	ran := Message{Role: ToolRole, CallID: "a", Text: "ran"}
	was := []Message{{Role: User, Text: "hi"}, {Role: Assistant, Text: "Hello"}, {Role: User, Text: "go", Cell: 2}}
	for _, c := range []struct {
		name   string
		after  []Message
		failed string
		want   []string // what came after the first answer, when it was retried
	}{
		{"nothing came", nil, "go", []string{"user: go", "assistant: done"}},
		{"thought", []Message{{Role: Assistant, Reasoning: "hm"}}, "go", []string{"user: go", "assistant: done"}},
		{"a call", []Message{asked}, "go",
			[]string{"user: go", "assistant:  <run {}>", "tool: " + unanswered, "assistant: done"}},
		{"an answered call", []Message{asked, ran}, "go",
			[]string{"user: go", "assistant:  <run {}>", "tool: ran", "assistant: done"}},
		{"half an answer", []Message{{Role: Assistant, Text: "Do\n[interrupted]"}}, "go",
			[]string{"user: go", "assistant: done"}},
		{"an answer", []Message{asked, ran, {Role: Assistant, Text: "Done."}}, "", nil},
		{"taken back", []Message{asked, {Role: Cut, Cell: 2}}, "", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			conversation := NewConversation(Options{Target: Target{Provider: &twice{asked: 1}}})
			if err := conversation.Restore(slices.Concat(was, c.after)); err != nil {
				t.Fatal(err)
			}
			if got := conversation.Failed(); got != c.failed {
				t.Fatalf("failed: %q, want %q", got, c.failed)
			}
			if c.failed == "" {
				return
			}
			if answer, err := conversation.Retry(t.Context()); err != nil || answer != "done" {
				t.Fatalf("%q, %v", answer, err)
			}
			if diff := cmp.Diff(c.want, transcript(conversation.Messages()[2:])); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}
