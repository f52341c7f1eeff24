package catalog

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"almanac/catalog/search"
	"almanac/internal/golden"
)

func TestSearchFindsTheBest(t *testing.T) {
	v := officeView(t)
	for _, test := range []struct {
		query string
		o     SearchOptions
		want  string
	}{
		{"find customer account by company name",
			SearchOptions{Domains: []string{"crm", "accounts"}, Limit: 100}, "crm.customer.search"},
		{"list unpaid invoices for a customer", SearchOptions{Domains: []string{"billing"}, Limit: 100},
			"billing.invoice.list_unpaid"},
		{"draft refund note without issuing refund",
			SearchOptions{Domains: []string{"billing", "support"}, IncludeMutations: ptr(false)}, "billing.refund.draft_note"},
		{"find customer account by company name", SearchOptions{}, "crm.customer.search"},
		{"draft refund note without issuing refund", SearchOptions{}, "billing.refund.draft_note"},
		{"past due invoices", SearchOptions{}, "billing.invoice.list_unpaid"},
		{"listUnpaidInvoices", SearchOptions{}, "billing.invoice.list_unpaid"},
		{"billing.invoice.list_unpaid", SearchOptions{}, "billing.invoice.list_unpaid"},
		{"cancelling orders", SearchOptions{}, "commerce.order.cancel"},
		{"escalation of a ticket", SearchOptions{}, "support.ticket.escalate"},
		{"Could you please tell me the revenue of each month?", SearchOptions{}, "reporting.revenue.by-month"},
		{"remove a customer", SearchOptions{}, "crm.customer.delete"},
		{"block a user", SearchOptions{Operation: Admin}, "identity.user.suspend"},
	} {
		s := mustSearch(t, v, test.query, test.o)
		if s.Len() == 0 || s.Hits()[0].ID != test.want {
			why, _ := v.Explain(test.want, test.query)
			t.Errorf("search %q: got %v, want %s first\n%s", test.query, ids(s.Top(3)), test.want, why)
		}
	}
}

func TestRankingGolden(t *testing.T) {
	v := officeView(t)
	var b strings.Builder
	for _, query := range []string{
		"find customer account by company name", "list unpaid invoices for a customer",
		"draft refund note without issuing refund", "refund", "customer's tickets", "search",
		"show me everything about \"Acme Corp\"", "orders 2024", "zzz unknownword",
	} {
		fmt.Fprintf(&b, "%s\n", query)
		s := mustSearch(t, v, query, SearchOptions{Limit: 5})
		for _, hit := range s.Hits() {
			fmt.Fprintf(&b, "  %.3f %s\n", hit.Score, hit.ID)
		}
		fmt.Fprintf(&b, "  %d of %d\n", s.Len(), s.Total())
	}
	golden.Equal(t, "testdata/ranking.golden", b.String())
}

