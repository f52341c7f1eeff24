package lua

// This file writes data as Lua source.

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"almanac/catalog/text"
)

// Options say how a literal is laid out. The zero value writes all of it on one line: { id = "inv_1", lines = { 1, 2 }
// }.
type Options struct {
	// Width is how many cells a line may have before a table is broken into several; 0 keeps everything on one.
	Width int
	// Cells measures a text for Width; nil counts characters.
	Cells func(text string) int
	// First are the keys of the outermost table that come before the others, which are sorted.
	First []string
	// Tight leaves out the blanks inside braces, as in examples of calls: {id = "inv_1"}.
	Tight bool
	// Limit is about how many bytes are written, on one line; 0 writes all. If something is left out the text says how
	// much, and is not valid Lua.
	Limit int
}

// A Raw is text that is written unquoted.
type Raw string

// Literal writes plain data: nil (as null, which a table can hold), bool, string, numbers, []any, map[string]any.
// Lua has one empty table: an empty list reads back as a table without fields.
func Literal(v any, o Options) string {
	if o.Cells == nil {
		o.Cells = utf8.RuneCountInString
	}
	if o.Width <= 0 || o.Limit > 0 {
		return o.flat(v, o.First)
	}
	return o.lines(v, "", o.First)
}

// lines writes v, indented by margin.
func (o *Options) lines(v any, margin string, first []string) string {
	flat := o.flat(v, first)
	if o.Cells(margin)+o.Cells(flat) <= o.Width {
		return flat
	}
	inner := margin + "  "
	var items []string
	switch v := v.(type) {
	case []any:
		for _, item := range v {
			items = append(items, o.lines(item, inner, nil))
		}
	case map[string]any:
		for _, k := range keys(v, first) {
			items = append(items, Key(k)+" = "+o.lines(v[k], inner, nil))
		}
	}
	if len(items) == 0 {
		return flat
	}
	return "{\n" + inner + strings.Join(items, ",\n"+inner) + ",\n" + margin + "}"
}

func (o *Options) flat(v any, first []string) string {
	w := writer{Options: o}
	w.value(v, first)
	return w.String()
}

// A writer writes on one line.
type writer struct {
	*Options
	strings.Builder
}

func (w *writer) value(v any, first []string) {
	switch v := v.(type) {
	case nil:
		w.WriteString("null")
	case Raw:
		w.WriteString(string(v))
	case string:
		w.text(v)
	case bool:
		w.WriteString(strconv.FormatBool(v))
	case int:
		w.WriteString(strconv.Itoa(v))
	case int64:
		w.WriteString(strconv.FormatInt(v, 10))
	case float64:
		w.WriteString(Number(v))
	case json.Number:
		w.WriteString(string(v))
	case []any:
		w.items(len(v), func(i int) { w.value(v[i], nil) })
	case map[string]any:
		names := keys(v, first)
		w.items(len(v), func(i int) {
			w.WriteString(Key(names[i]) + " = ")
			w.value(v[names[i]], nil)
		})
	default:
		w.text(fmt.Sprint(v))
	}
}

// leastText is how many bytes of a text are written even if there is no room.
const leastText = 16

func (w *writer) text(s string) {
	if room := max(w.Limit-w.Len(), leastText); w.Limit > 0 && len(s) > room {
		s = text.HeadBytes(s, room) + "…"
	}
	w.WriteString(Quote(s))
}

func (w *writer) items(n int, item func(i int)) {
	if n == 0 {
		w.WriteString("{}")
		return
	}
	opening, closing := "{ ", " }"
	if w.Tight {
		opening, closing = "{", "}"
	}
	w.WriteString(opening)
	for i := range n {
		if i > 0 {
			w.WriteString(", ")
		}
		if w.Limit > 0 && w.Len() >= w.Limit {
			fmt.Fprintf(w, "… %d more", n-i)
			break
		}
		item(i)
	}
	w.WriteString(closing)
}

// keys are the keys of v: those in first in that order, then the others sorted.
func keys(v map[string]any, first []string) []string {
	names := slices.Sorted(maps.Keys(v))
	if len(first) == 0 {
		return names
	}
	place := func(k string) int {
		if i := slices.Index(first, k); i >= 0 {
			return i
		}
		return len(first)
	}
	slices.SortStableFunc(names, func(a, b string) int { return place(a) - place(b) })
	return names
}
