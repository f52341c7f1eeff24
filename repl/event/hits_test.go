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
