package records

// This file writes what a run returned, as --output says.

import (
	"fmt"
	"io"
	"slices"
	"strconv"

	"almanac/catalog/text"
	"almanac/repl/show"
	"almanac/session/vm"
)

// An Encoding is how values are written.
type Encoding string

// The encodings.
const (
	AsText  Encoding = "text"  // near-Lua, and the catalog's answers as text
	asTable Encoding = "table" // aligned columns for people
	asCSV   Encoding = "csv"   // a head and rows, as RFC 4180 quotes them
	asJSON  Encoding = "json"  // one document: the value, or a list of several
	asLua   Encoding = "lua"   // literals that Lua reads back
	asRaw   Encoding = "raw"   // text, but strings as they are
)

// WriteValues writes what a run returned; of no values nothing. width is how wide a table may be, 0 for any. An error
// says which value has no place in the encoding.
func WriteValues(w io.Writer, values []vm.Value, as Encoding, width int) error {
	switch as {
	case AsText, asRaw:
		for i, v := range values {
			shown := v.Repr
			if as == asRaw && v.Type == "string" {
				if !v.Whole {
					return noPlace(i, v, as)
				}
				shown, _ = v.Data.(string)
			}
			if _, err := fmt.Fprintln(w, shown); err != nil {
				return err
			}
		}
		return nil
	}
	all := make([]any, 0, len(values))
	for i, v := range values {
		data, whole := v.Plain()
		if !whole {
			return noPlace(i, v, as)
		}
		all = append(all, data)
	}
	if len(all) == 0 {
		return nil
	}
	var one any = all
	if len(all) == 1 {
		one = all[0]
	}
	switch as {
	case asJSON:
		return WriteJSON(w, one, true)
	case asLua:
		for _, data := range all {
			literal := "nil"
			if data != nil {
				literal = show.LuaText(data, luaWidth)
			}
			if _, err := fmt.Fprintln(w, literal); err != nil {
				return err
			}
		}
		return nil
	}
	fields := values[0].Fields
	if m, isCatalog := values[0].Catalog.(map[string]any); isCatalog && len(values) == 1 {
		one, fields = hitRows(m)
	}
	if record, ok := one.(map[string]any); ok && as == asTable {
		one, fields = fieldRows(record, fields)
	}
	rows, fields := rowsOf(one, fields)
	if as == asCSV {
		return List{}.Added(rows, fields).Write(w, Options{Format: CSV})
	}
	for _, line := range show.Table(rows, fields, width) {
		if _, err := fmt.Fprintln(w, line.String()); err != nil {
			return err
		}
	}
	return nil
}

// noPlace is the error of value i, which is not plain data or too much of it.
func noPlace(i int, v vm.Value, as Encoding) error {
	why := ""
	if v.Type == "string" || v.Type == "table" {
		why = ": " + text.SanitizeLine(v.Why) + "; return a part of it"
	}
	return fmt.Errorf("value %d: cannot write this %s with --output %s%s", i+1, v.Type, as, why)
}

// luaWidth is how wide a line of a Lua literal may be.
const luaWidth = 100

// rowsOf makes records of any data: the items of a list, and of a list of lists their items under their numbers. fields
// is the order of the fields as far as it is known.
func rowsOf(data any, fields []string) ([]any, []string) {
	list, ok := data.([]any)
	if !ok {
		return []any{data}, fields
	}
	if slices.ContainsFunc(list, func(item any) bool { _, isList := item.([]any); return !isList }) {
		return list, fields
	}
	rows := make([]any, len(list))
	for i, item := range list {
		parts := item.([]any)
		record := make(map[string]any, len(parts))
		for j, part := range parts {
			name := strconv.Itoa(j + 1)
			if record[name] = part; j >= len(fields) {
				fields = append(fields[:len(fields):len(fields)], name)
			}
		}
		rows[i] = record
	}
	return rows, fields
}

// fieldRows are the fields of one record as rows, for a table that is read downwards.
func fieldRows(record map[string]any, fields []string) (rows []any, columns []string) {
	for _, name := range show.FieldOrder([]map[string]any{record}, fields) {
		rows = append(rows, map[string]any{"field": name, "value": record[name]})
	}
	return rows, []string{"field", "value"}
}

// hitRows are the hits of a set, a step or a plan as rows; any other of the catalog's values stays.
func hitRows(m map[string]any) (rows any, fields []string) {
	steps, isPlan := m["steps"].([]any)
	if !isPlan {
		if hits, ok := m["hits"].([]any); ok {
			return hits, []string{"id", "score", "line"}
		}
		return m, nil
	}
	var all []any
	for i, step := range steps {
		step, _ := step.(map[string]any)
		hits, _ := step["hits"].([]any)
		for _, hit := range hits {
			hit, _ := hit.(map[string]any)
			all = append(all, map[string]any{"step": int64(i + 1), "id": hit["id"], "score": hit["score"], "line": hit["line"]})
		}
	}
	return all, []string{"step", "id", "score", "line"}
}
