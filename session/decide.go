package session

// This file asks the policy about a call, and says what would let one through that it refuses.

import (
	"context"
	"strings"

	"almanac/catalog"
	"almanac/catalog/text"
	"almanac/session/policy"
	"almanac/session/trace"
	"almanac/session/vm"
)

// decide asks the policy and, where the policy says so, what the person approved for the run, or the person. It returns
// the arguments to call with, which the person may have edited; off tells that the person wants the call left out.
func (r *run) decide(ctx context.Context, entry *catalog.Entry, call catalog.Call,
	c *trace.Call) (args map[string]any, off bool, err error) {
	asks := requested(entry, call, c.Injected)
	d := r.verdict(asks, c)
	if d.Verdict != policy.Allow && d.Verdict != policy.AskFor {
		return nil, false, r.refusal(CodeDenied, d, d.Why(), c)
	}
	var planned *listed
	if back, _ := isCompensating(ctx); entry.Mutates && !back {
		if planned, err = r.takeListed(entry, call.Args, d, c); err != nil {
			return nil, false, err
		}
	}
	switch {
	case planned.isOff():
		leaveOut(c)
		return nil, true, nil
	case planned != nil && planned.edited != nil:
		c.Rule = "approved in a list" + trace.Edited
		args, err = r.edited(ctx, entry, planned.edited, call.Context, c)
		return args, false, err
	case planned != nil && !planned.open() && (r.applies != nil || d.Verdict == policy.AskFor):
		c.Rule, c.Preview = r.list.rule(), planned.call.Preview
		return call.Args, false, nil
	case d.Verdict == policy.Allow:
		return call.Args, false, nil
	}
	args, err = r.ask(ctx, entry, call, asks, c)
	return args, false, err
}

// ruled is what the policy of now says about a call that is not made yet: no grant is used.
func (r *run) ruled(entry *catalog.Entry, call catalog.Call, c *trace.Call) policy.Decision {
	return r.session.Policy().Decide(requested(entry, call, c.Injected))
}

// requested is a call as the policy decides about it.
func requested(entry *catalog.Entry, call catalog.Call, injected map[string]any) policy.Request {
	asks := policy.RequestOf(entry, call.Args)
	asks.Injected, asks.Actor, asks.Tenant = injected, call.Context.Actor, call.Context.Tenant
	return asks
}

// Requested is a call of e as the policy decides about it, with the context of now. Those arguments that the host fills
// in are missing which the session does not have.
func (s *Session) Requested(e *catalog.Entry, args map[string]any) policy.Request {
	known := s.context(s.View())
	known.Messages = s.said()
	return Requested(e, args, s.heard(e, known, s.Budget(Model).Result))
}

// Requested is Session.Requested where there is no session.
func Requested(e *catalog.Entry, args map[string]any, from catalog.Context) policy.Request {
	injected, _ := injectedFrom(e, from)
	return requested(e, catalog.Call{Args: args, Context: from}, injected)
}

// verdict is the decision of the current policy; grants do not apply to a script that may only read.
func (r *run) verdict(asks policy.Request, c *trace.Call) policy.Decision {
	var d policy.Decision
	switch {
	case r.script.Times > 1 && asks.Mutates:
		d = policy.Decision{Verdict: policy.Deny, Rule: "repeated runs only read", Reason: "a repeated run may only read"}
	default:
		d = r.session.world.decide(asks)
	}
	c.Rule = r.session.world.redactor.text(d.Rule)
	return d
}

// refusal is the error of a decision other than allow; why is told instead of its reason. The hint is what would let
// the call through.
func (r *run) refusal(code string, d policy.Decision, why string, c *trace.Call) *vm.HostError {
	c.Verdict = trace.Denied
	red := r.session.world.redactor
	if host := r.session.world.options.Host; host != "" && why == policy.ReasonReadOnly {
		why = "host " + host + " is read-only"
	}
	if !strings.HasPrefix(why, "denied ") {
		why = "denied: " + why
	}
	return denied(code, red.text(c.ID+": "+why), red.text(r.remedy(d)))
}

func (r *run) remedy(d policy.Decision) string {
	commands := r.session.world.options.Commands
	flag := "--allow " + text.ShellWord(d.Fit)
	host := r.session.world.options.Host
	switch user := r.script.Author == User; {
	case r.script.Times > 1:
		return "this is a write; run it once, without a number of times"
	case d.Fit == "":
		return ""
	case host != "":
		return "this is a write; who runs the host can allow it there: almanac host " + host + " " + flag
	case commands && d.Missed != "" && user:
		return "allow it with /policy allow " + d.Fit
	case commands && d.Missed != "":
		return "the person can allow it with /policy allow " + d.Fit
	case commands && user:
		return "this is a write; allow it with /policy allow " + d.Fit + ", or be asked with /policy ask"
	case commands:
		return "this is a write; the person can allow it with /policy allow " + d.Fit
	case user:
		return "this is a write; rerun with " + flag
	default:
		return "this is a write; the person can allow it with " + flag + " at the start"
	}
}
