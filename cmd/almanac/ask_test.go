package main

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"almanac/catalog/demo"
	"almanac/llm/openai/openaitest"
	"almanac/session/trace"
)

// headless runs the program with its own data folder and a scripted model, and returns what it left.
func headless(t *testing.T, replies []openaitest.Reply,
	args ...string) (code int, stdout, stderr string, model *openaitest.Server) {
	t.Helper()
	model = openaitest.New(replies...)
	t.Cleanup(model.Close)
	t.Setenv("ALMANAC_DATA", officeDir(t))
	t.Setenv("ALMANAC_CONFIG", os.DevNull)
	t.Setenv("OPENAI_API_KEY", "sk-very-secret")
	t.Setenv("ALMANAC_BASE_URL", model.URL())
	t.Setenv("ALMANAC_MODEL", "scripted")
	var out, errs bytes.Buffer
	code = run(args, strings.NewReader(""), &out, &errs)
	return code, out.String(), errs.String(), model
}

// officeDir is a data folder of its own with the demo in it.
func officeDir(t *testing.T) string {
	t.Helper()
	database, err := office()
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "data")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "office.db"), database, 0o600); err != nil {
		t.Fatal(err)
	}
	return dir
}

// office makes the demo's database once, for all tests that need one as new.
var office = sync.OnceValues(func() ([]byte, error) {
	dir, err := os.MkdirTemp("", "almanac-office")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "office.db")
	made, err := demo.Open(context.Background(), path)
	if err != nil {
		return nil, err
	}
	if err := made.Close(); err != nil {
		return nil, err
	}
	return os.ReadFile(path)
})

func TestAsk(t *testing.T) {
	code, stdout, stderr, model := headless(t, []openaitest.Reply{
		{Calls: []openaitest.Call{{Name: "lua_tools_execute",
			Args: `{"script":"return #billing.invoice.list_unpaid{customer_id = crm.customer.search{query='Acme',limit=1}[1].id}","actions":["billing.invoice.list_unpaid","crm.customer.search"]}`}}},
		{Text: "Acme Corp has several unpaid invoices.\n"},
	}, "-p", "how many unpaid invoices has Acme?")
	if code != exitOK || stdout != "Acme Corp has several unpaid invoices.\n" {
		t.Errorf("exit %d, stdout %q, stderr %q", code, stdout, stderr)
	}
	if !strings.Contains(stderr, "billing.invoice.list_unpaid") {
		t.Errorf("the calls are not told: %q", stderr)
	}
	requests := model.Requests()
	if n := len(requests); n != 2 {
		t.Fatalf("%d requests", n)
	}
	prompt := requests[0].Messages[0].Content
	for _, want := range []string{"later turns reuse", "crm", "billing"} {
		if !strings.Contains(prompt, want) {
			t.Errorf("the system prompt lacks %q:\n%s", want, prompt)
		}
	}
	if strings.Contains(prompt, "billing.invoice.list_unpaid") {
		t.Error("the system prompt lists actions")
	}
	for _, hidden := range []string{"tenant", "session_id", "workspace"} {
		if bytes.Contains(requests[0].Body, []byte(hidden)) {
			t.Errorf("the model is told of the context: %s", hidden)
		}
	}
}

// TestAskSaysNoCommand shows that what is told beside an answer names no command: nobody can type one.
func TestAskSaysNoCommand(t *testing.T) {
	long := strings.Repeat(`n = 1\n`, 9) + `local t = {} for i = 1, 50 do t[i] = i end return t`
	code, _, stderr, _ := headless(t, []openaitest.Reply{
		{Calls: []openaitest.Call{{Name: "lua_tools_execute", Args: `{"script":"` + long + `"}`}}}, {Text: "done"},
	}, "-p", "count")
	if code != exitOK || !strings.Contains(stderr, "more lines") || strings.Contains(stderr, "/expand") {
		t.Errorf("exit %d, stderr %q", code, stderr)
	}
}

// TestAskDenied shows that a mutation of the model's does not happen without leave, and that the exit code says so.
func TestAskDenied(t *testing.T) {
	script := `{"script":"local i = billing.invoice.list{status='open',limit=1}[1] return billing.refund.issue{invoice_id=i.id, amount_cents=1, reason='test'}","actions":["billing.invoice.list","billing.refund.issue"]}`
	code, stdout, stderr, model := headless(t, []openaitest.Reply{
		{Calls: []openaitest.Call{{Name: "lua_tools_execute", Args: script}}},
		{Text: "I may not issue refunds here."},
	}, "-p", "refund it")
	if code != exitDenied || stdout != "I may not issue refunds here.\n" ||
		!strings.Contains(stderr, "--allow billing.refund.issue") {
		t.Errorf("exit %d, stdout %q, stderr %q", code, stdout, stderr)
	}
	if told := model.Requests()[1].Last(); !strings.Contains(told, "denied") {
		t.Errorf("the model was not told: %q", told)
	}
}

