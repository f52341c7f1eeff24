package ui

import (
	"strings"

	"almanac/catalog/text"
)

// This file holds what the screen offers of the history with Up and Down; search.go has Ctrl+R.

// pastDepth is how many entries Up reaches.
const pastDepth = 1000

// A past is a walk through the history. It keeps the draft that the walk began with.
type past struct {
	entries []string // oldest first; the draft comes after the last
	at      int
	draft   string
}

// shown is what the walk has put into the input.
func (p *past) shown() string {
	if p.at < len(p.entries) {
		return p.entries[p.at]
	}
	return p.draft
}

// up moves the cursor up, and on the first line to the older entry.
func (m *model) up() {
	if !m.edit.onFirstLine() {
		m.edit.vertical(-1)
		return
	}
	if m.past == nil || m.edit.text != m.past.shown() {
		m.past = m.openPast()
	}
	m.walk(-1)
}

// down moves the cursor down, and on the last line to the newer entry or the draft.
func (m *model) down() {
	if !m.edit.onLastLine() {
		m.edit.vertical(1)
		return
	}
	if m.past != nil {
		m.walk(1)
	}
}

func (m *model) walk(by int) {
	p := m.past
	at := p.at + by
	if at < 0 || at > len(p.entries) {
		return
	}
	if p.at == len(p.entries) {
		p.draft = m.edit.text
	}
	p.at = at
	text := p.shown()
	m.edit.set(text)
	if by < 0 {
		m.edit.move(len(text))
	}
}

// openPast loads the entries that begin with what is typed, or all where none does. A history that cannot be read is an
// empty one, and the notice says why.
func (m *model) openPast() *past {
	typed, err := m.history.Load(pastDepth)
	if err != nil {
		m.notice = text.SanitizeLine(err.Error())
	}
	p, begun := &past{draft: m.edit.text}, []string{}
	add := func(entries []string, text string) []string {
		if n := len(entries); n > 0 && entries[n-1] == text {
			return entries
		}
		return append(entries, text)
	}
	for _, t := range typed {
		text := cleanPaste(t.Text)
		p.entries = add(p.entries, text)
		if text != p.draft && strings.HasPrefix(text, p.draft) {
			begun = add(begun, text)
		}
	}
	switch {
	case p.draft != "" && len(begun) > 0:
		p.entries = begun
	case m.erased != "":
		p.entries = append(p.entries, m.erased)
	}
	p.at = len(p.entries)
	return p
}
