package session

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"almanac/catalog"
)

// viewOf is a catalog of the shop's entries whose ids have one of the prefixes, seen whole.
func (b *bench) viewOf(change func(*catalog.Entry), prefixes ...string) *catalog.View {
	b.t.Helper()
	var entries []catalog.Entry
	for _, e := range b.shop.entries() {
		if !slices.ContainsFunc(prefixes, func(p string) bool { return strings.HasPrefix(e.ID, p) }) {
			continue
		}
		if change != nil {
			change(&e)
		}
		entries = append(entries, e)
	}
	c, report := catalog.New(entries, catalog.Options{})
	if len(report.Skipped) > 0 {
		b.t.Fatal(report.Skipped)
	}
	return c.View()
}

func (b *bench) replace(v *catalog.View) {
	b.t.Helper()
	if err := b.session.Replace(b.t.Context(), v); err != nil {
		b.t.Fatal(err)
	}
}

func TestReplace(t *testing.T) {
	b := newBench(t, nil)
	b.run(User, "kept = 41")
	b.replace(b.viewOf(nil, "admin."))
	if out := b.run(User, `return shop`); out.Err == nil && out.Values[0].Repr != "nil" {
		t.Errorf("the old catalog is still there: %s", show(out))
	}
	b.replace(b.viewOf(nil, "admin.", "shop."))
	if out := b.run(User, `return shop.item.get{item_id = "a"}.cents + kept`); out.Err != nil ||
		out.Values[0].Repr != "141" {
		t.Errorf("the new catalog cannot be used: %s", show(out))
	}
}

