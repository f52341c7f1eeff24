package ui

import (
	"bytes"
	"fmt"
	"strings"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"
)

// This file holds the finished lines on their way to the terminal's own scrollback. The display prints them, one chunk
// at a time, so that a terminal which is slow holds up the lines and not the keys.

// How many bytes a chunk has at most, of one line or of several: at the usual pace, and on a slow terminal.
const (
	chunkBytes     = 16 << 10
	slowChunkBytes = 2 << 10
)

// printedMsg says that the chunk on its way was printed, and whether the terminal is slow.
type printedMsg struct{ slow bool }

// A scroll is a queue of finished lines on their way to the scrollback. Not for concurrent use.
type scroll struct {
	queue []string
	// sending is true between a Next that gave lines and the printedMsg that ends it.
	sending bool
	// output counts the newest lines of the queue that a run printed; an interrupt drops them.
	output int
	// slow says that chunks are small.
	slow bool
	// away is true while an alternate screen is on: lines wait.
	away bool
	// most bounds the queue while an alternate screen is on, as a workspace needs that may stay for days; zero is no
	// bound. dropped counts the oldest lines, which went.
	most, dropped int
	// keep sees all lines that are added; nil when nobody wants to.
	keep func(lines []string)
}

// append adds finished lines, oldest first. A line may hold styles but no line end, and may be of any width.
func (s *scroll) append(lines ...string) {
	if len(lines) > 0 {
		s.output = 0
	}
	s.queue = append(s.queue, lines...)
	if over := len(s.queue) - s.most; s.away && s.most > 0 && over > s.most/5 {
		s.queue = append(s.queue[:0:0], s.queue[over:]...)
		s.dropped += over
	}
	if s.keep != nil {
		s.keep(lines)
	}
}

// appendOutput adds lines that a run printed.
func (s *scroll) appendOutput(lines ...string) {
	output := s.output
	s.append(lines...)
	s.output = output + len(lines)
}

// dropOutput takes the printed lines at the end of the queue off it and returns how many there were.
func (s *scroll) dropOutput() int {
	n := min(s.output, len(s.queue))
	s.queue = s.queue[:len(s.queue)-n]
	s.output = 0
	return n
}

// pending reports whether lines wait or are on their way.
func (s *scroll) pending() bool { return s.sending || len(s.queue) > 0 }

// next takes the next chunk off the queue, nil when nothing may be printed now. printed must be called once it is out.
func (s *scroll) next() []string {
	if s.sending || s.away || len(s.queue) == 0 {
		return nil
	}
	var chunk []string
	if s.dropped > 0 {
		chunk = append(chunk, fmt.Sprintf("(%d earlier lines are not repeated here)", s.dropped))
		s.dropped = 0
	}
	limit := chunkBytes
	if s.slow {
		limit = slowChunkBytes
	}
	n := 0
	for size := 0; n < len(s.queue) && (n == 0 || size+len(s.queue[n]) <= limit); n++ {
		size += len(s.queue[n])
	}
	chunk = append(chunk, s.queue[:n]...)
	if s.queue = s.queue[n:]; len(s.queue) == 0 {
		s.queue = nil
	}
	s.sending = true
	return chunk
}

// printed ends the print that next began.
func (s *scroll) printed(slow bool) { s.sending, s.slow = false, slow }

// pieces breaks line into rows of at most width columns.
func pieces(line string, width int) []string { return restyled(ansi.Hardwrap(line, width, true)) }

// restyled are the rows of a broken line. Styles end with each row and begin again on the next, so that a row which is
// drawn alone has its own, and leaves the terminal as it was.
func restyled(broken string) []string {
	if !strings.Contains(broken, "\n") {
		return []string{broken}
	}
	var out bytes.Buffer
	w := lipgloss.NewWrapWriter(&out)
	w.Write([]byte(broken))
	w.Close()
	return strings.Split(out.String(), "\n")
}
