package ui

// This file tests what is no answer: words, pastes, letters that were on their way.

import (
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"almanac/session"
)

// Words at an open question, typed as fast as people do or slower, pasted, with an Enter behind them or in one write,
// answer nothing: no grant, no denial, nothing in the input or in a reason, and the box says so. Then y allows exactly
// one.
func TestWordsAreNoAnswers(t *testing.T) {
	for _, size := range []struct{ width, height int }{{100, 32}, {80, 24}, {40, 15}} {
		for _, word := range []string{"/trace", "/allow", "/policy", "/a", "yes", "yy", "away", "a lot", "a b", "aa", "no",
			"never", "edit it", "ya", "and", " y", "Y", "A", "äy"} {
			for _, gap := range []time.Duration{time.Millisecond, 40 * time.Millisecond,
				400 * time.Millisecond, 650 * time.Millisecond} {
				if size.width != 80 && gap != 40*time.Millisecond {
					continue
				}
				s := newScreen(t, size.width, size.height)
				s.keys("f()", "enter", "draft")
				answer := s.ask()
				s.keys("pause")
				s.types(word, gap)
				if row := s.picture(); !strings.Contains(row, "no answer") {
					t.Errorf("%q at %v: nothing says that it is no answer:\n%s", word, size, row)
				}
				s.send(tea.KeyPressMsg{Code: tea.KeyEnter})
				s.keys("pause", "enter", "pause")
				if len(answer) > 0 || len(s.asks) != 1 || s.asks[0].stage != deciding ||
					s.asks[0].held != "" || s.edit.text != "draft" {
					t.Fatalf("%q, a key each %v: answered %d, input %q", word, gap, len(answer), s.edit.text)
				}
				s.keys("y", "pause")
				if got := answered(t, answer); got.Verdict != session.Once || len(s.asks) > 0 {
					t.Errorf("%q: then y gave %v", word, got)
				}
			}
		}
	}
}

// Nor do words where a grant's scope is asked for, with numbers in them or not, nor pastes: only a number alone marks.
func TestWordsGrantNothing(t *testing.T) {
	for _, size := range []struct{ width, height int }{{100, 32}, {80, 24}, {40, 15}} {
		for _, word := range []string{"/trace", "/allow", "yes", "any", "1 more", "10", "12", "11", "3rd", "all 3", "a1",
			"33", " 3", "exactly", "1.", "\u0663"} {
			for _, gap := range []time.Duration{time.Millisecond, 40 * time.Millisecond,
				400 * time.Millisecond, 650 * time.Millisecond} {
				if size.width != 80 && (gap != 40*time.Millisecond || word != "1 more") {
					continue
				}
				s := newScreen(t, size.width, size.height)
				s.keys("f()", "enter", "draft")
				answer := s.ask()
				s.keys("pause", "a", "pause", "pause")
				if !strings.Contains(s.picture(), "3 any arguments") {
					t.Fatalf("%v: no choice:\n%s", size, s.picture())
				}
				s.types(word, gap)
				if box := s.picture(); !strings.Contains(box, "no answer") {
					t.Errorf("%q at %v: nothing says that it is no answer:\n%s", word, size, box)
				}
				s.send(tea.KeyPressMsg{Code: tea.KeyEnter})
				s.keys("pause", "enter", "pause")
				s.send(tea.PasteMsg{Content: "3\n"})
				s.keys("enter", "pause", "enter", "pause")
				s.types("3\n", 0)
				s.keys("pause")
				if len(answer) > 0 || len(s.asks) != 1 || s.asks[0].stage != granting ||
					s.asks[0].marked != 0 || s.edit.text != "draft" {
					t.Fatalf("%q, a key each %v: answered %d, input %q:\n%s", word, gap, len(answer), s.edit.text, s.picture())
				}
				s.keys("1", "pause", "enter")
				if got := answered(t, answer); !got.Only {
					t.Errorf("%q: then 1 gave %v", word, got)
				}
			}
		}
	}
}

