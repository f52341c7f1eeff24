package ui

import (
	"fmt"
	"strings"

	"almanac/repl"
)

// This file holds what the screen offers of the history: Up and Down, and the search of Ctrl+R.

// pastDepth is how many entries Up reaches, foundDepth how many a search lists.
const (
	pastDepth  = 1000
	foundDepth = 50
)

func foldSign(lines, n int) string { return fmt.Sprintf("[pasted %d lines #%d]", lines, n) }

// A past is a walk through the history. It keeps the draft that the walk began with.
type past struct {
	entries []string // oldest first; the draft comes after the last
	at      int
	draft   string
}

// up moves the cursor up, and on the first line to the older entry.
func (m *model) up() {
	if !m.edit.onFirstLine() {
		m.edit.vertical(-1)
		return
	}
	if m.past == nil {
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
		p.draft = m.full()
	}
	p.at = at
	text := p.draft
	if at < len(p.entries) {
		text = p.entries[at]
	}
	m.pastes = nil
	m.edit.set(text)
	if by < 0 {
		m.edit.move(len(text))
	}
}

// openPast loads the entries. A history that cannot be read is an empty one, and the notice says why.
func (m *model) openPast() *past {
	typed, err := m.history.Load(pastDepth)
	if err != nil {
		m.notice = repl.SanitizeLine(err.Error())
	}
	p := &past{}
	for _, t := range typed {
		text := cleanPaste(t.Text)
		if n := len(p.entries); n == 0 || p.entries[n-1] != text {
			p.entries = append(p.entries, text)
		}
	}
	if m.erased != "" {
		p.entries = append(p.entries, m.erased)
	}
	p.at = len(p.entries)
	return p
}

// A search is Ctrl+R: words that narrow the history. Enter takes the entry into the input, Esc changes nothing.
type search struct {
	words string
	found []string // newest first, each once
	at    int
}

func (m *model) openSearch() {
	m.search = &search{}
	m.find()
}

// find looks the words up anew.
func (m *model) find() {
	s := m.search
	s.found, s.at = s.found[:0], 0
	typed, err := m.history.Search(s.words, foundDepth)
	if err != nil {
		m.notice = repl.SanitizeLine(err.Error())
	}
	for _, t := range typed {
		s.found = append(s.found, cleanPaste(t.Text))
	}
}

// choice is the entry that Enter would take; "" when there is none.
func (s *search) choice() string {
	if s.at < len(s.found) {
		return s.found[s.at]
	}
	return ""
}

func (m *model) searchKey(name, text string) {
	s := m.search
	switch name {
	case "esc", "ctrl+c":
		m.search = nil
	case "enter", "tab", "right":
		if c := s.choice(); c != "" {
			m.past, m.pastes = nil, nil
			m.edit.set(c)
		}
		m.search = nil
	case "ctrl+r", "up", "ctrl+p":
		s.at = min(s.at+1, max(len(s.found)-1, 0))
	case "down", "ctrl+n":
		s.at = max(s.at-1, 0)
	case "backspace", "ctrl+h":
		if s.words != "" {
			e := editor{text: s.words}
			s.words = s.words[:e.prev(len(s.words))]
			m.find()
		}
	case "ctrl+u":
		s.words = ""
		m.find()
	default:
		if text != "" {
			s.words += strings.ReplaceAll(cleanPaste(text), "\n", " ")
			m.find()
		}
	}
}
