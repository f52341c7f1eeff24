package repl

// This file completes input. It looks names up and never evaluates anything: no metamethod runs, no value is
// formatted, no action is called.

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"almanac/catalog"
	"almanac/catalog/lua"
	"almanac/catalog/text"
	"almanac/repl/event"
	"almanac/repl/input"
	"almanac/repl/show"
	"almanac/session/syntax"
)

// A Completion is one thing that the text at the cursor may become.
type Completion struct {
	// Text replaces what Completions.Start and End delimit.
	Text string
	// Detail is shown beside it: a signature, a type, what a command does.
	Detail string
	// Tag is the effect letter of an action: R, W or !; empty for all else.
	Tag string
}

// Completions are the possible endings at a cursor, best first.
type Completions struct {
	// Start and End delimit the bytes of the text that a completion replaces.
	Start, End int
	Items      []Completion
	// More counts those left out.
	More int
}

// maxItems is how many completions are listed.
const maxItems = 200

// Common returns the longest beginning that all items share: what Tab may insert at once.
func (c Completions) Common() string {
	if len(c.Items) == 0 || c.More > 0 {
		return ""
	}
	common := c.Items[0].Text
	for _, item := range c.Items[1:] {
		for !strings.HasPrefix(item.Text, common) {
			_, size := utf8.DecodeLastRuneInString(common)
			common = common[:len(common)-size]
		}
	}
	return common
}

// Complete lists what may stand at cursor, a byte offset into text: commands and their arguments, globals and table
// keys, actions segment by segment, argument names inside a call, and ids after @. While a script runs it knows no
// table keys.
func (sh *Shell) Complete(ctx context.Context, text string, cursor int) Completions {
	cursor = min(max(cursor, 0), len(text))
	head := text[:cursor]
	trimmed := strings.TrimLeft(head, " \t\n")
	offset := len(head) - len(trimmed)
	if at := strings.LastIndexByte(head, '@'); at >= 0 && isIDPart(head[at+1:]) && !insideString(head[:at]) {
		items := sh.withSnippets(nil, sh.idItems(head[at+1:]))
		if len(items) == 0 {
			items = sh.fuzzyItems(head[at+1:])
		}
		for i, item := range items {
			if strings.HasSuffix(item.Text, ".") {
				items[i].Text = "@" + item.Text // so that the next Tab goes on from here
			}
		}
		return limit(at, cursor, items)
	}
	switch {
	case strings.HasPrefix(trimmed, "/"):
		return sh.completeCommand(ctx, text, head, offset+1, cursor)
	case strings.HasPrefix(trimmed, "!"):
		return sh.completeLua(ctx, text, offset+1, cursor)
	case strings.HasPrefix(trimmed, "?") || sh.Mode() == input.AskMode:
		return Completions{Start: cursor, End: cursor}
	}
	return sh.completeLua(ctx, text, 0, cursor)
}

// limit sorts out duplicates and caps the list.
func limit(start, end int, items []Completion) Completions {
	seen := map[string]bool{}
	items = slices.DeleteFunc(items, func(c Completion) bool {
		again := seen[c.Text]
		seen[c.Text] = true
		return again
	})
	c := Completions{Start: start, End: end, Items: items}
	if n := len(items); n > maxItems {
		c.Items, c.More = items[:maxItems], n-maxItems
	}
	return c
}

func isIDPart(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool {
		return r != '.' && r != '_' && r != '-' && (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z')
	}) < 0
}

func insideString(head string) bool {
	c := syntax.PathAt(head, len(head))
	return c.InString || c.InComment
}

// idItems lists the segments after a dotted prefix, as ids.
func (sh *Shell) idItems(prefix string) []Completion {
	parent, partial := "", prefix
	if i := strings.LastIndexByte(prefix, '.'); i >= 0 {
		parent, partial = prefix[:i], prefix[i+1:]
	}
	return sh.segments(parent, partial, true)
}

// segments lists the next segments below parent that begin with partial: whole paths, or the segment alone.
func (sh *Shell) segments(parent, partial string, whole bool) []Completion {
	v := sh.options.Session.View()
	var items []Completion
	for _, c := range v.Children(parent) {
		if !strings.HasPrefix(strings.ToLower(c.Name), strings.ToLower(partial)) {
			continue
		}
		name := c.Name
		if whole && parent != "" {
			name = parent + "." + c.Name
		}
		if c.ID != "" {
			items = append(items, actionItem(v, c.ID, name))
		}
		below := c.Count
		if c.ID != "" {
			below--
		}
		if below > 0 {
			items = append(items, Completion{Text: name + ".", Detail: text.Count(below, "action")})
		}
	}
	return items
}

