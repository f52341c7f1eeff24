package catalog

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"almanac/catalog/spec"
)

// TestClosed has schemas, what strict makes of them, and arguments that the closed one refuses or takes.
func TestClosed(t *testing.T) {
	for _, test := range []struct{ name, schema, want, args, err string }{
		{"at every depth",
			`{"type":"object","properties":{"a":{"properties":{"b":{"type":"integer"}}},"l":{"type":"array","items":{"type":"object","properties":{"c":{}},"additionalProperties":true}}}}`,
			`{"type":"object","properties":{"a":{"properties":{"b":{"type":"integer"}},"additionalProperties":false},"l":{"type":"array","items":{"type":"object","properties":{"c":{}},"additionalProperties":false}}},"additionalProperties":false}`,
			`{"l":[{"c":1,"d":2}]}`, "argument l[0].d: unknown name"},
		{"no names at all", `{"type":"object"}`, `{"type":"object","additionalProperties":false}`,
			`{"a":1}`, "argument a: unknown name"},
		{"what other names hold is said", `{"type":"object","additionalProperties":{"type":"integer"}}`,
			`{"type":"object","additionalProperties":{"type":"integer"}}`, `{"a":1}`, ""},
		{"nullable", `{"properties":{"o":{"anyOf":[{"type":"object"},{"type":"null"}]},"p":{"type":["object","null"]}}}`,
			`{"properties":{"o":{"anyOf":[{"type":"object","additionalProperties":false},{"type":"null"}]},"p":{"type":["object","null"],"additionalProperties":false}},"additionalProperties":false}`,
			`{"p":{"x":1}}`, "argument p.x: unknown name"},
		{"parts", `{"allOf":[{"type":"object","properties":{"a":{}},"additionalProperties":true},{"properties":{"b":{}}}]}`,
			`{"allOf":[{"type":"object","properties":{"a":{}}},{"properties":{"b":{}}}],"unevaluatedProperties":false}`,
			`{"a":1,"b":2,"c":3}`, "argument c: unknown name"},
		{"parts together", `{"allOf":[{"properties":{"a":{}}},{"properties":{"b":{}}}]}`,
			`{"allOf":[{"properties":{"a":{}}},{"properties":{"b":{}}}],"unevaluatedProperties":false}`, `{"a":1,"b":2}`, ""},
		{"choice beside properties",
			`{"properties":{"a":{}},"oneOf":[{"properties":{"b":{}},"required":["b"]},{"properties":{"c":{}},"required":["c"]}]}`,
			`{"properties":{"a":{}},"oneOf":[{"properties":{"b":{}},"required":["b"]},{"properties":{"c":{}},"required":["c"]}],"unevaluatedProperties":false}`,
			`{"a":1,"c":1}`, ""},
		{"reference", `{"properties":{"n":{"$ref":"#/$defs/n"}},"$defs":{"n":{"properties":{"v":{},"kid":{"$ref":"#/$defs/n"}}}}}`,
			`{"properties":{"n":{"$ref":"#/$defs/n"}},"$defs":{"n":{"properties":{"v":{},"kid":{"$ref":"#/$defs/n"}},"additionalProperties":false}},"additionalProperties":false}`,
			`{"n":{"kid":{"w":1}}}`, "argument n.kid.w: unknown name"},
		{"a part that is also used alone",
			`{"properties":{"n":{"$ref":"#/$defs/a"},"m":{"allOf":[{"$ref":"#/$defs/a"},{"properties":{"b":{}}}]}},"$defs":{"a":{"properties":{"a":{}}}}}`,
			`{"properties":{"n":{"$ref":"#/$defs/a","unevaluatedProperties":false},"m":{"allOf":[{"$ref":"#/$defs/a"},{"properties":{"b":{}}}],"unevaluatedProperties":false}},"$defs":{"a":{"properties":{"a":{}}}},"additionalProperties":false}`,
			`{"m":{"a":1,"b":2}}`, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			closed := string(spec.Closed([]byte(test.schema)))
			if closed != test.want {
				t.Errorf("\n got %s\nwant %s", closed, test.want)
			}
			if again := string(spec.Closed([]byte(closed))); again != closed {
				t.Errorf("closed twice: %s", again)
			}
			args, _ := spec.Decode([]byte(test.args)).(map[string]any)
			_, err := MustSchema(closed).Check(args)
			if got := errorText(err); got != test.err {
				t.Errorf("%s: %q, want %q", test.args, got, test.err)
			}
		})
	}
}

