package ui

import (
	"bytes"
	"fmt"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"
)

// This file holds the only way by which finished lines reach the terminal's own scrollback. The renderer loses or
// repeats lines when a print is taller than what is free above the live region, when prints overtake each other,
// when the window was resized a moment ago, and while an alternate screen is on. A scroll keeps all four from
// happening: it prints one chunk at a time, none taller than the room, and waits where it must.

// holdAfterResize is how long prints wait until terminal and renderer agree on a new size.
const holdAfterResize = 400 * time.Millisecond

// settleTime is how long the renderer may take to draw what the model has become.
const settleTime = 3 * frameTime

// printedMsg says that the chunk on its way was printed.
type printedMsg struct{}

// A scroll is a queue of finished lines on their way to the scrollback. Not for concurrent use.
type scroll struct {
	queue []string
	// sending is true between a Flush that gave a command and the printedMsg that ends it.
	sending bool
	// until is when prints may go on.
	until time.Time
	// away is true while an alternate screen is on.
	away bool
	// most bounds the queue while an alternate screen is on, as a workspace needs that may stay for days; zero is no
	// bound. dropped counts the oldest lines, which went.
	most, dropped int
	// keep sees all lines that are added; nil when nobody wants to.
	keep func(lines []string)
	// out makes the command that prints; nil means tea.Println.
	out func(chunk string) tea.Cmd
}

// Append adds finished lines, oldest first. A line may hold styles but no line end, and may be of any width.
func (s *scroll) Append(lines ...string) {
	s.queue = append(s.queue, lines...)
	if over := len(s.queue) - s.most; s.away && s.most > 0 && over > s.most/5 {
		s.queue = append(s.queue[:0:0], s.queue[over:]...)
		s.dropped += over
	}
	if s.keep != nil {
		s.keep(lines)
	}
}

// Hold stops prints for a while, as a resize needs.
func (s *scroll) Hold(now time.Time, d time.Duration) {
	if until := now.Add(d); until.After(s.until) {
		s.until = until
	}
}

// Away says whether an alternate screen is wanted. It should go up only while nothing is on its way (see Sending),
// and after it the prints wait until the terminal surely shows the main screen again.
func (s *scroll) Away(on bool, now time.Time) {
	if s.away && !on {
		s.Hold(now, settleTime)
	}
	s.away = on
}

// Sending reports whether a chunk is on its way.
func (s *scroll) Sending() bool { return s.sending }

// Pending reports whether lines wait or are on their way.
func (s *scroll) Pending() bool { return s.sending || len(s.queue) > 0 }

// Flush returns the command that prints the next chunk, at most room rows of a window of the given width, or nil
// when nothing may be printed now. The command ends with a printedMsg, which must be given to Printed.
func (s *scroll) Flush(now time.Time, width, room int) tea.Cmd {
	chunk := s.next(now, width, room)
	if chunk == "" {
		return nil
	}
	out := s.out
	if out == nil {
		out = func(chunk string) tea.Cmd { return tea.Println(chunk) }
	}
	return tea.Sequence(out(chunk), func() tea.Msg { return printedMsg{} })
}

// Printed ends the print that Flush began.
func (s *scroll) Printed() { s.sending = false }

// next takes the next chunk off the queue; "" when nothing may be printed now.
func (s *scroll) next(now time.Time, width, room int) string {
	if s.sending || s.away || len(s.queue) == 0 || room < 1 || width < 2 || now.Before(s.until) {
		return ""
	}
	if s.dropped > 0 {
		s.queue = append([]string{fmt.Sprintf("(%d earlier lines are not repeated here)", s.dropped)}, s.queue...)
		s.dropped = 0
	}
	var chunk []string
	for len(s.queue) > 0 {
		line := s.queue[0]
		rows, soft := rowsOf(line, width)
		if !soft || rows > room {
			// Broken by us: the pieces go back to the queue, one row each.
			s.queue = append(pieces(line, width-1), s.queue[1:]...)
			line, rows = s.queue[0], 1
		}
		if rows > room {
			break
		}
		room -= rows
		chunk = append(chunk, line)
		s.queue = s.queue[1:]
	}
	if len(s.queue) == 0 {
		s.queue = nil
	}
	s.sending = true
	// The renderer prints nothing at all for empty text, so an empty line goes as a blank.
	if len(chunk) == 1 && chunk[0] == "" {
		return " "
	}
	return strings.Join(chunk, "\n")
}

// rowsOf says how many rows the terminal takes for line. soft is false when the terminal's own wrapping would not
// fill rows exactly as the renderer counts them: the line ends at the right edge, where erasing the rest of the row
// would take its last letter, or holds wide letters that may not fit at the edge.
func rowsOf(line string, width int) (rows int, soft bool) {
	w := ansi.StringWidth(line)
	if w < width {
		return 1, true
	}
	if w%width == 0 || w != len(ansi.Strip(line)) {
		return 1 + w/width, false
	}
	return 1 + w/width, true
}

// pieces breaks line into rows of at most width columns. Styles end with each row and begin again on the next, so that
// a row printed alone leaves the terminal as it was.
func pieces(line string, width int) []string {
	var out bytes.Buffer
	w := lipgloss.NewWrapWriter(&out)
	w.Write([]byte(ansi.Hardwrap(line, width, true)))
	w.Close()
	return strings.Split(out.String(), "\n")
}
