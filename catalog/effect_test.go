package catalog

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"almanac/catalog/unknown"
)

type counted struct {
	N int `json:"n"`
}

func TestFuncWithEffects(t *testing.T) {
	plain := Func(Entry{ID: "a.plain"}, func(context.Context, struct{}, Context) (counted, error) {
		return counted{7}, nil
	})
	with := Func(Entry{ID: "a.with"}, func(context.Context, struct{}, Context) (WithEffects[counted], error) {
		return WithEffects[counted]{counted{7}, []Effect{{"state.set", "n", 7}}}, nil
	})
	open := Func(Entry{ID: "a.open"}, func(context.Context, struct{}, Context) (WithEffects[any], error) {
		return WithEffects[any]{}, nil
	})
	if got, want := string(with.Output.JSON()), string(plain.Output.JSON()); got != want || open.Output != nil {
		t.Errorf("schema %s, want %s; open %v", got, want, open.Output)
	}
	a, _ := plain.Action(t.Context(), Call{})
	b, err := with.Action(t.Context(), Call{})
	if diff := cmp.Diff(a.Data, b.Data); diff != "" || err != nil || len(a.Effects) > 0 {
		t.Error(diff, err, a.Effects)
	}
	if diff := cmp.Diff([]Effect{{"state.set", "n", 7}}, b.Effects); diff != "" {
		t.Error(diff)
	}
}

func TestEmitted(t *testing.T) {
	args := map[string]any{"id": "ord_1", "change": int64(-5), "bad": "x.admin"}
	result := map[string]any{"id": int64(7), "new": unknown.Of("list[1].id", "shop.place"),
		"lines": []any{map[string]any{"sku": "a"}}}
	for _, test := range []struct{ target, value, want string }{
		{"orders", `"$result.lines[1].sku"`, `{"kind":"state.set","target":"orders","value":"a"}`},
		{"$args.id", `{"n": "-$args.change", "all": "$result"}`,
			`{"kind":"state.set","target":"ord_1","value":{"all":{"id":7,"lines":[{"sku":"a"}],"new":"\u003clist[1].id of shop.place\u003e"},"n":5}}`},
		{"$result.id", `"$$5"`, `{"kind":"state.set","target":"7","value":"$5"}`},
		{"$result.none?", `["$result.none?"]`, `{"kind":"state.set","value":[null]}`},
		{"x", `"$result.none"`, `the call has no result.none`},
		{"$args.none", `1`, `the call has no args.none`},
		{"orders.${args.id}.n${result.id}", `1`, `{"kind":"state.set","target":"orders.ord_1.n7","value":1}`},
		{"orders.${result.new}.state", `"$result.new"`,
			`{"kind":"state.set","target":"orders.list_1_id_of_shop_place.state","value":"\u003clist[1].id of shop.place\u003e"}`},
		{"orders.${args.bad}", `1`, `${args.bad} is string "x.admin": want a name of letters, digits, _ and -`},
		{"orders.${result.lines}", `1`, `${result.lines} is no name`},
		{"orders.${args.none}", `1`, `the call has no args.none`},
		{"x", `"placed ${result.id} of ${args.id}${args.none?}, $${5}"`,
			`{"kind":"state.set","target":"x","value":"placed 7 of ord_1, ${5}"}`},
		{"x", `{"a": ["${args.bad}", "$${args.bad}", "$$5 ${args.bad}"]}`,
			`{"kind":"state.set","target":"x","value":{"a":["x.admin","${args.bad}","$5 ${args.bad}"]}}`},
		{"x", `"all ${result.lines}"`, `${result.lines} is list of 1 item, no text`},
		{"x", `"of ${args.none}"`, `the call has no args.none`},
		{"$result.lines", `1`, `its target $result.lines is no text`},
	} {
		e := Entry{Effects: []Effect{{Kind: "state.set", Target: test.target}}}
		if err := json.Unmarshal([]byte(test.value), &e.Effects[0].Value); err != nil {
			t.Fatal(err)
		}
		effects, rejected := e.Emitted(args, result)
		got := ""
		for _, e := range effects {
			raw, _ := json.Marshal(e)
			got += string(raw)
		}
		for _, r := range rejected {
			got += r.Reason
		}
		if got != test.want {
			t.Errorf("%s %s:\n%s, want\n%s", test.target, test.value, got, test.want)
		}
	}
}

func TestReadEffects(t *testing.T) {
	for data, want := range map[string]string{
		`[{"kind":"state.set","target":"n","value":{"a":[1,0.5]}}, {"kind":"notify"}]`: `[{state.set n map[a:[1 0.5]]} {notify  <nil>}]`,
		`[]`:                                     `[]`,
		`{"kind":"state.set"}`:                   `[] want a list of effects, got object of 1 field`,
		`null`:                                   `[] want a list of effects, got null`,
		`[1, {"kind":"notify"}]`:                 `[{notify  <nil>}] effect 1: want a table of kind, target and value, got integer 1`,
		`[{"kind":1,"target":"x"}]`:              `[] effect 1: kind: want a text, got integer 1`,
		`[{"kind":"notify","when":1,"value":2}]`: `[] effect 1: unknown key when`,
	} {
		v, err := ParseJSON([]byte(data))
		if err != nil {
			t.Fatal(err)
		}
		effects, rejected := ReadEffects(v)
		got := fmt.Sprint(effects)
		for _, r := range rejected {
			got += " " + r.Reason
		}
		if got != want {
			t.Errorf("%s:\n%s, want\n%s", data, got, want)
		}
	}
}

func TestCheckEffects(t *testing.T) {
	e := Entry{
		Input:  MustSchema(`{"type":"object","properties":{"id":{"type":"string"}},"additionalProperties":false}`),
		Output: MustSchema(`{"type":"object","properties":{"n":{"type":"integer"}},"additionalProperties":false}`),
		Effects: []Effect{{"state.set", "$args.id", "$result.n"}, {"state.set", "x", "$args.idd"},
			{"notify", "$result.m?", "-$args.id"}},
	}
	err := e.CheckEffects()
	if err == nil || strings.Count(err.Error(), "\n") != 1 || !strings.Contains(err.Error(), "effect state.set: ") {
		t.Errorf("%v", err)
	}
	alone := Entry{Effects: []Effect{{"notify", "", "of ${args.id}"}, {"notify", "", "$args"}}}
	if err := alone.CheckEffects(); fmt.Sprint(err) != "effect notify: args.id: the action takes no arguments" {
		t.Errorf("%v", err)
	}
	if err := (Effect{Kind: "notify", Value: "of ${it}"}).Validate(); err == nil {
		t.Error("a part of no call in the midst of a value is no error")
	}
	for target, want := range map[string]string{"$it": "$it: want", "": "", "a.${it}": "$it: want", "a.${args.b}": ""} {
		err := Effect{Kind: "notify", Target: target}.Validate()
		if (err == nil) != (want == "") || err != nil && !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: %v", target, err)
		}
	}
}
