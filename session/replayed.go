package session

// This file answers the calls of a script from the record of an earlier run of it. Nothing acts: a denial, a limit and
// a failure come back as they were, and a call that the record does not have ends the run.

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"almanac/catalog"
	"almanac/catalog/compare"
	"almanac/catalog/unknown"
	"almanac/session/kernel"
	"almanac/session/trace"
	"almanac/session/vm"
)

// The codes of a call that a replay has no answer to: the log does not have it, or only a part of its result.
const (
	CodeNotRecorded = "not_recorded"
	CodeNotWhole    = "not_whole"
)

// A Replay is what an earlier run of a script has called. Script.Tape is the rest of it.
type Replay struct {
	// Calls are those of the run as its log has them. A call is answered by the first one that was not yet used with the
	// same action and arguments.
	Calls []trace.Call
	// Applied are the effects that it applied, which are applied again; see AppliedBy. State tells that the name state
	// meant the state, as in trace.Script.
	Applied []catalog.Effect
	State   bool
	// N is the number of the run, as in trace.Script; zero where it is not known.
	N int64
	// Whole returns the value with a digest, which a call has where the log has only a part; nil where there are none.
	Whole func(digest string) ([]byte, error)
	// Live makes reads for real, where they had an answer or are not among Calls. A mutation is never made.
	Live bool
}

// A player gives the calls of a Replay, each once. Calls of a run may be concurrent.
type player struct {
	*Replay
	mu   sync.Mutex
	used []bool
	keys []string // of the arguments
}

// playerOf is nil for a script that calls for real.
func playerOf(s Script, o Options) *player {
	replay := s.Replay
	if replay == nil && o.Replay {
		replay = &Replay{}
	}
	if replay == nil {
		return nil
	}
	p := &player{Replay: replay, used: make([]bool, len(replay.Calls)), keys: make([]string, len(replay.Calls))}
	for i, c := range replay.Calls {
		p.keys[i] = c.ArgsWhole
		switch {
		case c.Rewritten():
			p.keys[i] = argsKey(c.Given)
		case c.ArgsWhole == "":
			p.keys[i] = argsKey(c.Args)
		}
	}
	return p
}

// argsKey is the same for arguments and for what a log gives back of them.
func argsKey(args map[string]any) string {
	if len(args) == 0 {
		return "{}"
	}
	text, err := json.Marshal(args)
	var read map[string]any
	if err == nil {
		err = json.Unmarshal(text, &read)
	}
	if err == nil {
		text, err = json.Marshal(read)
	}
	if err != nil {
		return err.Error()
	}
	return string(text)
}

// otherArgs tells that the record of a call does not have the arguments of the script: a person edited them, or what
// ended the call came before they were looked at.
func otherArgs(c *trace.Call) bool {
	return c.Edited() || c.GivenCut ||
		c.Args == nil && c.Verdict != trace.OK && c.Verdict != trace.Failed && c.Verdict != trace.Planned
}

