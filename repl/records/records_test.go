package records

import (
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func people() List {
	return List{}.Added([]any{
		map[string]any{"id": "c1", "name": "Zoë", "amount": int64(10), "note": "=1+1"},
		map[string]any{"id": "c2", "name": "anna, \"A\"", "amount": 2.5, "tags": []any{"x", "y|z"}},
		map[string]any{"id": "c3", "name": nil, "amount": int64(-3), "note": "a\nb"},
		map[string]any{"id": "c4", "name": "Anna", "amount": nil},
	}, []string{"id", "name", "amount", "note", "tags"})
}

func TestColumns(t *testing.T) {
	var got []string
	for _, c := range people().Columns {
		got = append(got, fmt.Sprintf("%s %d %t", c.Field, c.Width, c.Right()))
	}
	want := []string{"id 2 false", "name 9 false", "amount 6 true", "note 4 false", "tags 14 false"}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("-want +got:\n%s", d)
	}
	more := people().Added([]any{map[string]any{"id": "c5", "extra": true}, "loose"}, nil)
	if n := len(more.Columns); n != 7 || more.Text(0, 5) != "" || more.Text(4, 5) != "true" || more.Text(5, 6) != "loose" {
		t.Errorf("%d columns, %q %q %q", n, more.Text(0, 5), more.Text(4, 5), more.Text(5, 6))
	}
	if d := cmp.Diff(map[string]any{"id": "c4", "name": "Anna", "amount": nil}, people().record(3, nil)); d != "" {
		t.Errorf("the record is not as it was:\n%s", d)
	}
}

