package policy

import (
	"fmt"
	"slices"
	"strings"

	"almanac/catalog"
	"almanac/catalog/pattern"
	"almanac/catalog/search/spelling"
)

// This file finds the rules that can match no call of a catalog: they may be misspelt, or for another catalog.

// operations are those that every catalog may have.
var operations = []catalog.Operation{catalog.Read, catalog.Create, catalog.Update, catalog.Delete, catalog.Admin}

// NamesOwn tells whether the rule names an operation of a source's own, which only a loaded catalog can confirm.
func (rule Rule) NamesOwn() bool {
	return slices.ContainsFunc(rule.Operations, func(o catalog.Operation) bool { return !slices.Contains(operations, o) })
}

// Idle are warnings of the rules that can match no call of v. Where the words of one are close to those of v, it is
// misspelt, which is an error: it would leave open what it was written to close.
func Idle(rules []Rule, v *catalog.View) (warnings []string, misspelt error) {
	var known []string // operations of v, once a rule names one of its own
	for _, rule := range rules {
		if rule.NamesOwn() && known == nil {
			known = operationsOf(v)
		}
		warning, wrong := rule.idle(v, known)
		if warning == "" {
			continue
		}
		warnings = append(warnings, rule.String()+": "+warning)
		if wrong && misspelt == nil {
			misspelt = fmt.Errorf("%s: %s", rule, warning)
		}
	}
	return warnings, misspelt
}

func operationsOf(v *catalog.View) []string {
	all := texts(operations)
	for e := range v.Entries() {
		if o := string(catalog.OperationOf(e)); !slices.Contains(all, o) {
			all = append(all, o)
		}
	}
	return all
}

// idle says why the rule can match no call of v, and whether a word in it is misspelt.
func (rule Rule) idle(v *catalog.View, known []string) (warning string, misspelt bool) {
	for _, o := range rule.Operations {
		if known == nil || slices.Contains(known, string(o)) {
			continue
		}
		near := spelling.Nearest(string(o), known)
		return fmt.Sprintf("no action has the operation %s%s", o, didYouMean(string(o), known)), near != ""
	}
	if len(rule.IDs)+len(rule.Where) == 0 {
		return "", false
	}
	matched, spoken, open := len(rule.IDs) == 0, false, slices.Clone(rule.Where)
	var names []string
	for id := range v.All() {
		if matched && len(open) == 0 {
			return "", false
		}
		if !slices.ContainsFunc(rule.IDs, func(p pattern.Pattern) bool { return p.Match(id) }) && len(rule.IDs) > 0 {
			continue
		}
		matched = true
		e, ok := v.Lookup(id)
		if len(open) == 0 || !ok || !rule.Speaks(RequestOf(e, nil)) {
			continue
		}
		spoken = true
		of := argumentsOf(e)
		names = append(names, of...)
		open = slices.DeleteFunc(open, func(b Bound) bool { return len(of) == 0 || hasArgument(of, b.Arg) })
	}
	switch {
	case !matched:
		like := rule.foldedMatch(v)
		if like != "" {
			like = ": did you mean " + like + "?"
		}
		return "no action matches " + rule.ids() + like, like != ""
	case spoken && len(open) > 0:
		return noArgument(open[0].Arg, names), false
	}
	return "", false
}

// foldedMatch is an id of v that the rule would match if case did not matter, or empty.
func (rule Rule) foldedMatch(v *catalog.View) string {
	for _, p := range rule.IDs {
		folded, err := pattern.Parse(strings.ToLower(p.String()))
		if err != nil {
			continue
		}
		for id := range v.All() {
			if folded.Match(strings.ToLower(id)) {
				return id
			}
		}
	}
	return ""
}

// argumentsOf are the names of an action's arguments, those that the host fills in included. Empty where it takes any.
func argumentsOf(e *catalog.Entry) (names []string) {
	fields := e.Input.Fields()
	if len(fields) == 0 {
		return nil
	}
	for _, f := range fields {
		names = append(names, f.Name)
	}
	for _, in := range e.Inject {
		names = append(names, in.Field)
	}
	return names
}

// hasArgument tells whether a condition on path speaks of one of the arguments.
func hasArgument(names []string, path string) bool {
	name, _, _ := strings.Cut(path, ".")
	return slices.Contains(names, name) || slices.Contains(names, path)
}

func noArgument(path string, names []string) string {
	name, _, _ := strings.Cut(path, ".")
	return "no action that it is for has an argument " + name + didYouMean(name, names)
}
