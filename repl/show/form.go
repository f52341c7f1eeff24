package show

// This file is the form of a server, filled in field by field: what is asked for, and what a typed text means there.

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/mail"
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/jsonschema-go/jsonschema"

	"almanac/catalog"
	"almanac/catalog/text"
)

// A Form is a server's form as a person fills it in. It is for one goroutine.
type Form struct {
	fields []catalog.Field
	at     int
	values map[string]any
}

// NewForm begins at the first field, with the values that the question has; nil where it has no form.
func (q Question) NewForm() *Form {
	if q.Inquiry == nil || q.Inquiry.Form == nil {
		return nil
	}
	f := &Form{fields: q.Inquiry.Form.Fields(), values: map[string]any{}}
	for name, value := range q.request.Args {
		f.values[name] = value
	}
	return f
}

// Done tells that there is no further field. Values are those given until now, the form's own.
func (f *Form) Done() bool             { return f.at >= len(f.fields) }
func (f *Form) Values() map[string]any { return f.values }

// Back goes to the field before, if there is one.
func (f *Form) Back() { f.at = max(f.at-1, 0) }

// Prompt names the field: "name (2 of 5)".
func (f *Form) Prompt() string {
	return fmt.Sprintf("%s (%d of %d)", text.LineBytes(f.fields[f.at].Name, 60), f.at+1, len(f.fields))
}

// Lines say what the field is for, what it takes, and what an empty answer means.
func (f *Form) Lines() []Line {
	one := f.fields[f.at]
	var lines []Line
	if about := strings.TrimSpace(titleOf(one.Schema) + " " + one.Description); about != "" {
		lines = append(lines, Line{Dim.Span("| "), Text.Span(text.LineBytes(about, 1000))})
	}
	choices, many := choicesOf(one)
	kind := kindOf(one)
	if choices != nil {
		kind = "one of these, by its number"
		if many {
			kind = "any of these, by their numbers: 1, 3"
		}
	}
	words := []string{kind}
	words = append(words, boundsOf(one.Schema)...)
	if one.Required {
		words = append(words, "required")
	}
	lines = append(lines, Text.Line(strings.Join(words, ", ")))
	for i, c := range choices {
		lines = append(lines, Text.Line(fmt.Sprintf("  %d  %s", i+1, c.shown())))
	}
	empty := "an empty line leaves it out"
	switch now, has := f.values[one.Name]; {
	case has:
		empty = "an empty line is " + clippedValue(now)
		if i := slices.IndexFunc(choices, func(c choice) bool { return reflect.DeepEqual(c.value, now) }); !many && i >= 0 {
			empty = "an empty line is " + choices[i].shown()
		}
	case one.Required:
		empty = ""
	}
	if empty != "" {
		lines = append(lines, Dim.Line(empty))
	}
	return lines
}

// Take reads what was typed into the field and goes to the next. An error says what is wanted, and stays.
func (f *Form) Take(typed string) error {
	one := f.fields[f.at]
	typed = strings.TrimSpace(typed)
	if typed == "" {
		if _, has := f.values[one.Name]; !has && one.Required {
			return errors.New("it is required")
		}
		f.at++
		return nil
	}
	value, err := read(one, typed)
	if err == nil {
		err = fits(one, value)
	}
	if err != nil {
		return err
	}
	f.values[one.Name] = value
	f.at++
	return nil
}

// A choice is a value that a field may have, and what it is called.
type choice struct {
	value any
	title string
}

func (c choice) shown() string {
	if s := clippedValue(c.value); c.title == "" || c.title == c.value {
		return s
	}
	return text.LineBytes(c.title, 200)
}

// choicesOf are the values that a field may have; nil where it may have others. many tells that it takes several.
func choicesOf(f catalog.Field) (all []choice, many bool) {
	s := f.Schema
	if s == nil {
		return nil, false
	}
	if s.Items != nil && s.Type == "array" {
		s, many = s.Items, true
	}
	named := slices.Concat(s.OneOf, s.AnyOf)
	for _, one := range named {
		if one.Const == nil {
			return nil, false
		}
		all = append(all, choice{*one.Const, one.Title})
	}
	titles, _ := s.Extra["enumNames"].([]any)
	for i, value := range s.Enum {
		c := choice{value: value}
		if i < len(titles) {
			c.title, _ = titles[i].(string)
		}
		all = append(all, c)
	}
	return all, many
}

