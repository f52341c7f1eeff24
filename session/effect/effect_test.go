package effect_test

import (
	"encoding/json"
	"math"
	"reflect"
	"strings"
	"testing"

	"almanac/catalog"
	"almanac/catalog/pattern"
	"almanac/session/effect"
)

func TestCheck(t *testing.T) {
	deep := any(int64(1))
	for range effect.MaxDepth + 1 {
		deep = []any{deep}
	}
	for _, c := range []struct {
		kind, target string
		value        any
		want         string // empty: nothing is wrong
	}{
		{"state.set", "count", int64(1), ""},
		{"state.set", "list", []any{nil, "x", 1.5, map[string]any{}}, ""},
		{"audit.log_2-b", "anything at all", nil, ""},
		{"", "", nil, "kind: empty"},
		{"State.Set", "", nil, `kind "State.Set": want lower-case names`},
		{"a..b", "", nil, `kind "a..b"`},
		{strings.Repeat("a", 61), "", nil, "kind: longer than 60 bytes"},
		{"state.sett", "", nil, `kind "state.sett": not known; did you mean state.set?`},
		{"view.widen", "", nil, `kind "view.widen": not known`},
		{"audit", "a\nb", nil, "audit: target"},
		{"audit", strings.Repeat("a", 257), nil, "audit: target: longer than 256 bytes"},
		{"state.set", "a.b", int64(1), `state.set: target "a.b": want the name of a field; state.set_path takes a path`},
		{"state.set", "", int64(1), `state.set: target ""`},
		{"state.set", "a", nil, "state.set: value: missing; state.delete removes"},
		{"state.set_path", "a", nil, "state.set_path: value: missing; state.delete_path removes"},
		{"state.delete", "a", int64(1), "state.delete: value: want none"},
		{"state.replace", "a", map[string]any{}, `state.replace: target "a": want none`},
		{"state.replace", "", []any{int64(1)}, "state.replace: value: want a table with names, not a list"},
		{"state.replace", "", nil, "state.replace: value: want a table with names, not null"},
		{"state.replace", "", []any{}, ""},
		{"state.set_path", "users[1].name", "Ada", ""},
		{"state.set_path", "$users[1].name", "Ada", ""},
		{"state.set_path", "users[0]", "Ada", `state.set_path: target "users[0]": want a path as users[1].name`},
		{"state.set_path", "users..name", "Ada", `state.set_path: target "users..name"`},
		{"state.set", "a", math.NaN(), "state.set: value: nan cannot be kept"},
		{"state.set", "a", "\xff", "state.set: value: a text that is not UTF-8"},
		{"state.set", "a", map[string]any{"\xff": true}, "state.set: value: the name"},
		{"state.set", "a", struct{}{}, "state.set: value: a value of type struct {} is not data"},
		{"state.set", "a", deep, "state.set: value: nested deeper than 32"},
		{"state.set", "a", strings.Repeat("x", effect.MaxValue), "state.set: value: larger than 256.0 KiB"},
	} {
		err := effect.Check(catalog.Effect{Kind: c.kind, Target: c.target, Value: c.value})
		if (err == nil) != (c.want == "") || err != nil && !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%.20q %.20q: got %v, want %q", c.kind, c.target, err, c.want)
		}
	}
}

func data(t *testing.T, text string) any {
	t.Helper()
	var v any
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatal(text, err)
	}
	return whole(v)
}

// whole makes int64 of the numbers, as Lua gives them.
func whole(v any) any {
	switch v := v.(type) {
	case float64:
		return int64(v)
	case []any:
		for i := range v {
			v[i] = whole(v[i])
		}
	case map[string]any:
		for k := range v {
			v[k] = whole(v[k])
		}
	}
	return v
}