func TestFilters(t *testing.T) {
	v := officeView(t)
	for _, test := range []struct {
		name string
		o    SearchOptions
		want []string
	}{
		{"domain path", SearchOptions{Domains: []string{"billing.refund"}},
			[]string{"billing.refund.draft_note", "billing.refund.issue", "billing.refund.list"}},
		{"domain in capitals", SearchOptions{Domains: []string{"Billing.Refund.*"}},
			[]string{"billing.refund.draft_note", "billing.refund.issue", "billing.refund.list"}},
		{"unknown beside known", SearchOptions{Domains: []string{"accounts", "identity"}}, []string{"identity.user.suspend"}},
		{"only unknown", SearchOptions{Domains: []string{"accounts"}}, []string{}},
		{"tag", SearchOptions{Tags: []string{"danger"}}, []string{"crm.customer.delete"}},
		{"entity in the plural", SearchOptions{Entities: []string{"Macros"}}, []string{"support.macro.list"}},
		{"operation", SearchOptions{Operation: Admin}, []string{"identity.user.suspend"}},
		{"risk and domain", SearchOptions{Risk: High, Domains: []string{"billing"}},
			[]string{"billing.invoice.void", "billing.refund.issue"}},
		{"mutates", SearchOptions{Mutates: ptr(true), Domains: []string{"commerce"}}, []string{"commerce.order.cancel"}},
		{"needs an input by name", SearchOptions{NeedsInput: []string{"company_name"}}, []string{"crm.customer.search"}},
		{"camel case field", SearchOptions{NeedsInput: []string{"ticket_id"}},
			[]string{"support.ticket.escalate", "support.ticket.reply"}},
		{"camel case need", SearchOptions{NeedsInput: []string{"ticketId"}},
			[]string{"support.ticket.escalate", "support.ticket.reply"}},
		{"id of the entity", SearchOptions{NeedsInput: []string{"customer.id"}, Domains: []string{"crm"}},
			[]string{"crm.contact.list", "crm.customer.delete", "crm.customer.get"}},
		{"output id of the entity", SearchOptions{NeedsOutput: []string{"customer_id"}, Domains: []string{"crm"}},
			[]string{"crm.customer.create", "crm.customer.get", "crm.customer.search"}},
		{"output list", SearchOptions{NeedsOutput: []string{"invoice_list"}},
			[]string{"billing.invoice.list_unpaid", "billing.invoice.search"}},
		{"output list as a type", SearchOptions{NeedsOutput: []string{"list<invoice>"}},
			[]string{"billing.invoice.list_unpaid", "billing.invoice.search"}},
		{"output plural", SearchOptions{NeedsOutput: []string{"invoices"}},
			[]string{"billing.invoice.list_unpaid", "billing.invoice.search"}},
		{"list inside an object", SearchOptions{NeedsOutput: []string{"order_list"}}, []string{"commerce.order.list"}},
		{"id inside a list inside an object", SearchOptions{NeedsOutput: []string{"order_id"}},
			[]string{"commerce.order.list"}},
		{"all needs", SearchOptions{NeedsInput: []string{"query", "status"}}, []string{"support.ticket.search"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, ids(mustSearch(t, v, "", test.o))); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestEmptySetsSayWhy(t *testing.T) {
	v := officeView(t)
	s := mustSearch(t, v, "find customer", SearchOptions{Domains: []string{"accounts"}})
	text := v.FormatSet(s, 20)
	for _, want := range []string{"no actions match", "find customer", "domains accounts", `no domain "accounts"`,
		"without these filters: crm"} {
		if !strings.Contains(text, want) {
			t.Errorf("empty set misses %q:\n%s", want, text)
		}
	}
	text = v.FormatSet(mustSearch(t, v, "refnudd", SearchOptions{}), 20)
	if !strings.Contains(text, "near words: refund (billing)") || !strings.Contains(text, "domains: billing, commerce") {
		t.Errorf("misspelt word:\n%s", text)
	}
	text = v.FormatSet(v.Tags("billling"), 20)
	if !strings.Contains(text, "did you mean billing?") {
		t.Errorf("misspelt tag:\n%s", text)
	}
	text = v.FormatSet(v.Namespace("biling"), 20)
	if !strings.Contains(text, "did you mean billing?") || strings.Contains(text, "near words") {
		t.Errorf("misspelt namespace:\n%s", text)
	}
	text = v.FormatSet(v.Namespace("billing").Filter(SearchOptions{NeedsInput: []string{"custmer_id"}}), 20)
	if !strings.Contains(text, "did you mean customer_id?") ||
		!strings.HasSuffix(text, "without these filters: billing (9)") {
		t.Errorf("misspelt field of a namespace:\n%s", text)
	}
}

// TestManyUnknownNames asks for more names than an answer can tell of.
func TestManyUnknownNames(t *testing.T) {
	v := officeView(t)
	names := make([]string, 100_000)
	for i := range names {
		names[i] = fmt.Sprint("nowhere", i)
	}
	for kind, s := range map[string]Set{
		"domains": mustSearch(t, v, "invoice", SearchOptions{Domains: names}), "namespace": v.Namespace(names...),
		"inputs":       v.Inputs(names...),
		"needs_output": v.Namespace("crm").Filter(SearchOptions{NeedsOutput: names[:60]}),
	} {
		text := v.FormatSet(s, 20)
		if len(text) > 1500 || len(s.Notes()) != maxUnknown+1 || !strings.Contains(text, "more unknown") ||
			len(s.Label()) > maxLabel+len("…") {
			t.Errorf("%s: %d bytes, %d notes: %.300s", kind, len(text), len(s.Notes()), text)
		}
	}
}

func TestSearchRefuses(t *testing.T) {
	v := officeView(t)
	if _, err := v.Search("x", SearchOptions{Limit: 1001}); err == nil {
		t.Error("limit 1001 was taken")
	}
	if _, err := v.Search("x", SearchOptions{Risk: "huge"}); err == nil {
		t.Error("risk huge was taken")
	}
}

// mixed is a catalog of n entries made from a few words, so that queries have many ties and many matches.
func mixed(n int) []Entry {
	verbs := []string{"list", "get", "create", "delete", "update", "search", "export", "sync"}
	things := []string{"invoice", "customer", "order", "ticket", "refund", "payment", "product", "lead", "report", "user",
		"shipment", "contract", "policy"}
	domains := []string{"billing", "crm", "support", "commerce", "identity", "ops", "legal"}
	state := uint64(7)
	pick := func(words []string) string {
		state = state*6364136223846793005 + 1442695040888963407
		return words[(state>>33)%uint64(len(words))]
	}
	field := MustSchema(`{"type":"object","properties":{"customer_id":{"type":"integer","description":"The id of the customer."},"limit":{"type":"integer"}},"required":["customer_id"]}`)
	entries := make([]Entry, n)
	for i := range entries {
		verb, thing, domain := pick(verbs), pick(things), pick(domains)
		entries[i] = Entry{
			ID: fmt.Sprintf("%s.%s.%s_%s_%d", domain, thing, verb, pick(things), i),
			Description: verb + " the " + thing + " of a " + pick(things) + " for " +
				pick(domains) + " number " + fmt.Sprint(i%97),
			Tags: []string{thing, domain}, Entities: []string{thing}, Input: field,
			Mutates: verb == "create" || verb == "delete" || verb == "update",
		}
	}
	return entries
}

func TestSearchIsDeterministic(t *testing.T) {
	entries := mixed(3000)
	first, _ := New(entries, Options{})
	slices.Reverse(entries)
	second, _ := New(entries, Options{})
	for _, query := range []string{"list invoices of a customer", "delete user", "export",
		"create contract for legal number 12", "unknown"} {
		a := mustSearch(t, first.View(), query, SearchOptions{Limit: 200})
		b := mustSearch(t, second.View(), query, SearchOptions{Limit: 200})
		if diff := cmp.Diff(a.Hits(), b.Hits()); diff != "" {
			t.Errorf("%q: the order of the entries given changes the answer:\n%s", query, diff)
		}
		for i := 1; i < a.Len(); i++ {
			x, y := a.Hits()[i-1], a.Hits()[i]
			if x.Score < y.Score || x.Score == y.Score && x.ID >= y.ID {
				t.Fatalf("%q: %v before %v", query, x, y)
			}
		}
	}
}

func TestLimitIsAPrefix(t *testing.T) {
	c, _ := New(mixed(2000), Options{})
	v := c.View()
	whole := mustSearch(t, v, "list invoices of a customer", SearchOptions{Limit: 1000})
	for _, n := range []int{1, 2, 7, 20, 500} {
		s := mustSearch(t, v, "list invoices of a customer", SearchOptions{Limit: n})
		if diff := cmp.Diff(whole.Top(n).Hits(), s.Hits()); diff != "" || s.Total() != whole.Total() {
			t.Errorf("limit %d: total %d of %d\n%s", n, s.Total(), whole.Total(), diff)
		}
	}
}

// TestBareNouns asks for a thing without saying what to do with it: what removes it does not come first.
func TestBareNouns(t *testing.T) {
	c, _ := New([]Entry{
		{ID: "shop.product.delete", Description: "Delete a product."},
		{ID: "shop.product.get", Description: "Get one product by its id."},
	}, Options{})
	for query, want := range map[string]string{"product": "shop.product.get", "product removed": "shop.product.delete"} {
		if hits := mustSearch(t, c.View(), query, SearchOptions{}).Hits(); hits[0].ID != want {
			t.Errorf("%q: %v", query, hits)
		}
	}
}

// TestExplainNeverReveals holds the words that an explanation lists in a view against those in a catalog without the
// hidden entries: words joined are looked up, too.
func TestExplainNeverReveals(t *testing.T) {
	entries := []Entry{
		{ID: "crm.customer.get", Description: "Look a customer up, wherever the house is."},
		{ID: "crm.note.add", Description: "Add a note about the fund."},
		{ID: "store.warehouse.list", Description: "List warehouses and refunds."},
	}
	all, _ := New(entries, Options{})
	narrow := mustNarrow(t, all.View(), Rules{DeniedIDs: []string{"store.warehouse.list"}})
	some, _ := New(entries[:2], Options{})
	without := some.View()
	listed := func(v *View, query string) (words []string) {
		why, err := v.Explain("crm.customer.get", query)
		if err != nil {
			t.Fatal(err)
		}
		for _, line := range strings.Split(why, "\n")[1:] {
			words = append(words, strings.Fields(line)[0])
		}
		return words
	}
	for _, query := range []string{"ware house", "re fund", "customer re fund", "a ware house, a re fund",
		"warehouse", "ware houses of a customer"} {
		if got, want := listed(narrow, query), listed(without, query); !slices.Equal(got, want) {
			t.Errorf("%q: lists %q, without the hidden entry %q", query, got, want)
		}
		got, want := mustSearch(t, narrow, query, SearchOptions{}), mustSearch(t, without, query, SearchOptions{})
		if got, want := narrow.FormatSet(got, 5), without.FormatSet(want, 5); got != want {
			t.Errorf("%q: finds\n%s\nwithout the hidden entry\n%s", query, got, want)
		}
	}
	if got := listed(all.View(), "ware house"); !slices.Contains(got, "warehous") {
		t.Errorf("words of a visible entry are not joined: %q", got)
	}
}

func TestExplainAddsUp(t *testing.T) {
	v := officeView(t)
	for _, query := range []string{"list unpaid invoices for a customer", "find the customer", "refund refund note 12",
		"display accounts", "list refunds", "create customers. List refunds of the day."} {
		for _, hit := range mustSearch(t, v, query, SearchOptions{Limit: 30}).Hits() {
			text, err := v.Explain(hit.ID, query)
			if err != nil {
				t.Fatal(err)
			}
			if want := fmt.Sprintf("%s: score %.3f ", hit.ID, hit.Score); !strings.HasPrefix(text, want) {
				t.Errorf("explain %q does not start with %q:\n%s", query, want, text)
			}
		}
	}
}

// TestScoresStayInBounds asks what could make sums overflow: many words, few of which the catalog has.
func TestScoresStayInBounds(t *testing.T) {
	c, _ := New(mixed(2000), Options{})
	var words []string
	for i := range 300 {
		words = append(words, fmt.Sprintf("invoi%c%c", 'a'+i%26, 'a'+i/26), "invoicez", "customerly")
	}
	for _, query := range []string{strings.Join(words, " "), strings.Repeat("invoice customer ", 400),
		"invoi custo refu", strings.Repeat("é", 20000)} {
		for _, hit := range mustSearch(t, c.View(), query, SearchOptions{Limit: 1000}).Hits() {
			if hit.Score <= 0 || hit.Score > 32 {
				t.Fatalf("score %v for %.40q", hit, query)
			}
		}
	}
}

func TestSearchFromManyGoroutines(t *testing.T) {
	c, _ := New(mixed(500), Options{})
	v := c.View()
	want := mustSearch(t, v, "list invoices of a customer", SearchOptions{}).Hits()
	done := make(chan []Hit)
	for range 8 {
		go func() {
			var last []Hit
			for range 20 {
				s, err := v.Search("list invoices of a customer", SearchOptions{})
				if err != nil || !slices.Equal(s.Hits(), want) {
					break
				}
				last = s.Hits()
			}
			done <- last
		}()
	}
	for range 8 {
		if diff := cmp.Diff(want, <-done); diff != "" {
			t.Error(diff)
		}
	}
}

// TestLead prefers the action whose first sentence is about the query to one that says the same later.
func TestLead(t *testing.T) {
	entries := []Entry{
		{ID: "a.one", Description: "Reads the state of a device in a warehouse rack. Shipping labels are printed."},
		{ID: "b.two", Description: "Shipping labels are printed. Reads the state of a device in a warehouse rack."},
		{ID: "c.other", Description: "Something else."},
	}
	for _, test := range []struct {
		off  []search.Feature
		want string
	}{{nil, "b.two"}, {[]search.Feature{search.Lead}, "a.one"}} {
		c, _ := New(entries, Options{Without: test.off})
		found, err := c.View().Search("shipping labels", SearchOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if got := found.Hits()[0].ID; got != test.want {
			t.Errorf("without %v: %s comes first, want %s", test.off, got, test.want)
		}
	}
}

// TestCalled ranks an action that the query calls by its id, title, alias or first sentence above one whose texts have
// the same words more often, and by its id above one that has them in its name beside another thing.
func TestCalled(t *testing.T) {
	entries := []Entry{
		{ID: "billing.refund.issue", Title: "Pay back",
			Description: "Refunds an invoice: what is owed is waived, the rest paid back. Not undone.",
			Aliases:     []string{"reimburse customer"}},
		{ID: "billing.refund.draft", Description: "Issue a refund note, a draft, without issuing the refund; to reimburse a customer later, or pay an invoice back."},
		{ID: "commerce.order.create", Description: "Takes what a customer wants to buy."},
		{ID: "billing.invoice.create_order", Description: "Make the draft of a bill from what was bought."},
	}
	for query, want := range map[string]string{
		"issue a refund": "billing.refund.issue", "Please, issue refunds.": "billing.refund.issue",
		"reimburse a customer": "billing.refund.issue", "create an order": "commerce.order.create",
		"make the draft of a bill from what is bought": "billing.invoice.create_order",
	} {
		c, _ := New(entries, Options{})
		if s := mustSearch(t, c.View(), query, SearchOptions{}); s.Hits()[0].ID != want {
			why, _ := c.View().Explain(want, query)
			t.Errorf("%q: got %v, want %s first\n%s", query, ids(s), want, why)
		}
	}
	c, _ := New(entries, Options{Without: []search.Feature{search.Calls}})
	if s := mustSearch(t, c.View(), "issue a refund", SearchOptions{}); s.Hits()[0].ID == "billing.refund.issue" {
		t.Error("the feature is not needed for this")
	}
}
