package repl

import (
	"regexp"
	"strings"
	"testing"

	"almanac/session/policy"
)

// What the log has only the beginning of is shown as that: whole records, and a line that says how many are missing.
func TestResultOfAnEarlierSession(t *testing.T) {
	log := &memory{}
	first, _ := newShell(t, Options{}, policy.Policy{})
	typed(t.Context(), first, `many = billing.invoice.list_unpaid{customer_id="many"}`, nil)
	records, err := first.options.Log()
	if err != nil {
		t.Fatal(err)
	}
	next, _ := newShell(t, Options{Past: Past{Records: records}, Log: log.all}, policy.Policy{})
	for _, line := range []string{"/expand 1.1", "/trace 1"} {
		got := typed(t.Context(), next, line, nil)
		if !regexp.MustCompile(`\n\d\d of 100 rows kept in the log; run it again\n$`).MatchString(got) || strings.Contains(got, "null") {
			t.Errorf("%s prints\n%s", line, got)
		}
	}
}

// Results are kept up to a size; the oldest go first.
func TestKeptResults(t *testing.T) {
	var r results
	big := strings.Repeat("x", keptResultBytes/2)
	r.put(1, 1, "a")
	r.put(1, 2, big)
	r.put(2, 1, big)
	r.put(0, 1, "of no cell")
	r.put(3, 1, big+big+big)
	for _, test := range []struct {
		cell, call int
		want       bool
	}{{1, 1, false}, {1, 2, false}, {2, 1, true}, {0, 1, false}, {3, 1, false}} {
		if _, ok := r.get(test.cell, test.call); ok != test.want {
			t.Errorf("[%d.%d] is kept: %v, want %v", test.cell, test.call, ok, test.want)
		}
	}
	for i := range 2 * keptResults {
		r.put(9, i, "small")
	}
	if len(r.kept) != keptResults {
		t.Errorf("%d results are kept", len(r.kept))
	}
}
