package session

import (
	"errors"
	"slices"
	"testing"

	"almanac/catalog"
	"almanac/catalog/pattern"
	"almanac/session/policy"
	"almanac/session/trace"
	"almanac/session/vm"
)

// A grant that is kept in the configuration counts as long as it is there, asked at every call.
func TestKeptGrantsAreAskedFor(t *testing.T) {
	var gone error
	b := newBench(t, func(o *Options) {
		o.Policy = policy.Policy{
			Mode: policy.ReadOnly, Grants: []policy.Grant{{Pattern: pattern.Exact("shop.item.price"), For: policy.Always}},
		}
		o.Kept = func(policy.Grant) error { return gone }
	})
	call := `return shop.item.price{item_id = "a", cents = 1}`
	for _, c := range []struct {
		gone  error
		words string
	}{{nil, "writes: denied, 1 grant"}, {errors.New("no longer in mine.toml"), "writes: denied"},
		{nil, "writes: denied, 1 grant"}} {
		gone = c.gone
		if out := b.run(User, call); (out.Err == nil) != (gone == nil) {
			t.Errorf("%v: %s", gone, show(out))
		}
		p := b.session.Policy()
		if p.Words() != c.words || gone != nil && p.Waiting(p.Grants[0]) != gone.Error() {
			t.Errorf("%v: %s, waits %q", gone, p.Words(), p.Waiting(p.Grants[0]))
		}
	}
}

// Revoked between two calls of a run, it does not cover the second.
func TestKeptGrantsEndWithinARun(t *testing.T) {
	var gone error
	b := newBench(t, func(o *Options) {
		o.Policy = policy.Policy{Grants: []policy.Grant{{Pattern: pattern.Exact("shop.item.price"), For: policy.Always}}}
		o.Kept = func(policy.Grant) error { return gone }
		o.Write = func(vm.Stream, string) { gone = errors.New("revoked") }
	})
	out := b.run(User, `shop.item.price{item_id = "a", cents = 1} print("now") shop.item.price{item_id = "a", cents = 2}`)
	if out.Err == nil || len(b.shop.acts) != 1 {
		t.Errorf("acts %v: %s", b.shop.acts, show(out))
	}
}

// A grant of the session is forgotten when its action changes; one that is kept waits for the action that it was given
// for.
func TestGrantsOfActionsThatChange(t *testing.T) {
	for name, change := range map[string]func(*catalog.Entry){
		"schema": func(e *catalog.Entry) {
			e.Input = catalog.MustSchema(`{"type":"object","properties":{"n":{"type":"integer"}}}`)
		},
		"effect": func(e *catalog.Entry) { e.Operation = catalog.Delete },
		"risk":   func(e *catalog.Entry) { e.Risk = catalog.High },
		"source": func(e *catalog.Entry) { e.Source = "another" },
	} {
		b := newBench(t, func(o *Options) { o.Policy.Mode = policy.Ask })
		for _, term := range []policy.Term{policy.ForSession, policy.Always} {
			g := policy.Grant{Pattern: pattern.Exact("shop.item.price"), For: term, Early: term == policy.Always}
			if _, err := b.session.Grant(g.Bind(b.session.View())); err != nil {
				t.Fatal(err)
			}
		}
		b.replace(b.viewOf(nil, "shop.")) // other actions do not matter
		if n := len(b.session.Policy().InForce()); n != 2 {
			t.Fatalf("%s: %d grants in force before", name, n)
		}
		b.replace(b.viewOf(func(e *catalog.Entry) {
			if e.ID == "shop.item.price" {
				change(e)
			}
		}, "shop."))
		p := b.session.Policy()
		e, _ := b.session.View().Lookup("shop.item.price")
		if d := p.Decide(policy.RequestOf(e, nil)); d.Verdict != policy.AskFor {
			t.Errorf("%s: %+v", name, d)
		}
		if len(p.InForce()) != 0 || name != "source" && len(p.Grants) != 1 {
			t.Errorf("%s: grants %+v", name, p.Grants)
		}
		b.replace(b.viewOf(nil, "shop."))
		if n := len(b.session.Policy().InForce()); name != "source" && n != 1 {
			t.Errorf("%s: %d grants in force when the action is as it was", name, n)
		}
	}
}

