package session

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"almanac/catalog"
	"almanac/catalog/pattern"
	"almanac/session/policy"
	"almanac/session/trace"
	"almanac/session/vm"
)

const twoPrices = `shop.item.price{item_id = "a", cents = 1} shop.item.price{item_id = "b", cents = 2}`

// newBatchBench is a bench whose policy asks and whose model knows the actions.
func newBatchBench(t *testing.T, change func(*Options)) *bench {
	b := newBench(t, func(o *Options) {
		o.Policy.Mode = policy.Ask
		if change != nil {
			change(o)
		}
	})
	b.openDesk()
	ids := []string{"shop.item.price", "shop.item.get", "shop.item.list", "desk.label", "desk.turn", "desk.reprice",
		"desk.twice", "admin.shop.purge"}
	if _, err := b.session.Describe(t.Context(), ids, ""); err != nil {
		t.Fatal(err)
	}
	return b
}

// kinds are the kinds of the records of runs, in order; those of previews before a run in brackets.
func (b *bench) kinds() string {
	var kinds []string
	for _, r := range b.records {
		kind := string(r.Kind)
		if r.Before != "" {
			kind = "(" + kind + ")"
		}
		if r.Run != "" {
			kinds = append(kinds, kind)
		}
	}
	return strings.Join(kinds, " ")
}

// The question and its answer are in the log before what follows from them.
func TestBatchIsRecorded(t *testing.T) {
	var b *bench
	var atQuestion string
	b = newBatchBench(t, func(o *Options) {
		o.Approve = func(context.Context, Request) (Approval, error) {
			b.mu.Lock()
			defer b.mu.Unlock()
			atQuestion = b.kinds()
			return Approval{Verdict: Once, Off: []int{0}}, nil
		}
	})
	if out := b.run(Model, twoPrices); out.Err != nil {
		t.Fatal(show(out))
	}
	const before = "run (run) (call) (call) (outcome) ask"
	if atQuestion != before {
		t.Errorf("at the question: %s", atQuestion)
	}
	if got, want := b.kinds(), before+" (run) (call) (call) (outcome) note call begin call outcome"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	i := slices.IndexFunc(b.records, func(r trace.Record) bool { return r.Kind == trace.KindAsk })
	batch := b.records[i].Batch
	if len(batch) != 2 || batch[1].ID != "shop.item.price" || batch[1].Args["cents"] != int64(2) {
		t.Errorf("asked: %+v", batch)
	}
	j := slices.IndexFunc(b.records, func(r trace.Record) bool { return r.Kind == trace.KindNote && r.Run != "" })
	if got := b.records[j].Text; got != "approved as a list: 1 of 2; switched off: 1" {
		t.Errorf("answered: %q", got)
	}
}

// What would end a run in the middle ends it before the question.
func TestBatchThatCannotEnd(t *testing.T) {
	deny := policy.Rule{Name: "no labels", IDs: []pattern.Pattern{pattern.Exact("desk.label")}, Verdict: policy.Deny}
	for _, c := range []struct {
		name, source, want string
		change             func(*Options)
	}{
		{"budget", twoPrices + twoPrices, "has used all 3 mutations", func(o *Options) { o.Budget.Mutations = 3 }},
		{"denied", twoPrices + `desk.label{item_id = "a"}`, "desk.label: denied by no labels",
			func(o *Options) { o.Policy.Rules = []policy.Rule{deny} }},
		{"time", twoPrices + "while true do end", "more than", func(o *Options) { o.Limits.Steps = 100_000 }},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := newBatchBench(t, c.change)
			b.answer("list")
			out := b.run(Model, "x = 1 "+c.source)
			if out.Err == nil || !strings.Contains(out.Err.Message, c.want) || !out.DryRun ||
				!strings.Contains(out.Err.Hint, "nothing was made") {
				t.Errorf("got %s", show(out))
			}
			if len(b.asked)+len(b.shop.acts)+len(b.session.Globals()) > 0 {
				t.Errorf("asked %d, made %q, set %v", len(b.asked), b.shop.acts, b.session.Globals())
			}
		})
	}
}