// read makes a value of a typed text.
func read(f catalog.Field, typed string) (any, error) {
	choices, many := choicesOf(f)
	if choices == nil {
		return readPlain(f, typed)
	}
	pick := func(word string) (any, error) {
		word = strings.TrimSpace(word)
		for _, c := range choices { // before the numbers: a value may look like one
			if word == fmt.Sprint(c.value) || c.title != "" && strings.EqualFold(word, c.title) {
				return c.value, nil
			}
		}
		if n, err := strconv.Atoi(word); err == nil && 1 <= n && n <= len(choices) {
			return choices[n-1].value, nil
		}
		return nil, fmt.Errorf("%s: want a number from 1 to %d, or the words behind one", text.LineBytes(word, 60),
			len(choices))
	}
	if !many {
		return pick(typed)
	}
	values := []any{}
	for _, word := range strings.Split(typed, ",") {
		value, err := pick(word)
		if err != nil {
			return nil, err
		}
		if !slices.ContainsFunc(values, func(v any) bool { return reflect.DeepEqual(v, value) }) {
			values = append(values, value)
		}
	}
	return values, nil
}

func readPlain(f catalog.Field, typed string) (any, error) {
	switch strings.TrimSuffix(f.Type, "?") {
	case "str":
		return typed, nil
	case "bool":
		switch strings.ToLower(typed) {
		case "y", "yes", "true", "on":
			return true, nil
		case "n", "no", "false", "off":
			return false, nil
		}
		return nil, errors.New("want yes or no")
	case "int":
		n, err := strconv.ParseInt(typed, 10, 64)
		if err != nil {
			return nil, errors.New("want a whole number")
		}
		return n, nil
	case "num":
		n, err := strconv.ParseFloat(typed, 64)
		if err != nil {
			return nil, errors.New("want a number")
		}
		return n, nil
	}
	table, err := ParseArgs("{ value = " + typed + " }")
	if err != nil {
		return nil, errors.New("want a plain value of Lua, such as \"text\", 12 or { 1, 2 }")
	}
	return table["value"], nil
}

// fits checks the value of one field.
func fits(f catalog.Field, value any) error {
	if f.Schema == nil {
		return nil // the whole form is checked at its end
	}
	one, err := json.Marshal(f.Schema)
	if err != nil {
		return nil
	}
	schema, err := catalog.ParseSchema([]byte(`{"type":"object","properties":{"value":` + string(one) + `}}`))
	if err != nil {
		return nil
	}
	if _, err := schema.Check(map[string]any{"value": value}); err != nil {
		return errors.New(strings.TrimPrefix(err.Error(), "argument value: "))
	}
	typed, ok := value.(string)
	if !ok {
		return nil
	}
	wrong := false
	switch f.Schema.Format {
	case "email":
		at, err := mail.ParseAddress(typed)
		wrong = err != nil || at.Address != typed
	case "uri":
		u, err := url.Parse(typed)
		wrong = err != nil || u.Scheme == ""
	case "date":
		_, err := time.Parse(time.DateOnly, typed)
		wrong = err != nil
	case "date-time":
		_, err := time.Parse(time.RFC3339, typed)
		wrong = err != nil
	}
	if wrong {
		return errors.New("want " + kindOf(f))
	}
	return nil
}

// kindOf says what a field takes.
func kindOf(f catalog.Field) string {
	if f.Schema != nil {
		switch f.Schema.Format {
		case "email":
			return "an e-mail address"
		case "uri":
			return "an address such as https://example.com"
		case "date":
			return "a date such as 2027-01-31"
		case "date-time":
			return "a time such as 2027-01-31T09:00:00Z"
		}
	}
	switch strings.TrimSuffix(f.Type, "?") {
	case "str":
		return "a text"
	case "bool":
		return "yes or no"
	case "int":
		return "a whole number"
	case "num":
		return "a number"
	}
	return text.LineBytes(f.Type, 100)
}

// boundsOf says what bounds a value.
func boundsOf(s *jsonschema.Schema) (all []string) {
	if s == nil {
		return nil
	}
	add := func(format string, n *int) {
		if n != nil {
			all = append(all, fmt.Sprintf(format, *n))
		}
	}
	bound := func(format string, n *float64) {
		if n != nil {
			all = append(all, fmt.Sprintf(format, strconv.FormatFloat(*n, 'f', -1, 64)))
		}
	}
	bound("%s or more", s.Minimum)
	bound("more than %s", s.ExclusiveMinimum)
	bound("%s or less", s.Maximum)
	bound("less than %s", s.ExclusiveMaximum)
	add("%d characters or more", s.MinLength)
	add("%d characters or less", s.MaxLength)
	add("%d or more of them", s.MinItems)
	add("%d or less of them", s.MaxItems)
	if s.Pattern != "" {
		all = append(all, "as "+text.LineBytes(s.Pattern, 100))
	}
	return all
}

func titleOf(s *jsonschema.Schema) string {
	if s == nil || s.Title == "" {
		return ""
	}
	return strings.TrimSuffix(s.Title, ".") + "."
}

func clippedValue(v any) string { return text.LineBytes(ArgsInOrder(v, 0, nil), 200) }
