package session

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"almanac/catalog"
	"almanac/catalog/pattern"
	"almanac/session/policy"
	"almanac/session/trace"
)

// A rule may ask about a read: when it comes, and not in the preview before a run; a grant lets later ones through.
func TestRuleAsksAboutARead(t *testing.T) {
	rule := policy.Rule{
		N: 1, Name: "stock", Place: "policy.toml:3", IDs: []pattern.Pattern{pattern.Exact("shop.item.get")},
		Verdict: policy.AskFor, Reason: "stock is private",
	}
	b := newBatchBench(t, func(o *Options) { o.Policy.Rules = []policy.Rule{rule} })
	for _, answer := range []string{"list", "once", "session"} {
		b.answer(answer)
	}
	const read = `shop.item.get{item_id = "a"} `
	if out := b.run(Model, twoPrices+read+read+read); out.Err != nil {
		t.Fatal(show(out))
	}
	var asked []string
	for _, r := range b.asked {
		asked = append(asked, r.Entry.ID+": "+r.Reason)
	}
	const why = `asked by rule 1 "stock" (policy.toml:3): stock is private`
	reason := "shop.item.get: " + why
	if got := strings.Join(asked[1:], "\n"); len(b.asked[0].Batch) != 2 || got != reason+"\n"+reason {
		t.Errorf("asked about %d calls first, then\n%s", len(b.asked[0].Batch), got)
	}
	var rules []string
	for _, r := range b.records {
		if r.Kind == trace.KindCall && r.Call.ID == "shop.item.get" && r.Before == "" {
			rules = append(rules, r.Call.Rule)
		}
	}
	want := []string{`approved once, asked by rule 1 "stock" (policy.toml:3)`, "grant 1: shop.item.get",
		"grant 1: shop.item.get"}
	if !slices.Equal(rules, want) {
		t.Errorf("in the trace: %q", rules)
	}
	b.session.world.options.Approve = nil
	if err := b.session.SetPolicy(policy.Policy{Mode: policy.Session, Rules: []policy.Rule{rule}}); err != nil {
		t.Fatal(err)
	}
	const nobody = "shop.item.get: denied: " + why + ", and nobody can be asked"
	if out := b.run(User, read); out.Err == nil || out.Err.Message != nobody || out.Err.Hint != "" {
		t.Errorf("with nobody to ask: %s", show(out))
	}
}

// A turn sees less, whatever happens to the view meanwhile, and the next one as much as the session.
func TestRestrictTurn(t *testing.T) {
	b := newBench(t, nil)
	whole := b.session.View().Len()
	rules := catalog.Rules{Name: "turn", Namespaces: []string{"shop"}}
	err := b.session.RestrictTurn(catalog.Rules{Namespaces: []string{"nosuch"}})
	if err == nil || b.session.View().Len() != whole {
		t.Error("rules that do not fit were taken")
	}
	if err := b.session.RestrictTurn(rules); err != nil {
		t.Fatal(err)
	}
	out := b.run(User, `call("admin.shop.purge", {})`)
	if out.Err == nil || !strings.Contains(out.Err.Message, "hidden by turn") {
		t.Errorf("a hidden action: %s", show(out))
	}
	b.replace(b.viewOf(nil, "admin.", "shop."))
	if _, seen := b.session.View().Lookup("admin.shop.purge"); seen {
		t.Error("another catalog widened the turn")
	}
	if err := b.session.Restrict(catalog.Rules{Name: "mine", ReadOnly: true}); err != nil {
		t.Fatal(err)
	}
	for id := range b.session.View().All() {
		if e, _ := b.session.View().Lookup(id); e.Mutates || !strings.HasPrefix(id, "shop.") {
			t.Errorf("the turn sees %s", id)
		}
	}
	b.replace(b.viewOf(nil, "admin."))
	if n := b.session.View().Len(); n != 0 {
		t.Errorf("the rules of the turn do not fit this catalog, and it sees %d actions", n)
	}
	b.replace(b.viewOf(nil, "admin.", "shop."))
	if ended, err := b.session.EndTurn(); len(ended) != 1 || err != nil {
		t.Errorf("end: %v, %v", ended, err)
	}
	if _, seen := b.session.View().Lookup("shop.item.price"); seen || len(b.session.Turn()) > 0 {
		t.Error("what the session does not see came back with the turn's end")
	}
	if _, seen := b.session.View().Lookup("shop.item.get"); !seen {
		t.Error("the view did not widen again")
	}
	if ended, err := b.session.EndTurn(); ended != nil || err != nil {
		t.Errorf("end without a turn: %v, %v", ended, err)
	}
}

// What a rule denies is denied with arguments that the person edits, too.
func TestRuleDeniesEditedArguments(t *testing.T) {
	rule := policy.Rule{
		N: 2, Place: "policy.toml:9", Verdict: policy.Deny, Where: []policy.Bound{{Arg: "item_id", Op: "=", Value: "b"}},
	}
	for name, answer := range map[string]string{"a call": "edit b", "a list": "list b 2"} {
		b := newBatchBench(t, func(o *Options) { o.Policy.Rules = []policy.Rule{rule} })
		source := `shop.item.price{item_id = "a", cents = 1}`
		if name == "a list" {
			source += source
		}
		b.answer(answer)
		b.answer(answer)
		out := b.run(Model, source)
		if out.Err == nil || out.Err.Message != "shop.item.price: denied by rule 2 (policy.toml:9)" {
			t.Errorf("%s: %s", name, show(out))
		}
		if acts := fmt.Sprint(b.shop.acts); strings.Contains(acts, "price b") {
			t.Errorf("%s: made %s", name, acts)
		}
	}
}
