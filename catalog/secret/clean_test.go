package secret

import (
	"encoding/json"
	"reflect"
	"testing"
)

type leaf struct {
	Text   string
	Number int
	hidden string
}

type tree struct {
	leaf
	Leaf   *leaf
	Leaves []leaf
	Named  map[string]leaf
	Data   any
	Raw    json.RawMessage
	Err    error
	Run    func()
}

func TestClean(t *testing.T) {
	c := New([]string{"hunter22"}, Least)
	made := func(s string) tree {
		l := leaf{Text: "is " + s, Number: 1, hidden: "hunter22"}
		return tree{
			Leaf: &l, Leaves: []leaf{{Text: "x"}, l}, Named: map[string]leaf{s: l, "b": {}},
			Raw:  json.RawMessage(`{"a":"` + s + `"}`),
			Data: map[string]any{s: []any{s, int64(1), nil}, "leaf": l, "list": []string{s}},
		}
	}
	v := made("hunter22")
	got := Clean(c, v)
	if want := made(Mark); !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
	if !reflect.DeepEqual(v, made("hunter22")) {
		t.Errorf("the original was changed: %+v", v)
	}
	if clean := Clean(c, got); clean.Leaf != got.Leaf {
		t.Error("what is clean was copied")
	}
}