// A person who stops the run, or a Lua process that dies, while the question is open: nothing is made in the first
// case, the list in the second.
func TestBatchInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	b := newBatchBench(t, func(o *Options) {
		o.Approve = func(ctx context.Context, _ Request) (Approval, error) {
			cancel()
			<-ctx.Done()
			return Approval{}, ctx.Err()
		}
	})
	out, err := b.session.Run(ctx, Script{Source: twoPrices})
	if err != nil || out.Err == nil || out.Err.Kind != vm.Interrupt || len(b.shop.acts) > 0 ||
		out.Calls[1].Verdict != trace.Interrupted {
		t.Errorf("%v, %s", err, show(out))
	}
}

func TestBatchAfterKill(t *testing.T) {
	var b *bench
	b = newBatchBench(t, func(o *Options) {
		o.Approve = func(context.Context, Request) (Approval, error) {
			b.kill()
			return Approval{Verdict: Once}, nil
		}
	})
	b.run(User, "n = 5")
	b.settle()
	out := b.run(Model, twoPrices+"return n")
	if out.Err != nil || out.Lost == "" || len(b.shop.acts) != 2 || out.Values[0].Repr != "5" {
		t.Errorf("made %q, lost %q: %s", b.shop.acts, out.Lost, show(out))
	}
}

// Only what the policy asks about is on the list, and a script that can come to none of it is not previewed.
func TestBatchAsksWhatThePolicyAsks(t *testing.T) {
	b := newBatchBench(t, nil)
	previews := func() (n int) {
		for _, r := range b.records {
			if r.Kind == trace.KindRun && r.Before != "" {
				n++
			}
		}
		return n
	}
	b.run(User, `function pay() `+twoPrices+` end id = "shop.item.list"`)
	for _, c := range []struct {
		source   string
		previews int
	}{
		{`return shop.item.list{}, id`, 0},
		{`return call("shop.item.list", {})`, 0},
		{`return map({"a"}, function(id) return shop.item.get{item_id = id} end)`, 0},
		{`return call(id, {})`, 1},
		{`local f = call f(id, {})`, 1},
		{`return shop.item["li" .. "st"]{}`, 1},
		{`local s = shop return s.item.list{}`, 1},
		{`return _G["sho" .. "p"]`, 1},
		{`if id == "" then shop.item.price{} end`, 1},
		{`if id == "" then call("shop.item.price", {}) end`, 1},
		{`if id == "" then pay() end`, 1},
		{`local p = pay return 1`, 1},
	} {
		was := previews()
		if out := b.run(Model, c.source); out.Err != nil || previews()-was != c.previews {
			t.Errorf("%s: %d previews, %s", c.source, previews()-was, show(out))
		}
	}
	b.answer("list")
	b.run(Model, "pay()")
	if _, err := b.session.Grant(policy.Grant{Pattern: pattern.Exact("shop.item.price"), By: "you"}); err != nil {
		t.Fatal(err)
	}
	b.answer("list")
	out := b.run(Model, `pay() desk.label{item_id = "a"} desk.label{item_id = "b"} pay()`)
	asks := func(id string) {
		t.Helper()
		if batch := b.asked[len(b.asked)-1].Batch; out.Err != nil || len(batch) != 2 || batch[0].Entry.ID != id {
			t.Errorf("asked %+v, %s", batch, show(out))
		}
	}
	asks("desk.label")
	if err := b.session.SetPolicy(policy.Policy{Mode: policy.Session}); err != nil {
		t.Fatal(err)
	}
	b.answer("list")
	out = b.run(Model, `pay() admin.shop.purge{item_id = "a"} admin.shop.purge{item_id = "b"}`)
	asks("admin.shop.purge")
}

