package catalog

// This file says which arguments a call takes from the result of the one before it in a chain.

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"almanac/catalog/text"
)

// Chained lists the arguments that a call of next takes from the result of a call of prev, where given are those that
// it has: the fields of the same name, and of a result that the schema leaves open the required ones. prev is nil for
// the first call. The error, an *ArgError, says what is missing or of another type, as far as the schemas tell.
func Chained(prev, next *Entry, given map[string]any) ([]string, error) {
	args, takes := maps.Clone(given), []string(nil)
	if args == nil {
		args = map[string]any{}
	}
	if prev != nil {
		result := prev.Output.Shape()
		kind := result.Kind()
		var returned []string
		if kind == "object" {
			returned = prev.Output.Names()
		}
		for _, field := range next.Input.Fields() {
			_, there := given[field.Name]
			value := Later{Text: "the " + field.Name + " that " + prev.ID + " returns"}
			switch {
			case there:
				continue
			case slices.Contains(returned, field.Name):
				shape, _ := result.Field(field.Name)
				value.Kind = shape.Kind()
			case !field.Required || kind != "" && kind != "object":
				continue
			default:
				if _, names := result.Field(field.Name); names != nil {
					continue
				}
			}
			takes, args[field.Name] = append(takes, field.Name), value
		}
	}
	_, err := next.Input.Check(args)
	var bad *ArgError
	if !errors.As(err, &bad) {
		return takes, err
	}
	bad.ID = next.ID
	if _, there := given[bad.Field]; prev != nil && !there {
		kind := prev.Output.Shape().Kind()
		what := text.Article(kind)
		if names := prev.Output.Names(); kind == "object" {
			what = cmp.Or(text.ClipRunes(strings.Join(names, ", "), 200), "no fields")
		}
		bad.Hint = fmt.Sprintf("%s returns %s; give the argument in the step, or a function that makes the arguments", prev.ID, what)
	}
	return nil, bad
}
