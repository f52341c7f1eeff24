package catalog

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"almanac/internal/golden"
)

// stepOf is a step with these needs and gives.
func stepOf(query string, needs, gives []string, hits []Hit) Step {
	return Step{
		Query: query, Needs: strings.Join(needs, ", "), Gives: strings.Join(gives, ", "), Hits: slices.Clone(hits),
		needsInput: slices.Clone(needs), needsOutput: slices.Clone(gives),
	}
}

// officeSteps are the three steps of the first script that Almanac ran.
func officeSteps(t *testing.T, v *View) []Step {
	customers := mustSearch(t, v, "find customer account by company name",
		SearchOptions{Domains: []string{"crm", "accounts"}, Limit: 100})
	invoices := mustSearch(t, v, "list unpaid invoices for a customer",
		SearchOptions{Domains: []string{"billing"}, Limit: 100})
	notes := mustSearch(t, v, "draft refund note without issuing refund",
		SearchOptions{Domains: []string{"billing", "support"}, IncludeMutations: ptr(false), Limit: 100})
	return []Step{
		customers.Pick(PickOptions{SearchOptions{NeedsInput: []string{"company_name"},
			NeedsOutput: []string{"customer_id"}, Limit: 2}}),
		invoices.Pick(PickOptions{SearchOptions{NeedsInput: []string{"customer_id"}, NeedsOutput: []string{"invoice_list"},
			Mutates: ptr(false), Limit: 3}}),
		notes.Pick(PickOptions{SearchOptions{NeedsInput: []string{"invoice_id"}, Mutates: ptr(false), Limit: 3}}),
	}
}

func TestPlan(t *testing.T) {
	v := officeView(t)
	p, err := v.Plan(officeSteps(t, v))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"company_name"}, p.Given); diff != "" || p.Open != nil {
		t.Errorf("given: %s, open: %v", diff, p.Open)
	}
	golden.Equal(t, "testdata/plan.golden", v.FormatPlan(p)+"\n")
}

func TestPlanOrdersSteps(t *testing.T) {
	v := officeView(t)
	steps := officeSteps(t, v)
	p, err := v.Plan([]Step{steps[2], steps[1], steps[0]})
	if err != nil {
		t.Fatal(err)
	}
	want, _ := v.Plan(steps)
	if diff := cmp.Diff(want.IDs(), p.IDs()); diff != "" {
		t.Error(diff)
	}
	if p.Problems != nil || !p.Reordered || want.Reordered ||
		!strings.HasSuffix(v.FormatPlan(p), "order: changed, so that each step gets what it needs") {
		t.Errorf("problems: %v, reordered: %t", p.Problems, p.Reordered)
	}
	// Steps that could need one another keep their places: who asks knows where to begin.
	a := stepOf("a", []string{"invoice_id"}, nil, []Hit{{ID: "crm.customer.search"}})
	b := stepOf("b", []string{"customer_id"}, nil, []Hit{{ID: "billing.invoice.search"}})
	for _, pair := range [][]Step{{a, b}, {b, a}} {
		p, err = v.Plan(pair)
		if err != nil || p.Steps[0].Query != pair[0].Query || p.Reordered {
			t.Errorf("a circle: %+v %v", p, err)
		}
		if diff := cmp.Diff([]string{pair[0].Needs}, p.Given); diff != "" {
			t.Errorf("given in a circle: %s", diff)
		}
	}
}

// TestPlanFindsAWayAroundACircle has two steps that could feed one another, and a third that feeds both.
func TestPlanFindsAWayAroundACircle(t *testing.T) {
	v := officeView(t)
	steps := officeSteps(t, v)
	find, unpaid := steps[0], steps[1]
	get := stepOf("one invoice", []string{"invoice_id"}, []string{"customer_id"}, []Hit{{ID: "billing.invoice.get"}})
	p, err := v.Plan([]Step{get, unpaid, find})
	if err != nil {
		t.Fatal(err)
	}
	var order []string
	for _, step := range p.Steps {
		order = append(order, step.Query)
	}
	if diff := cmp.Diff([]string{find.Query, unpaid.Query, "one invoice"}, order); diff != "" {
		t.Error(diff)
	}
}

