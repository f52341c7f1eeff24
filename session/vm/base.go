package vm

import (
	"math"
	"strconv"
	"strings"
	"unsafe"

	lua "github.com/Shopify/go-lua"

	luasrc "almanac/catalog/lua"
)

// This file holds the basic functions: type, tostring, tonumber, select, the raw family, metatables, print.

// text is the result of tostring.
func (m *Machine) text(l *lua.State, v any) string {
	switch v := v.(type) {
	case nil:
		return "nil"
	case bool:
		return strconv.FormatBool(v)
	}
	if s, ok := m.concatText(v); ok {
		return s
	}
	if v == m.null {
		return "null"
	}
	switch o := m.object(v).(type) {
	case *action:
		return m.actionText(l, o)
	case *placeholder:
		return string(o.value)
	}
	if f := m.metafield(v, "__tostring"); f != nil && l != nil {
		c := call{m: m, l: l, name: "tostring"}
		switch s := c.invoke(f, v).(type) {
		case string:
			return s
		case float64:
			return luasrc.NumberText(s)
		}
		c.fail("'__tostring' must return a string")
	}
	return m.address(v)
}

func openBase(m *Machine) {
	m.global("type", func(c call) int { return c.give(m.typeName(c.any(1))) })
	m.global("tostring", func(c call) int {
		// Like Lua 5.2, this gives what a script's __tostring gives, string or not.
		v := c.any(1)
		if t := m.table(v); t != nil && t.meta != nil && t.meta != m.failureMeta {
			if f := t.meta.hash["__tostring"]; f != nil {
				return c.give(c.invoke(f, v))
			}
		}
		if _, unknown := m.unknown(v); unknown {
			return c.give(v) // its text is not known either
		}
		return c.give(m.text(c.l, v))
	})
	m.global("tonumber", toNumber)
	m.global("select", selectArgs)
	openRaw(m)
	m.global("collectgarbage", func(c call) int {
		switch c.optString(1, "collect") {
		case "count":
			return c.give(0.0, 0.0)
		case "step", "isrunning":
			return c.give(true)
		case "collect", "stop", "restart", "setpause", "setstepmul", "generational", "incremental":
			return c.give(0.0)
		}
		c.bad(1, "invalid option '%s'", c.optString(1, ""))
		return 0
	})
	openPrint(m)
}

// openRaw adds the raw family and metatables.
func openRaw(m *Machine) {
	m.global("rawequal", func(c call) int { return c.give(c.any(1) == c.any(2)) })
	m.global("rawlen", func(c call) int {
		if s, ok := c.raw(1).(string); ok {
			return c.give(float64(len(s)))
		}
		t := m.open(c.raw(1))
		if t == nil {
			c.bad(1, "table or string expected")
		}
		return c.give(float64(t.length()))
	})
	m.global("rawget", func(c call) int {
		v := m.behind(c.table(1), c.any(2)).get(c.raw(2))
		if m.isNoIndex(v) {
			v = nil
		}
		return c.give(v)
	})
	m.global("rawset", func(c call) int {
		t, k := c.writable(1), c.any(2)
		if f, ok := k.(float64); k == nil || ok && math.IsNaN(f) {
			c.fail("table index is %s", m.text(c.l, k))
		}
		v := c.any(3)
		if m.guards(t, k) {
			c.fail(StateReadOnly)
		}
		t.assign(k, v)
		return c.give(c.raw(1))
	})
	m.global("getmetatable", func(c call) int {
		c.any(1)
		v := c.raw(1)
		if t := m.table(v); t != nil && (t.meta == m.emptyList || t.meta == m.sparseMeta) {
			return c.give(nil)
		}
		if locked := m.metafield(v, "__metatable"); locked != nil {
			return c.give(locked)
		}
		if t := m.table(v); t != nil && t.meta != nil {
			return c.give(m.value(t.meta))
		}
		return c.give(nil)
	})
	m.global("setmetatable", func(c call) int {
		t := c.writable(1)
		var meta *table
		if v := c.raw(2); v != nil || c.top() < 2 {
			if meta = m.table(v); meta == nil {
				c.bad(2, "nil or table expected")
			}
		}
		if m.metafield(c.raw(1), "__metatable") != nil {
			c.fail("cannot change a protected metatable")
		}
		if meta != nil {
			m.guardEvents(meta)
		}
		t.meta = meta
		return c.give(c.raw(1))
	})
}

// guardEvents keeps the engine from losing events of a metatable without __index. It remembers that there is none in a
// bit that it then takes for the answer about __newindex, __len and __eq too, once a field was not there to be read:
// setmetatable({}, {__len = f}). An empty table in the place of __index, which pairs and rawget do not show, means the
// same and leaves the bit alone.
func (m *Machine) guardEvents(meta *table) {
	if meta.hash["__index"] != nil {
		return
	}
	for _, event := range []string{"__newindex", "__len", "__eq"} {
		if meta.hash[event] != nil {
			meta.put("__index", m.value(m.noIndex))
			return
		}
	}
}

