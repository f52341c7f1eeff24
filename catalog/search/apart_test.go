package search

import (
	"slices"
	"strings"
	"testing"
	"time"
)

// TestStems has words that must have the same stem.
func TestStems(t *testing.T) {
	for _, test := range []struct{ forms, stem string }{
		{"add adds added adding", "add"}, {"ad ads", "ad"}, {"err errs erred erring", "err"},
		{"plan plans planned planning", "plan"}, {"ship shipped shipping", "ship"}, {"end ended ending", "end"},
		{"set sets setting", "set"}, {"log logged logging", "log"}, {"queue queues queued queuing queueing", "queue"},
		{"embed embeds embedded embedding embeddings", "embed"}, {"alias aliases aliased aliasing", "alias"},
		{"bus buses", "bus"}, {"send sends sent sending", "send"}, {"pay pays paid paying", "pay"},
		{"write writes wrote written writing", "write"}, {"index indices indexes", "index"}, {"child children", "child"},
		{"analysis analyses", "analysi"}, {"found", "found"}, {"left", "left"},
	} {
		for form := range strings.FieldsSeq(test.forms) {
			if got := Stem(form); got != test.stem {
				t.Errorf("%s has the stem %q, want %q", form, got, test.stem)
			}
		}
	}
	for form, of := range irregular {
		if irregular[of] != "" || Stem(form) != Stem(of) || Stem(of) == "" {
			t.Errorf("%s is a form of %s, with the stems %q and %q", form, of, Stem(form), Stem(of))
		}
	}
}

// TestApart has words that are several in one, or look so, and what a search for them finds first.
func TestApart(t *testing.T) {
	notes := []note{
		{"billing", "list_invoices", "Lists the invoices of a customer."},
		{"billing", "add_payment_method", "Adds a way to pay."},
		{"users", "get", "Finds a user by the user name or the user id."},
		{"sale", "cart", "A pass for the rapist of words."},
		{"snap", "chat", "Chats about snapshots."},
		{"shop", "open", "Work needs much space."},
	}
	ix := indexOf(notes)
	all := ix.everything()
	for _, test := range []struct{ word, parts string }{
		{"listinvoices", "list invoices"}, {"listinvoice", "list invoice"}, {"listsinvoices", "lists invoices"},
		{"addpaymentmethod", "add payment method"}, {"addingpaymentmethods", "adding payment methods"},
		{"username", "user name"}, {"userid", "user id"}, {"invoicesofcustomers", "invoices of customers"},
		// Words that no document has side by side.
		{"snapchat", ""}, {"workspace", ""}, {"therapist", ""}, {"listpayments", ""}, {"ofcustomers", ""},
		{"customersof", ""}, {"invoices", ""}, {"xlistinvoices", ""}, {"listinvoicesx", ""}, {"", ""}, {"a", ""},
	} {
		if got := strings.Join(ix.apart(test.word, all), " "); got != test.parts {
			t.Errorf("%q is %q, want %q", test.word, got, test.parts)
		}
	}
	for _, test := range []struct {
		query, name string
		corrections []Correction
	}{
		{"listinvoices", "list_invoices", []Correction{{"listinvoices", "list invoices"}}},
		{"please listinvoices", "list_invoices", []Correction{{"listinvoices", "list invoices"}}},
		{"ListInvoices", "list_invoices", nil},
		{"adding a payment method", "add_payment_method", nil}, {"added payment methods", "add_payment_method", nil},
		{"the username", "get", []Correction{{"username", "user name"}}},
	} {
		k := ix.Rank(ix.ask(test.query))
		top, _ := k.Top(all, 1)
		if len(top) == 0 || notes[top[0].Doc].name != test.name || !slices.Equal(k.Corrections(), test.corrections) {
			t.Errorf("%q: %v, %v; want %s, %v", test.query, top, k.Corrections(), test.name, test.corrections)
		}
		k.Close()
	}
	// What only a hidden document has side by side is not told.
	hidden := ix.everything()
	hidden.Clear(0)
	if got := ix.apart("listinvoices", hidden); got != nil {
		t.Errorf("a hidden name shows: %q", got)
	}
}

// TestApartIsBounded takes apart the longest word of parts that all documents have.
func TestApartIsBounded(t *testing.T) {
	ix := indexOf([]note{{"a", "abab", strings.Repeat("ab abab ababab ", 200)}})
	start := time.Now()
	for range 100 {
		ix.apart(strings.Repeat("ab", 24), ix.everything())
	}
	if took := time.Since(start); took > 20*time.Second {
		t.Errorf("100 long words took %s", took)
	}
}
