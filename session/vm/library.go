package vm

import (
	"fmt"
	"regexp"
	"sort"
	"strings"

	lua "github.com/Shopify/go-lua"
	"github.com/theory/jsonpath"

	"almanac/catalog/text"
	"almanac/catalog/text/cells"
)

// This file sets up a script's environment: the table of names behind the session's globals, the libraries, the refused
// functions, and the `host` table for prelude chunks.

// maxMatched and maxPattern bound texts and patterns of matches and jsonpath, in bytes.
const (
	maxMatched = 1 << 20
	maxPattern = 1000
)

// global adds a function to the names every script sees.
func (m *Machine) global(name string, f func(c call) int) { m.names.put(name, m.function(name, f)) }

// library returns the table of a library, made on first use. Scripts get it sealed.
func (m *Machine) library(name string) *table {
	t := m.libraries[name]
	if t == nil {
		t = m.newTable(0, 16)
		m.libraries[name] = t
	}
	return t
}

// refusal is a function that fails and says why it is not available.
func (m *Machine) refusal(name, why string) any {
	return m.function(name, func(c call) int {
		c.fail("%s is not available: %s", name, why)
		return 0
	})
}

// open fills the environment; the prelude runs after it.
func (m *Machine) openLibraries() {
	for _, open := range []func(*Machine){openInteger, openProtect, openBase, openIterate, openString, openTable,
		openMath, openOS, openCoroutine, openAction, openEffect, openUnknown, openJSON, openOperators, openExact,
		openSparse, openState, openRefused} {
		open(m)
	}
	m.names.put("null", m.null)
	m.names.put("_G", m.value(m.session))
	m.names.put("_VERSION", "Lua 5.2")
	m.global("repr", func(c call) int { return c.giveText(m.repr(c.l, c.any(1), m.limits.String, lineWidth)) })
	meta := m.newTable(0, 2)
	meta.put("__index", m.value(m.names))
	meta.put("__metatable", false)
	meta.put("__pairs", m.function("pairs", func(c call) int {
		w := m.walkGlobals()
		return c.give(m.stepper(&w), nil, nil)
	}))
	m.session.meta = meta
	missing := m.newTable(0, 1)
	missing.put("__index", m.function("index", func(c call) int {
		if name, ok := c.raw(2).(string); ok && m.roots[name] {
			return c.give(m.actionValue(name))
		}
		return c.give(nil)
	}))
	m.names.meta = missing
	m.sealLibraries()
}

const (
	noCode    = "scripts cannot load code at run time; define a function instead"
	noModules = "there are no modules; help() lists what there is"
	oldLua    = "it belongs to Lua 5.1"
)

// refused are the names of Lua's library that are there only to say why they cannot be called.
var refused = map[string]string{"load": noCode, "loadstring": noCode, "loadfile": noCode, "dofile": noCode,
	"require": noModules, "module": noModules, "getfenv": oldLua, "setfenv": oldLua}

func openRefused(m *Machine) {
	for name, why := range refused {
		m.names.put(name, m.refusal(name, why))
	}
	debug := m.library("debug")
	debug.put("traceback", m.function("traceback", func(c call) int {
		co, other := m.object(c.raw(1)).(*coroutine)
		if other {
			c.l.Remove(1)
		}
		text := ""
		if !c.absent(1) {
			switch c.raw(1).(type) {
			case string, float64:
			default:
				return c.give(c.raw(1))
			}
			text = c.string(1) + "\n"
		}
		text += "stack traceback:"
		trace := m.trace
		switch {
		case other:
			trace = co.calls(c.l)
		case m.handling == 0:
			trace = m.traceback(c.l)
		}
		for _, entry := range trace {
			text += "\n\t" + entry
		}
		return c.give(text)
	}))
	for _, name := range []string{"debug", "getinfo", "sethook", "gethook", "getlocal", "setlocal", "getupvalue",
		"setupvalue", "upvalueid", "upvaluejoin", "getmetatable", "setmetatable", "getregistry", "getuservalue",
		"setuservalue"} {
		debug.put(name, m.refusal("debug."+name, "scripts cannot look into the machine"))
	}
}

// sealLibraries puts a read-only stand-in for every library among the names.
func (m *Machine) sealLibraries() {
	for name, real := range m.libraries {
		if real == m.sealed[m.table(m.names.hash[name])] {
			continue
		}
		m.names.put(name, m.value(m.seal(name, real)))
	}
}

// seal makes a read-only stand-in for a table.
func (m *Machine) seal(name string, real *table) *table {
	stand := m.newTable(0, 0)
	meta := m.newTable(0, 4)
	meta.put("__index", m.value(real))
	meta.put("__metatable", false)
	meta.put("__newindex", m.function(name, func(c call) int {
		c.fail("%s is read-only: %s.%s cannot be set; use a global of your own", name, name, m.text(c.l, c.raw(2)))
		return 0
	}))
	meta.put("__pairs", m.function("pairs", func(c call) int {
		return c.give(m.stepper(&walk{t: real}), nil, nil)
	}))
	stand.meta = meta
	m.sealed[stand] = real
	return stand
}

