package ui

import (
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

func TestEditorMovesByGraphemes(t *testing.T) {
	var e editor
	e.insert("a語👩‍👩‍👧e\u0301b")
	var stops []int
	for pos := len(e.text); ; pos = e.prev(pos) {
		stops = append(stops, pos)
		if pos == 0 {
			break
		}
	}
	if diff := cmp.Diff([]int{26, 25, 22, 4, 1, 0}, stops); diff != "" {
		t.Errorf("stops (-want +got):\n%s", diff)
	}
}

func TestEditorRows(t *testing.T) {
	var e editor
	e.insert("abcdef\n\n語語語\nx")
	var got []string
	rows := e.rows(4)
	for _, r := range rows {
		mark := " "
		if r.first {
			mark = ">"
		}
		got = append(got, mark+e.text[r.from:r.to])
	}
	if diff := cmp.Diff([]string{">abcd", " ef", ">", ">語語", " 語", ">x"}, got); diff != "" {
		t.Errorf("rows (-want +got):\n%s", diff)
	}
	for _, c := range []struct{ pos, y, x int }{{0, 0, 0}, {4, 1, 0}, {6, 1, 2}, {7, 2, 0},
		{14, 4, 0}, {len(e.text), 5, 1}} {
		e.move(c.pos)
		if y, x := e.cursor(rows); y != c.y || x != c.x {
			t.Errorf("cursor at byte %d: row %d column %d, want row %d column %d", c.pos, y, x, c.y, c.x)
		}
	}
}

// Whatever keys do, the cursor stays inside the text and between whole characters.
func FuzzEditor(f *testing.F) {
	names := []string{"left", "right", "alt+b", "alt+f", "home", "end", "backspace", "delete", "ctrl+w", "alt+d", "ctrl+u",
		"ctrl+k", "ctrl+y", "ctrl+_", "ctrl+home", "ctrl+end", "alt+backspace"}
	f.Add("a語\ne\u0301 b", []byte{0, 6, 20, 3, 13, 200, 8})
	f.Fuzz(func(t *testing.T, text string, keys []byte) {
		var e editor
		e.insert(cleanPaste(text))
		for _, k := range keys {
			switch i := int(k) % (len(names) + 3); i {
			case len(names):
				e.vertical(-1)
			case len(names) + 1:
				e.vertical(1)
			case len(names) + 2:
				e.insert("語\n")
			default:
				e.key(names[i])
			}
			if e.pos < 0 || e.pos > len(e.text) || !utf8.ValidString(e.text) || !utf8.ValidString(e.text[:e.pos]) {
				t.Fatalf("cursor %d in %q", e.pos, e.text)
			}
			rows := e.rows(5)
			if y, x := e.cursor(rows); y < 0 || y >= len(rows) || x < 0 {
				t.Fatalf("cursor at row %d column %d of %d rows", y, x, len(rows))
			}
		}
	})
}

// What is pasted keeps the joiners that emoji and some scripts need, and nothing that hides or speaks to the terminal.
func TestCleanPaste(t *testing.T) {
	for in, want := range map[string]string{
		"👩\u200d👧 ❤\ufe0f می\u200cخواهم":             "👩\u200d👧 ❤\ufe0f می\u200cخواهم",
		"a\r\nb\rc\x1b[31m\u202e\u200b\u00add\u009b": "a\nb\nc[31md",
	} {
		if got := cleanPaste(in); got != want {
			t.Errorf("cleanPaste(%q) = %q, want %q", in, got, want)
		}
	}
}
