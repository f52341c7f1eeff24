package ui

import (
	"strings"
	"testing"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"
)

// viKeysOf cuts keys apart: letters, and names in angle brackets, <esc>.
func viKeysOf(keys string) []string {
	var all []string
	for keys != "" {
		if end := strings.IndexByte(keys, '>'); keys[0] == '<' && end > 1 {
			all, keys = append(all, keys[1:end]), keys[end+1:]
			continue
		}
		_, n := utf8.DecodeRuneInString(keys)
		all, keys = append(all, keys[:n]), keys[n:]
	}
	return all
}

// viTyped applies keys to a text with | for the cursor, beginning in normal mode, and returns what becomes of it: the
// cursor is ^ in insert mode.
func viTyped(text, keys string) string {
	at := strings.IndexByte(text, '|')
	e := editor{text: text[:at] + text[at+1:], pos: at, goal: -1}
	v := vi{on: true, normal: true}
	for _, key := range viKeysOf(keys) {
		switch {
		case v.normal:
			v.press(&e, key)
		case key == "esc":
			v.escape(&e)
		case !e.key(key):
			e.insert(key)
		}
	}
	mark := "|"
	if !v.normal {
		mark = "^"
	}
	return e.text[:e.pos] + mark + e.text[e.pos:]
}

func TestVi(t *testing.T) {
	for _, c := range []struct{ text, keys, want string }{
		// Motions.
		{"one |two", "h", "one| two"},
		{"one |two", "9h", "|one two"},
		{"on|e two", "2l", "one |two"},
		{"on|e two", "99l", "one tw|o"},
		{"  one| two", "0", "|  one two"},
		{"  one| two", "^", "  |one two"},
		{"|one two", "$", "one tw|o"},
		{"|one two three", "w", "one |two three"},
		{"|one two three", "2w", "one two |three"},
		{"|a.b = c", "w", "a|.b = c"},
		{"|a.b = c", "W", "a.b |= c"},
		{"one\n|\ntwo", "w", "one\n\n|two"},
		{"|one\n\ntwo", "w", "one\n|\ntwo"},
		{"one two |three", "b", "one |two three"},
		{"one two thr|ee", "b", "one two |three"},
		{"a.b| c", "B", "|a.b c"},
		{"|one two", "e", "on|e two"},
		{"on|e two", "e", "one tw|o"},
		{"|a.b c", "E", "a.|b c"},
		{"one tw|o", "ge", "on|e two"},
		{"|a, b, c", "f,", "a|, b, c"},
		{"|a, b, c", "2f,", "a, b|, c"},
		{"|a, b, c", "f,;", "a, b|, c"},
		{"|a, b, c", "f,;,", "a|, b, c"},
		{"|a, b, c", "t,;", "a, |b, c"},
		{"a, b, |c", "F,", "a, b|, c"},
		{"a, b, |c", "T,", "a, b,| c"},
		{"|a, b", "fx", "|a, b"},
		{"one\n  two\nth|ree", "gg", "|one\n  two\nthree"},
		{"|one\ntwo\n  three", "G", "one\ntwo\n  |three"},
		{"|one\ntwo\nthree", "2G", "one\n|two\nthree"},
		{"on|e\ntwo", "j", "one\ntw|o"},
		{"one\ntw|o", "k", "on|e\ntwo"},
		{"|f(a[1], {})", "%", "f(a[1], {}|)"},
		{"f(a[1], {}|)", "%", "f|(a[1], {})"},
		{"|漢字 x", "lx", "漢| x"},
		// Operators.
		{"one |two three", "dw", "one |three"},
		{"|one two three", "2dw", "|three"},
		{"|one two three four", "2d2w", "|"},
		{"one |two\nthree", "dw", "one| \nthree"},
		{"one t|wo three", "db", "one |wo three"},
		{"one |two three", "de", "one | three"},
		{"one |two three", "d$", "one| "},
		{"one |two three", "D", "one| "},
		{"one |two three", "d0", "|two three"},
		{"f(|a, b)", "dt)", "f(|)"},
		{"f(|a, b)", "df,", "f(| b)"},
		{"|one two", "x", "|ne two"},
		{"|one two", "3x", "| two"},
		{"on|e two", "2X", "|e two"},
		{"one\nt|wo\nthree", "dd", "one\n|three"},
		{"one\nt|wo", "dd", "|one"},
		{"o|ne", "dd", "|"},
		{"o|ne\ntwo\nthree", "dj", "|three"},
		{"one\ntwo\nth|ree", "dk", "|one"},
		{"one\nt|wo\nthree", "dG", "|one"},
		{"one\nt|wo\nthree", "dgg", "|three"},
		{"|one two", "cwx", "x^ two"},
		{"|one two three", "c2wx", "x^ three"},
		{"|a b", "cwx", "x^ b"},
		{"one |two", "Cx<esc>", "one |x"},
		{"  on|e\ntwo", "ccx", "  x^\ntwo"},
		{"|one", "sx<esc>", "|xne"},
		{"|one", "Sx<esc>", "|x"},
		{"|one two", "ywP", "one| one two"},
		{"|one\ntwo", "yyjp", "one\ntwo\n|one"},
		{"|one\ntwo", "Yjp", "one\ntwo\n|one"},
		{"|one\ntwo", "ddp", "two\n|one"},
		{"|one\ntwo", "yy2P", "|one\none\none\ntwo"},
		{"|one two", "dwwP", "twone| o"},
		{"|ab", "xp", "b|a"},
		{"|if x then\ny()\nend", "j>>", "if x then\n  |y()\nend"},
		{"|a\n  b", ">j", "  |a\n    b"},
		{"    |a", "<<", "  |a"},
		{"|f(a[1], {}) x", "d%", "| x"},
		// Text objects.
		{"one t|wo three", "diw", "one | three"},
		{"one t|wo three", "daw", "one |three"},
		{"one t|wo", "daw", "on|e"},
		{"a.|b c", "diW", "| c"},
		{`f{x = "o|ne two"}`, `di"`, `f{x = "|"}`},
		{`|f{x = "one"}`, `ci"y<esc>`, `f{x = "|y"}`},
		{`f{x = "o|ne" }`, `da"`, `f{x = |}`},
		{`"a \" b|" c`, `di"`, `"|" c`},
		{`f{x = g(1, |2)}`, "di(", "f{x = g(|)}"},
		{`f{x = g(1, |2)}`, "da(", "f{x = g|}"},
		{`f{x = g(1, |2)}`, "di{", "f{|}"},
		{"f{x = |{1, {2}}}", "diB", "f{x = {|}}"},
		{"f{x = {|1, {2}}}", "d2i{", "f{|}"},
		{"a[i| + 1]", "ci[j", "a[j^]"},
		{"a| b", "di(", "a| b"},
		// Insertion.
		{"o|ne", "ix<esc>", "o|xne"},
		{"o|ne", "ax<esc>", "on|xe"},
		{"  o|ne", "Ix<esc>", "  |xone"},
		{"  o|ne", "Ax<esc>", "  one|x"},
		{"o|ne\ntwo", "ox<esc>", "one\n|x\ntwo"},
		{"  o|ne", "Ox<esc>", "  |x\n  one"},
		{"|", "3ix<esc>", "xx|x"},
		{"|one", "rx", "|xne"},
		{"|one", "2rx", "x|xe"},
		{"|one", "4rx", "|one"},
		{"|oNe", "3~", "On|E"},
		{"o|ne\n  two", "J", "one| two"},
		{"o|ne\ntwo\nthree", "3J", "one two| three"},
		{"f(|a\n)", "J", "f(a|)"},
		// Again and back.
		{"|one two three", "dw.", "|three"},
		{"|one two three", "cwx<esc>w.", "x |x three"},
		{"|a b c", "ix<esc>w.w.", "xa xb |xc"},
		{"|one two", "A!<esc>.", "one two!|!"},
		{"|a b c d", "x2.", "| c d"},
		{"|one two", "dwu", "|one two"},
		{"|one two", "dwu<ctrl+r>", "|two"},
		{"|one", "Atwo three<esc>u", "|one"},
		{"|one two three", "xxx2u", "|ne two three"},
		{"|one", "cwab c<esc>uu", "|one"},
		{"|one", "d<esc>x", "|ne"},
		{"|one two", "zx", "|ne two"},
		{"|one", "dzx", "|ne"},
	} {
		if got := viTyped(c.text, c.keys); got != c.want {
			t.Errorf("%q, %s: got %q, want %q", c.text, c.keys, got, c.want)
		}
	}
}

