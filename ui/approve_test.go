package ui

import (
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/google/go-cmp/cmp"

	"almanac/catalog"
	"almanac/repl/event"
	"almanac/session"
	"almanac/session/policy"
)

func TestApproval(t *testing.T) {
	edited := map[string]any{"invoice_id": "inv_1001", "amount_cents": int64(5), "reason": "duplicate"}
	exactly := session.Approval{Verdict: session.ForSession, Only: true, Bounds: []policy.Bound{
		{Arg: "amount_cents", Op: "=", Value: 12900.0}, {Arg: "invoice_id", Op: "=", Value: "inv_1001"},
		{Arg: "reason", Op: "=", Value: "duplicate"}}}
	numbers := session.Approval{Verdict: session.ForSession, Bounds: []policy.Bound{
		{Arg: "amount_cents", Op: ">=", Value: 0.0}, {Arg: "amount_cents", Op: "<=", Value: 12900.0}}}
	back := []string{"esc", "pause", "n", "pause", "esc"}
	toEnd := []string{"ctrl+u", `{ invoice_id = "inv_1001", amount_cents = 5, reason = 'duplicate' }`}
	for _, c := range []struct {
		name string
		keys []string
		want session.Approval
	}{
		{"y allows once", []string{"y", "pause"}, session.Approval{Verdict: session.Once}},
		{"and at once with Enter", []string{"y", "enter"}, session.Approval{Verdict: session.Once}},
		{"a and 1 grants these arguments", []string{"a", "pause", "pause", "1", "pause", "enter"}, exactly},
		{"at once with Enter", []string{"a", "enter", "pause", "1", "pause", "enter"}, exactly},
		{"a number needs no silence before it", []string{"a", "enter", "beat", "1", "pause", "enter"}, exactly},
		{"nor behind an arrow", []string{"a", "enter", "pause", "down", "beat", "2", "pause", "enter"}, numbers},
		{"letters before it make a word",
			append([]string{"a", "enter", "beat", "b", "beat", "1", "pause", "enter"}, back...), session.Approval{}},
		{"a and 2 grants up to this number", []string{"a", "pause", "pause", "2", "pause", "enter"}, numbers},
		{"a and 3 grants any arguments", []string{"a", "pause", "pause", "3", "pause", "enter"},
			session.Approval{Verdict: session.ForSession}},
		{"arrows mark", []string{"a", "pause", "pause", "down", "down", "down", "down", "up", "pause", "enter"}, numbers},
		{"nothing is marked by itself",
			append([]string{"a", "pause", "pause", "enter", "pause", "enter"}, back...), session.Approval{}},
		{"a number is no yes", append([]string{"a", "pause", "pause", "1", "pause"}, back...), session.Approval{}},
		{"nor with an Enter behind it at once",
			append([]string{"a", "pause", "pause", "3", "enter"}, back...), session.Approval{}},
		{"a number behind another is none",
			append([]string{"a", "pause", "pause", "1", "2", "pause", "enter"}, back...), session.Approval{}},
		{"0 and 4 are none", append([]string{"a", "pause", "pause", "0", "pause", "enter", "pause", "4", "pause", "enter"},
			back...), session.Approval{}},
		{"n asks why", []string{"n", "pause", "wrong customer", "enter"}, session.Approval{Reason: "wrong customer"}},
		{"Esc asks why", []string{"esc", "enter"}, session.Approval{}},
		{"Esc Esc denies", []string{"esc", "esc"}, session.Approval{}},
		{"in one write, too", []string{"alt+esc"}, session.Approval{}},
		{"e changes the arguments", append([]string{"e", "pause"}, append(toEnd, "enter")...), session.Approval{
			Verdict: session.Once, Args: edited,
		}},
		{"what the action would refuse is not sent",
			[]string{"e", "pause", "ctrl+u", `{ invoice_id = 5 }`, "enter", "esc", "pause", "n", "pause", "esc"},
			session.Approval{}},
		{"what cannot be read is not sent",
			[]string{"e", "pause", "ctrl+u", "{", "enter", "esc", "pause", "n", "pause", "esc"}, session.Approval{}},
		{"Enter is no answer", []string{"enter", "enter", " ", "pause", "n", "enter", "enter"}, session.Approval{}},
		{"Ctrl+C stops the run", []string{"ctrl+c"}, session.Approval{Reason: "interrupted"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newScreen(t, 80, 24)
			s.keys("f()", "enter", "draft")
			answer := s.ask()
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

// An Enter that has nothing to take says what it waits for, until the next key.
func TestBareEnter(t *testing.T) {
	s := newScreen(t, 80, 24)
	s.keys("f()", "enter")
	answer := s.ask()
	for _, step := range []struct {
		keys []string
		want string
	}{
		{[]string{"pause", "enter"}, "press a letter first: y once · a session"},
		{[]string{"down"}, "y once · a for this session"},
		{[]string{"pause", "a", "pause", "pause", "enter"}, "Enter grants what is marked: a number or an arrow marks it first"},
		{[]string{"beat", "1"}, "Enter grants 1 for this session"},
		{[]string{"esc", "pause", "n", "enter", "enter"}, "denied"},
	} {
		if s.keys(step.keys...); !strings.Contains(s.picture()+strings.Join(s.printed, "\n"), step.want) {
			t.Errorf("after %q no %q in\n%s", step.keys, step.want, s.picture())
		}
	}
	if got := answered(t, answer); got.Verdict != session.Refuse {
		t.Errorf("answered %+v", got)
	}
}

// Whether a run goes on is answered like all else: one key alone says yes, and there is nothing to grant or to edit.
func TestGoingOn(t *testing.T) {
	for _, c := range []struct {
		name string
		keys []string
		want session.Approval
		told string
	}{
		{"y goes on", []string{"y", "pause"}, session.Approval{Verdict: session.Once}, "went on, 1000 more calls"},
		{"n ends", []string{"n", "pause"}, session.Approval{}, "ended the run"},
		{"Esc ends", []string{"esc", "enter"}, session.Approval{}, "ended the run"},
		{"a is no answer", []string{"a", "pause", "enter", "pause", "n", "pause"}, session.Approval{}, "ended the run"},
		{"nor e and ?", []string{"e", "pause", "enter", "?", "pause", "enter", "pause", "n", "pause"},
			session.Approval{}, "ended the run"},
		{"nor a word", []string{"yes", "pause", "enter", "pause", "n", "pause"}, session.Approval{}, "ended the run"},
		{"Ctrl+C stops the run", []string{"ctrl+c"}, session.Approval{Reason: "interrupted"}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newScreen(t, 80, 24)
			s.keys("f()", "enter", "draft")
			answer := s.ask(func(r *session.Request) { r.Over = &session.Overrun{Name: "calls", Used: 1000, More: 1000} })
			s.keys("y") // typed before
			s.keys("pause")
			if len(answer) > 0 {
				t.Fatal("a letter that was on its way answered")
			}
			for _, want := range []string{"go on? [9]", "1000 action calls used", "y goes on with 1000 more",
				"y go on · n end the run · v script"} {
				if !strings.Contains(s.picture(), want) {
					t.Errorf("no %q in\n%s", want, s.picture())
				}
			}
			s.keys(c.keys...)
			if diff := cmp.Diff(c.want, answered(t, answer)); diff != "" {
				t.Errorf("answer (-want +got):\n%s", diff)
			}
			if got := strings.Join(s.printed, "\n"); s.edit.text != "draft" || !strings.Contains(got, c.told) {
				t.Errorf("the draft became %q, told %q", s.edit.text, got)
			}
		})
	}
}

// What a server asks is answered by explicit keys alone: words are none, and Esc declines. A form is filled in field by
// field, and sent by a y behind the last.
func TestAServerAsks(t *testing.T) {
	form := catalog.MustSchema(`{"type":"object","properties":{"who":{"type":"string","description":"your name",` +
		`"minLength":2},"size":{"type":"string","enum":["s","m"],"default":"m"},"n":{"type":"integer","maximum":9}},` +
		`"required":["who"],"additionalProperties":false}`)
	fields := map[string]*catalog.Inquiry{
		"form":  {Server: "bank", Text: "Who are you?\nReally?", Form: form},
		"model": {Server: "bank", Text: "A model is to answer:\nuser: hi", Sample: &catalog.Sample{}},
		"url":   {Server: "bank", Text: "Log in.", URL: "http://xn--bnk-tma.example/login?a=b"},
	}
	shown := map[string][]string{
		"form": {"answer? bank", "a server asks", "Who are you?", "your name", "during bank.open",
			"y send this · e fill in · n or Esc declines"},
		"model": {"answer? bank", "a server asks your model", "user: hi",
			"y let your model answer · v script · n or Esc declines"},
		"url": {"at xn--bnk-tma.example; almanac does not open it:", "  http://xn--bnk-tma.example/login?a=b",
			"letters of other scripts", "it is not https", "y tell it that you open this"},
	}
	sent := func(args map[string]any) session.Approval { return session.Approval{Verdict: session.Once, Args: args} }
	declined := session.Approval{}
	for _, c := range []struct {
		name, asks string
		keys       []string
		shows      string // before the last two keys
		want       session.Approval
		told       string
	}{
		{"a form is filled in", "form",
			[]string{"e", "pause", "Ann", "enter", "2", "enter", "7", "enter", "pause", "y", "pause"},
			`{ who = "Ann", size = "m", n = 7 }`, sent(map[string]any{"who": "Ann", "size": "m", "n": int64(7)}), "answered"},
		{"defaults and what may be left out", "form",
			[]string{"e", "pause", "Ann", "enter", "enter", "enter", "pause", "y", "pause"},
			`{ who = "Ann", size = "m" }`, sent(map[string]any{"who": "Ann", "size": "m"}), "answered"},
		{"a field says what it takes", "form", []string{"e", "pause", "A", "esc", "pause"},
			"a text, 2 characters or more, required", declined, "declined"},
		{"and a choice its numbers", "form", []string{"e", "pause", "Ann", "enter", "esc", "pause"},
			"one of these, by its number", declined, "declined"},
		{"what does not fit stays", "form", []string{"e", "pause", "A", "enter", "esc", "pause"},
			"want at least 2 characters", declined, "declined"},
		{"nor does a word for a number", "form",
			[]string{"e", "pause", "Ann", "enter", "enter", "seven", "enter", "esc", "pause"}, "want a whole number", declined,
			"declined"},
		{"nor one that is too large", "form",
			[]string{"e", "pause", "Ann", "enter", "enter", "10", "enter", "esc", "pause"}, "n (3 of 3)", declined, "declined"},
		{"Up goes back", "form",
			[]string{"e", "pause", "Ann", "enter", "up", "Bob", "enter", "enter", "enter", "pause", "y", "pause"}, `"Bob"`,
			sent(map[string]any{"who": "Bob", "size": "m"}), "answered"},
		{"a y typed into the last field sends nothing", "form",
			[]string{"e", "pause", "Ann", "enter", "enter", "enter", "y", "pause", "pause", "n", "pause"}, "y send this",
			declined, "declined"},
		{"y sends no form that is not filled in", "form", []string{"y", "pause", "pause", "n", "pause"},
			"fill it in with e", declined, "declined"},
		{"Esc declines", "form", []string{"esc", "enter"}, "", declined, "declined"},
		{"a word is no answer", "model", []string{"yes", "pause", "enter", "pause", "n", "pause"}, "", declined, "declined"},
		{"nor is a, e or ?", "model", []string{"a", "pause", "e", "pause", "?", "pause", "esc", "enter"}, "", declined,
			"declined"},
		{"the model may", "model", []string{"y", "pause"}, "", sent(nil), "answered"},
		{"an address", "url", []string{"y", "pause"}, "", sent(nil),
			"answered · bank http://xn--bnk-tma.example/login?a=b"},
		{"an address is declined", "url", []string{"a", "pause", "e", "pause", "esc", "enter"}, "", declined, "declined"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newScreen(t, 90, 24)
			s.keys("f()", "enter", "draft")
			answer := s.ask(func(r *session.Request) {
				r.Inquiry = fields[c.asks]
				r.Entry = &catalog.Entry{ID: "bank", Input: r.Inquiry.Form, Risk: catalog.Low}
				r.Args, r.Reason = map[string]any{}, "during bank.open"
				if c.asks == "form" {
					r.Args["size"] = "m"
				}
			})
			s.keys("y") // typed before
			s.keys("pause")
			for _, want := range shown[c.asks] {
				if !strings.Contains(s.picture(), want) {
					t.Errorf("no %q in\n%s", want, s.picture())
				}
			}
			last := len(c.keys) - 2
			s.keys(c.keys[:last]...)
			if !strings.Contains(s.picture(), c.shows) {
				t.Errorf("no %q in\n%s", c.shows, s.picture())
			}
			s.keys(c.keys[last:]...)
			if diff := cmp.Diff(c.want, answered(t, answer)); diff != "" {
				t.Errorf("answer (-want +got):\n%s", diff)
			}
			if got := strings.Join(s.printed, "\n"); !strings.Contains(got, c.told) {
				t.Errorf("told %q", got)
			}
		})
	}
}

// Panes, help, the script and scrolling are there while a question waits; their keys answer nothing, and it is there
// again when they close.
func TestPanesDuringAQuestion(t *testing.T) {
	for _, c := range []struct{ key, shows string }{
		{"f1", "Help"}, {"f2", "Variables"}, {"f3", "Trace"}, {"f4", "Catalog"}, {"f5", "Preview"}, {"f6", "Value"},
		{"v", "for _, i in ipairs(all) do"}, {"ctrl+o", "Pay money back to a customer. It cannot be taken back."},
	} {
		s := newScreen(t, 80, 24)
		s.keys("f()", "enter", "draft")
		s.open(event.TracePane)
		answer := s.ask()
		s.keys("pause")
		for range 2 {
			s.paneKeys(c.key)
			if got := s.picture(); !strings.Contains(got, c.shows) || strings.Contains(got, "y once") {
				t.Errorf("%s shows\n%s", c.key, got)
			}
			s.keys("y", "pause", "a", "pause", "pgdown", "n", "pause")
			s.keys("esc")
			if s.help != nil || s.overlay() != nil { // it ended a search
				s.keys("esc")
			}
			s.send(tea.KeyPressMsg{Code: 'y', Text: "y"})
			s.keys("pause")
		}
		if len(answer) > 0 || len(s.asks) != 1 || s.asks[0].stage != deciding || len(s.queue) > 0 {
			t.Fatalf("%s: answered %d, questions %d, queued %d", c.key, len(answer), len(s.asks), len(s.queue))
		}
		if got := s.picture(); !strings.Contains(got, "y once") {
			t.Errorf("after %s the question is not there:\n%s", c.key, got)
		}
		s.keys("y", "pause")
		answered(t, answer)
		if _, ok := s.overlay().(*tracePane); !ok {
			t.Errorf("%s: the pane that was open before is gone", c.key)
		}
	}
}

// The panes of a question close with the key that opened them, and with their question.
func TestPanesOfAQuestionClose(t *testing.T) {
	for _, key := range []string{"v", "ctrl+o"} {
		s := newScreen(t, 80, 24)
		s.keys("f()", "enter")
		s.ask()
		s.keys("pause", key, "pause")
		if s.overlay() == nil {
			t.Fatalf("%s opens nothing", key)
		}
		if s.keys(key, "pause"); s.overlay() != nil || !strings.Contains(s.picture(), "y once") {
			t.Errorf("%s again does not close it:\n%s", key, s.picture())
		}
		s.keys(key, "pause")
		if s.send(doneMsg{}); s.overlay() != nil || len(s.panes) > 0 {
			t.Errorf("%s: it stays without its question:\n%s", key, s.picture())
		}
	}
}

// The risk and the warnings are never cut, whatever the window, and high risk differs from low without colour.
func TestRiskIsAlwaysShown(t *testing.T) {
	for _, size := range []struct{ width, height int }{{100, 32}, {80, 24}, {60, 12}, {40, 15}, {40, 10}, {30, 15}} {
		s := newScreen(t, size.width, size.height)
		s.keys("f()", "enter")
		s.ask()
		for range 3 {
			text := strings.Join(strings.Fields(strings.ReplaceAll(s.View().Content, "┃", "")), " ")
			if !containsAll(text, "billing.refund.issue", "MUTATES", "HIGH RISK", "! It cannot be taken back.", "━━") {
				t.Errorf("%v: the box is\n%s", size, s.View().Content)
			}
			s.keys("pgdown")
		}
	}
	s := newScreen(t, 80, 24)
	s.keys("f()", "enter")
	s.ask(func(r *session.Request) {
		low := *r.Entry
		low.Risk, low.Description = catalog.Low, "Write a note."
		r.Entry = &low
	})
	if text := s.View().Content; !strings.Contains(text, "mutates · low risk") ||
		strings.Contains(text, "━") || strings.Contains(text, "!") {
		t.Errorf("low risk looks like this:\n%s", text)
	}
}

// Arguments that the box has no room for are printed whole above it, and it says so.
func TestApprovalOfTallArguments(t *testing.T) {
	s := newScreen(t, 40, smallHeight)
	s.keys("f()", "enter")
	s.ask()
	if box := s.View().Content; !strings.Contains(box, "printed above; PgUp PgDn") {
		t.Errorf("the box does not say how to read on:\n%s", box)
	}
	if len(s.printed) == 0 || !strings.Contains(strings.Join(s.printed, "\n"), `invoice_id = "inv_1001"`) {
		t.Errorf("printed %q", s.printed)
	}
	s = newScreen(t, 80, 24)
	s.keys("f()", "enter")
	s.ask()
	if len(s.printed) != 0 {
		t.Errorf("printed %q although the box shows it", s.printed)
	}
}

// A window that becomes too small for the box has its text above, and y waits for that.
func TestApprovalInAWindowThatShrinks(t *testing.T) {
	for _, size := range []struct{ width, height int }{{40, 8}, {20, 8}, {20, 24}} {
		s := newScreen(t, 80, 24)
		s.keys("f()", "enter")
		answer := s.ask()
		s.pass(time.Second)
		if len(s.printed) > 0 {
			t.Fatalf("printed %q although the box shows it", s.printed)
		}
		s.Update(tea.WindowSizeMsg{Width: size.width, Height: size.height}) // and nothing is printed yet
		s.clock = s.clock.Add(time.Second)
		s.asks[0].quiet = quietTime
		s.Update(tea.KeyPressMsg{Code: 'y', Text: "y"})
		if s.asks[0].held != "" {
			t.Errorf("%v: y was taken before all could be read", size)
		}
		s.pass(time.Second)
		text := strings.Join(strings.Fields(strings.NewReplacer("┃", "", "\n", " ").Replace(strings.Join(s.printed, " "))),
			" ")
		if !containsAll(text, "billing.refund.issue", `invoice_id = "inv_1001"`, "duplicate", "asked by") {
			t.Errorf("%v: printed %q", size, s.printed)
		}
		s.keys("y", "pause")
		if len(answer) == 0 {
			t.Errorf("%v: y was not taken", size)
		}
	}
}

// A window that changes within the silence behind a y does not lose it, unless the question has no room any more: then
// that is said.
func TestResizeKeepsTheAnswer(t *testing.T) {
	for _, c := range []struct {
		width, height int
		taken         bool
	}{{100, 30, true}, {60, 20, true}, {80, 23, true}, {80, 40, true}, {20, 6, false}} {
		s := newScreen(t, 80, 24)
		s.keys("f()", "enter")
		answer := s.ask()
		s.keys("pause", "y")
		s.pass(deafTime)
		s.send(tea.WindowSizeMsg{Width: c.width, Height: c.height})
		s.pass(deafTime - frameTime)
		if len(answer) > 0 {
			t.Errorf("%v: taken before the box could be read anew", c)
		}
		s.keys("pause")
		if taken := len(answer) > 0; taken != c.taken {
			t.Errorf("%v: y was taken: %v", c, taken)
		}
		if !c.taken && !strings.Contains(s.notice, "y was not taken: the window is too small") {
			t.Errorf("%v: nothing says that y was dropped: %q", c, s.notice)
		}
		s.send(tea.WindowSizeMsg{Width: 80, Height: 24})
		if s.keys("pause"); !c.taken && len(answer) > 0 {
			t.Error("a y that was dropped came back with the window")
		}
	}
}

// While a question waits for a key the terminal's cursor stays in front of the region: a window that shrinks then
// leaves nothing of the box above it, as TestRedrawLeavesNothing has it.
func TestBoxKeepsTheCursorInFront(t *testing.T) {
	s := newScreen(t, 80, 24)
	s.keys("f()", "enter")
	s.ask()
	for _, key := range []string{"pause", "a", "pause", "pause", "1", "esc", "pause", "e", "pause"} {
		s.keys(key)
		if p := s.model.picture(); !p.busy {
			t.Errorf("after %s the cursor is in the box", key)
		}
	}
	if p := s.model.picture(); p.cursor == nil {
		t.Error("the arguments have no cursor")
	}
}

// Where the id and the risk have no room nothing is allowed, and the box says why; n and Esc deny.
func TestApprovalInATinyWindow(t *testing.T) {
	for _, size := range []struct{ width, height int }{{20, 6}, {20, 5}, {20, 3}, {10, 3}} {
		for _, deny := range [][]string{{"n", "pause", "esc"}, {"esc", "esc"}} {
			s := newScreen(t, size.width, size.height)
			s.keys("f()", "enter")
			answer := s.ask()
			for _, key := range []string{"y", "a", "e"} {
				s.keys("pause", key, "enter", "pause", "enter", "pause")
				if len(answer) > 0 || len(s.asks) != 1 || s.asks[0].stage != deciding {
					t.Fatalf("%v: %s was an answer:\n%s", size, key, s.View().Content)
				}
			}
			if len(s.printed) > 0 {
				t.Errorf("%v: printed for good: %q", size, s.printed)
			}
			if box := s.View().Content; !containsAll(box, "too small") ||
				size.height > 3 && !containsAll(box, "enlarge it, or n") {
				t.Errorf("%v: the box does not say why:\n%s", size, box)
			}
			s.keys(deny...)
			if got := answered(t, answer); got.Verdict != session.Refuse {
				t.Errorf("%v: %q gave %v", size, deny, got)
			}
		}
	}
	// In one that shrinks, what is held is not taken and edited arguments allow nothing, until it is large again.
	for _, key := range []string{"y", "e"} {
		s := newScreen(t, 80, 24)
		s.keys("f()", "enter")
		answer := s.ask()
		s.keys("pause", key)
		if key == "e" {
			s.keys("pause")
		}
		s.send(tea.WindowSizeMsg{Width: 20, Height: 6})
		s.keys("pause", "enter", "pause")
		if len(answer) > 0 {
			t.Errorf("%s: what cannot be seen was allowed", key)
		}
		s.send(tea.WindowSizeMsg{Width: 80, Height: 24})
		s.keys("pause", "y", "enter")
		if key == "e" {
			s.keys("backspace", "enter")
		}
		if got := answered(t, answer); got.Verdict != session.Once {
			t.Errorf("%s: in the large window it gave %v", key, got)
		}
	}
}

// A question that arrives after the interrupt is refused at once; nobody would answer it.
func TestApprovalAfterInterrupt(t *testing.T) {
	s := newScreen(t, 80, 24)
	s.keys("f()", "enter", "esc")
	if got := answered(t, s.ask()); got.Verdict != session.Refuse {
		t.Errorf("got %v", got)
	}
}
