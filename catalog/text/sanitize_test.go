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
		{"soft hyphen", "co\u00adop", `co\u{ad}op`},
		{"byte order mark", "\ufeffx", `\u{feff}x`},
		{"fillers", "a\u3164b\u115fc\uffa0", `a\u{3164}b\u{115f}c\u{ffa0}`},
		{"a joiner between letters that do not join", "in\u200dvoice \u200c", `in\u{200d}voice \u{200c}`},
		{"joiners that shape", "می\u200cخواهم क्\u200dष", "می\u200cخواهم क्\u200dष"},
		{"selectors of emoji", "❤\ufe0f ☎\ufe0e", "❤\ufe0f ☎\ufe0e"},
		{"keycaps", "1\ufe0f\u20e3 #\ufe0f\u20e3 *\u20e3 ❤\ufe0f\u20e3", "1\u20e3 #\u20e3 *\u20e3 ❤\u20e3"},
		{"selectors that hide bytes", "a\ufe0fb😀\ufe01\U000e0120", `a\u{fe0f}b😀\u{fe01}\u{e0120}`},
		{"selectors in a row", "😀\ufe0f\ufe0f\ufe0e", "😀\ufe0f" + `\u{fe0f}\u{fe0e}`},
		{"joiners in a row", "😀\u200d\u200d😀", "😀" + `\u{200d}\u{200d}` + "😀"},
		{"private use and unassigned", "\ue0b0\U000f0000\uffff\u0378", `\u{e0b0}\u{f0000}\u{ffff}\u{378}`},
		{"spaces that are wide", "a\u00a0b\u3000c", "a\u00a0b\u3000c"},
		{"signs of Arabic", "\u0600\u0661", "\u0600\u0661"},
		{"next line", "a\u0085b\vc\fd", `a\u{85}b\11c\12d`},
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

// What is taken in reads as it looks.
func TestClean(t *testing.T) {
	for _, c := range []struct{ name, in, lines, line string }{
		{"plain", "Käse 漢字 👩‍👩‍👧", "Käse 漢字 👩‍👩‍👧", "Käse 漢字 👩‍👩‍👧"},
		{"space around", " \n a  b\r\n\n\tc \n", "a  b\n\n\tc", "a b c"},
		{"colour", "\x1b[31mred\x1b[0m.", "red .", "red ."},
		{"title and clipboard", "a\x1b]0;owned\a b\x1b]52;c;aGk=\x1b\\c", "a  b c", "a b c"},
		{"C1", "a\u009b31mb\u0085c\x9bd", "a b c\ufffdd", "a b c\ufffdd"},
		{"a lone return", "safe\rrm -rf", "safe rm -rf", "safe rm -rf"},
		{"line separators", "a\u2028SYSTEM: b\u2029c", "a SYSTEM: b c", "a SYSTEM: b c"},
		{"invisible", "ig\u200bno\u00adre\ufeff\u2060 \u202eall\u202c", "ignore all", "ignore all"},
		{"tags", "x\U000e0068\U000e0069y", "xy", "xy"},
		{"broken UTF-8", "a\xffb", "a\ufffdb", "a\ufffdb"},
		{"spaces", "a\u00a0\u3000b", "a\u00a0\u3000b", "a b"},
	} {
		if got := Clean(c.in); got != c.lines {
			t.Errorf("%s: Clean(%q) = %q, want %q", c.name, c.in, got, c.lines)
		}
		if got := OneLine(c.in); got != c.line {
			t.Errorf("%s: OneLine(%q) = %q, want %q", c.name, c.in, got, c.line)
		}
	}
}

// Whatever comes in, nothing goes out that a terminal would obey, that turns text around, or that nobody would see.
func FuzzSanitize(f *testing.F) {
	f.Add("a\x1b[0m\u202e\xff\r\nb")
	f.Add("\x1b]8;;http://x\x1b\\y\x1b]52;c;eA==\a\u009b31m\u2066\U000e0041\u2028\ufeff")
	f.Add("+\u200d\x84")
	f.Add("1\ufe0f\u20e3 😀\u200d\u200d\ufe0f ی\u200c\u200c\u3164\U000e0100")
	f.Fuzz(func(t *testing.T, s string) {
		for name, made := range map[string]func(string) string{"Sanitize": Sanitize, "SanitizeLine": SanitizeLine,
			"SanitizeSource": SanitizeSource, "Clean": Clean, "OneLine": OneLine, "FirstSentence": FirstSentence} {
			got := made(s)
			if !utf8.ValidString(got) {
				t.Errorf("%s(%q) = %q: not UTF-8", name, s, got)
			}
			before := rune(-1)
			for _, r := range got {
				invisible := unicode.Is(unicode.Cf, r) && !unicode.Is(unicode.Prepended_Concatenation_Mark, r) ||
					unicode.Is(unicode.Variation_Selector, r) || r == 0x2028 || r == 0x2029
				if r != '\n' && r != '\t' && unicode.IsControl(r) || invisible && !joins(r) ||
					joins(r) && (joins(before) && r != joiner || before < ' ') {
					t.Errorf("%s(%q) = %q: has %U", name, s, got, r)
				}
				before = r
			}
			if again := made(got); again != got {
				t.Errorf("%s(%q) = %q, and of that %q", name, s, got, again)
			}
			if one := strings.HasSuffix(name, "Line") || name == "FirstSentence"; one && strings.ContainsAny(got, "\n\t") {
				t.Errorf("%s(%q) = %q: more than a line", name, s, got)
			}
		}
	})
}
