package ui

import (
	"context"
	"fmt"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"almanac/catalog/text"
	"almanac/repl"
	"almanac/repl/event"
	"almanac/repl/input"
)

// This file holds the completion menu under the input: Tab opens it, Tab and the arrows move, Enter takes. What is
// typed meanwhile narrows it. The same menu offers the hits of a search.

// menuDepth is how many completions are shown at once, offerDepth how many hits, completeTime how long one completion
// may take.
const (
	menuDepth    = 8
	offerDepth   = 4
	completeTime = 500 * time.Millisecond
)

// A menu is what Tab offers for the text before the cursor.
type menu struct {
	list repl.Completions
	// at is the chosen one, -1 for none: that menu opened by itself, and Enter runs what was typed.
	at int
	// offered is true for the hits of a search: taking one inserts its call.
	offered bool
	// shown is true when the window has room for it; else its keys are those of the input.
	shown bool
}

// completedMsg brings completions for the text they were asked for; an older answer is of no use.
type completedMsg struct {
	version, pos int
	list         repl.Completions
	// quiet is true when nobody asked with Tab: nothing is inserted, and nothing is said.
	quiet bool
}

// complete asks the shell for completions beside the loop: it may ask the Lua process.
func (m *model) complete() tea.Cmd { return m.completeAs(false) }

func (m *model) completeAs(quiet bool) tea.Cmd {
	ctx, shell, text, pos, version := m.ctx, m.shell, m.full(), m.edit.pos, m.edit.version
	opened := len(m.folds.open(m.edit.text[:pos]))
	return func() tea.Msg {
		ctx, cancel := context.WithTimeout(ctx, completeTime)
		defer cancel()
		list := shell.Complete(ctx, text, opened)
		list.Start, list.End = list.Start-opened+pos, list.End-opened+pos
		return completedMsg{version, pos, list, quiet}
	}
}

// completed takes a lone completion, or what all have in common, and shows a menu when there is a choice. Behind a lone
// namespace it goes on to what is in it.
func (m *model) completed(msg completedMsg) tea.Cmd {
	if msg.version != m.edit.version || msg.pos != m.edit.pos || len(m.asks) > 0 || m.help != nil || m.listing() {
		return nil
	}
	list := msg.list
	if list.Start < 0 || list.Start > list.End || list.End > len(m.edit.text) {
		return nil
	}
	typed := m.edit.text[list.Start:list.End]
	switch {
	case msg.quiet:
		if n := len(list.Items); n > 1 || n == 1 && list.Items[0].Text != strings.TrimPrefix(typed, "@") {
			m.menu = &menu{list: list}
			if m.isCommand() {
				m.menu.at = -1
			}
		}
		return nil
	case len(list.Items) == 0:
		m.notice = "nothing to complete"
		return nil
	case len(list.Items) == 1:
		return m.takeItem(list, list.Items[0].Text)
	}
	// What is in common may be found by words: then it does not go on with what was typed, and would be a loss.
	if common := list.Common(); len(common) > len(typed) &&
		strings.HasPrefix(strings.ToLower(common), strings.ToLower(typed)) {
		m.takeItem(list, common)
		list.End = m.edit.pos
	}
	m.menu = &menu{list: list}
	if m.draw(); !m.menu.shown {
		m.menu = nil
		m.notice = fmt.Sprintf("%d completions, and no room to list them", len(list.Items)+list.More)
	}
	return nil
}

// isCommand tells that the input is the beginning of a command's name.
func (m *model) isCommand() bool {
	return strings.HasPrefix(m.edit.text, "/") && !strings.ContainsAny(m.edit.text[:m.edit.pos], " \t\n")
}

// narrows tells whether a key that changed the input should show what that may become: in an open menu, for a command,
// and for a name behind an @.
func (m *model) narrows(name, text string, open bool) bool {
	word := text != "" && strings.Trim(text, "_.") == "" || len(text) == 1 && isWord(rune(text[0]))
	if (open || m.isCommand()) && (word || name == "backspace" || text == "/") {
		return true
	}
	head := m.edit.text[:m.edit.pos]
	at := strings.LastIndexByte(head, '@')
	if at < 0 || !word && text != "@" && name != "backspace" {
		return false
	}
	return (at == 0 || strings.ContainsRune(" \t\n([{,=", rune(head[at-1]))) && !strings.ContainsAny(head[at:], " \t\n")
}

// offer shows the hits of a search under an input that is empty.
func (m *model) offer(hits []event.Hit) {
	if m.edit.text != "" || m.listing() || m.help != nil || m.overlay() != nil || len(m.asks) > 0 || len(hits) == 0 {
		return
	}
	list := repl.Completions{Start: m.edit.pos, End: m.edit.pos}
	for _, h := range hits {
		list.Items = append(list.Items, repl.Completion{Text: h.ID, Detail: h.Signature, Tag: h.Tag})
	}
	m.menu = &menu{list: list, offered: true}
}

