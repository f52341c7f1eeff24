package catalog

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"almanac/internal/golden"
)

// TestTypos shows what misspelt requests find, and what is not taken for misspelt: names, words in quotes, ids,
// numbers, words that are right and that the catalog has not.
func TestTypos(t *testing.T) {
	v := officeView(t)
	var b strings.Builder
	for _, query := range []string{
		"refnud an invocie", "unpiad invoices of a custmer", "REFNUD", "Refnud a customer", "esclate the tciket",
		"cutsomers' tickets", "refnud refund", "cancel-ordr", "invoicse that are unpaid, list invoicse",
		"list tickets of Refnud", "list tickets of \"refnud\"", "list tickets of refnud@example.com",
		"list tickets of refnud_42", "list sofas", "rfd 42", "qqqqqqqq", "invoce", "unpaid invoces",
	} {
		s := mustSearch(t, v, query, SearchOptions{})
		fmt.Fprintf(&b, "%s\n", query)
		for _, note := range s.Notes() {
			fmt.Fprintf(&b, "  %s\n", note)
		}
		for _, hit := range s.Hits()[:min(2, s.Len())] {
			fmt.Fprintf(&b, "  %.3f %s\n", hit.Score, hit.ID)
		}
	}
	golden.Equal(t, "testdata/typos.golden", b.String())
}

// TestTyposNeverReveal searches for a misspelt word that only a hidden entry has.
func TestTyposNeverReveal(t *testing.T) {
	entries := []Entry{
		{ID: "pay.payrolls", Description: "Payrolls of the month."},
		{ID: "pay.pay", Description: "Pay a bill."},
		{ID: "pay.parole", Description: "Parole of a person."},
	}
	c, _ := New(entries, Options{})
	all := c.View()
	if notes := mustSearch(t, all, "payrlls", SearchOptions{}).Notes(); !slices.Equal(notes,
		[]string{`no action has "payrlls"; searched "payrolls"`}) {
		t.Error(notes)
	}
	narrow := mustNarrow(t, all, Rules{DeniedIDs: []string{"pay.payrolls"}})
	without, _ := New(entries[1:], Options{})
	for _, query := range []string{"payrlls", "payroll", "payrolls", "a bill of payrlls"} {
		text := narrow.FormatSet(mustSearch(t, narrow, query, SearchOptions{}), 5)
		want := without.View().FormatSet(mustSearch(t, without.View(), query, SearchOptions{}), 5)
		if text != want {
			t.Errorf("%q: got\n%s\nwithout the hidden entry\n%s", query, text, want)
		}
	}
}
