package event

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"almanac/llm"
	"almanac/repl/show"
	"almanac/session"
	"almanac/session/trace"
	"almanac/session/vm"
)

func TestFeedJoinsText(t *testing.T) {
	f := NewFeed()
	f.Begin(Cell{N: 1})
	for range 3 {
		f.write(vm.Stdout, "a")
	}
	f.write(vm.Stderr, "b")
	f.write(vm.Stdout, "c")
	f.Emit(Event{Kind: Said, Text: "d"})
	f.write(vm.Stdout, "e")
	var got []string
	for _, e := range f.Take() {
		got = append(got, e.Text)
	}
	if s := strings.Join(got, " "); s != "aaa b c d e" {
		t.Errorf("got %q, want %q", s, "aaa b c d e")
	}
	f.write(vm.Stdout, "f")
	if events := f.Take(); len(events) != 1 || events[0].Text != "f" || events[0].Cell != 1 {
		t.Errorf("after Take: %+v", events)
	}
	if f.Take() != nil {
		t.Error("an empty feed gives events")
	}
}

func TestFeedWakes(t *testing.T) {
	f := NewFeed()
	f.Emit(Event{Kind: Said})
	f.Emit(Event{Kind: Said})
	select {
	case <-f.Wake():
	default:
		t.Fatal("no signal")
	}
	if n := len(f.Take()); n != 2 {
		t.Errorf("%d events, want 2", n)
	}
}

// A screen that takes nothing costs bounded memory, and is told what it missed.
func TestFeedIsBounded(t *testing.T) {
	f := NewFeed()
	piece := strings.Repeat("x", 100<<10)
	for range 100 {
		f.write(vm.Stdout, piece)
	}
	f.Emit(Event{Kind: Ended})
	size := 0
	events := f.Take()
	for _, e := range events {
		size += len(e.Text)
	}
	if size > feedText+200 {
		t.Errorf("%d bytes kept, want at most %d", size, feedText)
	}
	if n := len(events); n != 3 || !strings.Contains(events[1].Text, "of output not shown") || events[2].Kind != Ended {
		t.Errorf("%d events; want the text, what was missed, the end", n)
	}
}

func BenchmarkFeedToken(b *testing.B) {
	f := NewFeed()
	for i := 0; b.Loop(); i++ {
		f.Emit(Event{Kind: Spoke, Text: "token "})
		if i%60 == 0 {
			f.Take()
		}
	}
}

func TestFeedApprove(t *testing.T) {
	f := NewFeed()
	f.Begin(Cell{N: 4})
	go func() {
		<-f.Wake()
		for _, e := range f.Take() {
			if e.Kind == Asked && e.Cell == 4 {
				e.Ask.Answer <- session.Approval{Verdict: session.Once}
			}
		}
	}()
	a, err := f.approve(t.Context(), session.Request{})
	if err != nil || a.Verdict != session.Once {
		t.Errorf("got %+v, %v, want the person's yes", a, err)
	}
}

// The time in which a person is asked is counted once, however many questions are open.
func TestFeedWaited(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := NewFeed()
		f.Begin(Cell{N: 1})
		var asking sync.WaitGroup
		for range 2 {
			asking.Go(func() {
				if _, err := f.approve(t.Context(), session.Request{}); err != nil {
					t.Error(err)
				}
			})
		}
		synctest.Wait()
		time.Sleep(time.Minute)
		for _, e := range f.Take() {
			e.Ask.Answer <- session.Approval{Verdict: session.Once}
		}
		asking.Wait()
		if c := f.End(); c.Waited != time.Minute {
			t.Errorf("waited %v, want a minute", c.Waited)
		}
	})
}

func TestFeedApproveInterrupted(t *testing.T) {
	f := NewFeed()
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-f.Wake()
		cancel()
	}()
	a, err := f.approve(ctx, session.Request{})
	if a.Verdict != session.Refuse || !errors.Is(err, context.Canceled) {
		t.Errorf("got %+v, %v, want a refusal", a, err)
	}
	if len(f.Take()) != 1 {
		t.Error("the question was not asked")
	}
	if a, err = f.approve(ctx, session.Request{}); a.Verdict != session.Refuse || err == nil || f.Take() != nil {
		t.Errorf("a done context still asks: %+v, %v", a, err)
	}
}

func TestFeedNumbersCalls(t *testing.T) {
	f := NewFeed()
	f.Begin(Cell{N: 2})
	for range 2 {
		// Two runs of one cell, each counting its calls from 1.
		call := trace.Call{N: 1, ID: "a.b", Verdict: trace.OK, Took: time.Millisecond}
		f.record(trace.Record{Kind: trace.KindCall, Author: "model", Call: &call})
	}
	events := f.Take()
	if len(events) != 2 || events[0].Call.N != 1 || events[1].Call.N != 2 {
		t.Errorf("got %+v", events)
	}
	if c := f.End(); len(c.Calls) != 2 || c.Calls[1].N != 2 {
		t.Errorf("the cell keeps %+v", c.Calls)
	}
}

func TestFeedObserve(t *testing.T) {
	f := NewFeed()
	f.Begin(Cell{N: 1})
	call := llm.ToolCall{Name: "lua_tools_execute", Args: json.RawMessage(`{"script":"return 1"}`)}
	f.observe(llm.Event{Kind: llm.Delta, Text: "I "})
	f.observe(llm.Event{Kind: llm.Delta, Text: "look"})
	f.observe(llm.Event{Kind: llm.ToolStarted, Call: call})
	f.ran(session.Script{Author: session.Model}, &session.Outcome{Err: &vm.Error{Kind: vm.Runtime, Message: "boom"}})
	f.observe(llm.Event{Kind: llm.ToolEnded, Call: call, Err: errors.New("boom")})
	f.observe(llm.Event{Kind: llm.ToolStarted, Call: call})
	f.observe(llm.Event{Kind: llm.ToolEnded, Call: call, Err: errors.New("no such tool")})
	var got []string
	for _, e := range f.Take() {
		for _, l := range Lines(e, 0, RenderOptions{Options: show.Options{ASCII: true}}) {
			got = append(got, l.String())
		}
	}
	want := "  I look\n  | -- execute\n  | return 1\nerror: boom\n  | -- execute\n  | return 1\nwarning: lua_tools_execute: no such tool"
	if s := strings.Join(got, "\n"); s != want {
		t.Errorf("got:\n%s\nwant:\n%s", s, want)
	}
}