func TestAskFails(t *testing.T) {
	code, stdout, stderr, _ := headless(t, []openaitest.Reply{{Status: 401}}, "-p", "hello")
	if code != exitConfig || stdout != "" || strings.Contains(stderr, "very-secret") {
		t.Errorf("exit %d, stdout %q, stderr %q", code, stdout, stderr)
	}
}

// TestLog shows that what was done is on disk, without the key.
func TestLog(t *testing.T) {
	code, _, stderr, _ := headless(t, nil, "-e", `return crm.customer.search{query = "sk-very-secret", limit = 1}`)
	if code != exitOK {
		t.Fatalf("exit %d: %s", code, stderr)
	}
	var logs []string
	err := filepath.WalkDir(os.Getenv("ALMANAC_DATA"), func(path string, d os.DirEntry, err error) error {
		if strings.HasSuffix(path, ".jsonl") {
			logs = append(logs, path)
		}
		return err
	})
	if err != nil || len(logs) != 1 {
		t.Fatalf("logs %v, %v", logs, err)
	}
	records, damage, err := trace.Read(logs[0])
	if err != nil || damage.Found() {
		t.Fatalf("%v, %v", damage, err)
	}
	kinds := map[trace.Kind]int{}
	for _, r := range records {
		kinds[r.Kind]++
		if r.Kind == trace.KindCall &&
			(r.Call.ID != "crm.customer.search" || r.Call.Verdict != trace.OK || r.Call.Args["query"] != "[redacted]") {
			t.Errorf("call %+v", r.Call)
		}
	}
	if kinds[trace.KindSession] != 1 || kinds[trace.KindRun] != 1 || kinds[trace.KindCall] != 1 ||
		kinds[trace.KindOutcome] != 1 {
		t.Errorf("records %v", kinds)
	}
	text, err := os.ReadFile(logs[0])
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(text), "very-secret") {
		t.Errorf("the log holds the key: %s", text)
	}
}

// TestAskJSON shows that -p prints one document however the prompt ends, and that what scripts print is in it.
func TestAskJSON(t *testing.T) {
	execute := func(script string) openaitest.Reply {
		args, err := json.Marshal(map[string]any{"script": script, "actions": []string{"billing.refund.issue"}})
		if err != nil {
			t.Fatal(err)
		}
		return openaitest.Reply{Calls: []openaitest.Call{{Name: "lua_tools_execute", Args: string(args)}}}
	}
	for name, c := range map[string]struct {
		replies []openaitest.Reply
		prompt  string
		want    answered
		calls   int
		aside   string
	}{
		"prints of the model's": {[]openaitest.Reply{execute(`print("seen") return 1`), {Text: "It is 1.\n"}}, "count",
			answered{Answer: "It is 1.", Output: "seen\n"}, 0, "seen"},
		"prints of the person's": {nil, `!print("{") io.write("x") return 1, {a = 1}`,
			answered{Output: "{\nx\n1\n{ a = 1 }\n"}, 0, "{ a = 1 }"},
		"a command": {nil, "/policy",
			answered{Output: "writes: denied (policy readonly)\nno grants\n"}, 0, "writes: denied"},
		"a script that fails": {nil, `!print("a") error("b")`,
			answered{Output: "a\n", Error: "failed", Message: "line 1: b", Exit: exitFailed}, 0, "b"},
		"a limit": {nil, `!while true do pcall(call, "x.y") end`,
			answered{Error: "limit", Exit: exitLimit}, -1, ""},
		"a denial": {[]openaitest.Reply{
			execute(`return billing.refund.issue{invoice_id = "inv_00001", amount_cents = 1, reason = "x"}`), {Text: "No."},
		}, "refund", answered{Answer: "No.", Error: "denied",
			Message: "billing.refund.issue: denied: this session is read-only; rerun with --allow billing.refund.issue",
			Exit:    exitDenied}, 1, "denied"},
		"a bad key": {[]openaitest.Reply{{Status: 401}}, "hello",
			answered{Error: "configuration", Exit: exitConfig}, 0, ""},
		"no words": {nil, " ", answered{Error: "usage", Message: "-p: empty prompt", Exit: exitUsage}, 0, ""},
		"an interrupt": {[]openaitest.Reply{{Hang: true}}, "hello",
			answered{Error: "interrupted", Exit: exitInterrupt}, 0, ""},
	} {
		t.Run(name, func(t *testing.T) {
			if name == "an interrupt" {
				defer interruptSoon(t)()
			}
			code, stdout, stderr, _ := headless(t, c.replies, "--output", "json", "-p", c.prompt)
			var got answered
			dec := json.NewDecoder(strings.NewReader(stdout))
			if err := dec.Decode(&got); err != nil || dec.More() {
				t.Fatalf("not one document: %v: %q", err, stdout)
			}
			if c.calls >= 0 && len(got.Calls) != c.calls {
				t.Errorf("%d calls, want %d", len(got.Calls), c.calls)
			}
			if got.Calls = nil; c.want.Message == "" {
				if (got.Message == "") != (c.want.Exit == exitOK) {
					t.Errorf("message %q", got.Message)
				}
				got.Message = ""
			}
			if got.Answer != c.want.Answer || got.Output != c.want.Output || got.Error != c.want.Error ||
				got.Message != c.want.Message || got.Exit != c.want.Exit || code != got.Exit {
				t.Errorf("exit %d, got %+v, want %+v", code, got, c.want)
			}
			if !strings.Contains(stderr, c.aside) {
				t.Errorf("standard error %q", stderr)
			}
		})
	}
}