func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// FuzzClosed: a closed schema is one, and closing it again changes nothing.
func FuzzClosed(f *testing.F) {
	f.Add(`{"properties":{"a":{"type":"object"}}}`)
	f.Add(`{"allOf":[{"$ref":"#/$defs/x"}],"$defs":{"x":{"properties":{"a":{"$ref":"#"}}}}}`)
	f.Add(`{"$ref":"#/a~1b","additionalProperties":true,"if":{"properties":{}},"items":[{"type":"object"}]}`)
	f.Fuzz(func(t *testing.T, schema string) {
		open, err := ParseSchema([]byte(schema))
		if err != nil || open.Usable() != nil {
			return
		}
		closed := open.closed()
		if _, err := ParseSchema(closed.JSON()); err != nil || closed.Usable() != nil {
			t.Fatalf("%s: %v, %v", closed.Text(), err, closed.Usable())
		}
		if again := closed.closed(); again.Text() != closed.Text() {
			t.Fatalf("%s, again %s", closed.Text(), again.Text())
		}
	})
}

// TestConduct has how calls are made and what results carry, as it is described in full.
func TestConduct(t *testing.T) {
	pay := Entry{ID: "books.pay", Mutates: true, Retry: &Retry{Tries: 6, Wait: time.Second}, Key: &Key{Header: "X-Key"},
		Hooks:   &Hooks{Checked: []Hook{{Name: "before (books.yaml:3)"}}, After: []Hook{{Name: "rounding"}}},
		Effects: []Effect{{Kind: "state.set", Target: "paid", Value: "$result"}, {Kind: "notify", Value: "paid"}}}
	once := Entry{ID: "books.once", Retry: &Retry{Tries: 1}}
	c, _ := New([]Entry{pay, once}, Options{})
	for id, want := range map[string]string{
		"books.pay": "attempts: at most 6, first pause 1s, longest 20s\nidempotency key: in the header X-Key\n" +
			"hooks: before (books.yaml:3), rounding\neffects: state.set paid, notify",
		"books.once": "attempts: 1",
	} {
		full, err := c.View().Describe(id, Full)
		if err != nil || !strings.HasSuffix(full.Text, "\n"+want) {
			t.Errorf("%v\n%s", err, full.Text)
		}
		if brief, _ := c.View().Describe(id, Brief); strings.Contains(brief.Text, "attempts") ||
			strings.HasSuffix(brief.Text, "\neffects: state.set paid, notify") != (id == "books.pay") {
			t.Errorf("brief:\n%s", brief.Text)
		}
		if as, _ := c.View().Describe(id, JSON); !strings.Contains(as.Text, `"conduct": [`) {
			t.Errorf("JSON:\n%s", as.Text)
		}
	}
}

// TestContract has what is declared of an action beside its schemas, in each form that shows it.
func TestContract(t *testing.T) {
	pay := Entry{ID: "books.pay", Category: "Finance", Version: "2.1", Strict: true, Tags: []string{"money"},
		Input: MustSchema(`{"type":"object","properties":{"id":{"type":"integer"},"memo":{"type":"object"}}}`)}
	c, _ := New([]Entry{pay, {ID: "books.read"}}, Options{})
	v := c.View()
	for detail, want := range map[Detail]string{
		Brief: "\ncategory Finance",
		Full:  "category Finance, version 2.1, strict: unlisted arguments are refused",
		LuaLS: "---Category Finance, version 2.1, strict: unlisted arguments are refused\n",
		JSON:  `"additionalProperties": false`,
	} {
		s, err := v.Describe("books.pay", detail)
		if err != nil || !strings.Contains(s.Text, want) {
			t.Errorf("%s: %v\n%s", detail, err, s.Text)
		}
	}
	for name, set := range map[string]Set{
		"words": mustSearch(t, v, "finance", SearchOptions{}),
		"tag":   mustSearch(t, v, "", SearchOptions{Tags: []string{"finance"}}),
	} {
		if found := ids(set); len(found) != 1 || found[0] != "books.pay" {
			t.Errorf("%s: %v", name, found)
		}
	}
	facets := mustSearch(t, v, "", SearchOptions{}).Facets()
	raw, _ := json.Marshal(facets)
	if !strings.Contains(string(raw), `"categories":[{"name":"Finance","count":1}]`) ||
		!strings.Contains(facets.Text(), "\ncategories: Finance 1\n") {
		t.Errorf("%s\n%s", raw, facets.Text())
	}
	was, _ := v.Lookup("books.pay")
	for what, change := range map[string]func(*Entry){
		"version": func(e *Entry) { e.Version = "2.2" },
		"strict":  func(e *Entry) { e.Strict = false },
	} {
		other := pay
		change(&other)
		c, _ := New([]Entry{other}, Options{})
		if is, _ := c.View().Lookup("books.pay"); is.Fingerprint() == was.Fingerprint() {
			t.Errorf("another %s and the same fingerprint", what)
		}
	}
}
