package ui

import (
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"almanac/repl"
)

// TestWordsGoNowhereBack shows that no word and no paste goes back to a prompt, in neither list, with an Enter behind
// it or several; then an arrow and Enter do.
func TestWordsGoNowhereBack(t *testing.T) {
	ran := repl.Prompt{Cell: 1, Text: "one", Ran: true, Kept: true}
	for _, word := range []string{"no", "cancel", "n", "y", "esc", "1", "2 no", "12", "9", "no2", " ", "ja\n\nnein"} {
		for _, pasted := range []bool{false, true} {
			for _, choosing := range []bool{false, true} {
				if choosing && word == "1" && !pasted {
					continue // its number, alone
				}
				s := newScreen(t, 80, 24)
				s.rewind = &rewinding{prompts: []repl.Prompt{{Cell: 2, Text: "two"}, ran}}
				if choosing {
					s.keys("down", "enter")
				}
				if pasted {
					s.send(tea.PasteMsg{Content: word})
				} else {
					s.types(word, 40*time.Millisecond)
				}
				s.keys("enter", "pause", "enter")
				if s.rewind == nil || (s.rewind.choices != nil) != choosing || s.edit.text != "" || s.work != nil {
					t.Fatalf("%q, pasted %v, in the second list %v: it was an answer:\n%s", word, pasted, choosing, s.picture())
				}
				box := s.picture()
				if !strings.Contains(box, rewindWords) || !strings.Contains(box, "an arrow, then Enter goes back") {
					t.Errorf("%q, pasted %v: nothing says that it chooses nothing:\n%s", word, pasted, box)
				}
				s.keys("up", "enter")
				if s.rewind != nil {
					t.Errorf("%q: an arrow and Enter did not go back:\n%s", word, s.picture())
				}
			}
		}
	}
}

// TestRewindNumbers shows that the number of a choice marks it, and Enter then goes back.
func TestRewindNumbers(t *testing.T) {
	s := newScreen(t, 80, 24)
	s.rewind = &rewinding{prompts: []repl.Prompt{{Cell: 1, Text: "one", Ran: true, Kept: true}}}
	s.keys("enter", "2")
	if s.rewind.choice != 1 {
		t.Fatalf("2 marks %d", s.rewind.choice)
	}
	s.keys("enter")
	if s.rewind != nil {
		t.Errorf("2 and Enter did not go back:\n%s", s.picture())
	}
}