// The screen gives vi its keys: Esc stops what runs first, j and k go on in the history, Enter begins in insert mode.
func TestViKeys(t *testing.T) {
	s := newScreen(t, 80, 24)
	s.vi = newVi(s.model, true)
	s.history.Add("older", 0)
	s.history.Add("newer", 0)
	for _, step := range []struct{ keys, text, word string }{
		{"one two", "one two", "insert"},
		{"<esc>", "one two", "normal"},
		{"2d", "one two", "normal 2d"},
		{"<esc>", "one two", "normal"},
		{"0D", "", "normal"},
		{"k", "newer", "normal"},
		{"k", "older", "normal"},
		{"jj", "", "normal"},
		{"ix", "x", "insert"},
		{"<enter>", "", "insert"},
		{"y", "y", "insert"},
		{"<esc>", "y", "insert"},
	} {
		for _, key := range viKeysOf(step.keys) {
			s.keys(key)
		}
		if s.edit.text != step.text || s.viWord() != step.word {
			t.Fatalf("%s: %q in %s, want %q in %s", step.keys, s.edit.text, s.viWord(), step.text, step.word)
		}
	}
	if !s.work.stopped {
		t.Error("Esc did not stop what runs")
	}
	s.send(doneMsg{})
	s.send(tea.KeyPressMsg{Code: 'x', Mod: tea.ModAlt}) // Esc and x at once
	if s.edit.text != "" || s.viWord() != "normal" {
		t.Errorf("Esc x at once: %q in %s", s.edit.text, s.viWord())
	}
	s.keys("i", "g()", "alt+enter")
	if s.edit.text != "" || s.work == nil {
		t.Errorf("Esc Enter at once: %s", s.state())
	}
	s.send(doneMsg{})
	s.keys("esc", "/")
	if s.search == nil {
		t.Error("/ does not search the history")
	}
}

// Whatever keys come, the cursor stays inside the text and between whole characters.
func FuzzVi(f *testing.F) {
	f.Add("a語 (b \"c\")\n  d", "2dw.ci(x<esc>ggJ~p3xuu<ctrl+r>>>%;,")
	f.Fuzz(func(t *testing.T, text, keys string) {
		var e editor
		e.insert(cleanPaste(text))
		v := vi{on: true, normal: true}
		for _, key := range viKeysOf(cleanPaste(keys)) {
			switch {
			case v.normal:
				v.press(&e, key)
			case key == "esc":
				v.escape(&e)
			default:
				e.insert(key)
			}
			if e.pos < 0 || e.pos > len(e.text) || !utf8.ValidString(e.text) || !utf8.ValidString(e.text[:e.pos]) {
				t.Fatalf("cursor %d in %q after %s", e.pos, e.text, key)
			}
			if len(e.text) > 1<<16 {
				return
			}
		}
	})
}
