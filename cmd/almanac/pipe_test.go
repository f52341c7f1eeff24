package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"almanac/llm/openai/openaitest"
)

// A lockedText is a writer whose text may be read while it is written.
type lockedText struct {
	mu   sync.Mutex
	text strings.Builder
}

func (s *lockedText) Write(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.Write(b)
}

func (s *lockedText) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.String()
}

// TestPipeAsks shows that piped lines are Lua, a model or not, and prompts with --ask.
func TestPipeAsks(t *testing.T) {
	for name, c := range map[string]struct {
		args    []string
		lines   string
		want    string
		prompts int
	}{
		"Lua":            {nil, "1+1\n", "2\n", 0},
		"Lua, line mode": {[]string{"--plain"}, "1+1\n", "2\n", 0},
		"one prompt":     {nil, "?hello\n1+1\n", "Good day.\n2\n", 1},
		"prompts":        {[]string{"--ask"}, "hello\n!1+1\n", "Good day.\n2\n", 1},
		"JSON":           {[]string{"--ask", "--output", "jsonl"}, "hello\n", `{"kind":"answer","text":"Good day."}`, 1},
	} {
		t.Run(name, func(t *testing.T) {
			model := openaitest.New(openaitest.Reply{Text: "Good day."})
			defer model.Close()
			t.Setenv("ALMANAC_DATA", officeDir(t))
			t.Setenv("ALMANAC_CONFIG", os.DevNull)
			t.Setenv("OPENAI_API_KEY", "sk-very-secret")
			t.Setenv("ALMANAC_BASE_URL", model.URL())
			var out, errs lockedText
			code := run(c.args, strings.NewReader(c.lines), &out, &errs)
			if code != exitOK || !strings.Contains(out.String(), c.want) || len(model.Requests()) != c.prompts {
				t.Errorf("exit %d, %d prompts, %q\n%s", code, len(model.Requests()), out.String(), errs.String())
			}
		})
	}
}

// TestPipeAnswersNothing: no line of a pipe allows a call, in line mode or not, whatever the policy.
func TestPipeAnswersNothing(t *testing.T) {
	const refund = "billing.refund.issue{invoice_id = 'inv_04323', amount_cents = 100, reason = 'duplicate'}"
	const lines = refund + "\ny\na\n3\nyes\n"
	for _, args := range [][]string{
		nil, {"--plain"}, {"--plain", "--policy", "ask"}, {"--policy", "ask"},
		{"-e", refund}, {"--policy", "ask", "-e", refund},
	} {
		t.Setenv("ALMANAC_DATA", officeDir(t))
		t.Setenv("ALMANAC_CONFIG", os.DevNull)
		var out, errs lockedText
		run(args, strings.NewReader(lines), &out, &errs)
		all := out.String() + errs.String()
		denied := strings.Contains(all, "billing.refund.issue was denied") || // below the cross of the call
			strings.Contains(all, "billing.refund.issue: denied")
		if !denied || strings.Contains(all, "✓ billing.refund.issue") {
			t.Errorf("%q: %s", args, all)
		}
	}
}

// TestPipeReadsAgain changes files under a program that reads its lines from a pipe: the next lines see what they hold
// by then.
func TestPipeReadsAgain(t *testing.T) {
	t.Setenv("ALMANAC_DATA", officeDir(t))
	t.Setenv("ALMANAC_CONFIG", os.DevNull)
	const document = `{"openapi":"3.0.0","info":{"title":"x","version":"1"},"servers":[{"url":"https://a.example"}],"paths":{"/one":{"get":{}}%s}}`
	const shop = "almanac: 1\nname: shop\nactions:\n  one: {data: 1}\n"
	for name, c := range map[string]struct{ file, source, before, after string }{
		"a manifest": {"shop.yaml", "shop.yaml", shop, shop + "  two: {data: 2}\n"},
		"a document": {"shop.json", "shop=openapi:shop.json", fmt.Sprintf(document, ""),
			fmt.Sprintf(document, `,"/two":{"get":{}}`)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			write := func(text string) {
				if err := os.WriteFile(c.file, []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			write(c.before)
			read, lines := io.Pipe()
			var out, errs lockedText
			done := make(chan int)
			go func() { done <- run([]string{"--catalog", c.source, "--trust-updates"}, read, &out, &errs) }()
			fmt.Fprintln(lines, "return 'begun'")
			write(c.after)
			seen := false
			for i := 0; i < 100 && !seen; i++ {
				fmt.Fprintln(lines, "return catalog.search('two')[1]")
				time.Sleep(100 * time.Millisecond)
				seen = strings.Contains(out.String(), "two")
			}
			lines.Close()
			<-done
			if !seen {
				t.Errorf("what was added is never seen: %s\n%s", out.String(), errs.String())
			}
		})
	}
}
