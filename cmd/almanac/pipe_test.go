package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"testing"
	"time"
)

// A slate is a writer whose text can be read meanwhile.
type slate struct {
	mu   sync.Mutex
	text strings.Builder
}

func (s *slate) Write(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.Write(b)
}

func (s *slate) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.String()
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
		"a document": {"shop.json", "shop=openapi:shop.json", fmt.Sprintf(document, ""), fmt.Sprintf(document, `,"/two":{"get":{}}`)},
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
			var out, errs slate
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
