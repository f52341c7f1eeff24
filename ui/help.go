package ui

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"almanac/repl"
)

// This file holds the help page: one screen with the keys and commands that are valid now, filtered by typing. It is
// drawn on the alternate screen, so that the transcript is unchanged when it closes.

// A helpPage is the open help page.
type helpPage struct {
	// edit holds the words that narrow the page.
	edit editor
	top  int
	// asking is true when "?" opened it: then what is typed may also be a question to the model.
	asking bool
}

func (m *model) openHelp(asking bool) { m.help = &helpPage{asking: asking} }

func (m *model) helpKey(name, text string) tea.Cmd {
	h := m.help
	switch name {
	case "esc", "f1", "ctrl+c", "ctrl+d":
		m.help = nil
	case "enter", "kpenter":
		m.help = nil
		if h.asking && strings.TrimSpace(h.edit.text) != "" {
			m.edit.insert("?" + strings.TrimSpace(h.edit.text))
			return m.enter()
		}
	case "up", "ctrl+p":
		h.top = max(h.top-1, 0)
	case "down", "ctrl+n":
		h.top++
	case "pgup":
		h.top = max(h.top-m.height/2, 0)
	case "pgdown":
		h.top += m.height / 2
	default:
		if h.edit.text == "" && (name == "backspace" || name == "ctrl+h") {
			m.help = nil
			break
		}
		version := h.edit.version
		if !h.edit.key(name) && text != "" {
			h.edit.insert(strings.ReplaceAll(cleanPaste(text), "\n", " "))
		}
		if h.edit.version != version {
			h.top = 0
			m.endFilter()
		}
	}
	return nil
}

// endFilter gives the words to the input where "?" began a question: no help has them, or the page has no room for
// them.
func (m *model) endFilter() {
	h := m.help
	wide := ansi.StringWidth(h.edit.text) > m.helpRoom()
	if !h.asking || strings.TrimSpace(h.edit.text) == "" || !wide && len(m.helpLines(h.edit.text)) > 0 {
		return
	}
	m.help = nil
	m.edit.insert("?" + h.edit.text)
	m.edit.move(1 + h.edit.pos)
}

// helpHead stands in front of the words of the help page, helpRoom is how many columns they have.
const helpHead = "Help"

func (m *model) helpRoom() int { return max(m.width-len(helpHead)-12, 1) }

// helpRows draws the page: a head, the lines, a foot.
func (m *model) helpRows() ([]string, point) {
	h, t := m.help, m.theme
	words, before := strings.TrimSpace(h.edit.text), ansi.StringWidth(h.edit.text[:h.edit.pos])
	head := helpHead
	if h.edit.text != "" {
		head += " " + t.glyphs.dot + " "
	}
	cut := max(before-m.helpRoom(), 0)
	cursor := point{x: min(3+ansi.StringWidth(head)+before-cut, max(m.width-1, 0))}
	head += ansi.Cut(h.edit.text, cut, cut+m.helpRoom())
	foot := "type to filter " + t.glyphs.dot + " Esc back"
	if h.asking && words != "" {
		foot = "Enter asks the model: " + words + " " + t.glyphs.dot + " Esc back"
	}
	lines := m.helpLines(h.edit.text)
	if len(lines) == 0 {
		lines = []string{ansi.Truncate("  no keys or commands match", m.width, t.glyphs.more)}
	}
	room := max(m.height-2, 1)
	h.top = min(h.top, max(len(lines)-room, 0))
	shown := lines[h.top:min(h.top+room, len(lines))]
	rest := ""
	if len(lines) > room {
		rest = "Up Down more"
	}
	rows := append([]string{t.rule(m.width, t.strong.Render(head), "")}, shown...)
	return append(rows, t.rule(m.width, ansi.Truncate(foot, max(m.width-20, 10), t.glyphs.more), rest)), cursor
}

// keyHelp are the keys of the screen as they are bound, the most wanted first; actions without a key are left out.
func (m *model) keyHelp() []repl.HelpLine {
	var lines []repl.HelpLine
	for _, l := range []struct {
		text    string
		actions []string
	}{
		{"run or continue", []string{"submit"}},
		{"new line", []string{"newline"}},
		{"stop what runs", []string{"interrupt"}},
		{"leave", []string{"exit"}},
		{"complete; @ action", []string{"complete"}},
		{"lua or ask", []string{"toggle_mode"}},
		{"history", []string{"history_previous", "history_next"}},
		{"search history", []string{"history_search"}},
		{"catalog and panes", []string{"catalog", "variables", "trace"}},
		{"preview, values", []string{"preview", "view"}},
		{"edit in $EDITOR", []string{"editor"}},
		{"go back, queued", []string{"edit_previous", "edit_queued"}},
		{"calls in full", []string{"verbose"}},
		{"cut", []string{"cut_word", "cut_left", "cut_right"}},
		{"paste, undo", []string{"paste", "undo"}},
		{"redo", []string{"redo"}},
		{"move by words", []string{"word_left", "word_right"}},
		{"suspend, fg back", []string{"suspend"}},
	} {
		var keys []string
		for _, action := range l.actions {
			width := 0
			if len(l.actions) == 1 {
				width = 16
			}
			if key := m.keys.shown(width, action); key != "" {
				keys = append(keys, key)
			}
		}
		switch l.actions[0] { // what Ctrl+C does is not to be bound
		case "interrupt":
			keys = append(keys, "Ctrl+C")
		case "exit":
			if len(keys) > 0 {
				l.text += "; " + keys[0] + " too"
			}
			keys = []string{"Ctrl+C twice"}
		}
		if len(keys) > 0 {
			lines = append(lines, repl.HelpLine{Usage: strings.Join(keys, " "), Text: l.text})
		}
	}
	return lines
}