// A question that comes a second time has what the person chose the first time; a yes to it as it stands makes that.
func TestBatchAskedTwice(t *testing.T) {
	edited := map[int]map[string]any{1: {"item_id": "b", "cents": int64(7)}, 2: {"item_id": "c", "cents": int64(8)}}
	first := Approval{Verdict: Once, Off: []int{0, 2}, Edited: edited}
	var second Request
	b := newBatchBench(t, func(o *Options) {
		o.Approve = func(_ context.Context, r Request) (Approval, error) {
			if r.Partial == "" {
				if r.Chosen.Off != nil || r.Chosen.Edited != nil {
					t.Errorf("the first question has %+v", r.Chosen)
				}
				return first, nil
			}
			second = r
			return Approval{Verdict: Once, Off: r.Chosen.Off, Edited: r.Chosen.Edited}, nil
		}
	})
	b.run(Model, twoPrices+` local r = shop.item.price{item_id = "c", cents = 3} print(r.id)`)
	if want := (Approval{Off: first.Off, Edited: edited}); !reflect.DeepEqual(second.Chosen, want) {
		t.Errorf("the second question has %+v, want %+v", second.Chosen, want)
	}
	if want := []string{"price b 7 by ann"}; !slices.EqualFunc(b.shop.acts, want, strings.HasSuffix) {
		t.Errorf("made %q, want %q", b.shop.acts, want)
	}
}

// Arguments that a person edits are checked before anything is made.
func TestBatchEditedWrongly(t *testing.T) {
	b := newBatchBench(t, nil)
	b.answers = []Approval{{Verdict: Once, Edited: map[int]map[string]any{1: {"item_id": "b", "cents": "many"}}}}
	out := b.run(Model, twoPrices)
	if out.Err == nil || out.Err.Code != CodeBadArgument || len(b.shop.acts) > 0 {
		t.Errorf("made %q: %s", b.shop.acts, show(out))
	}
}

// A randomScript makes statements at random.
type randomScript struct {
	*rand.Rand
	vars int
}

func (r *randomScript) pick(of ...string) string { return of[r.IntN(len(of))] }

func (r *randomScript) id() string {
	known := []string{`"a"`, `"b"`, `desk.turn{}`, `shop.item.list{}[1].id`}
	if r.vars > 0 {
		known = append(known, fmt.Sprintf("v%d.id", 1+r.IntN(r.vars)))
	}
	return r.pick(known...)
}

func (r *randomScript) call() string {
	return r.pick(
		fmt.Sprintf("shop.item.price{item_id = %s, cents = %d}", r.id(), r.IntN(3)),
		fmt.Sprintf("call('shop.item.price', {item_id = %s, cents = %d})", r.id(), r.IntN(3)),
		fmt.Sprintf("shop.item.price{item_id = 'x' .. %s, cents = %d}", r.id(), r.IntN(3)),
		fmt.Sprintf("desk.label{item_id = %s}", r.id()),
		fmt.Sprintf("desk.reprice{item_id = %s}", r.id()),
		fmt.Sprintf("shop.item.get{item_id = %s}", r.id()),
	)
}

func (r *randomScript) statement() string {
	switch r.IntN(9) {
	case 0:
		return fmt.Sprintf("parallel({%s, %s}, function(id) return shop.item.price{item_id = id, cents = %d} end)\n",
			r.id(), r.id(), r.IntN(3))
	case 1:
		return "pcall(function() return " + r.call() + " end)\n"
	case 2:
		return fmt.Sprintf("for i = 1, %d do %s end\n", 1+r.IntN(3), r.call())
	case 3:
		return fmt.Sprintf("if %s == %s then %s end\n", r.id(), r.id(), r.call())
	case 4:
		return fmt.Sprintf("n = (n or 0) + 1 if n %% 3 == 0 then %s end\n", r.call())
	}
	r.vars++
	return fmt.Sprintf("local v%d = %s or {id = 'none'}\n", r.vars, r.call())
}

