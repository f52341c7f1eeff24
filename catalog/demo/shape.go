package demo

// This file turns the short notation of argument lists and records into JSON Schema.
//
//	limit?: int = 25 1..200 -- How many at most.
//
// is an optional field, an integer from 1 to 200, 25 by default. A type is str, int, num, bool, date (YYYY-MM-DD), time
// (in UTC), object (anything), a choice such as open|paid, the name of a record in shapes.txt, or a list<…> of one of
// those. In a record, ? marks a field that may be absent.

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"almanac/catalog"
)

//go:embed shapes.txt
var shapeText string

// A field is one line of the notation.
type field struct {
	name, kind, about string
	optional          bool
	def               string // JSON, or empty
	bounded           bool
	lo, hi            int64
}

// A shape is a named record.
type shape struct {
	name   string
	fields []field
}

// shapes holds the records of shapes.txt by name.
type shapes map[string]*shape

func parseShapes(text string) (shapes, error) {
	all := shapes{}
	var cur *shape
	for n, line := range strings.Split(text, "\n") {
		switch trimmed := strings.TrimSpace(line); {
		case trimmed == "" || strings.HasPrefix(trimmed, "#"):
		case line[0] != ' ':
			cur = &shape{name: trimmed}
			all[trimmed] = cur
		case cur == nil:
			return nil, fmt.Errorf("line %d: field outside a record", n+1)
		default:
			f, err := parseField(trimmed)
			if err != nil {
				return nil, fmt.Errorf("line %d: %w", n+1, err)
			}
			cur.fields = append(cur.fields, f)
		}
	}
	return all, nil
}

// parseFields reads the argument list of an action, one field a line.
func parseFields(text string) ([]field, error) {
	var fields []field
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line == "" {
			continue
		}
		f, err := parseField(line)
		if err != nil {
			return nil, err
		}
		fields = append(fields, f)
	}
	return fields, nil
}

func parseField(line string) (field, error) {
	head, about, ok := strings.Cut(line, " -- ")
	if !ok {
		return field{}, fmt.Errorf("field %q: want a description after --", line)
	}
	name, rest, ok := strings.Cut(head, ":")
	if !ok {
		return field{}, fmt.Errorf("field %q: want name: type", line)
	}
	f := field{name: strings.TrimSpace(name), about: strings.TrimSpace(about)}
	f.name, f.optional = strings.CutSuffix(f.name, "?")
	words := strings.Fields(rest)
	if len(words) == 0 {
		return field{}, fmt.Errorf("field %q: want a type", line)
	}
	f.kind = words[0]
	for i := 1; i < len(words); i++ {
		if words[i] == "=" && i+1 < len(words) {
			i++
			f.def = words[i]
			if f.kind != "int" && f.kind != "num" && f.kind != "bool" {
				f.def = quote(f.def)
			}
			continue
		}
		lo, hi, ok := strings.Cut(words[i], "..")
		if !ok {
			return field{}, fmt.Errorf("field %q: %q: want = default or low..high", line, words[i])
		}
		var err1, err2 error
		f.lo, err1 = strconv.ParseInt(lo, 10, 64)
		f.hi, err2 = strconv.ParseInt(hi, 10, 64)
		if err1 != nil || err2 != nil {
			return field{}, fmt.Errorf("field %q: %q: want low..high", line, words[i])
		}
		f.bounded = true
	}
	return f, nil
}

// objectSchema gives the JSON Schema text of an object with these fields; title may be empty.
func (all shapes) objectSchema(title string, fields []field) (string, error) {
	var b strings.Builder
	b.WriteString(`{"type":"object",`)
	if title != "" {
		b.WriteString(`"title":` + quote(title) + `,`)
	}
	b.WriteString(`"properties":{`)
	var required []string
	for i, f := range fields {
		if i > 0 {
			b.WriteByte(',')
		}
		text, err := all.fieldSchema(f)
		if err != nil {
			return "", err
		}
		b.WriteString(quote(f.name) + ":" + text)
		if !f.optional {
			required = append(required, quote(f.name))
		}
	}
	b.WriteString(`},`)
	if len(required) > 0 {
		b.WriteString(`"required":[` + strings.Join(required, ",") + `],`)
	}
	b.WriteString(`"additionalProperties":false}`)
	return b.String(), nil
}

