package vm

import "strings"

// This file matches Lua patterns over bytes. It walks the pattern text itself, item by item, trying the longest (or for
// "-" the shortest) repetition first and going back when the rest does not match. Going back can take exponential time,
// so every step is counted against the run's budget. github.com/yuin/gopher-lua/pm was tried and rejected: it has no
// %f, matches captures wrongly after a failed branch and cannot be stopped.

const (
	maxCaptures     = 32
	maxPatternDepth = 200

	openCapture     = -1 // length of a capture that is not closed yet
	positionCapture = -2 // length of "()": stands for a position
)

// A matcher tries one pattern on one subject. level counts the captures begun.
type matcher struct {
	c        call
	src, pat string
	level    int
	depth    int
	steps    int
	captures [maxCaptures]struct{ start, length int }
}

// step counts n units of work; 32 cost one instruction.
func (ms *matcher) step(n int) {
	ms.steps += n
	if ms.steps >= 1024 {
		ms.c.m.work(ms.c.l, ms.steps/8)
		ms.steps = 0
	}
}

// at tries the pattern from its byte p at position s of the subject. It returns the end of the match, or -1.
func (ms *matcher) at(s, p int) int {
	ms.depth++
	if ms.depth > maxPatternDepth {
		ms.c.fail("pattern too complex")
	}
	defer func() { ms.depth-- }()
	for p < len(ms.pat) {
		ms.step(1)
		switch ms.pat[p] {
		case '(':
			if p+1 < len(ms.pat) && ms.pat[p+1] == ')' {
				return ms.begin(s, p+2, positionCapture)
			}
			return ms.begin(s, p+1, openCapture)
		case ')':
			return ms.finish(s, p+1)
		case '$':
			if p+1 == len(ms.pat) {
				if s == len(ms.src) {
					return s
				}
				return -1
			}
		case '%':
			if p+1 < len(ms.pat) {
				switch next := ms.pat[p+1]; {
				case next == 'b':
					if s = ms.balance(s, p+2); s < 0 {
						return -1
					}
					p += 4
					continue
				case next == 'f':
					set := p + 2
					if set >= len(ms.pat) || ms.pat[set] != '[' {
						ms.c.fail("missing '[' after '%%f' in pattern")
					}
					end := ms.itemEnd(set)
					if ms.inSet(ms.byteAt(s-1), set, end) || !ms.inSet(ms.byteAt(s), set, end) {
						return -1
					}
					p = end
					continue
				case next >= '0' && next <= '9':
					if s = ms.again(s, next); s < 0 {
						return -1
					}
					p += 2
					continue
				}
			}
		}
		end := ms.itemEnd(p)
		repeat := byte(0)
		if end < len(ms.pat) {
			repeat = ms.pat[end]
		}
		switch repeat {
		case '*':
			return ms.longest(s, p, end, 0)
		case '+':
			return ms.longest(s, p, end, 1)
		case '-':
			return ms.shortest(s, p, end)
		case '?':
			if ms.one(s, p, end) {
				if e := ms.at(s+1, end+1); e >= 0 {
					return e
				}
			}
			p = end + 1
			continue
		}
		if !ms.one(s, p, end) {
			return -1
		}
		s, p = s+1, end
	}
	return s
}

// byteAt is 0 outside the subject, which is how %f sees its edges.
func (ms *matcher) byteAt(s int) byte {
	if s >= 0 && s < len(ms.src) {
		return ms.src[s]
	}
	return 0
}

// itemEnd is where the single-character item that begins at p ends.
func (ms *matcher) itemEnd(p int) int {
	switch ms.pat[p] {
	case '%':
		if p+1 >= len(ms.pat) {
			ms.c.fail("malformed pattern (ends with '%%')")
		}
		return p + 2
	case '[':
		p++
		if p < len(ms.pat) && ms.pat[p] == '^' {
			p++
		}
		for first := true; ; first = false {
			if p >= len(ms.pat) {
				ms.c.fail("malformed pattern (missing ']')")
			}
			if ms.pat[p] == ']' && !first {
				return p + 1
			}
			if ms.pat[p] == '%' {
				p++
				if p >= len(ms.pat) {
					ms.c.fail("malformed pattern (missing ']')")
				}
			}
			p++
		}
	}
	return p + 1
}

// one reports whether the byte at s matches the item from p to end.
func (ms *matcher) one(s, p, end int) bool {
	if s >= len(ms.src) {
		return false
	}
	b := ms.src[s]
	switch ms.pat[p] {
	case '.':
		return true
	case '%':
		return inClass(b, ms.pat[p+1])
	case '[':
		ms.step((end - p) / 8)
		return ms.inSet(b, p, end)
	}
	return ms.pat[p] == b
}

