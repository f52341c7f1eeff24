package policy

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestWhere says which verdicts a rule has for which arguments: "allow" stands for a rule that allows, "deny" for one
// that denies, and "both" for either.
func TestWhere(t *testing.T) {
	for _, c := range []struct {
		where string
		args  map[string]any
		want  string
	}{
		{"n > 100", map[string]any{"n": int64(101)}, "both"},
		{"n > 100", map[string]any{"n": int64(100)}, ""},
		{"n > 100", map[string]any{"n": int64(1) << 60}, "deny"},
		{"n > 100", map[string]any{"n": "500"}, "deny"},
		{"n > 100", map[string]any{}, "deny"},
		{"n > 100", map[string]any{"n": nil}, "deny"},
		{"1 <= n <= 5", map[string]any{"n": int64(3)}, "both"},
		{"1 <= n <= 5", map[string]any{"n": int64(7)}, ""},
		{"force = true", map[string]any{"force": true}, "both"},
		{"force = true", map[string]any{"force": false}, ""},
		{"force = true", map[string]any{"force": "true"}, "deny"},
		{"force = true", map[string]any{}, ""},
		{`id = "7"`, map[string]any{"id": "7"}, "both"},
		{`id = "7"`, map[string]any{"id": int64(7)}, "deny"},
		{`to ~ "*@example.com"`, map[string]any{"to": "ann@example.com"}, "both"},
		{`to ~ "*@example.com"`, map[string]any{"to": "ann@example.com.evil"}, ""},
		{`to ~ "*@example.com"`, map[string]any{"to": []any{"ann@example.com", "bob@other.com"}}, "deny"},
		{`to ~ "*@example.com"`, map[string]any{"to": []any{"ann@example.com", "bob@example.com"}}, "both"},
		{`to ~ "*@example.com"`, map[string]any{"to": []any{}}, ""},
		{`customer.country = "de"`, map[string]any{"customer": map[string]any{"country": "de"}}, "both"},
		{`customer.country = "de"`, map[string]any{"customer.country": "de"}, "both"},
		{`customer.country = "de"`, map[string]any{"customer": "de"}, ""},
		{"lines.n > 5", map[string]any{"lines": []any{map[string]any{"n": int64(1)}, map[string]any{"n": int64(9)}}}, "deny"},
		{"tenant_id = t1", map[string]any{}, "both"}, // which the host fills in
	} {
		r := Request{ID: "a.b", Mutates: true, Args: c.args, Injected: map[string]any{"tenant_id": "t1"}}
		got := ""
		allows := Rule{Where: where(c.where), Verdict: Allow}.matches(r)
		denies := Rule{Where: where(c.where), Verdict: Deny}.matches(r)
		switch {
		case allows && denies:
			got = "both"
		case allows:
			got = "allow"
		case denies:
			got = "deny"
		}
		if asks := (Rule{Where: where(c.where), Verdict: AskFor}).matches(r); got != c.want || asks != denies {
			t.Errorf("%s of %v: got %q, want %q; a rule that asks matches: %t", c.where, c.args, got, c.want, asks)
		}
	}
}

// TestRulesNeverWiden checks on random policies and calls what rules promise: what the first one that matches denies is
// denied, whatever is granted; the others do not matter; and a project's rules never let more through.
func TestRulesNeverWiden(t *testing.T) {
	for seed := range uint64(20_000) {
		c := chance{rand.New(rand.NewPCG(seed, 13))}
		p, r := c.policy(), c.request()
		d := p.Decide(r)
		first := slices.IndexFunc(p.Rules, func(rule Rule) bool { return rule.matches(r) })
		if first >= 0 && p.Rules[first].verdict() == Deny && d.Verdict != Deny {
			t.Fatalf("%+v\n%+v: the first rule that matches denies, and the call is %s by %s", p, r, d.Verdict, d.Rule)
		}
		if first >= 0 {
			alone := p
			alone.Rules = p.Rules[first : first+1]
			if other := alone.Decide(r); other != d {
				t.Fatalf("%+v\n%+v: got %+v, and %+v by the first rule that matches alone", p, r, d, other)
			}
		}
		tight := p
		tight.Tighter = c.rules()
		if with := tight.Decide(r); d.stricter(with) {
			t.Fatalf("%+v\n%+v: got %+v, and %+v with the project's rules %+v", p, r, d, with, tight.Tighter)
		}
	}
}

// What is said of an action ahead of its arguments leaves out what depends on them.
func TestConditions(t *testing.T) {
	p := Policy{Mode: Ask, Rules: []Rule{
		{Name: "large", Where: where("n > 5"), Verdict: Deny}, {Name: "others", Actors: []string{"bob"}, Verdict: Deny},
		{Name: "small", Where: where("n < 2"), Verdict: Allow}, {Name: "rest", Verdict: Allow},
		{Name: "never", Where: where("n = 3"), Verdict: AskFor},
	}}
	r := Request{ID: "a.b", Mutates: true, Actor: "ann"}
	if d := p.Unconditional().Decide(r); d.Rule != "rest" || p.Decide(r).Rule != "large" {
		t.Errorf("got %q", d.Rule)
	}
	if c := p.Conditions(r); len(c) != 2 || c[0].Name != "large" || c[1].Name != "small" || p.MayAsk(r) {
		t.Errorf("got %v, may ask %t", c, p.MayAsk(r))
	}
	p.Rules[2].Verdict = AskFor
	if !p.MayAsk(r) {
		t.Error("a rule that asks about some arguments does not count")
	}
}
