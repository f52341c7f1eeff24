package catalog

// This file reads options as scripts write them.

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"almanac/catalog/search/spelling"
	"almanac/catalog/text"
)

func optionNames() []string {
	return []string{"domains", "entities", "include_mutations", "limit", "mutates", "needs_input", "needs_output",
		"operation", "risk", "tags"}
}

// CheckOptions refuses an operation that is neither usual nor found in a visible action: an *ArgError that lists those
// there are, with the nearest one as its Hint.
func (v *View) CheckOptions(o SearchOptions) error {
	if o.Operation == "" {
		return nil
	}
	m := v.cat.index.Keys(operationKind)
	if v.visible.Any(m.Get(strings.ToLower(string(o.Operation)))) {
		return nil
	}
	known := sortedSet(append(v.visibleKeys(m), string(Read), string(Create), string(Update), string(Delete),
		string(Admin)))
	if slices.Contains(known, string(o.Operation)) {
		return nil
	}
	err := &ArgError{Field: "operation", Want: "one of " + strings.Join(known[:min(len(known), 12)], ", "),
		Got: describeValue(string(o.Operation))}
	if near := spelling.Nearest(string(o.Operation), known); near != "" {
		err.Hint = "did you mean " + near + "?"
	}
	return err
}

// ParseSearchOptions reads options in snake_case: domains, tags, entities, operation, include_mutations, mutates,
// needs_input, needs_output, risk and limit. A single string may stand for a list. An error is an *ArgError; for an
// unknown name its Hint is the nearest one. Nil gives the zero options.
func ParseSearchOptions(m map[string]any) (SearchOptions, error) {
	o, rest, err := parseOptions(m)
	if err == nil && len(rest) > 0 {
		err = unknownOption(rest[0], optionNames())
	}
	if err != nil {
		return SearchOptions{}, err
	}
	return o, nil
}

// ParseBoostOptions is ParseSearchOptions with one more name, by: a number from 0.01 to 100.
func ParseBoostOptions(m map[string]any) (BoostOptions, error) {
	search, rest, err := parseOptions(m)
	o := BoostOptions{SearchOptions: search}
	for _, name := range rest {
		if name != "by" {
			return BoostOptions{}, unknownOption(name, append(optionNames(), "by"))
		}
		by, ok := number(m[name])
		if !ok || by < 0.01 || by > 100 {
			return BoostOptions{}, &ArgError{Field: "by", Want: "number from 0.01 to 100", Got: describeValue(m[name])}
		}
		o.By = by
	}
	if err != nil {
		return BoostOptions{}, err
	}
	return o, nil
}

// ParsePlanOptions reads the one option of a plan, given: the inputs that the user gives, a name or a list of them.
// Errors are like those of ParseSearchOptions.
func ParsePlanOptions(m map[string]any) (given []string, err error) {
	for _, name := range slices.Sorted(maps.Keys(m)) {
		if name != "given" {
			return nil, unknownOption(name, []string{"given"})
		}
		var wrong *ArgError
		if given, wrong = stringList(name, m[name]); wrong != nil {
			return nil, wrong
		}
	}
	return given, nil
}

func unknownOption(name string, known []string) *ArgError {
	err := &ArgError{Field: text.LineRunes(name, 60), Got: "unknown option",
		Hint: "known options: " + strings.Join(known, ", ")}
	if near := spelling.Nearest(name, known); near != "" {
		err.Hint = "did you mean " + near + "?"
	}
	return err
}

func parseOptions(m map[string]any) (o SearchOptions, rest []string, err error) {
	for _, name := range slices.Sorted(maps.Keys(m)) {
		value := m[name]
		var wrong *ArgError
		switch name {
		case "domains":
			o.Domains, wrong = stringList(name, value)
		case "tags":
			o.Tags, wrong = stringList(name, value)
		case "entities":
			o.Entities, wrong = stringList(name, value)
		case "needs_input":
			o.NeedsInput, wrong = stringList(name, value)
		case "needs_output":
			o.NeedsOutput, wrong = stringList(name, value)
		case "operation":
			var word string
			word, wrong = oneWord(name, value)
			o.Operation = Operation(strings.ToLower(word))
		case "risk":
			var word string
			word, wrong = oneWord(name, value)
			o.Risk = Risk(strings.ToLower(word))
			if wrong == nil && checkRisk(o.Risk) != nil {
				wrong = &ArgError{Field: name, Want: `one of "low", "medium", "high"`, Got: describeValue(value)}
			}
		case "include_mutations":
			o.IncludeMutations, wrong = truth(name, value)
		case "mutates":
			o.Mutates, wrong = truth(name, value)
		case "limit":
			o.Limit, wrong = limitOf(name, value)
		default:
			rest = append(rest, name)
		}
		if wrong != nil {
			return SearchOptions{}, nil, wrong
		}
	}
	return o, rest, nil
}

func number(v any) (float64, bool) {
	switch n := v.(type) {
	case int:
		return float64(n), true
	case int64:
		return float64(n), true
	case float64:
		return n, true
	}
	return 0, false
}

// ParseLimit reads how many hits are asked for: a whole number from 1 to 1,000. The error calls it name.
func ParseLimit(name string, v any) (int, error) {
	n, wrong := limitOf(name, v)
	if wrong != nil {
		return 0, fmt.Errorf("%s: want %s, got %s", name, wrong.Want, wrong.Got)
	}
	return n, nil
}

func limitOf(name string, v any) (int, *ArgError) {
	n, ok := number(v)
	if !ok || n != math.Trunc(n) || n < 1 || n > maxLimit {
		return 0, &ArgError{Field: name, Want: fmt.Sprintf("integer from 1 to %d", maxLimit), Got: describeValue(v)}
	}
	return int(n), nil
}

func oneWord(name string, v any) (string, *ArgError) {
	word, ok := v.(string)
	if !ok || strings.TrimSpace(word) == "" {
		return "", &ArgError{Field: name, Want: "string", Got: describeValue(v)}
	}
	return strings.TrimSpace(word), nil
}

func truth(name string, v any) (*bool, *ArgError) {
	b, ok := v.(bool)
	if !ok {
		return nil, &ArgError{Field: name, Want: "boolean", Got: describeValue(v)}
	}
	return &b, nil
}

// stringList reads a string or a list of strings. An empty table is an empty list.
func stringList(name string, v any) ([]string, *ArgError) {
	switch value := v.(type) {
	case string:
		return []string{value}, nil
	case []string:
		return slices.Clone(value), nil
	case map[string]any:
		if len(value) == 0 {
			return nil, nil
		}
	case []any:
		var out []string
		for i, item := range value {
			word, ok := item.(string)
			if !ok {
				return nil, &ArgError{Field: fmt.Sprintf("%s[%d]", name, i), Want: "string", Got: describeValue(item)}
			}
			out = append(out, word)
		}
		return out, nil
	}
	return nil, &ArgError{Field: name, Want: "string or list of strings", Got: describeValue(v)}
}
