package repl

import (
	"regexp"
	"strings"
	"testing"

	"almanac/repl/transcript"
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
	next, _ := newShell(t, Options{Past: transcript.Past{Records: records}, Log: log.all}, policy.Policy{})
	for _, line := range []string{"/expand 1.1", "/trace 1"} {
		got := typed(t.Context(), next, line, nil)
		if !regexp.MustCompile(`\n\d\d of 100 rows kept in the log; run it again\n$`).MatchString(got) ||
			strings.Contains(got, "null") {
			t.Errorf("%s prints\n%s", line, got)
		}
	}
}
