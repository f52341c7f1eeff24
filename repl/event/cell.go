package event

// This file is the cell: what one input came to, and the names of results.

import (
	"slices"
	"strings"
	"time"

	"almanac/repl/input"
	"almanac/session"
	"almanac/session/trace"
	"almanac/session/vm"
)

// A Cell is one numbered input: a script or a prompt, and what came of it.
type Cell struct {
	// N counts from 1; zero for inputs that are not numbered.
	N      int
	Form   input.Form
	Author session.Author
	// Source is the script or the prompt.
	Source  string
	Started time.Time
	// Elapsed is how long it took, without Waited: the time in which a person was asked.
	Elapsed, Waited time.Duration
	// Outcome is that of the cell's script, or of the model's last one; nil when there was none.
	Outcome *session.Outcome
	// Calls are all action calls of the cell, numbered through: [7.2] is the second.
	Calls []trace.Call
	// Effects are those of the calls of its runs, with what became of each.
	Effects []trace.Effect
	// Scripts are those that the model ran, in order.
	Scripts []string
	// Course is what the model thought, wrote for its tools, called and read, in order, as far as it is kept; empty for a
	// script of the person's.
	Course []Event
	// Answer is what the model said at last.
	Answer string
	Err    error
	// Replay is true when the cell belongs into a saved session: a script of the person's that succeeded.
	Replay bool
}

// went adds e to the course of the cell; of a kind it keeps room bytes of text.
func (c *Cell) went(e Event, room int) {
	for _, earlier := range c.Course {
		if earlier.Kind == e.Kind {
			room -= len(earlier.Text)
		}
	}
	if len(e.Text) <= room {
		c.Course = append(c.Course, e)
	}
}

// IsResult tells the globals that hold results: _ and _1, _2 ..., and _2_1 for the first of the model's scripts in [2].
func IsResult(name string) bool {
	return strings.HasPrefix(name, "_") && strings.Trim(name[1:], "0123456789_") == ""
}

// Named leaves out the globals that the shell itself sets.
func Named(globals []vm.Global) []vm.Global {
	var own []vm.Global
	for _, g := range globals {
		if !IsResult(g.Name) {
			own = append(own, g)
		}
	}
	return own
}

// OwnNames leaves out the names of results.
func OwnNames(names []string) []string {
	return slices.DeleteFunc(slices.Clone(names), IsResult)
}
