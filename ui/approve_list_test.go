package ui

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/google/go-cmp/cmp"

	"almanac/catalog"
	"almanac/session"
)

// askList asks about a run of five writes: refunds, notes and one that is not known yet.
func (s *screen) askList(changes ...func(*session.Request)) <-chan session.Approval {
	s.t.Helper()
	return s.ask(append([]func(*session.Request){func(r *session.Request) {
		refund := r.Entry
		note := *refund
		note.ID, note.Risk, note.Description = "support.note.add", catalog.Low, "Add a note to a ticket. Nobody is mailed."
		add := func(p session.Planned) { r.Batch = append(r.Batch, p) }
		refundOf := func(id string, cents int64) map[string]any {
			return map[string]any{"invoice_id": id, "amount_cents": cents, "reason": "duplicate"}
		}
		add(session.Planned{Entry: refund, Args: refundOf("inv_1001", 12900), Line: 3, N: 2,
			Preview: "balance 12,900 -> 0\nstatus open -> void\ncredited 0 -> 12,900\nrefunds 0 -> 1\nupdated today\n"})
		add(session.Planned{Entry: &note, Args: map[string]any{"text": "refunded inv_1001"}, Line: 4, N: 3})
		add(session.Planned{Entry: refund, Args: refundOf("inv_1002", 500), Line: 3, N: 4, Preview: "balance 500 -> 0"})
		add(session.Planned{Entry: &note, Args: map[string]any{"text": "<id of billing.refund.issue>"}, Line: 4, N: 5,
			Unknown: []string{"text"}})
		add(session.Planned{Entry: refund, Args: refundOf("inv_1003", 700), Line: 3, N: 6})
		r.N, r.Line = 2, 3
	}}, changes...)...)
}

func TestApprovalOfAList(t *testing.T) {
	all := session.Approval{Verdict: session.Once}
	off := func(items ...int) session.Approval { return session.Approval{Verdict: session.Once, Off: items} }
	edited := map[string]any{"invoice_id": "inv_1002", "amount_cents": int64(5), "reason": "duplicate"}
	args := `{ invoice_id = "inv_1002", amount_cents = 5, reason = "duplicate" }`
	var clear []string
	for range 9 {
		clear = append(clear, "ctrl+u", "backspace")
	}
	deny := []string{"pause", "n", "enter", "pause", "wrong customer", "enter"}
	denied := session.Approval{Reason: "wrong customer"}
	for _, c := range []struct {
		name string
		keys []string
		want session.Approval
	}{
		{"y makes all", []string{"y", "pause"}, all},
		{"and at once with Enter", []string{"y", "enter"}, all},
		{"space switches off", []string{" ", "pause", "y", "pause"}, off(0)},
		{"and on", []string{" ", "beat", " ", "pause", "y", "pause"}, all},
		{"down goes through the actions", []string{"down", "beat", " ", "beat", "down", "beat", "down", "beat", " ", "pause",
			"y", "pause"}, off(1, 2)},
		{"a number and Enter", []string{"4", "enter", "pause", "y", "pause"}, off(3)},
		{"numbers in a row", []string{"2", "enter", "beat", "5", "beat", "enter", "pause", "y", "pause"}, off(1, 4)},
		{"Enter long behind its number", []string{"2", "pause", "enter", "pause", "y", "pause"}, off(1)},
		{"a number that is taken back", []string{"2", "beat", "backspace", "beat", "3", "beat", "enter", "pause",
			"y", "pause"}, off(2)},
		{"a number answers nothing", append([]string{"1", "pause", "pause"}, deny...), denied},
		{"and is forgotten by another key", []string{"1", "pause", "down", "pause", "enter", "pause", "y", "pause"}, all},
		{"nor does space", append([]string{" ", "pause", "pause"}, deny...), denied},
		{"nor Enter", append([]string{"enter", "pause", "enter"}, deny...), denied},
		{"a number that is none", append([]string{"6", "enter", "beat", "0", "beat", "enter"},
			[]string{"pause", "y", "pause"}...), all},
		{"y right behind a space is none", append([]string{" ", "beat", "y", "pause", "pause"}, deny...), denied},
		{"an arrow takes y back", append([]string{"y", "beat", "down", "pause", "enter", "pause"}, deny...), denied},
		{"a space, too", append([]string{"y", "beat", " ", "pause", "enter", "pause"}, deny...), denied},
		{"a is no answer", append([]string{"a", "pause", "enter"}, deny...), denied},
		{"e edits one", slices.Concat([]string{"3", "enter", "pause", "e", "pause"}, clear,
			[]string{args, "enter", "pause", "y", "pause"}),
			session.Approval{Verdict: session.Once, Edited: map[int]map[string]any{2: edited}}},
		{"what the action would refuse is not taken", slices.Concat([]string{"e", "pause"}, clear,
			[]string{"{ invoice_id = 5 }", "enter", "esc", "pause", "y", "pause"}), all},
		{"what is not known yet cannot be edited", []string{"end", "e", "pause", "ctrl+u", "pause", "y", "pause"}, all},
		{"n with a reason", deny, denied},
		{"Esc Esc", []string{"esc", "esc"}, session.Approval{}},
		{"Ctrl+C stops the run", []string{"ctrl+c"}, session.Approval{Reason: "interrupted"}},
	} {
		for _, size := range []struct{ width, height int }{{80, 24}, {40, 24}, {120, 40}} {
			t.Run(fmt.Sprint(c.name, " at ", size.width), func(t *testing.T) {
				s := newScreen(t, size.width, size.height)
				s.keys("f()", "enter", "draft")
				answer := s.askList()
				s.keys("pause")
				s.keys(c.keys...)
				if diff := cmp.Diff(c.want, answered(t, answer)); diff != "" {
					t.Errorf("answer (-want +got):\n%s", diff)
				}
				if s.edit.text != "draft" {
					t.Errorf("the draft became %q", s.edit.text)
				}
			})
		}
	}
}