func (m *Machine) isNoIndex(v any) bool { return words(v).data == unsafe.Pointer(m.noIndex) }

func toNumber(c call) int {
	if c.absent(2) {
		v := c.any(1)
		if s, ok := v.(string); ok {
			c.m.work(c.l, len(s)/16)
			n, ok := parseNumber(s)
			if !ok {
				return c.give(nil)
			}
			if i, ok := n.(int64); ok {
				return c.give(c.m.integerValue(i))
			}
			return c.give(n)
		}
		if c.m.typeName(v) == "number" {
			return c.give(v)
		}
		c.known(v)
		return c.give(nil)
	}
	s := strings.Trim(c.string(1), " \t\n\v\f\r")
	c.m.work(c.l, len(s)/16)
	base := c.int(2)
	if base < 2 || base > 36 {
		c.bad(2, "base out of range")
	}
	digits := strings.TrimPrefix(s, "-")
	if digits == s {
		digits = strings.TrimPrefix(s, "+")
	}
	if digits == "" || digits[0] == '+' || digits[0] == '-' || strings.Contains(digits, "_") {
		return c.give(nil)
	}
	if n, err := strconv.ParseInt(s, base, 64); err == nil && n != 0 { // zero may have a sign
		return c.give(c.m.integerValue(n))
	}
	if n, err := strconv.ParseUint(digits, base, 64); err == nil && base == 16 && n > exactFloat {
		if s[0] == '-' {
			n = -n
		}
		return c.give(c.m.integerValue(int64(n)))
	}
	sum := 0.0
	for _, r := range strings.ToLower(digits) {
		d := strings.IndexRune("0123456789abcdefghijklmnopqrstuvwxyz", r)
		if d < 0 || d >= base {
			return c.give(nil)
		}
		sum = sum*float64(base) + float64(d)
	}
	if s[0] == '-' {
		sum = -sum
	}
	return c.give(sum)
}

func selectArgs(c call) int {
	n := c.top()
	if s, ok := c.raw(1).(string); ok && s == "#" {
		return c.give(float64(n - 1))
	}
	i := c.int(1)
	if i < 0 {
		i = n + i
	} else if i > n {
		i = n
	}
	if i < 1 {
		c.bad(1, "index out of range")
	}
	return n - i
}

// maxPrinted bounds one table among what is printed, in bytes.
const maxPrinted = 16 << 10

// printed is v as print shows it: a table without __tostring is shown by its content, since its address is of no use.
func (c call) printed(v any) string {
	if c.m.table(v) == nil || c.m.metafield(v, "__tostring") != nil {
		return c.m.text(c.l, v)
	}
	if text, failure := c.m.failureText(v); failure {
		return text
	}
	return c.m.repr(c.l, v, maxPrinted, lineWidth)
}

// openPrint makes the functions that print: text joined by tabs, to the stream of each.
func openPrint(m *Machine) {
	joined := func(c call) string {
		if n := c.top(); n == 1 {
			return c.printed(c.raw(1))
		}
		parts := make([]string, c.top())
		for i := range parts {
			parts[i] = c.printed(c.raw(i + 1))
		}
		return strings.Join(parts, "\t")
	}
	printer := func(name string, stream Stream) {
		m.global(name, func(c call) int {
			m.work(c.l, 20)
			m.out.write(stream, joined(c)+"\n")
			return 0
		})
	}
	printer("print", Stdout)
	printer("eprint", Stderr)
	printer("warn", Stderr)
	printer("log", Logs)
	files := m.library("io")
	var streams [2]any
	for i, stream := range []Stream{Stdout, Stderr} {
		file := m.newTable(0, 2)
		streams[i] = m.value(m.seal("io."+string(stream), file))
		file.put("write", m.function("write", func(c call) int {
			m.print(c, stream, 2)
			return c.give(streams[i])
		}))
		file.put("flush", m.function("flush", func(c call) int { return c.give(streams[i]) }))
		files.put(string(stream), streams[i])
	}
	m.stdout = streams[0]
	files.put("write", m.function("io.write", func(c call) int {
		m.print(c, Stdout, 1)
		return c.give(streams[0])
	}))
	for _, name := range []string{"open", "popen", "lines", "read", "input", "output", "close", "tmpfile"} {
		files.put(name, m.refusal("io."+name, "scripts have no files; use an action of the catalog"))
	}
}

// print writes the arguments from i on, which must be text, numbers or not known.
func (m *Machine) print(c call, stream Stream, i int) {
	m.work(c.l, 20)
	for ; i <= c.top(); i++ {
		if v, unknown := m.unknown(c.raw(i)); unknown {
			m.out.write(stream, string(v))
			continue
		}
		m.out.write(stream, c.string(i))
	}
}
