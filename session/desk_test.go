package session

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"almanac/catalog"
	"almanac/session/policy"
	"almanac/session/vm"
)

// deskEntries are actions that are composed of the shop's, that the host fills in for, or that say what they would
// change.
func (s *shop) deskEntries() []catalog.Entry {
	composed := func(id string, mutates bool, body string) catalog.Entry {
		return catalog.Entry{
			ID: "desk." + id, Description: "Composed.", Mutates: mutates, Input: catalog.MustSchema(itemInput), Lua: body,
		}
	}
	filled := func(id string, inject ...catalog.Injection) catalog.Entry {
		return catalog.Entry{
			ID: "desk." + id, Description: "Filled in.", Inject: inject,
			Input: catalog.MustSchema(`{"type":"object","properties":{"n":{"type":"integer"}}}`),
			Action: func(_ context.Context, c catalog.Call) (catalog.Result, error) {
				return catalog.Result{Data: c.Args}, nil
			},
		}
	}
	label := catalog.Entry{
		ID: "desk.label", Description: "Write a label.", Mutates: true, Input: catalog.MustSchema(itemInput),
		Preview: func(_ context.Context, c catalog.Call) (string, error) {
			if c.Args["item_id"] == "none" {
				return "", errors.New("no item none")
			}
			return fmt.Sprintf("-old label of hunter2\n+label of %v for %v", c.Args["item_id"], c.Args["tenant_id"]), nil
		},
		Inject: []catalog.Injection{{Field: "tenant_id", From: "tenant"}},
		Action: func(_ context.Context, c catalog.Call) (catalog.Result, error) {
			s.act(c, "label %v for %v", c.Args["item_id"], c.Args["tenant_id"])
			return catalog.Result{}, nil
		},
	}
	teams := filled("team")
	teams.Needs = []string{"actor", "team_id"}
	turns := []string{"a", "b", "c", "d"}
	turn := catalog.Entry{
		ID: "desk.turn", Description: "Whose turn it is: another one's each time.",
		Action: func(context.Context, catalog.Call) (catalog.Result, error) {
			turns = append(turns[1:], turns[0])
			return catalog.Result{Data: turns[3]}, nil
		},
	}
	return []catalog.Entry{
		label, turn,
		filled("whoami", catalog.Injection{Field: "who", From: "actor"}, catalog.Injection{
			Field: "tenant_id", From: "tenant", Number: true,
		}),
		filled("where", catalog.Injection{Field: "dir", From: "workspace"}),
		filled("peer", catalog.Injection{Field: "from", From: "agent_name"}, catalog.Injection{
			Field: "path", From: "project_path", Optional: true,
		}, catalog.Injection{Field: "heard", From: "messages"}, catalog.Injection{
			Field: "level", From: "set.level", Number: true, Optional: true,
		}),
		filled("ranked", catalog.Injection{Field: "level", From: "set.level"}),
		teams,
		filled("lost", catalog.Injection{Field: "dir", From: "planet"}),
		composed("total", false, "local sum = 0\nfor _, i in ipairs(shop.item.list{}) do sum = sum + i.cents end\nreturn {total = sum, of = args.item_id}"),
		composed("reprice", true, `local i = shop.item.get{item_id = args.item_id} print("was", i.cents) return shop.item.price{item_id = i.id, cents = i.cents + 1}`),
		composed("sneak", false, `pcall(shop.item.price, {item_id = "a", cents = 0}) return "outlived"`),
		composed("deep", true, `return desk.deep{item_id = args.item_id}`),
		composed("twice", true, `desk.reprice(args) return desk.reprice(args)`),
		composed("broken", false, "local t\nreturn t.x"),
		composed("fails", false, `shop.item.get{item_id = "none"}`),
		composed("many", false, `for i = 1, 99 do shop.item.list{} end`),
		composed("spins", false, `while true do end`),
		composed("odd", false, `return function() end`),
		composed("alone", false, `return {x = x, search = pcall(catalog.search, "item"), args = pcall(call, "(args)")}`),
		composed("both", false, `local all = parallel({"a", "none", "b"}, function(id) return desk.total{item_id = id}.of .. shop.item.get{item_id = id}.cents end) return {all[1], all[3], #all}`),
		composed("slow", false, `print("begun") shop.item.hang{item_id = "a"}`),
	}
}

