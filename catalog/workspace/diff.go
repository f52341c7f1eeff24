package workspace

// This file makes unified diffs: Myers' shortest edit script over lines (E. W. Myers, An O(ND) Difference Algorithm and
// Its Variations, 1986), without the linear-space refinement, and up to a number of edits only.

import (
	"fmt"
	"slices"
	"strings"
)

const (
	// contextLines is how many unchanged lines stand around a change.
	contextLines = 3
	// maxEdits is up to how many changed lines the shortest script is looked for. Beyond, what differs is replaced whole.
	maxEdits = 1_500
)

// An edit is a piece of the old lines and the piece of the new that takes its place.
type edit struct {
	oldAt, oldEnd, newAt, newEnd int
}

// unified is the diff from one text to another, empty when they are the same.
func unified(from, to, old, new string) string {
	a, b := linesIn(old), linesIn(new)
	edits := editsOf(a, b)
	if len(edits) == 0 {
		return ""
	}
	var w strings.Builder
	fmt.Fprintf(&w, "--- %s\n+++ %s\n", from, to)
	for start := 0; start < len(edits); {
		end := start + 1
		for end < len(edits) && edits[end].oldAt-edits[end-1].oldEnd <= 2*contextLines {
			end++
		}
		writeHunk(&w, a, b, edits[start:end])
		start = end
	}
	return w.String()
}

// linesIn are the lines of a text with their ends.
func linesIn(text string) []string { return slices.Collect(strings.Lines(text)) }

func writeHunk(w *strings.Builder, a, b []string, edits []edit) {
	first, last := edits[0], edits[len(edits)-1]
	before := min(contextLines, first.oldAt)
	after := min(contextLines, len(a)-last.oldEnd)
	fmt.Fprintf(w, "@@ -%s +%s @@\n", span(first.oldAt-before, last.oldEnd+after), span(first.newAt-before, last.newEnd+after))
	at := first.oldAt - before
	for _, e := range edits {
		writeLines(w, ' ', a[at:e.oldAt])
		writeLines(w, '-', a[e.oldAt:e.oldEnd])
		writeLines(w, '+', b[e.newAt:e.newEnd])
		at = e.oldEnd
	}
	writeLines(w, ' ', a[at:at+after])
}

// span is a range of lines as a hunk's head has it.
func span(from, to int) string {
	switch to - from {
	case 0:
		return fmt.Sprintf("%d,0", from)
	case 1:
		return fmt.Sprint(from + 1)
	}
	return fmt.Sprintf("%d,%d", from+1, to-from)
}

func writeLines(w *strings.Builder, sign byte, lines []string) {
	for _, line := range lines {
		w.WriteByte(sign)
		w.WriteString(line)
		if !strings.HasSuffix(line, "\n") {
			w.WriteString("\n\\ No newline at end of file\n")
		}
	}
}

// editsOf lists what must be replaced in a to make b, in order; pieces that touch are one.
func editsOf(a, b []string) []edit {
	head := 0
	for head < len(a) && head < len(b) && a[head] == b[head] {
		head++
	}
	tail := 0
	for tail < len(a)-head && tail < len(b)-head && a[len(a)-1-tail] == b[len(b)-1-tail] {
		tail++
	}
	a, b = a[head:len(a)-tail], b[head:len(b)-tail]
	if len(a)+len(b) == 0 {
		return nil
	}
	edits := shortest(a, b)
	for i := range edits {
		e := &edits[i]
		e.oldAt, e.oldEnd, e.newAt, e.newEnd = e.oldAt+head, e.oldEnd+head, e.newAt+head, e.newEnd+head
	}
	return edits
}

// shortest is Myers' greedy search: reach[k] is how far down the old lines the furthest path on diagonal k has come,
// and the reaches of every number of edits are kept to walk back.
func shortest(a, b []string) []edit {
	whole := []edit{{0, len(a), 0, len(b)}}
	most := min(len(a)+len(b), maxEdits)
	reach := make([]int, 2*most+3)
	middle := most + 1
	var steps [][]int
	for d := 0; d <= most; d++ {
		steps = append(steps, slices.Clone(reach[middle-d:middle+d+1]))
		for k := -d; k <= d; k += 2 {
			x := reach[middle+k-1] + 1
			if k == -d || k != d && reach[middle+k-1] < reach[middle+k+1] {
				x = reach[middle+k+1]
			}
			y := x - k
			for x < len(a) && y < len(b) && a[x] == b[y] {
				x, y = x+1, y+1
			}
			reach[middle+k] = x
			if x >= len(a) && y >= len(b) {
				return walkBack(steps, len(a), len(b))
			}
		}
	}
	return whole
}

// walkBack follows the furthest paths from the end to the beginning and joins their steps to edits.
func walkBack(steps [][]int, x, y int) []edit {
	var edits []edit
	for d := len(steps) - 1; d > 0; d-- {
		reach := func(k int) int {
			if k < -d || k > d {
				return -1
			}
			return steps[d][k+d]
		}
		k := x - y
		from := k - 1
		if k == -d || k != d && reach(k-1) < reach(k+1) {
			from = k + 1
		}
		px := reach(from)
		py := px - from
		// The step itself ends where the matching lines begin.
		sx, sy := px+1, py
		if from == k+1 {
			sx, sy = px, py+1
		}
		if n := len(edits); n > 0 && edits[n-1].oldAt == sx && edits[n-1].newAt == sy {
			edits[n-1].oldAt, edits[n-1].newAt = px, py
		} else {
			edits = append(edits, edit{px, sx, py, sy})
		}
		x, y = px, py
	}
	slices.Reverse(edits)
	return edits
}
