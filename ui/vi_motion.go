package ui

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// This file holds where vi keys go: the table of motions and the table of text objects. Both only look.

// A viReach says what an operator takes of the way that a motion goes.
type viReach int

const (
	viNowhere viReach = iota // the motion does not move
	viUpTo                   // without the character at the end
	viWith                   // with it
	viLines                  // whole lines
)

// A viFind is what f F t T looked for, for ; and comma.
type viFind struct{ key, char string }

// A viWay is where a motion begins: count is 0 when none was given, char what f F t T look for, last the find before.
type viWay struct {
	from, count int
	char        string
	last        viFind
}

// times is how often a motion without a count of its own moves.
func (w viWay) times() int { return max(w.count, 1) }

// viMotions is the table of motions. Each answers where it ends.
var viMotions = map[string]func(e *editor, w viWay) (to int, reach viReach){
	"h": func(e *editor, w viWay) (int, viReach) {
		to, start := w.from, e.lineStart(w.from)
		for i := 0; i < w.times() && to > start; i++ {
			to = e.prev(to)
		}
		return to, viUpTo
	},
	"l": func(e *editor, w viWay) (int, viReach) {
		to, end := w.from, e.lineEnd(w.from)
		for i := 0; i < w.times() && to < end; i++ {
			to = e.next(to)
		}
		return to, viUpTo
	},
	"0": func(e *editor, w viWay) (int, viReach) { return e.lineStart(w.from), viUpTo },
	"^": func(e *editor, w viWay) (int, viReach) { return e.lineIndent(w.from), viUpTo },
	"$": func(e *editor, w viWay) (int, viReach) { return e.lineEnd(e.lineBelow(w.from, w.times()-1)), viUpTo },
	"w": func(e *editor, w viWay) (int, viReach) { return e.repeat(w, viClass, e.viNextWord), viUpTo },
	"W": func(e *editor, w viWay) (int, viReach) { return e.repeat(w, viBigClass, e.viNextWord), viUpTo },
	"b": func(e *editor, w viWay) (int, viReach) { return e.repeat(w, viClass, e.viLastWord), viUpTo },
	"B": func(e *editor, w viWay) (int, viReach) { return e.repeat(w, viBigClass, e.viLastWord), viUpTo },
	"e": func(e *editor, w viWay) (int, viReach) { return e.repeat(w, viClass, e.viWordEnd), viWith },
	"E": func(e *editor, w viWay) (int, viReach) { return e.repeat(w, viBigClass, e.viWordEnd), viWith },
	"ge": func(e *editor, w viWay) (int, viReach) {
		return e.repeat(w, viClass, e.viLastEnd), viWith
	},
	"gE": func(e *editor, w viWay) (int, viReach) {
		return e.repeat(w, viBigClass, e.viLastEnd), viWith
	},
	"j":  func(e *editor, w viWay) (int, viReach) { return e.viLineBy(w.from, w.times()) },
	"k":  func(e *editor, w viWay) (int, viReach) { return e.viLineBy(w.from, -w.times()) },
	"gg": func(e *editor, w viWay) (int, viReach) { return e.lineIndent(e.lineBelow(0, w.times()-1)), viLines },
	"G": func(e *editor, w viWay) (int, viReach) {
		if w.count > 0 {
			return e.lineIndent(e.lineBelow(0, w.count-1)), viLines
		}
		return e.lineIndent(len(e.text)), viLines
	},
	"f": func(e *editor, w viWay) (int, viReach) { return e.viFindChar(w, viFind{"f", w.char}, false) },
	"F": func(e *editor, w viWay) (int, viReach) { return e.viFindChar(w, viFind{"F", w.char}, false) },
	"t": func(e *editor, w viWay) (int, viReach) { return e.viFindChar(w, viFind{"t", w.char}, false) },
	"T": func(e *editor, w viWay) (int, viReach) { return e.viFindChar(w, viFind{"T", w.char}, false) },
	";": func(e *editor, w viWay) (int, viReach) { return e.viFindChar(w, w.last, true) },
	",": func(e *editor, w viWay) (int, viReach) { return e.viFindChar(w, w.last.turned(), true) },
	"%": func(e *editor, w viWay) (int, viReach) { return e.viMatch(w.from) },
}

