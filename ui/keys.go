package ui

import (
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"almanac/catalog/text"
	"almanac/repl"
	"almanac/repl/event"
	"almanac/repl/input"
	"almanac/repl/show"
)

// This file holds the keys: which part of the screen gets a key, and what the keys of the input area do. Keys of the
// approval box are in approve.go, of the completion menu in menu.go, of the help page in help.go.

// armTime is how long a first Ctrl+C or Ctrl+D on empty input waits for the second.
const armTime = 1500 * time.Millisecond

// press gives a key to whoever is on top: the help page, the question, the search, the menu, the input.
func (m *model) press(k tea.KeyPressMsg) tea.Cmd {
	if m.leaving {
		return nil
	}
	if k.Code == tea.KeyEscape && k.Mod == tea.ModAlt && m.keys.meantName("alt+esc") == "alt+esc" { // Esc Esc in one write
		esc := tea.KeyPressMsg{Code: tea.KeyEscape}
		return tea.Batch(m.press(esc), m.press(esc))
	}
	typed := m.typed
	m.typed = m.now()
	name := k.String()
	if k.Text != "" && name != "space" {
		name = k.Text
	}
	if name != "ctrl+c" && name != "ctrl+d" {
		m.disarm()
	}
	if name != "esc" {
		m.escaped = time.Time{}
	}
	m.notice = m.armedNotice()
	text := k.Text
	if m.first != "" && name != "ctrl+c" {
		name, text, m.first = m.first+" "+name, "", ""
	} else if m.first = ""; m.keys.first[name] && len(m.asks) == 0 && m.help == nil && m.overlay() == nil {
		m.first, m.notice = name, keyLabel(name)+" "+m.theme.glyphs.more
		return nil
	}
	if to, typed := m.keys.meant(name, text); (len(m.asks) == 0 || m.overlay() != nil) && m.help == nil {
		// An open pane, menu or search keeps its own keys, but for those that open another pane.
		_, opens := paneOf(to)
		if opens || m.menu != nil && to == "tab" || m.overlay() == nil && !m.listing() && m.menu == nil {
			name, text = to, typed
		}
	}
	held := m.follow(typed, text, name)
	if name == "ctrl+z" {
		return tea.Batch(held, m.suspend())
	}
	return tea.Batch(held, m.dispatch(name, text, typed))
}

// dispatch gives a key to whoever is on top; typed is when the key before it came.
func (m *model) dispatch(name, text string, typed time.Time) tea.Cmd {
	if len(m.asks) > 0 && (m.help != nil || m.overlay() != nil) {
		m.asks[0].disturb() // a key of a pane is no answer
	}
	switch {
	case m.help != nil:
		return m.helpKey(name, text)
	case m.overlay() != nil:
		return m.paneKey(m.overlay(), name, text)
	case len(m.asks) > 0:
		if cmd, ok := m.askBeside(name, text); ok {
			return cmd
		}
		return m.askKey(name, text, m.typed.Sub(typed) < burstTime)
	case m.search != nil:
		m.searchKey(name, text)
		return nil
	case m.rewind != nil:
		return m.rewindKey(name, text)
	}
	if m.astray(name, text, typed) {
		return nil
	}
	if m.menu != nil && m.menu.shown {
		if cmd, ok := m.menuKey(name); ok {
			return cmd
		}
	}
	if m.spacious() {
		if cmd, ok := m.workspaceKey(name, text); ok {
			return cmd
		}
	}
	open := m.menu != nil && !m.menu.offered
	m.menu = nil
	version := m.edit.version
	cmd := m.inputKey(name, text)
	if m.edit.version == version || m.burst.quick && !open || !m.narrows(name, text, open) {
		return cmd
	}
	return tea.Batch(cmd, m.completeAs(true))
}

// askBeside gives a key to the workspace while a question waits: those that choose a pane, and all of a chosen one.
func (m *model) askBeside(name, text string) (tea.Cmd, bool) {
	key := m.keys.meantName(name)
	moves := slices.Contains([]string{"f2", "f3", "f5", "f9", "f10", "ctrl+up", "ctrl+down"}, key)
	if !m.spacious() || m.space.focus == 0 && !moves {
		return nil, false
	}
	m.asks[0].disturb()
	return m.workspaceKey(key, text)
}

// astray tells whether a key was meant for a question that is gone, of which the person has not been told yet: what
// goes on without a pause is no text for the input.
func (m *model) astray(name, text string, typed time.Time) bool {
	if !m.orphaned {
		return false
	}
	if m.now().Sub(typed) >= quietTime || text == "" && name != "enter" && name != "kpenter" {
		m.orphaned = false
		return false
	}
	m.notice = "the question is closed: keys are ignored until you pause for 0.7 s"
	return true
}

