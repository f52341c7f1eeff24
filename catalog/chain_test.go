package catalog

import (
	"fmt"
	"testing"
)

func TestChained(t *testing.T) {
	entry := func(id, input, output string) *Entry {
		e := &Entry{ID: id, Input: MustSchema(input)}
		if output != "" {
			e.Output = MustSchema(output)
		}
		return e
	}
	object := func(rest string) string { return `{"type":"object","properties":{` + rest + `}` }
	customer := object(`"customer_id":{"type":"integer"},"name":{"type":"string"},"tags":{"type":"array"}`)
	next := entry("invoice.list", object(`"customer_id":{"type":"integer"},"limit":{"type":"integer"},"name":{"type":"string"}`)+
		`,"required":["customer_id"],"additionalProperties":false}`, "")
	for _, c := range []struct {
		output string
		given  map[string]any
		want   string
	}{
		{customer + "}", nil, "[customer_id name]"},
		{customer + "}", map[string]any{"name": "x", "limit": int64(3)}, "[customer_id]"},
		{customer + `,"additionalProperties":true}`, nil, "[customer_id name]"},
		{"", nil, "[customer_id]"},
		{object(`"id":{"type":"string"}`) + `,"additionalProperties":true}`, nil, "[customer_id]"},
		{object(`"id":{"type":"string"}`) + "}", nil,
			"invoice.list: argument customer_id: want integer, got nothing (customer.get returns id; give the argument in the step, or a function that makes the arguments)"},
		{object(`"customer_id":{"type":"object"}`) + "}", nil,
			"invoice.list: argument customer_id: want integer, got the customer_id that customer.get returns, a value of type object (customer.get returns customer_id; give the argument in the step, or a function that makes the arguments)"},
		{`{"type":"array","items":` + customer + "}}", nil,
			"invoice.list: argument customer_id: want integer, got nothing (customer.get returns a list; give the argument in the step, or a function that makes the arguments)"},
		{`{"type":"array","items":` + customer + "}}", map[string]any{"customer_id": int64(1)}, "[]"},
		{customer + "}", map[string]any{"custmer_id": int64(1)}, "invoice.list: argument custmer_id: unknown name (did you mean customer_id?)"},
	} {
		takes, err := Chained(entry("customer.get", object("")+"}", c.output), next, c.given)
		got := fmt.Sprint(takes)
		if err != nil {
			got = fmt.Sprintf("%v (%s)", err, err.(*ArgError).Hint)
		}
		if got != c.want {
			t.Errorf("%s, %v:\ngot  %s\nwant %s", c.output, c.given, got, c.want)
		}
	}
	if _, err := Chained(nil, next, nil); err == nil {
		t.Error("the first call lacks an argument, and nothing says so")
	}
}
