// This file checks the key bindings of the configuration and writes their template.

package main

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"almanac/catalog/search/spelling"
	"almanac/ui"
)

// keyName matches one key as terminals report it, with the modifiers in this order.
var keyName = regexp.MustCompile(`^(ctrl\+)?(alt\+)?(shift\+)?(f[1-9]|f1[0-2]|[a-z0-9]|enter|kpenter|tab|esc|space|up|down|left|right|home|end|pgup|pgdown|delete|backspace|[-=\[\]\\;',./_@?<>])$`)

// keyWords are the key names to suggest for a misspelt one.
var keyWords = strings.Fields("ctrl alt shift enter tab esc space up down left right home end pgup pgdown delete backspace")

// checkBindings returns the first invalid binding: an unknown action, an invalid key, or one key for two actions.
func checkBindings(keys map[string][]string, lines map[string]int) *keyError {
	bound := map[string]string{}
	actions := slices.SortedFunc(maps.Keys(keys), func(a, b string) int {
		return cmp.Or(lines["keys."+a]-lines["keys."+b], strings.Compare(a, b))
	})
	for _, action := range actions {
		bad := func(format string, args ...any) *keyError {
			return &keyError{Line: lines["keys."+action], Key: "keys." + action, Message: fmt.Sprintf(format, args...)}
		}
		if near, known := knownAction(action); !known {
			return bad("unknown action%s", near)
		}
		for _, key := range keys[action] {
			if wrong := checkKey(key); wrong != "" {
				return bad("%q: %s", key, wrong)
			}
			if other := bound[key]; other != "" {
				return bad("%s is already bound to %s", key, other)
			}
			bound[key] = action
		}
	}
	for _, key := range slices.Sorted(maps.Keys(bound)) {
		first, _, pair := strings.Cut(key, " ")
		if other := bound[first]; pair && other != "" && first != "esc" {
			return &keyError{Line: lines["keys."+bound[key]], Key: "keys." + bound[key],
				Message: fmt.Sprintf("%q: %s is bound to %s and cannot start a pair", key, first, other)}
		}
	}
	return nil
}

// knownAction reports whether keys can be bound to the action, and suggests another if not.
func knownAction(action string) (near string, known bool) {
	var names []string
	for _, b := range ui.Bindings() {
		if b.Action == action {
			return "", true
		}
		names = append(names, b.Action)
	}
	if near = spelling.Nearest(action, names); near != "" {
		return ": did you mean " + near + "?", false
	}
	return ": almanac config init lists all actions", false
}

// checkKey says what is wrong with a key or pair of keys; empty if nothing is.
func checkKey(key string) string {
	parts := strings.Split(key, " ")
	if key == "esc esc" {
		return ""
	}
	for i, part := range parts {
		base := part[strings.LastIndexByte(strings.TrimSuffix(part, "+"), '+')+1:]
		held := strings.HasPrefix(part, "ctrl+") || strings.HasPrefix(part, "alt+")
		same := map[string]string{"ctrl+i": "tab", "ctrl+m": "enter", "ctrl+[": "esc"}[part]
		switch {
		case i > 1:
			return "want one key, or two separated by a space"
		case !keyName.MatchString(part):
			if near := nearKey(part); near != "" {
				return "not a key: did you mean " + near + "?"
			}
			return "not a key: want one like ctrl+r, alt+enter, f4, or two: ctrl+x ctrl+e"
		case same != "":
			return "terminals cannot tell it from " + same
		case !held && (len(base) == 1 || base == "space") && i == 0:
			return "add ctrl or alt, or it could no longer be typed"
		case len(parts) > 1 && i == 0 && !held:
			return "the first key of a pair needs ctrl or alt"
		}
	}
	return ""
}

// nearKey suggests a valid key for one written as in other programs.
func nearKey(key string) string {
	text := strings.ToLower(key)
	for _, way := range [][2]string{{"control", "ctrl"}, {"option", "alt"}, {"meta", "alt"}, {"escape", "esc"},
		{"return", "enter"}, {"pageup", "pgup"}, {"pagedown", "pgdown"}, {"<", ""}, {">", ""}} {
		text = strings.ReplaceAll(text, way[0], way[1])
	}
	parts := strings.FieldsFunc(text, func(r rune) bool { return r == '+' || r == '-' })
	for i, part := range parts {
		switch {
		case i+1 < len(parts) && part == "c":
			parts[i] = "ctrl"
		case i+1 < len(parts) && (part == "m" || part == "a"):
			parts[i] = "alt"
		case i+1 < len(parts) && part == "s":
			parts[i] = "shift"
		case len(part) > 2:
			least := 3
			for _, word := range keyWords {
				if d := spelling.Distance(part, word, least); d < least {
					parts[i], least = word, d
				}
			}
		}
	}
	order := []string{"ctrl", "alt", "shift"}
	slices.SortStableFunc(parts, func(a, b string) int {
		rank := func(s string) int {
			if i := slices.Index(order, s); i >= 0 {
				return i
			}
			return len(order)
		}
		return rank(a) - rank(b)
	})
	if near := strings.Join(parts, "+"); near != key && keyName.MatchString(near) {
		return near
	}
	return ""
}

// bindingsTemplate is the [keys] table of the template: every action with its default keys, commented out.
func bindingsTemplate() string {
	var b strings.Builder
	b.WriteString("\n# Keys of the terminal: a list replaces the default keys of its action; [] unbinds them.\n[keys]\n")
	for _, binding := range ui.Bindings() {
		fmt.Fprintf(&b, "# %s = [", binding.Action)
		for i, key := range bindingKeys(binding) {
			if i > 0 {
				b.WriteString(", ")
			}
			fmt.Fprintf(&b, "%q", key)
		}
		fmt.Fprintf(&b, "]  # %s\n", binding.Does)
	}
	return b.String()
}

// bindingKeys are the default keys of an action, without the placeholder of an unbound one.
func bindingKeys(b ui.Binding) []string {
	return slices.DeleteFunc(slices.Clone(b.Keys), func(key string) bool { return key == b.Action })
}
