package session

// This file takes back what runs wrote outside: each call that can be taken back has the call that does so in its
// record, and of those a script is made that the person is asked about.

import (
	"context"
	"reflect"
	"slices"
	"strings"

	"almanac/catalog"
	"almanac/catalog/lua"
	"almanac/catalog/secret"
	"almanac/session/trace"
)

// undo is the call that takes a mutation back which was just made; nil where its action declares none.
func (r *run) undo(entry *catalog.Entry, args map[string]any, data any) *trace.Undo {
	if entry.Compensate == nil || !entry.Mutates || r.mode == trace.ModePreview {
		return nil
	}
	red := r.session.world.redactor
	call, err := entry.Compensate.For(args, data)
	if err != nil {
		return &trace.Undo{ID: entry.Compensate.ID, Cannot: cut(red.text(err.Error()), logText)}
	}
	u := &trace.Undo{ID: call.ID, Args: red.args(call.Args)}
	_, part := sample(u.Args, recordedArgs)
	switch {
	case strings.Contains(lua.Literal(u.Args, lua.Options{}), secret.Mark):
		u.Args, u.Cannot = nil, call.ID+holdsASecret
	case part != "" || !reflect.DeepEqual(u.Args, call.Args):
		u.Args, u.Cannot = nil, call.ID+": its arguments are too long to be kept"
	}
	return u
}

const noneDeclared = "no action is declared that takes it back"

const holdsASecret = ": an argument holds a secret, which is not kept"

// Writes are the mutations among a run's calls that were made or may have been, in their order: those inside a composed
// action, or the composed action where it declares how it is taken back. None of them is what
// with_compensation took back.
func Writes(calls []trace.Call) []trace.Call {
	back := trace.Compensated(calls)
	inside := map[int]bool{} // of a composed action that stands for what is inside of it
	for _, c := range slices.SortedFunc(slices.Values(calls), func(a, b trace.Call) int { return a.N - b.N }) {
		inside[c.N] = inside[c.In] || c.Composed && c.Undo != nil
	}
	var writes []trace.Call
	for _, c := range calls {
		switch made := c.Verdict == trace.OK || c.Verdict == trace.Failed; {
		case !c.Mutates, c.Replayed, !made, back[c.N], inside[c.In], c.Composed && c.Undo == nil:
		default:
			writes = append(writes, c)
		}
	}
	return writes
}

// An UndoScript takes back what was written, as far as it can be taken back.
type UndoScript struct {
	// Source makes one call a line, for the last write first. Empty where nothing can be taken back.
	Source string
	// Takes are the writes that it takes back, the last first.
	Takes []trace.Call
	// Leaves are those that stay, the last first, each with the reason.
	Leaves []Stays

	lines [][]trace.Call // the writes that each line takes back
}

// Stays is a write that cannot be taken back.
type Stays struct {
	Call trace.Call
	Why  string
}

// UndoScript makes the script that takes back Writes, given in the order in which they were made. Two of them that the
// same deletion takes back have it made once: what is voided is void.
func (s *Session) UndoScript(writes []trace.Call) UndoScript {
	var u UndoScript
	view, deleted := s.View(), map[string]int{} // line that deletes
	for _, c := range slices.Backward(writes) {
		entry, why := s.takenBackBy(view, c)
		if why != "" {
			u.Leaves = append(u.Leaves, Stays{c, why})
			continue
		}
		u.Takes = append(u.Takes, c)
		line := lua.Call(c.Undo.ID, lua.Literal(c.Undo.Args, lua.Options{}))
		if i, made := deleted[line]; made {
			u.lines[i] = append(u.lines[i], c)
			continue
		}
		if catalog.OperationOf(entry) == catalog.Delete {
			deleted[line] = len(u.lines)
		}
		u.lines = append(u.lines, []trace.Call{c})
		u.Source += line + "\n"
	}
	return leaves(s.world, u)
}

// takenBackBy is the action that takes a write back, or why none does.
func (s *Session) takenBackBy(view *catalog.View, c trace.Call) (_ *catalog.Entry, why string) {
	switch u := c.Undo; {
	case c.Verdict != trace.OK && u == nil: // it may also have failed behind the action, whose result is known then
		return nil, "it failed, and what it did is not known"
	case u == nil:
		return nil, noneDeclared
	case u.Made:
		return nil, "it was taken back"
	case u.Cannot != "":
		return nil, u.Cannot
	case !reflect.DeepEqual(leaves(s.world, u.Args), u.Args):
		return nil, u.ID + holdsASecret
	}
	entry, err := view.Resolve(c.Undo.ID)
	if err == nil {
		_, err = entry.Input.Check(c.Undo.Args)
	}
	if err != nil {
		return nil, withID(c.Undo.ID, err)
	}
	return entry, ""
}

// TakeBack runs the script as the person's, in a machine of its own. The person is asked about its calls as one list.
// Name and Cell are those of a Script.
func (s *Session) TakeBack(ctx context.Context, u UndoScript, name string, cell int) (*Outcome, error) {
	out, err := s.Run(ctx, Script{Source: u.Source, Name: name, Cell: cell, Author: User, Fresh: true, Listed: true})
	if out == nil {
		return nil, err
	}
	var done []trace.Call
	for _, c := range out.Calls {
		if c.Verdict == trace.OK && c.Depth == 0 && c.Line > 0 && c.Line <= len(u.lines) {
			done = append(done, u.lines[c.Line-1]...)
		}
	}
	s.world.history.tookBack(done)
	return out, err
}

// tookBack has the history know that writes are taken back: they will not be again.
func (h *history) tookBack(writes []trace.Call) {
	h.mu.Lock()
	defer h.mu.Unlock()
	done := func(c trace.Call) bool {
		return c.Undo != nil && slices.ContainsFunc(writes, func(w trace.Call) bool {
			return w.Start.Equal(c.Start) && w.N == c.N && w.ID == c.ID
		})
	}
	for i, p := range h.points {
		if !slices.ContainsFunc(p.Writes, done) {
			continue
		}
		marked := *p // which a caller may have
		marked.Writes = slices.Clone(p.Writes)
		for j, c := range marked.Writes {
			if done(c) {
				undo := *c.Undo
				undo.Made = true
				marked.Writes[j].Undo = &undo
			}
		}
		h.points[i] = &marked
	}
	h.changed()
}