// A list that is asked about once more begins with what was chosen: y makes nothing that was switched off before.
func TestListAskedAgain(t *testing.T) {
	edited := map[int]map[string]any{2: {"invoice_id": "inv_1002", "amount_cents": int64(5), "reason": "late"}}
	s := newScreen(t, 80, 30)
	s.keys("f()", "enter")
	answer := s.askList(func(r *session.Request) {
		r.Partial = "without what you switched off the run ends early, line 4: attempt to index a nil value (local 'r')"
		r.Chosen = session.Approval{Off: []int{0}, Edited: edited}
	})
	s.keys("pause")
	got := s.picture()
	for _, says := range []string{"Without what you switched off", "1 off", `"late"`, "y make 3 of 5"} {
		if !strings.Contains(got, says) {
			t.Errorf("no %q in\n%s", says, got)
		}
	}
	s.keys("y", "pause")
	want := session.Approval{Verdict: session.Once, Off: []int{0}, Edited: edited}
	if diff := cmp.Diff(want, answered(t, answer)); diff != "" {
		t.Errorf("answer (-want +got):\n%s", diff)
	}
}

// With everything off there is nothing to say yes to, and the box says so.
func TestNothingLeftOfAList(t *testing.T) {
	s := newScreen(t, 80, 24)
	s.keys("f()", "enter")
	answer := s.askList()
	s.keys("pause")
	for _, n := range []string{"1", "2", "3", "4", "5"} {
		s.keys(n, "enter", "beat")
	}
	s.keys("pause")
	if got := s.picture(); strings.Contains(got, "y make") {
		t.Errorf("the keys have y:\n%s", got)
	}
	s.keys("y", "enter", "pause")
	if got := s.picture(); len(answer) > 0 || !strings.Contains(got, "nothing is left to make") ||
		!strings.Contains(got, "space on") {
		t.Errorf("answered %d with everything off:\n%s", len(answer), got)
	}
	s.keys("1", "enter", "pause", "y", "enter")
	if diff := cmp.Diff([]int{1, 2, 3, 4}, answered(t, answer).Off); diff != "" {
		t.Errorf("off (-want +got):\n%s", diff)
	}
	if told := strings.Join(s.printed, "\n"); !strings.Contains(told,
		"you: approved as a list: 1 of 5; switched off: 2, 3, 4, 5") {
		t.Errorf("told\n%s", told)
	}
}