func TestApply(t *testing.T) {
	const start = `{"count": 1, "users": [{"name": "Ada"}, {"name": "Bob"}], "empty": {}, "none": null}`
	for _, c := range []struct{ name, effects, want string }{
		{"set", `[["state.set", "count", 2], ["state.set", "new", [1]]]`,
			`{"count": 2, "new": [1], "users": [{"name": "Ada"}, {"name": "Bob"}], "empty": {}, "none": null}`},
		{"replace", `[["state.set", "x", 2], ["state.replace", "", {"a": 1}], ["state.set", "b", 2]]`, `{"a": 1, "b": 2}`},
		{"delete, also what is missing", `[["state.delete", "users"], ["state.delete", "users"], ["state.delete", "none"]]`,
			`{"count": 1, "empty": {}}`},
		{"tables are made on the way", `[["state.replace", "", {}], ["state.set_path", "a.b[1].c", true]]`,
			`{"a": {"b": [{"c": true}]}}`},
		{"an empty table becomes a list", `[["state.replace", "", {"empty": {}}], ["state.set_path", "empty[1]", "x"]]`,
			`{"empty": ["x"]}`},
		{"null is missing", `[["state.replace", "", {"none": null}], ["state.set_path", "none.a", 1]]`, `{"none": {"a": 1}}`},
		{"through an item", `[["state.replace", "", {"l": [1, 2]}], ["state.set_path", "l[3]", 3],
			["state.delete_path", "l[1]"], ["state.delete_path", "l[9]"], ["state.delete_path", "l[1].a.b"]]`,
			`state.l[1] is an integer, not a table with names`},
		{"a list closes its gaps", `[["state.replace", "", {"l": [1, 2]}], ["state.set_path", "l[3]", 3],
			["state.delete_path", "l[1]"], ["state.delete_path", "l[9]"]]`, `{"l": [2, 3]}`},
		{"nothing there to remove", `[["state.replace", "", {"l": [null]}], ["state.delete_path", "l[1].a"],
			["state.delete_path", "x.y.z"]]`, `{"l": [null]}`},
		{"a gap", `[["state.set_path", "users[4]", 1]]`, `state.users has 2 items: [4] would leave a gap`},
		{"through a value", `[["state.set_path", "count.a", 1]]`, `state.count is an integer, not a table with names`},
		{"through a list", `[["state.set_path", "users.name", 1]]`, `state.users is a list, not a table with names`},
		{"a place in a table", `[["state.set_path", "users[1][1]", 1]]`, `state.users[1] is an object, not a list`},
		{"all or none", `[["state.set", "count", 9], ["state.set", "a.b", 9], ["state.delete", "users"]]`,
			`want the name of a field`},
		{"others are not looked at", `[["notify", "", "hello"], ["audit.log", "", 1]]`, start},
	} {
		t.Run(c.name, func(t *testing.T) {
			state := data(t, start).(map[string]any)
			var effects []catalog.Effect
			for _, e := range data(t, c.effects).([]any) {
				e := append(e.([]any), nil)
				effects = append(effects, catalog.Effect{Kind: e[0].(string), Target: e[1].(string), Value: e[2]})
			}
			before, _ := json.Marshal(effects)
			got, rejected := effect.Apply(state, effects)
			after, _ := json.Marshal(effects)
			if !reflect.DeepEqual(any(state), data(t, start)) || string(after) != string(before) {
				t.Error("what was given has changed")
			}
			if strings.HasPrefix(c.want, "{") {
				if len(rejected) > 0 || !reflect.DeepEqual(any(got), data(t, c.want)) {
					t.Errorf("got %v, rejected %v, want %s", got, rejected, c.want)
				}
				return
			}
			if len(rejected) != 1 || !strings.Contains(rejected[0].Reason, c.want) || !reflect.DeepEqual(got, state) {
				t.Errorf("got %v, rejected %v, want %s", got, rejected, c.want)
			}
		})
	}
}

func TestApplyBounds(t *testing.T) {
	var effects []catalog.Effect
	for _, name := range []string{"a", "b", "c", "d"} {
		effects = append(effects, catalog.Effect{
			Kind: effect.StateSet, Target: name, Value: strings.Repeat("x", effect.MaxValue-8),
		})
	}
	if _, rejected := effect.Apply(nil, effects[:3]); rejected != nil {
		t.Error(rejected)
	}
	state, rejected := effect.Apply(nil, effects)
	if len(rejected) != 1 || !strings.Contains(rejected[0].Reason, "larger than 1.0 MiB") || state != nil {
		t.Error(len(state), rejected)
	}
	path := catalog.Effect{Kind: effect.StateSetPath, Target: "a" + strings.Repeat(".a", 40), Value: true}
	if _, rejected := effect.Apply(nil, []catalog.Effect{path}); len(rejected) != 1 {
		t.Error("nested too deep, but applied")
	}
}

