package main

import (
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/creack/pty"

	"almanac/llm/openai/openaitest"
)

// At a terminal -e, run and -p ask about a write, and only what is typed at the question answers it. Where standard
// input or standard error is no terminal they deny.
func TestOneScriptAsks(t *testing.T) {
	const refund = `return billing.refund.issue{invoice_id = "inv_04323", amount_cents = 100, reason = "duplicate"}.amount_cents`
	const question = "? for details: "
	file := filepath.Join(t.TempDir(), "refund.lua")
	if err := os.WriteFile(file, []byte(refund), 0o600); err != nil {
		t.Fatal(err)
	}
	args, err := json.Marshal(map[string]any{"script": refund, "actions": []string{"billing.refund.issue"}})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name  string
		args  []string
		typed []string // one line for each question
		pipe  string   // in place of the terminal: "stdin" or "stderr"
		code  int
		out   string
		told  string
	}{
		{"yes", []string{"-e", refund}, []string{"y"}, "", exitOK, "100\n", "approve? billing.refund.issue"},
		{"no", []string{"-e", refund}, []string{"n not now"}, "", exitDenied, "", "you denied this: not now"},
		{"words", []string{"-e", refund}, []string{"/trace", "yes please", "n"}, "", exitDenied, "", "not an answer"},
		{"end of input", []string{"-e", refund}, []string{"\x04"}, "", exitDenied, "", "denied: no answer"},
		{"a file", []string{"run", file}, []string{"y"}, "", exitOK, "100\n", "asked by your script, call 1, line 1"},
		{"readonly", []string{"--policy", "readonly", "-e", refund}, nil, "", exitDenied, "", "this session is read-only"},
		{"outside of a grant", []string{"--allow", "billing.refund.issue amount_cents <= 50", "-e", refund},
			[]string{"n"}, "", exitDenied, "", "outside grant 1 (0 <= amount_cents <= 50)"},
		{"input of a pipe", []string{"-e", refund}, nil, "stdin", exitDenied, "", "rerun with --allow"},
		{"questions into a pipe", []string{"-e", refund}, nil, "stderr", exitDenied, "", "rerun with --allow"},
		{"the model", []string{"-p", "refund"}, []string{"y"}, "", exitOK, "Done.\n", "asked by the model, call 1, line 1"},
		{"the model denied", []string{"-p", "refund"},
			[]string{"n"}, "", exitDenied, "Done.\n", "billing.refund.issue: you denied this"},
	} {
		t.Run(c.name, func(t *testing.T) {
			call := openaitest.Call{Name: "lua_tools_execute", Args: string(args)}
			model := openaitest.New(openaitest.Reply{Calls: []openaitest.Call{call}}, openaitest.Reply{Text: "Done."})
			defer model.Close()
			t.Setenv("ALMANAC_DATA", officeDir(t))
			t.Setenv("ALMANAC_CONFIG", os.DevNull)
			t.Setenv("OPENAI_API_KEY", "sk-very-secret")
			t.Setenv("ALMANAC_BASE_URL", model.URL())
			person, terminal, err := pty.Open()
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _, _ = person.Close(), terminal.Close() }()
			_ = pty.Setsize(terminal, &pty.Winsize{Rows: 40, Cols: 200})
			var out, screen lockedText
			var in io.Reader = terminal
			var errs io.Writer = terminal
			switch c.pipe {
			case "stdin":
				in = strings.NewReader("y\ny\n")
			case "stderr":
				errs = &screen
			}
			go func() { _, _ = io.Copy(&screen, person) }()
			code := make(chan int)
			go func() { code <- run(c.args, in, &out, errs) }()
			for i, line := range c.typed {
				for n := 0; strings.Count(screen.String(), question) <= i && n < 3000; n++ {
					time.Sleep(10 * time.Millisecond)
				}
				time.Sleep(2 * answerGrace) // as a person who reads
				if line != "\x04" {
					line += "\n"
				}
				if _, err := person.WriteString(line); err != nil {
					t.Fatal(err)
				}
			}
			got := <-code
			for i := 0; !strings.Contains(screen.String(), c.told) && i < 500; i++ {
				time.Sleep(10 * time.Millisecond) // until the terminal has shown it
			}
			all := screen.String()
			asked := strings.Count(all, question) == len(c.typed)
			if got != c.code || out.String() != c.out || !strings.Contains(all, c.told) || !asked {
				t.Errorf("exit %d, %q\n%s", got, out.String(), all)
			}
		})
	}
}
