package session

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"almanac/catalog"
	"almanac/session/effect"
	"almanac/session/trace"
)

// emitting is a bench whose action work.emit has the effects in its result.
func emitting(t *testing.T, effects ...catalog.Effect) *bench {
	b := newBench(t, nil)
	emit := catalog.Entry{ID: "work.emit", Description: "Emit.", Operation: catalog.Read}
	emit.Action = func(context.Context, catalog.Call) (catalog.Result, error) {
		return catalog.Result{Data: map[string]any{"n": int64(7)}, Effects: effects}, nil
	}
	emit.Effects = []catalog.Effect{{Kind: "seen", Target: "$result.n"}, {Kind: "seen", Target: "$result.m"}}
	all, report := catalog.New(append(b.shop.entries(), emit,
		catalog.Entry{ID: "work.body", Description: "Emit.", Operation: catalog.Read, Lua: `
			effect("state.set", "a", {deep = {1, 2}}) effect("audit") effect("Bad Kind", nil, 1) return 5`},
		catalog.Entry{ID: "work.fails", Description: "Emit and fail.", Operation: catalog.Read, Lua: `
			effect("audit") error("no")`},
		catalog.Entry{ID: "work.price", Description: "Emit what is not known in a preview.", Mutates: true, Lua: `
			local made = shop.item.price{item_id = "a", cents = 5}
			effect("state.set", "made", {id = made.id}) return made`},
		catalog.Entry{ID: "work.open", Description: "Write, and emit what comes of it.", Mutates: true, Action: emit.Action,
			Input: catalog.MustSchema(`{"type":"object","properties":{"id":{"type":"string"}}}`),
			Effects: []catalog.Effect{{Kind: "state.set", Target: "last",
				Value: []any{"$args.id", "$result.a[1].b", "-$result.n"}}}},
		catalog.Entry{ID: "work.many", Description: "Emit too much.", Operation: catalog.Read, Lua: `
			for i = 1, 150 do effect("audit", tostring(i)) end`},
	), catalog.Options{})
	if len(report.Skipped) > 0 {
		t.Fatal(report.Skipped)
	}
	if err := b.session.Replace(t.Context(), all.View()); err != nil {
		t.Fatal(err)
	}
	return b
}

// listed are effects as text.
func listedEffects(c trace.Call) string {
	text := fmt.Sprint(c.Effects)
	for _, e := range c.EffectsRejected {
		text += fmt.Sprintf("\n%v: %s", e.Effect, e.Reason)
	}
	return text
}

func TestEffects(t *testing.T) {
	b := emitting(t, catalog.Effect{Kind: "state.set", Target: "n", Value: []int{1}})
	for source, want := range map[string]string{
		`return work.emit{}.n`: "7 [{state.set n [1]} {seen 7 <nil>}]\n{seen $result.m <nil>}: the call has no result.m",
		`return work.body{}`: `5 [{state.set a map[deep:[1 2]]} {audit  <nil>}]
{Bad Kind  1}: kind "Bad Kind": want lower-case names with dots between, as state.set`,
		`return (pcall(work.fails))`: "false []",
	} {
		out := b.run(User, source)
		if out.Err != nil {
			t.Fatal(out.Err)
		}
		if got := out.Values[0].Repr + " " + listedEffects(out.Calls[0]); got != want {
			t.Errorf("%s:\n%s\nwant\n%s", source, got, want)
		}
	}
	out := b.run(User, `work.many{}`)
	if n := len(out.Effects); n != effect.MaxPerCall || out.Calls[0].EffectsRejected[0].Reason !=
		"50 effects more: a call has at most 100" {
		t.Error(n, out.Calls[0].EffectsRejected)
	}
	for _, source := range []string{`effect("audit")`, `parallel({1}, function() effect("audit") end) error("x")`} {
		if out := b.run(User, source); out.Err == nil || len(out.Effects) > 0 {
			t.Errorf("%s: %v", source, out.Err)
		}
	}
	preview, err := b.session.Preview(t.Context(), Script{Source: `work.price{}`, Author: User})
	if err != nil || preview.Err != nil {
		t.Fatal(err, preview.Err)
	}
	if got := fmt.Sprint(preview.Effects); got != "[{state.set made map[id:<id of shop.item.price>]}]" {
		t.Error(got)
	}
	preview, err = b.session.Preview(t.Context(), Script{Source: `work.open{id = "x"}`, Author: User})
	if err != nil || preview.Err != nil {
		t.Fatal(err, preview.Err)
	}
	want := "[{state.set last [x <a[1].b of work.open> -<n of work.open>]}]"
	if got := fmt.Sprint(preview.Effects); got != want || len(preview.Calls[0].EffectsRejected) > 0 {
		t.Error(got, preview.Calls[0].EffectsRejected)
	}
}

// TestEffectsAreClean: effects have no secrets, and do not make a record as large as they are.
func TestEffectsAreClean(t *testing.T) {
	effects := []catalog.Effect{
		{Kind: "mail.to.hunter2"}, {Kind: "mail", Target: "https://x.example/?key=hunter2",
			Value: map[string]any{"note": []any{"is hunter2"}, "hunter2": 1, "password": "geheim",
				"long": strings.Repeat("x", 100<<10)}},
		{Kind: "mail", Value: strings.Repeat("x", 1<<20)}, {Kind: "mail", Value: func() {}},
	}
	b := emitting(t, effects...)
	out := b.run(User, `work.emit{}`)
	if out.Err != nil || len(out.Effects) != 2 || len(out.Calls[0].EffectsRejected) != 4 {
		t.Fatal(out.Err, listedEffects(out.Calls[0]))
	}
	if text := fmt.Sprint(out.Effects, b.records, out.Calls); strings.Contains(text, "hunter2") ||
		!strings.Contains(text, redacted) || strings.Contains(fmt.Sprint(out.Calls, b.records), "geheim") {
		t.Errorf("not clean: %.300s", text)
	}
	if text := fmt.Sprint(out.Calls[0]); len(text) > 16<<10 {
		t.Errorf("a record has %d bytes", len(text))
	}
}
