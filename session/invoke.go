package session

// This file calls one action for a Go program: the call path without a script and without the kernel process.

import (
	"cmp"
	"context"
	"time"

	"almanac/catalog"
	"almanac/catalog/unknown"
	"almanac/session/kernel"
	"almanac/session/trace"
	"almanac/session/vm"
)

// An Invocation is one call of an action by a Go program.
type Invocation struct {
	// ID names the action. Args are its arguments, which must not be changed during the call.
	ID   string
	Args map[string]any
	// Author is whose rights and budget the call has. The zero Author counts as Model, for whom the action need not be
	// described here: the program has named it.
	Author Author
	// Context has values that stand in place of the session's: what the program knows, and vouches for, of its caller.
	Context catalog.Context
	// Key is the idempotency key of a mutation whose entry takes one; empty means a new one.
	Key string
	// Once has a failure that may be gone at the next attempt returned at once, for a caller that tries again itself.
	Once bool
	// DryRun previews the call: a mutation is not made, and Result.Note says what it would change.
	DryRun bool
}

// Call makes one call of an action. It takes the call path of a call in a script, with the budget of a run of its own,
// and no Lua but that of a composed action. It waits neither for runs nor for other calls. An error is a *vm.HostError,
// with a code and a hint, or ErrClosed. Effects of the result are not applied; its Next is what the action said, see
// Entry.NextPage.
func (s *Session) Call(ctx context.Context, in Invocation) (catalog.Result, error) {
	w := s.world
	w.mu.Lock()
	if w.closed {
		w.mu.Unlock()
		return catalog.Result{}, ErrClosed
	}
	w.calling.Add(1)
	w.mu.Unlock()
	defer w.calling.Done()

	script := Script{Author: cmp.Or(in.Author, Model), Name: in.ID, Fresh: true}
	r := &run{
		session: s, script: script, mode: trace.ModeFresh, id: NewID(time.Now()), invoked: &in,
		output: map[vm.Stream]*printing{}, player: playerOf(script, w.options), started: time.Now(),
	}
	if in.DryRun {
		r.mode = trace.ModePreview
	}
	r.again = r.budget()
	r.used = Usage{CallLimit: r.again.Calls, MutationLimit: r.again.Mutations}
	args := in.Args
	if args == nil {
		args = map[string]any{}
	}
	answer, err := r.call(ctx, kernel.CallRequest{ID: in.ID, Args: args}, 0, nil)
	r.endOutput()
	if err != nil {
		return catalog.Result{}, err
	}
	calls, effects := r.ordered()
	c := calls[0]
	result := catalog.Result{
		Data: answer.data, Effects: effects, Rejected: c.EffectsRejected, Next: c.Next, Unsure: c.Unsure, Note: c.Note,
	}
	if in.DryRun {
		result.Data, result.Note = unknown.Plain(answer.data), cmp.Or(c.Preview, c.Note)
	}
	return result, nil
}
