package ui

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/charmbracelet/colorprofile"
)

func TestScrollChunks(t *testing.T) {
	long := strings.Repeat("x", chunkBytes)
	for _, c := range []struct {
		name  string
		slow  bool
		lines []string
		want  []int // lines of each chunk
	}{
		{"fits", false, []string{"a", "", "b"}, []int{3}},
		{"cut at the limit", false, []string{"a", long, "b", "c"}, []int{1, 1, 2}},
		{"a line above the limit goes alone", false, []string{long + "x", "b"}, []int{1, 1}},
		{"less on a slow terminal", true, []string{long[:slowChunkBytes], "b"}, []int{1, 1}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := scroll{slow: c.slow}
			s.append(c.lines...)
			var got []int
			var all []string
			for s.pending() {
				chunk := s.next()
				if len(chunk) == 0 {
					t.Fatalf("stuck with %q", s.queue)
				}
				got, all = append(got, len(chunk)), append(all, chunk...)
				s.printed(c.slow)
			}
			if !slices.Equal(got, c.want) || !slices.Equal(all, c.lines) {
				t.Errorf("chunks of %d lines, want %d", got, c.want)
			}
		})
	}
}

func TestScrollWaits(t *testing.T) {
	var s scroll
	s.append("a")
	s.away = true
	if got := s.next(); got != nil {
		t.Errorf("printed %q while an alternate screen was on", got)
	}
	s.away = false
	if got := s.next(); !slices.Equal(got, []string{"a"}) {
		t.Errorf("got %q, want a", got)
	}
	s.append("b")
	if got := s.next(); got != nil {
		t.Errorf("printed %q while another print was on its way", got)
	}
	s.printed(false)
	if got := s.next(); !slices.Equal(got, []string{"b"}) {
		t.Errorf("got %q, want b", got)
	}
}

func TestPiecesCloseTheirStyles(t *testing.T) {
	got := pieces("\x1b[31mabcdef\x1b[m", 4)
	want := []string{"\x1b[31mabcd\x1b[m", "\x1b[31mef\x1b[m"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// A workspace that stays open for long repeats only its last lines when it closes, and says how many are missing.
func TestScrollIsBounded(t *testing.T) {
	s := scroll{most: 10, away: true}
	for i := range 100 {
		s.append(fmt.Sprintf("line %d", i))
	}
	s.away = false
	lines := s.next()
	var missing int
	if _, err := fmt.Sscanf(lines[0], "(%d earlier", &missing); err != nil || missing+len(lines)-1 != 100 ||
		lines[len(lines)-1] != "line 99" {
		t.Errorf("%d missing of %q", missing, lines)
	}
}

// A line of a box that is broken keeps its style in each row.
func TestBrokenLinesKeepTheirStyle(t *testing.T) {
	s := colorful(t, Theme{name: darkTheme}, colorprofile.TrueColor, 40, 24)
	s.keys("f()", "enter")
	s.ask()
	dim, _, _ := strings.Cut(s.theme.dim.Render("|"), "|")
	rows := 0
	for _, row := range strings.Split(s.View().Content, "\n") {
		for _, words := range []string{"asked by the", "need approval"} {
			if !strings.Contains(row, words) {
				continue
			}
			if rows++; !strings.Contains(row, dim+words) && !strings.Contains(row, dim+"line 3 · mutations "+words) {
				t.Errorf("%q is not dim: %q", words, row)
			}
		}
	}
	if rows != 2 {
		t.Errorf("%d rows:\n%s", rows, s.View().Content)
	}
}
