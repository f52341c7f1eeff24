package show

import (
	"fmt"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"github.com/google/go-cmp/cmp"

	"almanac/catalog/text"
)

func TestWrapLine(t *testing.T) {
	for _, c := range []struct {
		name string
		line Line
		want []string
	}{
		{"fits", Line{{Text, "one two three four"}}, []string{"one two three four"}},
		{"at a blank", Line{{Text, "one two three four five"}}, []string{"one two three four", "  five"}},
		{"the margin stays", Line{{Text, "   one two three four five"}}, []string{"   one two three", "     four five"}},
		{"a word wider than a row", Line{{Text, "see " + strings.Repeat("x", 30)}},
			[]string{"see", "  " + strings.Repeat("x", 18), "  " + strings.Repeat("x", 12)}},
		{"spans", Line{{OK, "  ok "}, {ID, "a.b.c"}, {Dim, "  12 rows  84 ms  [3.1]"}},
			[]string{"  ok a.b.c  12 rows", "    84 ms  [3.1]"}},
		{"wide letters", Line{{Text, strings.Repeat("語", 12)}}, []string{strings.Repeat("語", 10), "  語語"}},
		{"a mark belongs to its letter", Line{{Text, strings.Repeat("e\u0301", 25)}},
			[]string{strings.Repeat("e\u0301", 20), "  " + strings.Repeat("e\u0301", 5)}},
	} {
		var got []string
		for _, l := range WrapLine(c.line, 20) {
			got = append(got, l.String())
			if l.Width() > 20 {
				t.Errorf("%s: %q is %d wide", c.name, l.String(), l.Width())
			}
		}
		if d := cmp.Diff(c.want, got); d != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, d)
		}
	}
}

// Code is broken at blanks, behind commas and opening brackets and between tokens, never in front of what closes.
func TestWrapCode(t *testing.T) {
	for _, c := range []struct{ name, source, want string }{
		{"fits", `return x`, "> return x"},
		{"an input", `billing.refund.issue{invoice_id="inv_04323", amount_cents=100, reason="duplicate"}`,
			"> billing.refund.issue{\n    invoice_id=\"inv_04323\",\n    amount_cents=100,\n    reason=\"duplicate\"}"},
		{"a margin", `  return catalog.search("unpaid invoices", {domains={"billing"}})`,
			">   return catalog.search(\n      \"unpaid invoices\", {\n      domains={\"billing\"}})"},
		{"a list", `f{1,2,3,4,5,6,7,8,9,10,11,12,13,14}`, "> f{1,2,3,4,5,6,7,8,9,10,11,\n    12,13,14}"},
		{"no place", strings.Repeat("x", 40), "> " + strings.Repeat("x", 26) + "\n    " + strings.Repeat("x", 14)},
	} {
		var got []string
		for _, l := range WrapCode(Line{{Prompt, "> "}}, LuaLines(c.source)[0], Line{{Prompt, "  "}}, 28) {
			got = append(got, l.String())
			if l.Width() > 28 {
				t.Errorf("%s: %q is %d wide", c.name, l.String(), l.Width())
			}
		}
		if d := cmp.Diff(c.want, strings.Join(got, "\n")); d != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, d)
		}
	}
}

// Whatever the text and the width, no row is too wide, no letter is lost, and it ends.
func FuzzWrapLine(f *testing.F) {
	f.Add("one two three four five", 13)
	f.Add("語語語 é é 👨‍👩‍👧‍👦", 12)
	f.Fuzz(func(t *testing.T, foreign string, width int) {
		width = min(max(width, minWrap), 200)
		line := text.SanitizeLine(foreign)
		var got, code strings.Builder
		for _, l := range WrapCode(nil, LuaLines(line)[0], nil, width) {
			if l.Width() > width {
				t.Errorf("code %q is %d wide, not %d", l.String(), l.Width(), width)
			}
			code.WriteString(l.String())
		}
		for _, l := range WrapLine(Line{{Text, line}}, width) {
			if l.Width() > width {
				t.Errorf("%q is %d wide, not %d", l.String(), l.Width(), width)
			}
			got.WriteString(l.String())
		}
		letters := func(s string) string { return strings.ReplaceAll(s, " ", "") }
		if letters(got.String()) != letters(line) {
			t.Errorf("%q became %q", line, got.String())
		}
		if letters(code.String()) != letters(line) {
			t.Errorf("code %q became %q", line, code.String())
		}
	})
}

// Prose fits the window of a terminal that draws each code point of an emoji by itself, too.
func TestWrapFitsEveryTerminal(t *testing.T) {
	words := strings.Repeat("and 👩‍👩‍👧 and 👍🏽👍🏽 नमस्ते 🏳️‍🌈 then ", 12)
	lines := append(WrapLine(Line{{Text, words}}, 40), MarkdownLines(words, 40, Options{})...)
	for _, l := range lines {
		for name, wide := range map[string]int{"whole": ansi.StringWidth(l.String()),
			"each": ansi.StringWidthWc(l.String())} {
			if wide > 40 {
				t.Errorf("%s: %d cells: %q", name, wide, l.String())
			}
		}
	}
	if got := strings.Count(fmt.Sprint(lines), "then"); got != 24 {
		t.Errorf("%d of 24 words are left", got)
	}
}
