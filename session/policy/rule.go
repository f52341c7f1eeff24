package policy

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"almanac/catalog"
	"almanac/catalog/pattern"
)

// This file is about rules: which calls one speaks of, and what it decides.

// Calls says whether a Rule speaks of reads, of writes or of both.
type Calls string

// The kinds of calls. The zero Calls is both.
const (
	Reads  Calls = "reads"
	Writes Calls = "writes"
)

// A Rule decides about some calls. Every field that is set must match; a Rule with none set matches every call.
type Rule struct {
	// Name is how messages call the rule; may be empty where N is set.
	Name string
	// N is the rule's number in its file, from 1, and Place where it stands there: "policy.toml:12". A Rule written in
	// Go has neither.
	N     int
	Place string
	// IDs are those it speaks of.
	IDs        []pattern.Pattern
	Operations []catalog.Operation
	Risks      []catalog.Risk
	Calls      Calls
	// Where are conditions on arguments, all of which must hold. A condition on a list is one on each of its items. In
	// doubt a rule that allows does not match, and any other one does: a limit of a number counts as exceeded where the
	// argument is no number, one beyond 2^53, or missing though the action takes it.
	Where []Bound
	// Actors and Tenants are names, or patterns of names: "support-*".
	Actors, Tenants []string
	Verdict         Verdict
	// Reason is told to the one who is denied or asked; may be empty.
	Reason string
}

// String is what messages call the rule: rule 3 "no refunds over 100" (policy.toml:12).
func (rule Rule) String() string {
	switch {
	case rule.N == 0 && rule.Name != "":
		return rule.Name
	case rule.N == 0:
		return strings.TrimSpace("rule " + rule.ids())
	}
	said := "rule " + strconv.Itoa(rule.N)
	if rule.Name != "" {
		said += " " + strconv.Quote(rule.Name)
	}
	return said + " (" + rule.Place + ")"
}

func (rule Rule) ids() string {
	var all []string
	for _, p := range rule.IDs {
		all = append(all, p.String())
	}
	return strings.Join(all, ", ")
}

// Words say which calls the rule speaks of, and what it decides: "deny billing.refund.*, risk high".
func (rule Rule) Words() string {
	said := []string{cmp.Or(rule.ids(), "every call")}
	if rule.Calls != "" {
		said = append(said, string(rule.Calls))
	}
	list := func(what string, items []string) {
		if len(items) > 0 {
			said = append(said, what+" "+strings.Join(items, " or "))
		}
	}
	list("operation", texts(rule.Operations))
	list("risk", texts(rule.Risks))
	said = append(said, boundsText(rule.Where)...)
	list("actor", rule.Actors)
	list("tenant", rule.Tenants)
	return string(rule.verdict()) + " " + strings.Join(said, ", ")
}

func texts[T ~string](items []T) (all []string) {
	for _, item := range items {
		all = append(all, string(item))
	}
	return all
}

// verdict is Deny where the rule's is unknown.
func (rule Rule) verdict() Verdict {
	if rule.Verdict == Allow || rule.Verdict == AskFor {
		return rule.Verdict
	}
	return Deny
}

// Others is a rule that allows whatever no rule before it speaks of.
func Others() Rule {
	return Rule{Name: "others", IDs: []pattern.Pattern{pattern.All()}, Verdict: Allow}
}

func (rule Rule) decision() Decision {
	d := Decision{Verdict: rule.verdict(), Rule: rule.String()}
	switch d.Verdict {
	case Allow:
		return d
	case AskFor:
		d.Reason, d.byRule = "asked by "+d.Rule, true
	default:
		d.Reason, d.byRule, d.final = "denied by "+d.Rule, true, true
	}
	if rule.Reason != "" {
		d.Reason += ": " + rule.Reason
	}
	return d
}

// Speaks tells whether the rule speaks of some calls of an action, whatever their arguments are and whoever calls.
func (rule Rule) Speaks(r Request) bool {
	switch {
	case len(rule.IDs) > 0 && !slices.ContainsFunc(rule.IDs, func(p pattern.Pattern) bool { return p.Match(r.ID) }),
		len(rule.Operations) > 0 && !slices.Contains(rule.Operations, r.Operation),
		len(rule.Risks) > 0 && !slices.Contains(rule.Risks, r.Risk),
		rule.Calls == Reads && r.Mutates, rule.Calls == Writes && !r.Mutates:
		return false
	}
	return true
}

func (rule Rule) matches(r Request) bool {
	return rule.Speaks(r) && named(rule.Actors, r.Actor) && named(rule.Tenants, r.Tenant) &&
		!slices.ContainsFunc(rule.Where, func(b Bound) bool { return !rule.holds(b, r) })
}