// TestPlanTakesInputsFromTheirOwnThing has a refund before all that it needs. What it returns are things that it was
// given, and other steps get them from the actions that are about them.
func TestPlanTakesInputsFromTheirOwnThing(t *testing.T) {
	thing := `{"type":"object","title":"refund","properties":{"id":{"type":"integer"},"customer_id":{"type":"integer"},"invoice_id":{"type":"integer"}}}`
	invoice := MustSchema(`{"type":"array","items":{"type":"object","title":"invoice","properties":{"id":{"type":"integer"},"customer_id":{"type":"integer"}}}}`)
	customer := MustSchema(`{"type":"array","items":{"type":"object","title":"customer","properties":{"id":{"type":"integer"}}}}`)
	c, report := New([]Entry{
		write("billing.refund.issue", "Refund an invoice.", Create, High,
			input(`"invoice_id":{"type":"integer"}`, `"invoice_id"`), MustSchema(thing)),
		read("billing.refund.draft_note", "Draft a note.",
			input(`"invoice_id":{"type":"integer"}`, `"invoice_id"`), MustSchema(thing)),
		read("billing.invoice.list", "List invoices.", input(`"customer_id":{"type":"integer"}`, `"customer_id"`), invoice),
		read("crm.customer.search", "Find customers.", input(`"query":{"type":"string"}`, `"query"`), customer),
	}, Options{})
	if len(report.Skipped) > 0 {
		t.Fatal(report.Skipped)
	}
	v := c.View()
	for _, refund := range []string{"billing.refund.issue", "billing.refund.draft_note"} {
		steps := []Step{
			stepOf("refund", nil, nil, []Hit{{ID: refund}}),
			stepOf("invoices", nil, nil, []Hit{{ID: "billing.invoice.list"}}),
			stepOf("customer", nil, nil, []Hit{{ID: "crm.customer.search"}}),
		}
		for _, order := range [][3]int{{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}} {
			p, err := v.Plan([]Step{steps[order[0]], steps[order[1]], steps[order[2]]}, "query")
			if err != nil {
				t.Fatal(err)
			}
			want := []Link{
				{Step: 1, Input: "query"},
				{Step: 2, Input: "customer_id", From: 1, ID: "crm.customer.search", Field: "id"},
				{Step: 3, Input: "invoice_id", From: 2, ID: "billing.invoice.list", Field: "id"},
			}
			if diff := cmp.Diff(want, p.Links); diff != "" || p.Open != nil || p.Problems != nil {
				t.Errorf("%s, %v: open %v, problems %v: %s", refund, order, p.Open, p.Problems, diff)
			}
		}
	}
}

