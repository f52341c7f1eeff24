package repl

// This file shows a ranked list of actions to a person. The model gets another one: View.FormatSet.

import (
	"fmt"
	"strings"

	"almanac/catalog"
)

// A Hit is an action that a search found.
type Hit struct {
	ID string
	// Tag is the effect letter: R, W or !.
	Tag string
	// Brief is the first sentence about it, Signature its arguments and result in short.
	Brief, Signature string
}

// found is the event that tells of a set.
func found(v *catalog.View, set catalog.Set) Event {
	e := Event{Kind: Found, Total: set.Total(), Text: strings.Join(set.Notes(), "; ")}
	for _, h := range set.Hits() {
		item := actionItem(v, h.ID, h.ID)
		hit := Hit{ID: h.ID, Tag: item.Tag, Signature: item.Detail}
		if entry, ok := v.Lookup(h.ID); ok {
			hit.Brief = FirstSentence(entry)
		}
		e.Hits = append(e.Hits, hit)
	}
	return e
}

// hitDepth is how many hits are listed; a screen offers the rest, too.
const hitDepth = 10

// hitLines lists what a search found, a line each: id, effect and what it is about.
func hitLines(e Event, width int, m Marks) []Line {
	shown := e.Hits[:min(len(e.Hits), hitDepth)]
	wide := 0
	for _, h := range shown {
		wide = max(wide, textWidth(SanitizeLine(h.ID)))
	}
	var lines []Line
	for _, h := range shown {
		id := SanitizeLine(h.ID)
		l := Line{{RoleID, id + strings.Repeat(" ", max(wide-textWidth(id), 0))}, {RoleDim, "  " + h.Tag + "  "}}
		if h.Tag != "R" {
			l[1].Role = RoleMutates
		}
		if room := width - l.Width(); width == 0 || room > 0 {
			l = append(l, Span{RoleText, cutText(SanitizeLine(h.Brief), max(room, 0), m.Cut)})
		}
		lines = append(lines, l)
	}
	var notes []string
	if more := e.Total - len(shown); more > 0 {
		notes = append(notes, fmt.Sprintf("%s %d more", m.Cut, more))
	}
	if e.Text != "" {
		notes = append(notes, SanitizeLine(e.Text))
	}
	if len(notes) > 0 {
		lines = append(lines, Line{{RoleDim, strings.Join(notes, " "+m.Dot+" ")}})
	}
	return lines
}
