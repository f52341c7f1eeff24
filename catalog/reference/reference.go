// Package reference reads texts that stand for a part of another value: "$order", "$order.lines[1].sku". Plans of the
// model's refer so to results of earlier steps, and compensations to the arguments and the result of a call.
//
//	Parse   reads one
//	Value   what it refers to: a name, and the path below it
//	In      the value that the path leads to in data
//	Lua     the expression that has the value
//
// Places in a list count from 1, as in Lua.
package reference

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"almanac/catalog/lua"
	"almanac/catalog/unknown"
)

// A Value is what a text refers to.
type Value struct {
	Text, Name string
	Path       []Segment
}

// A Segment is a field, or where that is empty the place in a list.
type Segment struct {
	Field string
	Place int64
}

var (
	form        = regexp.MustCompile(`^\$([A-Za-z_][A-Za-z0-9_]*)((?:\.[A-Za-z0-9_-]+|\[[0-9]{1,9}\])*)$`)
	segmentForm = regexp.MustCompile(`\.[^.\[]+|\[[0-9]+\]`)
	errForm     = errors.New(`want "$name", "$name.field" or "$name[1].field"; "$$" begins a text with a dollar sign`)
)

// Parse reads a text that begins with "$".
func Parse(s string) (Value, error) {
	m := form.FindStringSubmatch(s)
	if m == nil || !lua.IsName(m[1]) {
		return Value{}, errForm
	}
	v := Value{Text: s, Name: m[1]}
	for _, part := range segmentForm.FindAllString(m[2], -1) {
		field, isField := strings.CutPrefix(part, ".")
		n, err := strconv.ParseInt(strings.Trim(part, ".[]"), 10, 64)
		switch {
		case isField && err == nil:
			return v, fmt.Errorf("an item of a list is written [%d]; lists begin with [1]", n+1)
		case isField:
			v.Path = append(v.Path, Segment{Field: field})
		case n == 0:
			return v, errors.New("lists begin with [1]")
		default:
			v.Path = append(v.Path, Segment{Place: n})
		}
	}
	return v, nil
}

// In is the value that the path leads to in the data of the name; ok is false where there is none, or a null. Below an
// unknown.Value it is one too.
func (v Value) In(data any) (value any, ok bool) {
	for i, s := range v.Path {
		open, isOpen := data.(unknown.Value)
		switch {
		case isOpen:
			if data, isOpen = open.Under(PathLua(v.Path[i : i+1])); !isOpen {
				return nil, false
			}
		case s.Field != "":
			object, _ := data.(map[string]any)
			data = object[s.Field]
		default:
			list, _ := data.([]any)
			if s.Place > int64(len(list)) {
				return nil, false
			}
			data = list[s.Place-1]
		}
	}
	return data, data != nil
}

// Lua is the expression that has the value.
func (v Value) Lua() string { return v.Name + PathLua(v.Path) }

// PathLua is a path as Lua writes it behind a name.
func PathLua(path []Segment) string {
	var b strings.Builder
	for _, s := range path {
		switch {
		case s.Field == "":
			fmt.Fprintf(&b, "[%d]", s.Place)
		case lua.IsName(s.Field):
			b.WriteString("." + s.Field)
		default:
			b.WriteString("[" + lua.Quote(s.Field) + "]")
		}
	}
	return b.String()
}

// MarshalJSON writes the text that was read, for messages.
func (v Value) MarshalJSON() ([]byte, error) { return json.Marshal(v.Text) }
