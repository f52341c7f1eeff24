package policy

import (
	"math/rand/v2"
	"strings"
	"testing"

	"almanac/catalog"
	"almanac/catalog/pattern"
)

// TestRolesOnlyTighten gives random policies random roles: no role lets a call through, or has a person asked about
// one, that the policy decides about more strictly, and none lets through what it would deny alone.
func TestRolesOnlyTighten(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	ids := []string{"a.b.read", "a.b.write", "a.c.write", "peer.message", "z"}
	patterns := []string{"*", "a.*", "a.b.*", "a.*.write", "peer.*", "z", "a.b.write"}
	some := func(n int) (all []pattern.Pattern) {
		for range r.IntN(n) {
			p, err := pattern.Parse(patterns[r.IntN(len(patterns))])
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, p)
		}
		return all
	}
	one := func() (p Policy) {
		p.Mode = []Mode{"", ReadOnly, Ask, Session, "odd"}[r.IntN(5)]
		p.Named = r.IntN(2) == 0
		for _, list := range []*[]Rule{&p.Rules, &p.Tighter} {
			for _, id := range some(3) {
				rule := Rule{IDs: []pattern.Pattern{id}, Verdict: []Verdict{Allow, AskFor, Deny, "odd"}[r.IntN(4)]}
				*list = append(*list, rule)
			}
		}
		for i, id := range some(3) {
			p.Grants = append(p.Grants, Grant{N: i + 1, Pattern: id, High: r.IntN(2) == 0,
				For: []Term{ForRun, ForSession, Always}[r.IntN(3)]})
		}
		return p
	}
	tables := func() (p Policy) { // the [[roles.r.rule]] tables of a file
		var all []map[string]any
		for _, id := range some(4) {
			all = append(all, map[string]any{
				"ids": id.String(), "verdict": []string{"allow", "ask", "deny"}[r.IntN(3)], "mutates": r.IntN(2) == 0,
			})
		}
		rules, err := ReadTables("roles.r.rule", all, strings.Repeat("[[roles.r.rule]]\n", len(all)), "file")
		if p.Mode, p.Rules = ReadOnly, rules; err != nil || len(rules) != len(all) {
			t.Fatal(all, rules, err)
		}
		if r.IntN(2) == 0 {
			p.Mode, p.Rules = Session, append(rules, Others())
		}
		return p
	}
	differ := 0
	for range 20000 {
		p := one()
		with := p
		for range 1 + r.IntN(3) {
			role := Role{Name: "r", Policy: one()}
			if r.IntN(2) == 0 {
				role.Policy = tables()
			}
			with.Roles = append(with.Roles, role)
		}
		asked := Request{ID: ids[r.IntN(len(ids))], Mutates: r.IntN(3) > 0,
			Risk: []catalog.Risk{catalog.Low, catalog.Medium, catalog.High}[r.IntN(3)]}
		was, is := p.Decide(asked), with.Decide(asked)
		if was.strictness() > is.strictness() {
			t.Fatalf("%+v\nof %+v:\n%+v, with roles %+v", with, asked, was, is)
		}
		if was.Verdict != is.Verdict {
			differ++
		}
		if with.Effective().loose() > p.Effective().loose() || was.Verdict != Allow && is.Fit != "" && was.final {
			t.Fatalf("%+v: effective %s, fit %q", with, with.Effective(), is.Fit)
		}
		for _, role := range with.Roles {
			if role.Decide(asked).Verdict == Deny && is.Verdict != Deny {
				t.Fatalf("%+v\nof %+v: %+v, but a role denies it", with, asked, is)
			}
		}
	}
	if differ < 1000 {
		t.Fatalf("roles decided %d times: they are hardly tried", differ)
	}
}

// TestRoleAsks tells what answers a question of a role: a grant of the policy, and no grant what the role denies.
func TestRoleAsks(t *testing.T) {
	grant := Grant{N: 1, Pattern: pattern.Exact("a.b")}
	call := Request{ID: "a.b", Mutates: true, Risk: catalog.Low}
	for _, c := range []struct {
		name        string
		base, role  Policy
		want        Verdict
		rule, words string
	}{
		{"a role asks", Policy{Mode: Session}, Policy{Mode: Ask}, AskFor, "role x: policy ask", "writes: ask"},
		{"a grant answers it", Policy{Mode: Session, Grants: []Grant{grant}}, Policy{Mode: Ask}, Allow, "policy session",
			"writes: ask"},
		{"no grant changes a denial", Policy{Mode: Ask, Grants: []Grant{grant}}, Policy{}, Deny, "role x: policy readonly",
			"writes: denied"},
		{"but one of the role", Policy{Mode: Session}, Policy{Grants: []Grant{grant}}, Allow, "policy session",
			"writes: denied, 1 grant"},
		{"which gives nothing that the policy does not", Policy{Mode: Ask}, Policy{Grants: []Grant{grant}}, AskFor,
			"policy ask", "writes: denied, 1 grant"},
		{"rules alone bound", Policy{Mode: Ask}, Policy{Mode: Session, Rules: []Rule{
			{Name: "no b", IDs: []pattern.Pattern{pattern.Exact("a.b")}, Verdict: Deny}, Others(),
		}}, Deny, "role x: no b", "writes: ask"},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.base.Roles = []Role{{Name: "x", Policy: c.role}}
			if d := c.base.Decide(call); d.Verdict != c.want || d.Rule != c.rule {
				t.Errorf("%+v, want %s by %s", d, c.want, c.rule)
			}
			if words := c.base.Words(); words != c.words {
				t.Errorf("%q, want %q", words, c.words)
			}
		})
	}
}
