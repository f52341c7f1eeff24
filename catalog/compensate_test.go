package catalog

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestCompensationFor(t *testing.T) {
	args := map[string]any{"order": "ord_1", "change": int64(-5), "half": 0.5, "none": nil}
	result := map[string]any{"id": "inv_7", "lines": []any{map[string]any{"sku": "a"}}, "note": ""}
	for _, test := range []struct{ declared, want string }{
		{`{"id": "$result.id", "reason": "undone", "keep": true}`, `{"id":"inv_7","keep":true,"reason":"undone"}`},
		{`{"skus": ["$result.lines[1].sku"], "all": "$result"}`,
			`{"all":{"id":"inv_7","lines":[{"sku":"a"}],"note":""},"skus":["a"]}`},
		{`{"change": "-$args.change", "half": "-$args.half"}`, `{"change":5,"half":-0.5}`},
		{`{"text": "$$args.order", "price": "5$", "minus": "-5"}`, `{"minus":"-5","price":"5$","text":"$args.order"}`},
		{`{"order": "$args.none?", "note": "$result.note"}`, `{"note":""}`},
		{`{"order": "$args.none"}`, `a.undo: the call has no args.none`},
		{`{"id": "$result.lines[2].sku"}`, `a.undo: the call has no result.lines[2].sku`},
		{`{"id": "-$args.order"}`, `a.undo: args.order is no number that has a negative`},
		{`{"id": "$it.id"}`, `a.undo: $it.id: want "$args.name" or "$result.name"; "$$" begins a text with a dollar sign`},
	} {
		c := Compensation{ID: "a.undo"}
		if err := json.Unmarshal([]byte(test.declared), &c.Args); err != nil {
			t.Fatal(err)
		}
		before, _ := json.Marshal(c.Args)
		call, err := c.For(args, result)
		raw, _ := json.Marshal(call.Args)
		got := string(raw)
		if err != nil {
			got = err.Error()
		}
		if got != test.want || err == nil && call.ID != "a.undo" {
			t.Errorf("%s:\n%s, want\n%s", test.declared, got, test.want)
		}
		if after, _ := json.Marshal(c.Args); string(after) != string(before) {
			t.Errorf("%s is changed to %s", before, after)
		}
	}
	for _, result := range []any{nil, "x", []any{}} {
		c := Compensation{ID: "a.undo", Args: map[string]any{"id": "$result.id"}}
		if call, err := c.For(nil, result); err == nil {
			t.Errorf("%v gives %v", result, call)
		}
	}
}

func TestUncompensated(t *testing.T) {
	input := MustSchema(`{"type":"object","properties":{"order":{"type":"string"},"n":{"type":"integer"}},"additionalProperties":false}`)
	output := MustSchema(`{"type":"object","properties":{"id":{"type":"string"},"size":{"type":"integer"}}}`)
	undo := MustSchema(`{"type":"object","properties":{"id":{"type":"string"},"n":{"type":"integer"}},"required":["id"],"additionalProperties":false}`)
	action := func(id string, reads bool, target string, args map[string]any) Entry {
		return Entry{ID: id, Source: "shop", Mutates: !reads, Input: input, Output: output,
			Compensate: &Compensation{ID: target, Args: args}}
	}
	entries := []Entry{
		{ID: "a.undo", Mutates: true, Input: undo},
		{ID: "a.plain", Mutates: true},
		{ID: "a.look", Input: undo},
		action("a.good", false, "a.undo", map[string]any{"id": "$result.id", "n": "-$args.n"}),
		action("a.gone", false, "a.undu", map[string]any{"id": "$result.id"}),
		action("a.name", false, "a.undo", map[string]any{"id": "$result.idd"}),
		action("a.argument", false, "a.undo", map[string]any{"id": "$args.ordr"}),
		action("a.unknown", false, "a.undo", map[string]any{"id": "$result.id", "why": "undone"}),
		action("a.looks", false, "a.look", map[string]any{"id": "$result.id"}),
		action("a.missing", false, "a.undo", nil),
		action("a.type", false, "a.undo", map[string]any{"id": "$result.id", "n": true}),
		action("a.sign", false, "a.undo", map[string]any{"id": "-$result.id"}),
		action("a.read", true, "a.undo", map[string]any{"id": "$result.id"}),
	}
	all, _ := New(entries, Options{})
	var got []string
	for _, skip := range all.Uncompensated()["shop"] {
		got = append(got, skip.ID+": "+skip.Reason)
	}
	want := strings.Split(`a.argument: args has no field ordr: did you mean order?
a.gone: no action a.undu: did you mean a.undo?
a.looks: a.look writes nothing
a.missing: a.undo: argument id: want string, got nothing
a.name: result has no field idd: did you mean id?
a.read: it writes nothing that could be taken back
a.sign: result.id is of type string and has no negative
a.type: a.undo: argument n: want integer, got boolean true
a.unknown: a.undo: argument why: unknown name`, "\n")
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestCompensationIsDescribed(t *testing.T) {
	undo := &Compensation{ID: "a.undo", Args: map[string]any{"id": "$result.id", "n": "-$args.n?", "why": "undone"}}
	c, _ := New([]Entry{{ID: "a.b", Mutates: true, Compensate: undo}}, Options{})
	for detail, want := range map[Detail]string{
		Full: "undone by a.undo({id = result.id, n = -args.n, why = \"undone\"})",
		JSON: `"undone_by": "a.undo({id = result.id, n = -args.n, why = \"undone\"})"`,
	} {
		if got, err := c.View().Describe("a.b", detail); err != nil || !strings.Contains(got.Text, want) {
			t.Errorf("%s: %s, %v", detail, got.Text, err)
		}
	}
}