func TestParsePlanOptions(t *testing.T) {
	given, err := ParsePlanOptions(map[string]any{"given": []any{"invoice_id"}})
	if err != nil || len(given) != 1 {
		t.Error(given, err)
	}
	for name, want := range map[string]string{"gven": "did you mean given?", "bogus": "known options: given"} {
		_, err := ParsePlanOptions(map[string]any{name: 1})
		if bad, ok := err.(*ArgError); !ok || bad.Hint != want {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestNeedsAreWrittenInManyWays asks for one field or one list under all the names that people have for it.
func TestNeedsAreWrittenInManyWays(t *testing.T) {
	v := officeView(t)
	for _, group := range []struct {
		find func(...string) Set
		ways []string
	}{
		{v.Inputs, []string{"customer_id", "customerId", "customer.id", "CustomerID", "customer-id", "Customer ID",
			"customers.id", "id of customer", "id of a customer"}},
		{v.Outputs, []string{"customer_id", "customerId", "customer.id"}},
		{v.Outputs, []string{"invoice_list", "invoiceList", "list<invoice>", "List<Invoice>", "list[invoice]",
			"list{invoice}", "array<invoice>", "array[Invoice]", "invoice[]", "invoices[]", "[]invoice",
			"list of invoices", "array of invoices"}},
	} {
		want := ids(group.find(group.ways[0]))
		if len(want) == 0 {
			t.Errorf("%s: none", group.ways[0])
		}
		for _, way := range group.ways[1:] {
			if diff := cmp.Diff(want, ids(group.find(way))); diff != "" {
				t.Errorf("%s and %s:\n%s", group.ways[0], way, diff)
			}
		}
	}
	if got := ids(v.Inputs("customer_id")); !slices.Contains(got, "crm.customer.get") {
		t.Error("the id of a customer is no customer_id:", got)
	}
}

func TestPlanNamesWhatIsOpen(t *testing.T) {
	v := officeView(t)
	p, err := v.Plan([]Step{
		stepOf("refund", []string{"invoice_id"}, nil, []Hit{{ID: "billing.refund.issue"}}),
		stepOf("nothing", nil, nil, []Hit{{ID: "no.such.action"}}),
	})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([][]string{{"invoice_id"}, {"amount_cents"}}, [][]string{p.Given, p.Open}); diff != "" {
		t.Error(diff)
	}
	if all, err := v.Plan(p.Steps[:1], "amountCents"); err != nil || all.Open != nil {
		t.Errorf("open although given: %v %v", all.Open, err)
	}
	if diff := cmp.Diff([]string{"step 2: no action"}, p.Problems); diff != "" {
		t.Error(diff)
	}
	if _, err := v.Plan(nil); err == nil {
		t.Error("a plan of no steps")
	}
	if _, err := v.Plan(make([]Step, 21)); err == nil {
		t.Error("a plan of 21 steps")
	}
}

func TestPick(t *testing.T) {
	v := officeView(t)
	for _, test := range []struct {
		name, query string
		o           SearchOptions
		want        string
		note        string
	}{
		{"default of three", "customer", SearchOptions{}, "", ""},
		{"needs", "invoices", SearchOptions{NeedsInput: []string{"id"}}, "billing.invoice.get", ""},
		{"unknown output", "cancel order", SearchOptions{NeedsOutput: []string{"receipt"}}, "commerce.order.cancel",
			"none says that it returns receipt"},
		{"nothing fits", "invoices", SearchOptions{NeedsInput: []string{"custmer_id"}}, "", "none of"},
		{"empty", "zzzz", SearchOptions{}, "", "nothing to pick from"},
	} {
		step := mustSearch(t, v, test.query, SearchOptions{Limit: 100}).Pick(PickOptions{test.o})
		if len(step.Hits) > 3 || test.want != "" && (len(step.Hits) == 0 || step.Hits[0].ID != test.want) ||
			!strings.Contains(step.Note, test.note) {
			t.Errorf("%s: %+v", test.name, step)
		}
	}
}

func TestSetAlgebra(t *testing.T) {
	v := officeView(t)
	a, b := v.Namespace("crm"), v.Entities("customer")
	both, either := ids(a.Intersect(b)), ids(a.Union(b))
	for _, id := range ids(v.Namespace("crm", "billing", "commerce", "support", "identity", "reporting")) {
		inA, inB := slices.Contains(ids(a), id), slices.Contains(ids(b), id)
		if got := slices.Contains(both, id); got != (inA && inB) {
			t.Errorf("%s in the intersection: %v", id, got)
		}
		if got := slices.Contains(either, id); got != (inA || inB) {
			t.Errorf("%s in the union: %v", id, got)
		}
	}
	if diff := cmp.Diff(both, ids(b.Intersect(a))); diff != "" {
		t.Errorf("the order of an intersection matters: %s", diff)
	}
	if diff := cmp.Diff(a.Hits(), a.Intersect(Set{}).Union(a).Hits()); diff != "" {
		t.Errorf("nothing or a is a: %s", diff)
	}
	searched := mustSearch(t, v, "list invoices", SearchOptions{})
	if diff := cmp.Diff(ids(searched.Filter(SearchOptions{Domains: []string{"billing"}})),
		ids(searched.Intersect(v.Namespace("billing")))); diff != "" {
		t.Errorf("an exact set changes the order: %s", diff)
	}
	boosted := searched.Boost(BoostOptions{SearchOptions{Domains: []string{"commerce"}}, 100})
	if boosted.Hits()[0].ID != "commerce.order.list" || boosted.Len() != searched.Len() {
		t.Errorf("boost: %v", ids(boosted))
	}
	if got := searched.Top(2); got.Len() != 2 || got.Total() != searched.Total() || searched.Top(-1).Len() != 0 {
		t.Errorf("top: %d of %d", got.Len(), got.Total())
	}
	if diff := cmp.Diff([]string{"crm.lead.search", "crm.customer.get"},
		ids(v.SetOf([]Hit{{ID: "crm.lead.search"}, {ID: "nope"}, {ID: "crm.customer.get"},
			{ID: "crm.lead.search"}}))); diff != "" {
		t.Error(diff)
	}
	var zero Set
	n := zero.Len() + zero.Total() + zero.Facets().Total + len(zero.Pick(PickOptions{}).Hits)
	for _, s := range []Set{zero.Filter(SearchOptions{}), zero.Boost(BoostOptions{}), zero.Top(3)} {
		n += s.Len()
	}
	if n != 0 {
		t.Error("the zero set is not empty")
	}
}

func TestExactSets(t *testing.T) {
	v := officeView(t)
	for name, test := range map[string]struct {
		got  Set
		want []string
	}{
		"namespace": {v.Namespace("identity", "reporting"), []string{"identity.user.suspend", "reporting.revenue.by-month"}},
		"tags":      {v.Tags("danger", "sales"), []string{"crm.customer.delete", "crm.lead.search"}},
		"entities":  {v.Entities("macro", "lead"), []string{"crm.lead.search", "support.macro.list"}},
		"inputs":    {v.Inputs("company_name", "tone"), []string{"billing.refund.draft_note", "crm.customer.search"}},
		"outputs": {v.Outputs("refund_id", "month"),
			[]string{"billing.refund.issue", "billing.refund.list", "reporting.revenue.by-month"}},
		"none": {v.Tags(), []string{}},
	} {
		if diff := cmp.Diff(test.want, ids(test.got)); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

func TestFacets(t *testing.T) {
	f := officeView(t).Namespace("billing", "crm").Facets()
	if f.Total != 15 || f.Mutating != 5 {
		t.Errorf("total %d, mutating %d", f.Total, f.Mutating)
	}
	if diff := cmp.Diff([]FacetCount{{"billing", 9}, {"crm", 6}}, f.Domains); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]FacetCount{{"read", 10}, {"create", 3}, {"delete", 1}, {"update", 1}},
		f.Operations); diff != "" {
		t.Error(diff)
	}
}

func TestParseOptions(t *testing.T) {
	got, err := ParseSearchOptions(map[string]any{
		"domains": []any{"crm", "accounts"}, "tags": "x", "include_mutations": false, "mutates": true,
		"needs_input": "customer_id", "needs_output": []any{"a", "b"}, "operation": "READ", "risk": "low",
		"limit": 100.0, "entities": map[string]any{},
	})
	want := SearchOptions{Domains: []string{"crm", "accounts"}, Tags: []string{"x"},
		IncludeMutations: ptr(false), Mutates: ptr(true),
		NeedsInput: []string{"customer_id"}, NeedsOutput: []string{"a", "b"}, Operation: Read, Risk: Low, Limit: 100}
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	for _, test := range []struct {
		m    map[string]any
		want string
	}{
		{map[string]any{"domain": "crm"}, "argument domain: unknown option | did you mean domains?"},
		{map[string]any{"needsInput": "x"}, "argument needsInput: unknown option | did you mean needs_input?"},
		{map[string]any{"limit": 0}, "argument limit: want integer from 1 to 1000, got int | "},
		{map[string]any{"limit": int64(1001)}, "argument limit: want integer from 1 to 1000, got integer 1001 | "},
		{map[string]any{"mutates": "no"}, `argument mutates: want boolean, got string "no" | `},
		{map[string]any{"tags": []any{"a", int64(1)}}, `argument tags[1]: want string, got integer 1 | `},
		{map[string]any{"risk": "huge"}, `argument risk: want one of "low", "medium", "high", got string "huge" | `},
		{map[string]any{"operation": ""}, `argument operation: want string, got string "" | `},
		{map[string]any{"by": 2.0},
			`argument by: unknown option | known options: domains, entities, include_mutations, limit, mutates, needs_input, needs_output, operation, risk, tags`},
	} {
		_, err := ParseSearchOptions(test.m)
		if err == nil || err.Error()+" | "+err.(*ArgError).Hint != test.want {
			t.Errorf("%v: %v, want %s", test.m, err, test.want)
		}
	}
	boost, err := ParseBoostOptions(map[string]any{"by": int64(3), "tags": "x"})
	if err != nil || boost.By != 3 || boost.Tags[0] != "x" {
		t.Errorf("%+v %v", boost, err)
	}
	if _, err := ParseBoostOptions(map[string]any{"by": "much"}); err == nil {
		t.Error(`by "much" was taken`)
	}
}
