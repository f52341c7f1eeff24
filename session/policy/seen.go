package policy

import (
	"fmt"
	"iter"
	"slices"
	"strings"

	"almanac/catalog"
)

// This file ties a grant to what there was when it was given: another action that has the id later does not inherit it.

// Seen is what a grant was given for.
type Seen struct {
	// Sources are those of the actions that it covered. One without any covers nothing.
	Sources []string
	// Action is the fingerprint of the action that it names; empty where it does not matter or the grant is a pattern.
	Action string
}

// SeenOf is what a grant of e is given for.
func SeenOf(e *catalog.Entry) *Seen {
	return &Seen{Sources: []string{e.Source}, Action: fingerprint(e)}
}

func fingerprint(e *catalog.Entry) string { return fmt.Sprintf("%x", e.Fingerprint()) }

// RequestOf is a call of e as a Policy decides about it.
func RequestOf(e *catalog.Entry, args map[string]any) Request {
	return Request{
		ID: e.ID, Operation: catalog.OperationOf(e), Risk: catalog.RiskOf(e), Mutates: e.Mutates, Source: e.Source,
		Args: args, entry: e,
	}
}

// covers tells whether r is a call of what was seen.
func (s *Seen) covers(r Request) bool {
	if s == nil || !slices.Contains(s.Sources, r.Source) {
		return s == nil
	}
	return s.Action == "" || s.Action == r.Action || r.entry != nil && s.Action == fingerprint(r.entry)
}

// Equal tells whether both say the same.
func (s *Seen) Equal(o *Seen) bool {
	if s == nil || o == nil {
		return s == o
	}
	return s.Action == o.Action && slices.Equal(s.Sources, o.Sources)
}

// Bind returns the grant for what v has of it now: an id for its action, a pattern for the sources of its actions.
func (g Grant) Bind(v *catalog.View) Grant {
	if e, ok := v.Lookup(g.Pattern.String()); ok {
		g.Seen = SeenOf(e)
		return g
	}
	g.Seen = &Seen{Sources: g.sources(v)}
	return g
}

// sources are those of the actions in v that the grant's pattern matches, sorted.
func (g Grant) sources(v *catalog.View) []string {
	var all []string
	for e := range g.actions(v) {
		if !slices.Contains(all, e.Source) {
			all = append(all, e.Source)
		}
	}
	slices.Sort(all)
	return all
}

// actions are those of v that the grant's pattern matches.
func (g Grant) actions(v *catalog.View) iter.Seq[*catalog.Entry] {
	return func(yield func(*catalog.Entry) bool) {
		if g.Pattern.IsExact() {
			if e, ok := v.Lookup(g.Pattern.String()); ok {
				yield(e)
			}
			return
		}
		for id := range v.All() {
			if !g.Pattern.Match(id) {
				continue
			}
			if e, ok := v.Lookup(id); ok && !yield(e) {
				return
			}
		}
	}
}

// Reach counts the actions of v that change data and that the grant of a pattern covers with some arguments, and those
// that it spares because of their risk.
func (g Grant) Reach(v *catalog.View) (covered, spared int) {
	for e := range g.actions(v) {
		switch {
		case g.strange(e) != "":
		case g.concerns(Request{ID: e.ID, Risk: e.Risk, Source: e.Source}):
			covered++
		case e.Risk == catalog.High && !g.High:
			spared++
		}
	}
	return covered, spared
}

// waiting says why the grant lets no call of v through; empty where it may.
func (g Grant) waiting(v *catalog.View) string {
	if g.Seen != nil && len(g.Seen.Sources) == 0 {
		return "it does not say which source it is for; give it again with /policy allow"
	}
	why := "no such action here"
	if v.Loading() != "" {
		why = "not loaded yet"
	}
	barren := false
	for e := range g.actions(v) {
		r, strange := RequestOf(e, nil), g.strange(e)
		if !e.Mutates && !g.Early { // the answer to a question, which a rule put
			strange = ""
		}
		switch {
		case g.Pattern.IsExact() && strange != "":
			why = strange
		case g.concerns(r) && strange == "":
			return ""
		case g.Seen.covers(r):
			barren = true
		case !slices.Contains(g.Seen.Sources, e.Source):
			why = fmt.Sprintf("given for %s, and here it is of %s", strings.Join(g.Seen.Sources, ", "), e.Source)
		default:
			why = "the action has changed since: what it does or takes"
		}
	}
	if barren && v.Loading() == "" {
		return g.barren(v)
	}
	return why
}

// Settle notes for each grant whether it can let a call of v through.
func (p Policy) Settle(v *catalog.View) Policy {
	p.Grants = slices.Clone(p.Grants)
	for i := range p.Grants {
		p.Grants[i].Waits = p.Grants[i].waiting(v)
	}
	p.Roles = slices.Clone(p.Roles)
	for i := range p.Roles {
		p.Roles[i].Policy = p.Roles[i].Settle(v)
	}
	return p
}