// inSet says whether b is in the set "[...]" from p to end.
func (ms *matcher) inSet(b byte, p, end int) bool {
	p, last := p+1, end-1
	in := true
	if p < last && ms.pat[p] == '^' {
		in = false
		p++
	}
	for p < last {
		switch {
		case ms.pat[p] == '%':
			if inClass(b, ms.pat[p+1]) {
				return in
			}
			p += 2
		case p+2 < last && ms.pat[p+1] == '-':
			if ms.pat[p] <= b && b <= ms.pat[p+2] {
				return in
			}
			p += 3
		default:
			if ms.pat[p] == b {
				return in
			}
			p++
		}
	}
	return !in
}

// inClass says whether b is in class %c; an upper-case letter means the complement.
func inClass(b, class byte) bool {
	lower := class | 0x20
	var in bool
	switch lower {
	case 'a':
		in = b|0x20 >= 'a' && b|0x20 <= 'z'
	case 'c':
		in = b < ' ' || b == 0x7f
	case 'd':
		in = b >= '0' && b <= '9'
	case 'g':
		in = b > ' ' && b < 0x7f
	case 'l':
		in = b >= 'a' && b <= 'z'
	case 'p':
		in = b > ' ' && b < 0x7f && !inClass(b, 'w')
	case 's':
		in = b == ' ' || b >= '\t' && b <= '\r'
	case 'u':
		in = b >= 'A' && b <= 'Z'
	case 'w':
		in = inClass(b, 'a') || inClass(b, 'd')
	case 'x':
		in = inClass(b, 'd') || b|0x20 >= 'a' && b|0x20 <= 'f'
	case 'z':
		in = b == 0
	default:
		return class == b
	}
	if class < 'A' || class > 'z' || class > 'Z' && class < 'a' {
		return class == b
	}
	return in == (class >= 'a')
}

func (ms *matcher) longest(s, p, end, least int) int {
	n := 0
	for ms.one(s+n, p, end) {
		n++
		ms.step(1)
	}
	for ; n >= least; n-- {
		if e := ms.at(s+n, end+1); e >= 0 {
			return e
		}
	}
	return -1
}

func (ms *matcher) shortest(s, p, end int) int {
	for {
		if e := ms.at(s, end+1); e >= 0 {
			return e
		}
		if !ms.one(s, p, end) {
			return -1
		}
		s++
		ms.step(1)
	}
}

func (ms *matcher) begin(s, p, length int) int {
	if ms.level >= maxCaptures {
		ms.c.fail("too many captures")
	}
	ms.captures[ms.level].start, ms.captures[ms.level].length = s, length
	ms.level++
	e := ms.at(s, p)
	if e < 0 {
		ms.level--
	}
	return e
}

func (ms *matcher) finish(s, p int) int {
	i := ms.level - 1
	for ; i >= 0; i-- {
		if ms.captures[i].length == openCapture {
			break
		}
	}
	if i < 0 {
		ms.c.fail("invalid pattern capture")
	}
	ms.captures[i].length = s - ms.captures[i].start
	e := ms.at(s, p)
	if e < 0 {
		ms.captures[i].length = openCapture
	}
	return e
}

// balance matches %bxy, whose two bytes stand at p.
func (ms *matcher) balance(s, p int) int {
	if p+1 >= len(ms.pat) {
		ms.c.fail("malformed pattern (missing arguments to '%%b')")
	}
	if s >= len(ms.src) || ms.src[s] != ms.pat[p] {
		return -1
	}
	open, shut, nesting := ms.pat[p], ms.pat[p+1], 1
	for i := s + 1; i < len(ms.src); i++ {
		ms.step(1)
		switch ms.src[i] {
		case shut:
			nesting--
			if nesting == 0 {
				return i + 1
			}
		case open:
			nesting++
		}
	}
	return -1
}

// again matches the text of an earlier capture.
func (ms *matcher) again(s int, digit byte) int {
	i := int(digit - '1')
	if digit == '0' || i >= ms.level || ms.captures[i].length == openCapture {
		ms.c.fail("invalid capture index %%%d", int(digit-'0'))
	}
	c := ms.captures[i]
	if c.length == positionCapture {
		return -1
	}
	text := ms.src[c.start : c.start+c.length]
	ms.step(len(text) / 16)
	if strings.HasPrefix(ms.src[s:], text) {
		return s + len(text)
	}
	return -1
}

// reset prepares for an attempt at another position.
func (ms *matcher) reset() { ms.level, ms.depth = 0, 0 }

// capture is the value of capture i; capture 0 of a pattern without any is the whole match.
func (ms *matcher) capture(i, start, end int) any {
	if i >= ms.level {
		if i != 0 {
			ms.c.fail("invalid capture index %%%d", i+1)
		}
		return ms.src[start:end]
	}
	switch c := ms.captures[i]; c.length {
	case openCapture:
		ms.c.fail("unfinished capture")
	case positionCapture:
		return float64(c.start + 1)
	default:
		return ms.src[c.start : c.start+c.length]
	}
	return nil
}

// all returns the captures, or the whole match when there are none and whole is set.
func (ms *matcher) all(start, end int, whole bool) []any {
	n := ms.level
	if n == 0 && whole {
		n = 1
	}
	values := make([]any, n)
	for i := range values {
		values[i] = ms.capture(i, start, end)
	}
	return values
}
