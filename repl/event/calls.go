package event

// This file puts calls into the order in which they read best: a composed action before what it did, and many calls
// of one action in a row as one line.

import "almanac/session/trace"

// A CallFold holds back Called events until they can be shown. The zero CallFold is empty and ready.
type CallFold struct {
	// Whole keeps calls of one action apart.
	Whole bool
	// held are calls inside of a composed one that has not ended, in the order they are shown.
	held []Event
	// same is a call that the next ones may repeat; its Kind is zero when there is none.
	same Event
}

// Push takes an event and returns those that can be shown now, in order. Any event but a call lets all out that wait.
func (f *CallFold) Push(e Event) []Event {
	if e.Kind != Called || e.Call == nil {
		return append(f.Flush(), e)
	}
	if e.Call.Depth > 0 || len(f.held) > 0 {
		out := f.letOut()
		f.hold(e)
		if e.Call.Depth == 0 {
			out = append(out, f.held...)
			f.held = nil
		}
		return out
	}
	if !f.Whole && f.same.Kind != 0 && sameCall(f.same, e) {
		call := *f.same.Call
		call.Took += e.Call.Took
		call.Brief = ""
		f.same.Call = &call
		f.same.Times = max(f.same.Times, 1) + 1
		return nil
	}
	out := f.letOut()
	if f.Whole || !alike(e.Call) {
		return append(out, e)
	}
	f.same = e
	return out
}

// hold puts a call before those inside of it.
func (f *CallFold) hold(e Event) {
	at := len(f.held)
	for at > 0 && f.held[at-1].Call.Depth > e.Call.Depth {
		at--
	}
	f.held = append(f.held[:at], append([]Event{e}, f.held[at:]...)...)
}

func sameCall(a, b Event) bool {
	return alike(b.Call) && a.Call.Verdict == b.Call.Verdict && a.Call.ID == b.Call.ID && a.Call.Error == b.Call.Error &&
		a.Cell == b.Cell && (a.Call.Compensates == nil) == (b.Call.Compensates == nil) && !b.Call.Composed && !a.Call.Composed
}

// alike tells of calls that differ only in their arguments: those that went well, and those of a list that the person
// denied or that nobody answered.
func alike(c *trace.Call) bool {
	return c.Verdict == trace.OK || c.Verdict == trace.Denied && c.Rule == trace.Refused || c.Verdict == trace.Interrupted
}

// letOut ends the row of calls of one action.
func (f *CallFold) letOut() []Event {
	if f.same.Kind == 0 {
		return nil
	}
	out := []Event{f.same}
	f.same = Event{}
	return out
}

// Flush returns all that waits.
func (f *CallFold) Flush() []Event {
	out := append(f.letOut(), f.held...)
	f.held = nil
	return out
}

// Waiting returns what a screen may show meanwhile.
func (f *CallFold) Waiting() []Event {
	if f.same.Kind == 0 {
		return f.held
	}
	return append([]Event{f.same}, f.held...)
}
