package catalog

import (
	"fmt"
	"strings"
	"testing"

	"almanac/internal/golden"
)

// many is a catalog of n alike entries: required inputs, optional ones with long types, many outputs, long texts.
func many(n int) *View {
	var entries []Entry
	for i := range n {
		in := input(`"account_id":{"type":"string"},"format":{"enum":["comma_separated","tab_separated","json_lines"]},"page":{"type":"integer","default":1},"size":{"type":"integer"},"since":{"type":"string"},"customerId":{"type":"string"}`, `"account_id"`)
		e := about(read(fmt.Sprintf("books.ledger%02d.export_entries", i),
			"Export the entries of a ledger with all of their postings, one row for each posting, oldest first.",
			in, listOf(invoiceItem)), "entry")
		entries = append(entries, e)
	}
	c, _ := New(entries, Options{})
	return c.View()
}

func TestAnswersFit(t *testing.T) {
	v := many(60)
	var b strings.Builder
	for _, ask := range []struct {
		say string
		o   SearchOptions
	}{
		{"no limit", SearchOptions{}},
		{"limit 4", SearchOptions{Limit: 4}},
		{"limit 12, asked by customer_id and due_date",
			SearchOptions{Limit: 12, NeedsInput: []string{"customer_id"}, NeedsOutput: []string{"due_date"}}},
	} {
		fmt.Fprintf(&b, "== %s\n%s\n", ask.say, v.FormatSet(mustSearch(t, v, "export ledger entries", ask.o), 30))
	}
	golden.Equal(t, "testdata/answers.golden", b.String())
}

func TestRequiredNamesAreNeverDropped(t *testing.T) {
	var props, required []string
	for i := range 40 {
		name := fmt.Sprintf("a_field_with_a_long_name_%02d", i)
		props, required = append(props, `"`+name+`":{"type":"string"}`), append(required, `"`+name+`"`)
	}
	var entries []Entry
	for i := range 30 {
		entries = append(entries,
			read(fmt.Sprintf("forms.file%02d", i), "File a form.",
				input(strings.Join(props, ","), strings.Join(required, ",")), nil))
	}
	c, _ := New(entries, Options{})
	v := c.View()
	for _, limit := range []int{0, 20} {
		text := v.FormatSet(mustSearch(t, v, "file a form", SearchOptions{Limit: limit}), 0)
		lines := strings.Split(text, "\n")[1:]
		if want := max(leastHits, limit); len(lines) != want {
			t.Errorf("limit %d: %d lines, want %d", limit, len(lines), want)
		}
		for _, line := range lines {
			if n := strings.Count(line, "*"); n != 40 {
				t.Errorf("limit %d: %d required names, want 40: %s", limit, n, line)
			}
		}
	}
}

func BenchmarkFormatSet(b *testing.B) {
	v := many(60)
	set := mustSearch(b, v, "export ledger entries", SearchOptions{})
	b.ReportAllocs()
	for b.Loop() {
		v.FormatSet(set, 0)
	}
}

// What is cut at the most that one answer lists does not ask for a higher limit: it was high enough.
func TestCutAtTheMost(t *testing.T) {
	var entries []Entry
	for i := range 30 {
		entries = append(entries, Entry{ID: fmt.Sprintf("a.list_%d", i), Description: "List things."})
	}
	c, _ := New(entries, Options{})
	set, err := c.View().Search("list things", SearchOptions{Limit: 30})
	if err != nil {
		t.Fatal(err)
	}
	text := c.View().FormatSet(set.Filter(SearchOptions{Limit: 25}), 20)
	if !strings.HasPrefix(text, "20 of 30 shown, the most that one answer lists; narrow the query for the rest") {
		t.Error(text)
	}
	for name, set := range map[string]Set{"asked for as many": set.Top(20),
		"a namespace": c.View().Namespace("a").Top(20)} {
		if text := c.View().FormatSet(set, 20); !strings.HasPrefix(text, "20 of 30 shown, the most that one answer lists") {
			t.Errorf("%s: %s", name, text)
		}
	}
	if text := c.View().FormatSet(c.View().Namespace("a"), 20); !strings.Contains(text,
		" of 30 shown; catalog.top(set, 20) lists more, catalog.filter narrows\n") {
		t.Error(text)
	}
	text = c.View().FormatSet(set.Filter(SearchOptions{Limit: 10}), 20)
	if !strings.HasPrefix(text, "10 of 30 shown; raise limit") {
		t.Error(text)
	}
}
