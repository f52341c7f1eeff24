// Package policy decides whether a call may run: allow, ask a person, or deny. It is pure: the same policy and the
// same request give the same decision, and nothing outside is read.
//
//	Policy    a mode and a list of rules; the zero Policy is read-only
//	Request   what is about to be called, by whom, with what
//	Decision  the verdict, the rule that gave it, and the reason to tell
//
// Start at Policy.Decide.
package policy

import (
	"fmt"
	"strings"

	"almanac/catalog"
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

// A Rule speaks of some mutations. Every field that is set must match; a Rule with none set matches every mutation.
type Rule struct {
	// Name is how messages call the rule.
	Name string
	// ID matches one id, or with a trailing ".*" all ids below it.
	ID        string
	Operation catalog.Operation
	Risk      catalog.Risk
	// Arg and Equals match an argument's value as text.
	Arg, Equals string
	Verdict     Verdict
}

// A Policy decides about mutations. The first rule that matches decides; where none does, Mode does. Changing the
// mode makes a new Policy: it is a value.
type Policy struct {
	Mode  Mode
	Rules []Rule
}

// A Request is a call that passed the view, the budget and the argument check.
type Request struct {
	ID        string
	Operation catalog.Operation
	Risk      catalog.Risk
	Mutates   bool
	Args      map[string]any
}

// A Decision is the answer to a Request.
type Decision struct {
	Verdict Verdict
	// Rule names what decided: a rule's name or "policy ask".
	Rule string
	// Reason is for the one who is denied or asked.
	Reason string
}

// Decide answers r. An unknown mode or verdict denies.
func (p Policy) Decide(r Request) Decision {
	if !r.Mutates {
		return Decision{Verdict: Allow, Rule: "reads are allowed"}
	}
	for _, rule := range p.Rules {
		if rule.matches(r) {
			return rule.decision()
		}
	}
	switch p.Mode {
	case "", ReadOnly:
		return Decision{Verdict: Deny, Rule: "policy readonly", Reason: "this session is read-only"}
	case Ask:
		return Decision{Verdict: AskFor, Rule: "policy ask", Reason: "mutations need approval"}
	case Session:
		if r.Risk == catalog.High {
			return Decision{Verdict: AskFor, Rule: "policy session", Reason: "risk high needs approval"}
		}
		return Decision{Verdict: Allow, Rule: "policy session"}
	}
	return Decision{Verdict: Deny, Rule: "policy " + string(p.Mode), Reason: "unknown policy mode"}
}

func (rule Rule) decision() Decision {
	name := rule.Name
	if name == "" {
		name = "rule " + rule.ID
	}
	switch rule.Verdict {
	case Allow:
		return Decision{Verdict: Allow, Rule: name}
	case AskFor:
		return Decision{Verdict: AskFor, Rule: name, Reason: "mutations need approval"}
	}
	return Decision{Verdict: Deny, Rule: name, Reason: "denied by " + name}
}

func (rule Rule) matches(r Request) bool {
	if rule.ID != "" && !matchID(rule.ID, r.ID) {
		return false
	}
	if rule.Operation != "" && rule.Operation != r.Operation {
		return false
	}
	if rule.Risk != "" && rule.Risk != r.Risk {
		return false
	}
	if rule.Arg != "" {
		v, ok := r.Args[rule.Arg]
		if !ok || fmt.Sprint(v) != rule.Equals {
			return false
		}
	}
	return true
}

func matchID(pattern, id string) bool {
	if prefix, ok := strings.CutSuffix(pattern, ".*"); ok {
		return id == prefix || strings.HasPrefix(id, prefix+".")
	}
	return pattern == "*" || pattern == id
}
