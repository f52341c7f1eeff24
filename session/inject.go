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
	all := entry.Inject
	if k := entry.Key; k != nil && k.Argument != "" {
		all = append(slices.Clip(all), catalog.Injection{Field: k.Argument})
	}
	if len(all) == 0 {
		return nil
	}
	if field := hostField(all, given, "", 0); field != "" {
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
func (r *run) injected(entry *catalog.Entry, from catalog.Context, c *trace.Call) (map[string]any, error) {
	for _, name := range entry.Needs {
		if value, known := from.Value(name); !known || value == nil {
			c.Verdict, c.Rule = trace.Rejected, "context"
			err := noValue(name, known)
			err.Message = fmt.Sprintf("%s: %s", entry.ID, err.Message)
			return nil, err
		}
	}
	values, err := injectedFrom(entry, r.session.heard(entry, from, r.budget().Result))
	if err != nil {
		c.Verdict, c.Rule = trace.Rejected, "context"
		return nil, err
	}
	return values, nil
}

// injectedFrom are the arguments that the host fills in from a context, as far as it has them; the error is that of the
// first that it has not.
func injectedFrom(entry *catalog.Entry, from catalog.Context) (values map[string]any, failure *vm.HostError) {
	if len(entry.Inject) == 0 {
		return nil, nil
	}
	values = make(map[string]any, len(entry.Inject))
	for _, in := range entry.Inject {
		value, err := contextValue(in, from)
		switch {
		case err != nil && failure == nil:
			err.Message = fmt.Sprintf("%s: argument %s: %s", entry.ID, in.Field, err.Message)
			failure = err
		case err == nil && value != nil:
			values[in.Field] = value
		}
	}
	return values, failure
}

// heard is a context whose messages are the last that fit a result of a size, without secrets, where the entry asks for
// them: an argument may leave the program.
func (s *Session) heard(entry *catalog.Entry, from catalog.Context, left int) catalog.Context {
	wants := func(name string) bool {
		return slices.ContainsFunc(entry.Inject, func(in catalog.Injection) bool { return in.From == name })
	}
	calls := wants("transcript")
	if !calls && !wants("messages") {
		return from
	}
	var kept []catalog.Message
	for _, m := range slices.Backward(from.Messages) {
		if !calls && !m.IsWords() {
			continue
		}
		m.Text = s.world.redactor.text(m.Text)
		if left -= len(m.Role) + len(m.Text); left < 0 {
			break
		}
		kept = append(kept, m)
	}
	slices.Reverse(kept)
	from.Messages = kept
	return from
}

func contextValue(in catalog.Injection, from catalog.Context) (any, *vm.HostError) {
	value, known := from.Value(in.From)
	switch {
	case value == nil && known && in.Optional:
		return nil, nil
	case value == nil || !known:
		return nil, noValue(in.From, known)
	case !in.Number:
		return value, nil
	}
	text := fmt.Sprint(value)
	if n, err := strconv.ParseInt(text, 10, 64); err == nil {
		return n, nil
	}
	f, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return nil, &vm.HostError{
			Code: CodeNoContext, Message: "the host fills it in, but the session's " + in.From + " is not a number",
		}
	}
	return f, nil
}

// noValue is the error of a call that needs a value of the context that the session does not have.
func noValue(name string, known bool) *vm.HostError {
	hint := "the person can set it"
	switch {
	case !known:
		return &vm.HostError{
			Code: CodeNoContext, Message: fmt.Sprintf("unknown context value %q", name),
			Hint: "known values: " + strings.Join(catalog.ContextNames(), ", "),
		}
	case name == "tenant" || name == "actor":
		hint += fmt.Sprintf(" with %s = \"...\" in the view file", name)
	case name == "agent_name" || name == "team_id" || name == "project_path":
		hint += fmt.Sprintf(" with context.%s in the configuration, or with --context-%[2]s", name,
			strings.ReplaceAll(name, "_", "-"))
	case strings.HasPrefix(name, "set."):
		hint = "an action has to set it with an effect context.set that is applied; an action host takes it from " +
			"its caller only where its trust_context in [host] lists set"
	}
	return &vm.HostError{
		Code: CodeNoContext, Message: "the host fills it in, but this session has no " + name, Hint: hint,
	}
}
