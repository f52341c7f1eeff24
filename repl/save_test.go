package repl

import (
	"encoding/json"
	"testing"

	"almanac/session/policy"
	"almanac/session/steps"
	"almanac/session/trace"
)

// TestPlanOf finds the plan that a script of the model's was made from, and none for what was written as Lua.
func TestPlanOf(t *testing.T) {
	plan := `[{"id":"crm.customer.get","args":{"id":"cus_1"},"as":"c"}]`
	message := func(args string) trace.Record {
		return trace.Record{Kind: trace.KindMessage,
			Message: json.RawMessage(`{"role":"assistant","calls":[{"id":"1","name":"lua_tools_execute","args":` + args + `}]}`)}
	}
	log := []trace.Record{message(`{"script":"return 1"}`), message(`{"plan":[]}`), message(`{"plan":` + plan + `}`)}
	sh, _ := newShell(t, Options{Log: func() ([]trace.Record, error) { return log, nil }}, policy.Policy{})
	source, err := steps.Translate([]byte(plan))
	if err != nil {
		t.Fatal(err)
	}
	if got := string(sh.planOf(source)); got != plan {
		t.Errorf("the plan is %q", got)
	}
	if got := sh.planOf("return 1"); got != nil {
		t.Errorf("Lua has the plan %s", got)
	}
}

func TestParseSave(t *testing.T) {
	for _, c := range []struct{ arg, id, err string }{
		{"refund", "mine.refund", ""},
		{"team.refund! 3..7 with 1, 3=amount 2? -- Says -- so", "team.refund", ""},
		{"", "", "save: name the action"},
		{"with 1", "", "save: name the action"},
		{"end", "", "save: end: want a name in lower case such as refund_unpaid, or several with dots: how about end_it"},
		{"a..b", "", "save: a..b: want a name in lower case such as refund_unpaid, or several with dots: how about a.b"},
		{"***", "", "save: ***: want a name in lower case such as refund_unpaid, or several with dots"},
		{"9lives", "", "save: 9lives: want a name in lower case such as refund_unpaid, or several with dots: how about lives"},
		{"x 7..3", "", "save: 7..3: want a cell, or cells such as 3..7"},
		{"x 0", "", "save: 0: want a cell, or cells such as 3..7"},
		{"x wiht 1", "", "save: wiht: want cells such as 3..7, or with and the values that become parameters"},
		{"x with 1 --", "", "save: nothing behind --: describe the action, or leave -- out"},
	} {
		q, err := parseSave(c.arg)
		got := ""
		if err != nil {
			got = err.Error()
		}
		if got != c.err || err == nil && q.id != c.id {
			t.Errorf("%q: %s, %q; want %s, %q", c.arg, q.id, got, c.id, c.err)
		}
	}
}