func TestChoose(t *testing.T) {
	for _, c := range []struct{ patterns, kinds, chosen, rejected string }{
		{"", "state.set notify", "", ""},
		{"state.*", "state.set state.delete", "state.set state.delete", ""},
		{"state.*", "audit.log state.set", "state.set", ""},
		{"state.*", "notify audit.log", "", ""},
		{"state.*", "state.set notify", "state.set", "notify"},
		{"state.set", "state.set state.delete", "state.set", "state.delete"},
		{"*", "state.set", "state.set", ""},
		{"*", "notify view.narrow", "", ""},
		{"?otify *.narrow", "notify view.narrow", "", ""},
		{"notify view.*", "notify view.narrow", "notify view.narrow", ""},
		{"audit.*", "audit.log", "", ""},
	} {
		var patterns []pattern.Pattern
		for _, text := range strings.Fields(c.patterns) {
			p, err := pattern.Parse(text)
			if err != nil {
				t.Fatal(err)
			}
			patterns = append(patterns, p)
		}
		var effects []catalog.Effect
		for _, kind := range strings.Fields(c.kinds) {
			effects = append(effects, catalog.Effect{Kind: kind})
		}
		chosen, rejected := effect.Choose(patterns, effects, "allow")
		var got, refused []string
		for _, e := range chosen {
			got = append(got, e.Kind)
		}
		for _, r := range rejected {
			refused = append(refused, r.Effect.Kind)
		}
		if strings.Join(got, " ") != c.chosen || strings.Join(refused, " ") != c.rejected {
			t.Errorf("%q of %q: got %q, rejected %q", c.patterns, c.kinds, got, refused)
		}
	}
	many := make([]catalog.Effect, effect.MaxPerRun+1)
	for i := range many {
		many[i] = catalog.Effect{Kind: effect.StateDelete, Target: "a"}
	}
	if _, rejected := effect.Choose([]pattern.Pattern{pattern.All()}, many, "allow"); len(rejected) != 1 {
		t.Error("more than a run applies, and not rejected")
	}
}

func TestParseKinds(t *testing.T) {
	for text, want := range map[string]string{
		"state.*": "", "*": "", "state.set": "", "view.*": "", "notify": "", "state.set*": "",
		"stat.*": "allows no kind", "audit.log": "allows no kind", "?otify": "allows no kind", "a..b": "a segment is empty",
	} {
		_, err := effect.ParseKinds([]string{"state.set", text})
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q", text, err, want)
		}
	}
}

// FuzzApply applies two operations to a table: whatever they are, what is given stays, what comes out is data in
// bounds, and an operation that is rejected leaves the table as it was.
func FuzzApply(f *testing.F) {
	f.Add("state.set", "a", "1", "state.set_path", "a.b[1]", `{"x": [1]}`)
	f.Add("state.set_path", "a[1][2]", "1", "state.delete_path", "a[1]", "null")
	f.Add("state.replace", "", `{"a": []}`, "state.set_path", "a.b", "[]")
	f.Fuzz(func(t *testing.T, kind1, target1, value1, kind2, target2, value2 string) {
		var effects []catalog.Effect
		for _, e := range [][3]string{{kind1, target1, value1}, {kind2, target2, value2}} {
			var v any
			if json.Unmarshal([]byte(e[2]), &v) != nil {
				return
			}
			effects = append(effects, catalog.Effect{Kind: e[0], Target: e[1], Value: v})
		}
		const start = `{"a": [[1], {"b": 2}], "b": {"a": [true, null]}}`
		state := data(t, start).(map[string]any)
		next, rejected := effect.Apply(state, effects)
		if !reflect.DeepEqual(any(state), data(t, start)) {
			t.Fatal("the table that was given has changed")
		}
		if rejected != nil && !reflect.DeepEqual(next, state) {
			t.Fatal("rejected, and applied")
		}
		if n, err := effect.Size(next); err != nil || n > effect.MaxState {
			t.Fatal(n, err)
		}
		one, first := effect.Apply(state, effects[:1])
		two, second := effect.Apply(one, effects[1:])
		if rejected == nil && (first != nil || second != nil || !reflect.DeepEqual(two, next)) {
			t.Fatal("one after the other is not the same as both")
		}
	})
}