// Nothing is ever made that was neither on an approved list nor asked about by itself, whatever the script is, whatever
// its reads say the second time, and whatever the person answers.
func TestOnlyWhatWasApprovedIsMade(t *testing.T) {
	r := &randomScript{Rand: rand.New(rand.NewPCG(13, 1))}
	run := "" // in front of what its actions do, some of them after its end
	act := func(id string, args map[string]any) string {
		if id == "desk.label" {
			return fmt.Sprintf(run+"label %v for 17", args["item_id"])
		}
		return fmt.Sprintf(run+"price %v %v by ann", args["item_id"], args["cents"])
	}
	allowed := map[string]int{}
	lists, singles, partial, stopped := 0, 0, 0, 0
	b := newBatchBench(t, func(o *Options) {
		o.Approve = func(_ context.Context, q Request) (Approval, error) {
			if r.IntN(8) == 0 {
				return Approval{}, nil
			}
			a := Approval{Verdict: Once, Edited: map[int]map[string]any{}}
			if q.Batch == nil {
				singles++
				allowed[act(q.Entry.ID, q.Args)]++
				return a, nil
			}
			lists++
			maps.DeleteFunc(allowed, func(made string, _ int) bool { return strings.HasPrefix(made, run) })
			if q.Partial != "" {
				partial++
			}
			for i, p := range q.Batch {
				switch {
				case r.IntN(5) == 0:
					a.Off = append(a.Off, i)
				case p.Unknown == nil && r.IntN(5) == 0 && p.Entry.ID == "shop.item.price":
					a.Edited[i] = map[string]any{"item_id": "edited", "cents": int64(r.IntN(3))}
					allowed[act(p.Entry.ID, a.Edited[i])]++
				case p.Unknown == nil && p.Entry.Action != nil:
					allowed[act(p.Entry.ID, p.Args)]++
				}
			}
			return a, nil
		}
	})
	scripts := map[string]string{}
	n := 150
	if testing.Short() {
		n = 20
	}
	for i := range n {
		run = fmt.Sprintf("%d: ", i)
		said := []catalog.Message{{Text: run}}
		b.session.SetMessages(func() []catalog.Message { return said })
		source := ""
		r.vars = 0
		for range 1 + r.IntN(6) {
			source += r.statement()
		}
		out := b.run(Model, source)
		scripts[run] = source + show(out)
		if out.Err != nil && out.Err.Code == CodeNotListed {
			stopped++
		}
	}
	b.shop.mu.Lock()
	defer b.shop.mu.Unlock()
	for _, made := range b.shop.acts {
		if allowed[made]--; allowed[made] < 0 {
			n, _, _ := strings.Cut(made, " ")
			t.Errorf("%q was not approved:\n%s", made, scripts[n+" "])
		}
	}
	t.Logf("%d lists, %d of them of a part, %d single questions, %d runs stopped, %d mutations made", lists, partial,
		singles, stopped, len(b.shop.acts))
	if lists < n/5 || partial < n/50 || singles < n/15 || stopped < n/50 || len(b.shop.acts) < n/3 {
		t.Error("the scripts do not try enough")
	}
}

// What the preview before a run costs: the same two writes, approved as a list and granted.
func BenchmarkBatch(b *testing.B) {
	for _, name := range []string{"list", "granted"} {
		b.Run(name, func(b *testing.B) {
			var s shop
			all, _ := catalog.New(s.entries(), catalog.Options{})
			o := Options{Approve: func(context.Context, Request) (Approval, error) { return Approval{Verdict: Once}, nil }}
			if o.Policy.Mode = policy.Ask; name == "granted" {
				o.Policy.Grants = []policy.Grant{{Pattern: pattern.Exact("shop.item.price"), By: "you"}}
			}
			session, err := New(all.View(), o)
			if err != nil {
				b.Fatal(err)
			}
			defer session.Close()
			if _, err := session.Run(b.Context(), Script{Source: "x = {1, 2, 3}", Author: User}); err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				out, err := session.Run(b.Context(), Script{Source: twoPrices, Actions: []string{"shop.item.price"}})
				if err != nil || out.Err != nil {
					b.Fatal(err, out.Err)
				}
			}
		})
	}
}

// What a preview before a run comes to is no use of the budget, while the person is asked and after a no.
func TestBatchUsesNothingBeforeTheAnswer(t *testing.T) {
	var b *bench
	var asked Usage
	b = newBatchBench(t, func(o *Options) {
		o.Approve = func(context.Context, Request) (Approval, error) {
			asked = b.session.Used()
			return Approval{}, nil
		}
	})
	b.run(Model, twoPrices)
	if after := b.session.Used(); asked.CallLimit == 0 || asked.Calls+asked.Mutations+after.Calls+after.Mutations != 0 {
		t.Errorf("used at the question %+v, after a no %+v", asked, after)
	}
}
