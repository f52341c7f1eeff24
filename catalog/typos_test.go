package catalog

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestTypos shows what misspelt requests find, and what is not taken for misspelt: names, words in quotes, ids, numbers,
// words that are right and that the catalog has not.
func TestTypos(t *testing.T) {
	v := officeView(t)
	var b strings.Builder
	for _, query := range []string{
		"refnud an invocie", "unpiad invoices of a custmer", "REFNUD", "Refnud a customer", "esclate the tciket", "cutsomers' tickets",
		"refnud refund", "cancel-ordr", "invoicse that are unpaid, list invoicse",
		"list tickets of Refnud", "list tickets of \"refnud\"", "list tickets of refnud@example.com", "list tickets of refnud_42", "list sofas", "rfd 42", "qqqqqqqq", "invoce", "unpaid invoces",
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
	golden(t, "typos.golden", b.String())
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
	if notes := mustSearch(t, all, "payrlls", SearchOptions{}).Notes(); !slices.Equal(notes, []string{`no action says "payrlls": searched "payrolls"`}) {
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

// TestSpellerMissesNothing holds the speller against a look at every name.
func TestSpellerMissesNothing(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	word := func(letters string, n int) string {
		runes := []rune(letters)
		var b strings.Builder
		for range n {
			b.WriteRune(runes[random.IntN(len(runes))])
		}
		return b.String()
	}
	for _, letters := range []string{"abc", "abcdefghij", "aé_1.ß"} {
		var names []string
		for range 3000 {
			names = append(names, word(letters, 1+random.IntN(12)), word(letters, 60+random.IntN(8)))
		}
		slices.Sort(names)
		names = slices.Compact(names)
		all := newColumn(names)
		s := newSpeller(&all)
		for range 60 {
			want := word(letters, random.IntN(12))
			for _, limit := range []int{1, 2, 4} {
				var near, found []int
				for i, name := range names {
					if EditDistance(want, name, limit+1) <= limit {
						near = append(near, i)
					}
				}
				s.each(want, limit, func(i int) int {
					if EditDistance(want, names[i], limit+1) <= limit {
						found = append(found, i)
					}
					return limit
				})
				slices.Sort(found)
				if diff := cmp.Diff(near, found); diff != "" {
					t.Fatalf("%q, %d edits:\n%s", want, limit, diff)
				}
			}
		}
	}
}

// FuzzEditDistance holds the limited distance against the whole table.
func FuzzEditDistance(f *testing.F) {
	f.Add("invoice", "invocie", 3)
	f.Add("über", "uber", 1)
	f.Fuzz(func(t *testing.T, a, b string, limit int) {
		limit = 1 + int(uint(limit)%8)
		a, b = clip(strings.ToValidUTF8(a, ""), 80), clip(strings.ToValidUTF8(b, ""), 80)
		x, y := []rune(a), []rune(b)
		table := make([][]int, len(x)+1)
		for i := range table {
			table[i] = make([]int, len(y)+1)
			for j := range table[i] {
				switch {
				case i == 0 || j == 0:
					table[i][j] = i + j
					continue
				case x[i-1] == y[j-1]:
					table[i][j] = table[i-1][j-1]
				default:
					table[i][j] = 1 + min(table[i-1][j-1], table[i-1][j], table[i][j-1])
				}
				if i > 1 && j > 1 && x[i-1] == y[j-2] && x[i-2] == y[j-1] {
					table[i][j] = min(table[i][j], table[i-2][j-2]+1)
				}
			}
		}
		if got, want := EditDistance(a, b, limit), min(limit, table[len(x)][len(y)]); got != want {
			t.Errorf("%q to %q below %d: %d, want %d", a, b, limit, got, want)
		}
	})
}
