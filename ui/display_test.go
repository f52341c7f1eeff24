package ui

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
)

// A slowTerminal takes what is written after a while, and counts the writes.
type slowTerminal struct {
	mu     sync.Mutex
	term   *emulator
	delay  time.Duration
	writes []time.Time
}

func (s *slowTerminal) Write(p []byte) (int, error) {
	time.Sleep(s.delay)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.writes = append(s.writes, time.Now())
	return s.term.Write(p)
}

func (s *slowTerminal) size() (int, int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.term.width, s.term.height, nil
}

// shows waits until the terminal has text in a row.
func (s *slowTerminal) shows(t *testing.T, text string) {
	t.Helper()
	for deadline := time.Now().Add(10 * time.Second); ; time.Sleep(5 * time.Millisecond) {
		s.mu.Lock()
		lines := s.term.lines()
		s.mu.Unlock()
		if slices.ContainsFunc(lines, func(l string) bool { return strings.Contains(l, text) }) {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("no %q in %q", text, lines)
		}
	}
}

func still(text string) picture {
	return picture{rows: []string{text}, cursor: &point{}, width: 80, height: 24}
}

// A terminal that takes long gets fewer pictures, and always the last one.
func TestDisplayPaces(t *testing.T) {
	for _, c := range []struct {
		name  string
		delay time.Duration
		least time.Duration
	}{
		{"30 times a second", 0, frameTime},
		{"10 times where a write takes over 50 ms", slowWrite + 10*time.Millisecond, slowPace},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := &slowTerminal{term: newEmulator(80, 24), delay: c.delay}
			d := newDisplay(s, s.size, true, func(tea.Msg) {})
			defer d.close(graceTime)
			for i := range 200 {
				d.show(still(fmt.Sprintf("picture %d", i)), nil)
				time.Sleep(5 * time.Millisecond)
			}
			s.shows(t, "picture 199")
			s.mu.Lock()
			defer s.mu.Unlock()
			for i := 2; i < len(s.writes); i++ {
				if gap := s.writes[i].Sub(s.writes[i-1]); gap < c.least {
					t.Errorf("writes %d and %d are %v apart, want %v at least", i-1, i, gap, c.least)
				}
			}
		})
	}
}

// What is drawn for another size than the window's is not written: the loop is told of the size, and lines wait.
func TestDisplayWaitsForTheSize(t *testing.T) {
	s := &slowTerminal{term: newEmulator(80, 24)}
	told := make(chan tea.Msg, 100)
	d := newDisplay(s, s.size, true, func(msg tea.Msg) { told <- msg })
	defer d.close(graceTime)
	p := still("for sixty columns")
	p.width = 60
	d.show(p, []string{"a line"})
	if got := <-told; got != (tea.WindowSizeMsg{Width: 80, Height: 24}) {
		t.Fatalf("told %v", got)
	}
	s.mu.Lock()
	if len(s.writes) > 0 {
		t.Errorf("written: %q", s.term.lines())
	}
	s.mu.Unlock()
	d.show(still("for eighty columns"), nil)
	s.shows(t, "a line")
	s.shows(t, "for eighty columns")
	for msg := range told {
		if _, ok := msg.(printedMsg); ok {
			break
		}
	}
}

func TestWindowSize(t *testing.T) {
	for _, c := range []struct {
		told           [2]int
		columns, lines string
		want           [2]int
	}{
		{[2]int{60, 20}, "100", "40", [2]int{60, 20}},
		{[2]int{0, 0}, "", "", [2]int{80, 24}},
		{[2]int{0, 0}, "100", "40", [2]int{100, 40}},
		{[2]int{0, 0}, "wide", "-1", [2]int{80, 24}},
		{[2]int{0, 0}, "0", "99999999", [2]int{80, 24}},
		{[2]int{60, 0}, "100", "", [2]int{60, 24}},
	} {
		env := map[string]string{"COLUMNS": c.columns, "LINES": c.lines}
		width, height := windowSize(c.told[0], c.told[1], func(name string) string { return env[name] })
		if got := [2]int{width, height}; got != c.want {
			t.Errorf("told %v, COLUMNS %q, LINES %q: %v, want %v", c.told, c.columns, c.lines, got, c.want)
		}
	}
}

// Another program has the terminal between Pause and Resume, without a trace of the region.
func TestDisplayLends(t *testing.T) {
	s := &slowTerminal{term: newEmulator(80, 24)}
	d := newDisplay(s, s.size, true, func(tea.Msg) {})
	d.show(still("before"), []string{"a line"})
	s.shows(t, "before")
	d.pause()
	d.show(still("meanwhile"), nil)
	if got := s.term.lines(); !slices.Equal(got, []string{"a line"}) {
		t.Errorf("while it is lent: %q", got)
	}
	d.resume()
	s.shows(t, "meanwhile")
	d.close(graceTime)
	if got := s.term.lines(); !slices.Equal(got, []string{"a line"}) || s.term.hidden || s.term.nowrap {
		t.Errorf("at the end: %q, cursor hidden %v", got, s.term.hidden)
	}
}

// A terminal that takes nothing does not hold the end of the program.
func TestDisplayCloses(t *testing.T) {
	r, w := io.Pipe()
	d := newDisplay(w, nil, true, func(tea.Msg) {})
	d.show(still("never taken"), nil)
	from := time.Now()
	d.close(100 * time.Millisecond)
	if took := time.Since(from); took > 5*time.Second {
		t.Errorf("Close took %v", took)
	}
	r.Close()
	<-d.ended
}
