package ui

import (
	"slices"
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// This file holds what is written to change the screen. It must not lose a line of the transcript, whatever the window
// does meanwhile, for the terminal takes another size before anybody hears of it. So:
//
//   - lines are printed as a shell prints them: the region is erased, the lines are written where it was, and the
//     region is written below;
//   - the cursor goes down by line ends only, which scroll at the bottom of a window that became shorter;
//   - it goes up by no more rows than were written below it, and the region's rows are cut at the edge of a window that
//     became narrower, so that they are as many as were meant. The cursor thus never comes above the region;
//   - rows that stay are passed only on the way down from the cursor's own row and back to it, as some of them may have
//     been broken by then.

// A drawn is what the terminal shows of the screen. Its zero value is a terminal that shows nothing, the cursor at the
// beginning of a row.
type drawn struct {
	alt bool
	// known says that the rest is what the terminal shows.
	known         bool
	rows          []string
	at            point // where the cursor is in the rows
	hidden        bool
	width, height int
	// repeats says that the terminal repeats a letter when asked to.
	repeats bool
}

// change returns what shows p, and prints lines above it, on a terminal that shows d. broken is how many rows more than
// d knows of there are between the first one and the cursor; unsure says that there may be more below it, and has all
// of them written.
func (d *drawn) change(p picture, lines []string, broken int, unsure bool) string {
	if p.alt {
		return d.alternate(p, lines)
	}
	var b strings.Builder
	if d.alt {
		b.WriteString(d.leaveAlternate())
	}
	rows, rest := clip(p.rows, p.width, max(p.height-1, 1)), point{}
	hidden := p.cursor == nil || p.busy
	switch {
	case p.cursor != nil && p.busy:
		drawCursor(rows, *p.cursor)
	case p.cursor != nil:
		rest = point{min(p.cursor.x, p.width-1), min(p.cursor.y, max(len(rows)-1, 0))}
	}
	full := !d.known || len(lines) > 0 || len(rows) < len(d.rows) || p.width != d.width || p.height != d.height ||
		rest.y != d.at.y || !slices.Equal(rows[:rest.y], d.rows[:rest.y])
	if !full && slices.Equal(rows, d.rows) && rest == d.at && hidden == d.hidden {
		return b.String()
	}
	hide := ""
	if !d.hidden || !d.known {
		hide = ansi.ResetModeTextCursorEnable
	}
	y := rest.y
	if full || unsure {
		b.WriteString(ansi.SetModeSynchronizedOutput + hide + upward(d.at.y+broken) + eraseBelow)
		for _, line := range lines {
			b.WriteString(printed(line, p.width) + lineEnd)
		}
		b.WriteString(cutRows)
		for i, row := range rows {
			if i > 0 {
				b.WriteString(lineEnd)
			}
			b.WriteString(d.short(aligned(row, 0)))
		}
		y = max(len(rows)-1, 0)
	} else {
		b.WriteString(hide + "\r" + cutRows)
		for i := y; i < len(rows); i++ {
			old := ""
			if i < len(d.rows) {
				if old = d.rows[i]; old == rows[i] {
					continue
				}
			}
			b.WriteString(strings.Repeat("\n", i-y))
			y = i
			writeRow(&b, old, rows[i], p.width)
			b.WriteByte('\r')
		}
	}
	b.WriteString(breakRows + upward(y-rest.y))
	if rest.x > 0 {
		b.WriteString(ansi.CursorForward(rest.x))
	}
	if !hidden {
		b.WriteString(ansi.SetModeTextCursorEnable)
	}
	if full || unsure {
		b.WriteString(ansi.ResetModeSynchronizedOutput)
	}
	*d = drawn{known: true, rows: rows, at: rest, hidden: hidden, width: p.width, height: p.height, repeats: d.repeats}
	return b.String()
}

// alternate is change for the alternate screen. The region is erased before the terminal goes there, so that nothing of
// it has to be found again.
func (d *drawn) alternate(p picture, lines []string) string {
	var b strings.Builder
	rows, at := clip(p.rows, p.width, p.height), point{}
	hidden := p.cursor == nil
	if !hidden {
		at = point{min(p.cursor.x, p.width-1), min(p.cursor.y, p.height-1)}
	}
	if !d.alt {
		b.WriteString(upward(d.at.y) + eraseBelow)
		for _, line := range lines {
			b.WriteString(printed(line, p.width) + lineEnd)
		}
		b.WriteString(ansi.SetModeAltScreenSaveCursor + keysApart)
		*d = drawn{alt: true, repeats: d.repeats}
	}
	known := d.known && p.width == d.width && p.height == d.height
	if known && slices.Equal(rows, d.rows) && at == d.at && hidden == d.hidden {
		return b.String()
	}
	b.WriteString(ansi.ResetModeTextCursorEnable + cutRows)
	if !known {
		b.WriteString(ansi.EraseEntireScreen)
		d.rows = nil
	}
	for i, row := range rows {
		old := ""
		if i < len(d.rows) {
			if old = d.rows[i]; old == row {
				continue
			}
		}
		b.WriteString(ansi.CursorPosition(1, i+1))
		writeRow(&b, old, row, p.width)
	}
	if len(d.rows) > len(rows) {
		b.WriteString(ansi.CursorPosition(1, len(rows)+1) + ansi.EraseScreenBelow)
	}
	b.WriteString(breakRows)
	if !hidden {
		b.WriteString(ansi.CursorPosition(at.x+1, at.y+1) + ansi.SetModeTextCursorEnable)
	}
	*d = drawn{
		alt: true, known: true, rows: rows, at: at, hidden: hidden, width: p.width, height: p.height, repeats: d.repeats,
	}
	return b.String()
}

// clear returns what leaves nothing of the screen, the cursor shown where the region began.
func (d *drawn) clear() string {
	out := ""
	if d.alt {
		out = d.leaveAlternate()
	}
	out += upward(d.at.y) + eraseBelow + ansi.SetModeTextCursorEnable
	*d = drawn{repeats: d.repeats}
	return out
}

func (d *drawn) leaveAlternate() string {
	*d = drawn{repeats: d.repeats}
	return keysBefore + ansi.ResetModeAltScreenSaveCursor
}

// lineEnd goes to the beginning of the next row. The other way round, a window that is resized between the two would
// leave the cursor within the line: its beginning is where its first row began.
const lineEnd = "\n\r"

// eraseBelow erases the row of the cursor, which is in its first column, and all below. The cursor is in the second
// column when it does so: tmux keeps in its scrollback what is erased from the first column of the first row.
const eraseBelow = " " + ansi.EraseScreenBelow + "\r" + ansi.EraseLineRight

// Rows of the screen are cut at the edge of the window, lines of the transcript are broken.
const (
	cutRows   = ansi.ResetModeAutoWrap
	breakRows = ansi.SetModeAutoWrap
)

// upward moves to the beginning of the nth row above.
func upward(n int) string {
	if n < 1 {
		return "\r"
	}
	return "\r" + ansi.CursorUp(n)
}

// leastSkip is how many columns must be as they were for a row to be written from behind them.
const leastSkip = 8

// writeRow writes row over old, from the first column. Only what differs behind plain letters is written, in the styles
// that begin among them.
func writeRow(b *strings.Builder, old, row string, width int) {
	// The last letter that both have: its place, column and styles.
	last, column, worn := 0, -1, ""
	for n, styles := 0, ""; n < len(old) && n < len(row) && old[n] == row[n]; {
		style := styleAt(row[n:])
		switch {
		case style != "" && !strings.HasPrefix(old[n:], style) || style == "" && (row[n] < ' ' || row[n] >= 0x7f):
			n = len(row)
		case style == ansi.ResetStyle || style == "\x1b[0m":
			n, styles = n+len(style), ""
		case style != "":
			n, styles = n+len(style), styles+style
		default:
			last, column, worn = n, column+1, styles
			n++
		}
	}
	if column >= leastSkip { // that letter is written again: what follows may be a mark upon it
		b.WriteString(ansi.CursorForward(column) + worn + aligned(row[last:], column))
	} else {
		b.WriteString(aligned(row, 0))
	}
	wide, was := ansi.StringWidth(row), ansi.StringWidth(old)
	if hasDoubt(old) || hasDoubt(row) {
		was = width
	}
	if wide < min(width, was) {
		b.WriteString(ansi.EraseLineRight)
	}
}

// styleAt is the style that begins s; empty where none does.
func styleAt(s string) string {
	for i := 2; i < len(s) && strings.HasPrefix(s, "\x1b["); i++ {
		switch c := s[i]; {
		case c == 'm':
			return s[:i+1]
		case c != ';' && c != ':' && (c < '0' || c > '9'):
			return ""
		}
	}
	return ""
}

// clip returns the last rows that fit into a window.
func clip(rows []string, width, height int) []string {
	rows = rows[max(len(rows)-height, 0):]
	out := make([]string, len(rows))
	for i, row := range rows {
		if len(row) > width && ansi.StringWidth(row) > width {
			row = ansi.Truncate(row, width, "")
		}
		out[i] = closed(row)
	}
	return out
}

// leastRun is how often a letter must stand for its repetition to be shorter.
const leastRun = 8

// short writes the rules of a row, which take three bytes a column, in few bytes where the terminal knows how.
func (d *drawn) short(row string) string {
	const rule = "─"
	if !d.repeats || !strings.Contains(row, strings.Repeat(rule, leastRun)) {
		return row
	}
	var b strings.Builder
	for row != "" {
		rest := strings.TrimLeft(row, rule)
		switch n := (len(row) - len(rest)) / len(rule); {
		case n >= leastRun:
			b.WriteString(rule + ansi.RepeatPreviousCharacter(n-1))
		default:
			b.WriteString(row[:len(row)-len(rest)])
		}
		next := strings.Index(rest, rule)
		if next < 0 {
			next = len(rest)
		}
		b.WriteString(rest[:next])
		row = rest[next:]
	}
	return b.String()
}

// printed is a line of the transcript. One whose columns have to be put in line is cut at the edge of the window: a
// broken one would have them in another row.
func printed(line string, width int) string {
	line = closed(line)
	if a := aligned(line, 0); a != line && ansi.StringWidth(line) <= width {
		return cutRows + a + breakRows
	}
	return line
}

// closed ends the styles of a row.
func closed(row string) string {
	at := strings.LastIndexByte(row, '\x1b')
	if at < 0 || strings.HasPrefix(row[at:], ansi.ResetStyle) || strings.HasPrefix(row[at:], "\x1b[0m") {
		return row
	}
	return row + ansi.ResetStyle
}

// drawCursor draws the cursor into the rows, for a terminal whose own cursor is elsewhere.
func drawCursor(rows []string, at point) {
	if at.y >= len(rows) {
		return
	}
	row := rows[at.y]
	under := ansi.Strip(ansi.Cut(row, at.x, at.x+1))
	if under == "" {
		under = " "
	}
	rows[at.y] = pad(ansi.Truncate(row, at.x, ""), at.x) + ansi.ResetStyle + "\x1b[7m" + under + ansi.ResetStyle +
		ansi.TruncateLeft(row, at.x+ansi.StringWidth(under), "")
}

// brokenRows says how many rows more the terminal shows between the first row and the cursor in a window that has
// become narrower.
func brokenRows(rows []string, at point, width int) int {
	if width < 1 || at.y >= len(rows) {
		return 0
	}
	broken := at.x / width
	for _, row := range rows[:at.y] {
		broken += max(ansi.StringWidth(strings.TrimRight(ansi.Strip(row), " "))-1, 0) / width
	}
	return broken
}

// equal says whether two pictures show the same.
func (p picture) equal(q picture) bool {
	same := p.cursor == q.cursor || p.cursor != nil && q.cursor != nil && *p.cursor == *q.cursor
	return same && p.alt == q.alt && p.width == q.width && p.height == q.height &&
		p.busy == q.busy && slices.Equal(p.rows, q.rows)
}
