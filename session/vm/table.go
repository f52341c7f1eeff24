package vm

import "strings"

// This file holds the table library. Lengths are raw and every loop counts its steps: the engine's functions trust
// __len, which can be 1e15, and concatenate in quadratic time.

// maxResults caps what unpack and string.byte put on the stack at once.
const maxResults = 100_000

func openTable(m *Machine) {
	lib := m.library("table")
	def := func(name string, f func(c call) int) { lib.put(name, m.function(name, f)) }
	def("insert", tableInsert)
	def("remove", tableRemove)
	def("concat", tableConcat)
	def("sort", tableSort)
	def("unpack", tableUnpack)
	def("pack", func(c call) int {
		n := c.top()
		t := m.newTable(n, 1)
		for i := 1; i <= n; i++ {
			t.array[i-1] = c.raw(i)
		}
		t.put("n", float64(n))
		return c.give(m.value(t))
	})
	def("maxn", func(c call) int {
		top := 0.0
		m.entries(c.table(1), func(k, _ any) bool {
			if f, ok := k.(float64); ok && f > top {
				top = f
			}
			return true
		})
		return c.give(top)
	})
	m.names.put("unpack", lib.hash["unpack"])
}

func tableInsert(c call) int {
	t := c.writable(1)
	n := t.length()
	switch c.top() {
	case 2:
		if n < len(t.array) {
			t.array[n] = c.raw(2)
			return 0
		}
		c.l.RawSetInt(1, n+1)
		return 0
	case 3:
		pos := c.int(2)
		if pos < 1 || pos > n+1 {
			c.bad(2, "position out of bounds")
		}
		c.m.work(c.l, (n-pos)/16)
		t.setIndex(n+1, c.raw(3))
		for i := n; i >= pos; i-- {
			t.setIndex(i+1, t.index(i))
		}
		t.setIndex(pos, c.raw(3))
		return 0
	}
	c.fail("wrong number of arguments to 'insert'")
	return 0
}

func tableRemove(c call) int {
	t := c.writable(1)
	n := t.length()
	pos := c.optInt(2, n)
	if c.top() > 1 && n+1 != pos && (pos < 1 || pos > n+1) && (n != 0 || pos != 0) {
		c.bad(2, "position out of bounds")
	}
	v := t.index(pos)
	c.m.work(c.l, (n-pos)/16)
	for i := pos; i < n; i++ {
		t.setIndex(i, t.index(i+1))
	}
	if v != nil || pos < n {
		t.setIndex(max(pos, n), nil)
	}
	return c.give(v)
}

func tableConcat(c call) int {
	sep := c.optString(2, "") // the first to be checked, as in 5.2
	t := c.table(1)
	from := c.optInt(3, 1)
	to := t.length()
	if !c.absent(4) {
		to = c.int(4)
	}
	var b strings.Builder
	b.Grow(c.textSize(t, from, to))
	paid, open := 0, false
	for i := from; i <= to; i++ {
		switch v := t.index(i).(type) {
		case string:
			if b.WriteString(v); len(v) >= largeString {
				c.m.grown(c.l, b.Len(), &paid)
			}
		default:
			s, ok := c.m.numeralText(v)
			if v, is := c.m.unknown(v); is {
				s, ok, open = string(v), true, true
			}
			if !ok {
				c.fail("invalid value (%s) at index %d in table for 'concat'", c.m.typeName(v), i)
			}
			b.WriteString(s)
		}
		if i < to {
			b.WriteString(sep)
		}
		if i&255 == 0 {
			c.m.grown(c.l, b.Len(), &paid)
			c.m.work(c.l, 32)
		}
	}
	c.m.stringSize(c.l, b.Len())
	return c.giveJoined(b.String(), open)
}

// textSize sums up the strings among the items of t, before any is copied.
func (c call) textSize(t *table, from, to int) int {
	n := 0
	for i := max(from, 1); i <= min(to, len(t.array)); i++ {
		if s, ok := t.index(i).(string); ok {
			n += len(s)
		}
		if i&1023 == 0 {
			c.m.work(c.l, 32)
		}
		if n > c.m.limits.String {
			c.m.stringSize(c.l, n)
		}
	}
	return n
}

func tableUnpack(c call) int {
	t := c.table(1)
	from := c.optInt(2, 1)
	to := t.length()
	if !c.absent(3) {
		to = c.int(3)
	}
	if from > to {
		return 0
	}
	n := to - from + 1
	if n > maxResults {
		c.fail("too many results to unpack (at most %d)", maxResults)
	}
	c.m.work(c.l, n/4)
	c.room(n)
	for i := from; i <= to; i++ {
		push(c.l, t.index(i))
	}
	return n
}

// comparedBytes is how many bytes of two strings one instruction pays for, should they begin alike.
const comparedBytes = 1024

// An order sorts list items by a Lua comparator or by the engine's "less than". The items are compared in the order
// in which the reference implementation compares them, so that equal ones end up where they do there and the same
// comparators are found out to be inconsistent.
type order struct {
	c     call
	items []any
	less  any
}

func (o *order) before(a, b any) bool {
	if o.less != nil {
		o.c.m.work(o.c.l, 2)
		v := o.c.invoke(o.less, a, b)
		return v != nil && v != false && v != o.c.m.null
	}
	o.c.m.work(o.c.l, 1)
	switch x := a.(type) {
	case float64:
		if y, ok := b.(float64); ok {
			return x < y
		}
	case string:
		if y, ok := b.(string); ok {
			o.c.m.work(o.c.l, min(len(x), len(y))/comparedBytes)
			return x < y
		}
	}
	return o.c.lessThan(a, b)
}

// sort puts the items from lo to hi, both included, in order: quicksort around the median of the ends and the middle.
func (o *order) sort(lo, hi int) {
	a := o.items
	put := func(i, j int) {
		if o.before(a[j], a[i]) {
			a[i], a[j] = a[j], a[i]
		}
	}
	for lo < hi {
		put(lo, hi)
		if hi-lo == 1 {
			return
		}
		mid := (lo + hi) / 2
		if o.before(a[mid], a[lo]) {
			a[mid], a[lo] = a[lo], a[mid]
		} else {
			put(mid, hi)
		}
		if hi-lo == 2 {
			return
		}
		cut := o.partition(lo, mid, hi)
		// The shorter part is sorted first, so that the calls do not nest deep.
		if cut-lo < hi-cut {
			o.sort(lo, cut-1)
			lo = cut + 1
		} else {
			o.sort(cut+1, hi)
			hi = cut - 1
		}
	}
}

// partition moves what is before the middle item to its left and returns where it ends up.
func (o *order) partition(lo, mid, hi int) int {
	a := o.items
	pivot, last := a[mid], hi-1
	a[mid], a[last] = a[last], a[mid]
	for i, j := lo, last; ; {
		for i++; o.before(a[i], pivot); i++ {
			if i >= hi {
				o.c.fail("invalid order function for sorting")
			}
		}
		for j--; o.before(pivot, a[j]); j-- {
			if j <= lo {
				o.c.fail("invalid order function for sorting")
			}
		}
		if j < i {
			a[last], a[i] = a[i], a[last]
			return i
		}
		a[i], a[j] = a[j], a[i]
	}
}

func tableSort(c call) int {
	t := c.writable(1)
	o := &order{c: c}
	if !c.absent(2) {
		o.less = c.function(2)
	}
	n := t.length()
	o.items = make([]any, n)
	for i := range o.items {
		o.items[i] = t.index(i + 1)
	}
	o.sort(0, n-1)
	for i, v := range o.items {
		t.setIndex(i+1, v)
	}
	return 0
}
