package session

// This file keeps what the catalog primitives of a run made: sets, steps and plans. A script knows them by handles.

import (
	"errors"
	"fmt"

	"almanac/catalog"
)

// handleRange is how many handles of a kind a run may give out. Handles of one run are never those of another, so that
// a set that a global kept is not taken for a new one.
const handleRange = 1 << 20

// handle is the number by which a script knows the i-th thing of its run, from 0.
func (r *run) handle(i int) int64 { return r.series()*handleRange + int64(i) }

// series is the number that the handles of the run have: in a replay that of the earlier run.
func (r *run) series() int64 {
	if r.player != nil && r.player.N > 0 {
		return r.player.N
	}
	return r.number
}

// held reads the handle that a host-made table carries under name, and returns which of the run's n things it is.
func (r *run) held(m map[string]any, name string, n int) (int, bool) {
	i, ok := whole(m[name])
	i -= r.series() * handleRange
	return int(i), ok && i >= 0 && i < int64(n)
}

// set reads the argument at i as a set.
func (r *run) set(a *arguments, i int) catalog.Set {
	set, err := r.readSet(a.at(i))
	if err != nil {
		a.fail(fmt.Errorf("argument %d: %w", i+1, err))
	}
	return set
}

func (r *run) readSet(v any) (catalog.Set, error) {
	switch v := v.(type) {
	case []any:
		return r.listed(v)
	case map[string]any:
		if list, ok := v["ids"].([]any); ok {
			return r.listed(list)
		}
		if at, found := r.held(v, "set", len(r.sets)); found {
			return r.sets[at], nil
		}
		if at, found := r.held(v, "step", len(r.steps)); found {
			return r.session.View().SetOf(r.steps[at].Hits), nil
		}
		if v["set"] != nil {
			return catalog.Set{}, errors.New("this set expired with its run: search again")
		}
	}
	return catalog.Set{}, fmt.Errorf("want a set or a list of ids, got %s", luaType(v))
}

// listed makes a set of ids or hits that a script put together.
func (r *run) listed(list []any) (catalog.Set, error) {
	view := r.session.View()
	hits := make([]catalog.Hit, 0, len(list))
	for i, item := range list {
		var hit catalog.Hit
		if m, ok := item.(map[string]any); ok {
			hit.Score, _ = m["score"].(float64)
			item = m["id"]
		}
		var ok bool
		if hit.ID, ok = item.(string); !ok {
			return catalog.Set{}, fmt.Errorf("item %d: want an id or a hit, got %s", i+1, luaType(item))
		}
		if _, err := view.Get(hit.ID); err != nil {
			return catalog.Set{}, fmt.Errorf("item %d: %w", i+1, err)
		}
		hits = append(hits, hit)
	}
	return view.SetOf(hits), nil
}

// give keeps a set for the run and returns what the script sees of it.
func (r *run) give(set catalog.Set) any {
	r.sets = append(r.sets, set)
	return r.listing(set.Hits(), map[string]any{
		"set": r.handle(len(r.sets) - 1), "total": int64(set.Total()), "query": set.Label(),
	})
}

// listing puts the hits into the answer; a script of the model's reads them one by one, with catalog.hit.
func (r *run) listing(hits []catalog.Hit, answer map[string]any) map[string]any {
	if r.bounded() {
		return answer
	}
	view := r.session.View()
	if most := r.budget().Shown; len(hits) > most {
		hits = hits[:most]
	}
	list := make([]any, 0, len(hits))
	for _, h := range hits {
		r.read(h.ID)
		list = append(list, view.PlainHit(h))
	}
	answer["hits"] = list
	return answer
}

func texts(ss []string) []any {
	list := make([]any, len(ss))
	for i, s := range ss {
		list[i] = s
	}
	return list
}