// What a resumed session begins without is in the log of the earlier one.
func TestGrantedAtEnd(t *testing.T) {
	b := newBench(t, func(o *Options) { o.Policy.Mode = policy.Ask })
	grant := func(text string, term policy.Term) {
		t.Helper()
		g, err := policy.ParseGrant(text)
		if err != nil {
			t.Fatal(err)
		}
		g.For, g.By = term, "you"
		if _, err := b.session.Grant(g); err != nil {
			t.Fatal(err)
		}
	}
	want := func(want ...string) {
		t.Helper()
		if got := GrantedAtEnd(b.records); !slices.Equal(got, want) {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	want()
	grant("shop.item.price cents <= 5", policy.ForSession)
	grant("shop.* only by = x, s = \"a: b, by c\"", policy.ForSession)
	grant("shop.item.price", policy.Always)
	grant("shop.item.price", policy.ForRun)
	want("shop.item.price 0 <= cents <= 5", `shop.* only by = "x", s = "a: b, by c"`)
	if _, err := b.session.Revoke(1); err != nil {
		t.Fatal(err)
	}
	want(`shop.* only by = "x", s = "a: b, by c"`)
	if err := b.session.SetPolicy(policy.Policy{Mode: policy.ReadOnly}); err != nil {
		t.Fatal(err)
	}
	want()
	grant("shop.item.price", policy.ForSession)
	b.records = append(b.records, trace.Record{Kind: trace.KindSession})
	want()
}

// A denial says what is true of the grants, and its hint is what would let this call through.
func TestDenialsNameTheGrant(t *testing.T) {
	const call = `return shop.item.price{item_id = "a", cents = 501}`
	for _, c := range []struct {
		name, grant string
		author      Author
		change      func(*Options)
		want, hint  string
	}{
		{"person", "shop.item.price cents <= 500", User, func(*Options) {},
			"outside grant 1 (0 <= cents <= 500)", "allow it with /policy allow shop.item.price 0 <= cents <= 501"},
		{"model", "shop.item.price cents <= 500", Model, func(*Options) {},
			"outside grant 1 (0 <= cents <= 500)",
			"the person can allow it with /policy allow shop.item.price 0 <= cents <= 501"},
		{"headless", "shop.item.price cents <= 500", User, func(o *Options) { o.Commands = false },
			"outside grant 1 (0 <= cents <= 500)", "this is a write; rerun with --allow 'shop.item.price 0 <= cents <= 501'"},
		{"gateway", "shop.item.price cents <= 500", Model, func(o *Options) { o.Commands = false },
			"outside grant 1 (0 <= cents <= 500)",
			"this is a write; the person can allow it with --allow 'shop.item.price 0 <= cents <= 501' at the start"},
		{"nobody to ask", "shop.item.price cents <= 500", User, func(o *Options) {
			o.Policy.Mode, o.Approve, o.Commands = policy.Ask, nil, false
		},
			"outside grant 1 (0 <= cents <= 500), and nobody can be asked",
			"this is a write; rerun with --allow 'shop.item.price 0 <= cents <= 501'"},
		{"a read granted", "shop.item.get", User, func(*Options) {},
			"this session is read-only",
			"this is a write; allow it with /policy allow shop.item.price, or be asked with /policy ask"},
		{"a secret", "shop.item.price item_id = hunter2", User, func(*Options) {},
			`outside grant 1 (item_id = "[redacted]")`, `allow it with /policy allow shop.item.price item_id = "a"`},
		{"a rule", "shop.item.price cents <= 900", User, func(o *Options) {
			o.Policy.Rules = []policy.Rule{{Name: "freeze", Verdict: policy.Deny}}
		},
			"denied by freeze", ""},
	} {
		g, err := policy.ParseGrant(c.grant)
		if err != nil {
			t.Fatal(err)
		}
		g.Early = true
		b := newBench(t, func(o *Options) {
			o.Policy.Grants = []policy.Grant{g}
			c.change(o)
		})
		if _, err := b.session.Describe(t.Context(), []string{"shop.item.price"}, ""); err != nil {
			t.Fatal(err)
		}
		out := b.run(c.author, call)
		want := "shop.item.price: denied: " + c.want
		if c.name == "a rule" {
			want = "shop.item.price: " + c.want
		}
		if out.Err == nil || out.Err.Message != want || out.Err.Hint != c.hint {
			t.Errorf("%s: %+v", c.name, out.Err)
		}
	}
}
