package ui

import "slices"

// This file binds keys: what is configured for an action replaces the keys that it has by itself.

// actionKeys are the actions that keys can be bound to, and the keys that each has by itself; the first stands for the
// action when another key is bound to it.
func actionKeys() map[string][]string {
	return map[string][]string{
		"submit": {"enter", "kpenter"}, "newline": {"ctrl+j", "alt+enter", "shift+enter", "ctrl+enter"},
		"interrupt": {"esc"}, "exit": {"ctrl+d"}, "complete": {"tab"}, "toggle_mode": {"shift+tab"},
		"history_search": {"ctrl+r"}, "history_previous": {"up", "ctrl+p"}, "history_next": {"down", "ctrl+n"},
		"editor": {"ctrl+g"}, "help": {"f1"}, "variables": {"f2"}, "trace": {"f3"}, "catalog": {"f4"},
		"preview": {"f5"}, "view": {"f6"}, "clear": {"ctrl+l"}, "expand": {expandKey},
	}
}

// expandKey stands for the action that has no key by itself: /expand.
const expandKey = "expand"

// bindings say which key another key counts as; "" means that it does nothing. Ctrl+C always stops what runs.
type bindings map[string]string

func newBindings(configured map[string][]string) bindings {
	b := bindings{}
	own := actionKeys()
	for action, keys := range configured {
		for _, key := range own[action] {
			if !slices.Contains(keys, key) {
				b[key] = ""
			}
		}
	}
	for action, keys := range configured {
		for _, key := range keys {
			if defaults := own[action]; len(defaults) > 0 && key != "ctrl+c" {
				b[key] = defaults[0]
			}
		}
	}
	return b
}

// meant is the key that a pressed one counts as, with the text that it types; a bound key types nothing.
func (b bindings) meant(name, text string) (string, string) {
	if to, ok := b[name]; ok && name != "ctrl+c" {
		return to, ""
	}
	return name, text
}
