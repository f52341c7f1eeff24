package session

// This file reads the arguments of primitives.

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// arguments are the Lua arguments of a primitive, in order.
type arguments []any

func (a arguments) at(i int) any {
	if i < len(a) {
		return a[i]
	}
	return nil
}

func (a arguments) text(i int, what string) (string, error) {
	s, ok := a.at(i).(string)
	if !ok {
		return "", fmt.Errorf("argument %d: want %s (a string), got %s", i+1, what, luaType(a.at(i)))
	}
	return s, nil
}

// id reads the id of an action, which is not empty.
func (a arguments) id(i int) (string, error) {
	s, err := a.text(i, "an action id")
	if err == nil && strings.TrimSpace(s) == "" {
		err = fmt.Errorf("argument %d: want an action id, got an empty string", i+1)
	}
	return s, err
}

// options reads a table of named options; nil and an empty table are none.
func (a arguments) options(i int) (map[string]any, error) {
	switch v := a.at(i).(type) {
	case nil:
		return nil, nil
	case map[string]any:
		return v, nil
	case []any:
		if len(v) == 0 {
			return nil, nil
		}
	}
	return nil, fmt.Errorf("argument %d: want a table of options, got %s", i+1, luaType(a.at(i)))
}

// names reads one string or a list of them.
func (a arguments) names() ([]string, error) {
	var names []string
	for i, v := range a {
		switch v := v.(type) {
		case string:
			names = append(names, v)
		case []any:
			for _, item := range v {
				s, ok := item.(string)
				if !ok {
					return nil, fmt.Errorf("argument %d: want a list of strings, got %s in it", i+1, luaType(item))
				}
				names = append(names, s)
			}
		default:
			return nil, fmt.Errorf("argument %d: want a string or a list of strings, got %s", i+1, luaType(v))
		}
	}
	if i := slices.IndexFunc(names, func(name string) bool { return strings.TrimSpace(name) == "" }); i >= 0 {
		return nil, fmt.Errorf("name %d: an empty string", i+1)
	}
	if len(names) == 0 {
		return nil, errors.New("argument 1: want a name or a list of names")
	}
	return names, nil
}
