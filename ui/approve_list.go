package ui

import (
	"slices"
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
	// from and to are the rows of the item under the cursor, below the warnings; heads those of actions with their
	// warnings.
	from, to int
	heads    [][2]int
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
	m.settle(a, v, a.batch.Told(v))
}

// listRows draws the list, or the action of the item that is being edited, and notes what is where.
func (m *model) listRows(a *asking, cursor bool) (rows []string) {
	marks, pick := m.render().Marks(), &a.pick
	var lines []show.Line
	var items []int
	if a.stage == changing {
		lines = a.batch.Head(a.batch.At(), marks)
	} else {
		lines, items = a.batch.Lines(m.width-3, marks, cursor, false)
	}
	pick.from, pick.heads = -1, nil
	for i, l := range lines {
		at := len(rows)
		rows = append(rows, m.barred(a.question, show.WrapLine(l, m.width-3))...)
		switch role := l[0].Role; {
		case items == nil:
		case items[i] == a.batch.At():
			if pick.from < 0 {
				pick.from = at
			}
			pick.to = len(rows)
		case role == show.ID:
			pick.heads = append(pick.heads, [2]int{at, len(rows)})
		case role == show.Warning:
			pick.heads[len(pick.heads)-1][1] = len(rows)
		}
	}
	return rows
}

// shift puts the list so many rows further down.
func (p *picking) shift(rows int) {
	p.from, p.to = p.from+rows, p.to+rows
	for i := range p.heads {
		p.heads[i][0] += rows
		p.heads[i][1] += rows
	}
}

// scrolled is the part of body that the box shows: what is around the cursor of a list, below the head of the action
// that its first row is of, where there is room for both.
func (m *model) scrolled(a *asking, body []string) []string {
	page := a.page
	a.follow()
	var head []string
	for range 2 { // the head takes rows, so that another action may be the first
		head = nil
		for _, h := range a.pick.heads {
			if rows := body[h[0]:h[1]]; h[0] < a.top && len(rows) <= page/2 {
				head = rows
			} else if h[0] <= a.top {
				head = nil
			}
		}
		a.page = page - len(head)
		a.follow()
	}
	a.top = min(a.top, len(body)-min(a.page, len(body)))
	return append(slices.Clone(head), body[a.top:a.top+a.page]...)
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
	keys := func(others ...string) string {
		if _, ok := a.batch.Yes(); ok {
			others = append([]string{"y " + yes}, others...)
		}
		return joined(others...)
	}
	return m.fitting(
		keys("space "+does, "e edit", "n deny", "v all and script", "? details"),
		keys("space "+does, "e edit", "n deny", "v all", "?"),
		keys("space "+does, "n deny", "e", "v", "?"),
		keys("space", "n", "e", "v"))
}
