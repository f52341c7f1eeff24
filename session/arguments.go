package session

// This file reads the arguments of primitives.

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// arguments are the Lua arguments of a primitive, in order. Reading a wrong one gives nothing and is kept in err, if it
// is the first: a primitive reads all its arguments and then looks at err.
type arguments struct {
	list []any
	err  error
}

// fail keeps an error, if it is one and the first.
func (a *arguments) fail(err error) {
	if a.err == nil {
		a.err = err
	}
}

func (a *arguments) at(i int) any {
	if i < len(a.list) {
		return a.list[i]
	}
	return nil
}

func (a *arguments) text(i int, what string) string {
	s, ok := a.at(i).(string)
	if !ok {
		a.fail(fmt.Errorf("argument %d: want %s (a string), got %s", i+1, what, luaType(a.at(i))))
	}
	return s
}

// id reads the id of an action, which is not empty.
func (a *arguments) id(i int) string {
	s := a.text(i, "an action id")
	if strings.TrimSpace(s) == "" {
		a.fail(fmt.Errorf("argument %d: want an action id, got an empty string", i+1))
	}
	return s
}

// options reads a table of named options; nil and an empty table are none.
func (a *arguments) options(i int) map[string]any {
	switch v := a.at(i).(type) {
	case nil:
		return nil
	case map[string]any:
		return v
	case []any:
		if len(v) == 0 {
			return nil
		}
	}
	a.fail(fmt.Errorf("argument %d: want a table of options, got %s", i+1, luaType(a.at(i))))
	return nil
}

// names reads all arguments as names: strings and lists of them.
func (a *arguments) names() []string {
	var names []string
	for i, v := range a.list {
		switch v := v.(type) {
		case string:
			names = append(names, v)
		case []any:
			for _, item := range v {
				s, ok := item.(string)
				if !ok {
					a.fail(fmt.Errorf("argument %d: want a list of strings, got %s in it", i+1, luaType(item)))
				}
				names = append(names, s)
			}
		default:
			a.fail(fmt.Errorf("argument %d: want a string or a list of strings, got %s", i+1, luaType(v)))
		}
	}
	if i := slices.IndexFunc(names, func(name string) bool { return strings.TrimSpace(name) == "" }); i >= 0 {
		a.fail(fmt.Errorf("name %d: an empty string", i+1))
	}
	if len(names) == 0 {
		a.fail(errors.New("argument 1: want a name or a list of names"))
	}
	return names
}

// whole reads a number of Lua's that is whole.
func whole(v any) (int64, bool) {
	if f, ok := v.(float64); ok && f == float64(int64(f)) {
		return int64(f), true
	}
	n, ok := v.(int64)
	return n, ok
}

// luaType names the type of a value as a script knows it.
func luaType(v any) string {
	switch v.(type) {
	case nil:
		return "nil"
	case bool:
		return "a boolean"
	case int64, float64:
		return "a number"
	case string:
		return "a string"
	}
	return "a table"
}
