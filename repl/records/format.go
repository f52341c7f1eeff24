package records

// This file writes records, and other values, in the forms that other programs read. Nothing is shortened, and numbers
// are as they are.

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"almanac/catalog/lua"
	"almanac/catalog/text"
	"almanac/repl/show"
)

// A Format is a form that records are written in.
type Format string

// The formats, named as the ends of their files.
const (
	CSV      Format = ".csv"
	JSON     Format = ".json"
	JSONL    Format = ".jsonl"
	Lua      Format = ".lua"
	Markdown Format = ".md"
	Text     Format = ".txt"
)

// formats are all formats.
func formats() []Format { return []Format{CSV, JSON, JSONL, Lua, Markdown, Text} }

// FormatOf reads the format off the end of a file's name.
func FormatOf(name string) (Format, bool) {
	end := Format(strings.ToLower(filepath.Ext(name)))
	for _, f := range formats() {
		if f == end {
			return f, true
		}
	}
	return "", false
}

// Options say what is written.
type Options struct {
	Format Format
	// Rows and Columns choose from a list, in their order; nil means all.
	Rows, Columns []int
	// Safe puts a ' before texts in CSV that a spreadsheet would take for a formula.
	Safe bool
}

// WriteValue writes any data: a list as rows, one record as one row where the format knows nothing else. fields is the
// order of the fields of the records.
func WriteValue(w io.Writer, data any, fields []string, o Options) error {
	items, isList := data.([]any)
	if !isList {
		switch o.Format {
		case JSON:
			return writeJSON(w, data, "\n")
		case Lua:
			_, err := fmt.Fprintf(w, "return %s\n", lua.Literal(data, lua.Options{Width: 100, First: fields}))
			return err
		case Markdown, Text:
			return writePlain(w, data, o.Format)
		}
		items = []any{data}
	}
	if isList && !AreRecords(items) {
		switch o.Format {
		case JSON, JSONL:
			return writeItems(w, items, o.Format)
		case Lua:
			return writeLuaItems(w, len(items), func(i int) string { return show.LuaText(items[i], 0) })
		}
	}
	rows, fields := rowsOf(items, fields)
	return List{}.Added(rows, fields).Write(w, o)
}

// writePlain writes what is no list for people.
func writePlain(w io.Writer, data any, f Format) error {
	plain, isText := data.(string)
	if !isText {
		plain = show.LuaText(data, 100)
	}
	if !strings.HasSuffix(plain, "\n") {
		plain += "\n"
	}
	if f == Markdown && !isText {
		plain = "```lua\n" + plain + "```\n"
	}
	_, err := io.WriteString(w, plain)
	return err
}

func writeItems(w io.Writer, items []any, f Format) error {
	b := bufio.NewWriter(w)
	if f == JSONL {
		for _, item := range items {
			if err := writeJSON(b, item, "\n"); err != nil {
				return err
			}
		}
		return b.Flush()
	}
	return writeJSONItems(b, len(items), func(i int) error { return writeJSON(b, items[i], "") })
}

// Write writes rows of the list.
func (l List) Write(w io.Writer, o Options) error {
	if o.Rows == nil {
		for i := range l.rows {
			o.Rows = append(o.Rows, i)
		}
	}
	o.Columns = l.columns(o)
	b := bufio.NewWriter(w)
	var err error
	switch o.Format {
	case CSV:
		err = l.writeCSV(b, o)
	case JSON:
		return writeJSONItems(b, len(o.Rows), func(i int) error { return l.writeRecord(b, o.Rows[i], o.Columns, "") })
	case JSONL:
		for _, row := range o.Rows {
			if err = l.writeRecord(b, row, o.Columns, "\n"); err != nil {
				break
			}
		}
	case Lua:
		return writeLuaItems(w, len(o.Rows), func(i int) string { return l.luaRecord(o.Rows[i], o.Columns) })
	case Markdown:
		l.writeMarkdown(b, o)
	case Text:
		l.writeText(b, o)
	default:
		return fmt.Errorf("%q: unknown format", string(o.Format))
	}
	if err != nil {
		return err
	}
	return b.Flush()
}

