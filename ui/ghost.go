package ui

import (
	"slices"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"almanac/repl/input"
)

// This file holds the ghost: the rest of the last input that began as the one that is being typed, faint behind the
// cursor. Right takes it. Without colours there is none, as nothing would tell it from what was typed.

// ghostFrom is how much must be typed for a ghost.
const ghostFrom = 2

// A ghost is what the history had when the input began. The zero ghost has not looked.
type ghost struct {
	off, loaded bool
	typed       []input.Typed
}

// rest is what the ghost adds to text, empty for nothing.
func (g *ghost) rest(text string, mode input.Mode, history *input.History) string {
	if len(text) < ghostFrom {
		return ""
	}
	if !g.loaded {
		// A history that cannot be read suggests nothing; Up says why.
		g.typed, _ = history.Load(pastDepth)
		g.loaded = true
	}
	for _, t := range slices.Backward(g.typed) {
		if before := cleanPaste(t.Text); t.Mode == mode && len(before) > len(text) && strings.HasPrefix(before, text) {
			return before[len(text):]
		}
	}
	return ""
}

// ghostText is what Right would add to the input now.
func (m *model) ghostText() string {
	e := &m.edit
	if m.ghost.off || !m.theme.color || m.listing() || e.pos != len(e.text) || m.vi.on && m.vi.normal ||
		m.past != nil && e.text == m.past.shown() {
		return ""
	}
	return m.ghost.rest(e.text, m.status.Mode, m.history)
}

// ghostRow puts the ghost behind the row of the cursor.
func (m *model) ghostRow(row string, at point) string {
	rest, more, broken := strings.Cut(m.ghostText(), "\n")
	if rest == "" && more == "" {
		return row
	}
	if broken {
		rest += m.theme.glyphs.more
	}
	return row + m.theme.dim.Render(ansi.Truncate(rest, max(m.width-1-at.x, 0), m.theme.glyphs.more))
}
