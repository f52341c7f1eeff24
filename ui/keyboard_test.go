package ui

import (
	"io"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

// A wire is a terminal that sends bytes at known times.
type wire struct {
	clock time.Time
	sent  []sending
}

type sending struct {
	gap   time.Duration // since the one before
	bytes string
}

func (w *wire) read(p []byte) (int, error) {
	if len(w.sent) == 0 {
		return 0, io.EOF
	}
	s := &w.sent[0]
	w.clock = w.clock.Add(s.gap)
	n := copy(p, s.bytes)
	if s.gap, s.bytes = 0, s.bytes[n:]; s.bytes == "" {
		w.sent = w.sent[1:]
	}
	return n, nil
}

func (w *wire) more(d time.Duration) bool {
	if len(w.sent) > 0 && w.sent[0].gap > d {
		w.clock = w.clock.Add(d)
		w.sent[0].gap -= d
		return false
	}
	if len(w.sent) == 0 {
		return false
	}
	w.clock = w.clock.Add(w.sent[0].gap)
	w.sent[0].gap = 0
	return true
}

// heard is all that a keyboard makes of what was sent.
func heard(sent ...sending) string {
	w := &wire{clock: time.Unix(1_700_000_000, 0), sent: sent}
	k := &keyboard{read: w.read, more: w.more, now: func() time.Time { return w.clock }}
	var out strings.Builder
	b := make([]byte, 4096)
	for {
		n, err := k.Read(b)
		out.Write(b[:n])
		if err != nil {
			return out.String()
		}
	}
}

// The marks of a paste are written as « and », Esc as ^, Enter as ⏎.
var signs = strings.NewReplacer(ansi.BracketedPasteStart, "«", ansi.BracketedPasteEnd, "»", "\x1b", "^", "\r", "⏎")

var bytesOf = strings.NewReplacer("«", ansi.BracketedPasteStart, "»", ansi.BracketedPasteEnd, "^", "\x1b", "⏎", "\r")

func TestKeyboard(t *testing.T) {
	long := strings.Repeat("x", longText)
	for _, c := range []struct {
		name string
		// sent are reads: each may begin with the time since the one before, 1 s if it does not.
		sent []string
		want string
	}{
		{"keys", []string{"a", "^[A", "⏎", "b"}, "a^[A⏎b"},
		{"a line and Enter at once", []string{"1+1⏎"}, "1+1⏎"},
		{"keys that are no text behind Enter", []string{"1+1⏎^[A"}, "1+1⏎^[A"},
		{"Enter held down", []string{"⏎", "25ms:⏎", "25ms:⏎"}, "⏎⏎⏎"},
		{"Enter, and the next line at once", []string{"a", "⏎b", "1s:⏎⏎c⏎"}, "a⏎b⏎⏎c⏎"},
		{"Enter, and the next lines at once", []string{"a", "⏎b⏎c"}, "a⏎«b⏎c»"},
		{"lines at once", []string{"a⏎b⏎"}, "«a⏎b⏎»"},
		{"a blank line in between", []string{"a⏎⏎b"}, "«a⏎⏎b»"},
		{"lines in several reads", []string{"a⏎", "20ms:b⏎", "20ms:c", "20ms:⏎"}, "«a⏎b⏎c⏎»"},
		{"the first read ends within a line", []string{"abc", "1ms:⏎", "1ms:d"}, "abc«⏎d»"},
		{"typing goes on later", []string{"a⏎b", "40ms:c", "⏎"}, "«a⏎b»c⏎"},
		{"keys before the text", []string{"^[Aab⏎c⏎"}, "^[Aab«⏎c⏎»"},
		{"keys and text behind Enter", []string{"a⏎\x03\x04^[A^OPb⏎"}, "a⏎\x03\x04^[A^OPb⏎"},
		{"and lines behind those", []string{"a⏎\x03b⏎c"}, "a⏎\x03«b⏎c»"},
		{"Enter twice, and a key", []string{"a⏎⏎\x03"}, "a⏎⏎\x03"},
		{"keys alone behind Enter", []string{"a⏎\x03^[A^OP"}, "a⏎\x03^[A^OP"},
		{"a key ends lines", []string{"{⏎1^[1~2^OQ"}, "«{⏎1»^[1~2^OQ"},
		{"Backspace, too", []string{"{⏎1\x7f2"}, "«{⏎1»\x7f2"},
		{"Ctrl+C in a later read", []string{"{⏎1", "5ms:\x03"}, "«{⏎1»\x03"},
		{"Esc", []string{"{⏎1^", "1s:a"}, "«{⏎1»^a"},
		{"an arrow in two reads", []string{"{⏎1^[", "5ms:A2"}, "«{⏎1»^[A2"},
		{"a function key in two reads", []string{"{⏎1^O", "5ms:Q"}, "«{⏎1»^OQ"},
		{"several keys", []string{"a⏎b\x03\x04^[A^OP⏎"}, "«a⏎b»\x03\x04^[A^OP⏎"},
		{"lines, a key, lines", []string{"a⏎b\x03c⏎d\x03"}, "«a⏎b»\x03«c⏎d»\x03"},
		{"lines, and a marked paste that holds keys", []string{"a⏎b«c\x03^[Ad»"}, "«a⏎bc[Ad»"},
		{"the same in two reads", []string{"a⏎b", "5ms:«c\x03", "900ms:\x03d»"}, "«a⏎bcd»"},
		{"lines, a key, and a marked paste", []string{"a⏎b\x03«c\x03»"}, "«a⏎b»\x03«c»"},
		{"lines that hold marks", []string{"a⏎b»c⏎«d⏎"}, "«a⏎bc⏎d⏎»"},
		{"a long line", []string{long}, "«" + long + "»"},
		{"a long line and Enter", []string{long + "⏎"}, "«" + long + "»⏎"},
		{"a marked paste", []string{"«a⏎b»", "c"}, "«a⏎b»c"},
		{"a marked paste in several reads", []string{"^[20", "1ms:0~a⏎", "900ms:b^[2", "1ms:01~", "c"}, "«a⏎b»c"},
		{"Enter behind it", []string{"«a»", "5ms:⏎"}, "«a»⏎"},
		{"a marked paste with an end mark in it", []string{"«x = 1»⏎print(1)⏎»"}, "«x = 1⏎print(1)⏎»"},
		{"the same in two reads", []string{"«x = 1»", "1ms:⏎print(1)⏎»"}, "«x = 1⏎print(1)⏎»"},
		{"and with an end mark of eight bits", []string{"«x\x9b201~⏎y»"}, "«x201~⏎y»"},
		{"one mark made of two", []string{"«x^[20^[201~1~⏎y»"}, "«x[201~⏎y»"},
		{"two pastes", []string{"«a»", "«b»"}, "«a»«b»"},
		{"two pastes at once", []string{"«a»«b»"}, "«ab»"},
		{"the end was lost", []string{"«a⏎b", "2s:c", "⏎"}, "«a⏎b»c⏎"},
		{"letters in two reads", []string{"«\xe8\xaa", "1ms:\x9e»", "2s:\xe8\xaa", "1ms:\x9e"}, "«語»語"},
		{"the background among keys", []string{"1+1^]11;rgb:0000/0000/0000\a⏎", "x"}, "^]11;rgb:0000/0000/0000\a1+1⏎x"},
		{"the background in two reads", []string{"1+1^]11;rgb:00", "900ms:00/0000/0000^\\2"},
			"^]11;rgb:0000/0000/0000^\\1+12"},
		{"the background before lines", []string{"^]11;rgb:0000/0000/0000^\\a⏎b"}, "^]11;rgb:0000/0000/0000^\\«a⏎b»"},
		{"the background within a paste", []string{"«a^]11;rgb:ff", "1ms:ff/ffff/ffff\ab»"}, "^]11;rgb:ffff/ffff/ffff\a«ab»"},
		{"no background", []string{"^]11;rgb:0000", "2s:a"}, "^]11;rgb:0000a"},
		{"a letter in two reads, before lines", []string{"\xc3", "1ms:\xa9⏎b"}, "é«⏎b»"},
		{"what is no text", []string{"«a\x00\x7f\xff\tb»"}, "«a\tb»"},
	} {
		var sent []sending
		for _, s := range c.sent {
			gap := time.Second
			if d, rest, ok := strings.Cut(s, ":"); ok {
				if parsed, err := time.ParseDuration(d); err == nil {
					gap, s = parsed, rest
				}
			}
			sent = append(sent, sending{gap, bytesOf.Replace(s)})
		}
		if got := signs.Replace(heard(sent...)); got != c.want {
			t.Errorf("%s: %q is read as %q, want %q", c.name, c.sent, got, c.want)
		}
	}
}

// Whatever is pasted with marks, no byte of it is outside of them.
func FuzzKeyboard(f *testing.F) {
	f.Add("x = 1\x1b[201~\rprint(1)\r", uint8(3))
	f.Add("a\x1b[20\x1b[201~0~\x1b[200~", uint8(7))
	f.Fuzz(func(t *testing.T, text string, size uint8) {
		whole := ansi.BracketedPasteStart + text + ansi.BracketedPasteEnd
		var sent []sending
		for step := int(size)%16 + 1; whole != ""; {
			n := min(step, len(whole))
			sent = append(sent, sending{time.Millisecond, whole[:n]})
			whole = whole[n:]
		}
		got := heard(sent...)
		inside, ok := strings.CutPrefix(got, ansi.BracketedPasteStart)
		inside, closed := strings.CutSuffix(inside, ansi.BracketedPasteEnd)
		if !ok || !closed || strings.Contains(inside, "\x1b") || !utf8.ValidString(inside) {
			t.Fatalf("%q is read as %q", text, got)
		}
	})
}

// Whatever is typed without marks, no byte of it is lost, out of order, or more than the reader has room for.
func FuzzKeyboardTyped(f *testing.F) {
	f.Add("{\r1\x1b[1~2\x1bOQ\x7f\x03", uint8(3))
	f.Add("a\rb\x1b[20", uint8(7))
	f.Add("x"+strings.Repeat("\x03\rx", 1500), uint8(15))
	f.Fuzz(func(t *testing.T, text string, size uint8) {
		if !utf8.ValidString(text) || len(text) > 8<<10 || strings.Contains(text, "\x1b[20") && strings.Contains(text, "~") {
			return // what is no text is left out of a paste, and marks are
		}
		var sent []sending
		for rest, step := text, int(size)*16+1; rest != ""; {
			n := min(step, len(rest))
			sent = append(sent, sending{time.Millisecond, rest[:n]})
			rest = rest[n:]
		}
		got := strings.NewReplacer(ansi.BracketedPasteStart, "", ansi.BracketedPasteEnd, "").Replace(heard(sent...))
		if got != text {
			t.Fatalf("%q is read as %q", text, got)
		}
	})
}

// What the terminal tells of its focus is passed on outside of pastes, and is no text within one.
func TestFocusAndPastes(t *testing.T) {
	const in, out = "\x1b[I", "\x1b[O"
	for _, c := range []struct {
		sent []sending
		want string
	}{
		{[]sending{{time.Second, in}, {time.Second, "a"}, {time.Second, out}}, in + "a" + out},
		{[]sending{{time.Second, "\x1b[200~one" + out + "two" + in + "\x1b[201~"}}, "\x1b[200~onetwo\x1b[201~"},
		{[]sending{{time.Second, "\x1b[200~one\x1b["}, {0, "Otwo\x1b[201~"}}, "\x1b[200~onetwo\x1b[201~"},
	} {
		if got := heard(c.sent...); got != c.want {
			t.Errorf("%v: heard %q, want %q", c.sent, got, c.want)
		}
	}
}
