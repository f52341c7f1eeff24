package vm

import (
	"fmt"
	"slices"
	"strings"

	lua "github.com/Shopify/go-lua"

	luasrc "almanac/catalog/lua"
	"almanac/catalog/text"
)

// This file writes values as Lua source a person can read: `{ a = { 1, 2 }, b = "x" }`, keys sorted, one line where it
// fits. Data reads back as the same value; anything else is shown in angle brackets.

const (
	lineWidth    = 80
	maxReprDepth = 30
)

// A printer writes one value. left is how many bytes it may still write; the rest is cut with "...".
type printer struct {
	m     *Machine
	l     *lua.State // whose steps are counted; nil after a run
	left  int
	width int
	open  map[*table]bool
	// naming puts the fields that name a record first, since the text will be cut.
	naming bool
}

// namingKeys are the fields that name a record, in the order in which they come first.
var namingKeys = [...]string{"id", "name", "title"}

// namedEntries is entries with the fields that name a record first.
func (m *Machine) namedEntries(t *table, f func(k, v any) bool) {
	for _, name := range namingKeys {
		if v := t.hash[name]; v != nil && !f(name, v) {
			return
		}
	}
	m.entries(t, func(k, v any) bool {
		if name, ok := k.(string); ok && slices.Contains(namingKeys[:], name) {
			return true
		}
		return f(k, v)
	})
}

// repr is v as text of about limit bytes at most. A script passes its state.
func (m *Machine) repr(l *lua.State, v any, limit, width int) string {
	p := &printer{m: m, l: l, left: limit, width: width, open: map[*table]bool{}}
	return p.whole(v, limit)
}

func (p *printer) whole(v any, limit int) string {
	out := p.value(v, 0)
	if len(out) > limit+limit/2+64 {
		out = text.HeadBytes(out, limit) + " ..."
	}
	return out
}

func (p *printer) value(v any, depth int) string {
	var out string
	switch v := v.(type) {
	case float64:
		out = luasrc.Number(v)
	case string:
		if room := max(p.left, 16); len(v) > room {
			out = luasrc.Quote(text.HeadBytes(v, room)) + fmt.Sprintf(" ... %d bytes", len(v))
		} else {
			out = luasrc.Quote(v)
		}
	default:
		if t := p.m.open(v); t != nil {
			return p.fields(t, depth)
		}
		switch o := p.m.object(v).(type) {
		case *integer:
			out = o.String()
		case *action:
			out = p.m.actionText(p.l, o)
		case *coroutine:
			out = "<coroutine>"
		default:
			out = "<function>"
			if p.m.typeName(v) != "function" {
				out = p.m.text(nil, v)
			}
		}
	}
	p.left -= len(out)
	p.work(8 + len(out)/64)
	return out
}

func (p *printer) work(n int) {
	if p.l != nil {
		p.m.work(p.l, n)
	}
}

func (p *printer) fields(t *table, depth int) string {
	if p.open[t] {
		return "<cycle>"
	}
	if depth > maxReprDepth {
		return "<...>"
	}
	p.open[t] = true
	defer delete(p.open, t)
	var items []string
	total, lines := 0, false
	list := t.length()
	each := func(k, v any) bool {
		if p.left <= 0 {
			items = append(items, fmt.Sprintf("... %d more", t.size()-len(items)))
			return false
		}
		key := p.key(k, len(items), list)
		p.left -= len(key) + 2
		item := key + p.value(v, depth+1)
		items = append(items, item)
		total += len(item) + 2
		lines = lines || strings.Contains(item, "\n")
		return true
	}
	naming := p.naming && list == 0
	entries := p.m.entries
	if naming {
		entries = p.m.namedEntries
	}
	entries(t, each)
	switch {
	case len(items) == 0:
		return "{}"
	case !lines && total+4 <= p.width-2*depth:
		return "{ " + strings.Join(items, ", ") + " }"
	}
	p.work(total / 64)
	body := strings.Join(items, ",\n")
	return "{\n  " + strings.ReplaceAll(body, "\n", "\n  ") + ",\n}"
}

// key is `name = ` or `[key] = `, or nothing for the next list item.
func (p *printer) key(k any, done, list int) string {
	switch k := k.(type) {
	case float64:
		if k == float64(done+1) && done < list {
			return ""
		}
		return "[" + luasrc.Number(k) + "] = "
	case string:
		if luasrc.IsName(k) {
			return k + " = "
		}
		return "[" + luasrc.Quote(text.HeadBytes(k, 200)) + "] = "
	}
	switch kind := p.m.typeName(k); kind {
	case "table", "function", "thread":
		return "[<" + kind + ">] = "
	}
	return "[" + p.m.text(nil, k) + "] = "
}
