package event

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Where there is room, what a call needs stands behind the id; names on the way to actions have no effect.
func TestHitRows(t *testing.T) {
	hits := []Hit{
		{ID: "billing.refund.issue", Tag: "!", Needs: []string{"invoice_id", "amount_cents"}, Brief: "Issue a refund."},
		{ID: "billing.ledger.list", Tag: "R", Brief: "List ledger entries, the newest first, of all customers or of one."},
		{ID: "billing.credit", Brief: "5 actions"},
	}
	for _, test := range []struct {
		width int
		want  string
	}{
		{60, "billing.refund.issue  !  Issue a refund.\n" +
			"billing.ledger.list   R  List ledger entries, the newest fi…\n" +
			"billing.credit           5 actions"},
		{120, "billing.refund.issue {invoice_id, amount_cents}  !  Issue a refund.\n" +
			"billing.ledger.list {}                           R  List ledger entries, the newest first, of all customers or of one.\n" +
			"billing.credit                                      5 actions"},
	} {
		var got []string
		for _, l := range hitRows(hits, test.width, RenderOptions{}.Marks()) {
			got = append(got, l.String())
		}
		if d := cmp.Diff(test.want, strings.Join(got, "\n")); d != "" {
			t.Errorf("at %d (-want +got):\n%s", test.width, d)
		}
	}
}

// TestHitLines has hits that are interchangeable share a line, and say what finds the ids that they require.
func TestHitLines(t *testing.T) {
	e := Event{Total: 12, Hits: []Hit{
		{ID: "pets_v2.pet.get", Tag: "R", Brief: "Get a pet.", Others: []string{"pets_v1.pet.get"},
			Supplied: []string{"needs pet_id: from pets_v2.pet.search"}},
		{ID: "pets_v1.pet.get", Tag: "R", Brief: "Get a pet.", Like: true},
		{ID: "pets_v2.pet.search", Tag: "R", Brief: "Search for pets."},
	}}
	for width, want := range map[int]string{
		60: "pets_v2.pet.get     R  Get a pet.\n  or pets_v1.pet.get\n  needs pet_id: from pets_v2.pet.search\n" +
			"pets_v2.pet.search  R  Search for pets.\n… 9 more",
		30: "pets_v2.pet.get     R  Get a …\n  or pets_v1.pet.get\n  needs pet_id: from\n    pets_v2.pet.search\n" +
			"pets_v2.pet.search  R  Search…\n… 9 more",
	} {
		var got []string
		for _, l := range hitLines(e, width, RenderOptions{}.Marks()) {
			got = append(got, l.String())
		}
		if d := cmp.Diff(want, strings.Join(got, "\n")); d != "" {
			t.Errorf("at %d (-want +got):\n%s", width, d)
		}
	}
}