// openDesk gives the session the desk's actions beside the shop's.
func (b *bench) openDesk() {
	b.t.Helper()
	all, report := catalog.New(append(b.shop.entries(), b.shop.deskEntries()...), catalog.Options{})
	if len(report.Skipped) > 0 {
		b.t.Fatalf("skipped: %v", report.Skipped)
	}
	if err := b.session.Replace(b.t.Context(), all.View()); err != nil {
		b.t.Fatal(err)
	}
}

// Whatever a composed action does, the session is there afterwards, and its script goes on where it may.
func TestComposedActionsEnd(t *testing.T) {
	b := newBench(t, func(o *Options) {
		o.Policy.Mode = policy.Session
		o.UserBudget.Calls, o.UserLimits.Steps, o.UserLimits.Time = 50, 10_000_000, time.Minute
	})
	b.openDesk()
	b.run(User, "x = 7")
	for _, c := range []struct {
		action string
		kind   vm.Kind
		want   string
	}{
		{"spins", "", `desk.spins: line 1: the script ran more than`},
		{"odd", "", `desk.odd: it returned a function that is not data or is too large`},
		{"broken", "", `desk.broken: line 2: attempt to index a nil value`},
		{"fails", "", `desk.fails: line 1: shop.item.get: no item none`},
		{"many", vm.Limit, "has used all 50 action calls"},
		{"deep", vm.Limit, "composed actions nested more than 4 deep"},
		{"sneak", vm.Denied, "shop.item.price: denied: desk.sneak calls it and is declared as a read"},
	} {
		out := b.run(User, `local ok, e = pcall(desk.`+c.action+`, {item_id = "a"}) x = 7 return e.message`)
		switch {
		case c.kind == "" && (out.Err != nil || !strings.Contains(fmt.Sprint(out.Values[0].Data), c.want)):
			t.Errorf("%s: got %s", c.action, show(out))
		case c.kind != "" && (out.Err == nil || out.Err.Kind != c.kind || !strings.Contains(out.Err.Message, c.want)):
			t.Errorf("%s: got %s", c.action, show(out))
		}
		if next := b.run(User, "return x"); next.Err != nil || next.Values[0].Repr != "7" {
			t.Fatalf("after %s: %s", c.action, show(next))
		}
	}
}

func TestComposedActionInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	b := newBench(t, func(o *Options) { o.Write = func(vm.Stream, string) { cancel() } }) // when the body prints
	b.openDesk()
	out, err := b.session.Run(ctx, Script{Source: `pcall(desk.slow, {item_id = "a"}) return 1`, Author: User})
	if err != nil || out.Err == nil || out.Err.Kind != vm.Interrupt {
		t.Errorf("got %v, %s", err, show(out))
	}
}

// Calls that a body makes side by side are each known by the call they are inside of.
func TestComposedActionsSideBySide(t *testing.T) {
	b := newBench(t, nil)
	b.openDesk()
	out := b.run(User, `return desk.both{item_id = "a"}`)
	if out.Err != nil || out.Values[0].Repr != `{ "a100", "b100", 3 }` || len(out.Calls) != 10 {
		t.Fatalf("got %s", show(out))
	}
	ids := map[int]string{}
	for _, c := range out.Calls {
		ids[c.N] = c.ID
	}
	for _, c := range out.Calls {
		switch {
		case c.Depth == 0 && c.In == 0 && c.N == 1:
		case c.Depth == 1 && c.In == 1:
		case c.Depth == 2 && ids[c.In] == "desk.total" && c.ID == "shop.item.list":
		default:
			t.Errorf("%+v", c)
		}
	}
}

// The caller's clock stands still while a composed action runs.
func TestComposedActionTime(t *testing.T) {
	b := newBench(t, func(o *Options) { o.UserLimits.Time = 200 * time.Millisecond })
	b.openDesk()
	out := b.run(User, `local n = 0 for i = 1, 10 do n = n + desk.total{item_id = "a"}.total end return n`)
	if out.Err != nil || out.Values[0].Repr != "3500" {
		t.Errorf("got %s", show(out))
	}
}
