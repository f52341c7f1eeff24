package ui

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"

	"almanac/catalog/text"
)

// This file holds the editor: the text of the input area, its cursor, and what the editing keys do to them. It knows
// nothing of drawing; view.go asks it for its rows.

// An editor is a multi-line text with a cursor. The zero editor is empty and ready.
type editor struct {
	text string
	// pos is the cursor, a byte offset into text that never falls inside a grapheme.
	pos int
	// goal is the column that vertical moves aim for; negative when the last move was not vertical.
	goal int
	// killed is what Ctrl+K, Ctrl+U and Ctrl+W cut last, for Ctrl+Y.
	killed string
	// undo holds earlier states, oldest first; typing joins the state that the first letter began.
	undo   []snapshot
	typing bool
	// redo holds the states that undo took back, the last one last; a change empties it.
	redo []snapshot
	// folds are the pastes that letters of the text stand for; nil when there are none.
	folds *folds
	// version counts changes of text, for caches.
	version int
}

type snapshot struct {
	text string
	pos  int
}

// maxUndo bounds how many states an editor remembers.
const maxUndo = 200

// set replaces the text and puts the cursor at its end. It can be undone.
func (e *editor) set(text string) {
	e.save(false)
	e.replace(0, len(e.text), text)
}

// insert puts s at the cursor. It adds nothing to what the terminal is told: s must be clean (see cleanPaste).
func (e *editor) insert(s string) {
	e.save(utf8.RuneCountInString(s) == 1 && s != "\n" && s != " ")
	e.replace(e.pos, e.pos, s)
}

// replace puts s in the place of text[from:to] and the cursor behind it, without a new undo state.
func (e *editor) replace(from, to int, s string) {
	e.text = e.text[:from] + s + e.text[to:]
	e.pos = from + len(s)
	e.goal = -1
	e.version++
}

// save remembers the present state for undo. A run of typed letters is one state.
func (e *editor) save(typed bool) {
	e.redo = nil
	if typed && e.typing {
		return
	}
	e.typing = typed
	e.undo = append(e.undo, snapshot{e.text, e.pos})
	if len(e.undo) > maxUndo {
		e.undo = append(e.undo[:0], e.undo[len(e.undo)-maxUndo:]...)
	}
}

func (e *editor) undoLast() { e.restore(&e.undo, &e.redo) }

func (e *editor) redoLast() { e.restore(&e.redo, &e.undo) }

// restore goes to the last state of from that differs, and adds the present one to to.
func (e *editor) restore(from, to *[]snapshot) {
	for len(*from) > 0 {
		last := (*from)[len(*from)-1]
		*from = (*from)[:len(*from)-1]
		if last.text == e.text {
			continue
		}
		*to = append(*to, snapshot{e.text, e.pos})
		e.text, e.pos, e.goal, e.typing = last.text, last.pos, -1, false
		e.version++
		return
	}
}

// cut removes text[from:to]; keep says that Ctrl+Y may bring it back.
func (e *editor) cut(from, to int, keep bool) {
	if from >= to {
		return
	}
	if keep {
		e.killed = e.text[from:to]
	}
	e.save(false)
	e.replace(from, to, "")
}

func (e *editor) move(pos int) {
	e.pos, e.goal, e.typing = min(max(pos, 0), len(e.text)), -1, false
}

// next returns the offset behind the grapheme at pos, prev the offset of the one before it.
func (e *editor) next(pos int) int {
	if pos >= len(e.text) {
		return len(e.text)
	}
	if e.text[pos] == '\n' {
		return pos + 1
	}
	if r, n := utf8.DecodeRuneInString(e.text[pos:]); isFold(r) {
		return pos + n
	}
	g, _ := ansi.FirstGraphemeCluster(e.text[pos:], ansi.GraphemeWidth)
	return pos + max(len(g), 1)
}

func (e *editor) prev(pos int) int {
	if pos <= 0 {
		return 0
	}
	at := e.lineStart(pos)
	if at == pos {
		return pos - 1
	}
	for {
		n := e.next(at)
		if n >= pos {
			return at
		}
		at = n
	}
}

func (e *editor) lineStart(pos int) int { return strings.LastIndexByte(e.text[:pos], '\n') + 1 }

func (e *editor) lineEnd(pos int) int {
	if i := strings.IndexByte(e.text[pos:], '\n'); i >= 0 {
		return pos + i
	}
	return len(e.text)
}

func isWord(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) }

// wordLeft and wordRight return the offset that a word move reaches.
func (e *editor) wordLeft(pos int) int {
	seen := false
	for pos > 0 {
		r, n := utf8.DecodeLastRuneInString(e.text[:pos])
		if isWord(r) {
			seen = true
		} else if seen {
			break
		}
		pos -= n
	}
	return pos
}

func (e *editor) wordRight(pos int) int {
	seen := false
	for pos < len(e.text) {
		r, n := utf8.DecodeRuneInString(e.text[pos:])
		if isWord(r) {
			seen = true
		} else if seen {
			break
		}
		pos += n
	}
	return pos
}

