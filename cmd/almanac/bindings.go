// This file checks the table of key bindings; the terminal reads it.

package main

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"almanac/catalog"
)

// bindable are the actions of the terminal that a key can be bound to.
var bindable = []string{
	"submit", "newline", "interrupt", "exit", "complete", "toggle_mode", "history_search", "history_previous",
	"history_next", "editor", "help", "variables", "trace", "catalog", "preview", "view", "clear", "expand",
}

var keyName = regexp.MustCompile(`^(ctrl\+|alt\+|shift\+)*(f[1-9]|f1[0-2]|[a-z0-9]|enter|tab|esc|space|up|down|left|right|home|end|pgup|pgdown|delete|backspace|[-=\[\]\\;',./_@?])$`)

// checkBindings tells the first binding that is wrong: an unknown action, a key that is none, one key for two actions.
func checkBindings(keys map[string][]string, lines map[string]int) *keyError {
	bound := map[string]string{}
	for _, action := range slices.Sorted(maps.Keys(keys)) {
		bad := func(format string, args ...any) *keyError {
			return &keyError{Line: lines["keys."+action], Key: "keys." + action, Message: fmt.Sprintf(format, args...)}
		}
		if !slices.Contains(bindable, action) {
			near := slices.MinFunc(bindable, func(a, b string) int {
				return catalog.EditDistance(action, a, 9) - catalog.EditDistance(action, b, 9)
			})
			if catalog.EditDistance(action, near, 4) < 4 {
				return bad("unknown action: did you mean %s?", near)
			}
			return bad("unknown action: use one of %s", strings.Join(bindable, ", "))
		}
		for _, key := range keys[action] {
			if !keyName.MatchString(key) {
				return bad("%q: not a key: want one like ctrl+r, alt+enter, f4", key)
			}
			if other := bound[key]; other != "" {
				return bad("%s is bound to %s already", key, other)
			}
			bound[key] = action
		}
	}
	return nil
}