// CellText is one field in a format: a cell of CSV or Markdown, or a value of JSON or Lua.
func (l List) CellText(row, column int, o Options) string {
	v := l.At(row, column)
	if v == any(absent{}) {
		v = nil
	}
	switch o.Format {
	case CSV:
		var b strings.Builder
		w := csv.NewWriter(&b)
		_ = w.Write([]string{field(v, o.Safe)}) // a Builder takes all
		w.Flush()
		return strings.TrimSuffix(b.String(), "\n")
	case JSON, JSONL:
		var b strings.Builder
		_ = writeJSON(&b, v, "")
		return b.String()
	case Lua:
		return show.LuaText(v, 0)
	case Markdown:
		return markdownCell(v)
	}
	return field(v, false)
}

// RowText is one row in a format: with the head of a table, or as a record of JSON or Lua.
func (l List) RowText(row int, o Options) string {
	var b strings.Builder
	o.Rows = []int{row}
	switch o.Format {
	case JSON:
		o.Format = JSONL
	case Lua:
		return l.luaRecord(row, l.columns(o))
	}
	_ = l.Write(&b, o) // a Builder takes all
	return b.String()
}

// columns are those that the options choose.
func (l List) columns(o Options) []int {
	if o.Columns != nil {
		return o.Columns
	}
	all := make([]int, len(l.Columns))
	for i := range all {
		all[i] = i
	}
	return all
}

func (l List) writeCSV(b *bufio.Writer, o Options) error {
	if len(o.Columns) == 0 {
		return nil
	}
	w := csv.NewWriter(b)
	row := make([]string, len(o.Columns))
	for i, c := range o.Columns {
		row[i] = harmless(l.Columns[c].Field, o.Safe)
	}
	if err := w.Write(row); err != nil {
		return err
	}
	for _, r := range o.Rows {
		for i, c := range o.Columns {
			row[i] = field(l.At(r, c), o.Safe)
		}
		if err := writeRow(b, w, row); err != nil {
			return err
		}
	}
	w.Flush()
	return w.Error()
}

// writeRow writes a row of CSV to w, which writes to b. One empty cell is quoted: a blank line would be no row.
func writeRow(b io.Writer, w *csv.Writer, row []string) error {
	if len(row) > 1 || row[0] != "" {
		return w.Write(row)
	}
	w.Flush()
	_, err := io.WriteString(b, "\"\"\n")
	return err
}

// field is a value as plain text: nothing for null, JSON for a table.
func field(v any, safe bool) string {
	switch v := v.(type) {
	case nil, absent:
		return ""
	case string:
		return harmless(v, safe)
	case []any, map[string]any:
		var b strings.Builder
		_ = writeJSON(&b, v, "")
		return b.String()
	case float64:
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return lua.NumberText(v)
		}
	}
	return show.LuaText(v, 0)
}

// harmless is a text that no spreadsheet takes for a formula.
func harmless(s string, safe bool) string {
	if safe && s != "" && strings.IndexByte("=+-@\t\r", s[0]) >= 0 {
		return "'" + s
	}
	return s
}

func (l List) writeRecord(w io.Writer, row int, columns []int, end string) error {
	var b bytes.Buffer
	b.WriteByte('{')
	for _, c := range columns {
		v := l.At(row, c)
		if v == any(absent{}) {
			continue
		}
		if b.Len() > 1 {
			b.WriteByte(',')
		}
		if err := writeJSON(&b, l.Columns[c].Field, ":"); err != nil {
			return err
		}
		if err := writeJSON(&b, v, ""); err != nil {
			return err
		}
	}
	b.WriteString("}" + end)
	_, err := w.Write(b.Bytes())
	return err
}

func writeJSONItems(b *bufio.Writer, n int, item func(i int) error) error {
	opening, closing := "[\n", "\n]\n"
	if n == 0 {
		opening, closing = "[", "]\n"
	}
	_, _ = b.WriteString(opening)
	for i := range n {
		if i > 0 {
			_, _ = b.WriteString(",\n")
		}
		_, _ = b.WriteString("  ")
		if err := item(i); err != nil {
			return err
		}
	}
	_, _ = b.WriteString(closing)
	return b.Flush()
}

