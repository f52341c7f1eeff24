package repl

import (
	"strings"

	"almanac/catalog/source"
	"almanac/llm"
	"almanac/repl/event"
	"almanac/repl/input"
	"almanac/session/policy"
)

// Standing is what a status line tells.
type Standing struct {
	Mode input.Mode
	// Model is empty when there is none.
	Model   string
	Context llm.Context
	// Usage is what the session has cost.
	Usage llm.Usage
	// Calls and Mutations are those of the last or current run, and so are the limits.
	Calls, CallLimit         int
	Mutations, MutationLimit int
	Policy                   policy.Mode
	// Writes says what happens to calls that change data, in the words of every place: "writes: ask, 1 grant".
	Writes string
	// Role names the roles that the session has taken; empty without any.
	Role string
	// Turn says what narrows the view until the turn ends; empty for nothing.
	Turn string
	// Actions is how many actions the view shows. Loading tells that more may come, and Progress how far that is.
	Actions  int
	Loading  bool
	Progress source.Progress
	Globals  int
	Actor    string
	Session  string
	// Team names the team, the session's name in it and what is unread, which are Unread items; empty without a team.
	Team   string
	Unread int
	// Cell is the number of the last cell.
	Cell int
	Busy bool
}

// StatusLine returns what a status line tells now. It costs little: a screen may ask for every frame.
func (sh *Shell) StatusLine() Standing {
	s := sh.options.Session
	view, used, p := s.View(), s.Used(), s.Policy()
	st := Standing{
		Calls: used.Calls, CallLimit: used.CallLimit, Mutations: used.Mutations, MutationLimit: used.MutationLimit,
		Policy: p.Effective(), Writes: p.Words(), Actions: view.Len(), Actor: view.Actor(), Session: s.ID(),
		Globals: len(event.Named(s.Globals())), Turn: strings.Join(s.Turn(), ", "),
		Role: s.RoleNames(),
	}
	st.Team, st.Unread = sh.teamText()
	if l := sh.options.Sources; l != nil && l.Loading() {
		st.Loading, st.Progress = true, l.Progress()
	}
	if st.CallLimit == 0 { // nothing has run yet
		b := s.Budget(authorIn(sh.Mode()))
		st.CallLimit, st.MutationLimit = b.Calls, b.Mutations
	}
	if st.Policy == policy.ReadOnly && len(p.Rules)+len(p.Grants) == 0 {
		st.MutationLimit = 0
	}
	if c := sh.conversation(); c != nil {
		st.Model = c.Target().String()
		st.Context, st.Usage = c.Context(), c.Usage()
	}
	sh.mu.Lock()
	st.Mode, st.Cell, st.Busy = sh.mode, sh.last, sh.busy
	sh.mu.Unlock()
	return st
}
