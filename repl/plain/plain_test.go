package plain

import (
	"context"
	"io"
	"os"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"almanac/catalog"
	"almanac/internal/golden"
	"almanac/repl"
	"almanac/repl/event"
	"almanac/repl/show"
	"almanac/session"
	"almanac/session/kernel"
	"almanac/session/policy"
	"almanac/session/vm"
)

func TestMain(m *testing.M) {
	if kernel.Main() {
		return
	}
	os.Exit(m.Run())
}

// An office remembers what was changed in it.
type office struct {
	mu   sync.Mutex
	acts []string
}

func newShell(t *testing.T, p policy.Policy) (*repl.Shell, *office) {
	t.Helper()
	return newLimitedShell(t, p, vm.Limits{})
}

// newLimitedShell is a shell over a real session with one action that reads and one that writes.
func newLimitedShell(t *testing.T, p policy.Policy, l vm.Limits) (*repl.Shell, *office) {
	t.Helper()
	back := &office{}
	c, report := catalog.New([]catalog.Entry{{
		ID: "billing.refund.issue", Description: "Issue a refund for an invoice.", Mutates: true, Risk: catalog.High,
		Operation: catalog.Create,
		Input:     catalog.MustSchema(`{"type":"object","properties":{"invoice_id":{"type":"string"},"amount_cents":{"type":"integer"}},"required":["invoice_id","amount_cents"]}`),
		Action: func(_ context.Context, c catalog.Call) (catalog.Result, error) {
			back.mu.Lock()
			defer back.mu.Unlock()
			back.acts = append(back.acts, c.ID+" "+show.LuaText(c.Args, 0))
			return catalog.Result{Data: map[string]any{"refund_id": "ref_1"}}, nil
		},
	}, {
		ID: "crm.customer.get", Description: "Get a customer.",
		Input: catalog.MustSchema(`{"type":"object","properties":{"id":{"type":"string"}}}`),
		Action: func(_ context.Context, c catalog.Call) (catalog.Result, error) {
			return catalog.Result{Data: map[string]any{"id": c.Args["id"], "name": "Acme Corp"}}, nil
		},
	}}, catalog.Options{})
	if len(report.Skipped) > 0 {
		t.Fatal(report.Skipped)
	}
	feed := event.NewFeed()
	s, err := session.New(c.View(), feed.Session(session.Options{ID: "test", Policy: p, UserLimits: l}, true))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return repl.New(repl.Options{Session: s, Feed: feed}), back
}

func plainly(t *testing.T, sh *repl.Shell, input string) string {
	t.Helper()
	var out strings.Builder
	in := Read(strings.NewReader(input))
	defer in.Close()
	if err := Run(t.Context(), sh, in, &out, Options{Width: 80}); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// The prompts run into what is typed on a terminal; here, where nothing is echoed, into what is printed.
func TestPlain(t *testing.T) {
	sh, back := newShell(t, policy.Policy{Mode: policy.Ask})
	got := plainly(t, sh, strings.Join([]string{
		"1+1",
		"for i = 1, 2 do",
		"print(i)",
		"end",
		"io.write('\\27[2Jno newline')",
		"billing.refund.issue{invoice_id = 'i', amount_cents = 1}",
		"maybe",
		"?",
		"e",
		"yes",
		"e",
		"{ invoice_id = 'i', amount_cents = 2.5 }",
		"e",
		"{ invoice_id = 'i', amount_cents = 2 }",
		"billing.refund.issue{invoice_id = 'i', amount_cents = 3}",
		"n too much",
		"for i = ",
	}, "\n"))
	got = regexp.MustCompile(`<?\d+(\.\d+)? m?s\b`).ReplaceAllString(got, "N ms")
	golden.Equal(t, "testdata/plain.golden", got)
	if strings.Contains(got, "\x1b") || strings.Contains(got, "\r") {
		t.Errorf("an escape in %q", got)
	}
	if acts := strings.Join(back.acts, "\n"); acts != "billing.refund.issue { amount_cents = 2, invoice_id = \"i\" }" {
		t.Errorf("the back office was told:\n%s", acts)
	}
}

func TestPlainQuits(t *testing.T) {
	sh, _ := newShell(t, policy.Policy{})
	if got := plainly(t, sh, "/quit\n1+1\n"); strings.Contains(got, "2") {
		t.Errorf("went on after /quit: %q", got)
	}
}

// The end of the input denies what is asked.
func TestPlainDeniesAtEnd(t *testing.T) {
	sh, back := newShell(t, policy.Policy{Mode: policy.Ask})
	got := plainly(t, sh, "billing.refund.issue{invoice_id = 'i', amount_cents = 1}\n")
	if !strings.Contains(got, "denied") || len(back.acts) > 0 {
		t.Errorf("got %q, %v", got, back.acts)
	}
}

// A watched writer tells when it has been given some text.
type watched struct {
	mu   sync.Mutex
	text strings.Builder
	seen chan struct{}
}

func (w *watched) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.text.Write(p)
	select {
	case w.seen <- struct{}{}:
	default:
	}
	return len(p), nil
}

