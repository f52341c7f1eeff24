package ui

import (
	"strings"

	"charm.land/lipgloss/v2"

	"almanac/repl"
	"almanac/session/syntax"
)

// This file colours the Lua of the input.

// A span is a piece of the input with one style.
type span struct {
	from, to int
	style    lipgloss.Style
}

// paintRow draws a row of text with the styles of spans, which are in order and do not overlap.
func paintRow(text string, r row, spans []span) string {
	var b strings.Builder
	at := r.from
	for _, s := range spans {
		from, to := max(s.from, at), min(s.to, r.to)
		if from >= to {
			continue
		}
		b.WriteString(untab(text[at:from]))
		b.WriteString(s.style.Render(untab(text[from:to])))
		at = to
	}
	b.WriteString(untab(text[at:r.to]))
	return b.String()
}

// paintLimit is the length from which the input stays plain: colours are not worth a slow key.
const paintLimit = 32 << 10

// A painting is the colours of one text, kept until the text changes.
type painting struct {
	version int
	mode    repl.Mode
	spans   []span
	done    bool
}

// paint returns the colours of the input; none when it is not Lua or colours are off.
func (m *model) paint() []span {
	p := &m.painted
	if p.done && p.version == m.edit.version && p.mode == m.status.Mode {
		return p.spans
	}
	*p = painting{version: m.edit.version, mode: m.status.Mode, done: true}
	text := m.edit.text
	if !m.theme.color || len(text) > paintLimit || repl.Parse(text, p.mode).Form != repl.Lua {
		return nil
	}
	for _, t := range syntax.Tokens(text) {
		if style, ok := m.theme.token(t.Kind); ok {
			p.spans = append(p.spans, span{t.Pos.Offset, t.Pos.Offset + len(t.Text), style})
		}
	}
	return p.spans
}

// token returns the style of a kind of token; names and operators have none.
func (t theme) token(k syntax.TokenKind) (lipgloss.Style, bool) {
	switch k {
	case syntax.Keyword:
		return t.keyword, true
	case syntax.String:
		return t.text, true
	case syntax.Number:
		return t.number, true
	case syntax.Comment:
		return t.dim, true
	case syntax.Bad:
		return t.bad, true
	}
	return lipgloss.Style{}, false
}
