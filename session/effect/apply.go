package effect

// This file applies operations on the state to a table of plain data.

import (
	"fmt"
	"math"
	"slices"

	"almanac/catalog"
	"almanac/catalog/reference"
	"almanac/catalog/text"
)

// Apply applies the operations on the state among effects to a table, in order, and returns the table that comes of it.
// Where one is rejected none is applied: each that is at fault is named, and next is state. What it is given is not
// changed and not shared with next.
func Apply(state map[string]any, effects []catalog.Effect) (next map[string]any, rejected []catalog.RejectedEffect) {
	next, _ = Plain(state).(map[string]any) // of a missing one an empty one
	var last catalog.Effect
	for _, e := range effects {
		if !IsState(e.Kind) {
			continue
		}
		err := Check(e)
		if err == nil {
			next, err = operate(next, e)
		}
		if err != nil {
			rejected = append(rejected, catalog.RejectedEffect{Effect: e, Reason: err.Error()})
		}
		last = e
	}
	if n, err := Size(next); rejected == nil && err != nil {
		rejected = []catalog.RejectedEffect{{Effect: last, Reason: "the state: " + err.Error()}}
	} else if rejected == nil && n > MaxState {
		rejected = []catalog.RejectedEffect{{Effect: last, Reason: "the state would be larger than " + text.Bytes(MaxState)}}
	}
	if rejected != nil {
		return state, rejected
	}
	return next, nil
}

// Plain is plain data of its own. Numbers without a fraction become int64, as Lua gives them back.
func Plain(data any) any {
	return catalog.Copied(data, func(f float64) any {
		if f == math.Trunc(f) && math.Abs(f) <= 1<<53 && (f != 0 || !math.Signbit(f)) {
			return int64(f)
		}
		return f
	})
}

// operate makes one operation that Check has passed in state, and returns the table that is then the state.
func operate(state map[string]any, e catalog.Effect) (map[string]any, error) {
	switch e.Kind {
	case StateReplace:
		state, _ = asTable(Plain(e.Value))
	case StateSet:
		state[e.Target] = Plain(e.Value)
	case StateDelete:
		delete(state, e.Target)
	default:
		path, err := parsePath(e.Target)
		if err != nil {
			return state, err
		}
		_, err = below(state, path, 0, e)
		return state, err
	}
	return state, nil
}

// below makes an operation in data, which the first i segments of its path have led to, and returns what is then there.
func below(data any, path []reference.Segment, i int, e catalog.Effect) (any, error) {
	removes := e.Kind == StateDeletePath
	switch {
	case i == len(path):
		return Plain(e.Value), nil
	case removes && data == nil:
		return nil, nil
	case path[i].Field == "":
		return inList(data, path, i, e)
	}
	table, ok := asTable(data)
	if !ok {
		return data, fmt.Errorf("%s is %s, not a table with names", nameUpTo(path, i), text.Article(catalog.KindOf(data)))
	}
	field := path[i].Field
	if removes && i == len(path)-1 {
		delete(table, field)
		return table, nil
	}
	old, there := table[field]
	if removes && !there {
		return data, nil
	}
	changed, err := below(old, path, i+1, e)
	if err == nil {
		table[field] = changed
	}
	return table, err
}

// inList is below where the segment is a place in a list.
func inList(data any, path []reference.Segment, i int, e catalog.Effect) (any, error) {
	list, ok := asList(data)
	if !ok {
		return data, fmt.Errorf("%s is %s, not a list", nameUpTo(path, i), text.Article(catalog.KindOf(data)))
	}
	removes, n := e.Kind == StateDeletePath, int64(len(list))
	place := path[i].Place
	switch {
	case removes && place > n:
		return data, nil
	case removes && i == len(path)-1:
		return slices.Delete(list, int(place-1), int(place)), nil
	case place > n+1:
		return data, fmt.Errorf("%s has %s: [%d] would leave a gap", nameUpTo(path, i), text.Count(len(list), "item"), place)
	case place > n:
		list = append(list, nil)
	}
	changed, err := below(list[place-1], path, i+1, e)
	if err == nil {
		list[place-1] = changed
	}
	return list, err
}

// asTable is data as a table with names; what is missing and an empty list are an empty one.
func asTable(data any) (table map[string]any, ok bool) {
	switch v := data.(type) {
	case map[string]any:
		return v, true
	case nil:
		return map[string]any{}, true
	case []any:
		return map[string]any{}, len(v) == 0
	}
	return nil, false
}

// asList is data as a list; what is missing and an empty table are an empty one.
func asList(data any) (list []any, ok bool) {
	switch v := data.(type) {
	case []any:
		return v, true
	case nil:
		return nil, true
	case map[string]any:
		return nil, len(v) == 0
	}
	return nil, false
}

// nameUpTo is the path to segment i, as messages name it.
func nameUpTo(path []reference.Segment, i int) string { return "state" + reference.PathLua(path[:i]) }