// A word at a list answers nothing and switches nothing on, whatever it begins with and however fast it is typed.
func TestWordsAtAList(t *testing.T) {
	for _, word := range []string{"/trace", "yes", "yy", " yes", "1 yes", "2y", "  y", "3rd", "12 more", "no", "all 5",
		"y 2", "edit 3", "1 2 3", "off 2", "\u0663"} {
		for _, gap := range []time.Duration{time.Millisecond, 40 * time.Millisecond, 400 * time.Millisecond,
			650 * time.Millisecond} {
			s := newScreen(t, 80, 24)
			s.keys("f()", "enter", "draft")
			answer := s.askList()
			s.keys("pause", "2", "enter", "pause", "home")
			s.asks[0].batch.Switch(0, false) // under the cursor
			s.types(word, gap)
			if row := s.picture(); !strings.Contains(row, "no answer") {
				t.Errorf("%q: nothing says that it is no answer:\n%s", word, row)
			}
			s.send(tea.KeyPressMsg{Code: tea.KeyEnter})
			s.keys("pause", "enter", "pause")
			s.send(tea.PasteMsg{Content: "2\n"})
			s.keys("enter", "pause")
			if len(answer) > 0 || len(s.asks) != 1 || s.asks[0].stage != deciding || s.asks[0].held != "" {
				t.Fatalf("%q, a key each %v: answered %d", word, gap, len(answer))
			}
			if on := s.asks[0].batch.Switched(); on[0] || on[1] {
				t.Errorf("%q, a key each %v: switched on, %v", word, gap, on)
			}
			s.keys("y", "pause")
			if got := answered(t, answer); got.Verdict != session.Once || !slices.Contains(got.Off, 1) {
				t.Errorf("%q: then y gave %v", word, got)
			}
		}
	}
}

// The risk and the warnings of the action under the cursor are in the box at any place of a long list.
func TestListKeepsItsWarnings(t *testing.T) {
	for _, size := range []struct{ width, height int }{{80, 24}, {40, 24}, {60, 20}, {120, 40}} {
		s := newScreen(t, size.width, size.height)
		s.keys("f()", "enter")
		s.askList(func(r *session.Request) {
			for range 30 {
				r.Batch = append(r.Batch, r.Batch[2])
			}
		})
		s.keys("pause")
		for range 32 {
			box := strings.Join(strings.Fields(strings.ReplaceAll(s.View().Content, "┃", "")), " ")
			if !containsAll(box, "billing.refund.issue", "HIGH RISK", "! It cannot be taken back.", "> ") {
				t.Fatalf("%v: the box is\n%s", size, s.View().Content)
			}
			s.keys("down", "beat")
		}
	}
}

// Every warning, however long, can be read in any window in which y is an answer: in the box, or printed above it.
func TestLongWarningsAreShown(t *testing.T) {
	var notes []string
	for i := range 12 {
		notes = append(notes, fmt.Sprintf("Note%d%s cannot be undone.", i, strings.Repeat(" and so it goes", i*i%40)))
	}
	warn := func(r *session.Request) {
		e := *r.Entry
		e.Description = strings.Join(notes, " ")
		r.Entry = &e
		for i := range r.Batch {
			r.Batch[i].Entry = &e
		}
	}
	for _, width := range []int{20, 27, 40, 60, 80, 120} {
		for _, height := range []int{12, 24, 40} {
			for _, ask := range []func(*screen) <-chan session.Approval{
				func(s *screen) <-chan session.Approval { return s.ask(warn) },
				func(s *screen) <-chan session.Approval { return s.askList(warn) },
			} {
				s := newScreen(t, width, height)
				s.keys("f()", "enter")
				answer := ask(s)
				s.keys("pause", "pause")
				box := s.View().Content
				if s.asks[0].cramped {
					continue
				}
				s.keys("y", "pause")
				answered(t, answer)
				bars := strings.NewReplacer("┃", "", "│", "", "\n", " ")
				read := strings.Join(strings.Fields(bars.Replace(box+" "+strings.Join(s.printed, " "))), " ")
				for _, note := range notes {
					if !strings.Contains(read, "! "+note) {
						t.Fatalf("%dx%d: no %q in the box or above it:\n%s", width, height, note, read)
					}
				}
			}
		}
	}
}

// v shows the whole list and the script; nothing of it is folded.
func TestWholeList(t *testing.T) {
	s := newScreen(t, 100, 60)
	s.keys("f()", "enter")
	answer := s.askList(func(r *session.Request) {
		for range 12 {
			r.Batch = append(r.Batch, r.Batch[2])
		}
	})
	s.keys("pause")
	if box := s.View().Content; !strings.Contains(box, "10 more: v shows all") {
		t.Errorf("the box is\n%s", box)
	}
	s.keys("v", "pause")
	if got := s.picture(); !containsAll(got, "17 on", "updated today", "for _, i in ipairs(all) do") ||
		strings.Contains(got, "shows all") {
		t.Errorf("v shows\n%s", got)
	}
	s.keys("y", "pause", "v", "pause", "y", "pause")
	answered(t, answer)
}
