package plain

import "testing"

func TestParseAnswer(t *testing.T) {
	for _, c := range []struct {
		text   string
		want   answer
		reason string
	}{
		{"", again, ""},
		{"y", yes, ""},
		{" YES ", yes, ""},
		{"yes please", again, ""},
		{"a", always, ""},
		{"n", no, ""},
		{"n, wrong customer", no, "wrong customer"},
		{"n  it is late", no, "it is late"},
		{"no invoices of Acme", again, ""},
		{"deny", no, ""},
		{"/allow", again, ""},
		{"/trace", again, ""},
		{"a lot", again, ""},
		{"a b", again, ""},
		{"away", again, ""},
		{"v", script, ""},
		{"e", edit, ""},
		{"?", details, ""},
		{"1+1", again, ""},
	} {
		got, reason := parseAnswer(c.text)
		if got != c.want || reason != c.reason {
			t.Errorf("parseAnswer(%q) = %d, %q, want %d, %q", c.text, got, reason, c.want, c.reason)
		}
	}
}
