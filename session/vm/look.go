package vm

// This file lets a person inspect the session's values one level at a time. No Lua runs: metamethods are not called,
// and an action is shown by its name.

// A Step is one key on the way into a table: a number where Numeric is set, else a name.
type Step struct {
	Name    string
	Index   float64
	Numeric bool
}

// A Node is one value as it stands, without what is below it.
type Node struct {
	// Step is its key in the table that holds it. Odd is true if the key is neither a name nor a number: no path leads
	// there, and Step.Name is the key as text.
	Step Step
	Odd  bool
	Type string
	// Size counts a table's entries or a string's bytes.
	Size int
	// Brief is the value on one line, in at most so many cells as were asked for.
	Brief string
}

// A Page is a value and a stretch of what is in it.
type Page struct {
	Node
	// Text is a value that is no table in readable text, cut to 64 KiB; empty for a table.
	Text string
	// Nodes are the entries from the asked one on: what names a record first, as in Brief, then in the order of pairs (see
	// Machine.Look).
	Nodes []Node
	// From is the position of the first of them, counted from 0.
	From int
}

// maxNodes is how many entries one Page holds.
const maxNodes = 2000

// maxOrdered is the largest number of keys that a Page puts in order.
const maxOrdered = 100_000

// lookText bounds the text of a Page.
const lookText = 64 << 10

// Look shows the value at path and up to limit entries of it, 2,000 at most, beginning with number from; each Brief has
// at most wide cells, 60 where that is less. An empty path means the variables that the session has set. A missing
// value has the type "nil". If a table has more than 100,000 keys beside its list, some of them are shown, unordered.
// It must not run beside Run.
func (m *Machine) Look(path []Step, from, limit, wide int) Page {
	limit = min(max(limit, 0), maxNodes)
	from = max(from, 0)
	wide = min(max(wide, briefWidth), maxBrief)
	if len(path) == 0 {
		return m.lookAround(from, limit, wide)
	}
	v := m.reach(path)
	page := Page{Node: m.node(v, wide), From: from}
	page.Step = path[len(path)-1]
	t := m.open(v)
	if t == nil {
		page.Text = m.repr(nil, v, lookText, lineWidth)
		return page
	}
	at := 0
	each := func(k, v any) bool {
		if at++; at > from {
			n := m.node(v, wide)
			n.Step, n.Odd = m.step(k)
			page.Nodes = append(page.Nodes, n)
		}
		return len(page.Nodes) < limit
	}
	if len(t.hash) <= maxOrdered {
		entries := m.namedEntries
		if len(t.array) > 0 {
			entries = m.entries
		}
		entries(t, each)
		return page
	}
	for k, v := range t.hash {
		if v != nil && !each(k, v) {
			break
		}
	}
	return page
}

// lookAround lists the session's variables.
func (m *Machine) lookAround(from, limit, wide int) Page {
	names := m.own()
	page := Page{Node: Node{Type: "table", Size: len(names)}, From: from}
	for _, name := range names[min(from, len(names)):min(from+limit, len(names))] {
		n := m.node(m.owned(name), wide)
		n.Step = Step{Name: name}
		page.Nodes = append(page.Nodes, n)
	}
	return page
}

// reach is the value that path leads to, nil when it leads nowhere.
func (m *Machine) reach(path []Step) any {
	if path[0].Numeric {
		return nil
	}
	v := m.lookUp([]string{path[0].Name})
	for _, s := range path[1:] {
		t := m.open(v)
		if t == nil {
			return nil
		}
		if s.Numeric {
			v = t.get(s.Index)
		} else {
			v = t.hash[s.Name]
		}
	}
	return v
}

func (m *Machine) node(v any, wide int) Node {
	return Node{Type: m.typeName(v), Size: m.sizeOf(v), Brief: m.briefIn(v, wide)}
}

// step is a key as a Step; odd for one that no path can hold.
func (m *Machine) step(k any) (s Step, odd bool) {
	switch k := k.(type) {
	case string:
		return Step{Name: k}, false
	case float64:
		return Step{Index: k, Numeric: true}, false
	}
	return Step{Name: m.brief(k)}, true
}
