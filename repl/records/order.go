package records

// This file finds the rows to show, and their order.

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strings"

	"almanac/repl/show"
)

// A Sort is an order of rows. The zero Sort leaves them as they are stored.
type Sort struct {
	// Column is the one to sort by, counted from 1.
	Column     int
	Descending bool
}

// A Filter is what a row must have: each of its terms.
type Filter struct {
	terms []term
	// Unknown is the first word before a colon that names no column, or more than one; empty when there is none.
	Unknown string
}

// A term is text that a field must contain, in any case.
type term struct {
	column int // -1: any
	text   string
}

// ParseFilter reads words, and values of columns as column:value. A part of a column's name is enough where that is
// clear, its beginning before others; text with a colon that names none is a word. Quotes hold words together: "two
// words", name:"two words".
func ParseFilter(typed string, columns []Column) Filter {
	var f Filter
	for _, word := range filterWords(typed) {
		t := term{column: -1, text: word.text}
		if word.colon > 0 {
			if c := columnNamed(word.text[:word.colon], columns); c >= 0 {
				t = term{column: c, text: word.text[word.colon+1:]}
			} else if f.Unknown == "" {
				f.Unknown = word.text[:word.colon]
			}
		}
		t.text = strings.ToLower(t.text)
		if t.text != "" {
			f.terms = append(f.terms, t)
		}
	}
	return f
}

// A filterWord is a word without its quotes, and where its first colon outside of them is; 0 for none.
type filterWord struct {
	text  string
	colon int
}

func filterWords(typed string) []filterWord {
	var out []filterWord
	var b strings.Builder
	colon, quoted, begun := 0, false, false
	end := func() {
		if begun {
			out = append(out, filterWord{b.String(), colon})
		}
		b.Reset()
		colon, begun = 0, false
	}
	for _, r := range typed {
		switch {
		case r == '"':
			quoted, begun = !quoted, true
			continue
		case r == ' ' && !quoted:
			end()
			continue
		case r == ':' && !quoted && colon == 0:
			colon = b.Len()
		}
		b.WriteRune(r)
		begun = true
	}
	end()
	return out
}

// columnNamed finds the column with a name, or the only one that begins so, or that has it anywhere; -1 for none.
func columnNamed(name string, columns []Column) int {
	name = strings.ToLower(name)
	same := func(s, name string) bool { return s == name }
	for _, fits := range []func(s, name string) bool{same, strings.HasPrefix, strings.Contains} {
		found, n := -1, 0
		for i, c := range columns {
			if fits(strings.ToLower(c.Field), name) {
				found, n = i, n+1
			}
		}
		if n == 1 {
			return found
		}
	}
	return -1
}

// matches tells whether a row has all terms.
func (f Filter) matches(l List, row int) bool {
	for _, t := range f.terms {
		if t.column >= 0 {
			if !strings.Contains(searched(l.At(row, t.column)), t.text) {
				return false
			}
			continue
		}
		if !slices.ContainsFunc(l.rows[row], func(v any) bool { return strings.Contains(searched(v), t.text) }) {
			return false
		}
	}
	return true
}

// searched is the text of a field that a filter looks at: of a table all of it.
func searched(v any) string {
	switch v := v.(type) {
	case absent:
		return ""
	case string:
		return strings.ToLower(v)
	}
	return strings.ToLower(show.LuaText(v, 0))
}

// between is how many rows are looked at between two looks at the context.
const between = 1000

// Order is the rows that pass the filter, in order. Rows that are equal keep their order; numbers come first, by their
// value, then texts, booleans and tables; null and what is missing come last in either direction. When ctx ends it
// gives up and returns nil.
func (l List) Order(ctx context.Context, s Sort, f Filter) []int {
	rows := make([]int, 0, l.Len())
	for i := range l.rows {
		if i%between == 0 && ctx.Err() != nil {
			return nil
		}
		if f.matches(l, i) {
			rows = append(rows, i)
		}
	}
	if s.Column < 1 || s.Column > len(l.Columns) || ctx.Err() != nil {
		return rows
	}
	keys := make([]key, l.Len())
	for _, row := range rows {
		keys[row] = keyOf(l.At(row, s.Column-1))
	}
	slices.SortStableFunc(rows, func(a, b int) int { return keys[a].compare(keys[b], s.Descending) })
	return rows
}

// A key is a value as it is compared: by kind, then by number or text.
type key struct {
	kind   kind
	number float64
	text   string
}

type kind int

const (
	numbers kind = iota
	notNumbers
	texts
	booleans
	tables
	nothing
)

func keyOf(v any) key {
	switch v := v.(type) {
	case nil, absent:
		return key{kind: nothing}
	case int64:
		return key{number: float64(v)}
	case int:
		return key{number: float64(v)}
	case float64:
		if math.IsNaN(v) {
			return key{kind: notNumbers}
		}
		return key{number: v}
	case bool:
		if v {
			return key{kind: booleans, number: 1}
		}
		return key{kind: booleans}
	case string:
		return key{kind: texts, text: strings.ToLower(v)}
	}
	return key{kind: tables, text: show.CellText(v)}
}

func (k key) compare(other key, descending bool) int {
	if k.kind == nothing || other.kind == nothing {
		return cmp.Compare(k.kind, other.kind)
	}
	c := cmp.Or(cmp.Compare(k.kind, other.kind), cmp.Compare(k.number, other.number), strings.Compare(k.text, other.text))
	if descending {
		return -c
	}
	return c
}
