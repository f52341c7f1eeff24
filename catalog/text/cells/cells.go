// Package cells measures and cuts text in terminal cells. It is the one authority for widths: tables, wrapping, charts
// and panes must agree on them, or columns do not line up. It counts like x/ansi, which draws the screen: a cluster of
// code points (an emoji with its joiners, a letter with its marks) is one character, CJK and emoji take two cells,
// marks and other zero-width characters none.
//
//	Width       how many cells a text takes
//	Most        how many it takes in the terminal that gives it most
//	Head, Tail  its beginning or end that fits into so many
//	Clip        its beginning that fits, with a mark where something was cut
//	Column      Clip for the texts of a column, so that those which differ look different
//
// Texts are one line each and sanitized (catalog/text); none is split inside a character.
package cells

import "github.com/charmbracelet/x/ansi"

// Width is how many terminal cells one line of text takes.
func Width(s string) int {
	for i := 0; i < len(s); i++ {
		if s[i] >= 0x80 || s[i] < 0x20 {
			return ansi.StringWidth(s)
		}
	}
	return len(s)
}

// Most is how many cells one line of text takes at most: terminals that do not draw several code points as one emoji
// give each its own cells. Prose is broken by it, so that no terminal breaks it once more; columns are not, see ui.
func Most(s string) int { return max(Width(s), ansi.StringWidthWc(s)) }

// Head is the beginning of s in at most width cells, and how many it takes.
func Head(s string, width int) (head string, taken int) {
	end := 0
	for end < len(s) {
		character, wide := ansi.FirstGraphemeCluster(s[end:], ansi.GraphemeWidth)
		if taken+wide > width {
			break
		}
		end, taken = end+len(character), taken+wide
	}
	return s[:end], taken
}

// First is the first character of s, whatever its width.
func First(s string) string {
	character, _ := ansi.FirstGraphemeCluster(s, ansi.GraphemeWidth)
	return character
}

// Tail is the end of s in at most width cells.
func Tail(s string, width int) string {
	for over := Width(s) - width; over > 0 && s != ""; {
		character, wide := ansi.FirstGraphemeCluster(s, ansi.GraphemeWidth)
		s, over = s[len(character):], over-wide
	}
	return s
}

// Clip shortens s to at most width cells, ending in mark if it was cut; a width of 0 is no limit. If not even the mark
// fits, nothing is left.
func Clip(s string, width int, mark string) string {
	if width <= 0 || Width(s) <= width {
		return s
	}
	room := width - Width(mark)
	if room < 0 {
		return ""
	}
	head, _ := Head(s, room)
	return head + mark
}
