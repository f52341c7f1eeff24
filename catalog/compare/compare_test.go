package compare

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

func TestValues(t *testing.T) {
	type object = map[string]any
	for _, c := range []struct {
		name      string
		want, got any
		differ    string
	}{
		{"the same", object{"a": []any{int64(1)}}, object{"a": []any{1.0}}, ""},
		{"empty tables", object{}, []any{}, ""},
		{"a number of a log", json.Number("12"), int64(12), ""},
		{"large integers", int64(1<<62 + 1), int64(1 << 62), "r: 4611686018427387905 4611686018427387904"},
		{"a number and a text", int64(1), "1", `r: 1 "1"`},
		{"a list and none", []any{"a"}, nil, `r: {"a"} nothing`},
		{"one more, one less", object{"a": true, "b": int64(1)}, object{"b": int64(1), "c d": "x"},
			`r.a: true nothing; r["c d"]: nothing "x"`},
		{"deep inside", object{"l": []any{object{"x": "a"}}}, object{"l": []any{object{"x": "b"}, int64(2)}},
			`r.l[1].x: "a" "b"; r.l[2]: nothing 2`},
	} {
		var lines []string
		for _, d := range Values("r", c.want, c.got) {
			lines = append(lines, fmt.Sprintf("%s: %s %s", d.Path, d.Want, d.Got))
		}
		if got := strings.Join(lines, "; "); got != c.differ {
			t.Errorf("%s: %s, want %s", c.name, got, c.differ)
		}
	}
}

// TestValuesMany checks that a long list of differences is cut, and says so.
func TestValuesMany(t *testing.T) {
	var a, b []any
	for i := range 100 {
		a, b = append(a, int64(i)), append(b, int64(-i-1))
	}
	all := Values("r", a, b)
	if n := len(all); n != mostDifferences+1 || all[n-1].Path != "r and more" {
		t.Errorf("%d differences, the last at %s", n, all[n-1].Path)
	}
}

func TestLines(t *testing.T) {
	for _, c := range []struct{ want, got, diff string }{
		{"a\nb\n", "a\nb\n", ""},
		{"a\nb\nc\n", "a\nx\nc\n", "- b|+ x"},
		{"a\n", "", "- a"},
		{"", "a", "+ a"},
		{"a\n", "a", "- a|+ a (no line end)"},
		{"1\n2\n3\n4\n5\n", "1\n5\n", "- 2|- 3|- … 1 more"},
		{"a\nb\na\nb", "a\nb", "- a|- b"},
	} {
		if got := strings.Join(Lines(c.want, c.got, 2), "|"); got != c.diff {
			t.Errorf("%q and %q: %s, want %s", c.want, c.got, got, c.diff)
		}
	}
}

// TestLinesWhole checks with random texts that a diff is empty for equal ones only, and that its lines are theirs.
func TestLinesWhole(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	random := func() string {
		var b strings.Builder
		for range r.IntN(6) {
			b.WriteString(string("ab\n"[r.IntN(3)]))
		}
		return b.String()
	}
	for range 5000 {
		want, got := random(), random()
		diff := Lines(want, got, 10)
		if (len(diff) == 0) != (want == got) {
			t.Fatalf("%q and %q: %q", want, got, diff)
		}
	}
}
