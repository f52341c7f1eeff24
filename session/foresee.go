package session

// This file asks actions what a call of theirs would change, before anybody is asked and in previews.

import (
	"context"

	"almanac/catalog"
	"almanac/session/trace"
)

// previewText bounds what a call would change, as text, in bytes.
const previewText = 64 << 10

// foretell records a mutation that a preview does not make. One that would fail fails here too.
func (r *run) foretell(ctx context.Context, entry *catalog.Entry, call catalog.Call, c *trace.Call) (reply, error) {
	if err := r.foresee(ctx, entry, call, c); err != nil {
		return reply{}, err
	}
	c.Verdict, c.Rule = trace.Planned, "preview"
	return reply{data: entry.Output.Placeholder()}, nil
}

// foresee fills in what the call would change, where the action can tell. The error says that it would fail: then
// there is nothing to ask for.
func (r *run) foresee(ctx context.Context, entry *catalog.Entry, call catalog.Call, c *trace.Call) error {
	if entry.Preview == nil {
		return nil
	}
	look := func(ctx context.Context, call catalog.Call) (catalog.Result, error) {
		text, err := entry.Preview(ctx, call)
		return catalog.Result{Note: text}, err
	}
	result, err := callAction(ctx, look, call.With(c.Injected), r.wait(entry))
	if err != nil {
		return r.failed(ctx, entry, err, c)
	}
	c.Preview = cut(r.session.world.redactor.text(result.Note), previewText)
	return nil
}
