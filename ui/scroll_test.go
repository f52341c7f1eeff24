package ui

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestScrollChunks(t *testing.T) {
	long := strings.Repeat("x", 25) // 3 rows of 10
	for _, c := range []struct {
		name  string
		lines []string
		room  int
		want  []string
	}{
		{"fits", []string{"a", "b"}, 3, []string{"a\nb"}},
		{"cut at the room", []string{"a", "b", "c"}, 2, []string{"a\nb", "c"}},
		{"a wide line counts its rows", []string{"a", long, "b"}, 4, []string{"a\n" + long, "b"}},
		{"a line taller than the room is broken", []string{long}, 2, []string{"xxxxxxxxx\nxxxxxxxxx", "xxxxxxx"}},
		{"a line that ends at the edge is broken", []string{strings.Repeat("x", 10)}, 5, []string{"xxxxxxxxx\nx"}},
		{"wide letters are broken", []string{strings.Repeat("語", 6)}, 5, []string{"語語語語\n語語"}},
		{"an empty line is printed", []string{""}, 5, []string{" "}},
		{"empty lines in a chunk stay", []string{"a", "", "b"}, 5, []string{"a\n\nb"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var s scroll
			s.Append(c.lines...)
			var got []string
			for s.Pending() {
				chunk := s.next(time.Time{}, 10, c.room)
				if chunk == "" {
					t.Fatalf("stuck with %q", s.queue)
				}
				got = append(got, chunk)
				s.Printed()
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("got  %q\nwant %q", got, c.want)
			}
		})
	}
}

func TestScrollWaits(t *testing.T) {
	now := time.Unix(1000, 0)
	var s scroll
	s.Append("a")
	s.Hold(now, holdAfterResize)
	if got := s.next(now.Add(399*time.Millisecond), 80, 10); got != "" {
		t.Errorf("printed %q while held", got)
	}
	s.Hold(now, time.Millisecond)
	if got := s.next(now.Add(399*time.Millisecond), 80, 10); got != "" {
		t.Errorf("a shorter hold ended a longer one: printed %q", got)
	}
	now = now.Add(holdAfterResize)
	s.Away(true, now)
	if got := s.next(now, 80, 10); got != "" {
		t.Errorf("printed %q while an alternate screen was on", got)
	}
	s.Away(false, now)
	if got := s.next(now, 80, 10); got != "" {
		t.Errorf("printed %q before the main screen was back", got)
	}
	now = now.Add(settleTime)
	if got := s.next(now, 80, 0); got != "" {
		t.Errorf("printed %q without room", got)
	}
	if got := s.next(now, 80, 10); got != "a" {
		t.Errorf("got %q, want a", got)
	}
	s.Append("b")
	if got := s.next(now, 80, 10); got != "" {
		t.Errorf("printed %q while another print was on its way", got)
	}
	s.Printed()
	if got := s.next(now, 80, 10); got != "b" {
		t.Errorf("got %q, want b", got)
	}
}

// Every line comes out once and in order, whatever the room does meanwhile.
func TestScrollLosesNothing(t *testing.T) {
	var s scroll
	var want, got []string
	for i := range 500 {
		line := fmt.Sprintf("line %d", i)
		want = append(want, line)
		s.Append(line)
		if chunk := s.next(time.Time{}, 80, i%7); chunk != "" {
			got = append(got, strings.Split(chunk, "\n")...)
			s.Printed()
		}
	}
	for s.Pending() {
		got = append(got, strings.Split(s.next(time.Time{}, 80, 3), "\n")...)
		s.Printed()
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %d lines, want %d in order", len(got), len(want))
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
	now := time.Unix(0, 0)
	s := scroll{most: 10}
	s.Away(true, now)
	for i := range 100 {
		s.Append(fmt.Sprintf("line %d", i))
	}
	s.Away(false, now)
	chunk := s.next(now.Add(time.Second), 80, 50)
	lines := strings.Split(chunk, "\n")
	var missing int
	if _, err := fmt.Sscanf(lines[0], "(%d earlier", &missing); err != nil || missing+len(lines)-1 != 100 || lines[len(lines)-1] != "line 99" {
		t.Errorf("%d missing of %q", missing, lines)
	}
}
