package repl

// This file keeps the whole results of calls of which the log has the beginning.

import (
	"fmt"
	"slices"

	"almanac/repl/show"
	"almanac/session"
	"almanac/session/trace"
	"almanac/session/vm"
)

// How many results are kept, and how many bytes they may take together; the oldest go first.
const (
	keptResults     = 200
	keptResultBytes = 16 << 20
)

// A result is what a call returned.
type result struct {
	cell, call int
	data       any
	size       int
}

// results are the newest whole results, oldest first.
type results struct {
	kept []result
	size int
}

func (r *results) put(cell, call int, data any) {
	size := dataSize(data)
	if cell == 0 || size > keptResultBytes {
		return
	}
	r.kept = append(r.kept, result{cell, call, data, size})
	r.size += size
	for r.size > keptResultBytes || len(r.kept) > keptResults {
		r.size -= r.kept[0].size
		r.kept = slices.Delete(r.kept, 0, 1)
	}
}

func (r *results) get(cell, call int) (data any, ok bool) {
	for _, kept := range r.kept {
		if kept.cell == cell && kept.call == call {
			return kept.data, true
		}
	}
	return nil, false
}

// dataSize is about how many bytes data takes in memory.
func dataSize(v any) int {
	size := 16
	switch v := v.(type) {
	case string:
		size += len(v)
	case []any:
		for _, item := range v {
			size += dataSize(item)
		}
	case map[string]any:
		for name, item := range v {
			size += 32 + len(name) + dataSize(item)
		}
	}
	return size
}

// resultOf is what a call of a cell returned: all of it while it is kept, else as much as the log has. part says how much
// that is, and where the rest may be; it is empty for a whole result.
func (sh *Shell) resultOf(cell int, c trace.Call) (v vm.Value, part string) {
	data := c.Result
	if c.Part != "" {
		if whole, ok := sh.feed.result(cell, c.N); ok {
			data = whole
		} else {
			part = c.Part + " kept in the log; run it again" + sh.orName(cell)
		}
	}
	v = vm.Value{Type: luaType(data), Repr: show.LuaText(data, 100), Data: data, Whole: true}
	if e, ok := sh.options.Session.View().Lookup(c.ID); ok {
		v.Fields = session.FieldOrder(e)
	}
	return v, part
}

// orName points to the global with a cell's value, where there is one.
func (sh *Shell) orName(cell int) string {
	name := fmt.Sprintf("_%d", cell)
	if slices.ContainsFunc(sh.options.Session.Globals(), func(g vm.Global) bool { return g.Name == name }) {
		return ", or see " + name
	}
	return ""
}

func luaType(data any) string {
	switch data.(type) {
	case nil:
		return "null"
	case bool:
		return "boolean"
	case string:
		return "string"
	case []any, map[string]any:
		return "table"
	}
	return "number"
}
