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

// Whatever a session or a conversation can tell is led to the feed: a new hook must be added there, or here with the reason
// why it tells the feed nothing.
func TestEveryHook(t *testing.T) {
	others := []string{
		"Authorize", // decides, and tells nothing
		"Kept",      // decides, and tells nothing
		"Saved",     // belongs to the log
		"Keep",      // belongs to the log
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
