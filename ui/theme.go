package ui

import (
	"strings"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"

	"almanac/repl/show"
)

// This file holds what is drawn with: a style for each role, and the few glyphs of the chrome. No meaning hangs on a
// colour alone, so that everything reads the same without. What the styles are is in palette.go.

// A theme is a set of styles and glyphs. With colour off every style is plain.
type theme struct {
	glyphs glyphs
	color  bool

	plain, dim, strong             lipgloss.Style
	prompt, good, bad, warn        lipgloss.Style
	heading, emphasis, link, match lipgloss.Style
	keyword, text, number, name    lipgloss.Style
}

// glyphs are all the signs that the chrome uses.
type glyphs struct {
	prompt, rule, bar, dot, more string
	// corners are those of a frame: upper left, upper right, lower left, lower right.
	corners [4]string
	// joints are where a line meets a frame: left, right, above, below.
	joints [4]string
}

func newTheme(color, ascii bool) theme {
	t := theme{color: color, glyphs: glyphs{prompt: "❯", rule: "─", bar: "│", dot: "·", more: "…",
		corners: [4]string{"┌", "┐", "└", "┘"}, joints: [4]string{"├", "┤", "┬", "┴"}}}
	if ascii {
		t.glyphs = glyphs{prompt: ">", rule: "-", bar: "|", dot: "-", more: "...",
			corners: [4]string{"+", "+", "+", "+"}, joints: [4]string{"+", "+", "+", "+"}}
	}
	return t.in(Theme{}, colorprofile.ANSI)
}

// rule returns a horizontal line of the given width with words set into it from the left and the right.
func (t theme) rule(width int, left, right string) string {
	if width < 1 {
		return ""
	}
	line := func(n int) string { return strings.Repeat(t.glyphs.rule, max(n, 0)) }
	if left == "" && right == "" {
		return t.dim.Render(line(width))
	}
	if left != "" {
		left = " " + left + " "
	}
	if right != "" {
		right = " " + right + " "
	}
	const ends = 2
	room := width - 2*ends
	if ansi.StringWidth(left)+ansi.StringWidth(right) > room {
		right = ""
	}
	left = ansi.Truncate(left, max(room, 0), t.glyphs.more)
	fill := room - ansi.StringWidth(left) - ansi.StringWidth(right)
	return t.dim.Render(line(ends)) + left + t.dim.Render(line(fill)) + right + t.dim.Render(line(ends))
}

// sides puts left and right at the edges of a row. The left gives way when both do not fit.
func (t theme) sides(width int, left, right string) string {
	w := ansi.StringWidth(right)
	if w >= width {
		return ansi.Truncate(left, width, t.glyphs.more)
	}
	left = ansi.Truncate(left, width-w, t.glyphs.more)
	return left + strings.Repeat(" ", width-w-ansi.StringWidth(left)) + right
}

// role returns the style of a role.
func (t theme) role(r show.Role) lipgloss.Style {
	switch r {
	case show.Prompt, show.Key:
		return t.prompt
	case show.ID, show.Header:
		return t.strong
	case show.Dim:
		return t.dim
	case show.OK:
		return t.good
	case show.Notice, show.Hint:
		return t.name
	case show.Warning, show.Mutates, show.Errout:
		return t.warn
	case show.Error:
		return t.bad
	case show.Heading:
		return t.heading
	case show.Strong:
		return t.strong
	case show.Emphasis:
		return t.emphasis
	case show.CodeSpan:
		if _, none := t.text.GetForeground().(lipgloss.NoColor); none { // it has no marks either
			return t.strong
		}
		return t.text
	case show.String:
		return t.text
	case show.Link:
		return t.link
	case show.Keyword:
		return t.keyword
	case show.Number:
		return t.number
	}
	return t.plain
}

// line draws a line of the shell's. Its text is clean already.
func (t theme) line(l show.Line) string {
	var b strings.Builder
	for _, s := range l {
		b.WriteString(t.paint(t.role(s.Role), s.Text))
	}
	return b.String()
}

// paint gives text a style, and leaves it alone when the style is plain: most text is.
func (t theme) paint(style lipgloss.Style, text string) string {
	if !t.color || text == "" {
		return text
	}
	return style.Render(text)
}
