package repl

import (
	"context"
	"strings"
	"testing"
	"time"

	"almanac/catalog"
	"almanac/internal/golden"
	"almanac/repl/event"
	"almanac/repl/input"
	"almanac/session"
	"almanac/session/effect"
)

// TestDirectives types what a person does about lines, reminders and questions, and compares what is shown.
func TestDirectives(t *testing.T) {
	effects := []catalog.Effect{
		{Kind: effect.Notify, Target: "parcels", Value: "parcel 7 left"},
		{Kind: effect.Schedule, Value: map[string]any{"after": "3h", "text": "call Ann", "prompt": "call Ann"}},
		{Kind: effect.Schedule, Value: map[string]any{"after": "3h", "text": "count", "lua": "return 1"}},
		{Kind: effect.Schedule, Value: map[string]any{"after": "3h", "text": "drink tea"}},
		{Kind: effect.Ask, Target: "size", Value: map[string]any{
			"question": "What size?", "choices": []any{"small", "large"},
		}},
		{Kind: effect.Ask, Target: "why", Value: map[string]any{"question": "Why?"}},
	}
	all, _ := catalog.New([]catalog.Entry{{
		ID: "shop.ship", Action: func(context.Context, catalog.Call) (catalog.Result, error) {
			return catalog.Result{Data: true, Effects: effects}, nil
		},
	}}, catalog.Options{})
	feed := event.NewFeed()
	kinds, err := effect.ParseKinds([]string{"notify", "schedule", "ask"})
	if err != nil {
		t.Fatal(err)
	}
	var due []func()
	s, err := session.New(all.View(), feed.Session(session.Options{
		ID: "test", ApplyEffects: kinds,
		After: func(_ time.Duration, f func()) func() bool { due = append(due, f); return func() bool { return true } },
	}, true))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	sh := New(Options{Session: s, Feed: feed})
	var shown strings.Builder
	flush := func() {
		for _, e := range feed.Take() {
			if e.Kind == event.Began || e.Kind == event.Called {
				continue
			}
			for _, l := range event.Lines(e, 100, event.RenderOptions{}) {
				shown.WriteString(l.String() + "\n")
			}
		}
	}
	for _, line := range []string{
		"/effects schedule", "shop.ship{}", "due", "/effects take", "/effects take", "/effects take 2", "/effects take x",
		"/effects schedule cancel 3", "/effects schedule cancel 3", "/effects schedule cancel", "/effects schedule now",
		"/effects schedule", "/effects answer size", "/effects answer size huge", "/effects answer size 2",
		"/effects answer", "/effects apply", "/effects apply foo",
		"/effects answer so that \x1b[2J it fits", "/effects answer why again", "state.answers",
		"/undo 2", "/redo 2", "shop.ship{}", "/undo", "shop.ship{} shop.ship{}",
		"state = nil", "shop.ship{} error('no')", "/effects apply", "/effects", "/help effects",
	} {
		shown.WriteString("> " + strings.ReplaceAll(line, "\x1b", "ESC") + "\n")
		if line == "due" {
			due[0]()
		} else {
			sh.HandleIn(t.Context(), input.LuaMode, line)
		}
		flush()
	}
	golden.Equal(t, "testdata/directives.golden", shown.String())
}
