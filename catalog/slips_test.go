package catalog

import "testing"

// TestEnglish tells words from misspelt ones that share a stem with a word.
func TestEnglish(t *testing.T) {
	for word, want := range map[string]bool{
		"invocation": true, "invocations": true, "invoce": false, "invoces": false, "house": true, "houses": true, "listing": true, "updated": true,
	} {
		if got := isEnglish(word, stem(word)); got != want {
			t.Errorf("%q: %v", word, got)
		}
	}
}

// TestSlips tells slips from other words.
func TestSlips(t *testing.T) {
	for _, test := range []struct {
		typed, meant string
		want         int
	}{
		{"acounts", "accounts", twinSlip}, {"acounts", "amounts", farSlip}, {"invvoice", "invoice", twinSlip}, {"acces", "access", twinSlip},
		{"refnud", "refund", swapSlip}, {"ordre", "order", swapSlip}, {"erfund", "refund", swapSlip},
		{"invoce", "invoice", letterSlip}, {"ordr", "order", letterSlip}, {"ordser", "order", letterSlip}, {"invoicee", "invoice", twinSlip}, {"invoixe", "invoice", nearSlip},
		{"ivnoice", "invoice", swapSlip}, {"orfer", "order", nearSlip}, {"ordar", "order", nearSlip}, {"orker", "order", noSlip},
		{"marta", "mart", noSlip}, {"crear", "creat", noSlip}, {"refunds", "refunds", 0},
		{"wrike", "write", noSlip}, {"netsuite", "testsuite", noSlip}, {"sinch", "since", noSlip}, {"chargebee", "chargeable", noSlip},
		{"snapchat", "snapshot", noSlip}, {"uber", "user", noSlip}, {"binance", "finance", noSlip}, {"lyft", "left", noSlip},
		{"coda", "code", noSlip}, {"basecamp", "basemap", noSlip}, {"kontent", "content", noSlip},
		{"subscirptoin", "subscription", 2 * swapSlip}, {"subscribtoin", "subscription", swapSlip + farSlip}, {"customers", "customary", nearSlip + farSlip},
	} {
		if got := slipCost(test.typed, test.meant); got != test.want {
			t.Errorf("%q for %q: %d, want %d", test.typed, test.meant, got, test.want)
		}
	}
}
