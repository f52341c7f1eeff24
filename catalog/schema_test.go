package catalog

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/google/jsonschema-go/jsonschema"

	"almanac/catalog/spec"
	"almanac/catalog/unknown"
)

func TestParseSchemaErrors(t *testing.T) {
	for text, want := range map[string]string{
		"{\n  \"type\": \"object\",\n  oops\n}": "schema: line 3, column 3: invalid character 'o' looking for beginning of object key string",
		``:                                      "schema: line 1, column 0: unexpected end of JSON input",
		`[]`:                                    "schema: #: want an object or a boolean, got []",
		`{"type":"str"}`:                        `schema: #/type: unknown type "str"`,
		`{"properties":{"a":{"type":["string","date"]}}}`: `schema: #/properties/a/type: unknown type "date"`,
		`{"properties":["a"]}`:                            `schema: #/properties: want an object`,
		`{"required":"a"}`:                                `schema: #/required: want a list of names`,
		`{"required":[1]}`:                                `schema: #/required: want a list of names, got 1`,
		`{"anyOf":{}}`:                                    `schema: #/anyOf: want a list`,
		`{"$defs":{"x":{"items":{"$ref":"#/$defs/y"}}}}`:  `schema: #/$defs/x/items/$ref: #/$defs/y points to nothing`,
		strings.Repeat(`{"not":`, 300) + "{}" + strings.Repeat("}", 300): "nested too deeply",
	} {
		_, err := ParseSchema([]byte(text))
		if err == nil || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("%.60s: %v, want %s", text, err, want)
		}
	}
}

func TestFields(t *testing.T) {
	s := MustSchema(`{"type":"object",
		"$defs":{"page":{"properties":{"limit":{"type":"integer","default":25},"cursor":{"type":["string","null"]}}}},
		"allOf":[{"$ref":"#/$defs/page"}],
		"properties":{
			"when":{"type":"string","format":"date","description":"The day."},
			"status":{"enum":["open","paid"]},
			"ids":{"type":"array","items":{"type":"integer"}},
			"items":{"type":"array","items":{"type":"object","title":"Order Line","properties":{"sku":{"type":"string"}}}},
			"owner":{"anyOf":[{"type":"object","properties":{"name":{"type":"string"}}},{"type":"null"}]},
			"either":{"oneOf":[{"type":"integer"},{"type":"string"}]},
			"note":true},
		"required":["status","ids"]}`)
	want := []Field{
		{Name: "status", Type: "str", Required: true, Enum: []any{"open", "paid"}},
		{Name: "ids", Type: "list<int>", Required: true},
		{Name: "when", Type: "str", Description: "The day."},
		{Name: "items", Type: "list<order_line>"},
		{Name: "owner", Type: "object?"},
		{Name: "either", Type: "int|str"},
		{Name: "note", Type: "any"},
		{Name: "limit", Type: "int", Default: int64(25), HasDefault: true},
		{Name: "cursor", Type: "str?"},
	}
	if diff := cmp.Diff(want, s.Fields(), cmpopts.IgnoreTypes(&jsonschema.Schema{})); diff != "" {
		t.Error(diff)
	}
	names := s.Names()
	for i, f := range s.Fields() {
		if f.Schema == nil || names[i] != f.Name {
			t.Errorf("%s, among the names %s: schema %v", f.Name, names[i], f.Schema)
		}
	}
	var none *Schema
	if none.Fields() != nil && len(none.Fields()) > 0 {
		t.Error("a nil schema has fields")
	}
}

