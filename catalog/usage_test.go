package catalog

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"almanac/catalog/search"
)

func TestUsageRaises(t *testing.T) {
	// Of the features only vectors count after usage, by a sum of their own.
	c, _ := New(office(), Options{Without: []search.Feature{search.Vectors}})
	v := c.View()
	const query = "list refunds or payments of a customer"
	plain := mustSearch(t, v, query, SearchOptions{})
	second := plain.Hits()[1]
	counts := map[string]int{second.ID: 1000, "no.such.id": 5, "crm.lead.search": 0}
	used := v.WithUsage(counts)
	got := mustSearch(t, used, query, SearchOptions{})
	if got.Total() != plain.Total() {
		t.Errorf("usage changed how many match: %d and %d", got.Total(), plain.Total())
	}
	for _, hit := range got.Hits() {
		at := slices.IndexFunc(plain.Hits(), func(h Hit) bool { return h.ID == hit.ID })
		want := plain.Hits()[at].Score
		if hit.ID == second.ID {
			want *= 1.125
		}
		if diff := hit.Score - want; diff < -0.01 || diff > 0.01 {
			t.Errorf("%s: score %.3f, want %.3f", hit.ID, hit.Score, want)
		}
	}
	why, err := used.Explain(second.ID, query)
	if err != nil || !strings.Contains(why, "(usage)") ||
		!strings.Contains(why, "1,000 good calls before") && !strings.Contains(why, "1000 good calls before") {
		t.Errorf("explain: %v\n%s", err, why)
	}
	if why, _ := v.Explain(second.ID, query); strings.Contains(why, "(usage)") {
		t.Error("usage is explained where it is off")
	}
	if again := mustSearch(t, used.WithUsage(nil), query, SearchOptions{}); !slices.Equal(again.Hits(), plain.Hits()) {
		t.Error("usage cannot be switched off")
	}
	if found := mustSearch(t, v.WithUsage(map[string]int{"crm.lead.search": 9}), "void an invoice",
		SearchOptions{}); slices.Contains(ids(found), "crm.lead.search") {
		t.Error("usage alone found an entry")
	}
	narrow := mustNarrow(t, used, Rules{Namespaces: []string{"billing"}})
	if second, ok := used.Lookup(second.ID); !ok || strings.HasPrefix(second.ID, "billing.") {
		checkSameRanking(t, "usage", used, narrow, query)
	}
}

func TestSimilar(t *testing.T) {
	v := officeView(t)
	for id, want := range map[string]string{
		"billing.invoice.get":  "billing.invoice.search",
		"billing.refund.list":  "billing.payment.list",
		"support.ticket.reply": "support.ticket.escalate",
	} {
		set, err := v.Similar(id, SearchOptions{Limit: 4})
		if err != nil {
			t.Fatal(err)
		}
		if got := ids(set); slices.Contains(got, id) || !slices.Contains(got, want) {
			t.Errorf("like %s: %v, want %s among them and not itself", id, got, want)
		}
	}
	narrow := mustNarrow(t, v, Rules{DeniedNamespaces: []string{"billing.invoice"}})
	set, err := narrow.Similar("billing.refund.issue", SearchOptions{Tags: []string{"billing"}})
	if err != nil || set.Len() == 0 {
		t.Fatal(set, err)
	}
	for _, id := range ids(set) {
		if strings.HasPrefix(id, "billing.invoice.") {
			t.Errorf("%s is hidden and yet similar", id)
		}
	}
	var hidden, missing *UnknownError
	_, err = narrow.Similar("billing.invoice.get", SearchOptions{})
	_, none := narrow.Similar("billing.invoice.git", SearchOptions{})
	if !errors.As(err, &hidden) || !errors.As(none, &missing) {
		t.Fatal(err, none)
	}
	if text := v.FormatSet(set, 3); !strings.Contains(text, "shown") && !strings.Contains(text, "complete") {
		t.Error(text)
	}
}

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
