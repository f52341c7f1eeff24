package ui

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"almanac/catalog/text"
	"almanac/catalog/text/cells"
)

// The widths of xterm 379, tmux 3.3a and GNU screen 4.9, as they told them by the place of their cursor.
var terminalWidths = map[string]map[string]int{
	"xterm": {"1\u20e3": 1, "👩‍👩‍👧": 6, "👍🏽": 4, "❤\ufe0f": 1, "🏳️‍🌈": 3, "नमस्ते": 4, "กำ": 2, "🫩": 1,
		"🇩🇪": 2, "e\u0301": 1, "😀": 2},
	"tmux": {"1\u20e3": 1, "👩‍👩‍👧": 2, "👍🏽": 4, "❤\ufe0f": 1, "🏳️‍🌈": 1, "नमस्ते": 4, "กำ": 2, "🫩": 0,
		"🇩🇪": 2, "e\u0301": 1, "😀": 2},
	"whole": {},
}

// shownIn is a row of a terminal that had something else before, and that takes so many cells for the texts of widths.
// What goes beyond the edge stays in the last cell.
func shownIn(widths map[string]int, row string, size int) []string {
	out := strings.Split(strings.Repeat("#", size), "")
	at := 0
	put := func(s string, width int) {
		if width > 0 {
			at = min(at, size-width)
			out[at] = s
			for i := 1; i < width; i++ {
				out[at+i] = ""
			}
			at += width
		}
	}
	for state := byte(0); row != ""; {
		known := ""
		for s := range widths {
			if strings.HasPrefix(row, s) {
				known = s
			}
		}
		if known != "" {
			put(known, widths[known])
			row = row[len(known):]
			continue
		}
		piece, width, n, next := ansi.DecodeSequence(row, state, nil)
		row, state = row[n:], next
		if column, ok := strings.CutSuffix(strings.TrimPrefix(piece, "\x1b["), "G"); ok && len(piece) > len(column)+1 {
			at = 0
			for _, digit := range column {
				at = at*10 + int(digit-'0')
			}
			at--
			continue
		}
		put(piece, width)
	}
	return out
}

// Frames and columns are where they belong in every terminal, whatever it takes for the characters in front of them.
func TestAligned(t *testing.T) {
	for sign := range terminalWidths["xterm"] {
		for _, row := range []string{
			"│ " + pad(sign+" x", 12) + " │",
			"│ " + pad(sign+sign+sign, 12) + " │ two  " + pad(sign, 8) + "  three │",
			"\x1b[1mid  \x1b[m" + pad(sign, 6) + "\x1b[2m  note\x1b[m",
		} {
			size := ansi.StringWidth(row)
			for name, widths := range terminalWidths {
				got := shownIn(widths, aligned(row, 0), size)
				for _, letter := range []string{"│", "t", "n"} { // the frame, two and three, note
					plain := ansi.Strip(row)
					for from := 0; ; {
						i := strings.Index(plain[from:], letter)
						if i < 0 {
							break
						}
						if column := cells.Width(plain[:from+i]); got[column] != letter {
							t.Errorf("%s: %q: no %s in column %d: %q", name, row, letter, column, got)
						}
						from += i + len(letter)
					}
				}
				if strings.Contains(strings.Join(got, ""), "#") {
					t.Errorf("%s: %q: something is left of before: %q", name, row, got)
				}
			}
		}
	}
	for _, row := range []string{"plain  │", "漢字  │ ❯ … ─", "é  │", ""} {
		if got := aligned(row, 0); got != row {
			t.Errorf("%q became %q", row, got)
		}
	}
}

// Whatever the row, no letter of it is lost, and one that the terminal and we agree on looks the same.
func FuzzAligned(f *testing.F) {
	f.Add("│ 1\u20e3  👩‍👩‍👧 │", 3)
	f.Add("\x1b[1m👍🏽\x1b[m   x|", 0)
	f.Fuzz(func(t *testing.T, row string, from int) {
		from = max(from, -from) % 100
		row = text.SanitizeLine(row)
		got := aligned(strings.Repeat("x", from)+row, 0)
		size := max(ansi.StringWidth(row)+from, 1)
		want := shownIn(nil, strings.Repeat("x", from)+row, size)
		if shown := shownIn(nil, got, size); strings.Join(shown, "") != strings.Join(want, "") {
			t.Errorf("%q is shown as %q, want %q", got, shown, want)
		}
	})
}
