package catalog

// This file checks single values for Check: types, enumerations and bounds.

import (
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/google/jsonschema-go/jsonschema"

	"almanac/catalog/search/spelling"
	"almanac/catalog/spec"
	"almanac/catalog/text"
	"almanac/catalog/unknown"
)

// plainValue turns Go numbers of all kinds into int64 and float64, and refuses values that are not data.
func (c *checker) plainValue(v any, path string) (any, *ArgError) {
	switch n := v.(type) {
	case nil, bool, int64, string, []any, map[string]any:
		return v, nil
	case float64:
		if math.IsNaN(n) || math.IsInf(n, 0) {
			return nil, &ArgError{Field: path, Want: "a number", Got: fmt.Sprint(n)}
		}
		return v, nil
	case json.Number:
		return spec.PlainNumbers(n), nil
	}
	r := reflect.ValueOf(v)
	switch r.Kind() {
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return r.Int(), nil
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		if r.Uint() <= math.MaxInt64 {
			return int64(r.Uint()), nil
		}
	case reflect.Float32:
		return r.Float(), nil
	case reflect.String:
		return r.String(), nil
	case reflect.Slice:
		out := make([]any, r.Len())
		for i := range out {
			out[i] = r.Index(i).Interface()
		}
		return out, nil
	}
	return nil, &ArgError{Field: path, Want: "data", Got: fmt.Sprintf("a value of type %T", v)}
}

// kinds lists the types a schema names; nil when any will do.
func kinds(s *jsonschema.Schema) []string {
	if s.Type != "" {
		return []string{s.Type}
	}
	return s.Types
}

func never(s *jsonschema.Schema) bool {
	return s.Not != nil && reflect.DeepEqual(s.Not, &jsonschema.Schema{})
}

// checkType brings v to a type that s names.
func (c *checker) checkType(v any, s *jsonschema.Schema, path string) (any, *ArgError) {
	if never(s) {
		return nil, &ArgError{Field: path, Got: "not allowed here"}
	}
	allowed := kinds(s)
	if len(allowed) == 0 {
		if s.Items != nil && len(s.Properties) == 0 {
			allowed = []string{"array"}
		} else {
			return v, nil
		}
	}
	for _, kind := range allowed {
		if got, ok := as(v, kind); ok {
			return got, nil
		}
	}
	for _, kind := range allowed {
		if got, ok := fromJSON(v, kind, s); ok {
			return got, nil
		}
		if got, ok := converted(v, kind); ok {
			return got, nil
		}
	}
	err := &ArgError{Field: path, Want: wanted(s), Got: describeValue(v), Schema: schemaText(s)}
	switch value := v.(type) {
	case int64, float64, bool:
		if slices.Contains(allowed, "string") {
			err.Hint = fmt.Sprintf("write it as %q", fmt.Sprint(value))
		}
	case string:
		if slices.Contains(allowed, "boolean") {
			err.Hint = "write true or false without quotes"
		}
	}
	return nil, err
}

// A Later stands in arguments for a value that is not there yet. It fits every schema that allows values of its kind.
type Later struct {
	// Text names it in errors.
	Text string
	// Kind is that of spec.Shape; empty when it is not known.
	Kind string
}

// check fails where the schema allows no value of the kind. A text may be a number and a value become a list of it, as
// elsewhere.
func (l Later) check(s *jsonschema.Schema, path string) *ArgError {
	allowed := kinds(s)
	fits := len(allowed) == 0 || slices.Contains(allowed, "array")
	switch l.Kind {
	case "object":
		fits = fits || slices.Contains(allowed, "object")
	case "":
		fits = true
	case "list":
	default:
		fits = fits || slices.ContainsFunc(allowed, func(kind string) bool { return kind != "object" && kind != "null" })
	}
	if fits && !never(s) {
		return nil
	}
	return &ArgError{Field: path, Want: wanted(s), Got: l.Text + ", a value of type " + l.Kind, Schema: schemaText(s)}
}

