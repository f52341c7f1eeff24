package catalog

import "context"

// This file has the hooks: what looks at each call of an action on its way, and may refuse or change it.

// Hooks are called for each call of an action, those of a moment in their order. They replace no check: what they
// change is checked as if the script had given it, and the policy, grants and approvals are about what will be sent.
type Hooks struct {
	// Before get the arguments as they were given.
	Before []Hook
	// Checked get the arguments as the action would: normalised, with defaults.
	Checked []Hook
	// After get the result of a call that was made. A refusal discards it.
	After []Hook
	// Failed get the error of a call that was made.
	Failed []Hook
}

// A Hook looks at calls at one moment.
type Hook struct {
	// Name is told where the hook refused or changed a call.
	Name string
	// Do may change the arguments, the result or the error in h, whichever its moment is about; all of h is its own. An
	// error refuses the call. It may be called concurrently, and must return when ctx is done.
	Do func(ctx context.Context, h *HookCall) error
	// Lua does the work if Do is nil: an expression that the session evaluates in a machine of its own, where no action
	// can be called. Before and Checked have args in it and give true, the arguments to go on with, or the reason why the
	// call is refused, as a string; false and nil refuse too. After have args and result and give the result. Hooks of
	// Failed must have a Do.
	Lua string
}

// A HookCall is a call as a hook sees it.
type HookCall struct {
	// Entry is shared and must not be changed.
	Entry *Entry
	// Call has the arguments without those that the host fills in.
	Call Call
	// Preview is set where the call is not made, or its run is a preview.
	Preview bool
	// Result is set for After. Its Effects are those of the action and stay as they are.
	Result Result
	// Err is set for Failed. Nil stands for the error as it was: a call that failed stays one that failed.
	Err error
}

// all lists the hooks by moment. The list is shared with h.
func (h *Hooks) all() [4]*[]Hook {
	return [4]*[]Hook{&h.Before, &h.Checked, &h.After, &h.Failed}
}

// With is h with those of other behind its own at each moment; either may be nil.
func (h *Hooks) With(other *Hooks) *Hooks {
	if h == nil || other == nil {
		if h == nil {
			return other
		}
		return h
	}
	var both Hooks
	for i, list := range both.all() {
		*list = append(append(*list, *h.all()[i]...), *other.all()[i]...)
	}
	return &both
}

// Attach gives the hooks that came without their functions, from an image, those of own.
func (h *Hooks) Attach(own *Hooks) {
	if h == nil || own == nil {
		return
	}
	for i, list := range h.all() {
		for j, hook := range *own.all()[i] {
			if j < len(*list) && (*list)[j].Name == hook.Name {
				(*list)[j].Do = hook.Do
			}
		}
	}
}