// interruptSoon sends the process an interrupt as long as the function that it returns has not been called.
func interruptSoon(t *testing.T) func() {
	t.Helper()
	own, err := os.FindProcess(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	got := make(chan os.Signal, 1)
	signal.Notify(got, os.Interrupt) // before the program listens it is for the test
	done := make(chan struct{})
	go func() {
		for {
			select {
			case <-done:
				return
			case <-time.After(300 * time.Millisecond):
				_ = own.Signal(os.Interrupt)
			}
		}
	}()
	return func() {
		close(done)
		signal.Stop(got)
	}
}

// TestAskGoesOn shows that the model hears in a resumed session what was said before, and may call what it had
// described.
func TestAskGoesOn(t *testing.T) {
	code, _, stderr, _ := headless(t, []openaitest.Reply{
		{Calls: []openaitest.Call{{Name: "lua_tools_describe", Args: `{"ids":["crm.customer.search"]}`}}},
		{Calls: []openaitest.Call{{Name: "lua_tools_execute",
			Args: `{"script":"acme = crm.customer.search{query='Acme',limit=1}[1].id"}`}}},
		{Text: "Found Acme."},
	}, "-p", "find Acme")
	if code != exitOK {
		t.Fatalf("exit %d: %s", code, stderr)
	}
	model := openaitest.New(openaitest.Reply{Calls: []openaitest.Call{{Name: "lua_tools_execute",
		Args: `{"script":"return crm.customer.search{query=acme, limit=1}, acme"}`}}},
		openaitest.Reply{Text: "It is still there."})
	defer model.Close()
	t.Setenv("ALMANAC_BASE_URL", model.URL())
	var out, errs bytes.Buffer
	if code := run([]string{"--continue", "-p", "is it still there? sk-very-secret"},
		strings.NewReader(""), &out, &errs); code != exitOK {
		t.Fatalf("exit %d: %s", code, errs.String())
	}
	if !strings.Contains(errs.String(), "(1 cell; 1 global from cell 1; model scripted)") {
		t.Errorf("not told: %s", errs.String())
	}
	var roles []string
	for _, m := range model.Requests()[0].Messages[1:] {
		roles = append(roles, m.Role)
	}
	if got := strings.Join(roles, " "); got != "user assistant tool assistant tool assistant user" {
		t.Errorf("the model heard %s", got)
	}
	if told := model.Requests()[1].Last(); !strings.Contains(told, "cus_") || strings.Contains(told, "denied") {
		t.Errorf("the globals or the descriptions are not back: %s", told)
	}
	logs, _ := filepath.Glob(filepath.Join(os.Getenv("ALMANAC_DATA"), "sessions", "*", "*", "*", "*"))
	for _, path := range logs {
		if text, err := os.ReadFile(path); err != nil || bytes.Contains(text, []byte("very-secret")) {
			t.Errorf("%s: %v, or it holds the key", path, err)
		}
	}
}
