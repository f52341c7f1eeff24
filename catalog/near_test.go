package catalog

import (
	"errors"
	"fmt"
	"slices"
	"testing"
)

// TestNearByName asks for names and aliases as if they were ids.
func TestNearByName(t *testing.T) {
	v := officeView(t)
	for ask, want := range map[string]string{
		"list_unpaid": "billing.invoice.list_unpaid", "invoices.listUnpaid": "billing.invoice.list_unpaid",
		"open invoices": "billing.invoice.list_unpaid", "LookupAccount": "crm.customer.search",
		"by-month": "reporting.revenue.by-month",
	} {
		_, err := v.Resolve(ask)
		var unknown *UnknownError
		if !errors.As(err, &unknown) || len(unknown.Near) == 0 || unknown.Near[0] != want {
			t.Errorf("%s: %v, want %s near", ask, err, want)
		}
	}
	narrow := mustNarrow(t, v, Rules{DeniedIDs: []string{"billing.invoice.list_unpaid"}})
	_, err := narrow.Resolve("list_unpaid")
	var unknown *UnknownError
	if !errors.As(err, &unknown) || slices.Contains(unknown.Near, "billing.invoice.list_unpaid") {
		t.Error("a hidden id is near:", err, fmt.Sprint(unknown))
	}
}
