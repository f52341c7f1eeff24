package repl

import "testing"

func TestParseAnswer(t *testing.T) {
	for _, c := range []struct {
		text   string
		want   Answer
		reason string
	}{
		{"", Again, ""},
		{"y", Yes, ""},
		{" YES ", Yes, ""},
		{"yes please", Again, ""},
		{"a", Always, ""},
		{"n", No, ""},
		{"n, wrong customer", No, "wrong customer"},
		{"n  it is late", No, "it is late"},
		{"no invoices of Acme", Again, ""},
		{"deny", No, ""},
		{"/allow", Again, ""},
		{"/trace", Again, ""},
		{"a lot", Again, ""},
		{"a b", Again, ""},
		{"away", Again, ""},
		{"v", Script, ""},
		{"e", Edit, ""},
		{"?", Details, ""},
		{"1+1", Again, ""},
	} {
		got, reason := ParseAnswer(c.text)
		if got != c.want || reason != c.reason {
			t.Errorf("ParseAnswer(%q) = %d, %q, want %d, %q", c.text, got, reason, c.want, c.reason)
		}
	}
}
