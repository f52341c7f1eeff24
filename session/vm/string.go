package vm

import (
	"slices"
	"strings"
)

// This file holds the string library, over bytes; patterns are in pattern.go, format in format.go.

func openString(m *Machine) {
	lib := m.library("string")
	def := func(name string, f func(c call) int) { lib.put(name, m.function(name, f)) }
	def("len", func(c call) int { return c.give(float64(len(c.string(1)))) })
	def("lower", func(c call) int { return c.mapBytes('A', 'Z', 'a'-'A') })
	def("upper", func(c call) int { return c.mapBytes('a', 'z', 'A'-'a') })
	def("reverse", func(c call) int {
		b := []byte(c.string(1))
		slices.Reverse(b)
		c.m.work(c.l, len(b)/64)
		return c.giveText(string(b))
	})
	def("sub", func(c call) int {
		s := c.string(1)
		from, to := span(c.int(2), c.optInt(3, -1), len(s))
		return c.give(s[from:to])
	})
	def("byte", func(c call) int {
		s := c.string(1)
		i := c.optInt(2, 1)
		from, to := span(i, c.optInt(3, i), len(s))
		if to-from > maxResults {
			c.fail("string slice too long (at most %d bytes at once)", maxResults)
		}
		c.m.work(c.l, (to-from)/4)
		c.room(to - from)
		for _, b := range []byte(s[from:to]) {
			push(c.l, float64(b))
		}
		return to - from
	})
	def("char", func(c call) int {
		b := make([]byte, c.top())
		for i := range b {
			n := c.int(i + 1)
			if n < 0 || n > 255 {
				c.bad(i+1, "value out of range")
			}
			b[i] = byte(n)
		}
		return c.give(string(b))
	})
	def("rep", func(c call) int {
		s, n, sep := c.string(1), c.int(2), c.optString(3, "")
		if n <= 0 || len(s)+len(sep) == 0 {
			return c.give("")
		}
		if n > c.m.limits.String {
			n = c.m.limits.String + 1
		}
		c.m.stringSize(c.l, n*(len(s)+len(sep))-len(sep))
		if sep == "" {
			return c.giveText(strings.Repeat(s, n))
		}
		return c.giveText(strings.Repeat(s+sep, n-1) + s)
	})
	def("find", func(c call) int { return findText(c, true) })
	def("match", func(c call) int { return findText(c, false) })
	def("gmatch", matchAll)
	def("gsub", substitute)
	def("format", format)
	lib.put("dump", m.refusal("string.dump", "compiled code is not available"))
	m.stringMeta.put("__index", m.value(lib))
	m.stringMeta.put("__metatable", "string")
	m.failureMeta.put("__index", m.value(lib))
	m.failureMeta.put("__metatable", "error")
}

func (c call) mapBytes(from, to byte, shift int) int {
	b := []byte(c.string(1))
	for i, x := range b {
		if x >= from && x <= to {
			b[i] = byte(int(x) + shift)
		}
	}
	c.m.work(c.l, len(b)/64)
	return c.giveText(string(b))
}

// span turns Lua's inclusive bounds, which may count from the end, into a Go range within n.
func span(i, j, n int) (from, to int) {
	if i < 0 {
		i = max(n+i+1, 1)
	} else if i == 0 {
		i = 1
	}
	if j < 0 {
		j = n + j + 1
	}
	j = min(j, n)
	if i > j {
		return 0, 0
	}
	return i - 1, j
}

