package session

// This file fills in the arguments that only the host may supply.

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"almanac/catalog"
	"almanac/session/trace"
	"almanac/session/vm"
)

// checkInjected refuses arguments that are the host's to fill in, by their names at any depth: a table inside of an
// argument may end up beside the argument that the host fills in.
func checkInjected(entry *catalog.Entry, given map[string]any) error {
	if len(entry.Inject) == 0 {
		return nil
	}
	if field := hostField(entry.Inject, given, "", 0); field != "" {
		return &catalog.ArgError{Field: field, Got: "filled in by the host; leave it out"}
	}
	return nil
}

// hostField is the path of a name in v that is the host's to fill in; empty where there is none. What nests too deeply
// to look at counts as one.
func hostField(all []catalog.Injection, v any, path string, depth int) string {
	if depth > depthLimit {
		return path
	}
	switch v := v.(type) {
	case []any:
		for i, item := range v {
			if found := hostField(all, item, fmt.Sprintf("%s[%d]", path, i+1), depth+1); found != "" {
				return found
			}
		}
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			at := strings.TrimPrefix(path+"."+name, ".")
			if slices.ContainsFunc(all, func(in catalog.Injection) bool { return sameName(name, in.Field) }) {
				return at
			}
			if found := hostField(all, v[name], at, depth+1); found != "" {
				return found
			}
		}
	}
	return ""
}

// sameName tells whether a server may take the name for the field: without case, with brackets behind it, and with what
// some servers take for an underscore.
func sameName(name, field string) bool {
	plain := strings.NewReplacer(".", "_", " ", "_", "+", "_", "-", "_")
	name = strings.TrimLeft(name, " ")
	if i := strings.IndexAny(name, "[\x00"); i > 0 {
		name = name[:i]
	}
	return strings.EqualFold(plain.Replace(name), plain.Replace(field))
}

// injected takes the arguments that the host fills in from the context of a call; nil when there are none. One that
// the host does not know is an error: an action must not be called for nobody in particular.
func injected(entry *catalog.Entry, from catalog.Context, c *trace.Call) (map[string]any, error) {
	if len(entry.Inject) == 0 {
		return nil, nil
	}
	values := make(map[string]any, len(entry.Inject))
	for _, in := range entry.Inject {
		value, err := contextValue(in, from)
		if err != nil {
			c.Verdict, c.Rule = trace.Rejected, "context"
			err.Message = fmt.Sprintf("%s: argument %s: %s", entry.ID, in.Field, err.Message)
			return nil, err
		}
		values[in.Field] = value
	}
	return values, nil
}

func contextValue(in catalog.Injection, from catalog.Context) (any, *vm.HostError) {
	value, known := from.Value(in.From)
	switch {
	case !known:
		return nil, &vm.HostError{
			Code:    CodeNoContext,
			Message: fmt.Sprintf("unknown context value %q", in.From),
			Hint:    "known values: " + strings.Join(catalog.ContextNames(), ", "),
		}
	case value == "":
		hint := "the person can set it"
		if in.From == "tenant" || in.From == "actor" {
			hint = fmt.Sprintf("the person can set it with %s = \"...\" in the view file", in.From)
		}
		return nil, &vm.HostError{
			Code: CodeNoContext, Message: "the host fills it in, but this session has no " + in.From, Hint: hint,
		}
	case !in.Number:
		return value, nil
	}
	if n, err := strconv.ParseInt(value, 10, 64); err == nil {
		return n, nil
	}
	f, err := strconv.ParseFloat(value, 64)
	if err != nil {
		return nil, &vm.HostError{
			Code: CodeNoContext, Message: "the host fills it in, but the session's " + in.From + " is not a number",
		}
	}
	return f, nil
}