// inputKey is what a key does in the input area.
func (m *model) inputKey(name, text string) tea.Cmd {
	if cmd, ok := m.viKey(name, text); ok {
		return cmd
	}
	switch name {
	case "right":
		if rest := m.ghostText(); rest != "" {
			m.edit.insert(rest)
			return nil
		}
		m.edit.key(name)
	case "ctrl+c":
		return m.ctrlC()
	case "ctrl+d":
		return m.ctrlD()
	case "esc":
		return m.escape()
	case "alt+up":
		m.unqueue()
	case previousKeys:
		m.openRewind()
	case "enter", "kpenter":
		return m.enterKey()
	case "ctrl+j", "alt+enter", "shift+enter", "ctrl+enter":
		m.newline()
	case "up", "ctrl+p":
		m.up()
	case "down", "ctrl+n":
		m.down()
	case "tab":
		return m.complete()
	case "shift+tab":
		m.shell.ToggleMode()
		m.status = m.shell.StatusLine()
	case "ctrl+r":
		m.openSearch()
	case "ctrl+l":
		return repaint
	case "ctrl+g", "ctrl+x ctrl+e":
		return m.openEditor()
	case "ctrl+o":
		m.toggleVerbose()
	case expandKey:
		return m.submit("/expand")
	case "f7":
		return m.submit("/diff")
	case "f1":
		m.openHelp(false)
	case "f5":
		return m.preview()
	case "f2", "f3", "f4":
		kind, _ := paneOf(name)
		return m.openPane(kind)
	case "f6":
		if m.flat {
			return m.submit(strings.TrimSpace("/view " + m.full()))
		}
		path, _ := show.ParsePath(m.full())
		p, cmd := newValuePane(m, path)
		m.show(p)
		return cmd
	case "?":
		if m.edit.text == "" {
			m.openHelp(true)
			return nil
		}
		m.edit.insert(text)
	default:
		if !m.edit.key(name) && text != "" {
			m.edit.insert(cleanPaste(text))
			m.outdent()
		}
	}
	return nil
}

// escapeTime is how long after an Esc another one makes a pair.
const escapeTime = 600 * time.Millisecond

// escape stops what runs. Where nothing runs, twice lists the prompts to go back to, or brings the last input back.
func (m *model) escape() tea.Cmd {
	last := m.escaped
	m.escaped = time.Time{}
	if m.work != nil {
		m.interrupt()
		return nil
	}
	if now := m.now(); now.Sub(last) >= escapeTime {
		m.escaped = now
		return nil
	}
	return m.dispatch(m.keys.meantName(previousKeys), "", m.typed)
}

// editPrevious puts the last input of the mode into an input that is empty. What came of it stays: sent again it is a
// new cell.
func (m *model) editPrevious() {
	if m.edit.text != "" {
		return
	}
	typed, err := m.history.Load(pastDepth)
	if err != nil {
		m.notice = text.SanitizeLine(err.Error())
	}
	for _, t := range slices.Backward(typed) {
		if t.Mode == m.status.Mode && input.Parse(t.Text, t.Mode).Form != input.Command {
			m.edit.set(cleanPaste(t.Text))
			m.vi.begin(&m.edit)
			m.notice = "editing your last input; its earlier results are kept"
			return
		}
	}
	m.notice = "nothing to edit yet"
}

func (m *model) toggleVerbose() {
	m.verbose = !m.verbose
	m.version++
	m.calls.Whole = m.verbose
	m.notice = "verbose off: calls and scripts are folded"
	if m.verbose {
		m.notice = "verbose: calls with arguments and results, full scripts"
	}
}

// newline begins a line of the input, indented where it is Lua that a person types: a paste brings its own blanks.
func (m *model) newline() {
	e := &m.edit
	if m.burst.quick || !m.isLua() {
		e.insert("\n")
		return
	}
	e.insert("\n" + input.Indent(e.text[e.lineStart(e.pos):e.pos]))
}

// outdent moves a word that closes a block one step to the left, once it is typed and where newline put it.
func (m *model) outdent() {
	e := &m.edit
	start := e.lineStart(e.pos)
	line := e.text[start:e.pos]
	word := strings.TrimLeft(line, " ")
	if start == 0 || m.burst.pasted || e.pos != e.lineEnd(e.pos) || !input.Outdents(word) || !m.isLua() {
		return
	}
	above := e.text[e.lineStart(start-1) : start-1]
	margin := line[:len(line)-len(word)]
	if len(margin) >= 2 && margin == input.Indent(above) {
		e.replace(start, start+2, "")
		e.move(start + len(line) - 2)
	}
}

