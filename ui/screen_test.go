package ui

import (
	"context"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"almanac/catalog"
	"almanac/internal/golden"
	"almanac/llm"
	"almanac/llm/tools"
	"almanac/repl"
	"almanac/repl/event"
	"almanac/repl/input"
	"almanac/session"
	"almanac/session/kernel"
)

// This file holds the screen that the tests drive: a real model over a real shell and feed, with a clock that the
// test moves and a transcript in the place of the terminal's scrollback.

func TestMain(m *testing.M) {
	if kernel.Main() {
		return
	}
	if os.Getenv(programEnv) != "" {
		os.Exit(program())
	}
	os.Exit(m.Run())
}

// shared is one session for all tests of this package: none of them runs Lua in it but the end-to-end ones, which
// have their own.
var shared = sync.OnceValues(func() (*session.Session, error) {
	c, report := catalog.New(testEntries(), catalog.Options{})
	if len(report.Skipped) > 0 {
		return nil, fmt.Errorf("catalog: %v", report.Skipped)
	}
	return session.New(c.View(), session.Options{ID: "test"})
})

func testEntries() []catalog.Entry {
	return []catalog.Entry{{
		ID: "billing.refund.issue", Description: "Pay money back to a customer. It cannot be taken back.",
		Operation: catalog.Create, Entities: []string{"refund"}, Mutates: true, Risk: catalog.High,
		Input: catalog.MustSchema(`{"type":"object","required":["invoice_id","amount_cents"],"additionalProperties":false,
			"properties":{"invoice_id":{"type":"string","description":"Which invoice"},
			"amount_cents":{"type":"integer"},"reason":{"type":"string"}}}`),
		Action: func(context.Context, catalog.Call) (catalog.Result, error) {
			return catalog.Result{Data: map[string]any{"refunded": true}}, nil
		},
	}, {
		ID: "crm.customer.search", Description: "Find customers.", Operation: catalog.Read,
		Input: catalog.MustSchema(`{"type":"object","properties":{"query":{"type":"string"},"limit":{"type":"integer"}}}`),
		Action: func(context.Context, catalog.Call) (catalog.Result, error) {
			return catalog.Result{Data: []any{map[string]any{"id": "cus_0001"}}}, nil
		},
	}}
}

// A screen is a model under test.
type screen struct {
	t *testing.T
	*model
	clock   time.Time
	printed []string
}

func newScreen(t *testing.T, width, height int) *screen {
	t.Helper()
	s, err := shared()
	if err != nil {
		t.Fatal(err)
	}
	mode := input.LuaMode
	sh := repl.New(repl.Options{Session: s, History: input.OpenHistory("", "test"), Mode: &mode})
	return screenOf(t, sh, width, height)
}

// screenOf is a screen over a shell of the test's own.
func screenOf(t *testing.T, sh *repl.Shell, width, height int) *screen {
	t.Helper()
	sc := &screen{t: t, clock: time.Unix(1_700_000_000, 0)}
	sc.model = newModel(t.Context(), sh, Options{NoColor: true})
	sc.model.now = func() time.Time { return sc.clock }
	sc.model.handle = func(context.Context, input.Mode, string) repl.Status { return repl.Done }
	sc.Init()
	sc.send(tea.WindowSizeMsg{Width: width, Height: height})
	sc.pass(time.Second)
	return sc
}

// send gives the model a message, draws, and lets all prints that it began end.
func (s *screen) send(msg tea.Msg) {
	s.t.Helper()
	s.Update(msg)
	s.View()
	for s.scroll.sending {
		s.printed, s.chunk = append(s.printed, s.chunk...), nil
		s.Update(printedMsg{})
		s.View()
	}
}

// pass moves the clock and looks at the feed; while a question waits, as often as silence needs to be counted whole.
func (s *screen) pass(d time.Duration) {
	for ; d > 2*frameTime && len(s.asks) > 0; d -= 2 * frameTime {
		s.clock = s.clock.Add(2 * frameTime)
		s.send(tickMsg{})
	}
	s.clock = s.clock.Add(d)
	s.send(tickMsg{})
}

// keys presses keys: names such as "enter" and "ctrl+c", "pause" for a second without any, and any other text letter by
// letter.
func (s *screen) keys(names ...string) {
	s.t.Helper()
	for _, name := range names {
		if name == "pause" || name == "beat" { // of somebody who waits, or who types
			s.pass(map[string]time.Duration{"pause": time.Second, "beat": 50 * time.Millisecond}[name])
			continue
		}
		if k, ok := keyNamed(name); ok {
			s.clock = s.clock.Add(burstTime) // a key of its own, not part of a paste
			s.send(k)
			continue
		}
		s.types(name, 0)
	}
}

// types sends text letter by letter, a line end as Enter, and lets some time pass after each: none is one write.
func (s *screen) types(text string, gap time.Duration) {
	s.t.Helper()
	for _, r := range text {
		k := tea.KeyPressMsg{Code: r, Text: string(r)}
		if r == '\n' {
			k = tea.KeyPressMsg{Code: tea.KeyEnter}
		}
		s.send(k)
		if gap > 0 {
			s.pass(gap)
		}
	}
}

