package tools

import (
	"encoding/json"
	"fmt"
	"testing"
)

func TestDecode(t *testing.T) {
	for _, test := range []struct{ given, want string }{
		{`{"script":"return 1"}`, `script="return 1" ids=[] fresh=false detail=""`},
		{`{"script":"x","ids":["a.b"," c "],"fresh":true,"detail":"full"}`,
			`script="x" ids=["a.b" "c"] fresh=true detail="full"`},
		{`{"script":"x","ids":"a.b"}`, `script="x" ids=["a.b"] fresh=false detail=""`},
		{`{"script":"x","ids":"a.b, c.d"}`, `script="x" ids=["a.b" "c.d"] fresh=false detail=""`},
		{`{"script":"x","ids":"[\"a.b\"]"}`, `script="x" ids=["a.b"] fresh=false detail=""`},
		{`{"script":"x","ids":null,"fresh":"true"}`, `script="x" ids=[] fresh=true detail=""`},
		{`{"skript":"x"}`, `tool: unknown argument "skript": did you mean script?`},
		{`{"code":"x"}`, `tool: unknown argument "code": it takes script, ids, fresh, detail`},
		{`{"script":"x","id":["a"]}`, `tool: unknown argument "id": did you mean ids?`},
		{`{}`, `tool: argument script is missing: Lua source as a string`},
		{`{"script":null}`, `tool: argument script is missing: Lua source as a string`},
		{`{"script":""}`, `tool: argument script: want Lua source as a string, got ""`},
		{`{"script":["x"]}`, `tool: argument script: want Lua source as a string, got ["x"]`},
		{`{"script":"x","ids":[1]}`, `tool: argument ids: want a list of action ids, got [1]`},
		{`{"script":"x","fresh":1}`, `tool: argument fresh: want true or false, got 1`},
		{`{"script":"x","detail":"long"}`, `tool: argument detail: want brief, full, json, got "long"`},
		{`[]`, `tool: arguments are not an object`},
	} {
		var script, detail string
		var ids []string
		var fresh bool
		err := decode("tool", json.RawMessage(test.given), []argument{
			{name: "script", required: true, text: &script}, {name: "ids", list: &ids}, {name: "fresh", flag: &fresh},
			{name: "detail", text: &detail, oneOf: []string{"brief", "full", "json"}},
		})
		got := fmt.Sprintf("script=%q ids=%q fresh=%v detail=%q", script, ids, fresh, detail)
		if err != nil {
			got = err.Error()
		}
		if got != test.want {
			t.Errorf("%s\ngot  %s\nwant %s", test.given, got, test.want)
		}
	}
}

func TestUnfenced(t *testing.T) {
	for given, want := range map[string]string{
		"return 1":                 "return 1",
		"```lua\nreturn 1\n```":    "return 1\n",
		"```\nreturn 1\n```\n":     "return 1\n",
		"```python\nreturn 1\n```": "```python\nreturn 1\n```",
		"```lua\nreturn 1":         "```lua\nreturn 1",
	} {
		if got := unfenced(given); got != want {
			t.Errorf("%q: %q, want %q", given, got, want)
		}
	}
}
