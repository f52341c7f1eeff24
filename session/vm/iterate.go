package vm

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"weak"
)

// This file holds pairs, ipairs and next. A loop walks a snapshot of the keys, the list part first and the rest sorted
// by type and value, so that the order is the same on every run, fields may be cleared or added on the way, and the
// whole is linear; the engine's own are random, quadratic and fail on cleared fields.

// hashKeys returns the keys outside the list part in order; the caller does not change the slice. It is kept in the
// table's own field for such a list, which the engine empties whenever it adds a key. Keys without a value may be
// among them.
func (m *Machine) hashKeys(t *table) []any {
	if t.keys != nil && len(t.keys) <= 2*len(t.hash)+8 && !t.tookOver(t.keys) {
		return t.keys
	}
	keys := make([]any, 0, len(t.hash))
	plain := true
	for k := range t.hash {
		if _, ok := k.(string); !ok {
			plain = false
		}
		keys = append(keys, k)
	}
	if plain {
		slices.SortFunc(keys, compareTexts)
	} else {
		m.sortKeys(keys, t, nil)
	}
	t.keys = keys
	return keys
}

// tookOver says whether the list part grew over some of the keys, which are in order.
func (t *table) tookOver(keys []any) bool {
	for _, k := range keys {
		f, ok := k.(float64)
		if !ok || f > float64(len(t.array)) {
			return false
		}
		if f >= 1 && f == float64(int(f)) {
			return true
		}
	}
	return false
}

func compareTexts(a, b any) int { return strings.Compare(a.(string), b.(string)) }

// keyRank orders keys by type: numbers, strings, booleans, then all others.
func keyRank(k any) int {
	switch k.(type) {
	case float64:
		return 0
	case string:
		return 1
	case bool:
		return 2
	}
	return 3
}

// compareKeys orders keys of which one at least is a number, a string or a boolean.
func compareKeys(a, b any) int {
	switch x := a.(type) {
	case string:
		if y, ok := b.(string); ok {
			return strings.Compare(x, y)
		}
	case float64:
		if y, ok := b.(float64); ok {
			return cmp.Compare(x, y)
		}
	case bool:
		if y, ok := b.(bool); ok {
			return cmp.Compare(bit(x), bit(y))
		}
	}
	return keyRank(a) - keyRank(b)
}

// A placedKey is a key that is no plain value, with what orders it.
type placedKey struct {
	key  any
	kind int
	text string
	n    uint64
}

// sortKeys puts keys in order, those that are no plain values last: exact integers, null, what every machine has,
// actions, and then tables, functions and coroutines in the order of their ranks. first has ranks that count before the
// machine's. Those without a rank come last, by their numbers.
func (m *Machine) sortKeys(keys []any, t *table, first ranks) {
	slices.SortFunc(keys, compareKeys)
	i := len(keys)
	for i > 0 && keyRank(keys[i-1]) == 3 {
		i--
	}
	if len(keys)-i < 2 {
		return
	}
	m.numberKeys(keys[i:], t)
	places := make([]placedKey, 0, len(keys)-i)
	for _, k := range keys[i:] {
		places = append(places, m.place(k, first))
	}
	slices.SortFunc(places, comparePlaces)
	for j, p := range places {
		keys[i+j] = p.key
	}
}

func comparePlaces(a, b placedKey) int {
	return cmp.Or(a.kind-b.kind, strings.Compare(a.text, b.text), cmp.Compare(a.n, b.n))
}

func (m *Machine) place(k any, first ranks) placedKey {
	switch o := m.object(k).(type) {
	case *integer:
		return placedKey{key: k, n: uint64(o.n) ^ 1<<63}
	case *action:
		return placedKey{key: k, kind: 3, text: o.path}
	}
	at := words(k).data
	if k == m.null {
		return placedKey{key: k, kind: 1}
	} else if name, ok := m.permanents.names[at]; ok {
		return placedKey{key: k, kind: 2, text: name}
	} else if n, ok := first.of(k); ok {
		return placedKey{key: k, kind: 4, n: n}
	} else if n, ok := m.ranks.of(k); ok {
		return placedKey{key: k, kind: 5, n: n}
	} else if n := m.numbers.has(k); n > 0 {
		return placedKey{key: k, kind: 6, n: uint64(n)}
	}
	return placedKey{key: k, kind: 7, n: uint64(uintptr(at))} // which the collector does not change
}

