package catalog

// This file fills in templates: data in which a text may stand for a part of a call, "$args.customer_id" or
// "$result.lines[1].id". "-$args.change" is the negative of a number, "$args.note?" may be missing, and "$$" begins a
// text with a dollar sign. In the midst of a text stands "${args.id}", and "$${" for "${". Compensations and declared
// effects are templates.

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strings"

	"almanac/catalog/lua"
	"almanac/catalog/reference"
	"almanac/catalog/spec"
	"almanac/catalog/text"
	"almanac/catalog/unknown"
)

// filled is the template with the parts of a call. The error names what the call has not.
func filled(template any, args map[string]any, result any) (any, error) {
	return substituted(template, partsOf(args, result))
}

// partsOf looks up parts of a call.
func partsOf(args map[string]any, result any) func(r *part) (any, error) {
	known := map[string]any{"args": args, "result": result}
	return func(r *part) (any, error) {
		v, ok := r.In(known[r.Name])
		switch {
		case !ok && r.optional:
			return nil, nil
		case !ok:
			return nil, fmt.Errorf("the call has no %s", r.Lua())
		case r.negative:
			return negative(v, r)
		}
		return v, nil
	}
}

// foreseen is the template with what is known of the parts before a call of e: their types. The error names what no
// call has.
func foreseen(template any, e *Entry) (any, error) {
	return substituted(template, typesOf(e))
}

// typesOf looks up what is known of the parts of e's calls.
func typesOf(e *Entry) func(r *part) (any, error) {
	shapes := map[string]spec.Shape{"args": e.Input.document().Shape(), "result": e.Output.document().Shape()}
	return func(r *part) (any, error) {
		at, err := shapes[r.Name].At(r.Value)
		kind := at.Kind()
		switch {
		case r.Name == "args" && e.Input == nil && len(r.Path) > 0:
			return nil, fmt.Errorf("%s: the action takes no arguments", r.Lua())
		case err != nil:
			return nil, err
		case r.negative && kind != "" && kind != "number":
			return nil, fmt.Errorf("%s is of type %s and has no negative", r.Lua(), kind)
		}
		return Later{Text: r.Text, Kind: kind}, nil
	}
}

// A part is a reference in a template.
type part struct {
	reference.Value
	negative, optional bool
}

// substituted is v with what f gives in the places of its references. A nil is left out of tables.
func substituted(v any, f func(r *part) (any, error)) (any, error) {
	switch v := v.(type) {
	case string:
		return substitutedText(v, f)
	case []any:
		list := make([]any, len(v))
		for i, item := range v {
			var err error
			if list[i], err = substituted(item, f); err != nil {
				return nil, err
			}
		}
		return list, nil
	case map[string]any:
		object := make(map[string]any, len(v))
		for _, name := range slices.Sorted(maps.Keys(v)) {
			item, err := substituted(v[name], f)
			if err != nil {
				return nil, err
			}
			if item != nil {
				object[name] = item
			}
		}
		return object, nil
	}
	return v, nil
}

// inside finds the parts in the midst of a text: "orders.${args.id}.state".
var inside = regexp.MustCompile(`\$?\$\{([^}]*)\}`)

// substitutedName is a text with what f gives in the places of the parts in its midst. Those are names: a path cannot
// lead elsewhere by what a value has in it. One that is not known yet stands as a name made of its text:
// "orders.id_of_shop_order_place.state".
func substitutedName(s string, f func(r *part) (any, error)) (any, error) {
	named := func(r *part) (any, error) {
		v, err := f(r)
		if open, ok := v.(unknown.Value); ok {
			words := strings.FieldsFunc(string(open), func(c rune) bool { return !strings.ContainsRune(nameLetters, c) })
			v = unknown.Value(strings.Join(words, "_"))
		}
		return v, err
	}
	return substitutedInside(s, named, func(found string, v any) error {
		switch written := fmt.Sprint(v); v.(type) {
		case string, int64:
			if strings.Trim(written, nameLetters) != "" || written == "" {
				return fmt.Errorf("%s is %s: want a name of letters, digits, _ and -", found, describeValue(v))
			}
			return nil
		}
		return fmt.Errorf("%s is no name", found)
	})
}

const nameLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-"

// substitutedText is a text with what f gives in the places of the parts in its midst, or what f gives for the part
// that the text is.
func substitutedText(s string, f func(r *part) (any, error)) (any, error) {
	return substitutedInside(s, f, func(found string, v any) error {
		switch v.(type) {
		case string, int64, float64, bool:
			return nil
		}
		return fmt.Errorf("%s is %s, no text", found, describeValue(v))
	})
}

// substitutedInside is both of them; check fails for a value that cannot stand inside.
func substitutedInside(s string, f func(r *part) (any, error), check func(found string, v any) error) (any, error) {
	if !strings.Contains(s, "${") || strings.HasPrefix(s, "$") && !strings.HasPrefix(s, "${") {
		return substitutedPart(s, f)
	}
	var wrong error
	later, open := false, false
	s = inside.ReplaceAllStringFunc(s, func(found string) string {
		if strings.HasPrefix(found, "$$") {
			return found[1:]
		}
		v, err := substitutedPart("$"+found[2:len(found)-1], f)
		switch v := v.(type) {
		case nil:
			found = ""
		case Later:
			later = true
		case lua.Raw:
		case unknown.Value:
			found, open = string(v), true
		default:
			err = cmp.Or(err, check(found, v))
			found = fmt.Sprint(v)
		}
		wrong = cmp.Or(wrong, err)
		return found
	})
	switch {
	case later:
		return Later{Text: s, Kind: "string"}, wrong
	case open:
		return unknown.Value(s), wrong
	}
	return s, wrong
}

func substitutedPart(s string, f func(r *part) (any, error)) (any, error) {
	inner, negative := strings.CutPrefix(s, "-$")
	switch {
	case negative:
	case strings.HasPrefix(s, "$$"):
		return s[1:], nil
	case !strings.HasPrefix(s, "$"):
		return s, nil
	default:
		inner = s[1:]
	}
	inner, optional := strings.CutSuffix(inner, "?")
	r, err := reference.Parse("$" + inner)
	if err == nil && r.Name != "args" && r.Name != "result" {
		err = errors.New(`want "$args.name" or "$result.name"; "$$" begins a text with a dollar sign`)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", text.LineBytes(s, 80), err)
	}
	return f(&part{r, negative, optional})
}

// negative is a number with the other sign.
func negative(v any, r *part) (any, error) {
	switch v := v.(type) {
	case int64:
		if v != math.MinInt64 {
			return -v, nil
		}
	case float64:
		return -v, nil
	case unknown.Value:
		return "-" + v, nil
	}
	return nil, fmt.Errorf("%s is no number that has a negative", r.Lua())
}
