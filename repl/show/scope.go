package show

// This file says what an answer for the whole session can grant: which calls of the action, the narrowest choice first.

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"almanac/catalog/pattern"
	"almanac/catalog/text"
	"almanac/session"
	"almanac/session/policy"
)

// A Scope is one such choice.
type Scope struct {
	// Name is what programs call it: "exact", "numbers" or "any".
	Name string
	// Words say which arguments the calls may have, on one line and safe to show.
	Words string
	grant policy.Grant
}

// Approval is the answer that grants the scope.
func (s Scope) Approval() session.Approval {
	return session.Approval{Verdict: session.ForSession, Bounds: s.grant.Bounds, Only: s.grant.Only}
}

// Wide tells that the scope lets all calls of an action through that may do great damage: it wants another yes.
func (q Question) Wide(s Scope) bool { return q.High() && s.Name == "any" }

// Scopes are the choices for the call, never none; the last one is any arguments. Those that would not cover the call
// itself are left out: no bound can say a table.
func (q Question) Scopes() []Scope {
	args := q.request.Args
	exact := Scope{Name: "exact", Words: "exactly these arguments", grant: policy.Grant{Only: true}}
	if len(args) == 0 {
		exact.Words = "no arguments"
	}
	numbers := Scope{Name: "numbers"}
	var ranges []string
	for _, name := range slices.Sorted(maps.Keys(args)) {
		bound := policy.Bound{Arg: name, Op: "=", Value: args[name]}
		n, isNumber := policy.Number(args[name])
		if isNumber {
			bound.Value = n
		}
		exact.grant.Bounds = append(exact.grant.Bounds, bound)
		switch id := strings.ToLower(name); {
		case !isNumber:
			continue
		case n == 0 || id == "id" || strings.HasSuffix(id, "_id"):
			numbers.grant.Bounds = append(numbers.grant.Bounds, bound)
			ranges = append(ranges, bound.String())
		default:
			low, high := min(n, 0), max(n, 0)
			numbers.grant.Bounds = append(numbers.grant.Bounds,
				policy.Bound{Arg: name, Op: ">=", Value: low}, policy.Bound{Arg: name, Op: "<=", Value: high})
			ranges = append(ranges, name+" "+strconv.FormatFloat(low, 'f', -1, 64)+".."+strconv.FormatFloat(high, 'f', -1, 64))
		}
	}
	numbers.Words = text.SanitizeLine(strings.Join(ranges, ", ")) + "; other arguments free"
	scopes := []Scope{exact, numbers, {Name: "any", Words: "any arguments"}}
	return slices.DeleteFunc(scopes, func(s Scope) bool {
		s.grant.Pattern = pattern.Exact(q.ID)
		return s.Name == "numbers" && len(ranges) == 0 || !s.grant.Covers(policy.Request{ID: q.ID, Args: args})
	})
}

// ScopeLines ask which calls a grant for the session is to cover; choices are numbered from 1, the marked one has a
// sign. marked is 0 for none.
func (q Question) ScopeLines(marked int) []Line {
	lines := []Line{Text.Line("For this session, without asking, allow it with:")}
	for i, s := range q.Scopes() {
		sign := "  "
		if i+1 == marked {
			sign = "> "
		}
		role := Text
		if q.Wide(s) {
			role = Mutates
		}
		lines = append(lines, Line{Key.Span(fmt.Sprintf("%s%d", sign, i+1)), role.Span(" " + s.Words)})
	}
	return append(lines, Dim.Line("/policy allow ID BOUNDS for always keeps a grant in your configuration"))
}