func (w *watched) wait(t *testing.T, text string) {
	t.Helper()
	timeout := time.After(10 * time.Second)
	for {
		w.mu.Lock()
		all := w.text.String()
		w.mu.Unlock()
		if strings.Contains(all, text) {
			return
		}
		select {
		case <-w.seen:
		case <-timeout:
			t.Fatalf("no %q in %q", text, all)
		}
	}
}

// Where what is printed goes to a file, prompts and questions go to the person; each failure is told.
func TestPlainQuestions(t *testing.T) {
	sh, _ := newShell(t, policy.Policy{Mode: policy.Ask})
	in := Read(strings.NewReader("1+1\nbilling.refund.issue{invoice_id=\"inv_1001\", amount_cents=1}\ny\nerror('no')\n"))
	defer in.Close()
	var out, questions strings.Builder
	var failed []string
	o := Options{Width: 80, Questions: &questions, Failed: func(err error) { failed = append(failed, err.Error()) }}
	if err := Run(t.Context(), sh, in, &out, o); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(questions.String(), "approve? billing.refund.issue") ||
		!strings.Contains(questions.String(), "lua ❯ ") {
		t.Errorf("asked %q", questions.String())
	}
	if strings.Contains(out.String(), "approve?") || strings.Contains(out.String(), "❯") ||
		!strings.Contains(out.String(), "2\n") {
		t.Errorf("printed %q", out.String())
	}
	if len(failed) != 1 || !strings.Contains(failed[0], "no") {
		t.Errorf("failed: %q", failed)
	}
}

// Ctrl+C stops a script and keeps the session; twice with nothing typed it leaves.
func TestPlainInterrupt(t *testing.T) {
	sh, _ := newLimitedShell(t, policy.Policy{}, vm.Limits{Steps: 1 << 50, Time: time.Minute})
	interrupt := make(chan os.Signal)
	in, input := io.Pipe()
	out := &watched{seen: make(chan struct{}, 1)}
	left := make(chan error, 1)
	go func() {
		left <- Run(context.Background(), sh, Read(in), out, Options{Interrupt: interrupt})
	}()
	io.WriteString(input, "x = 41; y = x\n")
	out.wait(t, "you set")
	io.WriteString(input, "print('begun'); while true do pcall(function() while true do x = x + 1 end end) end\n")
	out.wait(t, "begun")
	interrupt <- os.Interrupt
	out.wait(t, "interrupted")
	io.WriteString(input, "x == y\n")
	out.wait(t, "true\nlua ❯ ")
	io.WriteString(input, "for i = 1, 2 do\n")
	out.wait(t, ".. ")
	interrupt <- os.Interrupt
	io.WriteString(input, "'usable'\n")
	out.wait(t, "\"usable\"\nlua ❯ ")
	interrupt <- os.Interrupt
	out.wait(t, "press Ctrl+C again to exit")
	interrupt <- os.Interrupt
	if err := <-left; err != nil {
		t.Error(err)
	}
	input.Close()
}

// Only an answer alone on its line answers; what may do great damage is allowed for the session only when that is said
// twice.
func TestPlainAnswers(t *testing.T) {
	sh, back := newShell(t, policy.Policy{Mode: policy.Ask})
	got := plainly(t, sh, strings.Join([]string{
		"for i = 1, 2 do billing.refund.issue{invoice_id = 'i', amount_cents = i} end",
		"/trace", "/allow", "/policy", "yes please", "a b", "away", "a lot", "", "v", "a", "a", "a", "y", "a", "1 x", "a",
		"session", "a", "0", "a", "4", "a", "", "a", "-1", "a", "3", "y", "a", "3", "session",
		"billing.refund.issue{invoice_id = 'i', amount_cents = 3}",
	}, "\n"))
	if n := strings.Count(got, "not an answer"); n != 8 {
		t.Errorf("%d lines were no answers, want 8:\n%s", n, got)
	}
	if n := strings.Count(got, "no answer: the question is still open\n"); n != 9 {
		t.Errorf("%d grants were not said twice, want 9:\n%s", n, got)
	}
	if n := strings.Count(got, "approve? billing.refund.issue"); n != 1 {
		t.Errorf("asked %d times, want 1:\n%s", n, got)
	}
	if !strings.Contains(got, "> 1 ┊ for i = 1, 2 do billing.refund.issue{") {
		t.Errorf("v does not show the script:\n%s", got)
	}
	if len(back.acts) != 3 {
		t.Errorf("the back office was told %v", back.acts)
	}
}

