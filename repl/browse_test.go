package repl

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"almanac/catalog"
	"almanac/repl/show"
	"almanac/session"
	"almanac/session/policy"
	"almanac/session/vm"
)

// A browser finds words that are only begun, keeps the ranked order, and says why an id cannot be seen.
func TestBrowse(t *testing.T) {
	sh, _ := newShell(t, Options{}, policy.Policy{Mode: policy.Ask})
	show := func(f Filter) string {
		b := sh.Browse(t.Context(), f)
		var parts []string
		for _, h := range b.Hits {
			parts = append(parts, strings.TrimSpace(h.ID+" "+h.Tag+" "+h.Policy))
		}
		return fmt.Sprintf("%d: %s%s", b.Total, strings.Join(parts, ", "), b.Hidden)
	}
	tests := []struct {
		filter Filter
		want   string
	}{
		{Filter{}, "3: billing.invoice.list_unpaid R, billing.refund.issue ! asks, crm.customer.get R"},
		{Filter{Words: "unpa"}, "1: billing.invoice.list_unpaid R"},
		{Filter{Words: "inv UNP"}, "1: billing.invoice.list_unpaid R"},
		{Filter{Below: "billing"}, "2: billing.invoice.list_unpaid R, billing.refund.issue ! asks"},
		{Filter{Below: "billing", Effect: MutatesOnly}, "1: billing.refund.issue ! asks"},
		{Filter{Words: "bill", Effect: ReadsOnly}, "1: billing.invoice.list_unpaid R"},
		{Filter{Words: "zzzz"}, "0: "},
	}
	for _, test := range tests {
		if got := show(test.filter); got != test.want {
			t.Errorf("%+v: %s, want %s", test.filter, got, test.want)
		}
	}
	if err := sh.Session().Restrict(catalog.Rules{Name: "test", Namespaces: []string{"billing"}}); err != nil {
		t.Fatal(err)
	}
	if got := show(Filter{Words: "crm.customer.get"}); !strings.Contains(got, "hidden by test") {
		t.Errorf("a hidden id: %s", got)
	}
}

func TestPaths(t *testing.T) {
	for _, text := range []string{"open", "open[1].id", `t["a key"][2.5]`, "_3.list[-1]"} {
		path, ok := show.ParsePath(text)
		if text == "_3.list[-1]" {
			if ok {
				t.Errorf("%s: a path", text)
			}
			continue
		}
		if got := show.PathText(path); !ok || got != text {
			t.Errorf("%s: %v %s", text, ok, got)
		}
	}
	for _, text := range []string{"", "1", "f()", "a.b.", "a + b", "a[b]", `"x"`, "a.[1]", "a b"} {
		if path, ok := show.ParsePath(text); ok {
			t.Errorf("%s: %v", text, path)
		}
	}
	if got := show.PathText([]vm.Step{{Name: "end"}, {Name: "x y"}}); got != `_G["end"]["x y"]` {
		t.Error(got)
	}
}

// Variables say who set them: the person, the model, or, where this program did not see it, nobody.
func TestVariables(t *testing.T) {
	sh, _ := newShell(t, Options{}, policy.Policy{})
	var none []string
	typed(t.Context(), sh, "x = 1; y = {1, 2}", &none)
	typed(t.Context(), sh, "/execute --fresh x = 5", &none)
	typed(t.Context(), sh, "/preview x = 5", &none)
	if _, err := sh.Session().Run(t.Context(), session.Script{Source: "y = 3", Author: session.Model}); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, v := range sh.Variables() {
		got = append(got, strings.TrimSpace(v.Name+" "+v.Kind()+" "+v.From()))
	}
	if want := "x number you [1]; y number model"; strings.Join(got, "; ") != want {
		t.Errorf("got %s, want %s", strings.Join(got, "; "), want)
	}
}

// The first call that is proposed is a read of the catalog that is open, with the fewest arguments.
func TestFirst(t *testing.T) {
	sh, _ := newShell(t, Options{}, policy.Policy{})
	if call, words := sh.First(); call != "crm.customer.get{id = }" &&
		call != "billing.invoice.list_unpaid{customer_id = }" || words == "" {
		t.Errorf("proposed %q, %q", call, words)
	}
	for description, want := range map[string]string{
		"List all pets.": "list all pets", "Returns pets by their status, the newest first.": "returns pets by their status",
		"List invoices for a customer.": "list invoices for a customer", "URL lookup": "URL lookup", "One.": "find by status",
		"Find out which of the invoices are overdue.": "find out",
	} {
		if got := asRequest(&catalog.Entry{ID: "pets.find_by_status", Description: description}); got != want {
			t.Errorf("%s: %q, want %q", description, got, want)
		}
	}
	var entries []catalog.Entry
	action := func(context.Context, catalog.Call) (catalog.Result, error) { return catalog.Result{}, nil }
	for _, id := range []string{"a.b.drop", "a.b.get", "a.b.list_all", "a.c.sum"} {
		entries = append(entries, catalog.Entry{ID: id, Description: "One.", Mutates: id == "a.b.drop", Action: action})
	}
	c, _ := catalog.New(entries, catalog.Options{})
	s, err := session.New(c.View(), session.Options{ID: "test"})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if call, words := New(Options{Session: s}).First(); call != "a.b.list_all{}" || words != "list all" {
		t.Errorf("proposed %q, %q", call, words)
	}
}
