package show

// This file is what everything is drawn as: lines of spans with roles.

import (
	"strings"

	"almanac/catalog/text"
	"almanac/catalog/text/cells"
)

// A Role says what a piece of text is.
type Role int

// The roles.
const (
	Text     Role = iota // anything without a role of its own
	Prompt               // "lua ❯ "
	Code                 // Lua source
	Output               // what a script printed
	Errout               // what a script printed to stderr or logged
	Result               // a value
	Header               // the head of a table
	Model                // what the model says
	ID                   // an action's id
	Dim                  // less important: numbers of cells, times, marks
	OK                   // a success
	Notice               // a message of the shell
	Warning              // a warning
	Error                // a failure
	Hint                 // what to do about it
	Mutates              // that something changes data
	Key                  // a key to press
	Heading              // a heading of Markdown
	Strong               // words with weight
	Emphasis             // words set apart
	CodeSpan             // code inside of words
	Link                 // an address
	Keyword              // a keyword of Lua
	String               // a string of Lua
	Number               // a number of Lua
)

// A Span is a piece of a line with one role. Its text has no newline and nothing a terminal would obey.
type Span struct {
	Role Role
	Text string
}

// Span is text in the role.
func (r Role) Span(text string) Span { return Span{r, text} }

// Line is a line of text in the role.
func (r Role) Line(text string) Line { return Line{{r, text}} }

// A Line is one line of text.
type Line []Span

// String returns the line's text without roles.
func (l Line) String() string {
	var b strings.Builder
	for _, s := range l {
		b.WriteString(s.Text)
	}
	return b.String()
}

// Width is how many terminal cells the line takes.
func (l Line) Width() int {
	return cells.Width(l.String())
}

// Options say how values become text. The zero value is what a terminal with UTF-8 wants.
type Options struct {
	// ASCII uses no characters beyond ASCII for marks and frames; data keeps its own.
	ASCII bool
	// MaxRows is how many rows of a table, or lines of another value, are shown; zero means 20, negative all.
	MaxRows int
	// Thousands puts a comma between each three digits of the numbers in tables, but not in ids and years.
	Thousands bool
}

func (o Options) rows() int {
	if o.MaxRows == 0 {
		return 20
	}
	return o.MaxRows
}

// Marks are the few characters that stand for something.
type Marks struct {
	Prompt, More, OK, Fail, Dot, Cut, Quote, Times, Rule string
}

// Marks returns the marks to use.
func (o Options) Marks() Marks {
	if o.ASCII {
		return Marks{Prompt: ">", More: "..", OK: "ok", Fail: "FAIL", Dot: "-", Cut: "...", Quote: "|", Times: "x", Rule: "-"}
	}
	return Marks{Prompt: "❯", More: "..", OK: "✓", Fail: "✗", Dot: "·", Cut: "…", Quote: "┊", Times: "×", Rule: "─"}
}

// Lines splits sanitized text into lines of one role.
func Lines(role Role, prefix, s string) []Line {
	parts := strings.Split(ExpandTabs(text.Sanitize(s)), "\n")
	lines := make([]Line, len(parts))
	for i, p := range parts {
		lines[i] = Line{{role, prefix + p}}
	}
	return lines
}

// ExpandTabs puts blanks for tabs: how wide a tab is depends on where the screen puts it.
func ExpandTabs(s string) string {
	return strings.ReplaceAll(s, "\t", "    ")
}
