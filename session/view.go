package session

// This file holds the visible part of the catalog: narrowed for a handle or the session, or replaced.

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"

	"almanac/catalog"
	"almanac/session/policy"
	"almanac/session/trace"
)

// View returns what this handle may see now.
func (s *Session) View() *catalog.View {
	s.world.mu.Lock()
	v := cmp.Or(s.world.turnView, s.world.view)
	s.world.mu.Unlock()
	narrower, err := narrow(v, s.narrowed)
	if err != nil {
		// The rules fitted when the handle was made; the world has been narrowed past them since.
		return v.Nothing()
	}
	return narrower
}

// narrow applies rules that fitted the catalog of their time. The catalog of now may lack what they name.
func narrow(v *catalog.View, rules []catalog.Rules) (*catalog.View, error) {
	for _, r := range rules {
		r.Growing = true
		var err error
		if v, err = v.Narrow(r); err != nil {
			return nil, err
		}
	}
	return v, nil
}

// Replace gives the session another catalog to see, once no run is under way: more of it has been read, or it has
// changed at its source. What Restrict and Narrow took away stays away. Variables live on; descriptions and grants of
// actions that are gone or are not the same any more are forgotten. The error says that ctx was done, that the session
// is closed, that the change could not be recorded, or that v has another actor or tenant; then nothing is replaced.
func (s *Session) Replace(ctx context.Context, v *catalog.View) error {
	w := s.world
	if err := w.acquire(ctx); err != nil {
		return err
	}
	defer w.release()
	w.mu.Lock()
	old, rules := w.view, w.narrowed
	w.mu.Unlock()
	narrower, err := narrow(v, rules)
	if err != nil {
		return err
	}
	if narrower.Actor() != old.Actor() || narrower.Tenant() != old.Tenant() {
		return fmt.Errorf("catalog: its view is for %q of %q, the session's for %q of %q",
			narrower.Actor(), narrower.Tenant(), old.Actor(), old.Tenant())
	}
	note := fmt.Sprintf("catalog replaced: %d actions (was %d)", narrower.Len(), old.Len())
	if err := w.record(trace.Record{Kind: trace.KindNote, Text: note}); err != nil {
		return err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.view = narrower
	w.narrowTurn()
	for _, ids := range []map[string]bool{w.described, w.found} {
		maps.DeleteFunc(ids, func(id string, _ bool) bool { return !sameAction(old, narrower, id) })
	}
	w.policy = w.policy.Without(func(g policy.Grant) bool {
		id := g.Pattern.String()
		_, known := old.Lookup(id)
		return known && !g.Early && !sameAction(old, narrower, id)
	}).Settle(narrower)
	return nil
}

// sameAction reports whether an id means in both views what it meant when somebody read its description.
func sameAction(a, b *catalog.View, id string) bool {
	was, ok := a.Lookup(id)
	is, still := b.Lookup(id)
	return ok && still && was.Fingerprint() == is.Fingerprint()
}

// Narrow returns a handle on the same Lua world that sees only what r leaves, for one turn or one client.
func (s *Session) Narrow(r catalog.Rules) (*Session, error) {
	if _, err := s.View().Narrow(r); err != nil {
		return nil, err
	}
	return &Session{world: s.world, narrowed: append(slices.Clip(s.narrowed), r)}, nil
}

// Restrict narrows the session itself, and with it every handle, for the rest of its life.
func (s *Session) Restrict(r catalog.Rules) error {
	w := s.world
	w.mu.Lock()
	v, err := w.view.Narrow(r)
	if err == nil {
		w.view, w.narrowed, w.policy = v, append(w.narrowed, r), w.policy.Settle(v)
		w.narrowTurn()
	}
	w.mu.Unlock()
	if err != nil {
		return err
	}
	return w.record(trace.Record{Kind: trace.KindNote, Text: "view narrowed: " + r.Name})
}

// Restricted names what has narrowed the session for the rest of its life, each once.
func (s *Session) Restricted() (names []string) {
	s.world.mu.Lock()
	defer s.world.mu.Unlock()
	for _, r := range s.world.narrowed {
		if !slices.Contains(names, r.Name) {
			names = append(names, r.Name)
		}
	}
	return names
}

// RestrictTurn narrows the session, and with it every handle, until EndTurn.
func (s *Session) RestrictTurn(r catalog.Rules) error {
	w := s.world
	w.mu.Lock()
	v, err := cmp.Or(w.turnView, w.view).Narrow(r)
	if err == nil {
		w.turnView, w.turnRules = v, append(w.turnRules, r)
	}
	w.mu.Unlock()
	if err != nil {
		return err
	}
	return w.record(trace.Record{Kind: trace.KindNote, Text: "view narrowed for a turn: " + r.Name})
}

// EndTurn takes back what RestrictTurn took away, and returns the rules of it. The error says that it could not be
// recorded.
func (s *Session) EndTurn() ([]catalog.Rules, error) {
	w := s.world
	w.mu.Lock()
	ended := w.turnRules
	w.turnView, w.turnRules = nil, nil
	w.mu.Unlock()
	if len(ended) == 0 {
		return nil, nil
	}
	return ended, w.record(trace.Record{Kind: trace.KindNote, Text: "view of the turn ended"})
}

// Turn names what narrows the view until EndTurn; empty for nothing.
func (s *Session) Turn() (names []string) {
	s.world.mu.Lock()
	defer s.world.mu.Unlock()
	for _, r := range s.world.turnRules {
		names = append(names, r.Name)
	}
	return names
}

// narrowTurn narrows the view of now for the turn; where the rules do not fit any more, nothing is visible. The caller
// holds mu.
func (w *world) narrowTurn() {
	if w.turnView == nil {
		return
	}
	v, err := narrow(w.view, w.turnRules)
	if err != nil {
		v = w.view.Nothing()
	}
	w.turnView = v
}

// SearchView is View as it suits the session: searches raise actions from where it has described and called others (see
// catalog.View.WithRecent), and answers suggest nothing that finds an id which its variables or its context have.
func (s *Session) SearchView() *catalog.View {
	w := s.world
	w.mu.Lock()
	recent := w.recent
	var given []catalog.Given
	for _, name := range slices.Sorted(maps.Keys(w.directed.set)) {
		given = append(given, catalog.Given{Name: name})
	}
	for _, g := range w.globals {
		if g.Type != "function" {
			given = append(given, catalog.Given{Name: g.Name, Brief: g.Brief})
		}
	}
	w.mu.Unlock()
	return s.View().WithRecent(recent).WithGiven(given)
}

// Recall has SearchView take the ids, latest last, for described or called just now, such as those of a session that
// this one resumes. Describe and calls that succeed do so themselves.
func (s *Session) Recall(ids []string) {
	w := s.world
	w.mu.Lock()
	defer w.mu.Unlock()
	recent := slices.Clone(w.recent)
	for _, id := range ids {
		recent = append(slices.DeleteFunc(recent, func(have string) bool { return have == id }), id)
	}
	w.recent = recent[max(0, len(recent)-catalog.MaxRecent):]
}

// Remember has LastFound answer with the ids: what a search has shown.
func (s *Session) Remember(ids []string) {
	s.world.mu.Lock()
	defer s.world.mu.Unlock()
	s.world.lastFound = ids
}

// LastFound returns the ids that the last query or search has shown, in order.
func (s *Session) LastFound() []string {
	s.world.mu.Lock()
	defer s.world.mu.Unlock()
	return s.world.lastFound
}