// maxNumberedKeys is how many of the keys of a table are numbered for their order: a number takes some 100 bytes. More
// of them stand in the order of their addresses, which no other run has.
const maxNumberedKeys = 10_000

// numberKeys gives numbers to those of some keys of t that have nothing else to be ordered by, in the order of what
// they are and lead to, so that they have the same in another run.
func (m *Machine) numberKeys(keys []any, t *table) {
	if len(keys) > maxNumberedKeys {
		return
	}
	var fresh []placedKey
	for _, k := range keys {
		if p := m.place(k, nil); p.kind == 7 {
			p.text = m.outline(k) + "\x00" + m.outline(t.hash[k])
			fresh = append(fresh, p)
		}
	}
	slices.SortFunc(fresh, comparePlaces)
	for _, p := range fresh {
		m.numbers.number(p.key)
	}
}

// outline tells values apart by their kind and the plain values in them.
func (m *Machine) outline(v any) string {
	text := m.typeName(v)
	if c := m.closure(v); c != nil {
		if from := m.origin(c.prototype); from != nil {
			text += fmt.Sprintf(" %s %08d", from.name, c.prototype.number)
		}
	} else if t := m.open(v); t != nil {
		const most, fields = 100, 8
		text += fmt.Sprintf(" %08d %08d", len(t.array), len(t.hash))
		for _, item := range t.array[:min(len(t.array), fields)] {
			text += plainText(item)
		}
		var names []string
		for k := range t.hash {
			if name, ok := k.(string); ok && len(t.hash) <= most {
				names = append(names, name)
			}
		}
		slices.Sort(names)
		for _, name := range names[:min(len(names), fields)] {
			text += plainText(name) + plainText(t.hash[name])
		}
	}
	return text + plainText(v)
}

// plainText is a number, text or boolean as text, or else nothing.
func plainText(v any) string {
	switch v.(type) {
	case float64, string, bool:
		return fmt.Sprintf(" %.40v", v)
	}
	return " -"
}

// Ranks order tables and functions that are keys, by their addresses, as the last snapshot or the one restored has
// them: so the order outlives the machine.
type ranks map[uintptr]ranked

// A ranked key has its rank for as long as it lives.
type ranked struct {
	n   uint64
	key weak.Pointer[byte]
}

// add ranks a key behind the others.
func (r ranks) add(k any) {
	at := words(k).data
	if _, ok := r[uintptr(at)]; !ok {
		r[uintptr(at)] = ranked{uint64(len(r)), weak.Make((*byte)(at))}
	}
}

// of is the rank of a key.
func (r ranks) of(k any) (uint64, bool) {
	at := words(k).data
	found, ok := r[uintptr(at)]
	return found.n, ok && found.key.Value() == (*byte)(at)
}

// A walk goes through one table, and then through what is behind it and not in it.
type walk struct {
	t     *table
	front *table // the table in front of t, whose names are passed over
	back  *table // the table to go on with; nil for none
	array int    // list items passed
	keys  []any
	begun bool
	next  int
}

// step gives the next entry that still exists.
func (w *walk) step(m *Machine) (k, v any, ok bool) {
	for w.array < len(w.t.array) && !w.begun {
		w.array++
		if v := w.t.array[w.array-1]; v != nil {
			return float64(w.array), v, true
		}
	}
	if !w.begun {
		w.begun = true
		if len(w.t.hash) > 0 {
			w.keys = m.hashKeys(w.t)
		}
	}
	for w.next < len(w.keys) {
		k := w.keys[w.next]
		w.next++
		if v := w.t.get(k); v != nil && !w.hidden(k) && !m.isNoIndex(v) {
			return k, v, true
		}
	}
	if w.back == nil {
		return nil, nil, false
	}
	*w = walk{t: w.back, front: w.t}
	return w.step(m)
}

