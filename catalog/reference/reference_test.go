package reference_test

import (
	"testing"

	"almanac/catalog/reference"
)

func TestIn(t *testing.T) {
	order := map[string]any{"id": "ord_1", "lines": []any{map[string]any{"sku": "a"}, nil}, "end-date": int64(7)}
	for text, want := range map[string]any{
		"$order.id": "ord_1", "$order.lines[1].sku": "a", "$order.end-date": int64(7),
		"$order.lines[2]": nil, "$order.lines[3]": nil, "$order.id.x": nil, "$order.none": nil, "$order[1]": nil,
	} {
		v, err := reference.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		if got, ok := v.In(order); got != want || ok != (want != nil) {
			t.Errorf("%s: got %v, %t", text, got, ok)
		}
	}
}

func TestParse(t *testing.T) {
	for text, want := range map[string]string{
		"$order": "", "$order.lines[1].sku": "", "order": "want", "$": "want", "$1": "want", "$end": "want", "$a b": "want",
		"$order.lines.0": "an item of a list is written [1]; lists begin with [1]", "$order[0]": "lists begin with [1]",
	} {
		_, err := reference.Parse(text)
		if (err == nil) != (want == "") || err != nil && want != "want" && err.Error() != want {
			t.Errorf("%s: got %v", text, err)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add("$order.lines[1].sku")
	f.Fuzz(func(t *testing.T, text string) {
		v, err := reference.Parse(text)
		if err == nil && v.Text != text {
			t.Errorf("%q is read as %q", text, v.Text)
		}
		v.In([]any{map[string]any{"a": []any{int64(1)}}})
	})
}
