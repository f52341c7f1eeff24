package ui

import (
	"strconv"

	"almanac/repl/show"
)

// This file is the list of a question about a whole run: keys that move in it and switch items off and on. They answer
// nothing, so they need no silence before them, but for a letter of a word.

// A picking is what the person is doing in a list.
type picking struct {
	// number is what was typed of an item's number.
	number string
	// before is which items were on when keys began to be pressed without a pause; nil when there was a pause.
	before []bool
	// follow keeps the cursor in the box; without it PgUp and PgDn moved the box away.
	follow bool
	// from and to are the rows of the item under the cursor, below the warnings.
	from, to int
}

// picks takes a key of the list, and is false for any other.
func (a *asking) picks(name, text string) bool {
	by := map[string]int{"up": -1, "down": 1, "home": -a.batch.Len(), "end": a.batch.Len()}[name]
	digit := len(text) == 1 && text[0] >= '0' && text[0] <= '9'
	chooses := text == " " || digit || a.pick.number != "" && (name == "enter" || name == "kpenter" || name == "backspace")
	switch {
	case by != 0:
		if a.held != "" {
			a.disturb()
		}
		a.batch.Move(by)
		a.pick.number, a.pick.follow, a.trouble = "", true, ""
		return true
	case !chooses || a.ignored || a.held != "" || a.quiet < quietTime && a.pick.before == nil:
		return false
	case text == " " && a.pick.number != "": // "2 more"
		return false
	}
	if a.pick.before == nil {
		a.pick.before = a.batch.Switched()
	}
	a.disturb()
	a.trouble, a.pick.follow = "", true
	switch n := a.pick.number; {
	case digit:
		a.pick.number += text
	case name == "backspace":
		a.pick.number = n[:len(n)-1]
	case n == "":
		a.batch.Switch(a.batch.At(), !a.batch.On(a.batch.At()))
	default:
		a.pick.number = ""
		i, err := strconv.Atoi(n)
		if i--; err != nil || i < 0 || i >= a.batch.Len() {
			a.trouble = "there is no " + n + " in the list"
			return true
		}
		a.batch.Go(i)
		a.batch.Switch(i, !a.batch.On(i))
	}
	return true
}

// unpick is what a word does to a list: what its letters switched on is off again.
func (a *asking) unpick() {
	a.pick.number = ""
	for i, on := range a.pick.before {
		a.batch.Switch(i, on && a.batch.On(i))
	}
	a.pick.before = nil
}

// settleBatch says yes to the list as it stands.
func (m *model) settleBatch(a *asking) {
	v, err := a.batch.Approval()
	if err != nil {
		a.trouble = err.Error()
		return
	}
	m.settle(a, v, a.batch.Told())
}

// listRows draws the list, or the action of the item that is being edited, and notes where the cursor is.
func (m *model) listRows(a *asking, q show.Question) (rows []string) {
	marks := m.render().Marks()
	if a.stage == changing {
		return m.barred(q, a.batch.Head(a.batch.At(), marks))
	}
	lines, items := a.batch.Lines(m.width-4, marks, true, false)
	a.pick.from, a.pick.to = -1, -1
	for i, l := range lines {
		if items[i] == a.batch.At() && a.pick.from < 0 {
			a.pick.from = len(rows)
		}
		rows = append(rows, m.barred(q, show.WrapLine(l, m.width-3))...)
		if items[i] == a.batch.At() {
			a.pick.to = len(rows)
		}
	}
	return rows
}

// scrolled is the part of the list that the box shows: what is around the cursor, below the head of its action where
// there is room.
func (m *model) scrolled(a *asking, q show.Question, body []string) []string {
	a.follow()
	var head []string
	if a.batch != nil && a.pick.follow && a.stage != changing && a.top > 0 {
		for _, l := range a.batch.Head(a.batch.At(), m.render().Marks()) {
			if role := l[0].Role; role == show.ID || role == show.Warning {
				head = append(head, m.barred(q, show.WrapLine(l, m.width-3))...)
			}
		}
		if len(head) > a.page/2 {
			head = nil
		}
		a.page -= len(head)
		a.follow()
	}
	a.top = min(a.top, len(body)-min(a.page, len(body)))
	return append(head, body[a.top:a.top+a.page]...)
}

// follow scrolls the box so that the item under the cursor is in it, with the head of the list where that is near.
func (a *asking) follow() {
	if a.batch == nil || !a.pick.follow || a.stage == changing {
		return
	}
	if a.pick.to <= a.page {
		a.top = 0
		return
	}
	a.top = min(max(a.top, a.pick.to-a.page), a.pick.from)
}

// listFoot tells the keys of a list.
func (m *model) listFoot(a *asking, yes string, joined func(...string) string) string {
	does := "off"
	at := a.batch.At()
	if n, err := strconv.Atoi(a.pick.number); err == nil {
		at = n - 1
	}
	if at >= 0 && at < a.batch.Len() && !a.batch.On(at) {
		does = "on"
	}
	if a.pick.number != "" {
		return m.fitting("Enter switches " + a.pick.number + " " + does)
	}
	return m.fitting(
		joined("y "+yes, "space "+does, "e edit", "n deny", "v all and script", "? details"),
		joined("y "+yes, "space "+does, "e edit", "n deny", "v all", "?"),
		joined("y "+yes, "space "+does, "n deny", "e", "v", "?"),
		joined("y "+yes, "space", "n", "e", "v"))
}
