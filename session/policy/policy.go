// Package policy decides whether a call may run: allow, ask a person, or deny. It is pure: the same policy and the
// same request give the same decision, and nothing outside is read.
//
//	Policy    a mode, rules and grants; the zero Policy is read-only
//	Grant     what a person allowed in advance: ids, bounds of their arguments, by whom, until when
//	Request   what is about to be called, by whom, with what
//	Decision  the verdict, the rule that gave it, the reason to tell, and the grant that would change it
//
// Start at Policy.Decide.
package policy

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"almanac/catalog"
	"almanac/catalog/text"
)

// A Mode says what happens to a mutation that no rule speaks of. Reads are always allowed.
type Mode string

// The modes. The zero Mode is ReadOnly.
const (
	// ReadOnly denies every mutation.
	ReadOnly Mode = "readonly"
	// Ask asks a person about every mutation.
	Ask Mode = "ask"
	// Session allows every mutation of low and medium risk and asks about the others.
	Session Mode = "session"
)

// ParseMode reads a Mode as people write it.
func ParseMode(s string) (Mode, error) {
	switch m := Mode(strings.ToLower(strings.TrimSpace(s))); m {
	case ReadOnly, Ask, Session:
		return m, nil
	case "ro", "read-only", "":
		return ReadOnly, nil
	}
	return "", fmt.Errorf("policy %q: unknown: use ask, readonly or session", s)
}

// A Verdict is what a Decision comes to.
type Verdict string

// The verdicts. The zero Verdict is not one of them and must be taken as Deny.
const (
	Allow  Verdict = "allow"
	AskFor Verdict = "ask"
	Deny   Verdict = "deny"
)

// A Policy decides about calls. The first rule that matches decides; where none does, reads are allowed and Mode
// decides about mutations. What they would ask about, and what Mode denies, runs where a grant covers it; what a rule
// denies does not. A Policy is a value: a change makes a new one.
type Policy struct {
	Mode  Mode
	Rules []Rule
	// Tighter are rules that only make the policy stricter, such as those of a project's file: where the first of them
	// that matches lets less through than the policy does without them, it decides. One that allows is an exception from
	// those behind it, and from nothing else.
	Tighter []Rule
	Grants  []Grant
	// Named says that somebody asked for Mode by name. Rules that allow or ask, and grants that are kept in the
	// configuration, do not count for mutations where ReadOnly was asked for by name: whoever says readonly means it. They
	// count again in another mode.
	Named bool
	// Roles only make the policy stricter: the strictest decision counts, the policy's own or that of a role. What a role
	// asks about, a grant answers; what it denies runs only where the role itself allows it.
	Roles []Role
}

// A Role is a policy that only bounds others: what it allows is what it leaves to them.
type Role struct {
	Name string
	Policy
}

// readonly tells whether ReadOnly was asked for by name.
func (p Policy) readonly() bool { return p.Named && p.Mode != Ask && p.Mode != Session }

// InForce is the grants that count now.
func (p Policy) InForce() []Grant {
	return slices.DeleteFunc(slices.Clone(p.Grants), func(g Grant) bool { return p.Waiting(g) != "" })
}

// Waiting says why a grant does not count now; empty when it does.
func (p Policy) Waiting(g Grant) string {
	if g.For == Always && p.readonly() {
		return "policy readonly was asked for by name"
	}
	return g.Waits
}

// Words say what happens to writes, the same in every place: "writes: ask, 2 grants".
func (p Policy) Words() string {
	strictest := p
	for _, role := range p.Roles {
		if role.Effective().Stricter(strictest.Mode) {
			strictest = role.Policy
		}
	}
	n := len(strictest.InForce())
	if n == 0 {
		return strictest.Mode.words()
	}
	return strictest.Mode.words() + ", " + text.Count(n, "grant")
}

// Effective is the strictest mode, of the policy and its roles.
func (p Policy) Effective() Mode {
	strictest := cmp.Or(p.Mode, ReadOnly)
	for _, role := range p.Roles {
		if m := role.Effective(); m.Stricter(strictest) {
			strictest = m
		}
	}
	return strictest
}

// Stricter tells whether m lets less through than another mode.
func (m Mode) Stricter(o Mode) bool { return m.loose() < o.loose() }

func (m Mode) loose() int { return slices.Index([]Mode{Ask, Session}, m) }

// words say what happens to writes that nothing grants.
func (m Mode) words() string {
	switch m {
	case Ask:
		return "writes: ask"
	case Session:
		return "writes: ask for high risk"
	}
	return "writes: denied"
}

// A Request is a call that passed the view, the budget and the argument check.
type Request struct {
	ID        string
	Operation catalog.Operation
	Risk      catalog.Risk
	Mutates   bool
	// Source and Action, the fingerprint, tell the action from others of the same id.
	Source, Action string
	Args           map[string]any
	// Injected are the arguments that the host fills in: rules see them, grants do not.
	Injected map[string]any
	// Actor calls for Tenant; empty where nobody is named.
	Actor, Tenant string

	entry *catalog.Entry // for the fingerprint, where Action is empty
}

