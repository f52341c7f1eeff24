package repl

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"almanac/internal/golden"
	"almanac/llm"
	"almanac/llm/tools"
	"almanac/session/policy"
)

// withRetries is a shell with a scripted model that is asked again up to twice.
func withRetries(t *testing.T, o Options, responses ...llm.Response) *Shell {
	t.Helper()
	sh, _ := withModel(t, policy.Policy{}, o)
	sh.options.Conversation = llm.NewConversation(sh.Feed().Conversation(sh.Session(), tools.Options{}, llm.Options{
		Target: llm.Target{Provider: &scripted{responses: responses}, Model: "big"}, Retries: 2,
		RetryWait: 100 * time.Millisecond,
	}))
	return sh
}

var fault = llm.Response{Stop: "fault overloaded"}

// TestRetryCommand shows that a failed prompt is sent again by /retry alone, in a cell of its own, and that retries of
// the program's own end in one line.
func TestRetryCommand(t *testing.T) {
	sh := withRetries(t, Options{}, fault, fault, fault, fault,
		llm.Response{Text: "It is 12."}, llm.Response{Text: "Bye."})
	got := typed(t.Context(), sh, "/retry", nil) + typed(t.Context(), sh, "how many?", nil) +
		typed(t.Context(), sh, "/retry", nil) + typed(t.Context(), sh, "/retry", nil) + typed(t.Context(), sh, "bye", nil)
	want := `error: nothing to retry: no prompt was sent
server error (500); retrying in N ms (1/2)
server error (500); retrying in N ms (2/2)
error: fault overloaded (after 2 retries)
  hint: /retry sends the prompt again; the next prompt is sent without it
retrying: how many?
server error (500); retrying in N ms (1/2)
server error (500); answered at retry 1 of 2
  It is 12.
error: retry: the last prompt did not fail
  Bye.
`
	if got != want {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
	if c, ok := sh.cell(3); !ok || c.Source != "how many?" || c.Answer != "It is 12." {
		t.Errorf("cell 3: %+v", c)
	}
}

// TestRetryOfATurn: a prompt that is sent again sees what it saw, and where that is not known it is not sent.
func TestRetryOfATurn(t *testing.T) {
	log := &memory{}
	o := Options{Record: log.append, Log: log.all}
	sh := withRetries(t, o, fault, fault, fault, fault, fault, fault, llm.Response{Text: "It is 12."})
	var got strings.Builder
	show := func(lines ...string) {
		for _, line := range lines {
			got.WriteString("> " + line + "\n" + typed(t.Context(), sh, line, nil))
		}
	}
	show("/catalog view turn only billing", "how many?", "!1 + 1", "/retry", "/retry", "/retry")
	sh = withRetries(t, o, fault, fault, fault, llm.Response{Text: "It is 13."})
	show("/catalog view turn only billing", "how many?")
	sh.asked = asked{} // as in a program that goes on from the log
	show("/retry", "/catalog view turn readonly", "/retry")
	golden.Equal(t, "testdata/retry_turn.golden", got.String())
}

// TestRetryInterrupted shows that an interrupt ends the wait at once.
func TestRetryInterrupted(t *testing.T) {
	sh := withRetries(t, Options{})
	ctx, cancel := context.WithCancel(t.Context())
	sh.options.Conversation = llm.NewConversation(sh.Feed().Conversation(sh.Session(), tools.Options{}, llm.Options{
		Target: llm.Target{Provider: &scripted{responses: []llm.Response{fault}}}, RetryWait: time.Hour,
	}))
	done := make(chan string)
	go func() { done <- typed(ctx, sh, "how many?", nil) }()
	for {
		text, waiting := sh.Feed().Retrying()
		if waiting {
			if !strings.HasPrefix(text, "server error (500); retrying in ") || !strings.HasSuffix(text, " s (1/3)") {
				t.Errorf("countdown %q", text)
			}
			break
		}
		time.Sleep(time.Millisecond)
	}
	cancel()
	if got := <-done; !strings.HasSuffix(got, "server error (500); stopped before retry 1 of 3\ninterrupted\n") {
		t.Errorf("got %q", got)
	}
	if _, waiting := sh.Feed().Retrying(); waiting {
		t.Error("the countdown goes on")
	}
}

// TestModelCommand shows where the context window comes from, and that the server is asked once.
func TestModelCommand(t *testing.T) {
	slow, answers := true, 0
	models := func(ctx context.Context) ([]llm.Model, error) {
		if slow { // slower than the answer
			<-ctx.Done()
			return nil, ctx.Err()
		}
		answers++
		return []llm.Model{{Name: "big", Window: 32768}, {Name: "small"}}, nil
	}
	sh := withRetries(t, Options{}, llm.Response{Text: "Hi."}, llm.Response{Text: "Hi."})
	sh.options.Server = sh.options.Conversation.Target()
	sh.options.Server.Models = models
	sh.options.Conversation.Use(sh.options.Server)
	window := func(want int) {
		t.Helper()
		if got := sh.StatusLine().Context.Window; got != want {
			t.Errorf("window %d, want %d", got, want)
		}
	}
	window(100_000)
	typed(t.Context(), sh, "hello", nil)
	window(100_000)
	slow = false
	for _, test := range []struct {
		line, want string
		window     int
	}{
		{"/model big", "model big from the next prompt, context window 32,768 tokens", 32768},
		{"/model", "model big, context window 32,768 tokens\nits server lists 2 models: big, small", 32768},
		{"/model gpt-4o", "model gpt-4o from the next prompt, context window 128,000 tokens; the server does not list it: Tab shows the 2 models it has", 128_000},
		{"/model big", "model big from the next prompt, context window 32,768 tokens", 32768},
		{"/model window 16k", "context window 16,000 tokens from the next prompt", 16000},
		{"/model window", "context window 16,000 tokens", 16000},
		{"/model window 12", "error: window 12: want a number of tokens from 2,000, such as 32768 or 128k\nusage: /model [NAME | window N]", 16000},
		{"/model window lots", "error: window lots: want a number of tokens from 2,000, such as 32768 or 128k\nusage: /model [NAME | window N]", 16000},
		{"/model a b", "usage: /model [NAME | window N]", 16000},
		{"/model gpt-4o", "model gpt-4o from the next prompt, context window 128,000 tokens; the server does not list it: Tab shows the 2 models it has", 128_000},
	} {
		got := strings.ReplaceAll(strings.TrimSpace(typed(t.Context(), sh, test.line, nil)), "\n  ", " ")
		if got, _, _ = strings.Cut(got, "\nthe conversation goes along"); got != test.want {
			t.Errorf("%s: got\n%s\nwant\n%s", test.line, got, test.want)
		}
		window(test.window)
	}
	var names []string
	for _, item := range sh.Complete(t.Context(), "/model ", 7).Items {
		names = append(names, item.Text)
	}
	if want := []string{"window", "big", "small"}; !slices.Equal(names, want) || answers != 1 {
		t.Errorf("completions %q after %d answers", names, answers)
	}
}

// TestWindowIsConfigured shows that a configured window is not replaced, and that a server is then not asked.
func TestWindowIsConfigured(t *testing.T) {
	models := func(context.Context) ([]llm.Model, error) {
		t.Error("the server was asked")
		return nil, errors.New("no")
	}
	sh := withRetries(t, Options{})
	hi := &scripted{responses: []llm.Response{{Text: "Hi."}}}
	sh.options.Conversation.Use(llm.Target{Provider: hi, Models: models, Window: 5000})
	typed(t.Context(), sh, "hello", nil)
	if got := sh.StatusLine().Context.Window; got != 5000 {
		t.Errorf("window %d", got)
	}
}

// TestTargets shows that the models of the configuration are listed and chosen by name, and what is told of the
// conversation that goes along.
func TestTargets(t *testing.T) {
	long := strings.Repeat("word ", 3000) // 3,000 tokens
	first := &scripted{responses: []llm.Response{{Text: long}, {Text: "Back."}}}
	second := &scripted{responses: []llm.Response{{Text: "Short."}}}
	sh, _ := withModel(t, policy.Policy{}, Options{})
	sh.options.Targets = []llm.Target{
		{Name: "fast", Model: "big-1", Provider: first, Server: "https://one.example/v1", Window: 64_000,
			Price: llm.Price{In: 0.4, Cached: 0.1, Out: 1.6}},
		{Name: "local", Model: "small-1", Provider: second, Server: "http://localhost:11434/v1",
			Models: func(context.Context) ([]llm.Model, error) {
				return []llm.Model{{Name: "small-1", Window: 3000}, {Name: "tiny"}}, nil
			}},
		{Name: "nokey", Model: "small-2", Server: "http://localhost:11434/v1", Window: 5000,
			Ready: func(context.Context) error { return errors.New("NO_KEY is not set") }},
	}
	sh.options.Conversation = llm.NewConversation(sh.Feed().Conversation(sh.Session(), tools.Options{}, llm.Options{
		Target: sh.options.Targets[0],
	}))
	for _, test := range []struct{ line, want string }{
		{"/model", `model fast, context window 64,000 tokens
  name   model    window   price of a million in/cached/out  server
* fast   big-1    64,000   0.4/0.1/1.6                       one.example
  local  small-1  100,000  -                                 localhost:11434
  nokey  small-2  5,000    -                                 localhost:11434`},
		{"/model fast", "model fast (big-1 at one.example) from the next prompt, context window 64,000 tokens"},
		{"go", "  " + strings.TrimSpace(long)},
		{"/model local", `model local (small-1 at localhost:11434) from the next prompt, context window 3,000 tokens
the conversation goes along without reasoning: 1 turn, ~3,009 tokens, none of them in its cache;
  what exceeds 2,625 tokens is shortened and summed up at the next prompt`},
		{"/model nokey", `error: model nokey: its key cannot be read, so local stays: NO_KEY is not set`},
		{"/model tiny", `model tiny at localhost:11434 from the next prompt, context window 100,000 tokens
the conversation goes along without reasoning: 1 turn, ~3,009 tokens, none of them in its cache`},
		{"/model", `model tiny, context window 100,000 tokens
  name   model    window  price of a million in/cached/out  server
  fast   big-1    64,000  0.4/0.1/1.6                       one.example
  local  small-1  3,000   -                                 localhost:11434
  nokey  small-2  5,000   -                                 localhost:11434
its server lists 2 models: small-1, tiny`},
		{"/model loca", `error: model "loca": neither configured nor listed: did you mean local?
usage: /model [NAME | window N]`},
		{"/model f", `error: model "f": neither configured nor listed: did you mean fast?
usage: /model [NAME | window N]`},
		{"/model fast", `model fast (big-1 at one.example) from the next prompt, context window 64,000 tokens
the conversation goes along without reasoning: 1 turn, ~3,009 tokens, in its cache at most up to its
  last answer`},
		{"on", "  Back."},
	} {
		if got := strings.TrimRight(typed(t.Context(), sh, test.line, nil), "\n"); got != test.want {
			t.Errorf("%s: got\n%s\nwant\n%s", test.line, got, test.want)
		}
	}
	if n := len(second.responses); n != 1 {
		t.Errorf("%d answers left of a model that was not asked, want 1", n)
	}
	var names []string
	for _, item := range sh.Complete(t.Context(), "/model ", 7).Items {
		names = append(names, item.Text+": "+item.Detail)
	}
	want := []string{"window: how many tokens the model can read", "fast: big-1 at one.example",
		"local: small-1 at localhost:11434", "nokey: small-2 at localhost:11434"}
	if !slices.Equal(names, want) {
		t.Errorf("completions %q", names)
	}
}
