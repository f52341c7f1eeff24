package session

// This file restores the field order of records, which Lua tables lose, from the schemas of the actions that returned
// them.

import (
	"slices"

	"almanac/catalog"
	"almanac/session/trace"
	"almanac/session/vm"
)

// keptShapes is how many actions' orders of fields a session remembers.
const keptShapes = 64

// A shape is the fields of an action's result, in the order of its schema.
type shape struct {
	id     string
	fields []string
}

// learn remembers the shapes of the actions that answered, the newest last.
func (w *world) learn(view *catalog.View, calls []trace.Call) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, c := range calls {
		if c.Verdict != trace.OK || len(w.shapes) > 0 && w.shapes[len(w.shapes)-1].id == c.ID {
			continue
		}
		entry, ok := view.Lookup(c.ID)
		if !ok {
			continue
		}
		w.shapes = slices.DeleteFunc(w.shapes, func(s shape) bool { return s.id == c.ID })
		if fields := FieldOrder(entry); len(fields) > 1 {
			w.shapes = append(w.shapes, shape{c.ID, fields})
		}
		w.shapes = w.shapes[max(0, len(w.shapes)-keptShapes):]
	}
}

// FieldOrder is the fields of what an action returns, or of the records in the list that it returns, in the order that
// it declares; nil when it declares none.
func FieldOrder(e *catalog.Entry) []string {
	var names []string
	for _, f := range e.Output.Fields() {
		names = append(names, f.Name)
	}
	return names
}

// arrange gives each value that holds records the order of the action that declares all their fields and the fewest
// others; of several the one that was called last.
func (w *world) arrange(values []vm.Value) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for i := range values {
		names := fieldsOf(values[i].Data)
		if len(names) < 2 {
			continue
		}
		best := -1
		for j, s := range slices.Backward(w.shapes) {
			if len(s.fields) < len(names) || best >= 0 && len(s.fields) >= len(w.shapes[best].fields) {
				continue
			}
			if !slices.ContainsFunc(names, func(name string) bool { return !slices.Contains(s.fields, name) }) {
				best = j
			}
		}
		if best >= 0 {
			values[i].Fields = w.shapes[best].fields
		}
	}
}

// looked is how many records of a list are looked at for their fields.
const looked = 50

// fieldsOf lists the fields of a record, or of the records of a list; nil for anything else.
func fieldsOf(data any) []string {
	list, isList := data.([]any)
	if !isList {
		list = []any{data}
	}
	var names []string
	known := map[string]bool{}
	for _, item := range list[:min(len(list), looked)] {
		record, ok := item.(map[string]any)
		if !ok {
			return nil
		}
		for name := range record {
			if !known[name] {
				known[name] = true
				names = append(names, name)
			}
		}
	}
	return names
}
