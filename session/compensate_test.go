package session

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"almanac/catalog"
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
	return []catalog.Entry{
		entry("add", catalog.Update, "stock.add", map[string]any{"id": "$args.id", "n": "-$args.n"}),
		entry("make", catalog.Create, "stock.drop", map[string]any{"id": "$result.id"}),
		entry("send", catalog.Update, "stock.drop", map[string]any{"id": "$args.id"}),
		entry("drop", catalog.Delete, "", nil), entry("burn", catalog.Delete, "", nil),
		entry("login", catalog.Update, "stock.login", map[string]any{"password": "$args.password"}),
		entry("copy", catalog.Update, "stock.add", map[string]any{"id": "$result.text"}),
		entry("lost", catalog.Update, "stock.find", nil),
		entry("strict", catalog.Update, "stock.add", map[string]any{"n": "$args.id"}),
		batch, plain,
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
