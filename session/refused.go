package session

// This file counts refused calls, which a script may catch and retry: unknown ids and invalid arguments, also of the
// catalog's primitives. They change nothing, so the log holds each distinct call of an action once, with its count.

import (
	"fmt"

	"almanac/session/trace"
	"almanac/session/vm"
)

const (
	// recordedRefusals is how many refused calls of a run are recorded, each different from the others.
	recordedRefusals = 100
	// maxCalledID bounds the ids that are looked up, and those in records, in bytes. No entry has a longer one.
	maxCalledID = 256
)

// A refusal is what refused calls have in common.
type refusal struct{ id, message string }

// refusals are the refused calls of a run; the run's mu guards them.
type refusals struct {
	total int
	// at is where each is among the run's calls.
	at map[refusal]int
}

// refuse counts a refused call. recorded tells that a record holds its like, or that there are enough. An error ends
// the run: too many refusals.
func (r *run) refuse(c trace.Call) (recorded bool, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	err = r.countRefused(c.ID)
	key := refusal{c.ID, c.Error}
	if i, known := r.refused.at[key]; known {
		r.calls[i].Times++
		return true, err
	}
	if len(r.refused.at) >= recordedRefusals {
		return true, err
	}
	if r.refused.at == nil {
		r.refused.at = map[refusal]int{}
	}
	r.refused.at[key] = len(r.calls)
	c.Times = 1
	r.calls = append(r.calls, c)
	return false, err
}

// refuseOp counts a refused primitive of the catalog, which has no record.
func (r *run) refuseOp(name string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.countRefused(name)
}

// countRefused is an error when there are too many. The caller holds mu.
func (r *run) countRefused(name string) error {
	r.refused.total++
	if most := r.budget().Refused; r.refused.total > most {
		return limited("refused calls", fmt.Sprintf("%s: the run has reached %d refused calls", name, most))
	}
	return nil
}

// noteRefused logs how many refused calls have no record of their own.
func (r *run) noteRefused() error {
	r.mu.Lock()
	total, recorded := r.refused.total, len(r.refused.at)
	r.mu.Unlock()
	if total == recorded {
		return nil
	}
	return r.session.world.record(r.of(trace.Record{
		Kind: trace.KindNote, Text: fmt.Sprintf("%d calls refused; %d distinct ones recorded", total, recorded),
	}))
}

// tooLong is the error for an id longer than any entry's.
func tooLong(id string) *vm.HostError {
	return &vm.HostError{
		Code: CodeUnknown, Message: cut(id, 100) + ": no such action", Hint: "find actions with catalog.search(\"words\")",
		Refused: true,
	}
}
