package repl

import (
	"strings"
	"testing"
	"time"

	"almanac/catalog/text/cells"
	"almanac/internal/golden"
	"almanac/llm"
	"almanac/repl/event"
)

// TestUsageTable draws what the server counted, what it did not, and what has a price, in windows of several widths: no
// line of the table is wrapped.
func TestUsageTable(t *testing.T) {
	turn := llm.Usage{
		Input: 12_340, Output: 150, Cached: 10_000, Reasoning: 64, Completions: 3, Calls: 4,
		Parts: llm.Parts{
			llm.PartPrompt: 430, llm.PartCard: 250, llm.PartTools: 330, llm.PartQuery: 2_100, llm.PartDescribe: 900,
			llm.PartExecute: 6_000, llm.PartPerson: 300, llm.PartModel: 2_030,
		},
		Model: 2100 * time.Millisecond, Lua: 3 * time.Millisecond, Actions: 12 * time.Millisecond, Waited: 4 * time.Second,
		Cost: 0.01234, Priced: 3,
	}
	local := llm.Usage{Input: 1_100_000, Output: 90, Completions: 2, Estimated: 2, Model: time.Second,
		Parts: llm.Parts{llm.PartNotes: 1_000_000, llm.PartSummary: 100_000}}
	table := UsageTable([]string{"this turn", "session"}, turn, turn.Add(local)) + "\n\n" +
		UsageTable([]string{"prompt"}, turn) + "\n\n" + UsageTable([]string{"prompt"}, local) + "\n"
	golden.Equal(t, "testdata/meter.golden", table)
	for _, line := range strings.Split(table, "\n") {
		if cells.Width(line) > 39 {
			t.Errorf("%d columns: %s", cells.Width(line), line)
		}
	}
	for _, width := range []int{40, 80, 120} {
		var b strings.Builder
		said := event.Event{Kind: event.Said, Level: event.Plain, Text: strings.TrimSuffix(table, "\n")}
		for _, line := range event.Lines(said, width-1, event.RenderOptions{}) {
			b.WriteString(strings.TrimRight(line.String(), " ") + "\n")
		}
		if b.String() != table {
			t.Errorf("%d columns:\n%s", width, b.String())
		}
	}
}