// Numbers are sorted as numbers, null comes last either way, and equal rows keep their order.
func TestOrder(t *testing.T) {
	l := people()
	for _, c := range []struct {
		sort   Sort
		filter string
		want   []int
	}{
		{Sort{}, "", []int{0, 1, 2, 3}},
		{Sort{Column: 3}, "", []int{2, 1, 0, 3}},
		{Sort{Column: 3, Descending: true}, "", []int{0, 1, 2, 3}},
		{Sort{Column: 2}, "", []int{3, 1, 0, 2}},
		{Sort{Column: 5, Descending: true}, "", []int{1, 0, 2, 3}},
		{Sort{Column: 99}, "", []int{0, 1, 2, 3}},
		{Sort{}, "ANNA", []int{1, 3}},
		{Sort{}, "anna 2.5", []int{1}},
		{Sort{}, "name:anna", []int{1, 3}},
		{Sort{}, "na:anna id:c4", []int{3}},
		{Sort{}, "id:anna", []int{}},
		{Sort{}, "n:a", []int{}},     // name or note: a word
		{Sort{}, "ame:zo", []int{0}}, // the only one with it
		{Sort{}, `name:"anna, "`, []int{1}},
		{Sort{}, "name:", []int{0, 1, 2, 3}},
		{Sort{}, "name:null", []int{2}},
		{Sort{}, "tags:y|", []int{1}},
		{Sort{}, "10:30", []int{}},
		{Sort{Column: 1, Descending: true}, "anna", []int{3, 1}},
	} {
		got := l.Order(context.Background(), c.sort, ParseFilter(c.filter, l.Columns))
		if !slices.Equal(got, c.want) {
			t.Errorf("%+v %q: %v, want %v", c.sort, c.filter, got, c.want)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if got := l.Order(ctx, Sort{}, Filter{}); got != nil {
		t.Errorf("after the end of its context: %v", got)
	}
}

// Whatever is sorted or filtered, no row is lost or there twice: each row is in the order exactly if it passes by
// itself.
func TestOrderKeepsRows(t *testing.T) {
	values := []any{nil, true, false, int64(3), -1.5, math.NaN(), math.Inf(1), "", "a", "A", "ä", "10", "9", "日本", []any{},
		[]any{"a"}, map[string]any{"a": nil}}
	for seed := range uint64(300) {
		random := rand.New(rand.NewPCG(seed, 1))
		var l List
		for range random.IntN(4) {
			var items []any
			for range random.IntN(30) {
				r := map[string]any{}
				for _, name := range []string{"a", "b", "ab", "名"}[:1+random.IntN(4)] {
					r[name] = values[random.IntN(len(values))]
				}
				items = append(items, r)
			}
			l = l.Added(items, nil)
		}
		s := Sort{Column: random.IntN(6), Descending: random.IntN(2) == 0}
		f := ParseFilter([]string{"", "a", "b:a", "ab:1", "a 日", `"`, "名:本 a"}[random.IntN(7)], l.Columns)
		got := l.Order(context.Background(), s, f)
		var want []int
		for i := range l.Len() {
			if f.matches(l, i) {
				want = append(want, i)
			}
		}
		if s.Column >= 1 && s.Column <= len(l.Columns) {
			for i := 1; i < len(got); i++ {
				a, b := keyOf(l.At(got[i-1], s.Column-1)), keyOf(l.At(got[i], s.Column-1))
				if c := a.compare(b, s.Descending); c > 0 || c == 0 && got[i-1] > got[i] {
					t.Fatalf("seed %d: rows %d and %d are out of order", seed, got[i-1], got[i])
				}
			}
		}
		if sorted := slices.Sorted(slices.Values(got)); !slices.Equal(sorted, want) {
			t.Fatalf("seed %d: %v, want the rows %v", seed, sorted, want)
		}
	}
}

// Any text is a filter, and what it takes is a part of what each of its words takes.
func FuzzFilter(f *testing.F) {
	for _, s := range []string{"anna", "name:anna id:c1", `name:"an`, ":", "::a", `"":"`, "na:", "\xff:\x00", "tags:x y"} {
		f.Add(s)
	}
	l := people()
	f.Fuzz(func(t *testing.T, typed string) {
		got := l.Order(context.Background(), Sort{}, ParseFilter(typed, l.Columns))
		if !slices.IsSorted(got) {
			t.Errorf("%q: %v is out of order", typed, got)
		}
		if strings.ContainsAny(typed, `"`) {
			return
		}
		for _, word := range strings.Split(typed, " ") {
			alone := l.Order(context.Background(), Sort{}, ParseFilter(word, l.Columns))
			for _, row := range got {
				if !slices.Contains(alone, row) {
					t.Errorf("%q takes row %d, %q does not", typed, row, word)
				}
			}
		}
	})
}

func written(t *testing.T, data any, fields []string, o Options) string {
	t.Helper()
	var b strings.Builder
	if err := WriteValue(&b, data, fields, o); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestFormats(t *testing.T) {
	list := []any{
		map[string]any{"id": "c1", "name": "anna, \"A\"\nB", "n": int64(1 << 60), "tags": []any{"x|y", nil}},
		map[string]any{"id": "=c2", "name": nil, "n": -2.5, "a b": math.Inf(1)},
	}
	order := []string{"id", "name", "n", "tags", "a b"}
	for _, c := range []struct {
		data any
		o    Options
		want string
	}{
		{list, Options{Format: CSV},
			"id,name,n,a b,tags\nc1,\"anna, \"\"A\"\"\nB\",1152921504606846976,,\"[\"\"x|y\"\",null]\"\n=c2,,-2.5,inf,\n"},
		{list, Options{Format: CSV, Safe: true, Rows: []int{1}, Columns: []int{2, 0}}, "n,id\n-2.5,'=c2\n"},
		{list, Options{Format: JSON},
			"[\n  {\"id\":\"c1\",\"name\":\"anna, \\\"A\\\"\\nB\",\"n\":1152921504606846976,\"tags\":[\"x|y\",null]},\n" +
				"  {\"id\":\"=c2\",\"name\":null,\"n\":-2.5,\"a b\":null}\n]\n"},
		{list, Options{Format: JSONL, Rows: []int{1}}, "{\"id\":\"=c2\",\"name\":null,\"n\":-2.5,\"a b\":null}\n"},
		{list, Options{Format: Lua, Rows: []int{1}},
			"return {\n  { id = \"=c2\", name = null, n = -2.5, [\"a b\"] = math.huge },\n}\n"},
		{list, Options{Format: Markdown, Columns: []int{0, 2, 4}}, "| id | n | tags |\n| --- | ---: | --- |\n" +
			"| c1 | 1152921504606846976 | [\"x\\|y\",null] |\n| =c2 | -2.5 |  |\n"},
		{list, Options{Format: Text, Columns: []int{0, 2}}, "id   n\nc1   1152921504606846976\n=c2  -2.5\n"},
		{[]any{}, Options{Format: JSON}, "[]\n"},
		{[]any{}, Options{Format: JSONL}, ""},
		{[]any{}, Options{Format: Lua}, "return {\n}\n"},
		{[]any{int64(1), "x"}, Options{Format: CSV}, "value\n1\nx\n"},
		{[]any{int64(1), "x"}, Options{Format: JSON}, "[\n  1,\n  \"x\"\n]\n"},
		{[]any{int64(1), "x"}, Options{Format: JSONL}, "1\n\"x\"\n"},
		{[]any{int64(1), "x"}, Options{Format: Lua}, "return {\n  1,\n  \"x\",\n}\n"},
		{list[1], Options{Format: CSV}, "id,name,n,a b\n=c2,,-2.5,inf\n"},
		{map[string]any{"b": "<a>"}, Options{Format: JSON}, "{\"b\":\"<a>\"}\n"},
		{map[string]any{"b": int64(1)}, Options{Format: Markdown}, "```lua\n{ b = 1 }\n```\n"},
		{"plain\ntext", Options{Format: Text}, "plain\ntext\n"},
		{int64(7), Options{Format: CSV}, "value\n7\n"},
		{int64(7), Options{Format: Lua}, "return 7\n"},
	} {
		if d := cmp.Diff(c.want, written(t, c.data, order, c.o)); d != "" {
			t.Errorf("%v of %v: -want +got:\n%s", c.o, c.data, d)
		}
	}
}

// What is written reads back, whatever the texts are.
func FuzzFormats(f *testing.F) {
	f.Add("a", "b,\"\n\r")
	f.Add("=x", "'")
	f.Add("é\u202e", "👩‍👩‍👧|\\")
	f.Fuzz(func(t *testing.T, name, value string) {
		name, value = strings.ToValidUTF8(name, "?"), strings.ToValidUTF8(value, "?")
		data := []any{map[string]any{name: value, "other": int64(1)}}
		var back []map[string]any
		if err := json.Unmarshal([]byte(written(t, data, nil, Options{Format: JSON})), &back); err != nil || len(back) != 1 {
			t.Fatalf("%v: %v", back, err)
		}
		if name != "other" && back[0][name] != value {
			t.Errorf("JSON: %q came back as %q", value, back[0][name])
		}
		rows, err := csv.NewReader(strings.NewReader(written(t, data, nil, Options{Format: CSV}))).ReadAll()
		if err != nil || len(rows) != 2 {
			t.Fatalf("%q: %v", rows, err)
		}
		lines := strings.Split(strings.TrimSuffix(written(t, data, nil, Options{Format: Markdown}), "\n"), "\n")
		if len(lines) != 3 {
			t.Errorf("Markdown of %d lines: %q", len(lines), lines)
		}
	})
}

// A row that is one empty cell is not lost, a list of lists has a column for each place, and nothing has no head.
func TestRows(t *testing.T) {
	empty := []any{map[string]any{"a": ""}, map[string]any{"a": nil}, map[string]any{"a": "x"}}
	if got, want := written(t, empty, nil, Options{Format: CSV}), "a\n\"\"\n\"\"\nx\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got, want := written(t, []any{[]any{int64(1), "x"}, []any{math.NaN()}}, nil, Options{Format: CSV}),
		"1,2\n1,x\nnan,\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got := written(t, []any{}, nil, Options{Format: CSV}); got != "" {
		t.Errorf("%q, want nothing", got)
	}
}

// Finite changes neither its argument nor what has no such number.
func TestFinite(t *testing.T) {
	bad := map[string]any{"a": []any{math.Inf(1), int64(1)}, "b": "x"}
	got, all := Finite(bad)
	want := map[string]any{"a": []any{nil, int64(1)}, "b": "x"}
	if diff := cmp.Diff(want, got); diff != "" || all {
		t.Errorf("all finite: %t, -want +got:\n%s", all, diff)
	}
	if bad["a"].([]any)[0] != math.Inf(1) {
		t.Error("Finite changed its argument")
	}
	if same, all := Finite(want); !all || cmp.Diff(want, same) != "" {
		t.Error("finite data was changed")
	}
}
