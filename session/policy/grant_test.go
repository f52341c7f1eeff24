package policy

import (
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"almanac/catalog"
	"almanac/catalog/pattern"
)

func TestParseGrant(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"billing.refund.draft_note", ""},
		{"billing.*", ""},
		{"*", ""},
		{"a.b amount_cents<=500", "a.b 0 <= amount_cents <= 500"},
		{`a.b n>=-1,id="inv_1"  ok = true`, `a.b n >= -1, id = "inv_1", ok = true`},
		{"a.b id=inv_1 x==1.50", `a.b id = "inv_1", x = 1.5`},
		{`a.b s='say "hi, you"', t="\n"`, `a.b s = "say \"hi, you\"", t = "\n"`},
		{"a.b only n = 5, s=x", `a.b only n = 5, s = "x"`},
		{"a.b  only", "a.b only"},
		{"a.b only = 5", "a.b only = 5"},
		{"a.b only only<=5", "a.b only 0 <= only <= 5"},
		{"a.b n = 5 only", "want one of"},
		{"a.* risk high only n=5", "a.* risk high only n = 5"},
		{"a.b n < 9007199254740992", "a.b 0 <= n < 9007199254740992"},
		{"a.* risk high n=1 x=2", "a.* risk high n = 1, x = 2"},
		{"a.* n=1, risk \t high", "a.* risk high n = 1"},
		{`a.* risk = high`, `a.* risk = "high"`},
		{"a.* risk medium", "want one of"},
		{"a.b -5 <= n < 10", ""},
		{"a.b 10>=n", "a.b 0 <= n <= 10"},
		{"a.b 0<n<1e3,m>2", "a.b 0 < n < 1000, m > 2"},
		{"a.b n <= 5, n > -5", "a.b n <= 5, n > -5"},
		{"a.b n < 5, n <= 3", "a.b 0 <= n < 5, n <= 3"},
		{"a.b n <= 0", "a.b 0 <= n <= 0"},
		{"a.b n <= -5", "n <= -5: give the lower bound too, as in -1000 <= n <= -5"},
		{"a.b n < 0", "give the lower bound too"},
		{"a.b -10 <= n <= -5", ""},
		{"a.b 5 <= n <= 2", "n: no value meets all its bounds"},
		{"a.b 2 < n < 2", "no value meets"},
		{"a.b n = 1 n = 2", "no value meets"},
		{"a.b n = 1 n > 1", "no value meets"},
		{`a.b n = "x", n <= 2`, "no value meets"},
		{"a.b 5 = n", "want ARGUMENT"},
		{"a.b 5 <= 3", "want ARGUMENT"},
		{"a.b 5", "want ARGUMENT"},
		{"a.b 5 <=", "want ARGUMENT"},
		{"a.b 0x5 <= n", "only numbers"},
		{"a.b n = infinity", "want a finite number"},
		{"a.b n <= -inf", "want a decimal number"},
		{"a.b n <= 1_000", "want a decimal number"},
		{"", "empty"},
		{"a.", "segment is empty"},
		{"a[b]", "no meaning"},
		{"a.b amount_cents", "want one of"},
		{"a.b <= 5", "want ARGUMENT"},
		{"a.b n <=", "want a value"},
		{"a.b n <= many", "only numbers are compared"},
		{"a.b n ~= 5", "want one of"},
		{"a.b n <= 5<6", "want a decimal number"},
		{"a.b n <= NaN", "want a finite number"},
		{"a.b n <= 1e400", "not exact"},
		{"a.b n <= 0x10", "want a decimal number"},
		{"a.b n <= 9007199254740994", "2^53"},
		{"a.b s = nil", "want a decimal number"},
		{`a.b s = "open`, "does not end"},
	} {
		g, err := ParseGrant(c.text)
		if err != nil && (c.want == "" || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: %v", c.text, err)
		}
		if want := c.want; err == nil {
			if want == "" {
				want = c.text
			}
			if g.String() != want {
				t.Errorf("%s: read as %s, want %s", c.text, g, want)
			}
		}
	}
}

