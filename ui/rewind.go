package ui

import (
	"fmt"
	"strconv"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"almanac/repl"
)

// This file holds the list of prompts that Esc Esc opens in the place of the input, to go back to before one of them.

// What is said of keys that the list does not know, and of words.
const (
	rewindHelp  = "arrows choose, Enter goes back, Esc leaves"
	rewindWords = "a word chooses nothing: an arrow, then Enter; Esc leaves"
)

// A rewinding is that list, and behind it the choice of what goes back.
type rewinding struct {
	prompts []repl.Prompt // newest first
	at      int
	// choices are what may go back with the prompt at hand; nil while it is chosen.
	choices []rewindChoice
	choice  int
	// typed is the text since the last arrow.
	typed string
}

// astray tells that something was typed that chooses nothing: then Enter was meant for that, and goes nowhere.
func (r *rewinding) astray() bool {
	return r.typed != "" && (r.choices == nil || r.typed != strconv.Itoa(r.choice+1))
}

// A rewindChoice is a word for /rewind and what it does.
type rewindChoice struct{ word, label string }

// listing tells that a list stands in the place of the input.
func (m *model) listing() bool { return m.search != nil || m.rewind != nil }

// openRewind lists the prompts of the conversation. Where there are none, it puts the last input into the input.
func (m *model) openRewind() {
	if m.edit.text != "" {
		return
	}
	prompts := m.shell.Prompts()
	if len(prompts) == 0 {
		m.editPrevious()
		return
	}
	m.rewind = &rewinding{}
	for i := range prompts {
		m.rewind.prompts = append(m.rewind.prompts, prompts[len(prompts)-1-i])
	}
}

func (m *model) rewindKey(name, text string) tea.Cmd {
	r := m.rewind
	at, count := &r.at, len(r.prompts)
	if r.choices != nil {
		at, count = &r.choice, len(r.choices)
	}
	switch name {
	case "esc":
		if r.choices == nil {
			m.rewind = nil
		}
		r.choices, r.typed = nil, ""
	case "ctrl+c":
		m.rewind = nil
	case "down", "ctrl+n", "tab":
		*at, r.typed = min(*at+1, count-1), ""
	case "up", "ctrl+p", "shift+tab":
		*at, r.typed = max(*at-1, 0), ""
	case "enter", "kpenter":
		if !r.astray() {
			return m.rewindEnter()
		}
		m.notice = rewindWords
	default:
		m.rewindText(text)
	}
	return nil
}

// rewindText takes what is typed or pasted: nothing but the number of a choice, alone, is one.
func (m *model) rewindText(text string) {
	r := m.rewind
	r.typed += text
	if n, err := strconv.Atoi(text); err == nil && n >= 1 && n <= len(r.choices) {
		r.choice = n - 1
	}
	if m.notice = rewindHelp; r.astray() {
		m.notice = rewindWords
	} else if text != "" {
		m.notice = ""
	}
}

// rewindEnter takes the prompt, or asks first where there is something to choose or to know.
func (m *model) rewindEnter() tea.Cmd {
	r := m.rewind
	p := r.prompts[r.at]
	if r.choices == nil {
		r.choice = 0
		switch keep := (rewindChoice{"keep", "the conversation alone; globals stay as they are"}); {
		case p.Ran && p.Kept:
			r.choices = []rewindChoice{{"lua", "the conversation and the globals"}, keep}
		case p.Ran:
			keep.label = "the conversation alone; the globals of then are not kept"
			r.choices = []rewindChoice{keep}
		case len(p.Writes) > 0:
			r.choices = []rewindChoice{{"keep", "the conversation"}}
		}
		if r.choices != nil {
			return nil
		}
		r.choices = []rewindChoice{{word: "keep"}}
	}
	m.rewind = nil
	return m.submit(fmt.Sprintf("/rewind %d %s", p.Cell, r.choices[r.choice].word))
}

// rewindRows draws the prompts around the chosen one, or what may go back, in at most limit rows.
func (m *model) rewindRows(limit int) ([]string, point) {
	r, t := m.rewind, m.theme
	cut := func(row string) string { return ansi.Truncate(row, m.width-1, t.glyphs.more) }
	dot := " " + t.glyphs.dot + " "
	p := r.prompts[r.at]
	at, rows := r.at, []string{t.prompt.Render(cut("go back to before"))}
	var labels []string
	enter := "Enter goes back"
	if r.astray() {
		enter = "an arrow, then Enter goes back"
	}
	keys := fmt.Sprintf("  %d of %d%s%s%sEsc leaves", r.at+1, len(r.prompts), dot, enter, dot)
	if r.choices == nil {
		for _, p := range r.prompts {
			label := p.Line(0)
			if n := len(p.Writes); n > 0 {
				label = p.Line(max(m.width-30, 20)) + t.warn.Render("  writes since")
			}
			labels = append(labels, label)
		}
	} else {
		at, rows[0] = r.choice, t.prompt.Render(cut("go back to before "+p.Line(0)))
		if writes := p.NotUndone(); writes != "" && limit > len(r.choices)+1 {
			rows = append(rows, t.warn.Render(cut("  "+writes)))
		}
		for i, c := range r.choices {
			labels = append(labels, fmt.Sprintf("%d  %s", i+1, c.label))
		}
		keys = "  " + enter + dot + "Esc to the list"
	}
	depth := min(menuDepth, len(labels), max(limit-len(rows)-1, 1))
	from := min(max(at-depth+1, 0), len(labels)-depth)
	cursor := point{0, len(rows) + at - from}
	for i, label := range labels[from : from+depth] {
		mark, style := "  ", t.plain
		if from+i == at {
			mark, style = t.glyphs.prompt+" ", t.prompt
		}
		rows = append(rows, cut(style.Render(mark)+label))
	}
	if len(rows) < limit {
		rows = append(rows, t.dim.Render(cut(keys)))
	}
	if over := len(rows) - max(limit, 1); over > 0 { // the window is too small for the head
		rows, cursor.y = rows[over:], max(cursor.y-over, 0)
	}
	return rows, cursor
}
