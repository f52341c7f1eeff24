package catalog

import (
	"errors"
	"testing"
)

func TestLone(t *testing.T) {
	for _, test := range []struct{ schema, lone, hint string }{
		{object(`"id":{"type":"integer"},"full":{"type":"boolean"}`, `,"required":["id"]`), "id", ""},
		{object(`"path":{"type":"string"}`, ``), "path", ""},
		{object(`"path":{"type":"string"},"limit":{},"offset":{}`, ``), "path", ""},
		{object(`"a":{},"b":{}`, `,"required":["a","b"]`), "", "write a.b({a = value, b = value})"},
		{object(`"a":{},"b":{}`, ``), "", "write a.b({a = value})"},
		{object(`"limit":{},"offset":{}`, ``), "", "write a.b({limit = value})"},
		{object(`"limit":{"type":"integer"}`, ``), "limit", ""},
		{object(``, `,"additionalProperties":false`), "", "this action takes no arguments"},
		{object(`"ids":{"type":"array","items":{}}`, `,"required":["ids"]`), "",
			"ids takes a table: write a.b({ids = {...}})"},
		{object(`"o":{"type":["object","null"]}`, ``), "", "o takes a table: write a.b({o = {...}})"},
		{object(`"o":{"type":["object","string"]}`, ``), "o", ""},
	} {
		e := Entry{ID: "a.b", Input: MustSchema(test.schema)}
		hint := ""
		args, err := e.Named("x")
		var bad *ArgError
		if errors.As(err, &bad) {
			hint = bad.Hint
		}
		if e.Lone() != test.lone || hint != test.hint || err == nil && args[test.lone] != "x" {
			t.Errorf("%s: %q, %q, %v", test.schema, e.Lone(), hint, args)
		}
	}
	if _, err := (&Entry{ID: "a.b"}).Named(1); err == nil || err.Error() != "arguments: want no argument, got int" {
		t.Error(err)
	}
}
