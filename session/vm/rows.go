package vm

import (
	"cmp"
	"fmt"
)

// This file reads lists out of the session as data, a stretch at a time: for a grid, and for files. No Lua runs.

// Rows are a stretch of a list as data. A value that is no list is the only item.
type Rows struct {
	Node
	// Items are the data from number From on, counted from 0: nil, bool, int64, float64, string, []any, map[string]any. A
	// function, an action or the like is its text, and so is what is too large.
	Items []any
	From  int
	// List tells whether the value is a list: of its items there are Size.
	List bool
	// Whole is false where text stands in the place of something in Items.
	Whole bool
	// TooLarge tells of the first value that is too large; empty if there is none.
	TooLarge string
	// Fields is the order of the fields of the records, as the action that returned them declares it; see Value.
	Fields []string `cbor:"-"`
}

// The bounds of one Rows, so that its frame is never too large: bytes of one item, bytes and values after which it
// ends, and values in one item.
const (
	rowBytes     = 1 << 20
	stretchBytes = 512 << 10
	rowValues    = 200_000
)

// Rows reads up to limit items of the list at path, 2,000 at most, beginning with number from; fewer where they are
// large, but one at least. It must not run beside Run.
func (m *Machine) Rows(path []Step, from, limit int) Rows {
	rows := Rows{From: max(from, 0), Whole: true, Node: Node{Type: "nil", Brief: "nil"}}
	if len(path) == 0 {
		return rows
	}
	v := m.reach(path)
	rows.Node = m.node(v, briefWidth)
	rows.Step = path[len(path)-1]
	t := m.open(v)
	if t != nil {
		s := m.shape(t)
		rows.List = s.named == 0 && s.other == 0 && s.list == s.top && (s.list > 0 || t.meta == m.emptyList)
	}
	if !rows.List {
		rows.From = 0
		item, _, _ := m.row(v, m.limits.Value, &rows)
		rows.Items = []any{item}
		return rows
	}
	bytes, values := 0, 0
	for i := rows.From; i < rows.Size && len(rows.Items) < min(limit, maxNodes) && bytes < stretchBytes &&
		values < rowValues; i++ {
		item, size, n := m.row(t.index(i+1), rowBytes, &rows)
		rows.Items = append(rows.Items, item)
		bytes, values = bytes+size, values+n
	}
	return rows
}

// row is v as data of at most room bytes, and how many bytes and values it has. It notes in rows where text is in its
// place.
func (m *Machine) row(v any, room int, rows *Rows) (data any, size, values int) {
	cv := m.converter(nil, room)
	cv.lenient = true
	data = cv.convert(valuePath, v)
	if cv.err != nil || cv.values > rowValues {
		rows.Whole = false
		why := m.tooLarge(v, room)
		shown := m.brief(v) + ": too large to show here: " + why
		if rows.List {
			why = fmt.Sprintf("item %d: %s", rows.From+len(rows.Items)+1, why)
		}
		rows.TooLarge = cmp.Or(rows.TooLarge, why)
		return shown, len(shown), 1
	}
	rows.Whole = rows.Whole && cv.whole
	return data, room - cv.room, cv.values
}
