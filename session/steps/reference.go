package steps

// This file reads what refers to other values in a plan: "$name.field[1]", and the conditions of where.

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"almanac/catalog/lua"
	"almanac/catalog/reference"
	"almanac/catalog/search/spelling"
	"almanac/catalog/text"
)

// element is the name of the item at hand, in each and where.
const element = "it"

var (
	dollarName = regexp.MustCompile(`^\$[A-Za-z_]`)
	insideName = regexp.MustCompile(`\$\{?([A-Za-z_][A-Za-z0-9_]*)`)
)

// read is v with the references in it as such, and "$$" at the beginning of a text as "$".
func read(v any, field string, fault func(format string, args ...any)) any {
	switch v := v.(type) {
	case string:
		if text, escaped := strings.CutPrefix(v, "$$"); escaped {
			return "$" + text
		}
		if !dollarName.MatchString(v) {
			return v
		}
		r, err := reference.Parse(v)
		if err != nil {
			fault("%s: %s: %v", field, show(v), err)
		}
		return r
	case []any:
		out := make([]any, len(v))
		for i, item := range v {
			out[i] = read(item, fmt.Sprintf("%s[%d]", field, i+1), fault)
		}
		return out
	case map[string]any:
		out := make(map[string]any, len(v))
		for _, name := range slices.Sorted(maps.Keys(v)) {
			out[name] = read(v[name], field+"."+text.LineBytes(name, 40), fault)
		}
		return out
	}
	return v
}

// walk calls f with every reference and every text in v.
func walk(v any, f func(v any)) {
	switch v := v.(type) {
	case reference.Value, string:
		f(v)
	case []any:
		for _, item := range v {
			walk(item, f)
		}
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			walk(v[name], f)
		}
	}
}

// replaced is v with f of each reference in its place.
func replaced(v any, f func(r reference.Value) any) any {
	switch v := v.(type) {
	case reference.Value:
		return f(v)
	case []any:
		out := make([]any, len(v))
		for i, item := range v {
			out[i] = replaced(item, f)
		}
		return out
	case map[string]any:
		out := make(map[string]any, len(v))
		for name, item := range v {
			out[name] = replaced(item, f)
		}
		return out
	}
	return v
}

// A condition holds a field of an item against a value.
type condition struct {
	field reference.Value // of the item
	op    string
	value any
}

// operators are those of where, in the spelling of Lua but for in; others write some of them otherwise.
var (
	operators = []string{"=", "~=", "<", "<=", ">", ">=", "in"}
	spelled   = map[string]string{
		"==": "=", "!=": "~=", "eq": "=", "ne": "~=", "lt": "<", "lte": "<=", "gt": ">", "gte": ">=",
	}
)

// readWhere reads conditions, in the order of their fields. A list stands for one of its items.
func readWhere(where map[string]any, fault func(format string, args ...any)) []condition {
	var all []condition
	for _, name := range slices.Sorted(maps.Keys(where)) {
		field, err := reference.Parse("$" + element + "." + name)
		if err != nil {
			fault("where: %s: want a field of the items, got %s", show(name), show(name))
			continue
		}
		value := where[name]
		compare, ok := value.(map[string]any)
		if _, list := value.([]any); list {
			compare = map[string]any{"in": value}
		} else if !ok {
			compare = map[string]any{"=": value}
		}
		for _, op := range slices.Sorted(maps.Keys(compare)) {
			c := condition{field: field, op: op, value: read(compare[op], "where."+name, fault)}
			if as := spelled[strings.TrimPrefix(op, "$")]; as != "" {
				c.op = as
			}
			if !slices.Contains(operators, c.op) {
				hint := "the operators are " + strings.Join(operators, " ")
				near := spelling.Nearest(op, operators)
				switch op {
				case "=>":
					near = ">="
				case "=<":
					near = "<="
				}
				if near != "" {
					hint = "did you mean " + near + "?"
				}
				fault("where.%s: unknown operator %s: %s", name, show(op), hint)
				continue
			}
			if fits, want := c.fits(); !fits {
				fault("where.%s: %s: want %s, got %s", name, c.op, want, show(compare[op]))
			}
			all = append(all, c)
		}
	}
	return all
}

// fits reports whether the value is one that the operator compares with, and which those are.
func (c condition) fits() (ok bool, want string) {
	switch c.value.(type) {
	case reference.Value:
		return true, ""
	case []any:
		return c.op == "in", "one value"
	case map[string]any:
		return false, "one value"
	}
	if c.op == "in" {
		return false, "a list"
	}
	switch c.value.(type) {
	case string, int64, float64:
		return true, ""
	}
	return c.op == "=" || c.op == "~=", "a number or a text"
}

// lua is the condition as an expression over the item. A missing value is as good as null, and no value is less or more
// than that.
func (c condition) lua() string {
	field := c.field.Lua()
	if c.op == "in" {
		if list, ok := c.value.([]any); ok && len(list) > 0 && len(list) <= 4 {
			parts := make([]string, len(list))
			for i, item := range list {
				parts[i] = condition{c.field, "=", item}.lua()
			}
			if len(parts) == 1 {
				return parts[0]
			}
			return "(" + strings.Join(parts, " or ") + ")"
		}
		return fmt.Sprintf("any(%s, function(v) return v == %s end)", literal(c.value, 0), field)
	}
	value := literal(c.value, 0)
	switch {
	case c.value == nil && c.op == "=":
		return fmt.Sprintf("(%s or null) == null", field)
	case c.value == nil:
		return fmt.Sprintf("(%s or null) ~= null", field)
	case c.op == "=":
		return field + " == " + value
	case c.op == "~=":
		return field + " ~= " + value
	}
	return fmt.Sprintf("(%s or null) ~= null and %s %s %s", field, field, c.op, value)
}

// literal is plain data with references as Lua, broken into lines of about width; 0 keeps it on one.
func literal(v any, width int) string {
	v = replaced(v, func(r reference.Value) any { return lua.Raw(r.Lua()) })
	return lua.Literal(v, lua.Options{Width: width, Tight: true})
}