// actionItem is an action with its signature and effect letter.
func actionItem(v *catalog.View, id, name string) Completion {
	item := Completion{Text: name, Tag: effectTag(v, id)}
	line := strings.TrimPrefix(v.Line(id), id)
	if sig, _, ok := strings.Cut(line, "  "); ok {
		line = sig
	}
	item.Detail = text.SanitizeLine(line)
	return item
}

// effectTag is the effect letter of an action.
func effectTag(v *catalog.View, id string) string {
	e, ok := v.Lookup(id)
	switch {
	case !ok || !e.Mutates:
		return "R"
	case catalog.RiskOf(e) == catalog.High:
		return "!"
	}
	return "W"
}

func (sh *Shell) completeCommand(ctx context.Context, text, head string, start, cursor int) Completions {
	typed := head[start:]
	var items []Completion
	for _, c := range sh.commands {
		for _, name := range append([]string{c.name}, c.aliases...) {
			if strings.HasPrefix(name, typed) && (name == c.name || typed != "") {
				items = append(items, Completion{Text: name, Detail: sh.brief(c)})
			}
		}
	}
	name, rest := input.CutWord(typed)
	if c, ok := sh.named(name); ok && c.words != nil && len(items) > 0 && name != typed {
		var own []Completion
		for _, item := range c.words(sh, rest) {
			if item.Text = name + " " + item.Text; strings.HasPrefix(item.Text, typed) {
				own = append(own, item)
			}
		}
		items = append(own, items...)
	}
	if len(items) > 0 {
		return limit(start, cursor, items)
	}
	c, arg, ok := sh.command(input.Input{Form: input.Command, Name: name, Text: rest})
	if !ok {
		return Completions{Start: cursor, End: cursor}
	}
	if c.lua != nil {
		if code, isLua := c.lua(arg); isLua {
			return sh.completeLua(ctx, text, cursor-len(code), cursor)
		}
	}
	if c.words == nil {
		return Completions{Start: cursor, End: cursor}
	}
	word := arg[strings.LastIndexAny(arg, " ,\t\n")+1:]
	for _, item := range c.words(sh, arg) {
		if strings.HasPrefix(strings.ToLower(item.Text), strings.ToLower(word)) {
			items = append(items, item)
		}
	}
	return limit(cursor-len(word), cursor, items)
}

// completeLua completes the Lua that begins at offset from.
func (sh *Shell) completeLua(ctx context.Context, text string, from, cursor int) Completions {
	at := syntax.PathAt(text[from:], cursor-from)
	if at.InString || at.InComment {
		return Completions{Start: cursor, End: cursor}
	}
	start := from + at.Start
	if start < from || start > cursor {
		start = cursor - len(at.Partial)
	}
	if start > from && text[start-1] >= utf8.RuneSelf {
		return Completions{Start: cursor, End: cursor} // the end of a word that is no name
	}
	var items []Completion
	if at.Call != "" && !at.Member {
		items = sh.argumentItems(at, text[from:start])
	}
	switch {
	case len(at.Path) > 0:
		found := sh.withSnippets(at.Path, sh.keyItems(ctx, at.Path, at.Partial))
		path := strings.Join(at.Path, ".") + "."
		if len(found) == 0 && strings.HasSuffix(text[from:start], path) {
			return limit(start-len(path), cursor, sh.wordItems(at.Path, at.Partial))
		}
		items = append(items, found...)
	case at.Member:
		items = append(items, sh.indexedItems(ctx, text[from:start], at.Partial)...)
	case !at.Member && (at.Partial != "" || len(items) == 0):
		if strings.TrimSpace(text[from:cursor]) == "" {
			items = append(items, sh.lastCalls()...)
		}
		items = append(items, sh.globalItems(ctx, at.Partial)...)
	}
	if len(items) == 0 && !at.Member {
		items = sh.wordItems(nil, at.Partial)
	}
	return limit(start, cursor, items)
}

