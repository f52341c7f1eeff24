package text

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

func TestSanitize(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"plain", "Käse 漢字 👩‍👩‍👧", "Käse 漢字 👩‍👩‍👧"},
		{"newline and tab stay", "a\n\tb", "a\n\tb"},
		{"crlf", "a\r\nb", "a\nb"},
		{"a lone return would hide the line", "safe\rrm", `safe\13rm`},
		{"colour", "\x1b[31mred", `\27[31mred`},
		{"title", "\x1b]0;owned\a", `\27]0;owned\7`},
		{"clipboard", "\x1b]52;c;aGk=\x1b\\", `\27]52;c;aGk=\27\`},
		{"C1 in UTF-8", "\u009b31m", `\u{9b}31m`},
		{"C1 as a byte", "\x9b31m", `\15531m`},
		{"delete", "a\x7f", `a\127`},
		{"right to left override", "exe.\u202egpj", `exe.\u{202e}gpj`},
		{"isolate", "\u2066x\u2069", `\u{2066}x\u{2069}`},
		{"invisible", "a\u200bb\ufeff", `a\u{200b}b\u{feff}`},
		{"tags", "a\U000e0041", `a\u{e0041}`},
		{"line separator", "a\u2028b", `a\u{2028}b`},
		{"replacement character is no error", "\ufffd", "\ufffd"},
		{"broken UTF-8", "a\xffb\xe6\xbc", `a\255b\230\188`},
	} {
		if got := Sanitize(c.in); got != c.want {
			t.Errorf("%s: Sanitize(%q) = %q, want %q", c.name, c.in, got, c.want)
		}
	}
}

func FuzzSanitize(f *testing.F) {
	f.Add("a\x1b[0m\u202e\xff\r\nb")
	f.Add("\x1b]8;;http://x\x1b\\y\x1b]52;c;eA==\a\u009b31m\u2066\U000e0041\u2028\ufeff")
	f.Fuzz(func(t *testing.T, s string) {
		got := Sanitize(s)
		if !utf8.ValidString(got) {
			t.Errorf("Sanitize(%q) = %q: not UTF-8", s, got)
		}
		for _, r := range got {
			if r != '\n' && r != '\t' && unicode.IsControl(r) {
				t.Errorf("Sanitize(%q) = %q: control character %U", s, got, r)
			}
			if r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069 || r == 0x2028 || r == 0x2029 || r == 0xfeff || r >= 0xe0000 && r < 0xe0080 {
				t.Errorf("Sanitize(%q) = %q: invisible %U", s, got, r)
			}
		}
		if again := Sanitize(got); again != got {
			t.Errorf("Sanitize(Sanitize(%q)) = %q, want %q", s, again, got)
		}
		if line := SanitizeLine(s); strings.ContainsAny(line, "\n\t") {
			t.Errorf("SanitizeLine(%q) = %q: more than a line", s, line)
		}
	})
}
