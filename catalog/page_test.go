package catalog

import (
	"fmt"
	"testing"
)

func TestNextPage(t *testing.T) {
	turns := MustSchema(`{"type":"object","properties":{"limit":{"type":"integer"},"offset":{"type":"integer"}}}`)
	pages := MustSchema(`{"type":"object","properties":{"per_page":{"type":"integer"},"page":{"type":"integer"}}}`)
	lone := MustSchema(`{"type":"object","properties":{"limit":{"type":"integer"}}}`)
	named := MustSchema(`{"type":"object","properties":{"page":{"type":"string"}}}`)
	two := []any{1, 2}
	for _, test := range []struct {
		about string
		entry Entry
		args  map[string]any
		r     Result
		want  string
	}{
		{"a full page with an offset", Entry{Input: turns}, map[string]any{"limit": int64(2), "offset": int64(4)},
			Result{Data: two}, "map[offset:6] true"},
		{"the offset left out", Entry{Input: turns}, map[string]any{"limit": int64(2)},
			Result{Data: two}, "map[offset:2] true"},
		{"numbered pages", Entry{Input: pages}, map[string]any{"per_page": int64(2), "page": int64(3)},
			Result{Data: two}, "map[page:4] true"},
		{"the number left out", Entry{Input: pages}, map[string]any{"per_page": int64(2)},
			Result{Data: two}, "map[page:2] true"},
		{"a list among the fields", Entry{Input: turns}, map[string]any{"limit": int64(2)},
			Result{Data: map[string]any{"items": two, "total": 9}}, "map[offset:2] true"},
		{"two lists", Entry{Input: turns}, map[string]any{"limit": int64(2)},
			Result{Data: map[string]any{"a": two, "b": two}}, "map[] false"},
		{"a short page", Entry{Input: turns}, map[string]any{"limit": int64(3)}, Result{Data: two}, "map[] false"},
		{"no size: a try", Entry{Input: turns}, map[string]any{}, Result{Data: two}, "map[offset:2] false"},
		{"no size, numbered: a try", Entry{Input: pages}, map[string]any{"page": int64(3)},
			Result{Data: two}, "map[page:4] false"},
		{"no size and nothing there", Entry{Input: turns}, map[string]any{}, Result{Data: []any{}}, "map[] false"},
		{"no size and nothing turns pages", Entry{Input: lone}, map[string]any{}, Result{Data: two}, "map[] false"},
		{"a page that is a name", Entry{Input: named}, map[string]any{}, Result{Data: two}, "map[] false"},
		{"the action is not sure", Entry{Input: turns, Paged: true}, map[string]any{},
			Result{Data: two, Next: map[string]any{"offset": 2}, Unsure: true}, "map[offset:2] false"},
		{"the action knows no way on", Entry{Input: turns, Paged: true}, map[string]any{},
			Result{Data: two, Unsure: true}, "map[] true"},
		{"nothing turns pages", Entry{Input: lone}, map[string]any{"limit": int64(2)}, Result{Data: two}, "map[] true"},
		{"the action says the next", Entry{Input: turns}, map[string]any{"limit": int64(9)},
			Result{Data: two, Next: map[string]any{"after": "x"}}, "map[after:x] true"},
		{"the action says there is none", Entry{Input: turns, Paged: true}, map[string]any{"limit": int64(2)},
			Result{Data: two}, "map[] false"},
		{"a change", Entry{Input: turns, Mutates: true}, map[string]any{"limit": int64(2)}, Result{Data: two}, "map[] false"},
	} {
		next, full := test.entry.NextPage(test.args, test.r)
		if got := fmt.Sprint(next, full); got != test.want {
			t.Errorf("%s: got %s, want %s", test.about, got, test.want)
		}
	}
}