// take finds the recorded call of an action under one of its names with one of some arguments, and uses it up: the one
// with the number n, since calls in parallel that are alike may have ended in any order, or else the first. Those of
// which the record has other arguments come last. One that was rejected stands for all that are like it. near is what
// there is of the action where none fits. With defaults a record may have more arguments than the script gave.
func (p *player) take(n int, names []string, args []map[string]any, defaults bool, red redactor) (
	found *trace.Call, with int, near *trace.Call) {
	keys := make([][2]string, len(args))
	for i, a := range args {
		_, digest, _ := trace.Pack(red.wholeArgs(a))
		keys[i] = [2]string{argsKey(red.args(a)), digest}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, others := range []bool{false, true} {
		at := -1
		for i := range p.Calls {
			c := &p.Calls[i]
			if c.In > 0 || c.Compensates != nil || c.ID != names[0] && c.ID != names[len(names)-1] {
				continue
			}
			near = c
			if p.used[i] || otherArgs(c) != others {
				continue
			}
			fits := func(key [2]string) bool {
				return others || p.keys[i] == key[0] || p.keys[i] == key[1]
			}
			fit := slices.IndexFunc(keys, fits)
			for j := 0; defaults && fit < 0 && j < len(args); j++ {
				if covers(c.Args, red.args(args[j])) {
					fit = j
				}
			}
			if fit >= 0 && (at < 0 || c.N == n) {
				if at, with = i, fit; c.N == n {
					break
				}
			}
		}
		if at >= 0 {
			p.used[at] = p.Calls[at].Verdict != trace.Rejected
			return &p.Calls[at], with, nil
		}
	}
	return nil, 0, near
}

// covers tells that recorded arguments have all that a script gave.
func covers(was, given map[string]any) bool {
	for name, v := range given {
		if old, there := was[name]; !there || !compare.Same(old, v) {
			return false
		}
	}
	return true
}

// replayed answers a call; real tells that it is to be made instead, a read.
func (r *run) replayed(view *catalog.View, req kernel.CallRequest, in *composition, c *trace.Call) (
	answer reply, real bool, err error) {
	names, args := []string{req.ID}, []map[string]any{req.Args}
	entry, unknownID := view.Resolve(req.ID)
	if unknownID == nil {
		names = append(names, entry.ID)
		if checked, err := entry.Input.Check(req.Args); err == nil {
			args = []map[string]any{checked, req.Args}
		}
	}
	args = append(r.player.alone(names[len(names)-1], req.Args), args...)
	var was, near *trace.Call
	with := 0
	if in == nil { // those inside are answered with the composed action, but where that is made for real
		// Of an action that is gone the defaults are not known.
		plain := entry == nil || len(entry.Input.Fields()) == 0
		if was, with, near = r.player.take(c.N, names, args, plain, r.session.world.redactor); was != nil && plain &&
			len(was.Args) > len(args[with]) {
			args[with] = was.Args
		}
	}
	reads := entry != nil && !entry.Mutates && entry.Callable()
	switch {
	case was == nil && entry != nil && len(args) == 1, was == nil && entry == nil && near == nil:
		return reply{}, true, nil // the checks refuse it, as they would have done
	case r.player.Live && reads && (was == nil || was.Verdict == trace.OK || was.Verdict == trace.Failed):
		return reply{}, true, nil
	case was == nil:
		c.ID, c.Args, c.Verdict = names[len(names)-1], args[0], trace.Denied
		return reply{}, false, notRecorded(c.ID, near)
	}
	r.repeat(c, was, args[with])
	if err := r.repeatInside(was, c); err != nil {
		return reply{}, false, err
	}
	if was.Error != "" && was.Rule != trace.SwitchedOff {
		return reply{}, false, recordedError(was)
	}
	data, err := r.player.result(was, entry)
	if err != nil {
		c.Verdict = trace.Denied
		return reply{}, false, denied(CodeNotWhole, c.ID+": "+err.Error(), "")
	}
	if was.Verdict == trace.Planned && entry != nil && entry.Mutates {
		call := catalog.Call{ID: entry.ID, Args: args[with]}
		if err := r.foresee(entry, call, c); err != nil {
			return reply{}, false, err
		}
	}
	result := catalog.Result{Data: data, Next: was.Next, Unsure: was.Unsure}
	answer = reply{data: data, next: was.Next, full: (was.Next != nil) != was.Unsure}
	if entry != nil {
		answer.next, answer.full = entry.NextPage(args[with], result)
	}
	return answer, false, nil
}

// notRecorded ends the run before a call that the record does not have.
func notRecorded(id string, near *trace.Call) *vm.HostError {
	err := denied(CodeNotRecorded, id+": not in the log: the run did not make this call", "")
	if near != nil {
		err.Message = id + ": not in the log: the run made it with other arguments, or less often"
	}
	return err
}

// repeat fills in the record of a call from that of the earlier one.
func (r *run) repeat(c, was *trace.Call, args map[string]any) {
	again := *was
	again.N, again.Line, again.Depth, again.In = c.N, c.Line, c.Depth, c.In
	again.Author, again.Start, again.Replayed, again.Mutates = c.Author, c.Start, true, false
	again.Compensates = c.Compensates
	if !otherArgs(was) && !was.Rewritten() {
		again.Args = args
	}
	again.ArgsPart, again.ArgsWhole, again.Undo = "", "", nil
	again.Brief, again.Result, again.Part, again.Whole, again.Times = "", nil, "", "", 0
	if again.Rule != trace.SwitchedOff {
		again.Error = ""
	}
	*c = again
	r.mu.Lock()
	defer r.mu.Unlock()
	if was.Verdict != trace.Rejected && was.Verdict != trace.Limited {
		r.used.Calls++
	}
	if was.Mutates && (was.Verdict == trace.OK || was.Verdict == trace.Failed) {
		r.used.Mutations++
	}
	r.tellUsed()
	p := r.placed[c.N]
	p.effects, p.was = was.Effects, was
	r.placed[c.N] = p
}

// repeatInside takes over the calls that a composed action made.
func (r *run) repeatInside(was, c *trace.Call) error {
	for i := range r.player.Calls {
		inner := &r.player.Calls[i]
		if inner.In != was.N {
			continue
		}
		again := *inner
		again.N, again.In, again.Replayed, again.Mutates, again.Undo = r.begin(), c.N, true, false, nil
		at := append(slices.Clip(r.at(c.N)), 0, int64(i))
		r.mu.Lock()
		again.Compensates = r.renumbered(inner.Compensates)
		r.placed[again.N] = placed{at: at, effects: inner.Effects, was: inner}
		r.calls = append(r.calls, again)
		r.mu.Unlock()
		if err := r.session.world.record(r.of(trace.Record{Kind: trace.KindCall, Mode: r.mode, Call: &again})); err != nil {
			return denied(CodeLog, fmt.Sprintf("%s: %v", again.ID, err), "")
		}
		if err := r.repeatInside(inner, &again); err != nil {
			return err
		}
	}
	return nil
}

// renumbered are the numbers of calls of the log here. The caller holds mu.
func (r *run) renumbered(numbers []int) (here []int) {
	for n, p := range r.placed {
		if p.was != nil && slices.Contains(numbers, p.was.N) {
			here = append(here, n)
		}
	}
	slices.Sort(here)
	return here
}

// replayedBack answers the call that takes others back, of which c has the numbers.
func (r *run) replayedBack(c *trace.Call) (reply, error) {
	r.mu.Lock()
	was := -1
	for i, recorded := range r.player.Calls {
		if slices.Equal(r.renumbered(recorded.Compensates), c.Compensates) && recorded.Compensates != nil {
			was = i
		}
	}
	r.mu.Unlock()
	if was < 0 {
		c.Verdict = trace.Denied
		return reply{}, notRecorded(c.ID, nil)
	}
	recorded := &r.player.Calls[was]
	r.repeat(c, recorded, recorded.Args)
	if err := r.repeatInside(recorded, c); err != nil {
		return reply{}, err
	}
	if recorded.Error != "" {
		return reply{}, recordedError(recorded)
	}
	data, err := r.player.result(recorded, nil)
	return reply{data: data}, err
}

// recordedError is the error that a call ended with.
func recordedError(was *trace.Call) *vm.HostError {
	err := &vm.HostError{
		Fatal: was.Fatal != "", Kind: vm.Kind(was.Fatal), Message: was.Error, Hint: was.Hint, Limit: was.Limit,
		Code: was.Code, Refused: was.Verdict == trace.Rejected,
	}
	if was.Code != "" || was.Fatal != "" {
		return err
	}
	switch was.Verdict { // of a log of old
	case trace.Denied:
		err.Fatal, err.Kind, err.Code = true, vm.Denied, CodeDenied
	case trace.Limited:
		err.Fatal, err.Kind, err.Code, err.Limit = true, vm.Limit, CodeBudget, strings.TrimPrefix(was.Rule, "budget ")
	case trace.Interrupted:
		err.Fatal, err.Kind = true, vm.Interrupt
	case trace.Failed:
		err.Code = CodeFailed
	}
	return err
}

// result is what a recorded call returned.
func (p *player) result(was *trace.Call, entry *catalog.Entry) (any, error) {
	switch {
	case was.Verdict == trace.Planned && entry != nil && entry.Action != nil:
		return entry.Output.Unknown(entry.ID), nil
	case was.Verdict == trace.Planned && !was.Composed:
		return unknown.Of("", was.ID), nil
	case was.Whole == "" && was.Part == "":
		return was.Result, nil
	}
	missing := errors.New("the log has not all of its result")
	if was.Part != "" {
		missing = fmt.Errorf("the log has %s of its result", was.Part)
	}
	if was.Whole == "" || p.Whole == nil {
		return nil, missing
	}
	packed, err := p.Whole(was.Whole)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", missing, err)
	}
	return trace.Unpack(packed)
}
