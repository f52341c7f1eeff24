package session

import (
	"maps"
	"slices"

	"almanac/session/vm"
)

// This file keeps what has happened to the shared globals that the model has not been told.

// News are the changes of the globals since the model last asked, but for those that its own scripts made.
type News struct {
	// Reset tells that all globals had gone before those of Globals were set.
	Reset bool
	// Back tells that the globals went back to what they were at the model's last prompt.
	Back bool
	// Moved says where the person took the globals otherwise: "took back cell 7: the globals are those of cell 6".
	Moved string
	// Lost is Outcome.Lost of a run of the person's: the globals came back as they were earlier.
	Lost    string
	Globals vm.Diff
}

// News returns what is new and forgets it: what it returns counts as told. It may be called at any time.
func (s *Session) News() News {
	w := s.world
	w.mu.Lock()
	defer w.mu.Unlock()
	told := w.news.told()
	w.news = news{}
	return leaves(w, told)
}

// How the value of a name differs from the one that the model knows.
type difference int

const (
	added difference = iota + 1
	changed
	removed
)

// news is what the model has not been told.
type news struct {
	reset bool
	back  bool
	moved string
	lost  string
	names map[string]difference
}

// take takes in what a run has changed. The model knows what its own runs do.
func (n *news) take(author Author, d vm.Diff) {
	if n.names == nil {
		n.names = map[string]difference{}
	}
	if author != User {
		for _, name := range slices.Concat(d.Added, d.Changed, d.Removed) {
			delete(n.names, name)
		}
		return
	}
	for _, name := range d.Added {
		if n.names[name] == removed {
			n.names[name] = changed
		} else {
			n.names[name] = added
		}
	}
	for _, name := range d.Changed {
		if n.names[name] != added {
			n.names[name] = changed
		}
	}
	for _, name := range d.Removed {
		if n.names[name] == added {
			delete(n.names, name)
		} else {
			n.names[name] = removed
		}
	}
}

func (n *news) told() News {
	told := News{Reset: n.reset, Back: n.back, Moved: n.moved, Lost: n.lost}
	for _, name := range slices.Sorted(maps.Keys(n.names)) {
		switch n.names[name] {
		case added:
			told.Globals.Added = append(told.Globals.Added, name)
		case changed:
			told.Globals.Changed = append(told.Globals.Changed, name)
		case removed:
			told.Globals.Removed = append(told.Globals.Removed, name)
		}
	}
	return told
}
