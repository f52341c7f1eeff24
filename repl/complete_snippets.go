package repl

// This file completes from earlier calls: whole calls, and argument values.

import (
	"strings"

	"almanac/repl/show"
	"almanac/session/trace"
)

// snippetSize is how long the last call of an action may be and still be offered.
const snippetSize = 120

// withSnippets puts behind each action that was called in this session the call as it was made last.
func (sh *Shell) withSnippets(path []string, items []Completion) []Completion {
	calls := sh.Calls()
	if len(calls) == 0 {
		return items
	}
	prefix := ""
	if len(path) > 0 {
		prefix = strings.Join(path, ".") + "."
	}
	var out []Completion
	for _, item := range items {
		out = append(out, item)
		if item.Tag == "" {
			continue
		}
		for _, u := range calls {
			if u.Call.ID != prefix+item.Text || u.Call.Verdict != trace.OK || len(u.Call.Args) == 0 {
				continue
			}
			text := sh.CallText(u.Call.ID, u.Call.Args)
			if tail, ok := strings.CutPrefix(text, prefix); ok && len(tail) <= snippetSize {
				out = append(out, Completion{Text: tail, Detail: "as in " + u.Number(), Tag: item.Tag})
			}
			break
		}
	}
	return out
}

// snippetDepth is how many calls are offered where nothing is typed, and how many values of an argument.
const snippetDepth = 5

// lastCalls are the last calls that went well, as they were made, each once.
func (sh *Shell) lastCalls() []Completion {
	var items []Completion
	seen := map[string]bool{}
	for _, u := range sh.Calls() {
		if u.Call.Verdict != trace.OK || u.Call.Depth > 0 {
			continue
		}
		text := sh.CallText(u.Call.ID, u.Call.Args)
		if seen[text] || len(text) > snippetSize {
			continue
		}
		seen[text] = true
		items = append(items, Completion{
			Text: text, Detail: "as in " + u.Number(), Tag: effectTag(sh.options.Session.View(), u.Call.ID),
		})
		if len(items) == snippetDepth {
			break
		}
	}
	return items
}

// usedValues are the values that an argument of this name had in the last calls, each once.
func (sh *Shell) usedValues(name, partial string) []Completion {
	var items []Completion
	seen := map[string]bool{}
	for _, u := range sh.Calls() {
		value, ok := u.Call.Args[name]
		if !ok || u.Call.Verdict != trace.OK {
			continue
		}
		text := show.LuaText(value, 0)
		if seen[text] || len(text) > snippetSize || !strings.HasPrefix(strings.Trim(text, `"`), partial) {
			continue
		}
		seen[text] = true
		items = append(items, Completion{Text: text, Detail: "as in " + u.Number()})
		if len(items) == snippetDepth {
			break
		}
	}
	return items
}
