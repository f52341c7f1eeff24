package session

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"almanac/catalog"
	"almanac/session/policy"
	"almanac/session/trace"
)

// stockEntries are actions that are taken back by others, or by none.
func (s *shop) stockEntries() []catalog.Entry {
	input := catalog.MustSchema(`{"type":"object","properties":{"id":{"type":"string"},"n":{"type":"integer"},"password":{"type":"string"}},"additionalProperties":false}`)
	entry := func(id string, op catalog.Operation, undo string, args map[string]any) catalog.Entry {
		e := catalog.Entry{
			ID: "stock." + id, Operation: op, Mutates: true, Input: input,
			Action: func(_ context.Context, c catalog.Call) (catalog.Result, error) {
				if c.Args["n"] == int64(13) {
					return catalog.Result{}, errors.New("no thirteen")
				}
				s.act(c, "%s %v %v", id, c.Args["id"], c.Args["n"])
				return catalog.Result{Data: map[string]any{"id": "made", "text": strings.Repeat("x", 40000)}}, nil
			},
		}
		if undo != "" {
			e.Compensate = &catalog.Compensation{ID: undo, Args: args}
		}
		return e
	}
	batch := entry("batch", catalog.Update, "stock.drop", map[string]any{"id": "batch"})
	batch.Action, batch.Lua = nil, `stock.add{id = "in", n = 1} return true`
	plain := entry("plain", catalog.Update, "", nil)
	plain.Action, plain.Lua = nil, `stock.add{id = "in", n = 2} stock.burn{} return true`
	guarded := entry("guarded", catalog.Update, "", nil)
	guarded.Action, guarded.Lua = nil, `with_compensation(function() stock.add{id = args.id, n = 7} error("guarded") end)`
	return []catalog.Entry{
		entry("add", catalog.Update, "stock.add", map[string]any{"id": "$args.id", "n": "-$args.n"}),
		entry("make", catalog.Create, "stock.drop", map[string]any{"id": "$result.id"}),
		entry("send", catalog.Update, "stock.drop", map[string]any{"id": "$args.id"}),
		entry("drop", catalog.Delete, "", nil), entry("burn", catalog.Delete, "", nil),
		entry("login", catalog.Update, "stock.login", map[string]any{"password": "$args.password"}),
		entry("copy", catalog.Update, "stock.add", map[string]any{"id": "$result.text"}),
		entry("lost", catalog.Update, "stock.find", nil),
		entry("strict", catalog.Update, "stock.add", map[string]any{"n": "$args.id"}),
		batch, plain, guarded,
	}
}

// openStock gives the session the actions of the stock beside the shop's.
func (b *bench) openStock() {
	b.t.Helper()
	all, _ := catalog.New(append(b.shop.entries(), b.shop.stockEntries()...), catalog.Options{})
	if err := b.session.Replace(b.t.Context(), all.View()); err != nil {
		b.t.Fatal(err)
	}
}

// takeBack takes back all that the session wrote, as its records have it, or shows how.
func (b *bench) takeBack(run bool) string {
	b.mu.Lock()
	var writes []trace.Call
	calls := map[string][]trace.Call{}
	for _, r := range b.records {
		if r.Kind == trace.KindCall {
			calls[r.Run] = append(calls[r.Run], *r.Call)
		}
		if r.Kind == trace.KindOutcome {
			writes = append(writes, Writes(calls[r.Run])...)
		}
	}
	b.mu.Unlock()
	u := b.session.UndoScript(writes)
	if run {
		out, err := b.session.TakeBack(b.t.Context(), u, "undo", 0)
		return b.orError(out, err)
	}
	var w strings.Builder
	w.WriteString(u.Source)
	for _, s := range u.Leaves {
		fmt.Fprintf(&w, "-- %s stays: %s\n", s.Call.ID, s.Why)
	}
	return w.String()
}

// What was taken back is not taken back again when the same runs are undone once more; what was refused is.
func TestTakenBackOnce(t *testing.T) {
	b := newBench(t, func(o *Options) { o.Policy.Mode = policy.Session })
	b.openStock()
	b.run(User, `x = 1 stock.add{id = "a", n = 1} stock.make{} stock.send{id = "made"}`)
	undo := func() UndoScript {
		t.Helper()
		m, err := b.session.Undo(t.Context(), 1)
		if err != nil {
			t.Fatal(err)
		}
		var writes []trace.Call
		for _, p := range slices.Backward(m.Over) {
			writes = append(writes, p.Writes...)
		}
		return b.session.UndoScript(writes)
	}
	redo := func() {
		t.Helper()
		if _, err := b.session.Redo(t.Context(), 1); err != nil {
			t.Fatal(err)
		}
	}
	const both = "stock.drop({ id = \"made\" })\nstock.add({ id = \"a\", n = -1 })\n"
	u := undo()
	if u.Source != both || len(u.Leaves) > 0 {
		t.Fatalf("got %+v", u)
	}
	if out, err := b.session.TakeBack(t.Context(), u, "undo", 0); err != nil || out.Err == nil { // refused
		t.Fatalf("%v, %+v", err, out)
	}
	redo()
	if u = undo(); u.Source != both {
		t.Fatalf("after a refusal: %s", u.Source)
	}
	b.answer("list off 2")
	if out, err := b.session.TakeBack(t.Context(), u, "undo", 0); err != nil || out.Err != nil {
		t.Fatalf("%v, %+v", err, out)
	}
	redo()
	u = undo()
	if u.Source != "stock.add({ id = \"a\", n = -1 })\n" || len(u.Leaves) != 2 ||
		u.Leaves[0].Why != "it was taken back" {
		t.Errorf("after a part was taken back: %+v", u)
	}
}
