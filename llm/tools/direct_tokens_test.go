package tools

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"almanac/catalog"
	"almanac/catalog/text"
)

// TestDirectTokens counts all of a small catalog, and of a large one a sample that is near what all of it takes: the
// same number each time, with what cannot be called left out. Every second action is long, and every fifth has no code.
func TestDirectTokens(t *testing.T) {
	for _, n := range []int{0, 7, 4_999, 5_000, 12_345} {
		entries := make([]catalog.Entry, n)
		exact := 0
		for i := range entries {
			entries[i] = catalog.Entry{
				ID: fmt.Sprintf("domain%d.action%d", i%40, i), Description: strings.Repeat("does a thing ", 1+20*(i%2)),
			}
			if i%5 > 0 {
				entries[i].Lua = "return 1"
				exact += text.Tokens(entries[i].Tool(nil).Name) + text.Tokens(strings.TrimSpace(entries[i].Description)) +
					text.Tokens(entries[i].Input.Text())
			}
		}
		c, report := catalog.New(entries, catalog.Options{})
		if len(report.Skipped) > 0 {
			t.Fatal(report.Skipped[0])
		}
		tokens, sample := DirectTokens(c.View())
		if again, _ := DirectTokens(c.View()); again != tokens {
			t.Errorf("%d actions: %d tokens, and then %d", n, tokens, again)
		}
		whole := sample == n
		if whole != (n < 2*directSample) || sample < min(n, directSample) {
			t.Errorf("%d actions: a sample of %d", n, sample)
		}
		if off := math.Abs(float64(tokens-exact)) / float64(max(exact, 1)); whole && off > 0 || off > 0.05 {
			t.Errorf("%d actions: %d tokens, want %d", n, tokens, exact)
		}
	}
}