func FuzzParseGrant(f *testing.F) {
	for _, text := range []string{"a.b", `a.* n<=5, s="x\"y" t='z' ok=true`, "*", "a.b n <= 1e3", "a.b n = -0",
		"a.* risk high -1<=n<=2, 3>m"} {
		f.Add(text)
	}
	f.Add("a.b only n = 1")
	f.Fuzz(func(t *testing.T, text string) {
		g, err := ParseGrant(text)
		if err != nil {
			return
		}
		back, err := ParseGrant(g.String())
		if err != nil || !reflect.DeepEqual(g, back) {
			t.Fatalf("%q is %q, which is read as %q, %v", text, g, back, err)
		}
	})
}

func TestBoundsFailClosed(t *testing.T) {
	for _, c := range []struct {
		bound string
		value any
		met   bool
	}{
		{"n <= 500", int64(500), true},
		{"n <= 500", 500, true},
		{"n <= 500", 499.5, true},
		{"n <= 500", int64(501), false},
		{"n <= 500", nil, false},
		{"n <= 500", "5", false},
		{"n <= 500", true, false},
		{"n <= 500", []any{int64(5)}, false},
		{"n <= 500", map[string]any{}, false},
		{"n <= 500", math.NaN(), false},
		{"n <= 500", math.Inf(-1), false},
		{"n <= 500", int64(0), true},
		{"n <= 500", int64(-1), false},
		{"n <= 500", -0.5, false},
		{"-1 <= n <= 500", int64(-1), true},
		{"n <= 500", int64(-1<<53 - 1), false},
		{"n <= 500", int64(math.MinInt64), false},
		{"n > 500", int64(math.MaxInt64), false},
		{"n > 500", 1e300, false},
		{"n = 9007199254740992", int64(1<<53 + 1), false},
		{"n = 9007199254740992", int64(1 << 53), true},
		{"n = 1", 1.0, true},
		{"n = 1", true, false},
		{"n = 1", "1", false},
		{`n = "1"`, int64(1), false},
		{`n = "a"`, "a", true},
		{`n = "a"`, "A", false},
		{"n = true", true, true},
		{"n = true", "true", false},
		{"n = false", nil, false},
	} {
		g, err := ParseGrant("a.b " + c.bound)
		if err != nil {
			t.Fatal(err)
		}
		args := map[string]any{"n": c.value, "m": int64(1)}
		if got := g.Covers(Request{ID: "a.b", Args: args}); got != c.met {
			t.Errorf("%s of %v (%T): %v", c.bound, c.value, c.value, got)
		}
		if g.Covers(Request{ID: "a.b", Args: map[string]any{"m": int64(1)}}) || g.Covers(Request{ID: "a.b"}) {
			t.Errorf("%s: met without the argument", c.bound)
		}
	}
	for _, b := range []Bound{{"n", "", 1.0}, {"n", "~=", 2.0}, {"n", "<", "x"}, {"n", "=", nil},
		{"n", "<", math.NaN()}, {"n", "<=", math.Inf(1)}} {
		if b.met(map[string]any{"n": 1.0}) || b.met(map[string]any{"n": nil}) {
			t.Errorf("%+v is met", b)
		}
	}
}

// Only lets nothing through beside what is bounded, given as nil or not.
func TestOnlyFailsClosed(t *testing.T) {
	for text, want := range map[string]string{
		"a.b only n <= 5, s = x": "ns",
		"a.b only n <= 5":        "n",
		"a.b only":               "",
		"a.b n <= 5":             "n ns nm nz",
	} {
		g, err := ParseGrant(text)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, given := range []string{"", "n", "ns", "nm", "nz", "m"} {
			args := map[string]any{}
			for _, name := range given {
				args[string(name)] = map[rune]any{'n': 5.0, 's': "x", 'm': true}[name] // z is nil
			}
			if g.Covers(Request{ID: "a.b", Args: args}) {
				got = append(got, given)
			}
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s covers %q, want %q", text, got, want)
		}
	}
}

