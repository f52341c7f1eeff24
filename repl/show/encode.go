package show

// This file writes values for other programs: the one encoder of whatever leaves the program as data.

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

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
		for _, v := range values {
			shown := v.Repr
			if s, ok := v.Data.(string); ok && as == asRaw {
				shown = s
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
			return fmt.Errorf("value %d: cannot write this %s as %s: it is too large or holds more than plain data; return a part of it", i+1, v.Type, as.name())
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
				literal = LuaText(data, luaWidth)
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
	if as == asCSV {
		records, fields := rowsOf(one, fields)
		return writeCSV(w, records, FieldOrder(records, fields))
	}
	if record, ok := one.(map[string]any); ok {
		one, fields = fieldRows(record, fields)
	}
	records, fields := rowsOf(one, fields)
	for _, line := range tableLines(records, fields, "", width, Options{MaxRows: -1}) {
		if _, err := fmt.Fprintln(w, line.String()); err != nil {
			return err
		}
	}
	return nil
}

func (as Encoding) name() string {
	switch as {
	case asLua:
		return "Lua"
	case asTable:
		return "a table"
	}
	return strings.ToUpper(string(as))
}

// luaWidth is how wide a line of a Lua literal may be.
const luaWidth = 100

// WriteJSON writes one JSON value and a newline: indented, or on one line. Nothing is escaped for HTML.
func WriteJSON(w io.Writer, v any, indent bool) error {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if indent {
		enc.SetIndent("", "  ")
	}
	if err := enc.Encode(v); err != nil {
		return fmt.Errorf("cannot write the value as JSON: %w", err)
	}
	_, err := w.Write(b.Bytes())
	return err
}

// rowsOf makes records of any data: those of a list, with what is no record as a field called value; of a list of lists
// the items under their numbers. fields is the order of the fields as far as it is known.
func rowsOf(data any, fields []string) ([]map[string]any, []string) {
	list, ok := data.([]any)
	if !ok {
		list = []any{data}
	}
	lists := !slices.ContainsFunc(list, func(item any) bool { return !isList(item) })
	records := make([]map[string]any, len(list))
	for i, item := range list {
		record, isRecord := item.(map[string]any)
		if parts, _ := item.([]any); lists {
			record = make(map[string]any, len(parts))
			for j, part := range parts {
				name := strconv.Itoa(j + 1)
				if record[name] = part; j >= len(fields) {
					fields = append(fields[:len(fields):len(fields)], name)
				}
			}
		} else if !isRecord {
			record = map[string]any{"value": item}
		}
		records[i] = record
	}
	return records, fields
}

// fieldRows are the fields of one record as rows, for a table that is read downwards.
func fieldRows(record map[string]any, fields []string) (rows []any, columns []string) {
	for _, name := range FieldOrder([]map[string]any{record}, fields) {
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

func writeCSV(w io.Writer, records []map[string]any, fields []string) error {
	if len(fields) == 0 {
		return nil
	}
	out := csv.NewWriter(w)
	if err := out.Write(fields); err != nil {
		return err
	}
	for _, r := range records {
		row := make([]string, len(fields))
		for i, name := range fields {
			var err error
			if row[i], err = csvCell(r[name]); err != nil {
				return err
			}
		}
		if len(row) == 1 && row[0] == "" { // a blank line would be no row
			out.Flush()
			if _, err := io.WriteString(w, "\"\"\n"); err != nil {
				return err
			}
			continue
		}
		if err := out.Write(row); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}

// csvCell is a value as a cell: nothing for nil, JSON for a table.
func csvCell(v any) (string, error) {
	switch v := v.(type) {
	case nil:
		return "", nil
	case string:
		return v, nil
	case []any, map[string]any:
		var b bytes.Buffer
		err := WriteJSON(&b, v, false)
		return string(bytes.TrimSuffix(b.Bytes(), []byte("\n"))), err
	}
	return LuaText(v, 0), nil
}
