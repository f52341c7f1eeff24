package ui

import (
	"strings"

	"charm.land/lipgloss/v2"

	"almanac/repl/input"
	"almanac/session/syntax"
)

// This file colours the Lua of the input.

// A span is a piece of the input with one style.
type span struct {
	from, to int
	style    lipgloss.Style
}

// paintRow draws a row of text with the styles of spans, which are in order and do not overlap.
func paintRow(e *editor, r row, spans []span) string {
	text, show := e.text, e.folds.show
	var b strings.Builder
	at := r.from
	for _, s := range spans {
		from, to := max(s.from, at), min(s.to, r.to)
		if from >= to {
			continue
		}
		b.WriteString(show(text[at:from]))
		b.WriteString(s.style.Render(show(text[from:to])))
		at = to
	}
	b.WriteString(show(text[at:r.to]))
	return b.String()
}

// paintLimit is the length from which the input stays plain: colours are not worth a slow key.
const paintLimit = 32 << 10

// A painting is the colours of one text, kept until the text changes.
type painting struct {
	version int
	pos     int
	mode    input.Mode
	spans   []span
	done    bool
}

// paint returns the colours of the input; none when it is not Lua or colours are off.
func (m *model) paint() []span {
	p := &m.painted
	if p.done && p.version == m.edit.version && p.pos == m.edit.pos && p.mode == m.status.Mode {
		return p.spans
	}
	*p = painting{version: m.edit.version, pos: m.edit.pos, mode: m.status.Mode, done: true}
	text := m.edit.text
	if !m.theme.color || len(text) > paintLimit || input.Parse(text, p.mode).Form != input.Lua {
		return nil
	}
	tokens := syntax.Tokens(text)
	here, there := brackets(tokens, m.edit.pos)
	for i, t := range tokens {
		if there >= 0 && (i == here || i == there) {
			p.spans = append(p.spans, span{t.Pos.Offset, t.Pos.Offset + len(t.Text), m.theme.match})
			continue
		}
		if style, ok := m.theme.token(t.Kind); ok {
			p.spans = append(p.spans, span{t.Pos.Offset, t.Pos.Offset + len(t.Text), style})
		}
	}
	return p.spans
}

// brackets finds the bracket at pos, or else in front of it, and the one that belongs to it, as numbers of tokens;
// there is -1 when there is none.
func brackets(tokens []syntax.Token, pos int) (here, there int) {
	const open, shut = "([{", ")]}"
	here = -1
	for i, t := range tokens {
		if t.Kind != syntax.Operator || len(t.Text) != 1 || !strings.Contains(open+shut, t.Text) {
			continue
		}
		if t.Pos.Offset == pos {
			here = i
			break
		}
		if t.Pos.Offset == pos-1 {
			here = i
		}
	}
	if here < 0 {
		return -1, -1
	}
	step := 1
	if strings.Contains(shut, tokens[here].Text) {
		step = -1
	}
	depth := 0
	for i := here; i >= 0 && i < len(tokens); i += step {
		switch t := tokens[i]; {
		case t.Kind != syntax.Operator || len(t.Text) != 1:
		case strings.Contains(open, t.Text):
			depth += step
		case strings.Contains(shut, t.Text):
			depth -= step
		}
		if depth == 0 {
			return here, i
		}
	}
	return here, -1
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