// viObjects is the table of text objects. Each answers the bytes around pos that i (inside) or a (around) take.
var viObjects = map[string]func(e *editor, pos, count int, around bool) (from, to int, ok bool){
	"w": func(e *editor, pos, count int, around bool) (int, int, bool) {
		return e.viWordAround(pos, count, around, viClass)
	},
	"W": func(e *editor, pos, count int, around bool) (int, int, bool) {
		return e.viWordAround(pos, count, around, viBigClass)
	},
	`"`: viQuotes(`"`), "'": viQuotes("'"), "`": viQuotes("`"),
	"(": viPair('(', ')'), ")": viPair('(', ')'), "b": viPair('(', ')'),
	"{": viPair('{', '}'), "}": viPair('{', '}'), "B": viPair('{', '}'),
	"[": viPair('[', ']'), "]": viPair('[', ']'), "<": viPair('<', '>'), ">": viPair('<', '>'),
}

// lineIndent is the first place in the line of pos that is not blank, or its end.
func (e *editor) lineIndent(pos int) int {
	at, end := e.lineStart(pos), e.lineEnd(pos)
	for at < end && (e.text[at] == ' ' || e.text[at] == '\t') {
		at++
	}
	return at
}

// lineBelow is the start of the line that is by lines below that of pos, as far as there are any.
func (e *editor) lineBelow(pos, by int) int {
	for ; by > 0; by-- {
		end := e.lineEnd(pos)
		if end == len(e.text) {
			break
		}
		pos = end + 1
	}
	return e.lineStart(pos)
}

// viLineBy is the line by lines below or above; nowhere when there is no such line at all.
func (e *editor) viLineBy(pos, by int) (int, viReach) {
	to := pos
	if by > 0 {
		to = e.lineBelow(pos, by)
	}
	for ; by < 0 && e.lineStart(to) > 0; by++ {
		to = e.lineStart(to) - 1
	}
	if e.lineStart(to) == e.lineStart(pos) {
		return pos, viNowhere
	}
	return to, viLines
}

// Classes of characters: vi's words are runs of one class that is not blank.
const (
	blankClass = iota
	wordClass
	signClass
)

// viClass is the class of the character that s begins with for w, b and e, viBigClass for W, B and E.
func viClass(s string) int {
	r, _ := utf8.DecodeRuneInString(s)
	switch {
	case s == "" || unicode.IsSpace(r):
		return blankClass
	case isWord(r):
		return wordClass
	}
	return signClass
}

func viBigClass(s string) int { return min(viClass(s), wordClass) }

// repeat makes a step as often as the way says.
func (e *editor) repeat(w viWay, class func(string) int, step func(pos int, class func(string) int) int) int {
	pos := w.from
	for range w.times() {
		pos = step(pos, class)
	}
	return pos
}

// emptyLine tells whether pos is on a line without characters; such a line counts as a word.
func (e *editor) emptyLine(pos int) bool {
	return e.lineStart(pos) == e.lineEnd(pos) && pos < len(e.text)
}

func (e *editor) viNextWord(pos int, class func(string) int) int {
	if c := class(e.text[pos:]); c != blankClass {
		for pos < len(e.text) && class(e.text[pos:]) == c {
			pos = e.next(pos)
		}
	}
	for pos < len(e.text) && class(e.text[pos:]) == blankClass {
		pos = e.next(pos)
		if e.emptyLine(pos) {
			break
		}
	}
	return pos
}

func (e *editor) viLastWord(pos int, class func(string) int) int {
	for pos > 0 {
		pos = e.prev(pos)
		if c := class(e.text[pos:]); c != blankClass {
			for pos > 0 && class(e.text[e.prev(pos):]) == c {
				pos = e.prev(pos)
			}
			break
		}
		if e.emptyLine(pos) {
			break
		}
	}
	return pos
}

func (e *editor) viWordEnd(pos int, class func(string) int) int {
	at := e.next(pos)
	for at < len(e.text) && class(e.text[at:]) == blankClass {
		at = e.next(at)
	}
	if at >= len(e.text) {
		return max(e.prev(len(e.text)), pos)
	}
	for c := class(e.text[at:]); e.next(at) < len(e.text) && class(e.text[e.next(at):]) == c; {
		at = e.next(at)
	}
	return at
}

func (e *editor) viLastEnd(pos int, class func(string) int) int {
	if c := class(e.text[pos:]); c != blankClass {
		for pos > 0 && class(e.text[pos:]) == c {
			pos = e.prev(pos)
		}
	}
	for pos > 0 && class(e.text[pos:]) == blankClass {
		pos = e.prev(pos)
	}
	return pos
}

// turned is the find in the other direction.
func (f viFind) turned() viFind {
	return viFind{map[string]string{"f": "F", "F": "f", "t": "T", "T": "t"}[f.key], f.char}
}

