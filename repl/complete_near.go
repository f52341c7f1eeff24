package repl

// This file completes text that is not a prefix of any name: actions by word, and keys after an index. It also finds
// the signature of the call around the cursor.

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"almanac/catalog"
	"almanac/catalog/lua"
	"almanac/catalog/search/spelling"
	"almanac/catalog/text"
	"almanac/repl/input"
	"almanac/repl/show"
	"almanac/session/syntax"
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

// fuzzyItems lists actions for what was typed behind an @ where that begins no id: those that have its words, else what
// a search for them finds, else those that have its letters in their order, the shortest first.
func (sh *Shell) fuzzyItems(partial string) []Completion {
	if items := sh.wordItems(nil, partial); len(items) > 0 || len(partial) < looseFrom {
		return items
	}
	v := sh.options.Session.View()
	words := strings.FieldsFunc(partial, func(r rune) bool { return r == '_' || r == '.' || r == '-' })
	var ids []string
	if set, err := v.Search(strings.Join(words, " "), catalog.SearchOptions{Limit: looseItems}); err == nil {
		for _, h := range set.Hits() {
			ids = append(ids, h.ID)
		}
	}
	if len(ids) == 0 {
		letters := strings.ToLower(strings.Join(words, ""))
		for id := range v.All() {
			if spelling.HasLetters(id, letters) {
				ids = append(ids, id)
			}
		}
		slices.SortStableFunc(ids, func(a, b string) int { return cmp.Compare(len(a), len(b)) })
		ids = ids[:min(len(ids), looseItems)]
	}
	items := make([]Completion, len(ids))
	for i, id := range ids {
		items[i] = actionItem(v, id, id)
	}
	return items
}

// indexedItems lists the keys of the table in front of the last dot where that is reached through an index:
// `open[1].`. Nothing is evaluated.
func (sh *Shell) indexedItems(ctx context.Context, before, partial string) []Completion {
	if sh.isBusy() {
		return nil
	}
	before = strings.TrimRight(strings.TrimRight(before, " \t\n"), ".:")
	tokens := syntax.Tokens(before)
	for i := len(tokens) - 1; i >= 0; i-- {
		if tokens[i].Kind != syntax.Name || i > 0 && (tokens[i-1].Text == "." || tokens[i-1].Text == ":") {
			continue
		}
		path, ok := show.ParsePath(before[tokens[i].Pos.Offset:])
		if !ok {
			return nil
		}
		page, err := sh.Look(ctx, path, 0, maxItems, 0)
		if err != nil {
			return nil
		}
		var items []Completion
		for _, n := range page.Nodes {
			if !n.Odd && !n.Step.Numeric && lua.IsName(n.Step.Name) && strings.HasPrefix(n.Step.Name, partial) {
				items = append(items, Completion{Text: n.Step.Name, Detail: show.NodeKind(n) + "  " + text.SanitizeLine(n.Brief)})
			}
		}
		return items
	}
	return nil
}

// Signature tells of the call around cursor, a byte offset into text, which arguments it takes: their types, which are
// required, and what is already given; of a function its parameters. It is false outside of a call of what is known.
func (sh *Shell) Signature(text string, cursor int) (show.Line, bool) {
	in := input.Parse(text, sh.Mode())
	if in.Form != input.Lua && in.Form != input.Command {
		return nil, false
	}
	cursor = min(max(cursor, 0), len(text))
	at := syntax.PathAt(text, cursor)
	if at.Call == "" || at.InComment {
		return nil, false
	}
	if e, ok := sh.options.Session.View().Lookup(at.Call); ok {
		return signatureOf(e, text[:cursor]), true
	}
	f, ok := sh.function(at.Call)
	if !ok {
		return nil, false
	}
	return f.line(argumentAt(text[:cursor])), true
}

func signatureOf(e *catalog.Entry, before string) show.Line {
	inside := before[strings.LastIndexByte(before, '{')+1:]
	now := inside[strings.LastIndexAny(inside, ",;")+1:]
	name, _, _ := strings.Cut(now, "=")
	name = strings.TrimSpace(name)
	line := show.Dim.Line("{ ")
	for i, f := range e.Input.Fields() {
		if i > 0 {
			line = append(line, show.Dim.Span(", "))
		}
		role := show.Text
		switch {
		case f.Name == name:
			role = show.Key
		case given(inside, f.Name):
			role = show.Dim
		}
		label := f.Name
		if f.Required {
			label += "*"
		}
		line = append(line, role.Span(text.SanitizeLine(label)), show.Dim.Span(" "+text.SanitizeLine(f.Type)))
		if f.HasDefault {
			line = append(line, show.Dim.Span(fmt.Sprintf(" = %s", text.SanitizeLine(show.LuaText(f.Default, 0)))))
		}
	}
	return append(line, show.Dim.Span(" }  * required"))
}