// as reports whether v is of the JSON type kind. A float without a fraction is an integer.
func as(v any, kind string) (any, bool) {
	ok := false
	switch kind {
	case "null":
		ok = v == nil
	case "boolean":
		_, ok = v.(bool)
	case "string":
		_, ok = v.(string)
	case "object":
		_, ok = v.(map[string]any)
	case "array":
		_, ok = v.([]any)
	case "number":
		switch v.(type) {
		case int64, float64:
			ok = true
		}
	case "integer":
		switch n := v.(type) {
		case int64:
			ok = true
		case float64:
			if n == math.Trunc(n) && math.Abs(n) < 1<<63 {
				return int64(n), true
			}
		}
	}
	return v, ok
}

// fromJSON is the list or the table that a text is the JSON of, as models write them at times. A list whose items
// do not fit is no list, but a text.
func fromJSON(v any, kind string, s *jsonschema.Schema) (any, bool) {
	text, _ := v.(string)
	opens := map[string]string{"array": "[", "object": "{"}[kind]
	if opens == "" || !strings.HasPrefix(strings.TrimSpace(text), opens) {
		return nil, false
	}
	got, err := ParseJSON([]byte(text))
	if err != nil || tooDeep(got, maxArgDepth) {
		return nil, false
	}
	list, _ := got.([]any)
	misfits := s.Items != nil && slices.ContainsFunc(list, func(item any) bool { return !ofKind(item, s.Items) })
	return got, !misfits
}

// converted is v as kind if its meaning is unambiguous.
func converted(v any, kind string) (any, bool) {
	switch kind {
	case "integer", "number":
		text, ok := v.(string)
		if !ok || strings.TrimSpace(text) != text || !json.Valid([]byte(text)) {
			return nil, false
		}
		number := spec.Decode([]byte(text))
		switch number.(type) {
		case int64, float64:
			return as(number, kind)
		}
	case "array":
		if object, ok := v.(map[string]any); ok && len(object) == 0 {
			return []any{}, true
		}
		if v != nil {
			return []any{v}, true
		}
	case "object":
		if list, ok := v.([]any); ok && len(list) == 0 {
			return map[string]any{}, true
		}
	}
	return nil, false
}

// checkValue checks v against enum, const and bounds.
func (c *checker) checkValue(v any, s *jsonschema.Schema, path string) *ArgError {
	wrong := func(want string) *ArgError {
		return &ArgError{Field: path, Want: want, Got: describeValue(v), Schema: schemaText(s)}
	}
	if s.Enum != nil && !slices.ContainsFunc(s.Enum, func(x any) bool { return jsonschema.Equal(x, v) }) {
		err := wrong(enumText(s.Enum))
		if word, ok := v.(string); ok {
			var words []string
			for _, x := range s.Enum {
				if w, ok := x.(string); ok {
					words = append(words, w)
				}
			}
			if near := spelling.Nearest(word, words); near != "" {
				err.Hint = fmt.Sprintf("did you mean %q?", near)
			}
		}
		return err
	}
	if s.Const != nil && !jsonschema.Equal(*s.Const, v) {
		return wrong(literal(*s.Const))
	}
	switch value := v.(type) {
	case int64:
		if want := outOfBounds(float64(value), s); want != "" {
			return wrong(want)
		}
	case float64:
		if want := outOfBounds(value, s); want != "" {
			return wrong(want)
		}
	case string:
		n := utf8.RuneCountInString(value)
		switch {
		case s.MinLength != nil && n < *s.MinLength:
			return wrong(fmt.Sprintf("at least %s", text.Count(*s.MinLength, "character")))
		case s.MaxLength != nil && n > *s.MaxLength:
			return wrong(fmt.Sprintf("at most %s", text.Count(*s.MaxLength, "character")))
		}
		if s.Pattern != "" {
			if re, err := regexp.Compile(s.Pattern); err == nil && !re.MatchString(value) {
				return wrong("a string that matches " + s.Pattern)
			}
		}
	case []any:
		switch {
		case s.MinItems != nil && len(value) < *s.MinItems:
			return wrong(fmt.Sprintf("at least %s", text.Count(*s.MinItems, "item")))
		case s.MaxItems != nil && len(value) > *s.MaxItems:
			return wrong(fmt.Sprintf("at most %s", text.Count(*s.MaxItems, "item")))
		}
	}
	return nil
}

