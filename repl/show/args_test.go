package show

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParseArgs(t *testing.T) {
	for _, c := range []struct {
		text string
		want any // a map, or the error, empty for any
	}{
		{`{}`, map[string]any{}},
		{`{ id = "inv_1", amount_cents = 12900, ok = true, none = nil }`,
			map[string]any{"id": "inv_1", "amount_cents": int64(12900), "ok": true, "none": nil}},
		{`{ ["a b"] = -1.5; list = { 1, "two", { x = 0x10 } }, empty = {}, }`,
			map[string]any{"a b": -1.5, "list": []any{int64(1), "two", map[string]any{"x": int64(16)}}, "empty": []any{}}},
		{`{ s = 'a\n\27\x41\z   b\u{6f22}', long = [==[x]]y]==] }`, map[string]any{"s": "a\n\x1bA" + "b漢", "long": "x]]y"}},
		{`{ n = 010, h = 0x10, e = 1e3 }`, map[string]any{"n": int64(10), "h": int64(16), "e": 1000.0}},
		{`{ 1, 2 }`, wantArgs},
		{`"x"`, wantArgs},
		{`{ a = f() }`, wantArgs + "; near 'f'"},
		{`{ a = 1 + 1 }`, wantArgs + "; near '+'"},
		{`{ a = b.c }`, wantArgs + "; near 'b'"},
		{`{ a = 1, 2 }`, "a table has names or a list, not both"},
		{`{ a = `, wantArgs + "; it ends too early"},
		{`{ a = 1`, wantArgs + "; it ends too early"},
		{``, wantArgs + "; it ends too early"},
		{`yes`, wantArgs + "; near 'yes'"},
		{`return {}`, wantArgs + "; near 'return'"},
		{`{} {}`, wantArgs + "; near '{'"},
		{`{ a = [[x }`, ""},
		{`{ a = "x }`, ""},
		{`{ a = "\q" }`, `\q: unknown escape`},
	} {
		got, err := ParseArgs(c.text)
		want, isError := c.want.(string)
		switch {
		case isError && (err == nil || want != "" && err.Error() != want):
			t.Errorf("ParseArgs(%s) = %v, %v, want error %q", c.text, got, err, want)
		case !isError && err != nil:
			t.Errorf("ParseArgs(%s): %v", c.text, err)
		case !isError:
			if diff := cmp.Diff(c.want, any(got)); diff != "" {
				t.Errorf("ParseArgs(%s), -want +got:\n%s", c.text, diff)
			}
		}
	}
}

// What LuaText writes, ParseArgs reads.
func FuzzParseArgs(f *testing.F) {
	f.Add("key", "value\n\"\\", int64(-3), 1.5)
	f.Add("\x1b7", "\xff\u202e\r\n", int64(0), 0.1)
	f.Fuzz(func(t *testing.T, key, text string, n int64, x float64) {
		if x != x || x-x != 0 || n == -1<<63 {
			t.Skip("no such number can be written")
		}
		args := map[string]any{key: text, key + "n": n, key + "x": x, key + "l": []any{text, nil}}
		got, err := ParseArgs(LuaText(args, 0))
		if err != nil {
			t.Fatalf("%s: %v", LuaText(args, 0), err)
		}
		if x == float64(int64(x)) {
			got[key+"x"] = x
		}
		if diff := cmp.Diff(args, got); diff != "" {
			t.Errorf("-want +got:\n%s", diff)
		}
	})
}
