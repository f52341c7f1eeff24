package ui

import (
	"slices"
	"strings"
)

// This file binds keys: configured keys replace an action's default keys.

// A Binding is an action of the terminal, its default keys, and what it does. A key is written ctrl+r; a pair pressed
// one after the other is separated by a space: ctrl+x ctrl+e.
type Binding struct {
	Action string
	Keys   []string
	Does   string
}

// Bindings are all actions that keys can be bound to.
func Bindings() []Binding {
	return []Binding{
		{"submit", []string{"enter", "kpenter"}, "run complete input, else start a new line"},
		{"newline", []string{"ctrl+j", "alt+enter", "shift+enter", "ctrl+enter"}, "start a new line"},
		{"interrupt", []string{"esc"}, "stop the run (Ctrl+C always does)"},
		{"exit", []string{"ctrl+d"}, "leave (twice, on empty input); in text, delete to the right"},
		{"complete", []string{"tab"}, "complete; again: next in the list"},
		{"toggle_mode", []string{"shift+tab"}, "switch between lua and ask mode"},
		{"history_search", []string{"ctrl+r"}, "search the history"},
		{"history_previous", []string{"up", "ctrl+p"}, "line above, or previous input"},
		{"history_next", []string{"down", "ctrl+n"}, "line below, or next input"},
		{"edit_previous", []string{"esc esc"}, "go back to an earlier prompt, or edit the last input"},
		{"edit_queued", []string{"alt+up"}, "take queued input back, to edit or drop it"},
		{"editor", []string{"ctrl+g", "ctrl+x ctrl+e"}, "edit the input in $VISUAL or $EDITOR"},
		{"verbose", []string{"ctrl+o"}, "toggle verbose: calls with arguments and results"},
		{"expand", []string{expandKey}, "show the last cell in full (/expand)"},
		{"help", []string{"f1"}, "keys and commands"},
		{"variables", []string{"f2"}, "variables pane"},
		{"trace", []string{"f3"}, "trace pane (calls)"},
		{"catalog", []string{"f4"}, "catalog pane (actions)"},
		{"preview", []string{"f5"}, "preview the input, or the last cell"},
		{"view", []string{"f6"}, "value pane (grid or tree)"},
		{"diff", []string{"f7"}, "how the last run changed the globals (/diff)"},
		{"clear", []string{"ctrl+l"}, "redraw the screen"},
		{"suspend", []string{"ctrl+z"}, "suspend to the shell; fg continues"},
		{"column", []string{"f9"}, "workspace: hide or show the side column"},
		{"zoom", []string{"f10"}, "workspace: maximise the selected pane"},
		{"pane_previous", []string{"ctrl+up"}, "workspace: select the pane above"},
		{"pane_next", []string{"ctrl+down"}, "workspace: select the pane below"},
		{"scroll_up", []string{"pgup"}, "workspace: scroll the transcript up"},
		{"scroll_down", []string{"pgdown"}, "workspace: scroll the transcript down"},
		{"char_left", []string{"left", "ctrl+b"}, "one character to the left"},
		{"char_right", []string{"right", "ctrl+f"}, "one character to the right"},
		{"word_left", []string{"alt+b", "ctrl+left", "alt+left"}, "one word to the left"},
		{"word_right", []string{"alt+f", "ctrl+right", "alt+right"}, "one word to the right"},
		{"line_start", []string{"ctrl+a", "home"}, "to the start of the line"},
		{"line_end", []string{"ctrl+e", "end"}, "to the end of the line"},
		{"text_start", []string{"alt+<", "ctrl+home"}, "to the start of the input"},
		{"text_end", []string{"alt+>", "ctrl+end"}, "to the end of the input"},
		{"delete_left", []string{"backspace", "ctrl+h", "shift+backspace"}, "delete the character to the left"},
		{"delete_right", []string{"delete"}, "delete the character to the right"},
		{"cut_word", []string{"ctrl+w", "ctrl+backspace"}, "cut to the space on the left"},
		{"cut_word_left", []string{"alt+backspace"}, "cut the word to the left"},
		{"cut_word_right", []string{"alt+d", "alt+delete", "ctrl+delete"}, "cut the word to the right"},
		{"cut_left", []string{"ctrl+u"}, "cut to the start of the line"},
		{"cut_right", []string{"ctrl+k"}, "cut to the end of the line"},
		{"paste", []string{"ctrl+y"}, "paste what was cut last"},
		{"undo", []string{"ctrl+_", "ctrl+/"}, "undo"},
		{"redo", []string{"alt+_", "alt+/"}, "redo"},
	}
}

// expandKey stands for the action that has no key by itself.
const expandKey = "expand"

// previousKeys are Esc twice: the first does what Esc does.
const previousKeys = "esc esc"

// bindings say which key another key counts as. Ctrl+C always stops what runs.
type bindings struct {
	as map[string]string // "" means that the key does nothing
	// first are the keys that begin a pair.
	first map[string]bool
	// of are the keys of each action.
	of map[string][]string
}

func newBindings(configured map[string][]string) bindings {
	b := bindings{as: map[string]string{}, first: map[string]bool{}, of: map[string][]string{}}
	for _, own := range Bindings() {
		keys, replaced := configured[own.Action]
		b.of[own.Action] = own.Keys
		if !replaced {
			continue
		}
		b.of[own.Action] = keys
		for _, key := range own.Keys {
			if !slices.Contains(keys, key) && b.as[key] == "" {
				b.as[key] = ""
			}
		}
		for _, key := range keys {
			if key != "ctrl+c" {
				b.as[key] = own.Keys[0]
			}
		}
	}
	for _, keys := range b.of {
		for _, key := range keys {
			if first, _, pair := strings.Cut(key, " "); pair && key != previousKeys && b.as[first] == "" {
				b.first[first] = true
			}
		}
	}
	return b
}

// meant is the key that a pressed one counts as, with the text that it types; a bound key types nothing.
func (b bindings) meant(name, text string) (string, string) {
	if to, ok := b.as[name]; ok && name != "ctrl+c" {
		return to, ""
	}
	return name, text
}

// meantName is meant for a key without text.
func (b bindings) meantName(name string) string {
	name, _ = b.meant(name, "")
	return name
}

// shown writes the keys of actions for people, as many as fit into width columns, at least one: Ctrl+R.
func (b bindings) shown(width int, actions ...string) string {
	text := ""
	for _, action := range actions {
		for _, key := range b.of[action] {
			if key == expandKey || key == "kpenter" {
				continue
			}
			if key = keyLabel(key); text == "" || len(text)+1+len(key) <= width {
				text = strings.TrimSpace(text + " " + key)
			}
		}
	}
	return text
}

// keyOr is the key of an action for people, or else what does the same.
func (m *model) keyOr(action, other string) string {
	if key := m.keys.shown(0, action); key != "" {
		return key
	}
	return other
}

// keyLabel writes a key for people: Ctrl+R, Alt+Enter, F4.
func keyLabel(key string) string {
	words := strings.Split(key, " ")
	for i, word := range words {
		parts := strings.Split(word, "+")
		for j, part := range parts {
			if part != "" {
				parts[j] = strings.ToUpper(part[:1]) + part[1:]
			}
		}
		words[i] = strings.Join(parts, "+")
	}
	return strings.Join(words, " ")
}