// outOfBounds says what number the schema wants if n is out of bounds, else "".
func outOfBounds(n float64, s *jsonschema.Schema) string {
	kind := "number"
	if s.Type == "integer" {
		kind = "integer"
	}
	show := func(op string, bound float64) string { return kind + " " + op + " " + fmt.Sprint(bound) }
	switch {
	case s.Minimum != nil && n < *s.Minimum:
		return show(">=", *s.Minimum)
	case s.Maximum != nil && n > *s.Maximum:
		return show("<=", *s.Maximum)
	case s.ExclusiveMinimum != nil && n <= *s.ExclusiveMinimum:
		return show(">", *s.ExclusiveMinimum)
	case s.ExclusiveMaximum != nil && n >= *s.ExclusiveMaximum:
		return show("<", *s.ExclusiveMaximum)
	case s.MultipleOf != nil && *s.MultipleOf > 0:
		if q := n / *s.MultipleOf; math.Abs(q-math.Round(q)) > 1e-9 {
			return "multiple of " + fmt.Sprint(*s.MultipleOf)
		}
	}
	return ""
}

func (c *checker) fitsPattern(s *jsonschema.Schema, name string) bool {
	for pattern := range s.PatternProperties {
		if re, err := regexp.Compile(pattern); err == nil && re.MatchString(name) {
			return true
		}
	}
	return false
}

// wanted names the type a schema asks for, in full words.
func wanted(s *jsonschema.Schema) string {
	if len(s.Enum) > 0 {
		return enumText(s.Enum)
	}
	if s.Const != nil {
		return literal(*s.Const)
	}
	names := slices.Clone(kinds(s))
	for i, name := range names {
		if name == "array" {
			names[i] = "list"
		}
	}
	if len(names) == 0 {
		if s.Items != nil {
			return "list"
		}
		return "a value"
	}
	return strings.Join(names, " or ")
}

func enumText(values []any) string {
	parts := make([]string, 0, len(values))
	for i, v := range values {
		if i == 12 {
			parts = append(parts, fmt.Sprintf("… (%d in all)", len(values)))
			break
		}
		parts = append(parts, literal(v))
	}
	if len(parts) == 1 {
		return parts[0]
	}
	return "one of " + strings.Join(parts, ", ")
}

// literal is a value as JSON, at most 60 runes.
func literal(v any) string {
	raw, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	return text.ClipRunes(string(raw), 60)
}

// KindOf is what plain data is: null, boolean, string, integer, number, list or object; empty for anything else.
func KindOf(v any) string {
	switch v.(type) {
	case nil:
		return "null"
	case bool:
		return "boolean"
	case string:
		return "string"
	case int64, int:
		return "integer"
	case float64:
		return "number"
	case []any:
		return "list"
	case map[string]any:
		return "object"
	}
	return ""
}

// describeValue names a value's kind and, where it is short, the value.
func describeValue(v any) string {
	switch value := v.(type) {
	case nil:
		return KindOf(v)
	case bool, string, int64, float64:
		return KindOf(v) + " " + literal(value)
	case []any:
		return "list of " + text.Count(len(value), "item")
	case map[string]any:
		return "object of " + text.Count(len(value), "field")
	case Later:
		return value.Text
	case unknown.Value:
		return "a value that only a real run gives"
	}
	return fmt.Sprintf("%T", v)
}

func schemaText(s *jsonschema.Schema) json.RawMessage {
	if s == nil {
		return nil
	}
	raw, err := json.Marshal(s)
	if err != nil {
		return nil
	}
	return raw
}

func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

// libraryMessage drops the library's path to the error and keeps the reason.
func libraryMessage(err error) string {
	msg := err.Error()
	place := ""
	for strings.HasPrefix(msg, "validating ") {
		i := strings.Index(msg, ": ")
		if i < 0 {
			break
		}
		place, msg = strings.TrimPrefix(msg[:i], "validating "), msg[i+2:]
	}
	if place != "" && place != "root" {
		msg = place + ": " + msg
	}
	return text.LineRunes(msg, 200)
}
