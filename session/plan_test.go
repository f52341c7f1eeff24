package session

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"almanac/catalog"
	"almanac/session/policy"
	"almanac/session/trace"
)

// preview previews a script of the person's and returns the number of its plan.
func (b *bench) preview(source string) int {
	b.t.Helper()
	out, err := b.session.Preview(b.t.Context(), Script{Source: source, Author: User})
	if err != nil || out.Err != nil || out.Plan == 0 {
		b.t.Fatalf("%s: %v, %s", source, err, show(out))
	}
	return out.Plan
}

func (b *bench) apply(n int, o Apply) *Outcome {
	b.t.Helper()
	out, err := b.session.Apply(b.t.Context(), n, o)
	if err != nil {
		b.t.Fatal(err)
	}
	return out
}

// Calls side by side may end in any order; those that a plan has are made, and no other.
func TestApplyParallel(t *testing.T) {
	b := newBatchBench(t, nil)
	b.run(User, `ids = {"a", "b", "c", "d"}`)
	source := `parallel(ids, function(id) shop.item.get{item_id = id} shop.item.price{item_id = id, cents = 7} end)`
	for i, ids := range []string{`{"a", "b", "c", "d"}`, `{"d", "c", "b", "a"}`, `{"a", "b", "c", "x"}`} {
		b.run(User, `ids = {"a", "b", "c", "d"}`)
		n := b.preview(source)
		b.run(User, `ids = `+ids)
		out := b.apply(n, Apply{})
		if i == 0 && (out.Err != nil || len(out.Calls) != 8 || out.NotReached != nil) {
			t.Errorf("as planned: %s", show(out))
		}
		if i > 0 && (out.Err == nil || out.Err.Code != CodeNotListed) {
			t.Errorf("%s: %s", ids, show(out))
		}
	}
	for _, made := range b.shop.acts {
		if strings.Contains(made, "price x") {
			t.Errorf("made %q", made)
		}
	}
}

// The log says which plan a preview ended in and which one a run was held to.
func TestPlanIsRecorded(t *testing.T) {
	b := newBatchBench(t, nil)
	b.apply(b.preview(`shop.item.price{item_id = "a", cents = 1}`), Apply{Cell: 4})
	var plans []string
	for _, r := range b.records {
		switch {
		case r.Kind == trace.KindRun:
			plans = append(plans, fmt.Sprint(r.Mode, " ", r.Plan))
		case r.Kind == trace.KindOutcome:
			plans = append(plans, fmt.Sprint("ended ", r.Ended.Plan))
		}
	}
	if got, want := strings.Join(plans, ", "), "preview 0, ended 1, run 1, ended 1"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// A session keeps the last plans.
func TestPlansKept(t *testing.T) {
	b := newBatchBench(t, nil)
	for range maxPlans + 1 {
		b.preview("x = 1")
	}
	if all := b.session.Plans(); len(all) != maxPlans || all[0].N != 2 {
		t.Errorf("%d plans, the first is %d", len(all), all[0].N)
	}
	_, err := b.session.Apply(t.Context(), 1, Apply{})
	if err == nil || !strings.Contains(err.Error(), "not kept any more") {
		t.Errorf("the oldest: %v", err)
	}
}

// A plan with arguments that are not known needs somebody to ask where the policy asks, and is refused at once.
func TestApplyWithNobodyToAsk(t *testing.T) {
	b := newBatchBench(t, func(o *Options) { o.Approve = nil })
	const known = `shop.item.price{item_id = "a", cents = 1}`
	if out := b.apply(b.preview(known), Apply{}); out.Err != nil {
		t.Error(show(out))
	}
	out := b.apply(b.preview(`desk.label{item_id = `+known+`.id}`), Apply{})
	if out.Err == nil || out.Err.Code != CodeNoApproval || len(b.shop.acts) != 1 {
		t.Errorf("made %q: %s", b.shop.acts, show(out))
	}
}

// What the person allowed with the list of a run is made only if the run does what the list was made of: also a write
// that the policy allows, and a read before the first write.
func TestApprovedListHoldsWhatThePolicyAllows(t *testing.T) {
	for _, c := range []struct{ source, code string }{
		{twoPrices + `desk.label{item_id = desk.turn{}}`, CodeNotListed},
		{`desk.turn{} ` + twoPrices, CodeChanged},
	} {
		b := newBatchBench(t, func(o *Options) {
			g, _ := policy.ParseGrant("desk.label")
			o.Policy.Grants = []policy.Grant{g}
			o.Approve = func(context.Context, Request) (Approval, error) { return Approval{Verdict: Once}, nil }
		})
		if out := b.run(Model, c.source); out.Err == nil || out.Err.Code != c.code {
			t.Errorf("%s: %s", c.source, show(out))
		}
	}
}

// A run under a plan, or after the yes to its list, reads the clock and random numbers as its preview did, and calls
// side by side end in the same order.
func TestApplyReadsTheTape(t *testing.T) {
	const source = `price = math.random(1, 2^40)
order = {} parallel({"a", "b", "c"}, function(id) shop.item.get{item_id = id} order[#order + 1] = id end)
shop.item.price{item_id = order[1] .. os.date("%H:%M:%S") .. os.clock(), cents = price}
shop.item.price{item_id = tostring({}), cents = os.time()}`
	b := newBatchBench(t, func(o *Options) {
		o.Approve = func(context.Context, Request) (Approval, error) { return Approval{Verdict: Once}, nil }
	})
	for range 3 {
		if out := b.apply(b.preview(source), Apply{}); out.Err != nil || len(out.Calls) != 5 {
			t.Error(show(out))
		}
	}
	if out := b.run(Model, source); out.Err != nil || len(out.Calls) != 5 {
		t.Error(show(out))
	}
	if len(b.shop.acts) != 8 || b.shop.acts[0] == b.shop.acts[2] {
		t.Errorf("made %q", b.shop.acts)
	}
}

// The oldest plans go also where they are large.
func TestLargePlans(t *testing.T) {
	b := newBatchBench(t, nil)
	for range 4 {
		b.preview(`shop.item.price{item_id = ("x"):rep(1500000), cents = 1}`)
	}
	if all := b.session.Plans(); len(all) != 2 || all[1].N != 4 {
		t.Errorf("%d plans are kept", len(all))
	}
	if out := b.apply(4, Apply{}); out.Err != nil {
		t.Error(show(out))
	}
}

// Workers that make calls which are alike may come in any order: each takes the entry of its own place.
func TestTakeAlike(t *testing.T) {
	var writes []foreseen
	for i, at := range [][]int64{{1, 1, 1}, {1, 2, 1}, {2}} {
		args := map[string]any{"item_id": []any{"a", "a", "b"}[i]}
		writes = append(writes, foreseen{entry: &catalog.Entry{ID: "shop.item.price"}, args: args, at: at})
	}
	l := newList("plan 1", writes, nil)
	for _, i := range []int{1, 0, 2} {
		if e, why := l.take("shop.item.price", writes[i].args, writes[i].at); e == nil {
			t.Errorf("call %d: %s", i, why)
		}
	}
}
