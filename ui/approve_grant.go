package ui

import "strconv"

// This file chooses what an answer for the whole session covers.

// choose takes a key while the scope of a grant is open. A digit or an arrow marks one, at once, since only Enter
// grants it.
func (m *model) choose(a *asking, name, text string, quick bool) {
	scopes := a.question.Scopes()
	quiet, marked := a.quiet, a.marked
	enter := name == "enter" || name == "kpenter"
	if enter && !quick && marked > 0 {
		if quiet >= deafTime && m.readable(a) {
			s := scopes[marked-1]
			m.settle(a, s.Approval(), "allowed for this session with "+s.Words)
		}
		return
	}
	a.disturb()
	switch n, err := strconv.Atoi(text); {
	case name == "esc":
		m.stand(a, deciding)
	case quick && (enter || text != ""), text != "" && (a.ignored || a.numbered || err != nil || n < 1 || n > len(scopes)):
		a.ignored, a.marked = true, 0
	case text != "":
		a.marked, a.numbered = n, true
	case a.ignored || m.now().Sub(a.staged) < deafTime:
	case enter:
		a.bare = true
	case name == "up":
		a.marked = max(marked-1, 1)
	case name == "down":
		a.marked = min(marked+1, len(scopes))
	}
}