// viFindChar goes to a character in the line. Again, t and T step over the one that they stand before.
func (e *editor) viFindChar(w viWay, f viFind, again bool) (int, viReach) {
	start, end := e.lineStart(w.from), e.lineEnd(w.from)
	if f.key == "" || f.char == "" {
		return w.from, viNowhere
	}
	forward, till := f.key == "f" || f.key == "t", f.key == "t" || f.key == "T"
	at := w.from
	if again && till {
		if n := e.next(at); forward && n < end && strings.HasPrefix(e.text[n:], f.char) && w.times() == 1 {
			at = n
		}
		if !forward && at > start && strings.HasPrefix(e.text[e.prev(at):], f.char) && w.times() == 1 {
			at = e.prev(at)
		}
	}
	for range w.times() {
		for {
			if forward && e.next(at) >= end || !forward && at <= start {
				return w.from, viNowhere
			}
			if forward {
				at = e.next(at)
			} else {
				at = e.prev(at)
			}
			if strings.HasPrefix(e.text[at:], f.char) {
				break
			}
		}
	}
	switch f.key {
	case "f":
		return at, viWith
	case "t":
		return e.prev(at), viWith
	case "T":
		return e.next(at), viUpTo
	}
	return at, viUpTo
}

// viMatch goes from the first bracket at or behind pos in its line to the one that belongs to it.
func (e *editor) viMatch(pos int) (int, viReach) {
	const open, shut = "([{", ")]}"
	i := strings.IndexAny(e.text[pos:e.lineEnd(pos)], open+shut)
	if i < 0 {
		return pos, viNowhere
	}
	at := pos + i
	step, own := 1, strings.IndexByte(open, e.text[at])
	if own < 0 {
		step, own = -1, strings.IndexByte(shut, e.text[at])
	}
	depth := 0
	for ; at >= 0 && at < len(e.text); at += step {
		switch e.text[at] {
		case open[own]:
			depth += step
		case shut[own]:
			depth -= step
		}
		if depth == 0 {
			return at, viWith
		}
	}
	return pos, viNowhere
}

// viWordAround takes words and the blanks between them, each of which counts; around takes the blanks behind a word,
// or before the last one of a line.
func (e *editor) viWordAround(pos, count int, around bool, class func(string) int) (from, to int, ok bool) {
	start, end := e.lineStart(pos), e.lineEnd(pos)
	run := func(at int) int {
		for c := class(e.text[at:]); at < end && class(e.text[at:]) == c; {
			at = e.next(at)
		}
		return at
	}
	if pos >= end {
		return pos, pos, false
	}
	from = pos
	for c := class(e.text[pos:]); from > start && class(e.text[e.prev(from):]) == c; {
		from = e.prev(from)
	}
	to = pos
	for range count {
		blank := class(e.text[to:]) == blankClass
		to = run(to)
		if around && to < end && (blank || class(e.text[to:]) == blankClass) {
			to = run(to)
		} else if around && !blank {
			for from > start && class(e.text[e.prev(from):]) == blankClass {
				from = e.prev(from)
			}
		}
	}
	return from, to, true
}

// viQuotes finds the text between two quotes of the line: the pair around pos, or else the next one.
func viQuotes(quote string) func(e *editor, pos, count int, around bool) (int, int, bool) {
	return func(e *editor, pos, _ int, around bool) (int, int, bool) {
		open, end := -1, e.lineEnd(pos)
		for at := e.lineStart(pos); at < end; at++ {
			switch {
			case e.text[at] == '\\' && open >= 0:
				at++
			case e.text[at] != quote[0]:
			case open < 0:
				open = at
			case at < pos:
				open = -1
			case !around:
				return open + 1, at, true
			default:
				to := at + 1
				for to < end && e.text[to] == ' ' {
					to++
				}
				return open, to, true
			}
		}
		return pos, pos, false
	}
}

// viPair finds the text between two brackets around pos; the count says of which level.
func viPair(open, shut byte) func(e *editor, pos, count int, around bool) (int, int, bool) {
	return func(e *editor, pos, count int, around bool) (int, int, bool) {
		from, depth := pos, count
		if pos < len(e.text) && e.text[pos] == shut {
			from--
		}
		for ; from >= 0; from-- {
			if from >= len(e.text) {
				continue
			}
			if e.text[from] == shut {
				depth++
			} else if e.text[from] == open {
				if depth--; depth == 0 {
					break
				}
			}
		}
		if from < 0 {
			return pos, pos, false
		}
		depth = 0
		for to := from; to < len(e.text); to++ {
			if e.text[to] == open {
				depth++
			} else if e.text[to] == shut {
				if depth--; depth == 0 {
					if around {
						return from, to + 1, true
					}
					return from + 1, to, true
				}
			}
		}
		return pos, pos, false
	}
}
