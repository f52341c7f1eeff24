package show

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"almanac/catalog"
	"almanac/catalog/pattern"
	"almanac/session"
	"almanac/session/policy"
)

// What is offered covers the call that asks, the narrowest first, and grants what its words say.
func TestScopes(t *testing.T) {
	for _, c := range []struct {
		args map[string]any
		want string
	}{
		{nil, "no arguments [only]|any arguments []"},
		{map[string]any{"id": "inv_1", "cents": int64(50)},
			`exactly these arguments [only cents = 50, id = "inv_1"]|cents 0..50; other arguments free [0 <= cents <= 50]|any arguments []`},
		{map[string]any{"low": -2.5, "zero": int64(0), "customer_id": int64(7)},
			"exactly these arguments [only customer_id = 7, low = -2.5, zero = 0]|" +
				"customer_id = 7, low -2.5..0, zero = 0; other arguments free [customer_id = 7, -2.5 <= low <= 0, zero = 0]|any arguments []"},
		{map[string]any{"force": true, "why": "x"},
			`exactly these arguments [only force = true, why = "x"]|any arguments []`},
		{map[string]any{"n": 5.0, "lines": []any{"a"}}, "n 0..5; other arguments free [0 <= n <= 5]|any arguments []"},
		{map[string]any{"n": int64(1 << 60)}, "any arguments []"},
		{map[string]any{"n": math.NaN()}, "any arguments []"},
		{map[string]any{"n": nil}, "any arguments []"},
	} {
		q := QuestionOf(session.Request{Entry: &catalog.Entry{ID: "a.b", Mutates: true, Risk: catalog.High}, Args: c.args},
			Marks{})
		var got []string
		for i, s := range q.Scopes() {
			a := s.Approval()
			g := policy.Grant{Pattern: pattern.Exact("a.b"), Bounds: a.Bounds, Only: a.Only}
			got = append(got, fmt.Sprintf("%s [%s]", s.Words, strings.TrimPrefix(strings.TrimPrefix(g.String(), "a.b"), " ")))
			if a.Verdict != session.ForSession || !g.Covers(policy.Request{ID: "a.b", Args: c.args}) {
				t.Errorf("%v: %s does not cover the call", c.args, g)
			}
			if back, err := policy.ParseGrant(g.String()); err != nil || back.String() != g.String() {
				t.Errorf("%v: %s is read as %s, %v", c.args, g, back, err)
			}
			if q.Wide(s) != (i == len(q.Scopes())-1) {
				t.Errorf("%v: %s is wide: %v", c.args, s.Name, q.Wide(s))
			}
		}
		if strings.Join(got, "|") != c.want {
			t.Errorf("%v:\ngot  %s\nwant %s", c.args, strings.Join(got, "|"), c.want)
		}
	}
}
