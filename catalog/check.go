package catalog

// This file checks arguments: it normalises them to their schema, or says in one line what is wrong. The walk is our
// own for the sake of good errors; the schema library has the last word.

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"almanac/catalog/search/spelling"
	"almanac/catalog/spec"
	"almanac/catalog/text"
	"almanac/catalog/unknown"
)

// An ArgError says which argument of a call is wrong and what was expected.
type ArgError struct {
	// ID is the action's; Check leaves it empty and the call path fills it in.
	ID string
	// Field is the path of the argument: "limit", "items[2].price"; empty when it is the whole table.
	Field string
	// Want says what the schema asks for; empty when the argument should not be there.
	Want string
	// Got says what came, or what is wrong with it.
	Got string
	// Hint is a remedy, such as the nearest name; may be empty. Error leaves it out.
	Hint string
	// Schema is the text of that argument's schema; nil when there is none.
	Schema json.RawMessage
}

// Error is one line of at most some 600 characters, whatever the names and values are:
// `billing.invoice.list_unpaid: argument limit: want integer, got string "many"`.
func (e *ArgError) Error() string {
	var b strings.Builder
	if e.ID != "" {
		b.WriteString(e.ID + ": ")
	}
	if e.Field == "" {
		b.WriteString("arguments: ")
	} else {
		b.WriteString("argument " + text.LineRunes(e.Field, 120) + ": ")
	}
	if e.Want != "" {
		b.WriteString("want " + text.LineRunes(e.Want, 240) + ", got ")
	}
	b.WriteString(text.LineRunes(e.Got, 240))
	return b.String()
}

const (
	maxArgDepth = 64
	// maxCheckSteps bounds the work of one Check, which nested choices could otherwise make exponential.
	maxCheckSteps = 200_000
)

// Check normalises args and validates them. It returns a new table and leaves args alone; nil args are an empty
// table. The error is an *ArgError.
//
// Normalising turns "5" into 5 where a number is wanted and a string is not, 5.0 into int64 5 where an integer is
// wanted, the JSON text of a list or a table into that where no string is wanted, a single value into a list of it
// where a list is wanted, an empty object into an empty list and the other way round, and fills in defaults. Nothing
// else is changed. A name that the schema does not list is an error, unless the schema lists none or says
// additionalProperties. Args that hold a Later or an unknown.Value are checked as far as they are known.
func (s *Schema) Check(args map[string]any) (map[string]any, error) {
	if s == nil {
		if len(args) > 0 {
			return nil, &ArgError{Field: slices.Min(slices.Collect(maps.Keys(args))), Got: "unknown name",
				Hint: "this action takes no arguments"}
		}
		return map[string]any{}, nil
	}
	if err := s.load(); err != nil {
		return nil, &ArgError{Got: "cannot be checked: the schema is broken: " + text.ClipRunes(err.Error(), 200)}
	}
	c := checker{root: s.parsed}
	if args == nil {
		args = map[string]any{}
	}
	if tooDeep(args, maxArgDepth) {
		return nil, &ArgError{Got: "nested too deeply to check"}
	}
	value, wrong := c.check(args, s.parsed, "", 0)
	if wrong != nil {
		return nil, wrong
	}
	out, ok := value.(map[string]any)
	if !ok {
		return nil, &ArgError{Got: "cannot be checked: the schema wants no object"}
	}
	if c.later {
		return out, nil
	}
	if err := s.resolved.Validate(out); err != nil {
		return nil, &ArgError{Got: "not valid: " + libraryMessage(err)}
	}
	return out, nil
}

// Fits fails if a value does not match the schema. Nothing is normalised. A nil schema fits everything.
func (s *Schema) Fits(value any) error {
	if s == nil {
		return nil
	}
	if err := s.load(); err != nil {
		return fmt.Errorf("its schema is broken: %s", text.ClipRunes(err.Error(), 200))
	}
	if err := s.resolved.Validate(value); err != nil {
		return errors.New(libraryMessage(err))
	}
	return nil
}

// tooDeep reports whether v nests more than depth tables.
func tooDeep(v any, depth int) bool {
	switch v := v.(type) {
	case map[string]any:
		for _, inner := range v {
			if depth == 0 || tooDeep(inner, depth-1) {
				return true
			}
		}
	case []any:
		for _, inner := range v {
			if depth == 0 || tooDeep(inner, depth-1) {
				return true
			}
		}
	}
	return false
}

// A checker walks arguments and a schema together.
type checker struct {
	root  *jsonschema.Schema
	steps int
	// inner is above zero inside the branches of a choice and the parts of an allOf, where only the schema around
	// them knows all names.
	inner int
	// later tells that the arguments hold a Later or an unknown.Value.
	later bool
}