// isLua tells whether what is in the input is Lua.
func (m *model) isLua() bool { return input.Parse(m.edit.text, m.status.Mode).Form == input.Lua }

// ctrlC is the ladder: stop what runs, else clear the input, else arm the exit, else leave.
func (m *model) ctrlC() tea.Cmd {
	switch {
	case m.work != nil && !m.work.stopped:
		m.interrupt()
		return nil
	case m.edit.text != "":
		m.erased = m.edit.text
		m.edit.set("")
		m.vi.begin(&m.edit)
		m.past = nil
		m.disarm()
		return nil
	}
	return m.arm("press Ctrl+C again to exit")
}

// ctrlD deletes to the right in text and counts as Ctrl+C on empty input.
func (m *model) ctrlD() tea.Cmd {
	if m.edit.text != "" {
		m.disarm()
		m.edit.key("delete")
		return nil
	}
	return m.arm("press Ctrl+D again to exit")
}

func (m *model) arm(notice string) tea.Cmd {
	if m.now().Before(m.armed) {
		return m.leave()
	}
	m.armed = m.now().Add(armTime)
	m.notice = notice
	return tea.Tick(armTime, func(time.Time) tea.Msg { return disarmMsg{} })
}

func (m *model) disarm() { m.armed, m.notice = time.Time{}, "" }

// armedNotice is the notice that stays while the exit is armed; others go with the next key.
func (m *model) armedNotice() string {
	if m.armed.IsZero() {
		return ""
	}
	return m.notice
}

// enter runs the input when it is complete and opens a new line when it is not.
func (m *model) enter() tea.Cmd {
	line := m.full()
	if strings.TrimSpace(line) == "" {
		if m.shell.Choosing() {
			return m.submit("")
		}
		return nil
	}
	if m.shell.Submit(line) == input.Incomplete {
		m.newline()
		return nil
	}
	m.edit = editor{version: m.edit.version + 1, killed: m.edit.killed, folds: &m.folds}
	m.vi.begin(&m.edit)
	m.past, m.erased, m.ghost.loaded = nil, "", false
	if m.work != nil {
		if status, ok := m.shell.Aside(repl.WithQueue(m.ctx, m.lendQueue()), line); ok {
			if status == repl.Quit {
				return m.leave()
			}
			return m.pull()
		}
	}
	return m.submit(line)
}

// preview runs the input, or the last cell, as a preview and shows what comes of it; the input stays as it is.
func (m *model) preview() tea.Cmd { return m.previewOf(m.full()) }

// previewOf shows the preview pane and runs a preview of source; of the last cell when source is blank.
func (m *model) previewOf(source string) tea.Cmd {
	if m.flat {
		return m.submit(strings.TrimSpace("/preview " + source))
	}
	m.previewed = nil
	cmd := m.openPane(event.PreviewPane)
	run := m.submit(strings.TrimSpace("/preview " + source))
	if run != nil {
		m.work.previewing = true
	}
	return tea.Batch(cmd, run)
}

// paste puts pasted text into the input: it is data, whatever it holds, and runs nothing.
func (m *model) paste(text string) tea.Cmd {
	m.disarm()
	m.typed = m.now() // an Enter right behind it may belong to it
	text = cleanPaste(text)
	if m.leaving || text == "" {
		return nil
	}
	if h := m.help; h != nil {
		if line := strings.TrimSuffix(text, "\n"); !h.asking || !strings.Contains(line, "\n") {
			return m.helpKey("", line)
		}
		m.help = nil // several lines are a question
		m.edit.insert("?" + h.edit.text)
	}
	if p := m.overlay(); p != nil {
		if p.typing() {
			return m.toPane(p, "", strings.ReplaceAll(text, "\n", " "))
		}
		return nil
	}
	if len(m.asks) > 0 {
		m.asks[0].paste(text)
		return nil
	}
	if m.orphaned {
		return nil
	}
	if m.search != nil {
		m.search.words += strings.ReplaceAll(text, "\n", " ")
		m.find()
		return nil
	}
	if m.rewind != nil {
		m.rewindText(" " + text) // never the number of a choice
		return nil
	}
	m.menu = nil
	m.edit.insert(m.folds.fold(text))
	return nil
}

// full is the input with its folded pastes opened.
func (m *model) full() string { return m.folds.open(m.edit.text) }
