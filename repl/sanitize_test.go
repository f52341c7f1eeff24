package repl

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"almanac/catalog"
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

func TestLineBuffer(t *testing.T) {
	var b LineBuffer
	var got []string
	for _, piece := range []string{"a", "b\nc", "", "\n\nd", "e"} {
		got = append(got, b.Push(piece)...)
	}
	if diff := cmp.Diff([]string{"ab", "c", ""}, got); diff != "" {
		t.Errorf("lines, -want +got:\n%s", diff)
	}
	if b.Rest() != "de" || b.Flush() != "de" || b.Flush() != "" {
		t.Errorf("the rest is not kept until Flush")
	}
}

func TestCutText(t *testing.T) {
	for _, c := range []struct {
		text  string
		width int
		want  string
	}{
		{"abcdef", 6, "abcdef"},
		{"abcdef", 5, "abcd…"},
		{"漢字漢字", 5, "漢字…"},
		{"漢字漢字", 4, "漢…"},
		{"👩‍👩‍👧 family", 3, "👩‍👩‍👧…"},
		{"abc", 1, "…"},
	} {
		if got := cutText(c.text, c.width, "…"); got != c.want {
			t.Errorf("cutText(%q, %d) = %q, want %q", c.text, c.width, got, c.want)
		}
	}
}

func TestLuaText(t *testing.T) {
	for _, c := range []struct {
		value any
		width int
		want  string
	}{
		{nil, 0, "null"},
		{map[string]any{}, 0, "{}"},
		{map[string]any{"b": int64(2), "a": "x\n\x1b\"", "end": true, "a b": 1.5}, 0,
			`{ a = "x\n\27\"", ["a b"] = 1.5, b = 2, ["end"] = true }`},
		{[]any{1e15, 0.1, []any{}, nil}, 0, "{ 1000000000000000, 0.1, {}, null }"},
		{map[string]any{"reason": "duplicate", "lines": []any{int64(1), int64(2)}}, 30,
			"{\n  lines = { 1, 2 },\n  reason = \"duplicate\",\n}"},
	} {
		if got := LuaText(c.value, c.width); got != c.want {
			t.Errorf("LuaText(%v, %d) = %s, want %s", c.value, c.width, got, c.want)
		}
	}
}

func TestArgsText(t *testing.T) {
	e := &catalog.Entry{Input: catalog.MustSchema(`{"type":"object","required":["id"],"properties":{
		"note":{"type":"string"},"id":{"type":"string"},"about":{"type":"object"}}}`)}
	for _, c := range []struct {
		entry *catalog.Entry
		args  map[string]any
		width int
		want  string
	}{
		{e, nil, 0, "{}"},
		{e, map[string]any{"about": map[string]any{"note": "n", "id": "i"}, "more": int64(2), "any": int64(1), "id": "x", "note": "y"}, 0,
			`{ id = "x", note = "y", about = { id = "i", note = "n" }, any = 1, more = 2 }`},
		{e, map[string]any{"about": map[string]any{}, "note": "y", "id": "x"}, 20, "{\n  id = \"x\",\n  note = \"y\",\n  about = {},\n}"},
		{nil, map[string]any{"b": true, "a": false}, 0, "{ a = false, b = true }"},
		{&catalog.Entry{}, map[string]any{"b": true, "a": false}, 0, "{ a = false, b = true }"},
	} {
		if got := ArgsText(c.entry, c.args, c.width); got != c.want {
			t.Errorf("ArgsText(%v, %d) = %s, want %s", c.args, c.width, got, c.want)
		}
	}
}
