package cells

import (
	"strings"
	"testing"
	"unicode/utf8"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"

	"almanac/catalog/text"
)

// Widths are those of the screen, which draws with x/ansi and lipgloss.
func TestWidth(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       int
	}{
		{"nothing", "", 0},
		{"ASCII", "abc", 3},
		{"Latin", "Käse", 4},
		{"a combining mark", "e\u0301", 1},
		{"two marks", "e\u0301\u0323", 1},
		{"CJK", "漢字", 4},
		{"full width", "Ａ", 2},
		{"half width", "ｱ", 1},
		{"Hangul in parts", "\u1112\u1161\u11ab", 2},
		{"Devanagari", "नमस्ते", 3},
		{"an emoji", "😀", 2},
		{"a family", "👩‍👩‍👧", 2},
		{"a skin", "👍🏽", 2},
		{"a flag", "🇩🇪", 2},
		{"a heart as an emoji", "❤\ufe0f", 2},
		{"a heart as text", "❤", 1},
		{"a keycap", text.Sanitize("1\ufe0f\u20e3"), 1},
		{"marks of ours", "❯✓✗·…┊×─█", 9},
		{"a joiner", "a\u200db", 2},
		{"no-break space", "a\u00a0b", 3},
	} {
		if got := Width(c.text); got != c.want {
			t.Errorf("%s: %q is %d wide, want %d", c.name, c.text, got, c.want)
		}
		for who, got := range map[string]int{"ansi": ansi.StringWidth(c.text), "lipgloss": lipgloss.Width(c.text)} {
			if got != c.want {
				t.Errorf("%s: %s takes %q for %d wide, want %d", c.name, who, c.text, got, c.want)
			}
		}
		if head, taken := Head(c.text, 1000); head != c.text || taken != c.want {
			t.Errorf("%s: all of %q is %q in %d cells", c.name, c.text, head, taken)
		}
	}
}

func TestClip(t *testing.T) {
	for _, c := range []struct {
		text  string
		width int
		want  string
	}{
		{"abcdef", 6, "abcdef"},
		{"abcdef", 0, "abcdef"},
		{"abcdef", 5, "abcd…"},
		{"漢字漢字", 5, "漢字…"},
		{"漢字漢字", 4, "漢…"},
		{"👩‍👩‍👧 family", 3, "👩‍👩‍👧…"},
		{"e\u0301e\u0301e\u0301", 2, "e\u0301…"},
		{"👍🏽👍🏽👍🏽", 5, "👍🏽👍🏽…"},
		{"👍🏽👍🏽👍🏽", 4, "👍🏽…"},
		{"🇩🇪🇫🇷🇮🇹", 4, "🇩🇪…"},
		{"👩🏽‍🚀 in orbit", 2, "…"},
		{"abc", 1, "…"},
	} {
		if got := Clip(c.text, c.width, "…"); got != c.want {
			t.Errorf("Clip(%q, %d) = %q, want %q", c.text, c.width, got, c.want)
		}
		if got := ansi.Truncate(c.text, c.width, "…"); got != c.want && c.width > 0 {
			t.Errorf("ansi.Truncate(%q, %d) = %q, want %q", c.text, c.width, got, c.want)
		}
	}
	if got := Tail("e\u0301漢字", 3); got != "字" {
		t.Errorf("the end in 3 cells is %q", got)
	}
}

// Texts that begin alike are cut where they are alike; what differs in sight stays as Clip has it.
func TestColumn(t *testing.T) {
	for _, c := range []struct {
		width int
		want  string // texts, then what is left of each
	}{
		{8, "abc abcdefgh = abc abcdefgh"},
		{8, "first-one-long second-one-long = first-o… second-…"},
		{12, "anna.schmidt@north.example anna.schneider@north.example = anna.schmid… anna.schnei…"},
		{9, "anna.schmidt@north.example anna.schneider@north.example = an…midt@… an…neide…"},
		{10, "https://x.example/a/17 https://x.example/a/18 https://y.example = htt…e/a/17 htt…e/a/18 https://y…"},
		{8, "inv_2026_0001 inv_2026_0002 inv_2026_0012 = in…_0001 in…_0002 in…_0012"},
		{8, "sameeeeeeeeee sameeeeeeeeee = sameeee… sameeee…"},
		{6, "漢字漢字漢字甲 漢字漢字漢字乙 = 漢字… 漢字…"},
		{7, "漢字漢字漢字甲 漢字漢字漢字乙 = 漢…字甲 漢…字乙"},
		{7, "👩‍👩‍👧👩‍👩‍👧👩‍👩‍👧👩‍👩‍👧a 👩‍👩‍👧👩‍👩‍👧👩‍👩‍👧👩‍👩‍👧👍🏽 = 👩‍👩‍👧…👩‍👩‍👧a 👩‍👩‍👧…👩‍👩‍👧👍🏽"},
		{2, "abcdef abcdeg = a… a…"},
		{0, "abcdef abcdeg = abcdef abcdeg"},
	} {
		texts, want, _ := strings.Cut(c.want, " = ")
		if got := strings.Join(Column(strings.Fields(texts), c.width, "…"), " "); got != want {
			t.Errorf("%s in %d cells: %s, want %s", texts, c.width, got, want)
		}
	}
}

// Whatever the texts, all fit, and each is whole where it has room.
func FuzzColumn(f *testing.F) {
	f.Add("anna.schmidt@x", "anna.schneider@x", "漢字👩‍👩‍👧", 7)
	f.Add("aaaaaaaaaab", "aaaaaaaaaac", "aaaaaaaaaacc", 5)
	f.Fuzz(func(t *testing.T, a, b, c string, width int) {
		width = 1 + max(width, -width)%50
		texts := []string{text.SanitizeLine(a), text.SanitizeLine(b), text.SanitizeLine(c)}
		got := Column(texts, width, "…")
		for i, s := range texts {
			if Width(got[i]) > width || !utf8.ValidString(got[i]) || Width(s) <= width && got[i] != s {
				t.Errorf("%q of %q in %d cells: %q, %d wide", s, texts, width, got[i], Width(got[i]))
			}
		}
	})
}

// Whatever the text, what is cut fits, is a part of it that ends between characters, and all users agree.
func FuzzClip(f *testing.F) {
	f.Add("e\u0301漢👩‍👩‍👧x", 3)
	f.Add("\u0301\u0301\u0600 🇩🇪🇩", 2)
	f.Fuzz(func(t *testing.T, foreign string, width int) {
		width = 1 + max(width, -width)%50
		s := text.SanitizeLine(foreign)
		if got := ansi.StringWidth(s); Width(s) != got {
			t.Errorf("%q is %d wide, on the screen %d", s, Width(s), got)
		}
		head, taken := Head(s, width)
		if !strings.HasPrefix(s, head) || taken > width || Width(head) != taken || !utf8.ValidString(head) {
			t.Errorf("the head of %q in %d cells is %q, %d wide", s, width, head, taken)
		}
		if got := Clip(s, width, "…"); Width(got) > width {
			t.Errorf("Clip(%q, %d) = %q, %d wide", s, width, got, Width(got))
		}
		if got := Tail(s, width); Width(got) > width || !strings.HasSuffix(s, got) {
			t.Errorf("Tail(%q, %d) = %q, %d wide", s, width, got, Width(got))
		}
	})
}
