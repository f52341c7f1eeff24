package text

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestClip(t *testing.T) {
	for _, c := range []struct {
		text  string
		n     int
		bytes string
		runes string
	}{
		{"", 3, "", ""},
		{"abc", 3, "abc", "abc"},
		{"abcd", 3, "…", "ab…"},
		{"abcde", 4, "a…", "abc…"},
		{"äöü", 5, "ä…", "äöü"},
		{"äöü", 2, "ä", "ä…"},
		{"a b c", 2, "a ", "a…"},
		{"abc", 0, "", ""},
		{"漢字", 2, "", "漢字"},
	} {
		if got := ClipBytes(c.text, c.n); got != c.bytes {
			t.Errorf("ClipBytes(%q, %d) = %q, want %q", c.text, c.n, got, c.bytes)
		}
		if got := ClipRunes(c.text, c.n); got != c.runes {
			t.Errorf("ClipRunes(%q, %d) = %q, want %q", c.text, c.n, got, c.runes)
		}
	}
}

func FuzzClip(f *testing.F) {
	f.Add("aä漢😀", 3)
	f.Fuzz(func(t *testing.T, s string, n int) {
		n %= 100
		s = strings.ToValidUTF8(s, "")
		head, tail := HeadBytes(s, n), TailBytes(s, n)
		if len(head) > max(n, 0) || !strings.HasPrefix(s, head) || !utf8.ValidString(head) {
			t.Errorf("HeadBytes(%q, %d) = %q", s, n, head)
		}
		if len(tail) > max(n, 0) || !strings.HasSuffix(s, tail) || !utf8.ValidString(tail) {
			t.Errorf("TailBytes(%q, %d) = %q", s, n, tail)
		}
		if got := ClipBytes(s, n); len(got) > max(n, 0) || !utf8.ValidString(got) {
			t.Errorf("ClipBytes(%q, %d) = %q", s, n, got)
		}
		if got := ClipRunes(s, n); utf8.RuneCountInString(got) > max(n, 0) {
			t.Errorf("ClipRunes(%q, %d) = %q", s, n, got)
		}
	})
}

func TestFirstSentence(t *testing.T) {
	for text, want := range map[string]string{
		"":                                  "",
		"Lists invoices.":                   "Lists invoices.",
		"Lists all invoices. Paid ones too": "Lists all invoices.",
		"Lists, e.g. drafts, all invoices! Paid ones too.": "Lists, e.g. drafts, all invoices!",
		"No. 1 of the\ninvoices  is listed? Yes.":          "No. 1 of the invoices is listed?",
		"Version 1.2 of the list":                          "Version 1.2 of the list",
		"Pays. It is quick. Then it is done.":              "Pays. It is quick.",
	} {
		if got := FirstSentence(text); got != want {
			t.Errorf("FirstSentence(%q) = %q, want %q", text, got, want)
		}
	}
}

func TestCount(t *testing.T) {
	for n, want := range map[int]string{0: "0 calls", 1: "1 call", 2: "2 calls"} {
		if got := Count(n, "call"); got != want {
			t.Errorf("Count(%d) = %q, want %q", n, got, want)
		}
	}
}
