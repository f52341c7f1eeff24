package ui

import (
	"strings"
	"unicode"

	"github.com/charmbracelet/x/ansi"
)

// This file keeps columns in line where the terminal takes another number of cells for a character than
// catalog/text/cells does. Terminals do not agree: a keycap has one cell in xterm, tmux and GNU screen and two in those
// that count whole characters; a family of emoji has six in xterm and two in tmux; an emoji of this year has none in
// last year's. So what stands behind such a character is put into its column by its number: behind a gap, as between
// the columns of a table, and at the lines of a frame. In between, letters stay together as the terminal has them.

// leastGap is how many blanks stand between columns at least.
const leastGap = 2

// aligned returns a row, or its end from the column from on, with what stands behind a character of doubtful width put
// into its column. The row must begin in the terminal's first column and not be broken at its edge.
func aligned(row string, from int) string {
	if !hasDoubt(row) {
		return row
	}
	var b strings.Builder
	column, doubt, blanks := from, 0, 0
	for state := byte(0); row != ""; {
		piece, width, n, next := ansi.DecodeSequence(row, state, nil)
		row, state = row[n:], next
		switch {
		case piece == " ":
			blanks++
		case width == 0 && !hasDoubt(piece): // a style
		default:
			if doubt > 0 && (blanks >= leastGap || isFrame(piece)) {
				// Where the terminal took fewer cells, blanks cover what was there.
				b.WriteString(strings.Repeat(" ", doubt) + ansi.CursorHorizontalAbsolute(column+1))
				doubt = 0
			}
			blanks = 0
			if hasDoubt(piece) {
				doubt += max(width, 1)
			}
		}
		b.WriteString(piece)
		column += width
	}
	return b.String()
}

// Letters of Thai and Lao that belong to the one before and have a cell in most terminals.
const thaiAm, laoAm = '\u0e33', '\u0eb3'

// hasDoubt tells whether a text has a character whose width terminals do not agree on: emoji, and all that consists of
// several code points.
func hasDoubt(s string) bool {
	for _, r := range s {
		if r >= 0x300 && (r >= 0x1f000 || r == thaiAm || r == laoAm || unicode.In(r, unicode.M, unicode.Cf)) {
			return true
		}
	}
	return false
}

// isFrame tells whether a character is a vertical line of the chrome.
func isFrame(s string) bool {
	return s == "│" || s == "┃" || s == "┤" || s == "┐" || s == "┘" || s == "|"
}
