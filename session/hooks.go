package session

// This file calls the hooks of an action and of the session at the moments of a call.

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"almanac/catalog"
	"almanac/catalog/task"
	"almanac/catalog/unknown"
	"almanac/session/policy"
	"almanac/session/trace"
	"almanac/session/vm"
)

// CodeHook is the code of a call that a hook refused.
const CodeHook = "hook"

// hooks are those of the session and of the entry at a moment, in their order. A run that replays a log has none: the
// log answers.
func (r *run) hooks(entry *catalog.Entry, at trace.Moment) []catalog.Hook {
	session, own := r.session.world.options.Hooks, entry.Hooks
	if session == nil && own == nil || r.player != nil && !r.player.Live {
		return nil
	}
	of := func(h *catalog.Hooks) []catalog.Hook {
		switch {
		case h == nil:
			return nil
		case at == trace.BeforeCheck:
			return h.Before
		case at == trace.AfterCheck:
			return h.Checked
		case at == trace.AfterRun:
			return h.After
		}
		return h.Failed
	}
	if at == trace.AfterRun || at == trace.OnError { // on the way back
		session, own = own, session
	}
	return slices.Concat(of(session), of(own))
}

// arguments are those to call the entry with: as the script gave them, or as the hooks changed them, and checked. Hooks
// see none that only a real run gives.
func (r *run) arguments(ctx context.Context, entry *catalog.Entry, given map[string]any, known catalog.Context,
	c *trace.Call) (map[string]any, error) {
	before, checked := r.hooks(entry, trace.BeforeCheck), r.hooks(entry, trace.AfterCheck)
	if len(before)+len(checked) == 0 || unknown.In(given) {
		return r.checkArgs(entry, given, c)
	}
	args := given
	if args == nil {
		args = map[string]any{}
	}
	c.Args = args
	h := catalog.HookCall{Entry: entry, Call: catalog.Call{ID: entry.ID, Context: known}}
	for _, hook := range before {
		changed, err := r.changedArgs(ctx, hook, trace.BeforeCheck, h, args, c)
		if err != nil {
			return nil, err
		}
		args = changed
	}
	if c.Hooks != nil {
		c.Given = given
	}
	args, err := r.checkArgs(entry, args, c)
	if err != nil {
		return nil, err
	}
	for _, hook := range checked {
		so := len(c.Hooks)
		changed, err := r.changedArgs(ctx, hook, trace.AfterCheck, h, args, c)
		if err != nil {
			return nil, err
		}
		if len(c.Hooks) == so {
			continue
		}
		c.Given = given
		if args, err = r.checkArgs(entry, changed, c); err != nil {
			var bad *vm.HostError
			errors.As(err, &bad)
			return nil, r.refusedBy(hook, trace.AfterCheck, errors.New(strings.TrimPrefix(bad.Message, entry.ID+": ")), c)
		}
	}
	return args, nil
}

// edited checks the arguments that the person put in the place of others: by the entry's schema, by the hooks, which
// may refuse them but not change what was approved, and by the rules of the policy: what one denies stays denied.
func (r *run) edited(ctx context.Context, entry *catalog.Entry, args map[string]any, known catalog.Context,
	c *trace.Call) (map[string]any, error) {
	args, err := r.checkArgs(entry, args, c)
	for _, hook := range r.hooks(entry, trace.AfterCheck) {
		if err != nil {
			return nil, err
		}
		before := len(c.Hooks)
		h := catalog.HookCall{Entry: entry, Call: catalog.Call{ID: entry.ID, Context: known}}
		if _, err = r.changedArgs(ctx, hook, trace.AfterCheck, h, args, c); err == nil && len(c.Hooks) > before {
			c.Hooks = c.Hooks[:before]
			err = r.refusedBy(hook, trace.AfterCheck, errors.New("it would change the arguments that were approved"), c)
		}
	}
	if err != nil {
		return nil, err
	}
	call := catalog.Call{ID: entry.ID, Args: args, Context: known}
	if d := r.ruled(entry, call, c); d.ByRule() && d.Verdict == policy.Deny {
		c.Rule = r.session.world.redactor.text(d.Rule)
		return nil, r.refusal(CodeDenied, d, d.Why(), c)
	}
	return args, nil
}

// changedArgs calls a hook of the arguments and returns those to go on with.
func (r *run) changedArgs(ctx context.Context, hook catalog.Hook, at trace.Moment, h catalog.HookCall,
	args map[string]any, c *trace.Call) (map[string]any, error) {
	h.Call.Args, _ = catalog.Copied(args, nil).(map[string]any)
	h, err := r.callHook(ctx, hook, at, h)
	if err != nil {
		return nil, r.notHooked(ctx, hook, at, err, c)
	}
	if reflect.DeepEqual(h.Call.Args, args) {
		return args, nil
	}
	if h.Call.Args == nil {
		h.Call.Args = map[string]any{}
	}
	c.Hooks = append(c.Hooks, trace.Hook{Name: hook.Name, At: at, Did: trace.ChangedArgs})
	return h.Call.Args, nil
}