func TestReplaceStaysNarrow(t *testing.T) {
	b := newBench(t, nil)
	if err := b.session.Restrict(catalog.Rules{Name: "mine", DeniedNamespaces: []string{"admin"}}); err != nil {
		t.Fatal(err)
	}
	turn, err := b.session.Narrow(catalog.Rules{Name: "turn", Namespaces: []string{"shop"}, ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	b.replace(b.viewOf(nil, "shop.item.get"))
	b.replace(b.viewOf(nil, "admin.", "shop."))
	if why := b.session.View().Why("admin.shop.purge"); why.State != "hidden" || !strings.Contains(why.Rule, "mine") {
		t.Errorf("what Restrict denied came back: %+v", why)
	}
	if why := turn.View().Why("shop.item.price"); why.State != "hidden" {
		t.Errorf("what Narrow took away came back: %+v", why)
	}
}

func TestReplaceForgetsWhatChanged(t *testing.T) {
	b := newBench(t, nil)
	if _, err := b.session.Describe(t.Context(), []string{"shop.item.get", "shop.item.list"}, catalog.Brief); err != nil {
		t.Fatal(err)
	}
	b.replace(b.viewOf(func(e *catalog.Entry) {
		if e.ID == "shop.item.get" {
			e.Mutates, e.Operation = true, catalog.Update
		}
	}, "shop."))
	if got := b.session.Described(); !slices.Equal(got, []string{"shop.item.list"}) {
		t.Errorf("described: %v", got)
	}
}

func TestReplaceWaitsForItsTurn(t *testing.T) {
	b := newBench(t, nil)
	b.session.world.turn <- struct{}{}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := b.session.Replace(ctx, b.viewOf(nil, "shop.")); err == nil {
		t.Error("the catalog was replaced under a run")
	}
	<-b.session.world.turn
	v := b.viewOf(nil, "shop.")
	other, err := v.Narrow(catalog.Rules{Actor: "mallory"})
	if err != nil {
		t.Fatal(err)
	}
	if err := b.session.Replace(t.Context(), other); err == nil {
		t.Error("the actor changed under the session")
	}
}

// The ids of paths are understood wherever an id is.
func TestSlashedIDs(t *testing.T) {
	b := newBench(t, nil)
	if out := b.run(User, `return call("shop/item/get", {item_id = "a"}).cents`); out.Err != nil ||
		out.Calls[0].ID != "shop.item.get" {
		t.Errorf("got %s", show(out))
	}
	if _, err := b.session.Describe(t.Context(), []string{"/shop/item/get"}, catalog.Brief); err != nil {
		t.Error(err)
	}
	if out := b.run(Model, `return call("shop/item/get", {item_id = "a"}).cents`); out.Err != nil {
		t.Errorf("described and denied: %s", show(out))
	}
	out, err := b.session.Run(t.Context(), Script{
		Source: `return #shop.item.list{}`, Actions: []string{"shop/item/list"}, Fresh: true,
	})
	if err != nil || out.Err != nil {
		t.Errorf("selected and denied: %v, %s", err, show(out))
	}
}

func TestCheckResults(t *testing.T) {
	b := newBench(t, func(o *Options) { o.CheckResults = true })
	if out := b.run(User, `return shop.item.get{item_id = "a"}.cents`); out.Err != nil {
		t.Errorf("got %s", show(out))
	}
	b.replace(b.viewOf(func(e *catalog.Entry) {
		e.Output = catalog.MustSchema(`{"type":"object","properties":{"cents":{"type":"string"}}}`)
	}, "shop."))
	out := b.run(User, `local ok, e = pcall(shop.item.get, {item_id = "a"}) return e.code, e.message`)
	if got := fmt.Sprint(reprs(out)); !strings.Contains(got, CodeBadResult) || !strings.Contains(got, "cents") {
		t.Errorf("got %s", got)
	}
}

// TestMisfit: without CheckResults a result that is other than declared goes to the script, and the record says where.
func TestMisfit(t *testing.T) {
	for _, trust := range []bool{false, true} {
		b := newBench(t, func(o *Options) { o.TrustResults = trust })
		b.replace(b.viewOf(func(e *catalog.Entry) {
			e.Output = catalog.MustSchema(`{"type":"object","properties":{"cents":{"type":"string"}}}`)
		}, "shop."))
		out := b.run(User, `return shop.item.get{item_id = "a"}.cents`)
		want := "cents: want string, got integer 100"
		if trust {
			want = ""
		}
		if got := fmt.Sprint(reprs(out)); got != "[100]" || len(out.Calls) != 1 || out.Calls[0].Misfit != want {
			t.Errorf("trust %t: %s, %q", trust, show(out), out.Calls[0].Misfit)
		}
	}
}

// A view of nothing fits every session, whoever acts in it.
func TestReplaceByNothing(t *testing.T) {
	b := newBench(t, nil)
	if err := b.session.Restrict(catalog.Rules{Name: "mine", Actor: "ann", Tenant: "acme"}); err != nil {
		t.Fatal(err)
	}
	b.replace(b.session.View().Nothing())
	if v := b.session.View(); v.Len() != 0 || v.Actor() != "ann" || v.Tenant() != "acme" {
		t.Errorf("%d visible to %q of %q", v.Len(), v.Actor(), v.Tenant())
	}
	if why := b.session.View().Why("shop.item.get"); why.State != "hidden" || why.Rule == "" {
		t.Errorf("why: %+v", why)
	}
}

// TestSearchView has searches know what a session has described and called, and no other session.
func TestSearchView(t *testing.T) {
	b, other := newBench(t, nil), newBench(t, nil)
	why := func(b *bench) string {
		b.t.Helper()
		out := b.run(User, `return catalog.explain("shop.item.price", "price of an item")`)
		if out.Err != nil {
			b.t.Fatal(out.Err)
		}
		return show(out)
	}
	if got := why(b); strings.Contains(got, "(context)") {
		t.Errorf("a new session has used something: %s", got)
	}
	b.run(User, `pcall(shop.item.get, {item_id = "none"})`)
	if got := why(b); strings.Contains(got, "(context)") {
		t.Errorf("a call that failed counts: %s", got)
	}
	b.run(User, `shop.item.get{item_id = "a"}`)
	if got := why(b); !strings.Contains(got, "shop was used just before") {
		t.Errorf("a call does not count: %s", got)
	}
	if _, err := other.session.Describe(t.Context(), []string{"admin.shop.purge"}, ""); err != nil {
		t.Fatal(err)
	}
	if got := why(other); strings.Contains(got, "(context)") {
		t.Errorf("what another session has called, or another provider, counts: %s", got)
	}
	other.session.Recall([]string{"shop.item.get"})
	if got := why(other); !strings.Contains(got, "shop was used just before") {
		t.Errorf("a resumed session does not go on: %s", got)
	}
}

// TestDiscovered has the ids of an answer be found: those of hits, of others that share their lines, and of what finds
// an id for them; what the session has is not found for it.
func TestDiscovered(t *testing.T) {
	item := func() *catalog.Schema {
		return catalog.MustSchema(`{"type":"object","properties":{"item_id":{"type":"string"}},"required":["item_id"]}`)
	}
	var entries []catalog.Entry
	for _, vendor := range []string{"alpha", "beta"} {
		entries = append(entries, catalog.Entry{ID: vendor + ".item.weigh", Description: "Weigh an item.", Input: item()})
	}
	entries = append(entries, catalog.Entry{ID: "alpha.item.search", Description: "Search."},
		catalog.Entry{ID: "alpha.other.search", Description: "Search."})
	all, _ := catalog.New(entries, catalog.Options{})
	s, err := New(all.View(), Options{Budget: Budget{Shown: 3}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	ask := func(source string) *Answer {
		a, err := s.Query(t.Context(), Script{Source: source})
		if err != nil || a.Outcome.Err != nil {
			t.Fatal(err, a.Outcome.Err)
		}
		return a
	}
	a := ask(`return catalog.search("weigh an item", {limit = 2})`)
	want := "alpha.item.search alpha.item.weigh beta.item.weigh"
	if got := strings.Join(s.Discovered(), " "); got != want {
		t.Errorf("found %s, want %s:\n%s", got, want, a.Text)
	}
	if len(s.LastFound()) != 3 || !strings.Contains(a.Text, "(or beta.item.weigh)\n  needs item_id: from alpha.item.search(") {
		t.Errorf("shown: %v\n%s", s.LastFound(), a.Text)
	}
	if _, err := s.Describe(t.Context(), s.LastFound(), ""); err != nil {
		t.Error(err)
	}
	if out, err := s.Run(t.Context(), Script{Source: `item_id = "it_1"`, Author: User}); err != nil || out.Err != nil {
		t.Fatal(err, out.Err)
	}
	if a = ask(`return catalog.search("weigh an item", {limit = 2})`); strings.Contains(a.Text, "needs") {
		t.Errorf("the session has the id:\n%s", a.Text)
	}
}
