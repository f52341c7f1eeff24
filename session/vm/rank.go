package vm

import (
	"cmp"
	"math"
	"slices"
)

// This file implements the stable sort of sort_by, over keys of any types.

// A rankedKey is one key of sort_by and its original position.
type rankedKey struct {
	at    int
	kind  string // its type; "" when it is missing: nil or null
	value any    // a number or a string; of other types the text
}

// rank takes a list of n keys, of which some may be nil, and gives the numbers of the keys in order: missing ones last,
// then by type, then by value. A third argument that is true or "desc" reverses the order of different keys.
func rank(c call) int {
	t, n := c.table(1), c.int(2)
	descending := c.raw(3) == true || c.raw(3) == "desc"
	keys := make([]rankedKey, n)
	for i := range keys {
		v := t.index(i + 1)
		keys[i] = rankedKey{at: i + 1, value: v}
		if v == nil || v == c.m.null {
			continue
		}
		keys[i].kind = c.m.typeName(v)
		if f, ok := v.(float64); ok && math.IsNaN(f) {
			keys[i].kind = "number, not" // behind the numbers, in front of strings
			keys[i].value = 0.0
			continue
		}
		if keys[i].kind != "number" && keys[i].kind != "string" {
			keys[i].value = c.m.text(c.l, v)
		}
	}
	slices.SortFunc(keys, func(a, b rankedKey) int {
		order := c.compareKeys(a, b)
		if descending {
			order = -order
		}
		return cmp.Or(order, a.at-b.at)
	})
	out := c.m.newTable(n, 0)
	for i, k := range keys {
		out.array[i] = float64(k.at)
	}
	return c.give(c.m.value(out))
}

func (c call) compareKeys(a, b rankedKey) int {
	c.m.work(c.l, 1)
	switch {
	case a.kind == "" || b.kind == "":
		return cmp.Compare(min(len(b.kind), 1), min(len(a.kind), 1))
	case a.kind != b.kind:
		return cmp.Compare(a.kind, b.kind)
	}
	switch x := a.value.(type) {
	case string:
		y := b.value.(string)
		c.m.work(c.l, min(len(x), len(y))/comparedBytes)
		return cmp.Compare(x, y)
	case float64:
		if y, ok := b.value.(float64); ok {
			return cmp.Compare(x, y)
		}
	}
	switch {
	case c.lessThan(a.value, b.value):
		return -1
	case c.lessThan(b.value, a.value):
		return 1
	}
	return 0
}
