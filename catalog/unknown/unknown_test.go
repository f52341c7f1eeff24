package unknown

import (
	"reflect"
	"testing"
)

func TestUnder(t *testing.T) {
	for _, test := range []struct {
		from Value
		key  string
		want Value
	}{
		{Of("", "a.b"), ".id", "<id of a.b>"},
		{Of("", "a.b"), "[1]", "<[1] of a.b>"},
		{Of("lines", "a.b"), "[2]", "<lines[2] of a.b>"},
		{Of("lines[2]", "a.b"), ".piece of x", "<lines[2].piece of x of a.b>"},
		{Of("piece of x", "a.b"), ".y", "<piece of x.y of a.b>"},
		{"refund <id of a.b>", ".y", ""},
		{"<id of a.b><id of a.b>", ".y", ""},
	} {
		if got, ok := test.from.Under(test.key); got != test.want || ok != (test.want != "") {
			t.Errorf("%s%s: %q, %v", test.from, test.key, got, ok)
		}
	}
}

func TestPathsAndPlain(t *testing.T) {
	id := Of("id", "a.b")
	data := map[string]any{"n": int64(1), "of": id, "lines": []any{"x", map[string]any{"id": id}}, "none": nil}
	if got := Paths(data); !reflect.DeepEqual(got, []string{"lines[1].id", "of"}) {
		t.Errorf("paths %q", got)
	}
	want := map[string]any{"n": int64(1), "of": "<id of a.b>", "none": nil,
		"lines": []any{"x", map[string]any{"id": "<id of a.b>"}}}
	if got := Plain(data); !reflect.DeepEqual(got, want) {
		t.Errorf("plain %v", got)
	}
	if !In(data) || In(want) || data["of"] != id {
		t.Error("Plain changed its data, or In does not see it")
	}
}