// A doc is the line that help() shows for a name.
type doc struct{ form, text string }

// hostTable is the argument of a prelude chunk.
func (m *Machine) hostTable() any {
	t := m.newTable(0, 12)
	def := func(name string, f func(c call) int) { t.put(name, m.function(name, f)) }
	def("op", func(c call) int { return c.callOp(c.string(1), c.rest(2)) })
	m.openParallel(def)
	m.openCompose(def)
	def("fail", func(c call) int { c.fail("%s", c.string(1)); return 0 })
	// doc(form, text): "map(list, f)", "new list of f(item)"
	def("doc", func(c call) int {
		m.docs = append(m.docs, doc{c.string(1), c.string(2)})
		return 0
	})
	// extend(path, f) makes f a name among the actions: "fs.find".
	def("extend", func(c call) int {
		if m.helpers == nil {
			m.helpers = map[string]any{}
		}
		m.helpers[c.string(1)] = c.raw(2)
		return 0
	})
	def("docs", func(c call) int {
		sort.SliceStable(m.docs, func(i, j int) bool { return m.docs[i].form < m.docs[j].form })
		list := m.newTable(len(m.docs), 0)
		list.array = list.array[:0]
		for _, d := range m.docs {
			path, _, _ := strings.Cut(d.form, "(")
			root, _, _ := strings.Cut(path, ".")
			if m.helpers[path] != nil && !m.roots[root] {
				continue // it is below a name that this session does not have
			}
			entry := m.newTable(0, 2)
			entry.put("form", d.form)
			entry.put("text", d.text)
			list.array = append(list.array, m.value(entry))
		}
		return c.give(m.value(list))
	})
	def("vars", func(c call) int {
		vars := m.newTable(0, 8)
		for _, g := range m.Globals() {
			vars.put(g.Name, g.describe())
		}
		return c.give(m.value(vars))
	})
	// put(t, k, v) sets a key of a table under construction; unlike an assignment it costs the same for any key.
	def("put", func(c call) int {
		t, k, v := c.writable(1), c.raw(2), c.raw(3)
		if f, ok := k.(float64); k == nil || ok && f != f {
			c.fail("a key is %s", m.text(c.l, k))
		}
		t.assign(k, v)
		return 0
	})
	def("rank", rank)
	// label(text, n) is the text in at most n cells of a terminal, safe to show, and how many it takes.
	def("label", func(c call) int {
		s := c.string(1)
		s = text.SanitizeLine(s[:min(len(s), 4<<10)]) // no label needs more
		s = cells.Clip(s, c.int(2), "~")
		return c.give(s, float64(cells.Width(s)))
	})
	// matches(text, pattern): whether a regular expression (RE2) is found in the text
	def("matches", func(c call) int {
		text, pattern := c.string(1), c.string(2)
		if len(text) > maxMatched || len(pattern) > maxPattern {
			c.fail("matches: at most %d bytes of text and %d of pattern", maxMatched, maxPattern)
		}
		re, err := regexp.Compile(pattern)
		if err != nil {
			c.fail("matches: %v", err)
		}
		return c.give(re.MatchString(text))
	})
	// jsonpath(data, path): what a JSONPath (RFC 9535) selects, as a list
	def("jsonpath", func(c call) int {
		data, err := m.toData(c.l, "jsonpath", c.raw(1), true)
		if err != nil {
			c.fail("jsonpath: %s", err)
		}
		text := c.string(2)
		if len(text) > maxPattern {
			c.fail("jsonpath: a path of at most %d bytes", maxPattern)
		}
		path, err := jsonpath.Parse(text)
		if err != nil {
			c.fail("jsonpath: %v", err)
		}
		return c.answer("jsonpath", []any(path.Select(data)), nil)
	})
	def("callable", func(c call) int { return c.give(m.callable(c.raw(1))) })
	def("empty_list", func(c call) int {
		t := m.newTable(0, 0)
		t.meta = m.emptyList
		return c.give(m.value(t))
	})
	return m.value(t)
}

// runPrelude runs a chunk of the prelude in the table of names.
func (m *Machine) runPrelude(c *compiledChunk, host any) error {
	l := m.newState()
	push(l, m.closureValue(&closure{prototype: &c.main, upValues: []*cell{{}}}))
	m.remember(l.ToValue(-1), c.name, "")
	m.keepPrelude(l.ToValue(-1), c.name)
	push(l, m.value(m.names))
	lua.SetUpValue(l, -2, 1)
	push(l, host)
	m.begin(Script{Name: c.name})
	if failed, v := m.protected(l, 1); failed {
		return fmt.Errorf("%s: %s", c.name, m.text(nil, v))
	}
	return nil
}

// sealPrelude seals the libraries that the prelude made.
func (m *Machine) sealPrelude() {
	for k, v := range m.names.hash {
		name, _ := k.(string)
		if t := m.table(v); t != nil && t != m.session && m.sealed[t] == nil {
			m.names.put(name, m.value(m.seal(name, t)))
		}
	}
}