func (all shapes) fieldSchema(f field) (string, error) {
	text, err := all.kindSchema(f.kind)
	if err != nil {
		return "", fmt.Errorf("field %s: %w", f.name, err)
	}
	more := `"description":` + quote(f.about)
	if f.def != "" {
		more += `,"default":` + f.def
	}
	if f.bounded {
		low, high := "minimum", "maximum"
		switch {
		case f.kind == "str":
			low, high = "minLength", "maxLength"
		case strings.HasPrefix(f.kind, "list<"):
			low, high = "minItems", "maxItems"
		}
		more += fmt.Sprintf(`,%q:%d,%q:%d`, low, f.lo, high, f.hi)
	}
	if text == "{}" {
		return "{" + more + "}", nil
	}
	return strings.TrimSuffix(text, "}") + "," + more + "}", nil
}

// kindSchema gives the JSON Schema text of a type, without description.
func (all shapes) kindSchema(kind string) (string, error) {
	switch kind {
	case "str":
		return `{"type":"string"}`, nil
	case "int":
		return `{"type":"integer"}`, nil
	case "num":
		return `{"type":"number"}`, nil
	case "bool":
		return `{"type":"boolean"}`, nil
	case "date":
		return `{"type":"string","format":"date"}`, nil
	case "time":
		return `{"type":"string","format":"date-time"}`, nil
	case "object":
		return `{"type":"object"}`, nil
	}
	if item, ok := listOf(kind); ok {
		text, err := all.kindSchema(item)
		return `{"type":"array","items":` + text + `}`, err
	}
	if strings.Contains(kind, "|") {
		choices := strings.Split(kind, "|")
		for i, c := range choices {
			choices[i] = quote(c)
		}
		return `{"type":"string","enum":[` + strings.Join(choices, ",") + `]}`, nil
	}
	if sh, ok := all[kind]; ok {
		return all.objectSchema(sh.name, sh.fields)
	}
	return "", fmt.Errorf("type %q: unknown", kind)
}

// listOf gives the item type of a list<…>.
func listOf(kind string) (string, bool) {
	item, ok := strings.CutPrefix(kind, "list<")
	if !ok {
		return "", false
	}
	return strings.TrimSuffix(item, ">"), true
}

func quote(s string) string {
	text, err := json.Marshal(s)
	if err != nil { // no string fails to marshal
		panic(err)
	}
	return string(text)
}

// record converts one row: fields by column name, without those that have no value.
func (all shapes) record(sh *shape, columns []string, values []any) (map[string]any, error) {
	at := make(map[string]int, len(columns))
	for i, c := range columns {
		at[c] = i
	}
	out := make(map[string]any, len(sh.fields))
	for _, f := range sh.fields {
		i, ok := at[f.name]
		if !ok {
			return nil, fmt.Errorf("record %s: no column %s", sh.name, f.name)
		}
		v, err := fieldValue(f, values[i])
		if err != nil {
			return nil, fmt.Errorf("record %s: column %s: %w", sh.name, f.name, err)
		}
		if v != nil {
			out[f.name] = v
		} else if !f.optional {
			return nil, fmt.Errorf("record %s: column %s has no value", sh.name, f.name)
		}
	}
	return out, nil
}

// fieldValue converts a stored value for an answer: SQLite keeps booleans as numbers and JSON as text.
func fieldValue(f field, v any) (any, error) {
	switch v := v.(type) {
	case nil:
		return nil, nil
	case []byte:
		return fieldValue(f, string(v))
	case int64:
		switch f.kind {
		case "bool":
			return v != 0, nil
		case "num":
			return float64(v), nil
		}
		return v, nil
	case string:
		_, list := listOf(f.kind)
		if !list && f.kind != "object" {
			return v, nil
		}
		return catalog.ParseJSON([]byte(v))
	}
	return v, nil
}
