package ui

import (
	"fmt"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"almanac/catalog/text"
)

// This file holds the search of Ctrl+R: a list of earlier inputs in the place of the menu, narrowed by typing.

// foundDepth is how many entries a search lists.
const foundDepth = 200

// A search is words that narrow the history. Enter takes the entry into the input, Esc changes nothing.
type search struct {
	words string
	found []string // newest first, each once
	at    int
	// own narrows to what this session was given.
	own bool
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
		m.notice = text.SanitizeLine(err.Error())
	}
	for _, t := range typed {
		if !s.own || t.Session == m.status.Session {
			s.found = append(s.found, cleanPaste(t.Text))
		}
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
	case "enter", "kpenter", "tab", "right":
		if c := s.choice(); c != "" {
			m.past = nil
			m.edit.set(c)
		}
		m.search = nil
	case "ctrl+r", "down", "ctrl+n":
		s.at = min(s.at+1, max(len(s.found)-1, 0))
	case "up", "ctrl+p":
		s.at = max(s.at-1, 0)
	case "ctrl+s":
		s.own = !s.own
		m.find()
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

// searchRows draws the words, the entries around the chosen one, and the keys, in at most limit rows.
func (m *model) searchRows(limit int) ([]string, point) {
	s, t := m.search, m.theme
	head := "search " + t.glyphs.prompt + " "
	words := ansi.TruncateLeft(s.words, max(ansi.StringWidth(s.words)-m.width/2, 0), "")
	rows := []string{t.prompt.Render(head) + words}
	depth := min(menuDepth, len(s.found), max(limit-2, 1))
	from := min(max(s.at-depth+1, 0), max(len(s.found)-depth, 0))
	for i, entry := range s.found[from : from+depth] {
		mark, style := "  ", t.plain
		if from+i == s.at {
			mark, style = t.glyphs.prompt+" ", t.prompt
		}
		lines := strings.Split(untab(entry), "\n")
		row := style.Render(mark) + lines[0]
		if len(lines) > 1 {
			row += t.dim.Render(fmt.Sprintf(" %s %d lines", t.glyphs.more, len(lines)))
		}
		rows = append(rows, ansi.Truncate(row, m.width-1, t.glyphs.more))
	}
	if len(s.found) == 0 {
		rows = append(rows, t.dim.Render(ansi.Truncate("  nothing matches", m.width-1, t.glyphs.more)))
	}
	if limit > 2 {
		where := "Ctrl+S this session"
		if s.own {
			where = "Ctrl+S all sessions"
		}
		dot := " " + t.glyphs.dot + " "
		keys := "  Enter insert" + dot + "Ctrl+R older" + dot + where + dot + "Esc back"
		if s.at > 0 || len(s.found) > depth {
			keys = fmt.Sprintf("  %d of %d%s", s.at+1, len(s.found), dot) + strings.TrimLeft(keys, " ")
		}
		rows = append(rows, t.dim.Render(ansi.Truncate(keys, m.width-1, t.glyphs.more)))
	}
	return rows, point{ansi.StringWidth(head + words), 0}
}
