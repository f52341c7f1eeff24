package session

// This file takes back what a script did inside of with_compensation, where that failed: by the calls that the actions
// declare for it, the last write first. Each takes the call path like any other and is in the trace, with the numbers
// of those that it takes back; one that fails is named, and the others are made.

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"almanac/catalog/text"
	"almanac/session/kernel"
	"almanac/session/trace"
	"almanac/session/vm"
)

// compensationGrace is how long an interrupted run may take to compensate.
const compensationGrace = 10 * time.Second

// scopes are the with_compensation of one machine.
type scopes struct {
	run   *run
	in    *composition
	begun []*scope // without those at the end that have ended
}

// A scope is one with_compensation: the calls behind its beginning, in what runs it.
type scope struct {
	after  []int64 // its place
	within int     // how many numbers of it its calls have too
	line   int
	ended  bool
}

// has tells whether the call at a place is inside.
func (s *scope) has(at []int64) bool {
	return len(at) > s.within && s.within <= len(s.after) && slices.Equal(at[:s.within], s.after[:s.within]) &&
		slices.Compare(at, append(slices.Clip(s.after), math.MaxInt64)) > 0
}

func (s *scopes) serves(name string) bool {
	return name == "call.scope" || name == "call.keep" || name == "call.compensate"
}

// op begins a scope, or ends one that went well or that failed.
func (s *scopes) op(ctx context.Context, name string, args []any) (any, error) {
	a := &arguments{list: args}
	if name == "call.scope" {
		within, _ := whole(a.at(1))
		line, _ := whole(a.at(2))
		s.begun = append(s.begun, &scope{after: a.place(0), within: int(max(within, 0)), line: int(line)})
		return int64(len(s.begun)), nil
	}
	n, _ := whole(a.at(0))
	if n < 1 || n > int64(len(s.begun)) || s.begun[n-1].ended {
		return nil, errors.New("with_compensation: it was not begun")
	}
	ending := s.begun[n-1]
	ending.ended = true
	for last := len(s.begun) - 1; last >= 0 && s.begun[last].ended; last-- {
		s.begun = s.begun[:last]
	}
	if name == "call.compensate" {
		s.compensate(ctx, []*scope{ending}, a.place(1))
	}
	return nil, nil
}

// end compensates what the machine left open when its run failed: Lua cannot, where a limit, a denial or an interrupt
// ended it. After an interrupt there is little time, and nobody is asked.
func (s *scopes) end(ctx context.Context, failed bool) {
	open := slices.DeleteFunc(s.begun, func(s *scope) bool { return s.ended })
	if s.begun = nil; !failed || len(open) == 0 {
		return
	}
	s.compensate(ctx, open, []int64{math.MaxInt64})
}

// compensate takes back what was done in some scopes. place is that of its calls.
func (s *scopes) compensate(ctx context.Context, of []*scope, place []int64) {
	r := s.run
	writes := s.writes(of)
	if r.mode == trace.ModePreview {
		s.tellPlanned(writes)
		return
	}
	asks := ctx.Err() == nil
	if !asks {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(context.WithoutCancel(ctx), compensationGrace)
		defer cancel()
	}
	ctx = context.WithValue(ctx, compensating{}, asks)
	u := r.session.UndoScript(writes)
	var told []string
	for i, back := range u.lines {
		id := back[0].ID
		err := s.takeBack(ctx, back, append(slices.Clip(place), int64(i+1)), of[0].line)
		if err != nil {
			told = append(told, fmt.Sprintf("not compensated: %s: %s", id, strings.TrimPrefix(err.Error(), id+": ")))
			continue
		}
		told = append(told, fmt.Sprintf("compensated: %s by %s", id, back[0].Undo.ID))
	}
	for _, stays := range u.Leaves {
		told = append(told, fmt.Sprintf("not compensated: %s: %s", stays.Call.ID, stays.Why))
	}
	s.tell(told)
}

// toldCompensations is how many lines tell of one with_compensation.
const toldCompensations = 20

func (s *scopes) tell(lines []string) {
	if over := len(lines) - toldCompensations; over > 1 {
		lines = append(lines[:toldCompensations:toldCompensations], fmt.Sprintf("and %d more", over))
	}
	for _, line := range lines {
		s.run.write(vm.Stderr, text.SanitizeLine(line)+"\n")
	}
}

// writes are the mutations that were made in some scopes, in the order of the script; in a preview those that it
// planned. A call that a log answered is as the log has it, but for its number.
func (s *scopes) writes(of []*scope) []trace.Call {
	r := s.run
	r.mu.Lock()
	defer r.mu.Unlock()
	var prefix []int64
	if s.in != nil {
		prefix = append(slices.Clip(r.placed[s.in.n].at), 0)
	}
	var inside []trace.Call
	for _, c := range r.calls {
		at := r.placed[c.N].at
		if len(at) < len(prefix) || !slices.Equal(at[:len(prefix)], prefix) ||
			!slices.ContainsFunc(of, func(s *scope) bool { return s.has(at[len(prefix):]) }) {
			continue
		}
		if was := r.placed[c.N].was; was != nil {
			c.Mutates, c.Undo, c.Replayed = was.Mutates, was.Undo, false
		}
		inside = append(inside, c)
	}
	slices.SortFunc(inside, func(a, b trace.Call) int {
		return cmp.Or(slices.Compare(r.placed[a.N].at, r.placed[b.N].at), a.N-b.N)
	})
	if r.mode == trace.ModePreview {
		return slices.DeleteFunc(inside, func(c trace.Call) bool {
			return c.Verdict != trace.Planned || !c.Mutates || c.Composed
		})
	}
	return Writes(inside)
}

// tellPlanned says in a preview what would be compensated.
func (s *scopes) tellPlanned(writes []trace.Call) {
	var told []string
	for _, c := range slices.Backward(writes) {
		entry, err := s.run.session.View().Resolve(c.ID)
		switch {
		case err != nil:
		case entry.Compensate == nil:
			told = append(told, c.ID+" would stay: "+noneDeclared)
		default:
			told = append(told, fmt.Sprintf("would be compensated: %s by %s", c.ID, entry.Compensate.ID))
		}
	}
	s.tell(told)
}

// takeBack makes the call that takes some writes back.
func (s *scopes) takeBack(ctx context.Context, writes []trace.Call, place []int64, line int) error {
	r, undo := s.run, writes[0].Undo
	n := r.begin()
	r.place(n, place, s.in)
	c := trace.Call{
		N: n, ID: undo.ID, Line: line, Author: string(r.script.Author), Depth: s.in.depth(), In: s.in.number(),
		Start: time.Now(),
	}
	for _, w := range writes {
		c.Compensates = append(c.Compensates, w.N)
	}
	slices.Sort(c.Compensates)
	pass := func() (reply, error) {
		return r.pass(ctx, kernel.CallRequest{ID: undo.ID, Args: undo.Args}, s.in, &c)
	}
	if r.player != nil {
		pass = func() (reply, error) { return r.replayedBack(&c) }
	}
	answer, err := pass()
	if ended := r.keep(ctx, c, answer.data, err); ended != nil {
		return ended
	}
	return err
}

// compensating is the key of a context in which calls take others back: they are of no plan and of no budget. Its value
// tells whether the person may be asked.
type compensating struct{}

// isCompensating tells of such a context, and whether the person may be asked in it.
func isCompensating(ctx context.Context) (is, asks bool) {
	asks, is = ctx.Value(compensating{}).(bool)
	return is, asks || !is
}
