package vm

import (
	"fmt"
	"slices"
	"strings"

	"almanac/catalog/text/cells"
)

// This file lists what a session's scripts have set. The session's globals have a table of their own, backed by the
// prelude and the libraries, so that a script may shadow any of their names but cannot damage them.

// A fingerprint is how a global is compared between runs: a plain value by itself, a table by identity, size and what
// is in it.
type fingerprint struct {
	value  any
	size   int
	inside uint64 // a digest; zero where it is not known
}

// differs tells whether p is not what the global was.
func (p fingerprint) differs(was fingerprint) bool {
	if p.inside == 0 || was.inside == 0 {
		p.inside, was.inside = 0, 0
	}
	return p != was && (was.value == was.value || p.value == p.value)
}

// own lists the names the session has set, in order.
func (m *Machine) own() []string {
	names := make([]string, 0, len(m.session.hash))
	for k, v := range m.session.hash {
		if name, ok := k.(string); ok && v != nil && !reserved(name) && !m.kept[name] {
			names = append(names, name)
		}
	}
	if m.state != nil {
		names = append(names, stateName)
	}
	slices.Sort(names)
	return names
}

// keep sets the names to v; from then on they count as results, not as globals set by a script.
func (m *Machine) keep(names []string, v any) {
	for _, name := range names {
		if m.kept == nil {
			m.kept = map[string]bool{}
		}
		m.kept[name] = true
		m.session.put(name, v)
	}
}

// Globals lists the variables that the session has set, by name. It must not run beside Run.
func (m *Machine) Globals() []Global {
	names := m.own()
	globals := make([]Global, len(names))
	for i, name := range names {
		v := m.owned(name)
		globals[i] = Global{Name: name, Type: m.typeName(v), Size: m.sizeOf(v), Brief: m.brief(v)}
	}
	return globals
}

const (
	briefWidth = 60
	// maxBrief is the longest brief.
	maxBrief = 1000
	// briefSize is the largest table whose keys are put in order for a brief, which is made after every run.
	briefSize = 500
)

// brief is v on one line of at most 60 cells.
func (m *Machine) brief(v any) string { return m.briefIn(v, briefWidth) }

// briefIn is v on one line of at most so many cells.
func (m *Machine) briefIn(v any, room int) string {
	if t := m.open(v); t != nil && len(t.hash) > briefSize {
		return fmt.Sprintf("{ %d entries }", t.size())
	}
	p := &printer{m: m, left: room, width: 4 * room, open: map[*table]bool{}, naming: true}
	return cells.Clip(strings.Join(strings.Fields(p.whole(v, room)), " "), room, "...")
}

func (m *Machine) prints() map[string]fingerprint {
	prints := make(map[string]fingerprint, len(m.session.hash))
	digests := &digester{m: m, left: digestSteps, path: map[*table]bool{}}
	for _, name := range m.own() {
		v := m.owned(name)
		p := fingerprint{value: v}
		if t := m.open(v); t != nil {
			p.size = t.size()
			if p.inside = digests.of(t); digests.left < 0 {
				p.inside = 0
			}
		}
		prints[name] = p
	}
	return prints
}

func difference(before, after map[string]fingerprint) Diff {
	var d Diff
	for name, p := range after {
		old, was := before[name]
		switch {
		case !was:
			d.Added = append(d.Added, name)
		case p.differs(old):
			d.Changed = append(d.Changed, name)
		}
	}
	for name := range before {
		if _, is := after[name]; !is {
			d.Removed = append(d.Removed, name)
		}
	}
	slices.Sort(d.Added)
	slices.Sort(d.Changed)
	slices.Sort(d.Removed)
	return d
}

// Keys lists the names in the global table at path, without calling metamethods; an empty path means the globals
// themselves, the prelude's included. A path that is no table gives nil. It must not run beside Run.
func (m *Machine) Keys(path []string) []Key {
	w := m.walkGlobals()
	if len(path) > 0 {
		if w = (walk{t: m.open(m.lookUp(path))}); w.t == nil {
			return nil
		}
	}
	var keys []Key
	for k, v, ok := w.step(m); ok; k, v, ok = w.step(m) {
		if name, ok := k.(string); ok && !reserved(name) {
			keys = append(keys, Key{Name: name, Type: m.typeName(v)})
		}
	}
	slices.SortFunc(keys, func(a, b Key) int { return strings.Compare(a.Name, b.Name) })
	return keys
}

// behind is the table in which rawget finds k: for the globals the names behind them where the session has not set k.
func (m *Machine) behind(t *table, k any) *table {
	if name, ok := k.(string); t == m.session && t.hash[k] == nil && ok && !reserved(name) {
		return m.names
	}
	return t
}

// describe is the line of vars() about a global.
func (g Global) describe() string {
	switch g.Type {
	case "table":
		return fmt.Sprintf("table of %d: %s", g.Size, g.Brief)
	case "number", "boolean", "string", "null":
		return g.Type + ": " + g.Brief
	}
	return g.Type
}