// spaceLeft is where Ctrl+W cuts: back to white space, as shells do.
func (e *editor) spaceLeft(pos int) int {
	seen := false
	for pos > 0 {
		r, n := utf8.DecodeLastRuneInString(e.text[:pos])
		if !unicode.IsSpace(r) {
			seen = true
		} else if seen {
			break
		}
		pos -= n
	}
	return pos
}

// onFirstLine and onLastLine say whether Up and Down leave the text.
func (e *editor) onFirstLine() bool { return !strings.Contains(e.text[:e.pos], "\n") }
func (e *editor) onLastLine() bool  { return !strings.Contains(e.text[e.pos:], "\n") }

// vertical moves the cursor by one line, up for a negative by. It keeps the column where the lines allow it.
func (e *editor) vertical(by int) {
	start := e.lineStart(e.pos)
	if e.goal < 0 {
		e.goal = e.wide(start, e.pos)
	}
	goal := e.goal
	var at int
	if by < 0 {
		if start == 0 {
			return
		}
		at = e.lineStart(start - 1)
	} else {
		end := e.lineEnd(e.pos)
		if end == len(e.text) {
			return
		}
		at = end + 1
	}
	end := e.lineEnd(at)
	for at < end {
		n := e.next(at)
		if e.wide(e.lineStart(at), n) > goal {
			break
		}
		at = n
	}
	e.pos, e.goal, e.typing = at, goal, false
}

// key applies an editing key and reports whether it knew it. Keys are named as Bubble Tea names them.
func (e *editor) key(name string) bool {
	switch name {
	case "left", "ctrl+b":
		e.move(e.prev(e.pos))
	case "right", "ctrl+f":
		e.move(e.next(e.pos))
	case "ctrl+left", "alt+left", "alt+b":
		e.move(e.wordLeft(e.pos))
	case "ctrl+right", "alt+right", "alt+f":
		e.move(e.wordRight(e.pos))
	case "home", "ctrl+a":
		e.move(e.lineStart(e.pos))
	case "end", "ctrl+e":
		e.move(e.lineEnd(e.pos))
	case "ctrl+home", "alt+<":
		e.move(0)
	case "ctrl+end", "alt+>":
		e.move(len(e.text))
	case "backspace", "ctrl+h", "shift+backspace":
		e.cut(e.prev(e.pos), e.pos, false)
	case "delete":
		e.cut(e.pos, e.next(e.pos), false)
	case "ctrl+w", "ctrl+backspace":
		e.cut(e.spaceLeft(e.pos), e.pos, true)
	case "alt+backspace":
		e.cut(e.wordLeft(e.pos), e.pos, true)
	case "alt+d", "alt+delete", "ctrl+delete":
		e.cut(e.pos, e.wordRight(e.pos), true)
	case "ctrl+u":
		from := e.lineStart(e.pos)
		if from == e.pos {
			from = e.prev(e.pos)
		}
		e.cut(from, e.pos, true)
	case "ctrl+k":
		to := e.lineEnd(e.pos)
		if to == e.pos {
			to = e.next(e.pos)
		}
		e.cut(e.pos, to, true)
	case "ctrl+y":
		if e.killed != "" {
			e.insert(e.killed)
		}
	case "ctrl+_", "ctrl+/":
		e.undoLast()
	case "alt+_", "alt+/":
		e.redoLast()
	default:
		return false
	}
	return true
}

// A row is one screen row of the input: a part of one line.
type row struct {
	// from and to are byte offsets of the row's text.
	from, to int
	// first is true for the first row of a line.
	first bool
}

// rows breaks the text into rows of at most width columns, at least one.
func (e *editor) rows(width int) []row {
	width = max(width, 1)
	var rows []row
	at := 0
	for {
		end := e.lineEnd(at)
		from, column, first := at, 0, true
		for p := at; p < end; {
			n := e.next(p)
			w := min(e.wide(p, n), width)
			if column+w > width && p > from {
				rows = append(rows, row{from, p, first})
				from, column, first = p, 0, false
			}
			column += w
			p = n
		}
		rows = append(rows, row{from, end, first})
		if end == len(e.text) {
			return rows
		}
		at = end + 1
	}
}

// tabWidth is how many columns a tab in the input takes.
const tabWidth = 2

// cursor returns the row and column of the cursor among rows of the given width.
func (e *editor) cursor(rows []row) (y, x int) {
	for i, r := range rows {
		last := i+1 == len(rows) || rows[i+1].first
		if e.pos >= r.from && (e.pos < r.to || e.pos == r.to && last) {
			return i, e.wide(r.from, e.pos)
		}
	}
	return len(rows) - 1, 0
}

// wide is how many columns text[from:to] takes.
func (e *editor) wide(from, to int) int { return ansi.StringWidth(e.folds.show(e.text[from:to])) }

func untab(s string) string { return strings.ReplaceAll(s, "\t", strings.Repeat(" ", tabWidth)) }

// cleanPaste makes pasted text fit for the editor: line ends become LF, and no control character stays that could
// speak to the terminal.
func cleanPaste(s string) string {
	s = strings.ReplaceAll(s, "\r\n", "\n")
	s = strings.ReplaceAll(s, "\r", "\n")
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return r
		case unicode.IsControl(r), r == utf8.RuneError, isFold(r):
			return -1
		case text.Unsafe(r):
			return -1 // what would be invisible, or make text read as something else
		}
		return r
	}, s)
}