// A pattern covers actions of high risk only where it says so; an id does.
func TestPatternsAndHighRisk(t *testing.T) {
	for _, c := range []struct {
		grant   string
		covered bool
	}{
		{"*", false},
		{"pay.*", false},
		{"pay.sen?", false},
		{"*.send", false},
		{"pay.* n <= 5", false},
		{"* risk high", true},
		{"pay.* risk high", true},
		{"pay.send", true},
	} {
		g, err := ParseGrant(c.grant)
		if err != nil {
			t.Fatal(err)
		}
		args := map[string]any{"n": int64(1)}
		if got := g.Covers(Request{ID: "pay.send", Mutates: true, Risk: catalog.High, Args: args}); got != c.covered {
			t.Errorf("%s covers high risk: %v", c.grant, got)
		}
		if !g.Covers(Request{ID: "pay.send", Mutates: true, Risk: catalog.Medium, Args: args}) {
			t.Errorf("%s does not cover medium risk", c.grant)
		}
	}
}

func TestWords(t *testing.T) {
	for want, p := range map[string]Policy{
		"writes: denied":                     {},
		"writes: ask":                        {Mode: Ask},
		"writes: ask for high risk, 1 grant": {Mode: Session, Grants: make([]Grant, 1)},
		"writes: denied, 2 grants":           {Mode: ReadOnly, Grants: make([]Grant, 2)},
	} {
		if got := p.Words(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

// A world of random policies: few ids, arguments and values, so that they meet often.
type chance struct{ *rand.Rand }

func pick[T any](c chance, of ...T) T { return of[c.IntN(len(of))] }

func (c chance) bound() Bound {
	return pick(c,
		Bound{"n", pick(c, "=", "<", "<=", ">", ">="), float64(c.IntN(5) - 1)},
		Bound{pick(c, "s", "n"), "=", pick[any](c, "x", "y", true)})
}

func (c chance) grant(n int) Grant {
	g := Grant{
		N: n,
		Pattern: pick(c, one("*"), one("a.*"), one("b.*"), one("a.b"), one("a.b"), one("a.b.c"),
			one("a.bc"), pattern.Pattern{}),
		High: c.IntN(4) > 0,
	}
	for range c.IntN(3) {
		g.Bounds = append(g.Bounds, c.bound())
	}
	g.Only = c.IntN(4) == 0
	return g
}

func (c chance) rules() (all []Rule) {
	for range c.IntN(3) {
		rule := Rule{
			N: c.IntN(3), IDs: pick(c, nil, ids("a.*"), ids("a.b")), Risks: pick(c, nil, []catalog.Risk{catalog.High}),
			Calls: pick(c, "", Writes, Reads), Actors: pick(c, nil, nil, []string{"ann"}, []string{"b*"}),
			Verdict: pick(c, Allow, AskFor, Deny, ""),
		}
		if c.IntN(3) == 0 {
			rule.Where = []Bound{pick(c, c.bound(), Bound{"s", "~", "x*"})}
		}
		all = append(all, rule)
	}
	return all
}

func (c chance) policy() Policy {
	p := Policy{Mode: pick(c, "", ReadOnly, Ask, Session, "other"), Named: c.IntN(2) > 0, Rules: c.rules()}
	for n := range c.IntN(4) {
		p = p.With(c.grant(n + 1))
	}
	return p
}

func (c chance) request() Request {
	r := Request{
		ID: pick(c, "a.b", "a.b.c", "a.bc", "b", "c.a"), Mutates: c.IntN(5) > 0, Risk: pick(c, catalog.Low, catalog.High),
		Args: map[string]any{}, Actor: pick(c, "", "ann", "bob"),
	}
	if c.IntN(4) > 0 {
		r.Args["n"] = pick[any](c, int64(0), int64(1), int64(2), 1.5, int64(1<<53+1), math.NaN(), "1", nil, true)
	}
	if c.IntN(2) > 0 {
		r.Args["s"] = pick[any](c, "x", "y", int64(1))
	}
	return r
}

// allows is what may let r through, said another way than Decide says it.
func (p Policy) allows(r Request) bool {
	for _, rule := range p.Rules {
		if !rule.matches(r) {
			continue
		}
		readonly := r.Mutates && p.Named && p.Mode != Ask && p.Mode != Session
		if readonly && (rule.Verdict == Allow || rule.Verdict == AskFor) {
			break
		}
		return rule.Verdict == Allow || rule.Verdict == AskFor && p.covered(r)
	}
	if !r.Mutates {
		return true
	}
	known := slices.Contains([]Mode{"", ReadOnly, Ask, Session}, p.Mode)
	return p.Mode == Session && r.Risk != catalog.High || known && p.covered(r)
}

func (p Policy) covered(r Request) bool {
	kept := !p.Named || p.Mode == Ask || p.Mode == Session
	return slices.ContainsFunc(p.Grants, func(g Grant) bool { return g.Covers(r) && (kept || g.For != Always) })
}

func TestGrantProperties(t *testing.T) {
	allowed, granted := 0, 0
	for seed := range uint64(24_000) {
		c := chance{rand.New(rand.NewPCG(seed, 12))}
		p, r := c.policy(), c.request()
		before := p.Decide(r)
		about := func(what string, after Decision) {
			t.Fatalf("seed %d: %s:\npolicy %+v\nrequest %+v\nbefore %+v\nafter %+v", seed, what, p, r, before, after)
		}
		if (before.Verdict == Allow) != p.allows(r) {
			about("allowed without anything that says so, or the other way round", before)
		}
		if before.Grant > 0 {
			granted++
			if g := p.Grants[before.Grant-1]; !g.Covers(r) || before.Rule != g.Rule() {
				about("the grant that is named does not cover the call", before)
			}
		}
		if before.Verdict == Allow {
			allowed++
		}
		more := c.grant(9)
		with := p.With(more)
		if after := with.Without(func(g Grant) bool { return g.N == 9 }).Decide(r); after != before {
			about("revoking does not restore the decision", after)
		}
		after := with.Decide(r)
		if changed := after.Verdict != before.Verdict ||
			after.Rule != before.Rule; changed && (after.Grant != 9 || !more.Covers(r)) {
			about("a grant changed what it does not cover", after)
		}
		if before.Verdict != Allow && !before.final && r.Mutates {
			fit, err := ParseGrant(before.Fit)
			if err != nil || p.With(fit).Decide(r).Verdict != Allow {
				about(fmt.Sprintf("what is proposed does not let the call through: %v", err), before)
			}
		}
		narrow := more
		if narrow.Only = true; c.IntN(2) > 0 && !more.Only {
			narrow.Bounds, narrow.Only = append(slices.Clone(more.Bounds), c.bound()), false
		}
		if after := p.With(narrow).Decide(r); after.Verdict == Allow && with.Decide(r).Verdict != Allow {
			about("a bound more, or only, let more through: "+fmt.Sprint(narrow), after)
		}
	}
	if granted < 1000 || allowed-granted < 1000 {
		t.Errorf("the policies are too much alike: %d allowed, %d of them by grants", allowed, granted)
	}
}

// What is told of a call that no grant covers is true of it, and what is proposed is no wider than it needs.
func TestMissed(t *testing.T) {
	refund := Request{ID: "billing.refund.issue", Risk: catalog.High, Mutates: true, Source: "office",
		Args: map[string]any{"amount_cents": int64(501), "invoice_id": "inv_1", "tags": []any{"a"}}}
	const none = "this session is read-only"
	for _, c := range []struct{ name, grants, why, fit string }{
		{"no grants", "", none, "billing.refund.issue"},
		{"of others", "crm.*; billing.refund.draft_note", "no grant covers it", "billing.refund.issue"},
		{"too much", "crm.*; billing.refund.issue amount_cents<=500", "outside grant 2 (0 <= amount_cents <= 500)",
			"billing.refund.issue 0 <= amount_cents <= 501"},
		{"too little", "billing.refund.issue amount_cents > 600", "outside grant 1 (amount_cents > 600)",
			"billing.refund.issue amount_cents >= 501"},
		{"another number", "billing.refund.issue amount_cents = 5", "outside grant 1 (amount_cents = 5)",
			"billing.refund.issue amount_cents = 501"},
		{"another text", "billing.refund.issue invoice_id = inv_2, amount_cents <= 900",
			`outside grant 1 (invoice_id = "inv_2")`, `billing.refund.issue invoice_id = "inv_1", 0 <= amount_cents <= 900`},
		{"another type", "billing.refund.issue invoice_id <= 5", "outside grant 1 (0 <= invoice_id <= 5)",
			`billing.refund.issue invoice_id = "inv_1"`},
		{"not given", "billing.refund.issue reason = x", `outside grant 1 (reason = "x")`, "billing.refund.issue"},
		{"a list", "billing.refund.issue tags = a", `outside grant 1 (tags = "a")`, "billing.refund.issue"},
		{"only", "billing.refund.issue only amount_cents <= 900",
			"outside grant 1 (only 0 <= amount_cents <= 900)", "billing.refund.issue"},
		{"a pattern with bounds", "billing.* risk high amount_cents <= 5", "outside grant 1 (0 <= amount_cents <= 5)",
			"billing.refund.issue 0 <= amount_cents <= 501"},
		{"high risk", "billing.*; crm.*",
			`pattern billing.* does not cover high risk`, "billing.refund.issue"},
		{"bounds before risk", "billing.*; billing.refund.issue amount_cents<=500; *",
			"outside grant 2 (0 <= amount_cents <= 500)", "billing.refund.issue 0 <= amount_cents <= 501"},
		{"waits", "billing.refund.issue waits", "grant 1 waits: gone", "billing.refund.issue"},
	} {
		var p Policy
		for i, words := range strings.FieldsFunc(c.grants, func(r rune) bool { return r == ';' }) {
			words, waits := strings.CutSuffix(words, " waits")
			g, err := ParseGrant(words)
			if err != nil {
				t.Fatal(err)
			}
			if g.N = i + 1; waits {
				g.Waits = "gone"
			}
			p = p.With(g)
		}
		got := p.Decide(refund)
		if got.Verdict != Deny || got.Why() != c.why || got.Fit != c.fit {
			t.Errorf("%s: %s: %s; fit: %s", c.name, got.Verdict, got.Why(), got.Fit)
		}
		p.Mode = Ask
		if got := p.Decide(refund); got.Verdict != AskFor || got.Missed == "" && got.Why() != "mutations need approval" {
			t.Errorf("%s: %s: %s", c.name, got.Verdict, got.Why())
		}
	}
}

// Whoever says readonly by name means it: what the configuration keeps does not count until another mode is set.
func TestReadOnlyByName(t *testing.T) {
	g, err := ParseGrant("a.b")
	if err != nil {
		t.Fatal(err)
	}
	g.N, g.For = 1, Always
	p := Policy{Mode: ReadOnly, Grants: []Grant{g}}
	r := Request{ID: "a.b", Mutates: true}
	check := func(p Policy, want Verdict, words string) {
		t.Helper()
		if d := p.Decide(r); d.Verdict != want || p.Words() != words {
			t.Errorf("%s, %q; want %s, %q", d.Verdict, p.Words(), want, words)
		}
	}
	check(p, Allow, "writes: denied, 1 grant")
	p.Named = true
	check(p, Deny, "writes: denied")
	p.Mode = Ask
	check(p, Allow, "writes: ask, 1 grant")
	p.Mode, p.Grants[0].For = ReadOnly, ForSession // given with the mode, or after it
	check(p, Allow, "writes: denied, 1 grant")
}
