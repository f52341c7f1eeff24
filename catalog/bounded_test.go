package catalog_test

import (
	"context"
	"testing"

	"almanac/catalog"
)

type tree struct {
	Name string           `json:"name" jsonschema:"what it is called"`
	Kids []tree           `json:"kids,omitempty"`
	Next *tree            `json:"next,omitempty"`
	By   map[string]*tree `json:"by,omitempty"`
	leaf
}

type leaf struct {
	Color string `json:"color,omitempty"`
}

type nested []nested

// A type that contains itself has a schema: once as it is, open below.
func TestRecursiveTypes(t *testing.T) {
	type order struct {
		Root  tree   `json:"root"`
		Lists nested `json:"lists,omitempty"`
	}
	self := func(_ context.Context, in tree, _ catalog.Context) (tree, error) { return in, nil }
	e := catalog.Func(catalog.Entry{ID: "a.self"}, self)
	within := catalog.Func(catalog.Entry{ID: "a.within"},
		func(_ context.Context, in order, _ catalog.Context) (any, error) {
			return len(in.Root.Kids[0].Kids), nil
		})
	for _, c := range []struct {
		e    catalog.Entry
		want string
	}{{e, "name kids next by color"}, {within, "root lists"}} {
		got := ""
		for i, name := range c.e.Input.Names() {
			if i > 0 {
				got += " "
			}
			got += name
		}
		if err := c.e.Input.Usable(); got != c.want || err != nil {
			t.Errorf("%s: fields %s, want %s, error %v: %s", c.e.ID, got, c.want, err, c.e.Input.JSON())
		}
	}
	args := map[string]any{"root": map[string]any{"name": "a", "kids": []any{map[string]any{"name": "b",
		"kids": []any{map[string]any{"name": "c"}}}}}, "lists": []any{[]any{}}}
	checked, err := within.Input.Check(args)
	if err != nil {
		t.Fatal(err)
	}
	if result, err := within.Action(t.Context(), catalog.Call{Args: checked}); err != nil || result.Data != int64(1) {
		t.Errorf("got %v, %v", result, err)
	}
	if _, err := e.Input.Check(map[string]any{"kids": "none"}); err == nil {
		t.Error("the first level is not checked")
	}
}
