package tools_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"almanac/catalog"
	"almanac/catalog/demo"
	"almanac/internal/golden"
	"almanac/llm"
	"almanac/llm/openai"
	"almanac/llm/openai/openaitest"
	"almanac/llm/tools"
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

// open returns the view of the demo back office.
func open(t *testing.T) *catalog.View {
	t.Helper()
	office, err := demo.Open(t.Context(), filepath.Join(t.TempDir(), "office.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { office.Close() })
	all, report := catalog.New(office.Entries(), catalog.Options{})
	if len(report.Skipped) > 0 {
		t.Fatalf("skipped: %v", report.Skipped)
	}
	return all.View()
}

func newSession(t *testing.T, view *catalog.View, o session.Options) *session.Session {
	t.Helper()
	s, err := session.New(view, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// TestOverTheBackOffice runs all tests that need the demo, which takes a while to make.
func TestOverTheBackOffice(t *testing.T) {
	view := open(t)
	t.Run("conversations", func(t *testing.T) { testConversations(t, view) })
	t.Run("interrupt", func(t *testing.T) { testInterruptedScript(t, view) })
	t.Run("prompt", func(t *testing.T) { testPromptSize(t, view) })
	t.Run("caps", func(t *testing.T) {
		t.Run("demo", func(t *testing.T) { testCaps(t, view) })
		t.Run("1,200 actions", func(t *testing.T) { testCaps(t, many(t)) })
	})
	t.Run("prefix", func(t *testing.T) { testPrefix(t, view) })
	t.Run("short", func(t *testing.T) { testShortAnswers(t, view) })
	t.Run("policy", func(t *testing.T) { testPolicyInPrompt(t, view) })
}

// testConversations plays the conversations in testdata: what the person says (user), what the model answers (model
// and call; see openaitest.ParseScript), what the model reads of each call (tool), and what the person reads at the
// end of the turn (answer). Between the turns the person runs Lua (lua), changes the policy (policy) and resets
// (reset). The comment at the top may name the policy and what the person says when asked:
//
//	policy: ask
//	approve: no, not today
//	approve: yes, but body  (with another text for that argument)
func testConversations(t *testing.T, view *catalog.View) {
	golden.Archives(t, "testdata/*.txtar", func(t *testing.T, a *txtar.Archive) { play(t, view, a) })
}

// play holds the conversation and fills in the tool and answer sections as they come out.
func play(t *testing.T, view *catalog.View, archive *txtar.Archive) {
	t.Helper()
	replies, err := openaitest.ParseScript(txtar.Format(archive))
	if err != nil {
		t.Fatal(err)
	}
	server := openaitest.New(replies...)
	t.Cleanup(server.Close)
	s := newSession(t, view, sessionOptions(t, string(archive.Comment)))
	briefing := tools.NewBriefing(s, tools.Options{})
	c := llm.NewConversation(llm.Options{
		Target: llm.Target{Provider: openai.New(openai.Options{BaseURL: server.URL()}), Model: "scripted"},
		System: briefing.System, Tools: briefing.Tools,
	})
	var answers []string // of tools, not yet put into the archive
	var said string
	for i := range archive.Files {
		f := &archive.Files[i]
		switch f.Name {
		case "user":
			if len(answers) > 0 {
				t.Errorf("%d tool answers have no section: %q", len(answers), answers)
			}
			before := len(c.Messages())
			said, err = c.Send(t.Context(), strings.TrimSpace(string(f.Data)))
			if err != nil {
				said = "error: " + strings.ReplaceAll(err.Error(), server.URL(), "URL")
			}
			answers = nil
			for _, m := range c.Messages()[before:] {
				if m.Role == llm.ToolRole {
					answers = append(answers, m.Text)
				}
			}
		case "lua":
			if _, err := s.Run(t.Context(), session.Script{Source: string(f.Data), Author: session.User}); err != nil {
				t.Fatal(err)
			}
		case "policy":
			if err := s.SetPolicy(policy.Policy{Mode: policy.Mode(strings.TrimSpace(string(f.Data)))}); err != nil {
				t.Fatal(err)
			}
		case "reset":
			if _, err := s.Reset(t.Context()); err != nil {
				t.Fatal(err)
			}
		case "tool":
			if len(answers) == 0 {
				t.Fatalf("section %d: no tool answer is left", i)
			}
			f.Data, answers = []byte(answers[0]+"\n"), answers[1:]
		case "answer":
			f.Data = []byte(said + "\n")
		}
	}
	if len(answers) > 0 || server.Left() > 0 {
		t.Errorf("left over: %d tool answers, %d replies", len(answers), server.Left())
	}
}

// sessionOptions reads the comment of a conversation.
func sessionOptions(t *testing.T, comment string) session.Options {
	t.Helper()
	// Steps alone decide when a script is stopped: time would depend on the machine.
	o := session.Options{Limits: vm.Limits{Steps: 300_000, Time: time.Minute}, QueryTime: time.Minute}
	for line := range strings.Lines(comment) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), ":")
		value = strings.TrimSpace(value)
		switch name {
		case "policy":
			o.Policy = policy.Policy{Mode: policy.Mode(value)}
		case "approve":
			o.Approve = func(_ context.Context, q session.Request) (session.Approval, error) {
				if name, edited := strings.CutPrefix(value, "yes, but "); edited {
					return withOther(q, name), nil
				}
				if value == "yes" {
					return session.Approval{Verdict: session.Once}, nil
				}
				return session.Approval{Reason: strings.TrimPrefix(value, "no, ")}, nil
			}
		}
	}
	return o
}

// withOther allows what is asked about with another text for the argument: of the last call of a list, or of the one.
func withOther(q session.Request, name string) session.Approval {
	args := q.Args
	if n := len(q.Batch); n > 0 {
		args = q.Batch[n-1].Args
	}
	args = maps.Clone(args)
	args[name] = "by the person"
	if n := len(q.Batch); n > 0 {
		return session.Approval{Verdict: session.Once, Edited: map[int]map[string]any{n - 1: args}}
	}
	return session.Approval{Verdict: session.Once, Args: args}
}

// testInterruptedScript stops a conversation amid a script; what the script had set is still there.
func testInterruptedScript(t *testing.T, view *catalog.View) {
	replies, err := openaitest.ParseScript([]byte(`
-- call lua_tools_execute --
x = 41
log("started")
while true do pcall(function() while true do end end) end
-- call lua_tools_execute --
x = 43
-- user --
-- expect --
go on
-- call lua_tools_execute --
return x == nil and 42
-- expect --
42
-- model --
It is 42.
`))
	if err != nil {
		t.Fatal(err)
	}
	server := openaitest.New(replies...)
	defer server.Close()
	ctx, cancel := context.WithCancel(t.Context())
	s := newSession(t, view, session.Options{
		Limits: vm.Limits{Steps: 1 << 40, Time: time.Minute},
		Write:  func(vm.Stream, string) { cancel() },
	})
	c := llm.NewConversation(llm.Options{
		Target: llm.Target{Provider: openai.New(openai.Options{BaseURL: server.URL()}), Model: "scripted"},
		Tools:  func() []llm.Tool { return tools.New(s, tools.Options{}) },
	})
	if _, err := c.Send(ctx, "count"); !errors.Is(err, context.Canceled) {
		t.Fatalf("error %v", err)
	}
	var answers []string
	for _, m := range c.Messages() {
		if m.Role == llm.ToolRole {
			answers = append(answers, m.Text)
		}
	}
	if len(answers) != 2 || !strings.Contains(answers[0], "interrupt") ||
		answers[1] != "not run: interrupted by the user" {
		t.Errorf("tool answers: %q", answers)
	}
	if answer, err := c.Send(t.Context(), "go on"); err != nil || answer != "It is 42." {
		t.Errorf("%q, %v", answer, err)
	}
}

// testPromptSize keeps the text of prompt and tools, and what they cost, in testdata/prompt.golden.
func testPromptSize(t *testing.T, view *catalog.View) {
	s := newSession(t, view, session.Options{})
	var b strings.Builder
	total := 0
	put := func(name, text string) {
		tokens := (len(text) + 3) / 4
		total += tokens
		fmt.Fprintf(&b, "== %s: %d tokens\n%s\n\n", name, tokens, text)
	}
	put("prompt", tools.SystemPrompt(s, tools.Options{}).Text)
	for _, tool := range tools.New(s, tools.Options{}) {
		if n := len([]rune(tool.Description)); n >= 1000 {
			t.Errorf("%s: the description has %d characters", tool.Name, n)
		}
		put(tool.Name, tool.Description+"\n"+string(tool.Schema))
	}
	fmt.Fprintf(&b, "total: %d tokens\n", total)
	if total > 1000 {
		t.Errorf("prompt, descriptions and schemas cost %d tokens, want at most 1,000", total)
	}
	golden.Equal(t, "testdata/prompt.golden", b.String())
}

// recording is a provider that keeps the requests that it passes on.
type recording struct {
	llm.Provider
	requests []llm.Request
}

func (r *recording) Complete(ctx context.Context, q llm.Request, hear func(llm.Piece)) (llm.Response, error) {
	r.requests = append(r.requests, q)
	return r.Provider.Complete(ctx, q, hear)
}

// converse is a conversation over a session of its own with a scripted model; a window of 0 is the default.
func converse(t *testing.T, view *catalog.View, script string, window int) (
	*session.Session, *llm.Conversation, *recording) {
	t.Helper()
	replies, err := openaitest.ParseScript([]byte(script))
	if err != nil {
		t.Fatal(err)
	}
	server := openaitest.New(replies...)
	t.Cleanup(server.Close)
	s := newSession(t, view, session.Options{})
	briefing := tools.NewBriefing(s, tools.Options{})
	provider := &recording{Provider: openai.New(openai.Options{BaseURL: server.URL()})}
	return s, llm.NewConversation(llm.Options{
		Target: llm.Target{Provider: provider, Model: "scripted", Window: window},
		System: briefing.System, Tools: briefing.Tools,
	}), provider
}

// testPrefix holds a conversation of 50 turns in which the person changes globals and the policy: every request begins
// with the whole of the one before it, so that a server's cache holds.
func testPrefix(t *testing.T, view *catalog.View) {
	const turns = 50
	var script strings.Builder
	for i := range turns {
		fmt.Fprintf(&script, "-- user --\n-- call lua_tools_execute --\nreturn seen, %d\n-- model --\nTurn %d.\n", i, i)
	}
	s, c, provider := converse(t, view, script.String(), 0)
	for i := range turns {
		source := fmt.Sprintf("seen = %d; at_%d = true", i, i)
		if _, err := s.Run(t.Context(), session.Script{Source: source, Author: session.User}); err != nil {
			t.Fatal(err)
		}
		mode := []policy.Mode{policy.ReadOnly, policy.Ask}[i%2]
		if err := s.SetPolicy(policy.Policy{Mode: mode}); err != nil {
			t.Fatal(err)
		}
		if _, err := c.Send(t.Context(), "go on"); err != nil {
			t.Fatal(err)
		}
	}
	same, total := 0, 0
	for i, q := range provider.requests {
		total += len(requestText(q))
		if i == 0 {
			continue
		}
		before := requestText(provider.requests[i-1])
		if !strings.HasPrefix(requestText(q), before) {
			t.Fatalf("request %d does not begin as the one before it: %s", i+1, cmp.Diff(before, requestText(q)[:len(before)]))
		}
		same += len(before)
	}
	if last := provider.requests[len(provider.requests)-1].Messages; !strings.Contains(last[len(last)-1].Text,
		"the developer set at_49 (boolean); changed seen (number)") {
		t.Errorf("the last answer has no news: %q", last[len(last)-1].Text)
	}
	t.Logf("%d requests, %d bytes in all, %d of them as before", len(provider.requests), total, same)
}

// testShortAnswers holds a conversation that is too long for its window: an earlier answer becomes a line with the name
// of a global, and the whole value is in that global.
func testShortAnswers(t *testing.T, view *catalog.View) {
	const script = `
-- call lua_tools_execute --
rows = {}
for i = 1, 300 do rows[i] = {id = "row_" .. i, n = i} end
return rows
-- call lua_tools_execute --
rows = nil
return "second"
-- model --
Many.
-- user --
-- call lua_tools_execute --
return #_0_1, _0_1[300].id, _0_2
-- expect --
1: 300
2: "row_300"
3: "second"
-- model --
There they are.
`
	_, c, provider := converse(t, view, script, 3500)
	for _, prompt := range []string{"show the rows", "still there?"} {
		if _, err := c.Send(t.Context(), prompt); err != nil {
			t.Fatal(err)
		}
	}
	want := "[shortened to save space: a list of 300 items with id, n, whole in the global _0_1]\nglobals: set rows"
	if last := provider.requests[len(provider.requests)-1]; last.Messages[2].Text != want {
		t.Errorf("the first answer is sent as %q, want %q", last.Messages[2].Text, want)
	}
}

// requestText is what a server's cache sees of a request, in its order.
func requestText(q llm.Request) string {
	var b strings.Builder
	for _, t := range q.Tools {
		fmt.Fprintln(&b, t.Name, t.Description, string(t.Schema))
	}
	fmt.Fprintln(&b, q.System)
	for _, m := range q.Messages {
		fmt.Fprintln(&b, m.Role, m.CallID, m.Text)
		for _, call := range m.Calls {
			fmt.Fprintln(&b, call.ID, call.Name, string(call.Args))
		}
	}
	return b.String()
}

func testPolicyInPrompt(t *testing.T, view *catalog.View) {
	s := newSession(t, view, session.Options{})
	o := tools.Options{Prefix: "backoffice"}
	for mode, want := range map[policy.Mode]string{
		policy.ReadOnly: "read-only.", policy.Ask: "the person is asked",
		policy.Session: "mutations run", "odd": "read-only.",
	} {
		if err := s.SetPolicy(policy.Policy{Mode: mode}); err != nil {
			t.Fatal(err)
		}
		if text := tools.SystemPrompt(s, o).Text; !strings.Contains(text, "Policy now: "+want) {
			t.Errorf("%s: %q is missing in\n%s", mode, want, text)
		}
	}
	if text := tools.SystemPrompt(s, o).Text; !strings.Contains(text, "backoffice_query") ||
		strings.Contains(text, "lua_tools") {
		t.Errorf("the prefix is not used:\n%s", text)
	}
	for _, tool := range tools.New(s, o) {
		if !strings.HasPrefix(tool.Name, "backoffice_") || strings.Contains(tool.Description, "PREFIX") {
			t.Errorf("%s: %s", tool.Name, tool.Description)
		}
	}
}
