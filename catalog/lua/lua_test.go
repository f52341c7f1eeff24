package lua_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"almanac/catalog/lua"
)

func TestNames(t *testing.T) {
	for s, want := range map[string]bool{"a": true, "_1": true, "aB9": true, "": false, "1a": false, "a-b": false,
		"é": false, "end": false, "goto": false, "End": true} {
		if lua.IsName(s) != want {
			t.Errorf("%q: a name is %t", s, !want)
		}
	}
	words := lua.Keywords()
	if len(words) != 22 || !slices.IsSorted(words) {
		t.Errorf("%d keywords, not sorted: %v", len(words), words)
	}
}

func TestCall(t *testing.T) {
	for id, want := range map[string]string{
		"billing.invoice.get": "billing.invoice.get({})", "a.end.b": `call("a.end.b", {})`, "list": `call("list", {})`,
		"x.by-month": `call("x.by-month", {})`, `q."x\`: `call("q.\"x\\", {})`, "é.b": `call("é.b", {})`,
	} {
		if got := lua.Call(id, "{}"); got != want {
			t.Errorf("%s: %s, want %s", id, got, want)
		}
	}
}

func TestQuote(t *testing.T) {
	for s, want := range map[string]string{
		"a\"\\b":          `"a\"\\b"`,
		"\n\r\t\x00\x001": `"\n\r\t\0\0001"`,
		"\x1b[2J\x7f":     `"\27[2J\127"`,
		"\xff\xc3":        `"\xff\xc3"`,
		"\u202eevil":      `"\u{202e}evil"`,
		"می\u200cخواهم":   "\"می\u200cخواهم\"",
		"é👩\u200d🚀":       "\"é👩\u200d🚀\"",
		"\u0085\u2028":    `"\u{85}\u{2028}"`,
	} {
		if got := lua.Quote(s); got != want {
			t.Errorf("%q: %s, want %s", s, got, want)
		}
	}
}

func TestNumber(t *testing.T) {
	tenth := 0.1 // a variable: constants are exact
	for want, f := range map[string]float64{
		"0": 0, "-0": math.Copysign(0, -1), "9007199254740992": 1 << 53, "1e+20": 1e20, "0.1": 0.1, "0/0": math.NaN(),
		"3703701.75": 3703701.75, "123456789.123": 123456789.123, "0.0001": 1e-4, "1e-05": 1e-5, "1000000000000000": 1e15,
		"1.152921504606847e+18": 1 << 60, "4503599627370495.5": 4503599627370495.5, "0.30000000000000004": tenth + 0.2,
		"math.huge": math.Inf(1), "-math.huge": math.Inf(-1), "-12.5": -12.5,
	} {
		if got := lua.Number(f); got != want {
			t.Errorf("%v: %s, want %s", f, got, want)
		}
	}
}

func TestNumberText(t *testing.T) {
	tenth := 0.1
	for want, f := range map[string]float64{
		"0": 0, "-0": math.Copysign(0, -1), "1e+15": 1e15, "1e+14": 1e14, "-1.5e+14": -1.5e14, "10000000000000": 1e13,
		"1234567890123456": 1234567890123456, "123456789012345": 123456789012345, "1763837293123400": 1763837293123400,
		"9007199254740992": 1 << 53, "1e+20": 1e20, "0.3": tenth + 0.2, "3703701.75": 3703701.75, "1e-05": 1e-5,
		"nan": math.NaN(), "inf": math.Inf(1), "-inf": math.Inf(-1), "0.33333333333333": 1.0 / 3,
	} {
		if got := lua.NumberText(f); got != want {
			t.Errorf("%v: %s, want %s", f, got, want)
		}
	}
}

func TestLiteral(t *testing.T) {
	data := map[string]any{
		"end": 1, "id": "inv_1", "lines": []any{int64(1), 2.5, nil, true},
		"by month": map[string]any{}, "cut": lua.Raw("{…3}"),
	}
	for _, c := range []struct {
		name string
		v    any
		o    lua.Options
		want string
	}{
		{"on one line", data, lua.Options{},
			`{ ["by month"] = {}, cut = {…3}, ["end"] = 1, id = "inv_1", lines = { 1, 2.5, null, true } }`},
		{"tight", data, lua.Options{Tight: true},
			`{["by month"] = {}, cut = {…3}, ["end"] = 1, id = "inv_1", lines = {1, 2.5, null, true}}`},
		{"first keys", data, lua.Options{First: []string{"id", "lines"}},
			`{ id = "inv_1", lines = { 1, 2.5, null, true }, ["by month"] = {}, cut = {…3}, ["end"] = 1 }`},
		{"cut", data, lua.Options{Limit: 24}, `{ ["by month"] = {}, cut = {…3}, … 3 more }`},
		{"a cut text", strings.Repeat("é", 20), lua.Options{Limit: 19}, `"ééééééééé…"`},
		{"several lines", data, lua.Options{Width: 30}, `{
  ["by month"] = {},
  cut = {…3},
  ["end"] = 1,
  id = "inv_1",
  lines = { 1, 2.5, null, true },
}`},
		{"nothing", nil, lua.Options{}, "null"},
	} {
		if got := lua.Literal(c.v, c.o); got != c.want {
			t.Errorf("%s:\n%s\nwant\n%s", c.name, got, c.want)
		}
	}
}

// What nobody would see is escaped, as everywhere (catalog/text); what joins emoji and letters is not.
func TestQuoteUnseen(t *testing.T) {
	for in, want := range map[string]string{
		"a\u3164b\u00ad\U000e0100": `"a\u{3164}b\u{ad}\u{e0100}"`,
		"👩\u200d👧 ❤\ufe0f":         "\"👩\u200d👧 ❤\ufe0f\"",
	} {
		if got := lua.Quote(in); got != want {
			t.Errorf("Quote(%q) = %s, want %s", in, got, want)
		}
	}
}