// insertCall puts a call of the action into the input, the cursor where the first argument goes. In an empty question
// it stands behind !, which runs it: the model would be sent it as words.
func (m *model) insertCall(id string) {
	call := m.shell.Skeleton(id)
	back := 1
	if i := strings.Index(call, " = "); i >= 0 {
		back = len(call) - i - len(" = ")
	}
	if m.status.Mode == input.AskMode && m.edit.text == "" {
		call = "!" + call
	}
	m.takeText(call, back)
}

// takeItem puts a completion in the place of what was typed of it, and goes on behind a namespace.
func (m *model) takeItem(list repl.Completions, text string) tea.Cmd {
	if list.Start < 0 || list.Start > list.End || list.End > len(m.edit.text) {
		return nil
	}
	m.edit.save(false)
	m.edit.replace(list.Start, list.End, cleanPaste(text))
	if strings.HasSuffix(text, ".") {
		return m.complete()
	}
	return nil
}

// menuKey gives a key to the open menu and reports whether it was one of the menu's. Any other key closes it.
func (m *model) menuKey(name string) (tea.Cmd, bool) {
	n := &m.menu.at
	count := len(m.menu.list.Items)
	if *n < 0 {
		switch name {
		case "tab":
			m.menu = nil
			return m.complete(), true
		case "enter", "kpenter", "right", "up", "ctrl+p":
			return nil, false
		}
	}
	switch name {
	case "up", "ctrl+p":
		if m.menu.offered && *n == 0 {
			return nil, false // to the history
		}
		*n = (*n + count - 1) % count
	case "tab", "down", "ctrl+n":
		*n = (*n + 1) % count
	case "shift+tab":
		*n = (max(*n, 0) + count - 1) % count
	case "enter", "kpenter", "right":
		open := m.menu
		m.menu = nil
		if open.offered {
			m.insertCall(open.list.Items[*n].Text)
			return nil, true
		}
		return m.takeItem(open.list, open.list.Items[*n].Text), true
	case "esc":
		m.menu = nil
	default:
		return nil, false
	}
	return nil, true
}

// menuRows draws the menu in at most room rows.
func (m *model) menuRows(room int) []string {
	if m.menu == nil || room < 1 {
		return nil
	}
	m.menu.shown = true
	items := m.menu.list.Items
	depth := min(menuDepth, room, len(items))
	if m.menu.offered {
		depth = min(offerDepth, max(room-1, 1), len(items))
	} else if depth < len(items) && depth == room {
		depth = max(depth-1, 1)
	}
	from := min(max(m.menu.at-depth+1, 0), len(items)-depth)
	wide := 0
	for _, i := range items[from : from+depth] {
		wide = max(wide, ansi.StringWidth(i.Text))
	}
	wide = min(wide, m.width/2)
	var rows []string
	for n, i := range items[from : from+depth] {
		mark, style := "  ", m.theme.plain
		if n+from == m.menu.at {
			mark, style = m.theme.glyphs.prompt+" ", m.theme.prompt
		}
		label := pad(ansi.Truncate(text.SanitizeLine(i.Text), wide, m.theme.glyphs.more), wide)
		line := strings.Repeat(" ", promptWidth-2) + style.Render(mark+label) + "  " + m.effect(i.Tag) +
			m.theme.dim.Render(text.SanitizeLine(i.Detail))
		rows = append(rows, ansi.Truncate(line, m.width-1, m.theme.glyphs.more))
	}
	if m.menu.offered && len(rows) < room {
		dot := " " + m.theme.glyphs.dot + " "
		keys := fmt.Sprintf("%*s%d of %d%sEnter insert%sUp Down", promptWidth, "", m.menu.at+1, len(items), dot, dot)
		if key := m.keys.shown(0, "catalog"); key != "" {
			keys += dot + key + " browse"
		}
		keys += dot + "Esc"
		return append(rows, m.theme.dim.Render(ansi.Truncate(keys, m.width-1, m.theme.glyphs.more)))
	}
	if rest := len(items) - depth + m.menu.list.More; rest > 0 && len(rows) < room {
		rows = append(rows, m.theme.dim.Render(fmt.Sprintf("%*s%s %d more", promptWidth, "", m.theme.glyphs.more, rest)))
	}
	return rows
}

// effect tells of an action whether it changes anything, and high risk from other risk.
func (m *model) effect(tag string) string {
	switch said := effectText(tag) + " "; tag {
	case "":
		return ""
	case "R":
		return m.theme.dim.Render(said)
	case "!":
		return m.theme.bad.Render(said)
	default:
		return m.theme.warn.Render(said)
	}
}

// effectText is the tag of an action in four columns.
func effectText(tag string) string {
	switch tag {
	case "R":
		return "ro  "
	case "!":
		return "MUT!"
	}
	return "MUT "
}
