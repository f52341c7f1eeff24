package show

import (
	"strings"
	"testing"
)

// spelled writes lines with their roles: k keyword, s string, n number, c comment.
func spelled(lines []Line) string {
	marks := map[Role]string{Keyword: "k", String: "s", Number: "n", Dim: "c"}
	var b strings.Builder
	for i, l := range lines {
		if i > 0 {
			b.WriteByte('\n')
		}
		for _, s := range l {
			if mark := marks[s.Role]; mark != "" {
				b.WriteString(mark + "<" + s.Text + ">")
			} else {
				b.WriteString(s.Text)
			}
		}
	}
	return b.String()
}

func TestCodeLines(t *testing.T) {
	for _, c := range []struct{ language, source, want string }{
		{"json", `{"a b": [1, -2.5e3, "x\"y", true], "b": null}`,
			`{k<"a b">: [n<1>, -n<2.5e3>, s<"x\"y">, k<true>], k<"b">: k<null>}`},
		{"yaml", "a-b: 'it''s' # no\n- key: \"v\"\nurl: http://x#y",
			"k<a-b>: s<'it'>s<'s'> c<# no>\n- k<key>: s<\"v\">\nk<url>: http://x#y"},
		{"bash", "if [ \"$a\" = 'b\\' ]; then # c\n  echo $#\nfi",
			"k<if> [ s<\"$a\"> = s<'b\\'> ]; k<then> c<# c>\n  k<echo> $#\nk<fi>"},
		{"py", "def f(x1):\n  '''two\nlines'''\n  return 0x1F # r",
			"k<def> f(x1):\n  s<'''two>\ns<lines'''>\n  k<return> n<0x1F> c<# r>"},
		{"ts", "const a = `x\n${b}` // c\n/* d\n*/ 'no end",
			"k<const> a = s<`x>\ns<${b}`> c<// c>\nc</* d>\nc<*/> s<'no end>"},
		{"go", "func f() { return `\\`, 'a', nil } // x", "k<func> f() { k<return> s<`\\`>, s<'a'>, k<nil> } c<// x>"},
		{"SQL", "SELECT id FROM t WHERE n = 'o''k' -- c", "k<SELECT> id k<FROM> t k<WHERE> n = s<'o'>s<'k'> c<-- c>"},
		{"brainfuck", "if 1 'x'", "if 1 'x'"},
		{"lua", "local x = 1", "k<local> x = n<1>"},
		{"", "return 1", "return 1"},
	} {
		if got := spelled(codeLines(c.source, c.language)); got != c.want {
			t.Errorf("%s:\ngot  %s\nwant %s", c.language, got, c.want)
		}
	}
	seen := map[string]bool{}
	for _, l := range languages() {
		for _, name := range strings.Fields(l.names) {
			if seen[name] {
				t.Errorf("%s is there twice", name)
			}
			seen[name] = true
		}
	}
}

// FuzzCode holds that colours change no text, whatever it is.
func FuzzCode(f *testing.F) {
	for _, source := range []string{"", "\"", "'\\", "/*", "# x", "a:\n b: `", "\x80\xff 1.", "'''", "--"} {
		f.Add(source)
	}
	f.Fuzz(func(t *testing.T, source string) {
		for _, l := range append(languages(), language{names: "lua none"}) {
			name, _, _ := strings.Cut(l.names, " ")
			var lines []string
			for _, l := range codeLines(source, name) {
				lines = append(lines, l.String())
			}
			if got := strings.Join(lines, "\n"); got != source {
				t.Errorf("%s: %q became %q", name, source, got)
			}
		}
	})
}