func keyNamed(name string) (tea.KeyPressMsg, bool) {
	codes := map[string]rune{
		"enter": tea.KeyEnter, "esc": tea.KeyEscape, "tab": tea.KeyTab, "up": tea.KeyUp, "down": tea.KeyDown,
		"left": tea.KeyLeft, "right": tea.KeyRight, "backspace": tea.KeyBackspace, "delete": tea.KeyDelete,
		"home": tea.KeyHome, "end": tea.KeyEnd, "f1": tea.KeyF1, "f5": tea.KeyF5,
		"f2": tea.KeyF2, "f3": tea.KeyF3, "f4": tea.KeyF4, "f6": tea.KeyF6, "f9": tea.KeyF9, "f10": tea.KeyF10,
		"pgup": tea.KeyPgUp, "pgdown": tea.KeyPgDown,
	}
	var mod tea.KeyMod
	base := name
	for prefix, m := range map[string]tea.KeyMod{"ctrl+": tea.ModCtrl, "alt+": tea.ModAlt, "shift+": tea.ModShift} {
		if rest, ok := strings.CutPrefix(base, prefix); ok {
			base, mod = rest, mod|m
		}
	}
	if code, ok := codes[base]; ok {
		return tea.KeyPressMsg{Code: code, Mod: mod}, true
	}
	if mod != 0 && len(base) == 1 {
		return tea.KeyPressMsg{Code: rune(base[0]), Mod: mod}, true
	}
	return tea.KeyPressMsg{}, false
}

// settle runs what a pane asked to be worked out beside the loop.
func (s *screen) settle(cmd tea.Cmd) {
	s.t.Helper()
	runPaneCommands(cmd)
	s.stale = true
}

// open shows a pane as its F-key does.
func (s *screen) open(kind event.Pane) {
	s.t.Helper()
	s.settle(s.openPane(kind))
	s.pass(time.Second)
}

// paneKeys presses keys in an open pane and waits for what they ask for.
func (s *screen) paneKeys(names ...string) {
	s.t.Helper()
	for _, name := range names {
		if k, ok := keyNamed(name); ok {
			s.settle(s.press(k))
			continue
		}
		for _, r := range name {
			s.settle(s.press(tea.KeyPressMsg{Code: r, Text: string(r)}))
		}
	}
	s.pass(time.Second)
}

// observe is what the conversation tells to the feed.
func (s *screen) observe(e llm.Event) {
	s.feed.Conversation(s.shell.Session(), tools.Options{}, llm.Options{}).Observe(e)
}

// emit puts events into the feed and lets the tick find them.
func (s *screen) emit(events ...event.Event) {
	s.t.Helper()
	for _, e := range events {
		s.feed.Emit(e)
	}
	s.pass(frameTime)
}

// ask puts a question on the screen and returns where its answer arrives.
func (s *screen) ask(changes ...func(*session.Request)) <-chan session.Approval {
	s.t.Helper()
	e, err := s.shell.Session().View().Resolve("billing.refund.issue")
	if err != nil {
		s.t.Fatal(err)
	}
	answer := make(chan session.Approval, 1)
	r := session.Request{
		Entry: e, Author: session.Model, Cell: 9, N: 2, Line: 3, Reason: "mutations need approval",
		Source: "local all = billing.invoice.list{}\nfor _, i in ipairs(all) do\n\tbilling.refund.issue{invoice_id = i.id, amount_cents = i.amount_cents, reason = 'duplicate'}\nend\n",
		Args:   map[string]any{"invoice_id": "inv_1001", "amount_cents": int64(12900), "reason": "duplicate"},
	}
	for _, change := range changes {
		change(&r)
	}
	s.emit(event.Event{Kind: event.Asked, Cell: 9, Author: r.Author, Ask: &event.Ask{Answer: answer, Request: r}})
	return answer
}

// answered returns the answer that was given, and fails when there is none.
func answered(t *testing.T, answer <-chan session.Approval) session.Approval {
	t.Helper()
	select {
	case a := <-answer:
		return a
	default:
		t.Fatal("the question was not answered")
		return session.Approval{}
	}
}

// picture is the screen as text: what was printed, then the live region with the cursor's place.
func (s *screen) picture() string {
	s.t.Helper()
	v := s.View()
	rows := strings.Split(v.Content, "\n")
	var b strings.Builder
	for _, line := range s.printed {
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
	where := "no cursor"
	if v.Cursor != nil {
		where = fmt.Sprintf("cursor %d,%d", v.Cursor.X, v.Cursor.Y)
	}
	if v.AltScreen {
		where += ", alternate screen"
	}
	fmt.Fprintf(&b, "== %dx%d, %d rows, %s\n", s.width, s.height, len(rows), where)
	for _, row := range rows {
		b.WriteString(strings.TrimRight(row, " ") + "\n")
	}
	return b.String()
}

// golden compares the picture with a file.
func (s *screen) golden(name string) {
	s.t.Helper()
	golden.Equal(s.t, "testdata/"+name+".golden", s.picture())
}