func TestPastesAreNoAnswers(t *testing.T) {
	for _, text := range []string{"y", "y\n", "a\n", "yes", "n\nwrong customer\n"} {
		s := newScreen(t, 80, 24)
		s.keys("f()", "enter", "draft")
		answer := s.ask()
		s.keys("pause")
		s.send(tea.PasteMsg{Content: text})
		s.keys("enter", "pause")
		// The same without marks: keys and an Enter in one write.
		s.types(text, 0)
		s.pass(quietTime / 2)
		s.keys("left", "pause", "enter", "pause")
		if len(answer) > 0 || len(s.asks) != 1 || s.asks[0].stage != deciding || s.edit.text != "draft" {
			t.Errorf("%q: answered %d, input %q", text, len(answer), s.edit.text)
		}
	}
	// An answer and its Enter, or an Enter and an answer, in one write: neither allows, at once or after the silence.
	for _, keys := range []string{"y\n", "a\n", "e\n", "n\n", "\ny"} {
		s := newScreen(t, 80, 24)
		s.keys("f()", "enter")
		answer := s.ask()
		s.keys("pause", "pause")
		s.types(keys, 0)
		if box := s.picture(); !strings.Contains(box, "no answer") {
			t.Errorf("%q: nothing says that it is no answer:\n%s", keys, box)
		}
		s.keys("pause", "pause")
		if len(answer) > 0 || s.asks[0].stage != deciding || s.asks[0].held != "" {
			t.Errorf("%q in one write was an answer", keys)
		}
	}
	// A paste of arguments or of a reason allows and denies nothing by its own Enter.
	for _, stage := range []string{"e", "n"} {
		s := newScreen(t, 80, 24)
		s.keys("f()", "enter")
		answer := s.ask()
		s.keys("pause", stage, "pause")
		s.types(" x\n", 0)
		if len(answer) > 0 {
			t.Errorf("%s: an Enter of a paste answered", stage)
		}
	}
}

// Letters that were still on their way when the question went are no text of the input.
func TestLettersOfAQuestionThatWent(t *testing.T) {
	s := newScreen(t, 80, 24)
	s.keys("f()", "enter", "draft")
	s.ask()
	s.keys("pause", "/tr")
	s.send(doneMsg{})
	s.keys("ace", "enter")
	if s.edit.text != "draft" || s.work != nil {
		t.Errorf("they became input: %s", s.state())
	}
	s.keys("pause", "s")
	if s.edit.text != "drafts" {
		t.Errorf("the input stays deaf: %q", s.edit.text)
	}
}

// A program that stood still hears the keys that waited before it takes their silence for an answer.
func TestStandstillIsNoSilence(t *testing.T) {
	s := newScreen(t, 80, 24)
	s.keys("f()", "enter")
	answer := s.ask()
	s.keys("pause", "y")
	s.clock = s.clock.Add(time.Minute)
	s.send(tickMsg{})
	if s.keys("es", "pause"); len(answer) > 0 {
		t.Error("the y of a yes was taken")
	}
}

// Who answers several questions in a row loses no letter of what is typed next.
func TestAnswersAreNoText(t *testing.T) {
	s := newScreen(t, 80, 24)
	s.keys("f()", "enter", "draft")
	for range 6 {
		answer := s.ask()
		s.keys("pause", "y", "pause")
		answered(t, answer)
	}
	s.keys("yes")
	s.send(doneMsg{})
	s.keys("y")
	if s.edit.text != "draftyesy" {
		t.Errorf("the input became %q", s.edit.text)
	}
}

// Keys that were on their way when the box appeared answer nothing.
func TestApprovalIsDeafAtFirst(t *testing.T) {
	s := newScreen(t, 80, 24)
	s.keys("f()", "enter")
	answer := s.ask()
	s.keys("y", "a", "n", "enter")
	s.pass(deafTime - frameTime)
	s.keys("y")
	if len(answer) > 0 || len(s.asks) != 1 || s.asks[0].stage != deciding {
		t.Fatal("an early key was taken")
	}
	for range 20 {
		s.pass(quietTime / 5)
		s.keys("a")
	}
	if len(answer) > 0 {
		t.Fatal("somebody who was typing answered")
	}
	s.keys("pause", "y", "pause")
	if got := answered(t, answer); got.Verdict != session.Once {
		t.Errorf("got %v", got)
	}
	// One letter of what was typed before, alone in its time.
	s.keys("w")
	answer = s.ask()
	s.pass(quietTime - 2*frameTime)
	s.keys("y", "pause")
	if len(answer) > 0 {
		t.Error("the last letter of a word answered")
	}
}
