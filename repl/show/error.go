package show

// This file shows the error of a script.

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"almanac/catalog/text"
	"almanac/catalog/text/cells"
	"almanac/session/vm"
)

// ErrorLines shows a script's error: place and message, the source line with a caret, and the hint. An interrupt is
// no more than its word. A width above 0 is that of the screen.
func ErrorLines(err *vm.Error, width int) []Line {
	if err.Kind == vm.Interrupt {
		return []Line{{{Warning, "interrupted"}}}
	}
	head := "error: "
	if err.Line > 0 {
		head = fmt.Sprintf("error: line %d: ", err.Line)
		if err.Column > 0 {
			head = fmt.Sprintf("error: line %d:%d: ", err.Line, err.Column)
		}
	}
	lines := Wrap(Lines(Error, "", head+err.Message), width)
	if err.Excerpt != "" {
		lines = append(lines, excerptLines(err, width)...)
	}
	if err.Hint != "" {
		for _, l := range Lines(Hint, "", err.Hint) {
			lines = append(lines, WrapLine(append(Line{{Hint, "  hint: "}}, l...), width)...)
		}
	}
	for i, t := range err.Traceback {
		if i == 8 {
			lines = append(lines, Line{{Dim, fmt.Sprintf("  … %d more", len(err.Traceback)-i)}})
			break
		}
		if len(err.Traceback) > 1 {
			lines = append(lines, Line{{Dim, "  in " + text.SanitizeLine(t)}})
		}
	}
	return lines
}

// maxExcerpt is how many columns of a source line an error shows at most.
const maxExcerpt = 1000

// excerptLines are the source line of an error and a caret under the place. Of a line that is wider than the screen the
// part around the place is shown, or its beginning where the place is not known. Where lines are not wrapped that is
// one of more than maxExcerpt.
func excerptLines(err *vm.Error, width int) []Line {
	if width < minWrap {
		width = maxExcerpt
	}
	gutter := "  | "
	if err.Line > 0 {
		gutter = fmt.Sprintf("%5d | ", err.Line)
	}
	source := strings.TrimRight(err.Excerpt, "\n")
	clean := func(s string) string { return ExpandTabs(text.SanitizeSource(s)) }
	if err.Column <= 0 || err.Column > len(source)+1 {
		return []Line{{{Dim, gutter}, {Code, cells.Clip(clean(source), width-len(gutter), "...")}}}
	}
	at := err.Column - 1
	for at > 0 && at < len(source) && !utf8.RuneStart(source[at]) {
		at--
	}
	before, after := clean(source[:at]), clean(source[at:])
	if room := width - len(gutter); cells.Width(before)+cells.Width(after) > room {
		const cut = "..."
		if lead := room * 2 / 3; cells.Width(before) > lead {
			before = cut + cells.Tail(before, max(lead-len(cut), 0))
		}
		after = cells.Clip(after, max(room-cells.Width(before), len(cut)), cut)
	}
	return []Line{
		{{Dim, gutter}, {Code, before + after}},
		{{Dim, strings.Repeat(" ", len(gutter)-2) + "| "}, {Error, strings.Repeat(" ", cells.Width(before)) + "^"}},
	}
}
