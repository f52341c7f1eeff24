package session

// This file narrows a session to a role: its view, its policy and its budgets at once.

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"almanac/catalog"
	"almanac/session/policy"
	"almanac/session/trace"
)

// A Role is what a session does one job with. Taking one only narrows: it hides actions, makes the policy stricter and
// budgets smaller.
type Role struct {
	Name string
	// Prompt is what the model is told of it; may be empty.
	Prompt string
	// View has the rules that narrow the view, and Policy what bounds decisions.
	View   []catalog.Rules
	Policy []policy.Role
	// Budget bounds the model's runs and UserBudget the person's; Time bounds the Lua of the model's. What is zero bounds
	// nothing.
	Budget, UserBudget Budget
	Time               time.Duration
}

// Roles are those that were taken, in their order.
func (s *Session) Roles() []Role {
	s.world.mu.Lock()
	defer s.world.mu.Unlock()
	return slices.Clone(s.world.roles)
}

// RoleNames names the roles that were taken: "reviewer", or "reviewer and reader"; empty without any.
func (s *Session) RoleNames() string {
	var names []string
	for _, r := range s.Roles() {
		names = append(names, r.Name)
	}
	return strings.Join(names, " and ")
}

// Take narrows the session to a role, from the next call on and for the rest of its life. The error says that the rules
// of its view do not fit the catalog, or that it could not be recorded; then nothing changes.
func (s *Session) Take(role Role) error {
	w := s.world
	w.mu.Lock()
	loading := w.view.Loading() != ""
	role.View = slices.Clone(role.View)
	v, err := w.view, error(nil)
	for i := range role.View {
		role.View[i].Growing = role.View[i].Growing || loading
		if v, err = v.Narrow(role.View[i]); err != nil {
			break
		}
	}
	w.mu.Unlock()
	if err == nil {
		err = w.note("%s%s", roleNote, role.Name)
	}
	if err != nil {
		return fmt.Errorf("role %s: %w", role.Name, err)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if v, err = narrow(w.view, role.View); err != nil {
		v = w.view.Nothing() // it was narrowed meanwhile, so that they fit no more
	}
	w.view, w.narrowed = v, append(w.narrowed, role.View...)
	w.policy.Roles = append(slices.Clip(w.policy.Roles), role.Policy...)
	w.policy = w.policy.Settle(v)
	w.narrowTurn()
	w.enter(role)
	return nil
}

// roleNote begins the record of a role.
const roleNote = "role "

// RolesAtEnd names the roles that the last session of a log had taken.
func RolesAtEnd(records []trace.Record) (names []string) {
	for _, r := range records {
		if r.Kind == trace.KindSession {
			names = nil
		} else if name, taken := strings.CutPrefix(r.Text, roleNote); taken && r.Kind == trace.KindNote {
			names = append(names, name)
		}
	}
	return names
}

// enter bounds the budgets. The caller holds mu, or nobody else has the world yet.
func (w *world) enter(role Role) {
	w.roles = append(w.roles, role)
	w.options.Budget, w.userBudget = w.options.Budget.within(role.Budget), w.userBudget.within(role.UserBudget)
	if role.Time > 0 {
		w.options.Limits.Time = min(w.options.Limits.Time, role.Time)
	}
}

// within is the budget with no field larger than one that other has.
func (b Budget) within(other Budget) Budget {
	o := other.or(b)
	return Budget{
		Calls: min(b.Calls, o.Calls), Mutations: min(b.Mutations, o.Mutations), Refused: min(b.Refused, o.Refused),
		Selected: min(b.Selected, o.Selected), Described: min(b.Described, o.Described), Shown: min(b.Shown, o.Shown),
		Result: min(b.Result, o.Result), Wait: min(b.Wait, o.Wait),
	}
}
