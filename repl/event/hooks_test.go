package event

import (
	"errors"
	"reflect"
	"slices"
	"testing"

	"almanac/llm"
	"almanac/llm/tools"
	"almanac/session"
	"almanac/session/trace"
)

// Whatever a session or a conversation can tell is led to the feed: a new hook must be added there, or here with the
// reason why it tells the feed nothing.
func TestEveryHook(t *testing.T) {
	others := []string{
		"Authorize", // decides, and tells nothing
		"Kept",      // decides, and tells nothing
		"Saved",     // belongs to the log
		"Keep",      // belongs to the log
		"Spent",     // belongs to the log
		"Observe",   // belongs to the gateway
		"Inquire",   // asks by Approve, which the feed has
		"Complete",  // asks the model, and tells nothing
		"Arrived",   // brings, and tells nothing
		"After",     // waits
		"Sleep",     // waits
	}
	f := NewFeed()
	for _, options := range []any{
		f.Session(session.Options{}, true),
		f.Conversation(nil, tools.Options{}, llm.Options{}),
	} {
		v := reflect.ValueOf(options)
		for i := range v.NumField() {
			field := v.Type().Field(i)
			if field.Type.Kind() == reflect.Func && v.Field(i).IsNil() && !slices.Contains(others, field.Name) {
				t.Errorf("%s.%s does not lead to the feed", v.Type(), field.Name)
			}
		}
	}
	if f.Session(session.Options{}, false).Approve != nil {
		t.Error("a person is asked though nobody reads the feed")
	}
}

// What cannot be recorded is shown, and its error still counts.
func TestRecordsComeFirst(t *testing.T) {
	f, full := NewFeed(), errors.New("full")
	var order []int
	record := f.Session(session.Options{Record: func(trace.Record) error {
		order = append(order, len(f.Take()))
		return full
	}}, false).Record
	err := record(trace.Record{Kind: trace.KindCall, Call: &trace.Call{ID: "a.b"}})
	if !errors.Is(err, full) || !slices.Equal(order, []int{0}) || len(f.Take()) != 1 {
		t.Errorf("got %v, shown before it was recorded: %v", err, order)
	}
}

// The person reads what went wrong with a tool, not what the model is told to do about it.
func TestMalformedArguments(t *testing.T) {
	f := NewFeed()
	f.observe(llm.Event{
		Kind: llm.ToolEnded, Call: llm.ToolCall{Name: "lua_tools_query"},
		Err: &llm.ArgsError{Tool: "lua_tools_query", Fault: "got array", Unread: true},
	})
	// Raw JSON is no script to show, and no name stands twice.
	call := llm.ToolCall{Name: "lua_tools_execute", Args: []byte(`{"script":["x"]}`)}
	f.observe(llm.Event{Kind: llm.ToolStarted, Call: call})
	f.observe(llm.Event{
		Kind: llm.ToolEnded, Call: call, Err: &llm.ArgsError{Tool: call.Name, Fault: "argument script: want Lua"},
	})
	f.observe(llm.Event{Kind: llm.ToolEnded, Call: call, Err: errors.New("lua_tools_execute: no Lua process")})
	f.observe(llm.Event{Kind: llm.ToolEnded, Err: errors.New("unknown tool")})
	var said []string
	for _, e := range f.Take() {
		said = append(said, e.Text)
	}
	want := []string{
		"lua_tools_query: the model sent malformed arguments: got array",
		"lua_tools_execute: the model sent malformed arguments: argument script: want Lua",
		"lua_tools_execute: no Lua process",
		"a call without a name: unknown tool",
	}
	if !slices.Equal(said, want) {
		t.Errorf("got %q, want %q", said, want)
	}
}
