package session

// This file evaluates the hooks that are Lua expressions, in a process of their own where no action can be called.

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"almanac/catalog"
	"almanac/catalog/lua"
	"almanac/session/kernel"
	"almanac/session/trace"
	"almanac/session/vm"
)

// What one expression may use.
const (
	hookSteps = 1_000_000
	hookTime  = 5 * time.Second
)

// hookMachine is the process in which a session evaluates hooks. It starts with the first.
type hookMachine struct {
	mu      sync.Mutex // one expression at a time
	machine *kernel.Kernel
}

// close ends the process.
func (m *hookMachine) close() {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.machine != nil {
		m.machine.Close()
		m.machine = nil
	}
}

// evaluate calls a hook that is an expression.
func (r *run) evaluate(ctx context.Context, hook catalog.Hook, at trace.Moment,
	h catalog.HookCall) (catalog.HookCall, error) {
	if hook.Lua == "" || at == trace.OnError {
		return h, errors.New("it has no code")
	}
	given := map[string]any{"args": h.Call.Args}
	if at == trace.AfterRun {
		given["result"] = h.Result.Data
	}
	value, err := r.expression(ctx, hook, given)
	if err != nil {
		return h, err
	}
	if at == trace.AfterRun {
		h.Result.Data = value
		return h, nil
	}
	switch v := value.(type) {
	case map[string]any:
		h.Call.Args = v
		return h, nil
	case []any:
		if len(v) == 0 {
			h.Call.Args = map[string]any{}
			return h, nil
		}
	case bool:
		if v {
			return h, nil
		}
	case string:
		return h, errors.New(v)
	case nil:
		return h, errors.New("it gave nil, not true or arguments")
	}
	return h, fmt.Errorf("it gave %s, not true or arguments", lua.Literal(value, lua.Options{Limit: 80}))
}

// expression is what the Lua of a hook comes to over what is given. A machine in which it has set something, or which
// it has brought to a limit, is not used again.
func (r *run) expression(ctx context.Context, hook catalog.Hook, given map[string]any) (any, error) {
	m := &r.session.world.hookMachine
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.machine == nil {
		fresh, err := r.session.world.pool.Get(ctx)
		if err != nil {
			return nil, fmt.Errorf("no Lua process: %w", err)
		}
		m.machine = fresh
	}
	limits := r.limits()
	limits.Steps, limits.Time = hookSteps, hookTime
	reply, err := m.machine.Run(ctx, vm.Script{
		Source: "local given = call(\"" + argsID + "\"); local args, result = given.args, given.result; return (" +
			hook.Lua + "\n)",
		Name: hook.Name, Surface: vm.Execute,
	}, limits, kernel.Host{
		Write: func(vm.Stream, string) {},
		Call: func(_ context.Context, req kernel.CallRequest) (any, error) {
			if req.ID == argsID {
				return given, nil
			}
			return nil, fmt.Errorf("%s: a hook calls no actions", req.ID)
		},
		Op: func(_ context.Context, name string, _ []any) (any, error) {
			return nil, fmt.Errorf("%s: not available in a hook", name)
		},
	})
	if c := reply.Changed; err != nil || reply.Err != nil || len(c.Added)+len(c.Changed)+len(c.Removed) > 0 {
		m.machine.Discard()
		m.machine = nil
	}
	switch {
	case err != nil:
		return nil, err
	case reply.Err != nil:
		return nil, bodyError(reply.Err)
	}
	result, err := composed(reply.Values)
	return result.Data, err
}