// check returns the normalised value, never changing the one given.
func (c *checker) check(v any, s *jsonschema.Schema, path string, depth int) (any, *ArgError) {
	if c.steps++; c.steps > maxCheckSteps || depth > maxArgDepth {
		return nil, &ArgError{Field: path, Got: "nested too deeply to check"}
	}
	if _, ok := v.(unknown.Value); ok {
		c.later = true
		return v, nil
	}
	s, err := c.follow(s, path)
	if err != nil {
		return nil, err
	}
	if later, ok := v.(Later); ok {
		c.later = true
		return later, later.check(s, path)
	}
	v, err = c.plainValue(v, path)
	if err != nil {
		return nil, err
	}
	v, err = c.checkType(v, s, path)
	if err != nil {
		return nil, err
	}
	if err = c.checkValue(v, s, path); err != nil {
		return nil, err
	}
	switch value := v.(type) {
	case map[string]any:
		v, err = c.checkObject(value, s, path, depth)
	case []any:
		v, err = c.checkList(value, s, path, depth)
	}
	if err != nil {
		return nil, err
	}
	return c.checkParts(v, s, path, depth)
}

// checkParts applies allOf, anyOf and oneOf to a value that fits the schema otherwise.
func (c *checker) checkParts(v any, s *jsonschema.Schema, path string, depth int) (any, *ArgError) {
	var err *ArgError
	c.inner++
	defer func() { c.inner-- }()
	for _, part := range s.AllOf {
		if v, err = c.check(v, part, path, depth+1); err != nil {
			return nil, err
		}
	}
	for _, branches := range [][]*jsonschema.Schema{s.AnyOf, s.OneOf} {
		if len(branches) == 0 {
			continue
		}
		if v, err = c.choose(v, branches, path, depth); err != nil {
			return nil, err
		}
	}
	return v, nil
}

// choose takes the first branch that the value fits as it is, else the first that fits after normalising. If none does,
// the error is that of the branch that got furthest.
func (c *checker) choose(v any, branches []*jsonschema.Schema, path string, depth int) (any, *ArgError) {
	var fit any
	var found bool
	var best *ArgError
	bestScore := -1
	var wants []string
	sameType := true
	for _, branch := range branches {
		got, err := c.check(v, branch, path, depth+1)
		if err == nil {
			if sameKind(got, v) {
				return got, nil
			}
			if !found {
				fit, found = got, true
			}
			continue
		}
		score := 4*strings.Count(err.Field, ".") + 4*strings.Count(err.Field, "[") + 2*min(1, len(err.Field)-len(path))
		if target, wrong := c.follow(branch, path); wrong == nil && c.isTag(target, err.Field, path) {
			score -= 3
		}
		if err.Field == path {
			wants = append(wants, err.Want)
		} else {
			sameType = false
		}
		if score > bestScore {
			best, bestScore = err, score
		}
	}
	if found {
		return fit, nil
	}
	if best != nil && sameType && len(wants) > 1 && !slices.Contains(wants, "") {
		slices.Sort(wants)
		merged := *best
		merged.Want, merged.Hint = strings.Join(slices.Compact(wants), " or "), ""
		return nil, &merged
	}
	if best == nil {
		best = &ArgError{Field: path, Want: "one of the listed shapes", Got: describeValue(v)}
	}
	return nil, best
}

// isTag reports whether the field at place is a constant of the branch, such as a type tag.
func (c *checker) isTag(s *jsonschema.Schema, place, path string) bool {
	name := strings.TrimPrefix(strings.TrimPrefix(place, path), ".")
	field := s.Properties[name]
	return field != nil && (field.Const != nil || len(field.Enum) == 1)
}

// sameKind reports whether normalising kept the type of the value.
func sameKind(a, b any) bool { return reflect.TypeOf(a) == reflect.TypeOf(b) }

// follow steps through $ref. Only references into the schema itself are known.
func (c *checker) follow(s *jsonschema.Schema, path string) (*jsonschema.Schema, *ArgError) {
	for hop := 0; s.Ref != ""; hop++ {
		target := pointedTo(c.root, s.Ref)
		if target == nil || hop > spec.MaxHops {
			return nil, &ArgError{Field: path, Got: "cannot be checked: the schema's reference " + text.ClipRunes(s.Ref, 60) +
				" leads nowhere"}
		}
		if len(s.Properties)+len(s.AllOf)+len(s.AnyOf)+len(s.OneOf)+len(s.Required) > 0 {
			beside := *s
			beside.Ref = ""
			return &jsonschema.Schema{AllOf: []*jsonschema.Schema{target, &beside}}, nil
		}
		s = target
	}
	return s, nil
}

func (c *checker) checkList(list []any, s *jsonschema.Schema, path string, depth int) (any, *ArgError) {
	out := make([]any, len(list))
	prefix := s.PrefixItems
	if len(prefix) == 0 {
		prefix = s.ItemsArray
	}
	inner := c.inner
	c.inner = 0
	defer func() { c.inner = inner }()
	for i, item := range list {
		schema := s.Items
		if i < len(prefix) {
			schema = prefix[i]
		}
		if schema == nil {
			out[i] = item
			continue
		}
		value, err := c.check(item, schema, fmt.Sprintf("%s[%d]", path, i), depth+1)
		if err != nil {
			return nil, err
		}
		out[i] = value
	}
	return out, nil
}

