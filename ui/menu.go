package ui

import (
	"context"
	"fmt"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"almanac/repl"
)

// This file holds the completion menu under the input: Tab opens it, Tab and the arrows move, Enter takes.

// menuDepth is how many completions are shown at once, completeTime how long one completion may take.
const (
	menuDepth    = 8
	completeTime = 500 * time.Millisecond
)

// A menu is what Tab offers for the text before the cursor.
type menu struct {
	list repl.Completions
	at   int
}

// completedMsg brings completions for the text they were asked for; an older answer is of no use.
type completedMsg struct {
	version, pos int
	list         repl.Completions
}

// complete asks the shell for completions beside the loop: it may ask the Lua process.
func (m *model) complete() tea.Cmd {
	ctx, shell, text, pos, version := m.ctx, m.shell, m.edit.text, m.edit.pos, m.edit.version
	return func() tea.Msg {
		ctx, cancel := context.WithTimeout(ctx, completeTime)
		defer cancel()
		return completedMsg{version, pos, shell.Complete(ctx, text, pos)}
	}
}

// completed takes a lone completion, or what all have in common, and shows a menu when there is a choice. Behind a lone
// namespace it goes on to what is in it.
func (m *model) completed(msg completedMsg) tea.Cmd {
	if msg.version != m.edit.version || msg.pos != m.edit.pos || len(m.asks) > 0 || m.help != nil || m.search != nil {
		return nil
	}
	list := msg.list
	if len(list.Items) == 0 {
		m.notice = "nothing to complete"
		return nil
	}
	if len(list.Items) == 1 {
		text := list.Items[0].Text
		m.takeItem(list, text)
		if strings.HasSuffix(text, ".") {
			return m.complete()
		}
		return nil
	}
	if common := list.Common(); len(common) > list.End-list.Start {
		m.takeItem(list, common)
		list.End = m.edit.pos
	}
	m.menu = &menu{list: list}
	return nil
}

// takeItem puts a completion in the place of what was typed of it.
func (m *model) takeItem(list repl.Completions, text string) {
	if list.Start < 0 || list.Start > list.End || list.End > len(m.edit.text) {
		return
	}
	m.edit.save(false)
	m.edit.replace(list.Start, list.End, cleanPaste(text))
}

// menuKey gives a key to the open menu and reports whether it was one of the menu's. Any other key closes it.
func (m *model) menuKey(name string) bool {
	n := &m.menu.at
	count := len(m.menu.list.Items)
	switch name {
	case "tab", "down", "ctrl+n":
		*n = (*n + 1) % count
	case "shift+tab", "up", "ctrl+p":
		*n = (*n + count - 1) % count
	case "enter", "kpenter", "right":
		m.takeItem(m.menu.list, m.menu.list.Items[*n].Text)
		m.menu = nil
	case "esc":
		m.menu = nil
	default:
		return false
	}
	return true
}

// menuRows draws the menu in at most room rows.
func (m *model) menuRows(room int) []string {
	if m.menu == nil || room < 1 {
		return nil
	}
	items := m.menu.list.Items
	depth := min(menuDepth, room, len(items))
	if depth < len(items) && depth == room {
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
		text := pad(ansi.Truncate(repl.SanitizeLine(i.Text), wide, m.theme.glyphs.more), wide)
		line := strings.Repeat(" ", promptWidth-2) + style.Render(mark+text) + "  " + m.effect(i.Tag) +
			m.theme.dim.Render(repl.SanitizeLine(i.Detail))
		rows = append(rows, ansi.Truncate(line, m.width-1, m.theme.glyphs.more))
	}
	if rest := len(items) - depth + m.menu.list.More; rest > 0 && len(rows) < room {
		rows = append(rows, m.theme.dim.Render(fmt.Sprintf("%*s%s %d more", promptWidth, "", m.theme.glyphs.more, rest)))
	}
	return rows
}

// effect tells of an action whether it changes anything.
func (m *model) effect(tag string) string {
	switch tag {
	case "":
		return ""
	case "R":
		return m.theme.dim.Render("ro   ")
	}
	return m.theme.warn.Render("MUT  ")
}
