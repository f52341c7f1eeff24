package show

import (
	"slices"
	"strings"

	"almanac/catalog/text/cells"
)

// This file breaks lines of the shell's own, and code, at words. What scripts print is left to the terminal, which
// knows where its own lines were broken when text is copied.

// minWrap is the width below which nothing is broken: there is no room for words.
const minWrap = 12

// Wrap breaks the lines that are wider than width; see WrapLine.
func Wrap(lines []Line, width int) []Line {
	if width < minWrap {
		return lines
	}
	var out []Line
	for _, l := range lines {
		out = append(out, WrapLine(l, width)...)
	}
	return out
}

// WrapLine breaks a line that is wider than width at blanks, and inside of a word that is wider than a row. Nothing is
// left out but the blanks it breaks at. Rows after the first stand two columns further in than the line.
func WrapLine(l Line, width int) []Line {
	text := l.String()
	if width < minWrap || cells.Most(text) <= width {
		return []Line{l}
	}
	indent := min(len(text)-len(strings.TrimLeft(text, " "))+2, width/2)
	w := wrapping{width: width, lead: Line{{Text, strings.Repeat(" ", indent)}}}
	w.line(l)
	return w.end()
}

// WrapText breaks a line of clean text as those of the shell are broken: at blanks, rows after the first further in.
func WrapText(text string, width int) []string {
	var rows []string
	for _, l := range WrapLine(Line{{Text, text}}, width) {
		rows = append(rows, l.String())
	}
	return rows
}

// WrapCode breaks a line of code behind its head at blanks, behind commas and opening brackets, and between tokens. The
// rows after the first begin with more, which is as wide as head, and stand two columns further in than the line.
func WrapCode(head, l, more Line, width int) []Line {
	if width < minWrap || head.Width()+l.Width() <= width {
		return []Line{slices.Concat(head, l)}
	}
	text := l.String()
	indent := min(len(text)-len(strings.TrimLeft(text, " "))+2, width/2)
	w := wrapping{width: width, code: true, row: slices.Clone(head), used: head.Width()}
	w.lead = append(slices.Clone(more), Span{Text, strings.Repeat(" ", indent)})
	w.line(l)
	return w.end()
}

// A wrapping is a line that is being broken. A word of several spans may be broken between them.
type wrapping struct {
	width    int
	lead     Line // what rows after the first begin with
	code     bool // it may be broken behind commas and opening brackets
	lines    []Line
	row      Line
	used     int
	gap      Line // blanks that the next word may need
	gapWidth int
	words    bool // the row has a word
}

// line takes the words and blanks of l.
func (w *wrapping) line(l Line) {
	var unit Line // code that stays together where it can
	for _, s := range l {
		for rest := s.Text; rest != ""; {
			blank := rest[0] == ' '
			n := strings.IndexFunc(rest, func(r rune) bool { return (r == ' ') != blank })
			if n < 0 {
				n = len(rest)
			}
			switch {
			case blank:
				w.unit(unit)
				unit = nil
				w.blank(Span{s.Role, rest[:n]})
			case !w.code:
				w.word(Span{s.Role, rest[:n]})
			default:
				unit = append(unit, Span{s.Role, rest[:n]})
				if s.Role == Code && strings.IndexByte(",;{([", rest[n-1]) >= 0 {
					w.unit(unit)
					unit = nil
				}
			}
			rest = rest[n:]
		}
	}
	w.unit(unit)
}

// unit puts words into one row where they fit into one.
func (w *wrapping) unit(words Line) {
	size := words.Width()
	if w.words && w.used+w.gapWidth+size > w.width {
		w.next()
	}
	for _, s := range words {
		w.word(s)
	}
}

func (w *wrapping) blank(s Span) {
	w.gap = append(w.gap, s)
	w.gapWidth += len(s.Text)
}

func (w *wrapping) word(s Span) {
	size := cells.Width(s.Text)
	most := cells.Most(s.Text)
	if w.words && w.used+w.gapWidth+most > w.width {
		w.next()
	}
	w.row = append(w.row, w.gap...)
	w.used += w.gapWidth
	w.gap, w.gapWidth = nil, 0
	for w.used+size > w.width {
		head, taken := cells.Head(s.Text, w.width-w.used)
		if head == "" {
			break
		}
		w.row = append(w.row, Span{s.Role, head})
		w.next()
		w.row = append(w.row, w.gap...)
		w.used += w.gapWidth
		w.gap, w.gapWidth = nil, 0
		s.Text = s.Text[len(head):]
		size -= taken
	}
	if s.Text != "" {
		w.row = append(w.row, s)
		w.used += cells.Most(s.Text)
		w.words = true
	}
}

// next begins a row.
func (w *wrapping) next() {
	w.lines = append(w.lines, w.row)
	w.row, w.used, w.words = nil, 0, false
	w.gap, w.gapWidth = slices.Clone(w.lead), w.lead.Width()
}

func (w *wrapping) end() []Line {
	if len(w.row) > 0 {
		w.lines = append(w.lines, w.row)
	}
	return w.lines
}