func TestTypeLabel(t *testing.T) {
	for text, want := range map[string]string{
		`{"type":"array","items":` + invoiceItem + `}`:                   "list<invoice>",
		`{"$ref":"#/$defs/l","$defs":{"l":{"items":{"type":"string"}}}}`: "list<str>",
		invoiceItem:                             "invoice",
		`{"type":"object"}`:                     "object",
		`{"type":"number"}`:                     "num",
		`{"type":["integer","null"]}`:           "int?",
		`{"const":true}`:                        "bool",
		`{}`:                                    "any",
		`true`:                                  "any",
		`{"$ref":"#"}`:                          "any",
		`{"type":"array","items":{"$ref":"#"}}`: "list<list<list<list<list>>>>",
		`{"type":"object","title":"A title that is far too long to be the name of a type","properties":{"a":{}}}`: "object",
	} {
		if got := MustSchema(text).document().TypeLabel(); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}

func TestUnknown(t *testing.T) {
	for _, test := range []struct{ schema, want string }{
		{invoiceItem, `{"amount_cents":"<amount_cents of a.b>","customer_id":"<customer_id of a.b>",` +
			`"due_date":"<due_date of a.b>","id":"<id of a.b>","status":"<status of a.b>"}`},
		{`{"type":"array","items":` + invoiceItem + `}`, `"<result of a.b>"`},
		{`{"type":"object","properties":{"ok":{"type":"boolean"},"k":{"const":"invoice"},"none":{"type":"null"},
			"of":{"type":"object","properties":{"x":{"type":["null","number"]}}},
			"names":{"type":"array","items":{"type":"string"}}}}`,
			`{"k":"invoice","names":"<names of a.b>","none":null,"of":{"x":"<of.x of a.b>"},"ok":"<ok of a.b>"}`},
		{`{"oneOf":[{"type":"object","properties":{"a":{"type":"string"}}},
			{"type":"object","properties":{"b":{"type":"string"}}}]}`, `"<result of a.b>"`},
		{`{"type":"object","properties":{"next":{"$ref":"#"},"v":{"const":1}}}`,
			`{"next":{"next":{"next":{"next":{"next":{"next":"<next.next.next.next.next.next of a.b>",` +
				`"v":1},"v":1},"v":1},"v":1},"v":1},"v":1}`},
		{`{"type":"object"}`, `"<result of a.b>"`},
		{`{}`, `"<result of a.b>"`},
		{`false`, `null`},
	} {
		got, err := json.Marshal(MustSchema(test.schema).Unknown("a.b"))
		if err != nil {
			t.Fatal(err)
		}
		got = []byte(strings.NewReplacer(`\u003c`, "<", `\u003e`, ">").Replace(string(got)))
		if string(got) != test.want {
			t.Errorf("%s:\n got %s\nwant %s", test.schema, got, test.want)
		}
	}
	var none *Schema
	if got := none.Unknown("a.b"); got != unknown.Of("", "a.b") {
		t.Errorf("without a schema: %v", got)
	}
}

// object is the schema of an object: props is the inside of "properties", more what follows.
func object(props, more string) string {
	return `{"type":"object","properties":{` + props + `}` + more + `}`
}

// A checkCase holds a schema, arguments, and the result as JSON, or the error and its hint.
type checkCase struct{ name, schema, args, want string }

const treeSchema = `{"$ref":"#/$defs/node","$defs":{"node":{"type":"object","properties":{"v":{"type":"integer"},"kids":{"type":"array","items":{"$ref":"#/$defs/node"}}},"required":["v"]}}}`

func paySchema() string {
	return object(`"how":{"oneOf":[
		{"type":"object","properties":{"kind":{"const":"card"},"number":{"type":"string"}},"required":["kind","number"]},
		{"type":"object","properties":{"kind":{"const":"bank"},"iban":{"type":"string"}},"required":["kind","iban"]}]}`,
		`,"required":["how"]`)
}

func TestCheckNormalises(t *testing.T) {
	tree, pay := treeSchema, paySchema()
	for _, test := range []checkCase{
		{"text as a number", object(`"n":{"type":"integer"},"x":{"type":"number"}`, ""),
			`{"n":"5","x":"2.5"}`, `{"n":5,"x":2.5}`},
		{"whole float", object(`"n":{"type":"integer"}`, ""), `{"n":5.0}`, `{"n":5}`},
		{"number stays text", object(`"n":{"type":["string","integer"]}`, ""), `{"n":"5"}`, `{"n":"5"}`},
		{"one as a list", object(`"l":{"type":"array","items":{"type":"integer"}}`, ""), `{"l":"7"}`, `{"l":[7]}`},
		{"JSON text as a table", object(`"o":{"type":"object","properties":{"n":{"type":"integer"}}}`, ""),
			`{"o":"{\"n\":\"5\"}"}`, `{"o":{"n":5}}`},
		{"JSON text as a list", object(`"l":{"type":"array","items":{"type":"string"}}`, ""),
			`{"l":" [\"a\",\"b\"]"}`, `{"l":["a","b"]}`},
		{"JSON text of other items is a text", object(`"l":{"type":"array","items":{"type":"string"}}`, ""),
			`{"l":"[1]"}`, `{"l":["[1]"]}`},
		{"broken JSON is a text", object(`"l":{"type":"array"}`, ""), `{"l":"[a"}`, `{"l":["[a"]}`},
		{"JSON text where text may be", object(`"o":{"type":["object","string"]}`, ""), `{"o":"{}"}`, `{"o":"{}"}`},
		{"object as a list", object(`"l":{"type":"array","items":{"type":"object"}}`, ""),
			`{"l":{"a":1}}`, `{"l":[{"a":1}]}`},
		{"empty table as a list", object(`"l":{"type":"array"}`, ""), `{"l":{}}`, `{"l":[]}`},
		{"empty list as an object", object(`"o":{"type":"object"}`, ""), `{"o":[]}`, `{"o":{}}`},
		{"defaults",
			object(`"limit":{"type":"integer","default":25},"o":{"type":"object","properties":{"deep":{"type":"boolean","default":true}}}`, ""), `{"o":{}}`, `{"limit":25,"o":{"deep":true}}`},
		{"a default is not forced on what is there",
			object(`"limit":{"type":"integer","default":25}`, ""), `{"limit":3}`, `{"limit":3}`},
		{"null where it may be", object(`"s":{"type":["string","null"]}`, ""), `{"s":null}`, `{"s":null}`},
		{"free object", `{"type":"object"}`, `{"anything":1}`, `{"anything":1}`},
		{"named extras", object(`"a":{}`, `,"additionalProperties":{"type":"integer"}`), `{"zz":"3"}`, `{"zz":3}`},
		{"pattern names",
			object(`"a":{}`, `,"patternProperties":{"^x-":{}},"additionalProperties":false`), `{"x-b":3}`, `{"x-b":3}`},
		{"tree", tree, `{"v":"1","kids":[{"v":2,"kids":{"v":3.0}}]}`, `{"kids":[{"kids":[{"v":3}],"v":2}],"v":1}`},
		{"recursion through a part", `{"allOf":[{"type":"object","properties":{"k":{"$ref":"#"},"n":{"type":"integer"}}}]}`,
			`{"k":{"k":{"n":"1"}}}`, `{"k":{"k":{"n":1}}}`},
		{"second branch", pay, `{"how":{"kind":"bank","iban":"DE1"}}`, `{"how":{"iban":"DE1","kind":"bank"}}`},
		{"branch with a conversion",
			object(`"x":{"anyOf":[{"type":"boolean"},{"type":"integer"}]}`, ""), `{"x":"7"}`, `{"x":7}`},
		{"exact branch before a conversion",
			object(`"x":{"anyOf":[{"type":"integer"},{"type":"string"}]}`, ""), `{"x":"7"}`, `{"x":"7"}`},
		{"allOf",
			`{"allOf":[{"type":"object","properties":{"a":{"type":"integer"}}},{"type":"object","properties":{"b":{"type":"integer"}}}]}`, `{"a":"1","b":"2"}`, `{"a":1,"b":2}`},
		{"either is required",
			object(`"a":{},"b":{}`, `,"anyOf":[{"required":["a"]},{"required":["b"]}]`), `{"b":1}`, `{"b":1}`},
		{"unknown draft",
			object(`"n":{"type":"integer"}`, `,"$schema":"http://json-schema.org/draft-04/schema#"`), `{"n":1}`, `{"n":1}`},
	} {
		t.Run(test.name, test.run)
	}
}

func TestCheckRefuses(t *testing.T) {
	tree, pay := treeSchema, paySchema()
	for _, test := range []checkCase{
		{"wrong type", object(`"limit":{"type":"integer"}`, ""), `{"limit":"many"}`,
			`argument limit: want integer, got string "many"`},
		{"fraction", object(`"limit":{"type":"integer"}`, ""), `{"limit":1.5}`,
			`argument limit: want integer, got number 1.5`},
		{"number for text", object(`"s":{"type":"string"}`, ""), `{"s":42}`,
			`argument s: want string, got integer 42 | write it as "42"`},
		{"text for truth", object(`"b":{"type":"boolean"}`, ""), `{"b":"yes"}`,
			`argument b: want boolean, got string "yes" | write true or false without quotes`},
		{"JSON text of a list for a table", object(`"o":{"type":"object"}`, ""), `{"o":"[1]"}`,
			`argument o: want object, got string "[1]"`},
		{"JSON text with a wrong field", object(`"o":{"type":"object","properties":{"n":{"type":"integer"}}}`, ""),
			`{"o":"{\"m\":1}"}`, `argument o.m: unknown name | did you mean n?`},
		{"JSON text that is too deep", object(`"o":{"type":"object"}`, ""),
			`{"o":"` + strings.Repeat(`{\"a\":`, 80) + "1" + strings.Repeat("}", 80) + `"}`,
			`argument o: want object, got string "` + strings.Repeat(`{\"a\":`, 8) + `{\…`},
		{"null", object(`"s":{"type":"string"}`, ""), `{"s":null}`,
			`argument s: want string, got null | leave it out instead`},
		{"missing", object(`"id":{"type":"integer"}`, `,"required":["id"]`), `{}`,
			`argument id: want integer, got nothing | it is required`},
		{"unknown", object(`"customer_id":{"type":"integer"}`, ""), `{"custmer_id":1}`,
			`argument custmer_id: unknown name | did you mean customer_id?`},
		{"unknown in camel case", object(`"customer_id":{"type":"integer"}`, ""), `{"customerId":1}`,
			`argument customerId: unknown name | did you mean customer_id?`},
		{"unknown and far", object(`"a":{},"b":{}`, ""), `{"zebra":1}`, `argument zebra: unknown name | known names: a, b`},
		{"none allowed", object(``, `,"additionalProperties":false`), `{"a":1}`,
			`argument a: unknown name | no names are allowed here`},
		{"nested",
			object(`"items":{"type":"array","items":{"type":"object","properties":{"price":{"type":"number"}},"required":["price"]}}`, ""),
			`{"items":[{"price":1},{"price":2},{"price":"free"}]}`,
			`argument items[2].price: want number, got string "free"`},
		{"nested unknown", object(`"o":{"type":"object","properties":{"name":{}}}`, ""), `{"o":{"nme":1}}`,
			`argument o.nme: unknown name | did you mean name?`},
		{"enum", object(`"s":{"enum":["open","paid"]}`, ""), `{"s":"opne"}`,
			`argument s: want one of "open", "paid", got string "opne" | did you mean "open"?`},
		{"minimum", object(`"n":{"type":"integer","minimum":1}`, ""), `{"n":0}`,
			`argument n: want integer >= 1, got integer 0`},
		{"exclusive maximum", object(`"n":{"type":"number","exclusiveMaximum":1}`, ""), `{"n":1}`,
			`argument n: want number < 1, got integer 1`},
		{"multiple", object(`"n":{"type":"number","multipleOf":0.1}`, ""), `{"n":0.25}`,
			`argument n: want multiple of 0.1, got number 0.25`},
		{"length", object(`"s":{"type":"string","minLength":2}`, ""), `{"s":"é"}`,
			`argument s: want at least 2 characters, got string "é"`},
		{"pattern", object(`"s":{"type":"string","pattern":"^[A-Z]+$"}`, ""), `{"s":"abc"}`,
			`argument s: want a string that matches ^[A-Z]+$, got string "abc"`},
		{"items", object(`"l":{"type":"array","maxItems":1}`, ""), `{"l":[1,2]}`,
			`argument l: want at most 1 item, got list of 2 items`},
		{"unique items, by the library", object(`"l":{"type":"array","uniqueItems":true}`, ""), `{"l":[1,1]}`,
			`arguments: not valid: /properties/l: uniqueItems: array items 1 and 0 are equal`},
		{"no branch", object(`"x":{"anyOf":[{"type":"boolean"},{"type":"integer"}]}`, ""), `{"x":"a"}`,
			`argument x: want boolean or integer, got string "a"`},
		{"inside the meant branch", pay, `{"how":{"kind":"bank","iban":7}}`,
			`argument how.iban: want string, got integer 7 | write it as "7"`},
		{"the meant branch misses one", pay, `{"how":{"kind":"bank"}}`,
			`argument how.iban: want string, got nothing | it is required`},
		{"deep in a tree", tree, `{"v":1,"kids":[{"v":1,"kids":[{}]}]}`,
			`argument kids[0].kids[0].v: want integer, got nothing | it is required`},
		{"endless reference", object(`"a":{"$ref":"#/properties/a"}`, ""), `{"a":1}`,
			`arguments: cannot be checked: the schema is broken: it refers to itself without end`},
		{"foreign reference", object(`"a":{"$ref":"https://example.com/x"}`, ""), `{"a":1}`,
			`arguments: cannot be checked: the schema is broken: its reference https://example.com/x cannot be followed`},
		{"endless choice", `{"anyOf":[{},{"$ref":"#"}]}`, `{"a":1}`,
			`arguments: cannot be checked: the schema is broken: it refers to itself without end`},
		{"forbidden field", object(`"a":false`, ""), `{"a":1}`, `argument a: not allowed here`},
	} {
		t.Run(test.name, test.run)
	}
}

func (test checkCase) run(t *testing.T) {
	args, _ := spec.Decode([]byte(test.args)).(map[string]any)
	before, _ := json.Marshal(args)
	got, err := MustSchema(test.schema).Check(args)
	text := ""
	if err != nil {
		text = err.Error()
		if hint := err.(*ArgError).Hint; hint != "" {
			text += " | " + hint
		}
	} else {
		raw, _ := json.Marshal(got)
		text = string(raw)
	}
	if text != test.want {
		t.Errorf("%s with %s:\n got %s\nwant %s", test.schema, test.args, text, test.want)
	}
	if after, _ := json.Marshal(args); string(after) != string(before) {
		t.Errorf("the arguments were changed: %s", after)
	}
}

func TestCheckTypesOfNumbers(t *testing.T) {
	s := MustSchema(`{"type":"object","properties":{"n":{"type":"integer"},"x":{"type":"number"}}}`)
	got, err := s.Check(map[string]any{"n": 3.0, "x": 3})
	if err != nil || got["n"] != int64(3) || got["x"] != int64(3) {
		t.Errorf("%#v %v", got, err)
	}
	got, err = s.Check(map[string]any{"n": "9007199254740993"})
	if err != nil || got["n"] != int64(9007199254740993) {
		t.Errorf("beyond 2^53: %#v %v", got, err)
	}
	if _, err := s.Check(map[string]any{"n": func() {}}); err == nil {
		t.Error("a function was taken for a number")
	}
}

func TestCheckWithoutSchema(t *testing.T) {
	var none *Schema
	if got, err := none.Check(nil); err != nil || got == nil || len(got) > 0 {
		t.Errorf("%v %v", got, err)
	}
	_, err := none.Check(map[string]any{"b": 1, "a": 2})
	if err == nil || err.Error() != "argument a: unknown name" {
		t.Error(err)
	}
	arg := err.(*ArgError)
	arg.ID = "support.macro.list"
	if err.Error() != "support.macro.list: argument a: unknown name" {
		t.Error(err)
	}
}

func FuzzParseSchema(f *testing.F) {
	for _, seed := range []string{invoiceItem, spec.EmptySchema, `{"$ref":"#"}`,
		`{"properties":{"a":{"$ref":"#/properties/a"}}}`, `true`, `{"type":"array","items":{"$ref":"#"}}`,
		`{"allOf":[{"$ref":"#"}],"properties":{"é\n":{"enum":[1]}}}`, `{"anyOf":[{"type":"null"},{"$ref":"#"}]}`} {
		f.Add(seed, `{"a":1,"b":[{"c":"2"}]}`)
	}
	f.Fuzz(func(t *testing.T, text, args string) {
		s, err := ParseSchema([]byte(text))
		if err != nil {
			return
		}
		s.Fields()
		s.document().TypeLabel()
		s.Unknown("a.b")
		table, _ := spec.Decode([]byte(args)).(map[string]any)
		out, err := s.Check(table)
		if err != nil {
			if !strings.HasPrefix(err.Error(), "argument") {
				t.Fatalf("error %q", err)
			}
			return
		}
		again, err := s.Check(out)
		if err != nil {
			t.Fatalf("%s is right, then %v", text, err)
		}
		if diff := cmp.Diff(out, again); diff != "" {
			t.Fatalf("normalising twice changes the arguments:\n%s", diff)
		}
		c, _ := New([]Entry{{ID: "a.b", Input: s, Output: s}}, Options{})
		v := c.View()
		if line := v.Line("a.b"); strings.ContainsAny(line, "\n\x1b") {
			t.Fatalf("line %q", line)
		}
		for _, detail := range []Detail{Full, LuaLS} {
			if _, err := v.Describe("a.b", detail); err != nil {
				t.Fatal(err)
			}
		}
	})
}

// FuzzCheck gives the argument checker any table under a schema of every kind: it must come to an end, leave the table
// as it is, name the argument that is wrong, and take what it made itself.
func FuzzCheck(f *testing.F) {
	schema := MustSchema(`{"type":"object","required":["id"],"additionalProperties":false,"properties":{
		"id":{"type":"integer","minimum":1},"when":{"type":["string","null"],"format":"date-time"},"kind":{"enum":["a","b",3]},
		"tags":{"type":"array","items":{"type":"string","maxLength":5},"maxItems":4},"deep":{"$ref":"#/$defs/node"},
		"pick":{"oneOf":[{"type":"integer"},{"type":"object","required":["x"],"properties":{"x":{"type":"number","exclusiveMinimum":0}}}]},
		"more":{"type":"object","additionalProperties":{"type":"boolean"}},"flag":{"type":"boolean","default":true},"const":{"const":[1]}},
		"$defs":{"node":{"type":"object","properties":{"next":{"$ref":"#/$defs/node"},"n":{"type":"number"}}}}}`)
	for _, seed := range []string{
		`{"id":1}`, `{"id":"1","tags":"x","flag":"yes"}`, `{"id":2.0,"deep":{"next":{"next":{"n":"1e3"}}}}`,
		`{"id":1,"pick":{"x":0.5},"more":{"a":true}}`, `{"id":1e400}`, `{"id":null,"kind":3,"const":[1]}`, `{"ID":1}`,
		`{"id":1,"tags":[[1]],"when":"\u0000\ud800"}`, `{"id":9223372036854775808}`,
		`{"` + strings.Repeat("\x7f name", 900) + `":1}`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, args string) {
		table, _ := spec.Decode([]byte(args)).(map[string]any)
		before, _ := spec.Decode([]byte(args)).(map[string]any)
		out, err := schema.Check(table)
		if diff := cmp.Diff(before, table); diff != "" {
			t.Fatalf("the table was changed:\n%s", diff)
		}
		var wrong *ArgError
		if err != nil {
			if !errors.As(err, &wrong) || strings.ContainsAny(err.Error(), "\n\x1b\x00") || len(err.Error()) > 2000 {
				t.Fatalf("%d bytes: %q", len(err.Error()), err)
			}
			return
		}
		again, err := schema.Check(out)
		if err != nil {
			t.Fatalf("what Check made is wrong: %v", err)
		}
		if diff := cmp.Diff(out, again); diff != "" {
			t.Fatalf("checking twice changes the arguments:\n%s", diff)
		}
	})
}