// named tells whether one of the patterns matches a name; no patterns match any.
func named(patterns []string, name string) bool {
	return len(patterns) == 0 ||
		slices.ContainsFunc(patterns, func(p string) bool { return pattern.Glob(p, name) })
}

// holds tells whether the call meets a condition of the rule. In doubt that is as the rule is stricter.
func (rule Rule) holds(b Bound, r Request) bool {
	strict := rule.Verdict != Allow
	values := argument(r.Args, b.Arg)
	if len(values) == 0 {
		values = argument(r.Injected, b.Arg)
	}
	if len(values) == 0 {
		return strict && b.compares() && r.takes(b.Arg)
	}
	meets := func(v any) bool {
		if b.meets(v) {
			return true
		}
		if b.compares() {
			_, known := Number(v)
			return strict && !known
		}
		text := fmt.Sprint(v)
		return strict && (b.Op == "=" && text == fmt.Sprint(b.Value) || b.Op == "~" && b.meets(text))
	}
	if strict {
		return slices.ContainsFunc(values, meets)
	}
	return !slices.ContainsFunc(values, func(v any) bool { return !meets(v) })
}

// takes tells whether the action may have an argument: one that is missing may then stand for any number.
func (r Request) takes(path string) bool {
	if r.entry == nil {
		return true
	}
	fields := r.entry.Input.Fields()
	name, _, _ := strings.Cut(path, ".")
	return len(fields) == 0 ||
		slices.ContainsFunc(fields, func(f catalog.Field) bool { return f.Name == name || f.Name == path })
}

// argument finds the values of an argument, or of a field of one as in "customer.country". Of a list it finds those of
// all items.
func argument(args map[string]any, path string) []any {
	var all []any
	var add func(v any, path string)
	add = func(v any, path string) {
		switch v := v.(type) {
		case nil:
		case []any:
			for _, item := range v {
				add(item, path)
			}
		case map[string]any:
			if path == "" {
				all = append(all, v)
				return
			}
			if value, there := v[path]; there {
				add(value, "")
				return
			}
			if name, rest, deeper := strings.Cut(path, "."); deeper {
				add(v[name], rest)
			}
		default:
			if path == "" {
				all = append(all, v)
			}
		}
	}
	add(args, path)
	return all
}

// stricter tells whether d lets less through than o.
func (d Decision) stricter(o Decision) bool { return d.strictness() > o.strictness() }

func (d Decision) strictness() int {
	switch {
	case d.Verdict == Allow:
		return 0
	case d.Verdict == AskFor:
		return 1
	case !d.final:
		return 2
	}
	return 3
}

// Reach counts the actions of v that the rule speaks of, and warns where it can match no call of them.
func (rule Rule) Reach(v *catalog.View) (n int, warning string) {
	var names []string
	open := false
	for e := range v.Entries() {
		if !rule.Speaks(RequestOf(e, nil)) {
			continue
		}
		n++
		of := argumentsOf(e)
		open = open || len(of) == 0
		names = append(names, of...)
	}
	if n == 0 {
		return 0, "no action matches"
	}
	for _, b := range rule.Where {
		if !open && !hasArgument(names, b.Arg) {
			return n, noArgument(b.Arg, names)
		}
	}
	return n, ""
}

// Unconditional is the policy without the rules that depend on arguments.
func (p Policy) Unconditional() Policy {
	depends := func(rule Rule) bool { return len(rule.Where) > 0 }
	p.Rules = slices.DeleteFunc(slices.Clone(p.Rules), depends)
	p.Tighter = slices.DeleteFunc(slices.Clone(p.Tighter), depends)
	p.Roles = slices.Clone(p.Roles)
	for i := range p.Roles {
		p.Roles[i].Policy = p.Roles[i].Unconditional()
	}
	return p
}

// Conditions are the rules that speak of some calls like r, by their arguments, before another rule decides about all.
func (p Policy) Conditions(r Request) (all []Rule) {
	for _, rules := range [][]Rule{p.Rules, p.Tighter} {
		for _, rule := range rules {
			if !rule.Speaks(r) || !named(rule.Actors, r.Actor) || !named(rule.Tenants, r.Tenant) {
				continue
			}
			if len(rule.Where) == 0 {
				break
			}
			all = append(all, rule)
		}
	}
	for _, role := range p.Roles {
		all = append(all, role.Conditions(r)...)
	}
	return all
}

// MayAsk tells whether a person is asked about some calls like r, whatever its arguments are.
func (p Policy) MayAsk(r Request) bool {
	return p.Unconditional().Decide(r).Verdict == AskFor ||
		slices.ContainsFunc(p.Conditions(r), func(rule Rule) bool { return rule.Verdict == AskFor })
}
