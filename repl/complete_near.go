package repl

// This file completes where the letters typed begin no name: actions that have them as words, keys behind an index, and
// the last calls as they were made. It also tells the signature of the call around the cursor.

import (
	"context"
	"fmt"
	"strings"

	"almanac/catalog"
	"almanac/session/syntax"
	"almanac/session/trace"
)

// looseItems is how many actions are offered that only have the typed letters in their ids, looseFrom how many letters
// that takes.
const (
	looseItems = 30
	looseFrom  = 3
)

// wordItems lists actions below a path whose ids have all words of what was typed, whole: words are joined with
// underscores, dots or hyphens.
func (sh *Shell) wordItems(path []string, partial string) []Completion {
	if len(partial) < looseFrom {
		return nil
	}
	v := sh.options.Session.View()
	words := strings.FieldsFunc(partial, func(r rune) bool { return r == '_' || r == '.' || r == '-' })
	ids, _ := looseIDs(v, Filter{Words: strings.Join(words, " "), Below: strings.Join(path, ".")}, looseItems)
	items := make([]Completion, len(ids))
	for i, id := range ids {
		items[i] = actionItem(v, id, id)
	}
	return items
}

// indexedItems lists the keys of the table in front of the last dot where that is reached through an index:
// `open[1].`. Nothing is evaluated.
func (sh *Shell) indexedItems(ctx context.Context, before, partial string) []Completion {
	if sh.Busy() {
		return nil
	}
	before = strings.TrimRight(strings.TrimRight(before, " \t\n"), ".:")
	tokens := syntax.Tokens(before)
	for i := len(tokens) - 1; i >= 0; i-- {
		if tokens[i].Kind != syntax.Name || i > 0 && (tokens[i-1].Text == "." || tokens[i-1].Text == ":") {
			continue
		}
		path, ok := ParsePath(before[tokens[i].Pos.Offset:])
		if !ok {
			return nil
		}
		page, err := sh.Look(ctx, path, 0, maxItems)
		if err != nil {
			return nil
		}
		var items []Completion
		for _, n := range page.Nodes {
			if !n.Odd && !n.Step.Numeric && luaName.MatchString(n.Step.Name) && strings.HasPrefix(n.Step.Name, partial) {
				items = append(items, Completion{Text: n.Step.Name, Detail: NodeKind(n) + "  " + SanitizeLine(n.Brief)})
			}
		}
		return items
	}
	return nil
}

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
			text := CallText(u.Call.ID, u.Call.Args)
			if tail, ok := strings.CutPrefix(text, prefix); ok && len(tail) <= snippetSize {
				out = append(out, Completion{Text: tail, Detail: "as in " + u.Number(), Tag: item.Tag})
			}
			break
		}
	}
	return out
}

// Signature tells of the call around cursor, a byte offset into text, which arguments it takes: their types, which are
// required, and what is already given. It is false outside of the call of an action.
func (sh *Shell) Signature(text string, cursor int) (Line, bool) {
	in := Parse(text, sh.Mode())
	if in.Form != Lua && in.Form != Command {
		return nil, false
	}
	cursor = min(max(cursor, 0), len(text))
	at := syntax.PathAt(text, cursor)
	if at.Call == "" || at.InComment {
		return nil, false
	}
	e, ok := sh.options.Session.View().Lookup(at.Call)
	if !ok {
		return nil, false
	}
	return signatureOf(e, text[:cursor]), true
}

func signatureOf(e *catalog.Entry, before string) Line {
	inside := before[strings.LastIndexByte(before, '{')+1:]
	now := inside[strings.LastIndexAny(inside, ",;")+1:]
	name, _, _ := strings.Cut(now, "=")
	name = strings.TrimSpace(name)
	line := Line{{RoleDim, "{ "}}
	for i, f := range e.Input.Fields() {
		if i > 0 {
			line = append(line, Span{RoleDim, ", "})
		}
		role := RoleText
		switch {
		case f.Name == name:
			role = RoleKey
		case given(inside, f.Name):
			role = RoleDim
		}
		text := f.Name
		if f.Required {
			text += "*"
		}
		line = append(line, Span{role, SanitizeLine(text)}, Span{RoleDim, " " + SanitizeLine(f.Type)})
		if f.HasDefault {
			line = append(line, Span{RoleDim, fmt.Sprintf(" = %s", SanitizeLine(LuaText(f.Default, 0)))})
		}
	}
	return append(line, Span{RoleDim, " }  * required"})
}