// hidden says that a name of the table behind is not to be shown.
func (w *walk) hidden(k any) bool {
	if w.front == nil {
		return false
	}
	name, _ := k.(string)
	return w.front.hash[k] != nil || reserved(name)
}

// walkGlobals goes through what scripts have set and then through the names behind.
func (m *Machine) walkGlobals() walk { return walk{t: m.session, back: m.names} }

// stepper is the function that a generic for calls to go along w.
func (m *Machine) stepper(w *walk) any {
	return m.function("next", func(c call) int {
		k, v, ok := w.step(m)
		if !ok {
			return c.give(nil)
		}
		return c.give(k, v)
	})
}

// entries calls f for each entry in order until it returns false.
func (m *Machine) entries(t *table, f func(k, v any) bool) {
	w := walk{t: t}
	for {
		k, v, ok := w.step(m)
		if !ok || !f(k, v) {
			return
		}
	}
}

// ownLoop calls the metamethod by which a value loops over itself, for its three results; false when it has none.
func (c call) ownLoop(event string) bool {
	f := c.m.metafield(c.raw(1), event)
	if f == nil {
		return false
	}
	c.room(4)
	push(c.l, f)
	push(c.l, c.raw(1))
	c.enter()
	c.l.Call(1, 3)
	c.m.depth--
	return true
}

func openIterate(m *Machine) {
	m.global("pairs", func(c call) int {
		if c.ownLoop("__pairs") {
			return 3
		}
		t := c.table(1)
		m.work(c.l, len(t.hash)/4)
		return c.give(m.stepper(&walk{t: t}), c.raw(1), nil)
	})
	item := m.function("ipairs", func(c call) int {
		i := c.int(2) + 1
		t := m.open(c.raw(1))
		if t == nil {
			c.want(1, "table")
		}
		if v := t.index(i); v != nil {
			return c.give(float64(i), v)
		}
		return c.give(nil)
	})
	m.global("ipairs", func(c call) int {
		if c.ownLoop("__ipairs") {
			return 3
		}
		c.table(1)
		return c.give(item, c.raw(1), 0.0)
	})
	m.global("next", func(c call) int { return nextEntry(c, c.table(1), c.raw(2)) })
}

// A position remembers where next stands in a table, so that the following call need not search.
type position struct {
	t  *table
	w  walk
	at any
}

func nextEntry(c call, t *table, k any) int {
	p := &c.m.nextAt
	if p.t != t || p.at != k || k == nil {
		*p = position{t: t, w: walk{t: t}}
		if t == c.m.session {
			p.w = c.m.walkGlobals()
			if k != nil && t.hash[k] == nil && c.m.names.hash[k] != nil {
				p.w = walk{t: c.m.names, front: t}
			}
		}
		if k != nil && !p.w.seek(c.m, k) {
			c.fail("invalid key to 'next'")
		}
		c.m.work(c.l, len(t.hash))
	}
	k, v, ok := p.w.step(c.m)
	p.at = k
	if !ok {
		p.t = nil
		return c.give(nil)
	}
	return c.give(k, v)
}

// seek puts the walk behind key k; it returns false when the table cannot have had that key.
func (w *walk) seek(m *Machine, k any) bool {
	if f, ok := k.(float64); ok && f == float64(int(f)) && f > 0 && int(f) <= len(w.t.array) {
		w.array = int(f)
		return true
	}
	// Keys that were cleared on the way stand in the list until there are too many of them.
	cleared := len(w.t.keys) > len(w.t.hash)
	w.begun, w.keys = true, m.hashKeys(w.t)
	at, ok := slices.BinarySearchFunc(w.keys, k, compareKeys)
	if keyRank(k) == 3 { // the list may be older than the ranks
		at = slices.Index(w.keys, k)
		if ok = at >= 0; !ok {
			place := m.place(k, nil)
			at = slices.IndexFunc(w.keys, func(o any) bool {
				return keyRank(o) == 3 && comparePlaces(place, m.place(o, nil)) < 0
			})
		}
		if at < 0 {
			at = len(w.keys)
		}
	}
	w.next = at
	if ok {
		w.next++
	}
	return ok || cleared
}