func findText(c call, find bool) int {
	s, pat := c.string(1), c.string(2)
	from := c.optInt(3, 1)
	if from < 0 {
		from = max(len(s)+from+1, 1)
	} else if from == 0 {
		from = 1
	}
	if from > len(s)+1 {
		return c.give(nil)
	}
	from--
	if find && (c.l.ToBoolean(4) || !strings.ContainsAny(pat, "^$*+?.([%-")) {
		c.m.work(c.l, (len(s)-from)/64)
		i := strings.Index(s[from:], pat)
		if i < 0 {
			return c.give(nil)
		}
		return c.give(float64(from+i+1), float64(from+i+len(pat)))
	}
	ms := &matcher{c: c, src: s, pat: pat}
	anchored := strings.HasPrefix(pat, "^")
	if anchored {
		ms.pat = pat[1:]
	}
	for ; from <= len(s); from++ {
		ms.reset()
		ms.step(1)
		if end := ms.at(from, 0); end >= 0 {
			if !find {
				return c.give(ms.all(from, end, true)...)
			}
			n := c.give(float64(from+1), float64(end))
			return n + c.give(ms.all(from, end, false)...)
		}
		if anchored {
			break
		}
	}
	return c.give(nil)
}

func matchAll(c call) int {
	s, pat := c.string(1), c.string(2)
	pos := 0
	return c.give(c.m.function("gmatch", func(c call) int {
		ms := &matcher{c: c, src: s, pat: pat}
		for ; pos <= len(s); pos++ {
			ms.reset()
			ms.step(1)
			if end := ms.at(pos, 0); end >= 0 {
				start := pos
				pos = end
				if end == start {
					pos++
				}
				return c.give(ms.all(start, end, true)...)
			}
		}
		return c.give(nil)
	}))
}

func substitute(c call) int {
	s, pat := c.string(1), c.string(2)
	with := c.raw(3)
	limit := c.optInt(4, len(s)+1) // checked before the replacement, as in 5.2
	switch c.m.typeName(with) {
	case "string", "number", "table", "function", "action":
	default:
		c.want(3, "string/function/table")
	}
	if limit < 0 {
		limit = len(s) + 1 // as in Lua 5.2, where the count has no sign
	}
	ms := &matcher{c: c, src: s, pat: pat}
	anchored := strings.HasPrefix(pat, "^")
	if anchored {
		ms.pat = pat[1:]
	}
	var b strings.Builder
	pos, n, paid := 0, 0, 0
	for n < limit {
		ms.reset()
		ms.step(1)
		end := ms.at(pos, 0)
		if end >= 0 {
			n++
			b.WriteString(ms.replacement(with, pos, end))
			c.m.grown(c.l, b.Len(), &paid)
		}
		switch {
		case end > pos:
			pos = end
		case pos < len(s):
			b.WriteByte(s[pos])
			pos++
		default:
			pos++
		}
		if pos > len(s) || anchored {
			break
		}
	}
	if pos < len(s) {
		b.WriteString(s[pos:])
	}
	c.m.stringSize(c.l, b.Len())
	c.giveText(b.String())
	return 1 + c.give(float64(n))
}

// replacement is what gsub puts for the match from start to end.
func (ms *matcher) replacement(with any, start, end int) string {
	var v any
	switch ms.c.m.typeName(with) {
	case "string", "number":
		return ms.expand(ms.c.string(3), start, end)
	case "table":
		v = ms.c.index(with, ms.capture(0, start, end))
	default:
		v = ms.c.invoke(with, ms.all(start, end, true)...)
	}
	if v == nil || v == false {
		return ms.src[start:end]
	}
	s, ok := ms.c.m.numeralText(v)
	if !ok {
		ms.c.fail("invalid replacement value (a %s)", ms.c.m.typeName(v))
	}
	return s
}

// expand fills in %0 to %9 of a replacement string.
func (ms *matcher) expand(with string, start, end int) string {
	if !strings.Contains(with, "%") {
		return with
	}
	var b strings.Builder
	for i := 0; i < len(with); i++ {
		if with[i] != '%' {
			b.WriteByte(with[i])
			continue
		}
		i++
		switch {
		case i < len(with) && with[i] == '%':
			b.WriteByte('%')
		case i < len(with) && with[i] == '0':
			b.WriteString(ms.src[start:end])
		case i < len(with) && with[i] >= '1' && with[i] <= '9':
			b.WriteString(ms.c.m.text(nil, ms.capture(int(with[i]-'1'), start, end)))
		default:
			ms.c.fail("invalid use of '%%' in replacement string")
		}
		ms.c.m.fits(ms.c.l, b.Len())
	}
	return b.String()
}
