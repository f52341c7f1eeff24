package tools

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"almanac/catalog/search/spelling"
	"almanac/catalog/text"
	"almanac/llm"
)

// An argument is one that a tool takes. Exactly one of text, list, flag and raw is set; it gets the value.
type argument struct {
	name     string
	required bool
	oneOf    []string // what a text may be besides empty; nil means anything
	text     *string
	list     *[]string
	flag     *bool
	raw      *json.RawMessage
}

// decode reads the arguments of a tool. It refuses names that it does not know and values of another type, except
// those with one meaning only: one text for a list of one, "true" for true, null for nothing.
func decode(tool string, raw json.RawMessage, arguments []argument) error {
	var given map[string]json.RawMessage
	if err := json.Unmarshal(raw, &given); err != nil {
		return malformed(tool, "arguments are not an object")
	}
	names := make([]string, 0, len(arguments))
	for _, a := range arguments {
		names = append(names, a.name)
	}
	for _, name := range slices.Sorted(maps.Keys(given)) {
		if !slices.Contains(names, name) {
			return unknownArgument(tool, name, names)
		}
	}
	for _, a := range arguments {
		value, ok := given[a.name]
		if !ok || string(value) == "null" {
			if a.required {
				return malformed(tool, "argument %s is missing: %s", a.name, a.wants())
			}
			continue
		}
		if !a.read(value) {
			return malformed(tool, "argument %s: want %s, got %s", a.name, a.wants(), text.LineBytes(string(value), 80))
		}
	}
	return nil
}

func (a argument) wants() string {
	switch {
	case a.list != nil:
		return "a list of action ids"
	case a.flag != nil:
		return "true or false"
	case a.raw != nil:
		return "a list of steps"
	case a.oneOf != nil:
		return strings.Join(a.oneOf, ", ")
	}
	return "Lua source as a string"
}

func (a argument) read(value json.RawMessage) bool {
	switch {
	case a.raw != nil:
		*a.raw = value
		return true
	case a.list != nil:
		return readList(value, a.list)
	case a.flag != nil:
		text := strings.Trim(string(value), `"`)
		*a.flag = text == "true"
		return text == "true" || text == "false"
	}
	if json.Unmarshal(value, a.text) != nil {
		return false
	}
	if a.required && strings.TrimSpace(*a.text) == "" {
		return false
	}
	return a.oneOf == nil || *a.text == "" || slices.Contains(a.oneOf, *a.text)
}

// readList reads a list of texts, or one text that holds ids parted by commas or spaces, or a list in a string.
func readList(value json.RawMessage, list *[]string) bool {
	var one string
	if json.Unmarshal(value, &one) == nil {
		if text := strings.TrimSpace(one); strings.HasPrefix(text, "[") {
			return readList(json.RawMessage(text), list)
		}
		*list = strings.FieldsFunc(one, func(r rune) bool { return strings.ContainsRune(", \t\r\n", r) })
		return true
	}
	if json.Unmarshal(value, list) != nil {
		return false
	}
	for i, id := range *list {
		(*list)[i] = strings.TrimSpace(id)
	}
	return true
}

func malformed(tool, format string, args ...any) error {
	return &llm.ArgsError{Tool: tool, Fault: fmt.Sprintf(format, args...)}
}

// Knows says which of the arguments t does not take, as Run would, which wants a session; nil where it takes them all.
func (t Tool) Knows(raw json.RawMessage) error {
	var schema struct {
		Properties map[string]json.RawMessage `json:"properties"`
	}
	var given map[string]json.RawMessage
	if json.Unmarshal(t.Schema, &schema) != nil || json.Unmarshal(raw, &given) != nil {
		return nil // Run says what is wrong
	}
	for _, name := range slices.Sorted(maps.Keys(given)) {
		if _, known := schema.Properties[name]; !known {
			return unknownArgument(t.Name, name, slices.Sorted(maps.Keys(schema.Properties)))
		}
	}
	return nil
}

func unknownArgument(tool, name string, names []string) error {
	if best := spelling.Nearest(name, names); best != "" {
		return malformed(tool, "unknown argument %q: did you mean %s?", text.LineBytes(name, 40), best)
	}
	return malformed(tool, "unknown argument %q: it takes %s", text.LineBytes(name, 40), strings.Join(names, ", "))
}
