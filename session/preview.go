package session

// This file asks actions for a preview of a mutation, for approvals and dry runs.

import (
	"context"

	"almanac/catalog"
	"almanac/catalog/unknown"
	"almanac/session/trace"
)

// previewText bounds the text of a preview, in bytes.
const previewText = 64 << 10

// planMutation records a mutation that a preview run does not make. One that would fail fails here too.
func (r *run) planMutation(ctx context.Context, entry *catalog.Entry, call catalog.Call, c *trace.Call) (reply, error) {
	if err := r.previewCall(ctx, entry, call, c); err != nil {
		return reply{}, err
	}
	if err := r.foresee(entry, call, c); err != nil {
		return reply{}, err
	}
	c.Verdict, c.Rule = trace.Planned, "preview"
	return r.placeholder(entry, c), nil
}

// placeholder is the result of a call that a preview does not make, with the effects that its entry declares.
func (r *run) placeholder(entry *catalog.Entry, c *trace.Call) reply {
	data := entry.Output.Unknown(entry.ID)
	r.effects(entry, data, catalog.Result{}, c)
	return reply{data: data}
}

// planRead records a read that a preview cannot make, since some of its arguments come from what it does not make.
func (r *run) planRead(entry *catalog.Entry, c *trace.Call) (reply, error) {
	c.Verdict, c.Rule = trace.Planned, "its arguments are known only when applied"
	return r.placeholder(entry, c), nil
}

// previewCall fills in the action's preview of the call, where it has one. An error means the call would fail, so there
// is nothing to approve.
func (r *run) previewCall(ctx context.Context, entry *catalog.Entry, call catalog.Call, c *trace.Call) error {
	if entry.Preview == nil || unknown.In(call.Args) {
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