// A grant in the line mode covers what its number said, no more.
func TestPlainScopes(t *testing.T) {
	for _, c := range []struct{ answers, made, grant string }{
		{"a\n1\nn", "2 2 ", "billing.refund.issue only amount_cents = 2, invoice_id = \"i\""},
		{"a\n2\nn", "2 2 1 ", "billing.refund.issue 0 <= amount_cents <= 2"},
		{"a\n3\nsession", "2 2 1 3 ", "billing.refund.issue"},
	} {
		sh, back := newShell(t, policy.Policy{Mode: policy.Ask})
		got := plainly(t, sh,
			"for _, n in ipairs{2, 2, 1, 3} do pcall(billing.refund.issue, {invoice_id = 'i', amount_cents = n}) end\n"+
				c.answers+"\nn\nn\n/policy\n")
		made := ""
		for _, act := range back.acts {
			made += regexp.MustCompile(`amount_cents = (\d)`).FindStringSubmatch(act)[1] + " "
		}
		for _, want := range []string{"  1 exactly these arguments", "  2 amount_cents 0..2; other arguments free",
			"  3 any arguments", "  1  " + c.grant + "\n"} {
			if made != c.made || !strings.Contains(got, want) {
				t.Errorf("%q: made %s, want %q in\n%s", c.answers, made, want, got)
			}
		}
	}
}

// At its limit a run of one's own asks; only a yes goes on, with as many again.
func TestPlainGoesOn(t *testing.T) {
	for _, c := range []struct {
		answers string
		want    []string
	}{
		{"y\nyes", []string{"go on? [1]   3 action calls used", "y goes on with 3 more.",
			"go on? [1]   6 action calls used", "7 made"}},
		{"y\nn", []string{"6 action calls used", "the run has used all 6 action calls", "hint: /limits calls 12 "}},
		{"v\n/quit", []string{"> 1 ┊ for i = 1, 7 do", "the run has used all 3 action calls"}},
		{"", []string{"the run has used all 3 action calls"}},
		{"session", []string{"the run has used all 3 action calls"}},
	} {
		sh, _ := newShell(t, policy.Policy{})
		got := plainly(t, sh,
			"/limits calls 3\nfor i = 1, 7 do crm.customer.get{id = '1'} end print('7 made')\n"+c.answers+"\n")
		if !strings.Contains(got, "your runs, from the next on: 3 calls, 200 mutations") {
			t.Errorf("the limit is not told:\n%s", got)
		}
		for _, want := range c.want {
			if !strings.Contains(got, want) {
				t.Errorf("%q: no %q in\n%s", c.answers, want, got)
			}
		}
		if made := strings.Contains(got, "\n7 made"); made != (c.answers == "y\nyes") {
			t.Errorf("%q: went on %v:\n%s", c.answers, made, got)
		}
	}
}

// What was typed before the question could be read is the next input.
func TestPlainTypedAhead(t *testing.T) {
	sh, back := newShell(t, policy.Policy{Mode: policy.Ask})
	in := Read(strings.NewReader("billing.refund.issue{invoice_id = 'i', amount_cents = 1}\ny\na\n"))
	defer in.Close()
	var out strings.Builder
	if err := Run(t.Context(), sh, in, &out, Options{Grace: time.Minute}); err != nil {
		t.Fatal(err)
	}
	if got := out.String(); len(back.acts) > 0 || strings.Count(got, "kept for later") != 2 ||
		strings.Count(got, "nil\n") != 2 {
		t.Errorf("made %v:\n%s", back.acts, got)
	}
}

// What follows an answer as fast as a paste is not the second step of a grant, nor the arguments of an edit.
func TestPlainPastes(t *testing.T) {
	const grace = 500 * time.Millisecond
	for _, c := range []struct {
		paste, second string
		grants        bool
	}{
		{"a\n1\n", "", false},
		{"a\n3\nsession\n", "", false},
		{"e\n{ invoice_id = 'i', amount_cents = 2 }\n", "", false},
		{"a\n", "1\n", true},
	} {
		sh, back := newShell(t, policy.Policy{Mode: policy.Ask})
		in, input := io.Pipe()
		typing := Read(in)
		out := &watched{seen: make(chan struct{}, 1)}
		left := make(chan error, 1)
		go func() { left <- Run(t.Context(), sh, typing, out, Options{Grace: grace}) }()
		io.WriteString(input, "billing.refund.issue{invoice_id = 'i', amount_cents = 1}\n")
		out.wait(t, "? for details: ")
		time.Sleep(grace + 100*time.Millisecond)
		io.WriteString(input, c.paste)
		if c.grants {
			out.wait(t, "1 to 3, anything else goes back: ")
			time.Sleep(grace + 100*time.Millisecond)
			io.WriteString(input, c.second)
			out.wait(t, "✓ billing.refund.issue")
		} else {
			out.wait(t, "kept for later: ")
		}
		input.Close()
		if err := <-left; err != nil {
			t.Error(err)
		}
		typing.Close()
		if made := len(back.acts) > 0; made != c.grants {
			t.Errorf("%q, then %q: made %v:\n%s", c.paste, c.second, back.acts, out.text.String())
		}
	}
}
