package scripted

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"almanac/llm"
)

func TestGoals(t *testing.T) {
	for _, test := range []struct{ prompt, want string }{
		{"What is the balance of invoice inv_01544?",
			"reads [What is the balance of invoice] record=inv_01544"},
		{`Please void the invoice inv_00001 and add the note "Paid. Twice and then some." to customer "Forge Energy".`,
			`changes [Please void the invoice] record=inv_00001; ` +
				`changes [add the note to customer] quoted=Paid. Twice and then some. quoted=Forge Energy`},
		{"List the open tickets. Show each of them, then close ticket tkt_00001.",
			"reads [List the open tickets]; reads each [Show each of them]; changes [close ticket] record=tkt_00001"},
		{"Record a payment of EUR 1,164.25 for Eagle Farms from 2026-10-30",
			"changes [Record a payment of for from] date=2026-10-30 money=1,164.25 name=Eagle Farms"},
		{"", ""},
	} {
		var parts []string
		for _, g := range goalsOf(test.prompt) {
			part := "reads"
			if g.changes {
				part = "changes"
			}
			if g.each {
				part += " each"
			}
			part += " [" + g.text + "]"
			for _, v := range g.values {
				part += fmt.Sprintf(" %s=%s", v.kind, v.text)
			}
			parts = append(parts, part)
		}
		if diff := cmp.Diff(test.want, strings.Join(parts, "; ")); diff != "" {
			t.Errorf("%s, -want +got:\n%s", test.prompt, diff)
		}
	}
}

// TestSaysWhatItIs: an answer of the agent cannot be taken for a model's, and a prompt without tools ends too.
func TestSaysWhatItIs(t *testing.T) {
	var a Agent
	defer a.Close()
	for _, prompt := range []string{"Hello", "List the invoices."} {
		asked := llm.Request{Messages: []llm.Message{{Role: llm.User, Text: prompt}}}
		r, err := a.Complete(t.Context(), asked, func(llm.Piece) {})
		if err != nil || !strings.HasSuffix(r.Text, "(scripted agent: fixed rules, no model)") {
			t.Errorf("%q, %v", r.Text, err)
		}
	}
}