// argumentItems lists the argument names of the called action that may come next, or the values that an argument may
// have. before is the source up to the word at the cursor.
func (sh *Shell) argumentItems(at syntax.Cursor, before string) []Completion {
	e, ok := sh.options.Session.View().Lookup(at.Call)
	if !ok {
		return nil
	}
	fields := e.Input.Fields()
	inside := strings.TrimRight(before[strings.LastIndexByte(before, '{')+1:], " \t\n")
	if name, isValue := strings.CutSuffix(inside, "="); isValue {
		name = strings.TrimRight(name, " \t\n")
		name = name[strings.LastIndexAny(name, " ,\t\n{")+1:]
		return append(enumItems(fields, name, at.Partial), sh.usedValues(name, at.Partial)...)
	}
	if !at.Key {
		return nil
	}
	var items []Completion
	for _, f := range fields {
		if !strings.HasPrefix(f.Name, at.Partial) || given(inside, f.Name) {
			continue
		}
		detail := f.Type
		if f.Required {
			detail += ", required"
		}
		if f.HasDefault {
			detail += fmt.Sprintf(", default %s", show.LuaText(f.Default, 0))
		}
		if f.Description != "" {
			detail += "  " + f.Description
		}
		items = append(items, Completion{Text: lua.Key(f.Name) + " = ", Detail: text.SanitizeLine(detail)})
	}
	return items
}

func enumItems(fields []catalog.Field, name, partial string) []Completion {
	var items []Completion
	for _, f := range fields {
		if f.Name != name {
			continue
		}
		values := f.Enum
		if f.Type == "bool" {
			values = []any{true, false}
		}
		for _, v := range values {
			if value := show.LuaText(v, 0); strings.HasPrefix(strings.Trim(value, `"`), partial) {
				items = append(items, Completion{Text: value, Detail: text.SanitizeLine(f.Name)})
			}
		}
	}
	return items
}

// given tells whether the table constructor so far sets the field.
func given(inside, name string) bool {
	for _, part := range strings.FieldsFunc(inside, func(r rune) bool { return r == ',' || r == ';' }) {
		if key, _, ok := strings.Cut(part, "="); ok && strings.TrimSpace(key) == name {
			return true
		}
	}
	return false
}

// keyItems lists what is below a dotted path: the keys of the table there, and the actions.
func (sh *Shell) keyItems(ctx context.Context, path []string, partial string) []Completion {
	var items []Completion
	if !sh.isBusy() {
		keys, _ := sh.options.Session.Keys(ctx, path)
		for _, k := range keys {
			if strings.HasPrefix(k.Name, partial) && lua.IsName(k.Name) {
				items = append(items, Completion{Text: k.Name, Detail: k.Type})
			}
		}
	}
	return append(items, sh.segments(strings.Join(path, "."), partial, false)...)
}

// globalItems lists what a lone name may become: the session's globals first, then domains, the prelude and the
// libraries, then keywords.
func (sh *Shell) globalItems(ctx context.Context, partial string) []Completion {
	var items []Completion
	for _, g := range event.Named(sh.options.Session.Globals()) {
		if strings.HasPrefix(g.Name, partial) {
			items = append(items, Completion{Text: g.Name, Detail: show.KindText(g)})
		}
	}
	items = append(items, sh.segments("", partial, false)...)
	var names []Completion
	if !sh.isBusy() {
		keys, _ := sh.options.Session.Keys(ctx, nil)
		for _, k := range keys {
			names = append(names, Completion{Text: k.Name, Detail: k.Type})
		}
	}
	for _, n := range strings.Fields(libraryNames) {
		names = append(names, Completion{Text: n, Detail: "function"})
	}
	for _, n := range strings.Fields(libraryTables) {
		names = append(names, Completion{Text: n, Detail: "library"})
	}
	slices.SortStableFunc(names, func(a, b Completion) int { return cmp.Compare(a.Text, b.Text) })
	for _, n := range names {
		if strings.HasPrefix(n.Text, partial) && lua.IsName(n.Text) && !event.IsResult(n.Text) {
			items = append(items, n)
		}
	}
	if partial != "" {
		for _, k := range lua.Keywords() {
			if strings.HasPrefix(k, partial) && k != partial {
				items = append(items, Completion{Text: k, Detail: "keyword"})
			}
		}
	}
	return items
}

// The names that every machine has; the session's Keys add those of its prelude once a machine runs.
const (
	libraryNames  = "assert call error getmetatable help ipairs next pairs pcall print rawequal rawget rawlen rawset select setmetatable tonumber tostring type vars xpcall"
	libraryTables = "catalog coroutine json math os string table"
)