// WriteJSON writes one JSON value and a newline: indented, or on one line. Nothing is escaped for HTML, and null stands
// for the numbers that JSON does not have: see Finite.
func WriteJSON(w io.Writer, v any, indent bool) error {
	margin := ""
	if indent {
		margin = "  "
	}
	return encodeJSON(w, v, margin, "\n")
}

// writeJSON writes data on one line, with end behind it.
func writeJSON(w io.Writer, v any, end string) error { return encodeJSON(w, v, "", end) }

func encodeJSON(w io.Writer, v any, indent, end string) error {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", indent)
	v, _ = Finite(v)
	if err := enc.Encode(v); err != nil {
		return fmt.Errorf("cannot write the value as JSON: %w", err)
	}
	_, err := w.Write(append(bytes.TrimSuffix(b.Bytes(), []byte("\n")), end...))
	return err
}

// NotFinite tells people what became of NaN and the infinities in JSON.
const NotFinite = "JSON has no NaN or infinity: null stands for them"

// Finite is plain data with null for NaN and the infinities, which JSON does not have, and whether there was none. It
// does not change v.
func Finite(v any) (finite any, all bool) {
	switch v := v.(type) {
	case float64:
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return nil, false
		}
	case []any:
		out := v
		for i, item := range v {
			if item, ok := Finite(item); !ok {
				if len(out) > 0 && &out[0] == &v[0] {
					out = slices.Clone(v)
				}
				out[i] = item
			}
		}
		return out, len(v) == 0 || &out[0] == &v[0]
	case map[string]any:
		var out map[string]any
		for name, item := range v {
			if item, ok := Finite(item); !ok {
				if out == nil {
					out = maps.Clone(v)
				}
				out[name] = item
			}
		}
		if out != nil {
			return out, false
		}
	}
	return v, true
}

func (l List) luaRecord(row int, columns []int) string {
	var names []string
	for _, c := range columns {
		names = append(names, l.Columns[c].Field)
	}
	return lua.Literal(l.record(row, columns), lua.Options{First: names})
}

func writeLuaItems(w io.Writer, n int, item func(i int) string) error {
	b := bufio.NewWriter(w)
	_, _ = b.WriteString("return {\n")
	for i := range n {
		_, _ = b.WriteString("  " + item(i) + ",\n")
	}
	_, _ = b.WriteString("}\n")
	return b.Flush()
}

func (l List) writeMarkdown(b *bufio.Writer, o Options) {
	head, rule := "|", "|"
	for _, c := range o.Columns {
		head += " " + markdownCell(l.Columns[c].Field) + " |"
		if l.Columns[c].Right() {
			rule += " ---: |"
		} else {
			rule += " --- |"
		}
	}
	_, _ = b.WriteString(head + "\n" + rule + "\n")
	for _, r := range o.Rows {
		_, _ = b.WriteString("|")
		for _, c := range o.Columns {
			_, _ = b.WriteString(" " + markdownCell(l.At(r, c)) + " |")
		}
		_, _ = b.WriteString("\n")
	}
}

// markdownCell is a value in a cell of a Markdown table.
func markdownCell(v any) string {
	plain := text.OneLine(field(v, false))
	return strings.ReplaceAll(strings.ReplaceAll(plain, `\`, `\\`), "|", `\|`)
}

// writeText writes rows as a table, as wide as they are.
func (l List) writeText(b *bufio.Writer, o Options) {
	rows := make([][]string, 1, len(o.Rows)+1)
	for _, c := range o.Columns {
		rows[0] = append(rows[0], show.FieldText(l.Columns[c].Field))
	}
	for _, r := range o.Rows {
		row := make([]string, len(o.Columns))
		for i, c := range o.Columns {
			row[i] = text.SanitizeLine(field(l.At(r, c), false))
		}
		rows = append(rows, row)
	}
	_, _ = b.WriteString(show.Columns(rows) + "\n")
}
