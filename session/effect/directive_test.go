package effect_test

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"almanac/catalog"
	"almanac/session/effect"
)

func TestCheckDirectives(t *testing.T) {
	for _, c := range []struct{ kind, target, value, want string }{
		{"view.narrow", "", `{"namespaces": ["crm"], "read_only": true, "denied_operations": ["delete"]}`, ""},
		{"view.narrow", "", `{}`, "value: want rules as in a view file"},
		{"view.narrow", "", `["crm"]`, "value: want rules as in a view file"},
		{"view.narrow", "", `{"actor": "root"}`, "value: actor: an effect may not choose it"},
		{"view.narrow", "", `{"tenant": "root"}`, "value: tenant: an effect may not choose it"},
		{"view.narrow", "", `{"namespace": ["crm"]}`, "value: namespace: unknown key; want actor, tenant, namespaces"},
		{"view.narrow", "", `{"ids": "crm.*"}`, "value: ids: want a list of texts"},
		{"view.narrow", "", `{"ids": []}`, "value: ids: empty list"},
		{"view.narrow", "", `{"read_only": 1}`, "value: read_only: want true or false"},
		{"context.set", "region", `"eu"`, ""},
		{"context.set", "region", `null`, ""},
		{"context.set", "level", `3`, ""},
		{"context.set", "actor", `"root"`, "target: actor is the host's to set"},
		{"context.set", "team_id", `"x"`, "target: team_id is the host's to set"},
		{"context.set", "a.b", `"x"`, `target: "a.b" is not a name`},
		{"context.set", "", `"x"`, `target: "" is not a name`},
		{"context.set", "region", `{"a": 1}`, "value: want a text, a number, true or false, not an object"},
		{"context.set", "region", `"` + strings.Repeat("x", 501) + `"`, "value: longer than 500 bytes"},
		{"notify", "parcels", `"parcel 7 left"`, ""},
		{"notify", "", `"two\nlines"`, ""},
		{"notify", "", `" "`, "value: want a line of text"},
		{"notify", "", `null`, "value: want a line of text"},
		{"notify", "", `["x"]`, "value: want a line of text"},
		{"notify", "", `"` + strings.Repeat("x", 501) + `"`, "value: longer than 500 bytes"},
		{"schedule", "", `{"after": "10m", "text": "call Ann"}`, ""},
		{"schedule", "ann", `{"after": "10m", "text": "call Ann", "lua": "return crm.ann{}"}`, ""},
		{"schedule", "", `{"after": "10m", "text": "call Ann", "lua": "return 1", "prompt": "call"}`,
			"value: want prompt or lua"},
		{"schedule", "", `{"after": "10m", "text": "x", "lua": "` + strings.Repeat("x", 4097) + `"}`,
			"value: lua: want printable text"},
		{"schedule", "", `{"after": "10m", "text": "x", "prompt": "\u001b[2J"}`, "value: prompt: want printable text"},
		{"schedule", "", `{"after": "10m", "text": "x", "prompt": 3}`, "value: prompt: want printable text"},
		{"schedule", "", `{"after": "10m"}`, "value: text: want a line of text"},
		{"schedule", "", `{"after": "-1m", "text": "x"}`, `value: after: want a time such as "10m"`},
		{"schedule", "", `{"after": "8000h", "text": "x"}`, "value: after: want a time such as \"10m\", at most 30 days"},
		{"schedule", "", `{"after": 10, "text": "x"}`, "value: after: want a time"},
		{"schedule", "", `{"at": "10m", "text": "x"}`, "value: at: unknown; want after, text, prompt, lua"},
		{"schedule", "", `"10m"`, "value: want a table with after, text, prompt, lua, not a string"},
		{"ask", "region", `{"question": "Which region?", "choices": ["EU", "US"]}`, ""},
		{"ask", "region", `{"question": "Which region?"}`, ""},
		{"ask", "", `{"question": "Which region?"}`, `target "": want the name of the answer`},
		{"ask", "a.b", `{"question": "Which region?"}`, `target "a.b": want the name of the answer`},
		{"ask", "region", `{"question": ""}`, "value: question: want a line of text"},
		{"ask", "region", `{"question": "x", "answer": "EU"}`, "value: answer: unknown"},
		{"ask", "region", `{"question": "x", "choices": [1]}`, "value: choices[1]: want a line of text"},
		{"ask", "region", `{"question": "x", "choices": "EU"}`, "value: choices: want a list of at most 20"},
	} {
		err := effect.Check(catalog.Effect{Kind: c.kind, Target: c.target, Value: data(t, c.value)})
		want := c.kind + ": " + c.want
		if (err == nil) != (c.want == "") || err != nil && !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s %q %.60s: got %v, want %q", c.kind, c.target, c.value, err, want)
		}
	}
}

// What a person is shown is one line that no terminal takes for something else.
func TestDirectivesAreRead(t *testing.T) {
	one := func(kind, value string) catalog.Effect {
		return catalog.Effect{Kind: kind, Target: "x", Value: data(t, value)}
	}
	got, err := effect.LineOf(one("notify", `"gone\u001b[2J\nfor good "`))
	if err != nil || strings.ContainsAny(got, "\n\x1b") {
		t.Errorf("got %q, %v", got, err)
	}
	r, err := effect.ReminderOf(one("schedule", `{"after": "1h30m", "text": "call", "prompt": "call\nAnn"}`))
	if want := (effect.Reminder{After: 90 * time.Minute, Text: "call", Prompt: "call\nAnn"}); err != nil || r != want {
		t.Errorf("got %+v, %v", r, err)
	}
	rules, err := effect.RulesOf(one("view.narrow", `{"ids": ["crm.*"], "denied_operations": ["delete"]}`))
	want := catalog.Rules{IDs: []string{"crm.*"}, DeniedOperations: []catalog.Operation{"delete"}}
	if err != nil || !reflect.DeepEqual(rules, want) {
		t.Errorf("got %+v, %v", rules, err)
	}
}

func TestAnswers(t *testing.T) {
	choices := effect.Question{Text: "?", Choices: []string{"EU", "US", "1"}}
	for _, c := range []struct {
		question     effect.Question
		answer, want string
	}{
		{choices, " eu ", "EU"},
		{choices, "2", "US"},
		{choices, "1", "1"}, // what a choice says goes before its number
		{choices, "4", ""},
		{choices, "", ""},
		{effect.Question{Text: "?"}, " any thing\n", "any thing"},
		{effect.Question{Text: "?"}, " ", ""},
	} {
		e, err := c.question.AnswerTo("region", c.answer)
		want := catalog.Effect{Kind: "state.set_path", Target: "answers.region", Value: c.want}
		if (err == nil) != (c.want != "") || err == nil && e != want {
			t.Errorf("%q: got %v, %v", c.answer, e, err)
		}
	}
}
