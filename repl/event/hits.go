package event

// This file shows a ranked list of actions to a person. The model gets another one: View.FormatSet.

import (
	"fmt"
	"strings"

	"almanac/catalog/text"
	"almanac/catalog/text/cells"
	"almanac/repl/show"
)

// A Hit is an action that a search found.
type Hit struct {
	ID string
	// Tag is the effect letter: R, W or !.
	Tag string
	// Needs are its required arguments.
	Needs []string
	// Supplied says of a hit which actions find the ids that it requires: "needs movie_id: from search.movie".
	Supplied []string
	// Others are ids of hits that are interchangeable with it; such a hit is Like it, and has no line of its own.
	Others []string
	Like   bool
	// Brief is the first sentence about it, Signature its arguments and result in short.
	Brief, Signature string
}

// hitDepth is how many hits are listed; a screen offers the rest, too.
const hitDepth = 10

// In lists that are at least wideHits wide required arguments stand behind the ids, up to needsWidth with them.
const (
	wideHits   = 110
	needsWidth = 64
)

// call is the hit's id, with its required arguments where there is room.
func (h Hit) call(width int, m show.Marks) string {
	shown := text.SanitizeLine(h.ID)
	if h.Tag == "" || width > 0 && width < wideHits {
		return shown
	}
	shown += " {" + text.SanitizeLine(strings.Join(h.Needs, ", ")) + "}"
	if width > 0 {
		shown = cells.Clip(shown, needsWidth, m.Cut)
	}
	return shown
}

// hitRows are actions, or names on the way to some, a line each: id, effect and what it is about.
func hitRows(shown []Hit, width int, m show.Marks) []show.Line {
	wide := 0
	for _, h := range shown {
		wide = max(wide, cells.Width(h.call(width, m)))
	}
	var lines []show.Line
	for _, h := range shown {
		id := h.call(width, m)
		l := show.Line{show.ID.Span(id + strings.Repeat(" ", max(wide-cells.Width(id), 0))),
			show.Dim.Span(fmt.Sprintf("  %1s  ", h.Tag))}
		if h.Tag == "W" || h.Tag == "!" {
			l[1].Role = show.Mutates
		}
		if room := width - l.Width(); width == 0 || room > 0 {
			l = append(l, show.Dim.Span(cells.Clip(text.SanitizeLine(h.Brief), max(room, 0), m.Cut)))
		}
		lines = append(lines, l)
		notes := h.Supplied
		if len(h.Others) > 0 {
			notes = append([]string{"or " + strings.Join(h.Others, ", ")}, notes...)
		}
		for _, said := range notes {
			lines = append(lines, show.WrapLine(show.Dim.Line(text.SanitizeLine("  "+said)), width)...) // ids stay whole
		}
	}
	return lines
}

// listedLines lists what is below a name, all of it.
func listedLines(e Event, width int, m show.Marks) []show.Line {
	return append(show.Lines(show.Text, "", e.Text), hitRows(e.Hits, width, m)...)
}

// firstHits are the hits that have a line, up to hitDepth, and how many more there are that these do not name.
func firstHits(e Event) (shown []Hit, more int) {
	more = e.Total
	for _, h := range e.Hits {
		if !h.Like && len(shown) < hitDepth {
			shown = append(shown, h)
			more -= 1 + len(h.Others)
		}
	}
	return shown, more
}

// hitLines lists the first of what a search found.
func hitLines(e Event, width int, m show.Marks) []show.Line {
	shown, more := firstHits(e)
	lines := hitRows(shown, width, m)
	var notes []string
	if more > 0 {
		notes = append(notes, fmt.Sprintf("%s %d more", m.Cut, more))
		if e.Cell > 0 {
			notes = append(notes, fmt.Sprintf("/expand %d", e.Cell))
		}
	}
	if e.Text != "" {
		notes = append(notes, text.SanitizeLine(e.Text))
	}
	if len(notes) > 0 {
		lines = append(lines, show.Dim.Line(strings.Join(notes, " "+m.Dot+" ")))
	}
	return lines
}
