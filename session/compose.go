package session

// This file runs composed actions, whose body is Lua that calls other actions. They have no rights of their own: each
// of their calls takes the script's call path, with the same run, view, policy and budget.

import (
	"context"
	"errors"
	"fmt"

	"almanac/catalog"
	"almanac/session/kernel"
	"almanac/session/trace"
	"almanac/session/vm"
)

// maxDepth is how deep composed actions may nest.
const maxDepth = 4

// A composition is one running composed action; nil stands for the script itself.
type composition struct {
	run     *run
	outer   *composition
	entry   *catalog.Entry
	n       int // of its call
	args    map[string]any
	emitted []emitted // effects of its body
	// handed is true when the machine has got the arguments.
	handed bool
	// fatal is the error with which the call path ended the machine; nil without one.
	fatal *vm.HostError
}

// depth counts the composed actions that a call is inside of.
func (in *composition) depth() int {
	if in == nil {
		return 0
	}
	return in.outer.depth() + 1
}

// number is that of the composed action's call; zero for none.
func (in *composition) number() int {
	if in == nil {
		return 0
	}
	return in.n
}

// admits checks that the composed action may call the entry: a read must not mutate, whatever the policy says, and
// nesting is bounded.
func (in *composition) admits(entry *catalog.Entry, c *trace.Call) error {
	switch {
	case in == nil:
		return nil
	case entry.Mutates && !in.entry.Mutates:
		c.Verdict, c.Rule = trace.Denied, "a read may not change data"
		return denied(CodeDenied, fmt.Sprintf("%s: denied: %s calls it and is declared as a read", entry.ID, in.entry.ID),
			"declare "+in.entry.ID+" with mutates: true to allow it")
	case entry.Action == nil && in.depth() >= maxDepth:
		c.Verdict, c.Rule = trace.Limited, "nesting"
		return limited("nesting", fmt.Sprintf("%s: composed actions nested more than %d deep", entry.ID, maxDepth))
	}
	return nil
}

// argsID is what the machine of a composed action asks for first: the arguments. It cannot be the id of an action.
const argsID = "(args)"

// bodyPrefix stands in front of the body, on its first line.
const bodyPrefix = `local args = call("` + argsID + `"); `

// compose runs the Lua of an action in a fresh machine, while the machine that called it waits.
func (r *run) compose(ctx context.Context, entry *catalog.Entry, call catalog.Call, outer *composition,
	c *trace.Call) (reply, error) {
	c.Composed = true
	machine, err := r.session.world.pool.Get(ctx)
	if err != nil {
		return reply{}, r.failed(ctx, entry, fmt.Errorf("no Lua process: %w", err), c)
	}
	defer machine.Discard()
	in := &composition{run: r, outer: outer, entry: entry, n: c.N, args: call.Args}
	limits := r.limits()
	if entry.Timeout > 0 {
		limits.Time = min(limits.Time, entry.Timeout)
	}
	host, calls, scopes := r.hostOf(in)
	out, err := machine.Run(ctx, vm.Script{
		Source: bodyPrefix + entry.Lua, Name: entry.ID, Surface: vm.Execute, Roots: r.session.View().Roots(),
		Preview: r.mode == trace.ModePreview,
	}, limits, host)
	calls.end()
	scopes.end(ctx, err != nil || out.Err != nil)
	switch {
	case in.fatal != nil:
		c.Verdict = trace.Failed
		return reply{}, in.fatal
	case out.Err != nil:
		err = bodyError(out.Err)
	}
	var result catalog.Result
	if err == nil {
		result, err = composed(out.Values)
	}
	if err != nil {
		return reply{}, r.failed(ctx, entry, r.onFailure(ctx, entry, call, err, c), c)
	}
	if result, err = r.after(ctx, entry, call, result, c); err != nil {
		return reply{}, err
	}
	result.Effects = in.effects()
	answer, err := r.answer(entry, call.Args, result, c)
	if err == nil && entry.Mutates && r.mode == trace.ModePreview {
		c.Verdict = trace.Planned
	}
	return answer, err
}

// give answers the call by which the body asks for its arguments; ok is false for any other call.
func (in *composition) give(req kernel.CallRequest) (args map[string]any, ok bool) {
	if in == nil || req.ID != argsID || in.handed {
		return nil, false
	}
	in.handed = true
	return in.args, true
}

// note keeps the error with which the call path ended the machine: the composed call ends with it too.
func (in *composition) note(err error) {
	var host *vm.HostError
	if in == nil || !errors.As(err, &host) || !host.Fatal {
		return
	}
	in.run.mu.Lock()
	defer in.run.mu.Unlock()
	in.fatal = host
}

// composed is what a body returned: nothing, or one value that is data.
func composed(values []vm.Value) (catalog.Result, error) {
	if len(values) == 0 {
		return catalog.Result{}, nil
	}
	if v := values[0]; !v.Whole {
		return catalog.Result{}, fmt.Errorf("it returned a %s that is not data or is too large", v.Type)
	}
	return catalog.Result{Data: values[0].Data}, nil
}

// bodyError is the failure of a body for whoever called the action.
func bodyError(e *vm.Error) error {
	text := e.Message
	if e.Line > 0 {
		text = fmt.Sprintf("line %d: %s", e.Line, text)
	}
	if e.Hint != "" {
		text += " (" + e.Hint + ")"
	}
	return errors.New(text)
}