// viHelp lists the vi keys, for a filtered page; none when they are off.
func viHelp(on bool) []repl.HelpLine {
	if !on {
		return nil
	}
	return []repl.HelpLine{
		{Usage: "Esc, i a o I A O", Text: "vi: to normal mode, to insert mode"},
		{Usage: "d c y > <", Text: "vi: with motions, text objects, or twice"},
		{Usage: "x r ~ J p P . u", Text: "vi: change, put, again, undo; Ctrl+R redo"},
		{Usage: "/ v", Text: "vi: search history, edit in $EDITOR"},
	}
}

// pairedFrom is the width from which on keys stand in pairs.
const pairedFrom = 78

// helpLines are the keys of the screen and the commands of the shell. Without a filter the page has to fit a small
// window, so keys stand in pairs and commands by name only.
func (m *model) helpLines(filter string) []string {
	words := strings.Fields(strings.ToLower(filter))
	var lines []string
	if len(words) > 0 {
		for _, l := range append(m.keyHelp(), viHelp(m.vi.on)...) {
			text := strings.ToLower(l.Usage + " " + l.Text)
			if !slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(text, w) }) {
				lines = append(lines, m.helpLine(l))
			}
		}
		for _, l := range m.shell.Help(filter) {
			lines = append(lines, m.helpLine(l))
		}
		return lines
	}
	keys := m.keyHelp()
	half := (len(keys) + 1) / 2
	if m.width < pairedFrom {
		half = len(keys)
	}
	for i, l := range keys[:half] {
		line := m.keyCell(l, 17)
		if i+half < len(keys) {
			line = pad(line, 39) + m.keyCell(keys[i+half], 21)
		}
		lines = append(lines, ansi.Truncate("  "+line, m.width, m.theme.glyphs.more))
	}
	return append(lines, m.commandNames()...)
}

func (m *model) keyCell(l repl.HelpLine, width int) string {
	return m.theme.prompt.Render(pad(l.Usage, width)) + " " + l.Text
}

// commandNames are the groups of the shell's help, each with the names in it; the first group, which is how to type,
// is told in full. Short groups stand in pairs, and the last one, which is long, has more room.
func (m *model) commandNames() []string {
	const margin, pair = 20, 44
	var lines []string
	help := m.shell.Help("")
	half := false // the last line has room for one more group
	for first := true; len(help) > 0; first = false {
		group := help[0].Group
		var names []string
		for len(help) > 0 && help[0].Group == group {
			if first {
				lines = append(lines, m.helpLine(help[0]))
			}
			names = append(names, commandName(help[0].Usage))
			help = help[1:]
		}
		if first {
			continue
		}
		head, under, gap := pad(group, margin-2), margin, "  "
		if len(help) == 0 {
			head, under, gap = "", 4, " "
		}
		text := strings.Join(names, gap)
		if head == "" {
			text = group + "\u00a0 " + text
		}
		if half && m.width >= pairedFrom && pair+len(group)+2+len(text) <= m.width {
			text = m.theme.strong.Render(group) + "  " + strings.ReplaceAll(text, "\u00a0", " ")
			lines[len(lines)-1] = pad(lines[len(lines)-1], pair) + text
			half = false
			continue
		}
		lead := "  " + m.theme.strong.Render(head)
		for i, row := range strings.Split(ansi.Wordwrap(text, max(m.width-under, 10), ""), "\n") {
			row = strings.ReplaceAll(row, "\u00a0", " ")
			if head == "" && i == 0 {
				row = m.theme.strong.Render(group) + strings.TrimPrefix(row, group)
			}
			lines = append(lines, ansi.Truncate(lead+row, m.width, m.theme.glyphs.more))
			lead = strings.Repeat(" ", under)
			half = i == 0 && under+ansi.StringWidth(row) < pair
		}
	}
	return lines
}

// commandName is a command's usage without its arguments, kept together when it is wrapped.
func commandName(usage string) string {
	words := strings.Fields(usage)
	n := 1
	for n < len(words) && words[n][0] >= 'a' && words[n][0] <= 'z' {
		n++
	}
	return strings.Join(words[:min(n, len(words))], "\u00a0")
}

func (m *model) helpLine(l repl.HelpLine) string {
	return ansi.Truncate("  "+m.keyCell(l, 17), m.width, m.theme.glyphs.more)
}
