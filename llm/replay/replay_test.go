package replay_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"almanac/llm"
	"almanac/llm/openai"
	"almanac/llm/openai/openaitest"
	"almanac/llm/replay"
)

// talk holds a short conversation with a tool and returns what was heard and the history.
func talk(t *testing.T, p llm.Provider, second string) (heard []string, history []llm.Message, err error) {
	t.Helper()
	c := llm.NewConversation(llm.Options{
		Target: llm.Target{Provider: p, Model: "small"}, RetryWait: time.Millisecond,
		Tools: func() []llm.Tool {
			return []llm.Tool{{Name: "count", Schema: json.RawMessage(`{}`),
				Run: func(context.Context, json.RawMessage) (llm.Answer, error) {
					return llm.Answer{Text: "12 of them"}, nil
				}}}
		},
		Observe: func(e llm.Event) {
			if e.Kind == llm.Delta || e.Kind == llm.Retrying {
				heard = append(heard, e.Text)
			}
		},
	})
	if _, err := c.Send(t.Context(), "how many?"); err != nil {
		return heard, c.Messages(), err
	}
	_, err = c.Send(t.Context(), second)
	return heard, c.Messages(), err
}

func record(t *testing.T) (path string, heard []string, history []llm.Message) {
	t.Helper()
	s := openaitest.New(
		openaitest.Reply{Text: "I count. ", Calls: []openaitest.Call{{Name: "count", Args: `{"bad`}}},
		openaitest.Reply{Status: 503},
		openaitest.Reply{Text: "There are 12."},
		openaitest.Reply{Text: "You are welcome."},
	)
	defer s.Close()
	path = filepath.Join(t.TempDir(), "talk.jsonl")
	r, err := replay.Record(openai.New(openai.Options{BaseURL: s.URL()}), path)
	if err != nil {
		t.Fatal(err)
	}
	heard, history, err = talk(t, r, "thanks")
	if err = errors.Join(err, r.Close()); err != nil {
		t.Fatal(err)
	}
	return path, heard, history
}

func TestPlayedConversationIsTheRecordedOne(t *testing.T) {
	path, heard, history := record(t)
	p, err := replay.Play(path)
	if err != nil {
		t.Fatal(err)
	}
	again, historyAgain, err := talk(t, p, "thanks")
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(heard, again); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff(history, historyAgain); d != "" {
		t.Error(d)
	}
	if p.Left() != 0 {
		t.Errorf("%d exchanges left", p.Left())
	}
}

func TestMismatchShowsTheDifference(t *testing.T) {
	path, _, _ := record(t)
	p, err := replay.Play(path)
	if err != nil {
		t.Fatal(err)
	}
	_, _, err = talk(t, p, "thank you")
	var m *replay.MismatchError
	if !errors.As(err, &m) || m.N != 4 {
		t.Fatalf("error %v", err)
	}
	want := "recording: request 4: different text\n  recorded: \"thanks\"\n  asked:    \"thank you\""
	if d := cmp.Diff(want, err.Error()); d != "" {
		t.Error(d)
	}
	if p.Left() != 1 {
		t.Errorf("%d exchanges left: the mismatch used one up", p.Left())
	}
}

func TestRecordingThatEnds(t *testing.T) {
	p, err := replay.Parse(strings.NewReader("\n"))
	if err != nil {
		t.Fatal(err)
	}
	_, _, err = talk(t, p, "")
	var e *llm.Error
	if !errors.As(err, &e) || e.Kind != llm.BadRecord {
		t.Errorf("error %v", err)
	}
	if _, err := replay.Parse(strings.NewReader("{}\n{")); err == nil || !strings.Contains(err.Error(), "line 2") {
		t.Errorf("error %v", err)
	}
	if _, err := replay.Play(filepath.Join(t.TempDir(), "none")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("error %v", err)
	}
}

func TestInterruptedExchangeIsNotRecorded(t *testing.T) {
	s := openaitest.New(openaitest.Reply{Text: "I", Hang: true})
	defer s.Close()
	path := filepath.Join(t.TempDir(), "talk.jsonl")
	r, err := replay.Record(openai.New(openai.Options{BaseURL: s.URL()}), path)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	ctx, cancel := context.WithCancel(t.Context())
	_, err = r.Complete(ctx,
		llm.Request{Model: "m", Messages: []llm.Message{{Role: llm.User, Text: "x"}}}, func(llm.Piece) { cancel() })
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	if text, err := os.ReadFile(path); err != nil || len(text) != 0 {
		t.Errorf("recorded %q, %v", text, err)
	}
}
