package ui

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"almanac/repl"
	"almanac/repl/event"
	"almanac/repl/input"
)

func TestCompletion(t *testing.T) {
	items := []repl.Completion{{Text: "list_unpaid"}, {Text: "list_all"}}
	s := newScreen(t, 80, 24)
	s.keys("billing.invoice.l")
	s.send(completedMsg{
		version: s.edit.version, pos: s.edit.pos, list: repl.Completions{Start: 16, End: 17, Items: items},
	})
	if s.edit.text != "billing.invoice.list_" || s.menu == nil {
		t.Fatalf("common part: got %q", s.edit.text)
	}
	s.keys("tab", "enter")
	if s.edit.text != "billing.invoice.list_all" || s.menu != nil || s.work != nil {
		t.Errorf("got %s", s.state())
	}
	s.send(completedMsg{
		version: s.edit.version - 1, pos: s.edit.pos, list: repl.Completions{Start: 0, End: 3, Items: items[:1]},
	})
	if s.edit.text != "billing.invoice.list_all" {
		t.Errorf("an old answer was taken: %q", s.edit.text)
	}
}

// Where the window has no room for the menu there is none, and Enter runs the input.
func TestCompletionInSmallWindows(t *testing.T) {
	items := []repl.Completion{{Text: "print"}, {Text: "prune"}}
	for _, c := range []struct {
		height int
		input  string
		want   string
	}{
		{9, "pr", `"prune"`}, {4, "pr", `"prune"`}, {3, "pr", `"" running`}, {24, "pr", `"prune"`},
	} {
		s := newScreen(t, 40, c.height)
		s.keys(c.input)
		s.send(completedMsg{version: s.edit.version, pos: s.edit.pos, list: repl.Completions{End: 2, Items: items}})
		if shown := strings.Contains(s.View().Content, "print"); shown != (c.height > 3) {
			t.Errorf("%d rows: the menu is drawn: %v", c.height, shown)
		}
		s.keys("down", "enter")
		if got := s.state(); got != c.want {
			t.Errorf("%d rows: Enter gives %s, want %s", c.height, got, c.want)
		}
	}
}

// What is typed narrows an open menu; a name behind an @ opens one by itself, but not in the middle of a word.
func TestMenuNarrows(t *testing.T) {
	s := newScreen(t, 80, 24)
	for _, c := range []struct {
		text, key  string
		open, want bool
	}{
		{"x = bil", "l", true, true},
		{"x = bil", "l", false, false},
		{"x = billing.", ".", true, true},
		{"f(x) ", " ", true, false},
		{"x", "backspace", true, true},
		{"@", "@", false, true},
		{"look at @re", "e", false, true},
		{"f(@re", "e", false, true},
		{"bob@acme", "e", false, false},
		{"@a b", "b", false, false},
	} {
		s.edit.set(c.text)
		text := c.key
		if len(text) > 1 {
			text = ""
		}
		if got := s.narrows(c.key, text, c.open); got != c.want {
			t.Errorf("%q after %s, menu open %v: %v", c.text, c.key, c.open, got)
		}
	}
	items := []repl.Completion{{Text: "crm.customer.search"}}
	s.edit.set("@cust")
	s.send(completedMsg{
		version: s.edit.version, pos: 5, list: repl.Completions{Start: 0, End: 5, Items: items}, quiet: true,
	})
	if s.edit.text != "@cust" || s.menu == nil {
		t.Fatalf("a lone hit while typing: %q", s.edit.text)
	}
	s.keys("enter")
	if s.edit.text != "crm.customer.search" || s.menu != nil || s.work != nil {
		t.Errorf("Enter: %s", s.state())
	}
}

// What was found by words is not lost to a beginning that all hits share.
func TestCompletionKeepsWords(t *testing.T) {
	s := newScreen(t, 80, 24)
	s.keys("unpaid")
	items := []repl.Completion{{Text: "billing.invoice.list_unpaid"}, {Text: "billing.bill.unpaid"}}
	s.send(completedMsg{version: s.edit.version, pos: s.edit.pos, list: repl.Completions{Start: 0, End: 6, Items: items}})
	if s.edit.text != "unpaid" || s.menu == nil {
		t.Errorf("got %q", s.edit.text)
	}
}

