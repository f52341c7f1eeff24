package catalog

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"almanac/catalog/text"
	"almanac/internal/golden"
)

func mustNarrow(t testing.TB, v *View, r Rules) *View {
	t.Helper()
	n, err := v.Narrow(r)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func TestNarrow(t *testing.T) {
	v := officeView(t)
	for _, test := range []struct {
		name   string
		rules  Rules
		hidden string
		why    string
		kept   string
	}{
		{"namespaces", Rules{Namespaces: []string{"crm", "billing.invoice"}}, "billing.refund.issue",
			"only the namespaces crm, billing.invoice are allowed", "billing.invoice.get"},
		{"denied namespace", Rules{DeniedNamespaces: []string{"billing.refund"}}, "billing.refund.list",
			"the namespace billing.refund is denied", "billing.payment.list"},
		{"denied operation", Rules{DeniedOperations: []Operation{Delete, Admin}}, "identity.user.suspend",
			"the operation admin is denied", "crm.customer.create"},
		{"operations", Rules{Operations: []Operation{Read, "Update"}}, "identity.user.suspend",
			"the operation admin is not allowed", "crm.customer.get"},
		{"denied id", Rules{Name: "night shift", DeniedIDs: []string{"crm.lead.search"}}, "crm.lead.search",
			"night shift: this id is denied", "crm.customer.get"},
		{"denied pattern", Rules{DeniedIDs: []string{"*.*.delete", "billing.*"}}, "billing.refund.issue",
			"this id is denied", "crm.customer.get"},
		{"only a pattern", Rules{IDs: []string{"crm.*.get", "billing.invoice.*"}}, "crm.customer.create",
			"only 2 named actions may be seen", "billing.invoice.get"},
		{"only ids", Rules{IDs: []string{"crm.customer.get", "billing.invoice.get"}}, "crm.customer.create",
			"only 2 named actions may be seen", "crm.customer.get"},
		{"read-only", Rules{ReadOnly: true}, "crm.customer.create",
			"the view is read-only and the action writes", "crm.customer.get"},
		{"guard", Rules{Guard: func(e *Entry) (bool, string) { return RiskOf(e) != High, "high risk is for admins" }},
			"billing.invoice.void", "high risk is for admins", "billing.credit.grant"},
	} {
		t.Run(test.name, func(t *testing.T) {
			n := mustNarrow(t, v, test.rules)
			if n.Len() >= v.Len() {
				t.Errorf("%d of %d are left", n.Len(), v.Len())
			}
			if _, ok := n.Lookup(test.kept); !ok {
				t.Errorf("%s is hidden", test.kept)
			}
			if got := n.Why(test.hidden); got.State != "hidden" || got.Rule != test.why {
				t.Errorf("why %s: %+v, want %q", test.hidden, got, test.why)
			}
			deeper := mustNarrow(t, n, Rules{Tenant: "acme"})
			if got := deeper.Why(test.hidden); got.Rule != test.why {
				t.Errorf("below, why %s: %+v", test.hidden, got)
			}
		})
	}
}

func TestNarrowRefuses(t *testing.T) {
	v := mustNarrow(t, officeView(t), Rules{Actor: "ann", Tenant: "acme"})
	for _, test := range []struct {
		rules Rules
		want  string
	}{
		{Rules{Actor: "bob"}, `actor "bob": the view already has actor "ann"`},
		{Rules{Tenant: "other"}, `tenant "other": the view already has tenant "acme"`},
		{Rules{Namespaces: []string{"biling"}}, `namespace "biling": not in the catalog; did you mean billing?`},
		{Rules{DeniedNamespaces: []string{"crn"}}, `namespace "crn": not in the catalog; did you mean crm?`},
		{Rules{DeniedIDs: []string{"crm.customer.delet"}}, `denied id: crm.customer.delet: no such action`},
		{Rules{DeniedNamespaces: []string{"crm*"}}, `namespace "crm*": not in the catalog; did you mean crm?`},
		{Rules{DeniedIDs: []string{"crn.*"}}, `denied id: crn.*: no such action`},
		{Rules{DeniedIDs: []string{"crm.[ab]*"}, Growing: true},
			`denied id: pattern "crm.[ab]*": [, ] and \ have no meaning; ? stands for one character`},
		{Rules{IDs: []string{"crm.customer.gte"}}, `allowed id: crm.customer.gte: no such action`},
	} {
		if _, err := v.Narrow(test.rules); err == nil || err.Error() != test.want {
			t.Errorf("narrow %+v: %v, want %s", test.rules, err, test.want)
		}
	}
	same := mustNarrow(t, v, Rules{Actor: "ann"})
	if same.Actor() != "ann" || same.Tenant() != "acme" || same.Len() != v.Len() {
		t.Errorf("narrowing by nothing changed the view: %s %s %d", same.Actor(), same.Tenant(), same.Len())
	}
}

// TestMisfits: what of rules fits nothing is told, though a catalog that grows takes it; a misspelt operation is an
// error even there.
func TestMisfits(t *testing.T) {
	v := officeView(t)
	rules := Rules{
		Growing: true, Namespaces: []string{"crm", "nope"}, DeniedNamespaces: []string{"bilin", "billing.*"},
		DeniedIDs: []string{"crm.lead.serch", "crm.*.fly", "crm.lead.*"}, IDs: []string{"crm.*"},
		DeniedOperations: []Operation{"export", Delete},
	}
	n := mustNarrow(t, v, rules)
	if _, ok := n.Lookup("crm.customer.get"); !ok {
		t.Error("crm.customer.get is hidden")
	}
	var got []string
	for _, err := range v.Misfits(rules) {
		got = append(got, err.Error())
	}
	want := []string{
		`namespace "nope": not in the catalog`,
		`namespace "bilin": not in the catalog`,
		`operation "export": not in the catalog, which has admin, create, delete, read, update`,
		`denied id: crm.lead.serch: no such action; did you mean crm.lead.search?`,
		`denied id: crm.*.fly: no such action`,
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	for _, rules := range []Rules{
		{DeniedOperations: []Operation{"delte"}, Growing: true}, {Operations: []Operation{"raed"}, Growing: true},
		{Operations: []Operation{"export"}},
	} {
		if _, err := v.Narrow(rules); err == nil || !strings.Contains(err.Error(), "not in the catalog, which has") {
			t.Errorf("%+v: %v", rules, err)
		}
	}
}

// TestNarrowNeverReveals holds every way to look at a catalog against random chains of rules.
func TestNarrowNeverReveals(t *testing.T) {
	size := 400
	if testing.Short() {
		size = 100
	}
	c, _ := New(mixed(size), Options{})
	all := c.View()
	chains := [][]Rules{
		{{ReadOnly: true}},
		{{Namespaces: []string{"crm", "billing"}}, {DeniedNamespaces: []string{"billing.invoice"}}},
		{{Namespaces: []string{"billing"}}, {Namespaces: []string{"crm"}}},
		{{Guard: func(e *Entry) (bool, string) { return len(e.ID)%2 == 0, "" }}, {ReadOnly: true},
			{DeniedOperations: []Operation{Read}}},
		{{IDs: ids(all.Namespace("crm", "ops"))}, {ReadOnly: true}, {IDs: ids(all.Namespace("billing", "crm.customer"))}},
		{{DeniedIDs: []string{all.Namespace("crm").Hits()[0].ID}}, {Namespaces: []string{"crm.customer", "ops"}}},
	}
	queries := []string{"list invoices of a customer", "crm", "delete contract", ""}
	for i, chain := range chains {
		wide := all
		for _, rules := range chain {
			narrow := mustNarrow(t, wide, rules)
			for _, query := range queries {
				checkSameRanking(t, fmt.Sprintf("chain %d, %q", i, query), wide, narrow, query)
			}
			for _, e := range c.Entries() {
				_, before := wide.Lookup(e.ID)
				_, after := narrow.Lookup(e.ID)
				if after && !before {
					t.Fatalf("chain %d reveals %s", i, e.ID)
				}
				if !after {
					checkHidden(t, narrow, e.ID)
				}
			}
			wide = narrow
		}
	}
}

// checkSameRanking says that a narrow view has the hits of the wide one that it sees, in the same order and with the
// same scores.
func checkSameRanking(t *testing.T, what string, wide, narrow *View, query string) {
	t.Helper()
	var want []Hit
	for _, hit := range mustSearch(t, wide, query, SearchOptions{Limit: 1000}).Hits() {
		if _, ok := narrow.Lookup(hit.ID); ok {
			want = append(want, hit)
		}
	}
	got := mustSearch(t, narrow, query, SearchOptions{Limit: 1000})
	if !slices.Equal(want, got.Hits()) || got.Total() != len(want) {
		t.Fatalf("%s: %d hits, total %d, want %d", what, got.Len(), got.Total(), len(want))
	}
}

// checkHidden says that a hidden id answers as one that does not exist.
func checkHidden(t *testing.T, v *View, id string) {
	t.Helper()
	_, err := v.Resolve(id)
	var unknown *UnknownError
	if !errors.As(err, &unknown) || slices.Contains(unknown.Near, id) {
		t.Fatalf("%s: %v", id, err)
	}
	for _, near := range unknown.Near {
		if _, ok := v.Lookup(near); !ok {
			t.Fatalf("%s: near id %s is hidden", id, near)
		}
	}
	if line := v.Line(id); line != "" {
		t.Fatalf("line of a hidden action: %s", line)
	}
	if _, err := v.Describe(id, Full); err == nil {
		t.Fatalf("%s: described", id)
	}
	if _, err := v.Explain(id, "list"); !errors.As(err, &unknown) {
		t.Fatalf("%s: explained: %v", id, err)
	}
	if v.SetOf([]Hit{{ID: id, Score: 1}}).Len() > 0 {
		t.Fatalf("%s: got into a set", id)
	}
}

func TestSetsOfAWiderViewAreCut(t *testing.T) {
	v := officeView(t)
	n := mustNarrow(t, v, Rules{Namespaces: []string{"crm"}})
	wide := v.Namespace("crm", "billing")
	for name, s := range map[string]Set{
		"union":     n.Namespace("crm").Union(wide),
		"intersect": n.Namespace("crm").Intersect(wide),
	} {
		for _, id := range ids(s) {
			if !strings.HasPrefix(id, "crm.") {
				t.Errorf("%s shows %s", name, id)
			}
		}
	}
	if text := n.FormatSet(wide, 100); strings.Contains(text, "billing.") {
		t.Errorf("a wider set is shown:\n%s", text)
	}
	plan, err := n.Plan([]Step{wide.Pick(PickOptions{SearchOptions{Limit: 100}})})
	if err != nil || slices.ContainsFunc(plan.IDs(), func(id string) bool { return strings.HasPrefix(id, "billing") }) {
		t.Errorf("a plan shows hidden ids: %v %v", plan.IDs(), err)
	}
}

func TestRootsAndChildren(t *testing.T) {
	v := officeView(t)
	if diff := cmp.Diff([]string{"billing", "commerce", "crm", "identity", "reporting", "support"},
		v.Roots()); diff != "" {
		t.Error(diff)
	}
	want := []Child{{"credit", "", 1}, {"invoice", "", 4}, {"payment", "", 1}, {"refund", "", 3}}
	if diff := cmp.Diff(want, v.Children("billing")); diff != "" {
		t.Error(diff)
	}
	want = []Child{{"draft_note", "billing.refund.draft_note", 1}, {"issue", "billing.refund.issue", 1},
		{"list", "billing.refund.list", 1}}
	if diff := cmp.Diff(want, v.Children("billing.refund.")); diff != "" {
		t.Error(diff)
	}
	if got := v.Children("nothing"); got != nil {
		t.Errorf("children of nothing: %v", got)
	}
	c, _ := New([]Entry{{ID: "a.b"}, {ID: "a.b.c"}, {ID: "a-b.c"}}, Options{})
	want = []Child{{"b", "a.b", 2}}
	if diff := cmp.Diff(want, c.View().Children("a")); diff != "" {
		t.Error(diff)
	}
}

func TestResolveNames(t *testing.T) {
	v := officeView(t)
	for id, want := range map[string]string{
		"crm.customer.serach":        "crm.customer.search",
		"billing.invoices.list_open": "billing.invoice.list_unpaid",
		"refund.issue":               "billing.refund.issue",
	} {
		_, err := v.Resolve(id)
		var unknown *UnknownError
		if !errors.As(err, &unknown) || !slices.Contains(unknown.Near, want) {
			t.Errorf("resolve %s: %v, near %v; want %s among them", id, err, unknown.Near, want)
		}
	}
}

// TestResolveAlias calls an action by another name of one word, where that is sure to mean one action.
func TestResolveAlias(t *testing.T) {
	c, _ := New([]Entry{
		{ID: "peer.ask", Aliases: []string{"peer_ask_question", "ask a peer", "ask", "peer.shout"}},
		{ID: "peer.shout"},
		{ID: "desk.ask", Aliases: []string{"ask", "billing.pay"}},
		{ID: "billing.pay"},
	}, Options{})
	all := c.View()
	noBilling := mustNarrow(t, all, Rules{DeniedNamespaces: []string{"billing"}})
	noDesk := mustNarrow(t, all, Rules{DeniedNamespaces: []string{"desk"}})
	for _, tt := range []struct {
		view *View
		id   string
		want string
	}{
		{all, "peer_ask_question", "peer.ask"},
		{all, "Peer_Ask_Question", ""},
		{all, "ask a peer", ""},
		{all, "ask", ""},
		{noDesk, "ask", "peer.ask"},
		{all, "peer.shout", "peer.shout"},
		{noBilling, "billing.pay", ""},
	} {
		e, err := tt.view.Resolve(tt.id)
		if got := ""; err == nil {
			if got = e.ID; got != tt.want {
				t.Errorf("%s is %s, want %q", tt.id, got, tt.want)
			}
		} else if tt.want != "" {
			t.Errorf("%s: %v", tt.id, err)
		}
	}
}

func TestCard(t *testing.T) {
	v := officeView(t)
	golden.Equal(t, "testdata/card.golden",
		v.Card(400)+"\n\n"+v.Card(60)+"\n\n"+mustNarrow(t, v, Rules{Namespaces: []string{"crm"}}).Card(100)+"\n")
	c, _ := New(mixed(5000), Options{})
	for _, tokens := range []int{40, 100, 400, 1000} {
		if card := c.View().Card(tokens); text.Tokens(card) > tokens {
			t.Errorf("card of %d tokens takes %d:\n%s", tokens, text.Tokens(card), card)
		}
	}
}

func TestNewReports(t *testing.T) {
	_, report := New([]Entry{{ID: "a.b", Title: "first"}, {ID: "a.b"}, {ID: ""}, {ID: "has space"}, {ID: "bell\a"},
		{ID: "bad\xff"}, {ID: strings.Repeat("x", 300)}, {ID: "Über.ähnlich/{id}"}}, Options{Source: "file.yaml"})
	want := Report{Loaded: 2, Skipped: []Skip{
		{"a.b", "file.yaml", "an entry with this id is already there"},
		{"", "file.yaml", "the id is empty"},
		{"has space", "file.yaml", "the id has the character ' '; use printable characters without spaces"},
		{"bell\a", "file.yaml", `the id has the character '\a'; use printable characters without spaces`},
		{"bad\xff", "file.yaml", "the id is not valid UTF-8"},
		{strings.Repeat("x", 300), "file.yaml", "the id is longer than 256 bytes"},
	}}
	if diff := cmp.Diff(want, report); diff != "" {
		t.Error(diff)
	}
}

func TestEmptyCatalog(t *testing.T) {
	c, _ := New(nil, Options{})
	v := c.View()
	if s := mustSearch(t, v, "anything", SearchOptions{}); s.Len() != 0 {
		t.Error("hits in an empty catalog")
	}
	if got := v.Card(100); got != "complete: 0 actions in 0 domains" {
		t.Errorf("card: %s", got)
	}
	if got := v.FormatSet(v.Namespace("x"), 0); !strings.HasPrefix(got, "no actions match") {
		t.Error(got)
	}
	if v.Why("x").State != "unknown" || len(v.Roots()) != 0 {
		t.Error("something in an empty catalog")
	}
}

// TestHiddenWordsAreUnknown asks with a word that only hidden entries have: it must read as one that no entry has.
func TestHiddenWordsAreUnknown(t *testing.T) {
	v := mustNarrow(t, officeView(t), Rules{DeniedNamespaces: []string{"support.macro"}})
	empty := func(word string) string {
		return strings.ReplaceAll(v.FormatSet(mustSearch(t, v, word, SearchOptions{}), 0), word, "WORD")
	}
	if hidden, unknown := empty("macros"), empty("qacros"); hidden != unknown {
		t.Errorf("a hidden word:\n%s\nan unknown one:\n%s", hidden, unknown)
	}
	why, err := v.Explain("support.ticket.search", "macro ticket")
	if err != nil || !strings.Contains(why, "macro            0      not in the catalog") {
		t.Errorf("%v\n%s", err, why)
	}
}

func TestWhyRoot(t *testing.T) {
	n, err := officeView(t).Narrow(Rules{Name: "rules", Namespaces: []string{"billing"}})
	if err != nil {
		t.Fatal(err)
	}
	for root, want := range map[string]Visibility{
		"billing": {State: "visible"}, "nowhere": {State: "unknown"}, "": {State: "unknown"}, "bill": {State: "unknown"},
	} {
		if diff := cmp.Diff(want, n.WhyRoot(root)); diff != "" {
			t.Errorf("%q: %s", root, diff)
		}
	}
	if got := n.WhyRoot("support"); got.State != "hidden" || got.Rule != "rules: only the namespaces billing are allowed" {
		t.Errorf("support: %+v", got)
	}
}