// after lets the hooks see what a call returned. What takes the call back is made of the result as it was.
func (r *run) after(ctx context.Context, entry *catalog.Entry, call catalog.Call, result catalog.Result,
	c *trace.Call) (catalog.Result, error) {
	all := r.hooks(entry, trace.AfterRun)
	if len(all) == 0 || unknown.In(result.Data) {
		return result, nil
	}
	data, err := r.session.world.redactor.data(result.Data, r.budget().Result)
	if err != nil {
		return result, nil // answer says what is wrong
	}
	c.Undo = r.undo(entry, c.Args, data)
	result.Data = data
	for _, hook := range all {
		h := catalog.HookCall{Entry: entry, Call: call, Result: result}
		h.Call.Args, _ = catalog.Copied(call.Args, nil).(map[string]any)
		h.Result.Data = catalog.Copied(result.Data, nil)
		if h, err = r.callHook(ctx, hook, trace.AfterRun, h); err != nil {
			return result, r.notHooked(ctx, hook, trace.AfterRun, err, c)
		}
		h.Result.Effects = result.Effects
		if !reflect.DeepEqual(h.Result, result) {
			c.Hooks = append(c.Hooks, trace.Hook{Name: hook.Name, At: trace.AfterRun, Did: trace.ChangedResult})
		}
		result = h.Result
	}
	return result, nil
}

// onFailure lets the hooks see the error of a call, and returns the one to go on with.
func (r *run) onFailure(ctx context.Context, entry *catalog.Entry, call catalog.Call, failure error,
	c *trace.Call) error {
	for _, hook := range r.hooks(entry, trace.OnError) {
		if ctx.Err() != nil {
			return failure
		}
		h := catalog.HookCall{Entry: entry, Call: call, Err: failure}
		h.Call.Args, _ = catalog.Copied(call.Args, nil).(map[string]any)
		h, err := r.callHook(ctx, hook, trace.OnError, h)
		switch {
		case err != nil:
			c.Hooks = append(c.Hooks, trace.Hook{Name: hook.Name, At: trace.OnError, Did: trace.HookRefused})
			failure = fmt.Errorf("%w; hook %q: %w", failure, hook.Name, err)
		case h.Err != nil && h.Err != failure:
			c.Hooks = append(c.Hooks, trace.Hook{Name: hook.Name, At: trace.OnError, Did: trace.ChangedError})
			failure = h.Err
		}
	}
	return failure
}

// callHook calls a hook, bounded in time.
func (r *run) callHook(ctx context.Context, hook catalog.Hook, at trace.Moment,
	h catalog.HookCall) (catalog.HookCall, error) {
	h.Preview = r.mode == trace.ModePreview
	if hook.Do == nil {
		return r.evaluate(ctx, hook, at, h)
	}
	do := func(ctx context.Context, _ catalog.Call) (catalog.Result, error) {
		own := h // an abandoned hook may still write to it
		err := task.Guard("it", func() error { return hook.Do(ctx, &own) })
		return catalog.Result{Data: own}, err
	}
	result, err := callAction(ctx, do, catalog.Call{}, r.wait(h.Entry))
	if err != nil {
		return h, err
	}
	done, _ := result.Data.(catalog.HookCall)
	return done, nil
}

// notHooked is the error of a hook, or that of an interrupt meanwhile.
func (r *run) notHooked(ctx context.Context, hook catalog.Hook, at trace.Moment, err error, c *trace.Call) error {
	if ctx.Err() != nil {
		c.Verdict = trace.Interrupted
		if at == trace.AfterRun {
			c.Verdict = trace.Failed
		}
		return interrupted()
	}
	return r.refusedBy(hook, at, err, c)
}

// refusedBy is the error of a call that a hook refused. One that was made has failed; the script may go on after it.
func (r *run) refusedBy(hook catalog.Hook, at trace.Moment, why error, c *trace.Call) error {
	c.Hooks = append(c.Hooks, trace.Hook{Name: hook.Name, At: at, Did: trace.HookRefused})
	text := r.session.world.redactor.text(fmt.Sprintf("%s: refused by hook %q: %v", c.ID, hook.Name, why))
	if at == trace.AfterRun {
		c.Verdict = trace.Failed
		return &vm.HostError{Code: CodeHook, Message: text, Hint: "the action ran; its result was discarded"}
	}
	c.Verdict, c.Rule = trace.Denied, "hook "+hook.Name
	return denied(CodeHook, text, "")
}