func (c *checker) checkObject(object map[string]any, s *jsonschema.Schema, path string, depth int) (any, *ArgError) {
	if err := c.checkNames(object, s, path); err != nil {
		return nil, err
	}
	inner := c.inner
	c.inner = 0
	defer func() { c.inner = inner }()
	out := make(map[string]any, len(object))
	for _, name := range slices.Sorted(maps.Keys(object)) {
		schema := s.Properties[name]
		if schema == nil {
			schema = s.AdditionalProperties
		}
		if schema == nil || (s.Properties[name] == nil && never(schema)) {
			out[name] = object[name]
			continue
		}
		value, err := c.check(object[name], schema, join(path, name), depth+1)
		if err != nil {
			if object[name] == nil && err.Field == join(path, name) && !slices.Contains(s.Required, name) {
				err.Hint = "leave it out instead"
			}
			return nil, err
		}
		out[name] = value
	}
	for name, schema := range s.Properties {
		if _, ok := out[name]; ok {
			continue
		}
		if target, err := c.follow(schema, path); err == nil {
			if raw := firstText(schema.Default, target.Default); raw != nil {
				out[name] = spec.Decode(raw)
			}
		}
	}
	return out, c.checkRequired(out, s, path)
}

func firstText(a, b json.RawMessage) json.RawMessage {
	if a != nil {
		return a
	}
	return b
}

func (c *checker) checkRequired(object map[string]any, s *jsonschema.Schema, path string) *ArgError {
	missing := func(names []string, hint string) *ArgError {
		for _, name := range names {
			if _, ok := object[name]; ok {
				continue
			}
			err := &ArgError{Field: join(path, name), Want: "a value", Got: "nothing", Hint: hint}
			if field := c.property(s, name, 0); field != nil {
				if target, wrong := c.follow(field, path); wrong == nil {
					err.Want = wanted(target)
				}
				err.Schema = schemaText(field)
			}
			return err
		}
		return nil
	}
	if err := missing(s.Required, "it is required"); err != nil || len(s.DependentRequired) == 0 {
		return err
	}
	for _, given := range slices.Sorted(maps.Keys(object)) {
		if err := missing(s.DependentRequired[given], "it is required with "+text.LineRunes(given, 60)); err != nil {
			return err
		}
	}
	return nil
}

// property finds the schema of a name, in the parts too.
func (c *checker) property(s *jsonschema.Schema, name string, depth int) *jsonschema.Schema {
	if field := s.Properties[name]; field != nil || depth > 8 {
		return field
	}
	for _, part := range slices.Concat(s.AllOf, s.AnyOf, s.OneOf) {
		if target, err := c.follow(part, ""); err == nil {
			if field := c.property(target, name, depth+1); field != nil {
				return field
			}
		}
	}
	return nil
}

// checkNames refuses the first name, in order, that the schema does not know.
func (c *checker) checkNames(object map[string]any, s *jsonschema.Schema, path string) *ArgError {
	closed := s.AdditionalProperties != nil && never(s.AdditionalProperties)
	if c.inner > 0 && !closed {
		return nil
	}
	known := map[string]bool{}
	open := c.names(s, known, 0)
	if open && !closed {
		return nil
	}
	if len(known) == 0 && !closed {
		return nil
	}
	names := slices.Sorted(maps.Keys(known))
	for _, name := range slices.Sorted(maps.Keys(object)) {
		if known[name] || c.fitsPattern(s, name) {
			continue
		}
		err := &ArgError{Field: join(path, name), Got: "unknown name",
			Hint: "known names: " + text.ClipRunes(strings.Join(names, ", "), 200)}
		if near := spelling.Nearest(name, names); near != "" {
			err.Hint = "did you mean " + near + "?"
			err.Schema = schemaText(c.property(s, near, 0))
		} else if len(names) == 0 {
			err.Hint = "no names are allowed here"
		}
		return err
	}
	return nil
}

// names collects what a schema and its parts list, and reports whether other names are allowed.
func (c *checker) names(s *jsonschema.Schema, known map[string]bool, depth int) (open bool) {
	if depth > 16 {
		return true
	}
	for name := range s.Properties {
		known[name] = true
	}
	if s.AdditionalProperties != nil && !never(s.AdditionalProperties) || s.UnevaluatedProperties != nil &&
		!never(s.UnevaluatedProperties) {
		open = true
	}
	parts := slices.Concat(s.AllOf, s.AnyOf, s.OneOf)
	for _, part := range []*jsonschema.Schema{s.If, s.Then, s.Else} {
		if part != nil {
			parts = append(parts, part)
		}
	}
	for _, part := range slices.Sorted(maps.Keys(s.DependentSchemas)) {
		parts = append(parts, s.DependentSchemas[part])
	}
	for _, part := range parts {
		target, err := c.follow(part, "")
		if err != nil {
			return true
		}
		if c.names(target, known, depth+1) {
			open = true
		}
		// A branch that takes objects and lists no names takes any.
		if target.Type == "object" && len(target.Properties)+len(target.AllOf)+len(target.AnyOf)+len(target.OneOf)+
			len(target.Required) == 0 && target.AdditionalProperties == nil {
			open = true
		}
	}
	return open
}