// The hits of a search are offered below an empty input: Enter inserts a call, typing and Up go on without.
func TestOffer(t *testing.T) {
	hits := []event.Hit{{ID: "crm.customer.search", Tag: "R"}, {ID: "billing.refund.issue", Tag: "!"}}
	for _, c := range []struct {
		keys []string
		want string
	}{
		{[]string{"enter"}, `"crm.customer.search{}"`},
		{[]string{"down", "enter"}, `"billing.refund.issue{invoice_id = , amount_cents = }"`},
		{[]string{"down", "up", "up"}, `"earlier"`},
		{[]string{"x"}, `"x"`},
		{[]string{"esc", "enter"}, `""`},
	} {
		s := newScreen(t, 80, 24)
		s.history.Add("earlier", input.LuaMode)
		s.emit(event.Event{Kind: event.Found, Hits: hits, Total: 2})
		if s.menu == nil {
			t.Fatal("nothing is offered")
		}
		s.keys(c.keys...)
		if got := s.state(); got != c.want {
			t.Errorf("%v: got %s, want %s", c.keys, got, c.want)
		}
	}
	s := newScreen(t, 80, 24)
	s.keys("x")
	if s.emit(event.Event{Kind: event.Found, Hits: hits, Total: 2}); s.menu != nil {
		t.Error("hits are offered below an input that is being typed")
	}
}

// Tab goes on behind a lone namespace: one press shows the actions.
func TestTabGoesOn(t *testing.T) {
	s := screenOf(t, lived(t), 80, 24)
	s.keys("x = crm.no")
	msg := s.complete()()
	cmd := s.completed(msg.(completedMsg))
	if s.edit.text != "x = crm.note." || cmd == nil {
		t.Fatalf("the input is %q", s.edit.text)
	}
	if s.completed(cmd().(completedMsg)); s.menu == nil || len(s.menu.list.Items) < 12 {
		t.Error("the menu did not open")
	}
}

// A menu opens on / by itself and narrows; Enter runs what was typed until a key has chosen, Tab completes.
func TestCommandMenu(t *testing.T) {
	typed := func(s *screen, text string) {
		for _, r := range text {
			s.clock = s.clock.Add(burstTime)
			k := tea.KeyPressMsg{Code: r, Text: string(r)}
			s.settleCompletion(s.press(k))
		}
	}
	for _, c := range []struct {
		keys []string
		want string
	}{
		{[]string{"enter"}, `"" running`},
		{[]string{"down", "enter"}, `"/policy"`},
		{[]string{"down", "down", "enter"}, `"/policy allow"`},
		{[]string{"esc", "enter"}, `"" running`},
		{[]string{"tab"}, `"/policy"`},
	} {
		s := newScreen(t, 80, 24)
		typed(s, "/pol")
		if s.menu == nil || s.menu.at != -1 || !containsAll(s.View().Content, "  policy allow", "  policy revoke") ||
			strings.Contains(s.View().Content, "  preview") {
			t.Fatalf("no menu:\n%s", s.View().Content)
		}
		for _, key := range c.keys {
			k, _ := keyNamed(key)
			s.clock = s.clock.Add(burstTime)
			s.settleCompletion(s.press(k))
		}
		if got := s.state(); got != c.want {
			t.Errorf("%v: %s, want %s", c.keys, got, c.want)
		}
	}
	s := newScreen(t, 80, 24)
	s.history.Add("earlier", input.LuaMode)
	typed(s, "/")
	if s.menu == nil || len(s.menu.list.Items) < 10 {
		t.Error("/ opens no menu")
	}
	if typed(s, "zzz"); s.menu != nil {
		t.Error("a menu of nothing")
	}
	s.edit.set("")
	for _, r := range "/policy" { // as fast as a paste
		s.press(tea.KeyPressMsg{Code: r, Text: string(r)})
	}
	if s.menu != nil {
		t.Error("a paste opens a menu")
	}
}

// settleCompletion lets what a key asked for beside the loop come in.
func (s *screen) settleCompletion(cmd tea.Cmd) {
	if cmd == nil {
		return
	}
	switch msg := cmd().(type) {
	case tea.BatchMsg:
		for _, c := range msg {
			s.settleCompletion(c)
		}
	case completedMsg:
		s.settleCompletion(s.completed(msg))
		s.stale = true
		s.View()
	}
}

// A call that is inserted into an empty question can be run with Enter; within a question it is words.
func TestInsertedCallRuns(t *testing.T) {
	for _, c := range []struct {
		mode         input.Mode
		before, want string
	}{
		{input.LuaMode, "", "crm.customer.search{"}, {input.AskMode, "", "!crm.customer.search{"},
		{input.AskMode, "what does ", "what does crm.customer.search{"},
	} {
		s := newScreen(t, 80, 24)
		s.shell.SetMode(c.mode)
		s.standing()
		s.edit.set(c.before)
		s.insertCall("crm.customer.search")
		if got := s.edit.text; !strings.HasPrefix(got, c.want) {
			t.Errorf("%v, %q: %q", c.mode, c.before, got)
		}
	}
}