// A Decision is the answer to a Request.
type Decision struct {
	Verdict Verdict
	// Rule names what decided: a rule's name, a grant or "policy ask".
	Rule string
	// Grant is the number of the grant that decided; zero when none did.
	Grant int
	// Reason is what the rules and the mode say to the one who is denied or asked.
	Reason string
	// Missed says why the grants of this action do not cover the call; empty when there are none.
	Missed string
	// Fit is a grant that would let the call through, as ParseGrant reads it; empty where none would.
	Fit string
	// final is set when no grant changes it, byRule when a rule decided.
	final, byRule bool
}

// Asks tells whether there is anything that p asks about.
func (p Policy) Asks() bool {
	asks := func(rule Rule) bool { return rule.Verdict == AskFor }
	return p.Mode == Ask || p.Mode == Session || slices.ContainsFunc(p.Rules, asks) ||
		slices.ContainsFunc(p.Tighter, asks) ||
		slices.ContainsFunc(p.Roles, func(role Role) bool { return role.Asks() })
}

// Decide answers r. An unknown mode or verdict denies.
func (p Policy) Decide(r Request) Decision {
	d := p.own(r)
	for _, role := range p.Roles {
		if bound := role.bound(p, r); bound.stricter(d) {
			d = bound
		}
	}
	return d
}

// bound is what the role decides where p has it.
func (role Role) bound(p Policy, r Request) Decision {
	d := role.Decide(r)
	switch {
	case d.Verdict == Allow:
		return d
	case d.Verdict != AskFor:
		d.final, d.Fit = true, ""
	case slices.ContainsFunc(p.InForce(), func(g Grant) bool { return g.Covers(r) }):
		return Decision{Verdict: Allow}
	default:
		if d.Missed, d.Fit = p.missed(r); !r.Mutates {
			d.Fit = ""
		}
	}
	d.Rule = "role " + role.Name + ": " + d.Rule
	if !d.byRule && d.Verdict == Deny {
		d.Reason = "the role " + role.Name + " does not allow it"
	}
	return d
}

// own is the decision without roles.
func (p Policy) own(r Request) Decision {
	d := p.ungranted(r)
	if d.Verdict == Allow || d.final {
		return d
	}
	for _, g := range p.InForce() {
		if g.Covers(r) {
			return Decision{Verdict: Allow, Rule: g.Rule(), Grant: g.N}
		}
	}
	if d.Missed, d.Fit = p.missed(r); !r.Mutates { // what is granted in advance are writes
		d.Fit = ""
	}
	return d
}

// ByRule tells whether a rule decided: Reason names it.
func (d Decision) ByRule() bool { return d.byRule }

// Why is the reason to tell about this call.
func (d Decision) Why() string {
	if d.byRule && d.Missed != "" {
		return d.Reason + "; " + d.Missed
	}
	return cmp.Or(d.Missed, d.Reason)
}

// ungranted is what the rules and the mode say.
func (p Policy) ungranted(r Request) Decision {
	d := p.byMode(r)
	matches := func(rule Rule) bool { return rule.matches(r) }
	if i := slices.IndexFunc(p.Rules, matches); i >= 0 {
		if ruled := p.Rules[i].decision(); !(r.Mutates && p.readonly()) || ruled.stricter(d) {
			d = ruled
		}
	}
	if i := slices.IndexFunc(p.Tighter, matches); i >= 0 {
		if tighter := p.Tighter[i].decision(); tighter.stricter(d) {
			d = tighter
		}
	}
	return d
}

// ReasonReadOnly is the Reason of a decision that a mode denies, without grants.
const ReasonReadOnly = "this session is read-only"

// byMode is what the mode says, where no rule speaks of the call.
func (p Policy) byMode(r Request) Decision {
	if !r.Mutates {
		return Decision{Verdict: Allow, Rule: "reads are allowed"}
	}
	switch p.Mode {
	case "", ReadOnly:
		d := Decision{Verdict: Deny, Rule: "policy readonly", Reason: ReasonReadOnly}
		if len(p.InForce()) > 0 {
			d.Reason = "no grant covers it"
		}
		return d
	case Ask:
		return Decision{Verdict: AskFor, Rule: "policy ask", Reason: "mutations need approval"}
	case Session:
		if r.Risk == catalog.High {
			return Decision{Verdict: AskFor, Rule: "policy session", Reason: "risk high needs approval"}
		}
		return Decision{Verdict: Allow, Rule: "policy session"}
	}
	return Decision{Verdict: Deny, Rule: "policy " + string(p.Mode), Reason: "unknown policy mode", final: true}
}
