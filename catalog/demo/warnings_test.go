package demo

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"almanac/catalog"
)

// The short spec, which may be all that a model reads, has every warning of the full description.
func TestWarnings(t *testing.T) {
	office := newOffice(t)
	c, report := catalog.New(office.Entries(), catalog.Options{})
	if len(report.Skipped) > 0 {
		t.Fatal(report.Skipped)
	}
	warns := map[string][]string{}
	for _, e := range office.Entries() {
		spec, err := c.View().Describe(e.ID, catalog.Brief)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(e.Description, "undone") && !strings.Contains(spec.Text, "\nCannot be undone.") {
			t.Errorf("%s: the short spec does not say that it cannot be undone:\n%s", e.ID, spec.Text)
		}
		if w := catalog.Warnings(&e); w != nil {
			warns[e.ID] = w
		}
	}
	undone := []string{"Cannot be undone."}
	want := map[string][]string{
		"billing.invoice.void": undone, "billing.invoice.void_all_for_customer": undone, "billing.refund.issue": undone,
		"crm.customer.merge": undone, "identity.user.purge": undone, "support.ticket.merge": undone,
		"support.ticket.delete": undone,
		"support.ticket.solve":  {"Mark a ticket as solved, or as closed for good."},
	}
	if diff := cmp.Diff(want, warns); diff != "" {
		t.Errorf("warnings (-want +got):\n%s", diff)
	}
}
