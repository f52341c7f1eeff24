package vm

import (
	"strings"

	"almanac/catalog/unknown"
)

// This file holds the values of a preview that only a real run gives: what a mutation that was not made would have
// returned. They can be stored, passed to actions, returned, printed, and put together with text, which gives another;
// a field of one is one too. They count as true. Anything else raises an error that says which value it is.

// A placeholder is such a value.
type placeholder struct {
	value unknown.Value
	self  any
}

func (p *placeholder) luaValue() any  { return p.self }
func (p *placeholder) String() string { return string(p.value) }

// unknownValue is the Lua value of v.
func (m *Machine) unknownValue(v unknown.Value) any {
	p := &placeholder{value: v}
	p.self = m.newUserdata(p, m.unknownMeta)
	return p.self
}

// unknown is v as a value that is not known.
func (m *Machine) unknown(v any) (unknown.Value, bool) {
	p, ok := m.object(v).(*placeholder)
	if !ok {
		return "", false
	}
	return p.value, true
}

// known raises an error if one of the values is not known.
func (c call) known(values ...any) {
	for _, v := range values {
		if v, is := c.m.unknown(v); is {
			c.fail("%s %s", v, unknown.Why)
		}
	}
}

// giveJoined returns text that was put together, unknown where a part of it is.
func (c call) giveJoined(text string, isUnknown bool) int {
	if isUnknown {
		return c.give(c.m.unknownValue(unknown.Value(text)))
	}
	return c.giveText(text)
}

func openUnknown(m *Machine) {
	m.unknownMeta = m.newTable(0, 16)
	def := func(event string, f func(c call) int) { m.unknownMeta.put(event, m.function(event, f)) }
	m.unknownMeta.put("__metatable", "unknown")
	for _, event := range []string{"__add", "__sub", "__mul", "__div", "__mod", "__pow", "__unm", "__idiv", "__band",
		"__bor", "__bxor", "__shl", "__shr", "__bnot", "__len", "__lt", "__le", "__eq", "__call", "__newindex", "__pairs",
		"__ipairs"} {
		def(event, func(c call) int {
			c.known(c.raw(1), c.raw(2))
			return 0
		})
	}
	def("__tostring", func(c call) int { return c.give(c.raw(1)) })
	def("__index", func(c call) int {
		v, _ := c.m.unknown(c.raw(1))
		c.known(c.raw(2))
		key := c.m.text(c.l, c.raw(2))
		if _, name := c.raw(2).(string); name {
			key = "." + key
		} else {
			key = "[" + key + "]"
		}
		under, ok := v.Under(key)
		if !ok || len(under) > maxPath {
			c.known(c.raw(1))
		}
		return c.give(c.m.unknownValue(under))
	})
	def("__concat", func(c call) int {
		var text strings.Builder
		for i := 1; i <= 2; i++ {
			s, ok := c.m.joinedText(c.raw(i))
			if !ok {
				c.m.operatorFailed(c, "concatenate", c.raw(i), 0)
			}
			text.WriteString(s)
		}
		c.m.stringSize(c.l, text.Len())
		return c.giveJoined(text.String(), true)
	})
}

// joinedText is concatText, also of a value that is not known.
func (m *Machine) joinedText(v any) (string, bool) {
	if p, is := m.unknown(v); is {
		return string(p), true
	}
	return m.concatText(v)
}
