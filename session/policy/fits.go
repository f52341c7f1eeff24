package policy

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"almanac/catalog"
	"almanac/catalog/pattern"
	"almanac/catalog/search/spelling"
	"almanac/catalog/text"
)

// This file says whether a grant can let any call of a catalog through, and if not, why.

// Fits checks that the grant can let a call of v through, and returns it as the ids and arguments there are written.
func (g Grant) Fits(v *catalog.View) (Grant, error) {
	if !g.Pattern.IsExact() {
		if why := g.barren(v); why != "" {
			return g, fmt.Errorf("grant of %s: %s", g.Pattern, why)
		}
		return g, nil
	}
	id := g.Pattern.String()
	if len(v.Children(id)) > 0 {
		return g, fmt.Errorf("grant of %s: no such action: for all below it say %s.*", id, id)
	}
	e, err := v.Resolve(id)
	if err != nil {
		return g, fmt.Errorf("grant: %w", err)
	}
	g.Pattern = pattern.Exact(e.ID)
	if why := g.strange(e); why != "" {
		return g, fmt.Errorf("grant of %s: %s", id, why)
	}
	return g, nil
}

// barren says why a pattern covers no action of v that changes data; empty where it covers one.
func (g Grant) barren(v *catalog.View) string {
	matched, writes, spared, odd := 0, 0, 0, ""
	var names []string
	for e := range g.actions(v) {
		if matched++; !e.Mutates {
			continue
		}
		writes++
		why := g.strange(e)
		switch {
		case why != "":
			odd = e.ID + ": " + why
			for _, f := range e.Input.Fields() {
				names = append(names, f.Name)
			}
		case g.concerns(Request{ID: e.ID, Risk: e.Risk, Source: e.Source}):
			return ""
		case e.Risk == catalog.High && !g.High:
			spared++
		}
	}
	switch {
	case matched == 0:
		return noMatch(g.Pattern, v)
	case writes == 0:
		return "every action that matches only reads: reads need no grant"
	case spared > 0:
		return fmt.Sprintf("it covers %s of high risk only where it says so: add \"risk high\"", text.Count(spared, "action"))
	}
	for _, b := range g.Bounds {
		if !slices.Contains(names, b.Arg) {
			why := "no action that changes data has an argument " + b.Arg
			if near := spelling.Nearest(b.Arg, names); near != "" {
				why += "; did you mean " + near + "?"
			}
			return why
		}
	}
	return odd
}

func noMatch(p pattern.Pattern, v *catalog.View) string {
	_, err := v.Resolve(strings.TrimRight(p.String(), ".*"))
	var unknown *catalog.UnknownError
	if errors.As(err, &unknown) && unknown.Hint() != "" {
		return "no action matches; " + unknown.Hint()
	}
	return "no action matches"
}

// strange says why no call of e is covered, whatever its arguments are: e only reads, or a bound is of an argument that
// e does not have or that is of another type. Empty where one may be.
func (g Grant) strange(e *catalog.Entry) string {
	if !e.Mutates {
		return "it only reads: reads need no grant"
	}
	if len(g.Bounds) == 0 {
		return ""
	}
	fields := e.Input.Fields()
	for _, b := range g.Bounds {
		i := slices.IndexFunc(fields, func(f catalog.Field) bool { return f.Name == b.Arg })
		switch {
		case len(fields) == 0:
		case i < 0:
			var names []string
			for _, f := range fields {
				names = append(names, f.Name)
			}
			return fmt.Sprintf("it has no argument %s: it takes %s", b.Arg, strings.Join(names, ", "))
		case b.never(fields[i]):
			return fmt.Sprintf("%s is of type %s and never %s", b.Arg, fields[i].Type, b.value())
		}
	}
	return ""
}

// never tells whether no value of the type of f meets the bound.
func (b Bound) never(f catalog.Field) bool {
	typ := strings.TrimSuffix(f.Type, "?")
	switch b.Value.(type) {
	case float64:
		return typ == "str" || typ == "bool"
	case string:
		return typ == "int" || typ == "num" || typ == "bool"
	}
	return typ == "int" || typ == "num" || typ == "str"
}
