package catalog

import (
	"fmt"
	"testing"

	"almanac/catalog/spec"
	"almanac/catalog/unknown"
)

func TestMisfit(t *testing.T) {
	for _, test := range []struct{ schema, value, want string }{
		{`{"type":"string"}`, `5`, `result: want string, got integer 5`},
		{`{"type":["string","null"]}`, `null`, ``},
		{`{"type":"integer"}`, `5.5`, `result: want integer, got number 5.5`},
		{`{"type":"number"}`, `5`, ``},
		{`{"type":"array","items":{"type":"object","properties":{"id":{"type":"integer"}}}}`, `[{"id":1},{"id":"2"}]`,
			`[1].id: want integer, got string "2"`},
		{`{"properties":{"rows":{"items":{"required":["id"]}}}}`, `{"rows":[{"id":1},{}]}`,
			`rows[1].id: want a value, got nothing`},
		{`{"properties":{"s":{"enum":["open","paid"]}}}`, `{"s":"void"}`, `s: want one of "open", "paid", got string "void"`},
		{`{"properties":{"a":{}},"additionalProperties":false}`, `{"a":1,"b":2,"c":3}`, `b: unknown name`},
		{`{"properties":{"a":{}}}`, `{"b":2}`, ``},
		{`{"additionalProperties":{"type":"integer"}}`, `{"b":"x"}`, `b: want integer, got string "x"`},
		{`{"patternProperties":{"^x":{}},"additionalProperties":false}`, `{"x1":2}`, ``},
		{`{"oneOf":[{"type":"integer"},{"type":"array"}]}`, `"x"`, `result: want one of the listed shapes, got string "x"`},
		{`{"anyOf":[{"type":"integer"},{"type":"string"}]}`, `"x"`, ``},
		{`{"allOf":[{"required":["a"]},{"required":["b"]}]}`, `{"a":1}`, `b: want a value, got nothing`},
		{`{"$ref":"#/$defs/n","$defs":{"n":{"properties":{"kid":{"$ref":"#/$defs/n"},"v":{"type":"integer"}}}}}`,
			`{"kid":{"kid":{"v":true}}}`, `kid.kid.v: want integer, got boolean true`},
	} {
		s := MustSchema(test.schema)
		value := spec.Decode([]byte(test.value))
		if got := s.Misfit(value); got != test.want {
			t.Errorf("%s for %s:\n got %s\nwant %s", test.schema, test.value, got, test.want)
		}
		if err := s.Fits(value); (err == nil) != (test.want == "") {
			t.Errorf("%s for %s: the library says %v", test.schema, test.value, err)
		}
	}
	open := map[string]any{"id": unknown.Value("id of x")}
	if got := MustSchema(`{"properties":{"id":{"type":"integer"}}}`).Misfit(open); got != "" {
		t.Errorf("a value of a preview: %s", got)
	}
	var long []any
	for i := range 1000 {
		long = append(long, map[string]any{"id": fmt.Sprint(i)})
	}
	s := MustSchema(`{"items":{"properties":{"id":{"type":"string"}}}}`)
	if long[999] = 1; s.Misfit(long) != "" {
		t.Error("looked at item 1,000")
	}
}

// FuzzMisfit: what Misfit finds does not fit.
func FuzzMisfit(f *testing.F) {
	f.Add(`{"type":"object","properties":{"a":{"type":["integer","null"]}},"required":["a"]}`, `{"a":"b"}`)
	f.Add(`{"oneOf":[{"const":1},{"enum":[[1],{"a":2}]}]}`, `{"a":2.0}`)
	f.Fuzz(func(t *testing.T, schema, value string) {
		s, err := ParseSchema([]byte(schema))
		if err != nil || s.Usable() != nil {
			return
		}
		v, err := ParseJSON([]byte(value))
		if err != nil {
			return
		}
		if got := s.Misfit(v); got != "" && s.Fits(v) == nil {
			t.Fatalf("%s for %s: %s", schema, value, got)
		}
	})
}

func BenchmarkMisfit(b *testing.B) {
	row := map[string]any{"id": int64(1), "customer_id": int64(2), "amount_cents": int64(3),
		"due_date": "2024-01-01", "status": "open"}
	rows := []any{}
	for range 100 {
		rows = append(rows, row)
	}
	for name, test := range map[string]struct {
		s *Schema
		v any
	}{"object": {MustSchema(invoiceItem), row}, "100 rows": {listOf(invoiceItem), rows}} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if wrong := test.s.Misfit(test.v); wrong != "" {
					b.Fatal(wrong)
				}
			}
		})
	}
}
