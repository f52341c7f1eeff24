package show

import (
	"testing"

	"almanac/catalog"
	"almanac/session"
)

// FuzzForm fills in any form with any text: nothing panics, every field is left at last, and what a form took fits it.
func FuzzForm(f *testing.F) {
	for _, schema := range []string{
		`{"a":{"type":"string","enum":["x"],"default":"x"}}`, `{"a":{"enum":[[1],{"b":2}],"default":[1]}}`,
		`{"a":{"type":"array","items":{"enum":[[1]]},"default":[[1]]}}`, `{"a":{"type":"array","items":{"anyOf":[{"const":1}]}}}`,
		`{"a":{"type":["string","null"],"enumNames":["x"],"enum":[null,5]}}`, `{"a":true,"b":{"$ref":"#/x"}}`,
		`{"a":{"oneOf":[{"const":null},{}]}}`, `{"a":{"type":"object"}}`, `{"a":{"type":"number","minimum":1e400}}`,
	} {
		for _, typed := range []string{"x", "1", "1, 1", "{ 1 }", "nil", "<", "9e999", "null"} {
			f.Add(schema, typed)
		}
	}
	f.Fuzz(func(t *testing.T, properties, typed string) {
		schema, err := catalog.ParseSchema([]byte(`{"type":"object","properties":` + properties + `}`))
		if err != nil || schema.Usable() != nil {
			return
		}
		q := QuestionOf(session.Request{Inquiry: &catalog.Inquiry{Server: "s", Form: schema},
			Args: map[string]any{"a": []any{[]any{int64(1)}}}, Entry: &catalog.Entry{ID: "s", Input: schema}}, Marks{})
		form := q.NewForm()
		for steps := 0; !form.Done(); steps++ {
			if _ = form.Lines(); steps > 2*len(form.fields) {
				t.Fatalf("%s does not end at %q", properties, typed)
			}
			at := form.at
			if form.Take(typed) != nil && form.Take("") != nil {
				form.at++ // required
			}
			if form.at == at {
				t.Fatalf("%s stays at %d", properties, at)
			}
		}
	})
}
