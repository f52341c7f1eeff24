package session

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"almanac/catalog"
	"almanac/session/policy"
	"almanac/session/trace"
)

// hookedEntries are actions of which hooks change or refuse the calls.
func (s *shop) hookedEntries() []catalog.Entry {
	hook := func(name string, do func(h *catalog.HookCall) error) catalog.Hook {
		return catalog.Hook{Name: name, Do: func(_ context.Context, h *catalog.HookCall) error { return do(h) }}
	}
	expression := func(name, source string) catalog.Hook { return catalog.Hook{Name: name, Lua: source} }
	pay := catalog.Entry{
		ID: "till.pay", Description: "Pay an amount.", Mutates: true,
		Inject: []catalog.Injection{{Field: "by", From: "actor"}},
		Input:  catalog.MustSchema(`{"type":"object","properties":{"cents":{"type":"integer","minimum":1},"note":{"type":"string","default":"-"},"item_id":{"type":"string"}},"required":["cents"],"additionalProperties":false}`),
		Action: func(_ context.Context, c catalog.Call) (catalog.Result, error) {
			s.act(c, "pay %v %v %v", c.Args["cents"], c.Args["note"], c.Args["by"])
			return catalog.Result{Data: map[string]any{"paid": c.Args["cents"]}}, nil
		},
	}
	with := func(name string, mutates bool, h catalog.Hooks) catalog.Entry {
		e := pay
		e.ID, e.Mutates, e.Hooks = "till."+name, mutates, &h
		if !mutates {
			e.Action = func(_ context.Context, c catalog.Call) (catalog.Result, error) {
				if c.Args["cents"] == int64(13) {
					return catalog.Result{}, errors.New("the shelf fell")
				}
				return catalog.Result{Data: map[string]any{"cents": c.Args["cents"], "note": c.Args["note"]}}, nil
			}
		}
		return e
	}
	set := func(name, field string, value any) catalog.Hook {
		return hook(name, func(h *catalog.HookCall) error { h.Call.Args[field] = value; return nil })
	}
	half := hook("half", func(h *catalog.HookCall) error {
		h.Call.Args["cents"] = h.Call.Args["cents"].(int64) / 2
		return nil
	})
	return []catalog.Entry{
		pay,
		with("euros", true, catalog.Hooks{Before: []catalog.Hook{hook("euros", func(h *catalog.HookCall) error {
			if euros, ok := h.Call.Args["euros"].(int64); ok {
				h.Call.Args["cents"] = euros * 100
				delete(h.Call.Args, "euros")
			}
			return nil
		})}, Checked: []catalog.Hook{half,
			expression("at most 100", `args.cents <= 100 or "at most 100, not " .. args.cents`)}}),
		with("guarded", true, catalog.Hooks{Checked: []catalog.Hook{
			expression("not 3", `args.item_id ~= "3" or "no three"`)}}),
		with("host", true, catalog.Hooks{Checked: []catalog.Hook{set("sets by", "by", "eve")}}),
		with("wrong", true, catalog.Hooks{Checked: []catalog.Hook{set("breaks cents", "cents", "many")}}),
		with("panics", true, catalog.Hooks{Before: []catalog.Hook{
			hook("falls", func(*catalog.HookCall) error { panic("oops") }),
		}}),
		with("empty", true, catalog.Hooks{Checked: []catalog.Hook{{Name: "nothing"}}}),
		with("look", false, catalog.Hooks{
			Checked: []catalog.Hook{expression("doubles", `{cents = args.cents * 2, note = args.note:upper()}`)},
			After: []catalog.Hook{expression("first", `merge(result, {first = true})`),
				hook("second", func(h *catalog.HookCall) error {
					data := h.Result.Data.(map[string]any)
					if data["cents"] == int64(8) {
						return errors.New("eight is hunter2's")
					}
					data["second"] = data["first"]
					return nil
				})},
		}),
		with("falls", false, catalog.Hooks{Failed: []catalog.Hook{hook("polite", func(h *catalog.HookCall) error {
			if h.Call.Args["note"] == "secret" {
				h.Err = nil
				return nil
			}
			h.Err = fmt.Errorf("sorry, %w", h.Err)
			return nil
		})}}),
		with("acts", false, catalog.Hooks{After: []catalog.Hook{expression("acts", `till.pay{cents = 1}`)}}),
		with("calls", false, catalog.Hooks{After: []catalog.Hook{expression("calls", `call("till.pay")`)}}),
		with("spins", false, catalog.Hooks{Checked: []catalog.Hook{
			expression("spins", `(function() while true do end end)()`)}}),
		with("leaves", false, catalog.Hooks{After: []catalog.Hook{
			expression("leaves", `(function() n = (n or 0) + 1 return n end)()`)}}),
		with("unset", false, catalog.Hooks{Checked: []catalog.Hook{expression("nil", `args.nothing`)}}),
	}
}

// openHooked gives the session the actions with hooks beside the shop's.
func (b *bench) openHooked() {
	b.t.Helper()
	all, report := catalog.New(append(b.shop.entries(), b.shop.hookedEntries()...), catalog.Options{})
	if len(report.Skipped) > 0 {
		b.t.Fatalf("skipped: %v", report.Skipped)
	}
	if err := b.session.Replace(b.t.Context(), all.View()); err != nil {
		b.t.Fatal(err)
	}
}

// The session's hooks stand around those of the entry, and a replay runs none.
func TestSessionHooks(t *testing.T) {
	var order []string
	note := func(name string) catalog.Hook {
		return catalog.Hook{Name: name, Do: func(context.Context, *catalog.HookCall) error {
			order = append(order, name)
			return nil
		}}
	}
	b := newBench(t, func(o *Options) {
		o.Policy.Mode = policy.Session
		o.Hooks = &catalog.Hooks{
			Before: []catalog.Hook{note("before")}, Checked: []catalog.Hook{note("checked")},
			After: []catalog.Hook{note("after")}, Failed: []catalog.Hook{note("failed")},
		}
	})
	b.openHooked()
	out := b.run(User, `local l = till.look{cents = 2, note = "n"} pcall(till.falls, {cents = 13}) till.euros{euros = 1} return l`)
	if out.Err != nil || out.Values[0].Repr != `{ cents = 4, first = true, note = "N", second = true }` {
		t.Fatal(show(out))
	}
	if got := strings.Join(order, " "); got != "before checked after before checked failed before checked after" {
		t.Errorf("got %s", got)
	}
	order = nil
	var calls []trace.Call
	for _, r := range b.records {
		if r.Kind == trace.KindCall {
			calls = append(calls, *r.Call)
		}
	}
	acts := len(b.shop.acts)
	again, err := b.session.Run(t.Context(), Script{Author: User, Replay: &Replay{Calls: calls},
		Source: `local l = till.look{cents = 2, note = "n"} pcall(till.falls, {cents = 13}) till.euros{euros = 1} return l`})
	if err != nil || again.Err != nil || again.Values[0].Repr != out.Values[0].Repr {
		t.Fatal(err, show(again))
	}
	if order != nil || len(b.shop.acts) != acts {
		t.Errorf("the replay called hooks %v, or acted: %v", order, b.shop.acts)
	}
}
