package text

import "testing"

func TestTokens(t *testing.T) {
	for _, test := range []struct {
		s    string
		want int
	}{
		{"", 0}, {"list", 1}, {"List unpaid invoices", 3}, {"listUnpaid", 2}, {"a.b(c*:str) -> {d}", 12},
		{"12345", 3}, {"customer_id", 2}, {"数据", 2},
	} {
		if got := Tokens(test.s); got != test.want {
			t.Errorf("%q: %d, want %d", test.s, got, test.want)
		}
	}
}
