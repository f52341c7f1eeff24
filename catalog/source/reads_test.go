package source

import (
	"fmt"
	"strings"
	"testing"

	"almanac/catalog"
	"almanac/catalog/pattern"
)

// One line makes reads of a source's actions, of no other's, and of none whose risk is high.
func TestReads(t *testing.T) {
	patterns, err := pattern.ParseAll([]string{"*.get", "pull", "*.gone"})
	if err != nil {
		t.Fatal(err)
	}
	entries := []catalog.Entry{
		{ID: "bank.accounts.get", Mutates: true, Operation: catalog.Create, Risk: catalog.Medium},
		{ID: "bank.accounts.rules.get", Mutates: true},
		{ID: "bank.accounts.getter", Mutates: true},
		{ID: "bank.keys.get", Mutates: true, Risk: catalog.High},
		{ID: "bank.pull", Mutates: true},
		{ID: "bank.tokens.get"},
		{ID: "shop.accounts.get", Mutates: true},
	}
	said := Reads{"bank": patterns}.apply(entries)
	var reads []string
	for i := range entries {
		if e := &entries[i]; !e.Mutates && catalog.OperationOf(e) == catalog.Read && catalog.RiskOf(e) == catalog.Low {
			reads = append(reads, e.ID)
		}
	}
	if got := strings.Join(reads, " "); got != "bank.accounts.get bank.pull bank.tokens.get" || len(said.Hidden) > 0 {
		t.Errorf("got %s, hidden %v", got, said.Hidden)
	}
	want := "[{  reads: *.gone matches no action of bank} {bank.keys.get  reads: *.get matches it, but it is of high risk: " +
		"an overlay of a manifest can make it a read}]"
	if got := fmt.Sprint(said.Remarks); got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
}
