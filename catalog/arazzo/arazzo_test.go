package arazzo

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"almanac/catalog/lua"
	"almanac/catalog/tree"
	"almanac/session/syntax"
)

// TestSimple reads conditions, written here as their data is.
func TestSimple(t *testing.T) {
	for text, want := range map[string]string{
		"$statusCode == 200":                     `== status 200`,
		"200 == $statusCode":                     `error: $statusCode is compared with a number`,
		"$statusCode == 'ok'":                    `error: $statusCode is compared with a number`,
		"$statusCode === 200":                    `error: unknown at "= 200"`,
		"$response.body#/a~1b/0 != null":         `!= body[][a/b 0] null`,
		"$response.body.items[0].id > 1.5":       `> body[][]+items,0,id 1.5`,
		"$inputs.a.b == 'it''s' && !$inputs.c":   `(and (== inputs[a b][] "it's") (not inputs[c][]))`,
		"$inputs.a || $inputs.b && $inputs.c":    `(or inputs[a][] (and inputs[b][] inputs[c][]))`,
		"($inputs.a || $inputs.b) && $inputs.c":  `(and (or inputs[a][] inputs[b][]) inputs[c][])`,
		"$steps.one.outputs.x <= -3":             `<= steps[outputs x][] -3`,
		"$steps.two.outputs.x == 1":              `error: $steps.two.outputs.x: no step two`,
		"$response.header.X == 1":                `error: $response.header.X is not supported`,
		"($inputs.a":                             `error: a ) is missing`,
		"$inputs.a ==":                           `error: it ends too soon`,
		"$inputs.a == ($inputs.b == 1)":          `error: == compares values, not conditions`,
		"$inputs.a $inputs.b":                    `error: unexpected "$inputs.b"`,
		"1 + 1":                                  `error: unknown at "+ 1"`,
		strings.Repeat("(", 60) + "true":         `error: nested deeper than 50`,
		"$response.body#/a == $inputs.b || true": `(or (== body[][a] inputs[b][]) true)`,
	} {
		c := &compiler{steps: []string{"one"}}
		made, err := c.simple(text)
		got := ""
		if err != nil {
			got = "error: " + err.Error()
		} else {
			got = strings.TrimSuffix(strings.TrimPrefix(shown(made), "("), ")")
			if op := made["op"]; op == "and" || op == "or" {
				got = shown(made)
			}
		}
		if got != want && !(strings.HasPrefix(want, "error: ") && strings.HasPrefix(got, want)) {
			t.Errorf("%s:\ngot  %s\nwant %s", text, got, want)
		}
	}
}

func shown(v any) string {
	m, _ := v.(map[string]any)
	join := func(list any) string {
		var parts []string
		all, _ := list.([]any)
		for _, p := range all {
			parts = append(parts, p.(string))
		}
		return strings.Join(parts, " ")
	}
	switch {
	case m["op"] == "not":
		return "(not " + shown(m["a"]) + ")"
	case m["op"] != nil:
		return "(" + m["op"].(string) + " " + shown(m["a"]) + " " + shown(m["b"]) + ")"
	case m["e"] != nil:
		e := m["e"].(map[string]any)
		if e["root"] == "statusCode" {
			return "status"
		}
		s := e["root"].(string) + "[" + join(e["names"]) + "][" + join(e["pointer"]) + "]"
		if get := join(m["get"]); get != "" {
			s += "+" + strings.ReplaceAll(get, " ", ",")
		}
		return s
	}
	return lua.Literal(m["lit"], lua.Options{})
}

// FuzzSimple: whatever is read becomes Lua that can be read.
func FuzzSimple(f *testing.F) {
	f.Add("$statusCode == 200 && ($inputs.a || !$response.body#/x)")
	f.Add("'a''b' == null")
	f.Add("$response.body.items[0].id >= -1.5")
	f.Fuzz(func(t *testing.T, s string) {
		made, err := (&compiler{steps: []string{"one"}}).simple(s)
		if err != nil {
			return
		}
		if wrong := syntax.Check("local W = " + lua.Literal(made, lua.Options{})); wrong != nil {
			t.Fatalf("%q: %v", s, wrong)
		}
	})
}

// FuzzWorkflow: no document makes the reader fail in another way than by an error, or a body that is not Lua.
func FuzzWorkflow(f *testing.F) {
	f.Add(`{"workflowId": "w", "steps": [{"stepId": "a", "operationId": "x", "parameters": [{"name": "n", "in": "query", "value": "{$inputs.a}b"}],
 "requestBody": {"payload": {"a": ["$inputs.b", 1, null]}, "replacements": [{"target": "/a/0", "value": 2}]}, "onFailure": [{"name": "r", "type": "retry"}],
 "successCriteria": [{"condition": "$statusCode == 200"}, {"context": "$response.body", "condition": "$.a", "type": "jsonpath"}], "outputs": {"o": "$response.body#/a"}}],
 "outputs": {"o": "$steps.a.outputs.o"}}`)
	f.Add(`{"workflowId": "w", "steps": [{"stepId": "a", "workflowId": "w", "onSuccess": [{"name": "g", "type": "goto", "workflowId": "w"}]}]}`)
	f.Fuzz(func(t *testing.T, s string) {
		n, err := tree.Parse([]byte(s))
		if err != nil {
			return
		}
		c := &compiler{root: n, workflows: []string{"w"}, documents: []string{"d"}}
		w, err := c.workflow(n, "w")
		if err != nil {
			return
		}
		body := "local args; local W = " + lua.Literal(w.data(nil), lua.Options{}) + "\n" + runtime
		if wrong := syntax.Check(body); wrong != nil {
			t.Fatalf("%v\n%s", wrong, body)
		}
	})
}

// TestReadsNothingElse names documents that are not read.
func TestReadsNothingElse(t *testing.T) {
	for text, want := range map[string]string{
		"openapi: 3.1.0":                "want version 1.0",
		"arazzo: 2.0.0":                 `want version 1.0, got "2.0.0"`,
		"arazzo: 1.0.0":                 "no workflows in it",
		"arazzo: 1.0.0\nworkflows: []":  "no workflows in it",
		"arazzo: 1.0.0\nworkflows: [{}": "YAML",
	} {
		file := filepath.Join(t.TempDir(), "a.yaml")
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		s := &flows{file: file, source: "arazzo:a.yaml", name: "a"}
		if _, err := s.load(t.Context(), nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %s", text, err, want)
		}
	}
}
