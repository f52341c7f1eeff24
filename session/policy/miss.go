package policy

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"almanac/catalog/pattern"
)

// This file says why the grants of an action do not let a call of it through, and which grant would.

// missed says why no grant covers r: of the newest that is for other arguments, else of the newest that leaves high
// risk out, else of the newest that does not count now; empty where none is of the action. fit is a grant that would
// cover r: the missed one for this action alone, its bounds widened, or else the id.
func (p Policy) missed(r Request) (why, fit string) {
	fit = pattern.Exact(r.ID).String()
	var bounds, risk, waits string
	for _, g := range p.Grants {
		wait := p.Waiting(g)
		switch {
		case !g.Pattern.Match(r.ID):
		case wait != "":
			waits = fmt.Sprintf("grant %d waits: %s", g.N, wait)
		case !g.Seen.covers(r):
			waits = fmt.Sprintf("grant %d was given for another action of this name", g.N)
		case !g.concerns(r):
			risk = fmt.Sprintf("pattern %s does not cover high risk", g.Pattern)
		default:
			bounds = fmt.Sprintf("outside grant %d (%s)", g.N, g.unmet(r))
			if wide := g.widened(r); wide.Covers(r) && len(wide.String()) <= maxFit {
				fit = wide.String()
			}
		}
	}
	return cmp.Or(bounds, risk, waits), fit
}

// maxFit bounds a proposed grant, in bytes: what nobody reads is not proposed.
const maxFit = 200

// unmet is the bounds that r does not meet.
func (g Grant) unmet(r Request) string {
	unmet := slices.DeleteFunc(slices.Clone(g.Bounds), func(b Bound) bool {
		return !slices.ContainsFunc(g.Bounds, func(o Bound) bool { return o.Arg == b.Arg && !o.met(r.Args) })
	})
	if len(unmet) == 0 { // an argument that no bound speaks of
		return "only " + strings.Join(boundsText(g.Bounds), ", ")
	}
	return strings.Join(boundsText(unmet), ", ")
}

// widened is a grant of the action that r calls, with the bounds of g as wide as its arguments need. Where no bound
// reaches one, it does not cover r.
func (g Grant) widened(r Request) Grant {
	wide := Grant{Pattern: pattern.Exact(r.ID), Only: g.Only}
	for _, b := range g.Bounds {
		if v, there := r.Args[b.Arg]; there && !b.met(r.Args) {
			b = b.reaching(v)
		}
		if !slices.Contains(wide.Bounds, b) {
			wide.Bounds = append(wide.Bounds, b)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(r.Args)) {
		if g.Only && !slices.ContainsFunc(g.Bounds, func(b Bound) bool { return b.Arg == name }) {
			wide.Bounds = append(wide.Bounds, Bound{Arg: name}.reaching(r.Args[name]))
		}
	}
	return wide
}

// reaching is a bound of the same argument that v meets, if there is one: the order stays where both are numbers.
func (b Bound) reaching(v any) Bound {
	switch v.(type) {
	case string, bool:
		return Bound{b.Arg, "=", v}
	}
	n, isNumber := Number(v)
	if !isNumber {
		return b
	}
	op := "="
	if _, compared := b.Value.(float64); compared && b.Op != "=" {
		op = b.Op[:1] + "="
	}
	return Bound{b.Arg, op, n}
}
