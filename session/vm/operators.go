package vm

import (
	"math"
	"math/big"
	"strings"

	"almanac/session/syntax"
)

// This file holds the operators that normalised source calls as functions, because the engine gets them wrong (`..` and
// `%`) or lacks them (`//` and the bitwise ones of Lua 5.3). Their names cannot be written in a script.

// reserved reports whether a name is used only by normalised source.
func reserved(name string) bool { return strings.HasPrefix(name, syntax.HostPrefix) }

func openOperators(m *Machine) {
	m.global(syntax.HostConcat, concat)
	m.global(syntax.HostInteger, func(c call) int {
		n, _ := m.exactInteger(c.raw(1))
		return c.give(m.integerValue(n))
	})
	m.global(syntax.HostResults, func(c call) int { return c.top() })
	bits := func(name, event string, f func(a, b int64) int64) {
		m.global(name, func(c call) int { return c.bitwise(event, f) })
	}
	bits(syntax.HostBAnd, "__band", func(a, b int64) int64 { return a & b })
	bits(syntax.HostBOr, "__bor", func(a, b int64) int64 { return a | b })
	bits(syntax.HostBXor, "__bxor", func(a, b int64) int64 { return a ^ b })
	bits(syntax.HostShl, "__shl", shiftLeft)
	bits(syntax.HostShr, "__shr", func(a, b int64) int64 { return shiftLeft(a, -b) })
	m.global(syntax.HostBNot, func(c call) int {
		c.l.SetTop(1)
		push(c.l, -1.0)
		return c.bitwise("__bnot", func(a, _ int64) int64 { return ^a })
	})
}

// shiftLeft shifts the 64 bits of a, filling with zeros; a negative count shifts to the right.
func shiftLeft(a, n int64) int64 {
	switch {
	case n <= -64 || n >= 64:
		return 0
	case n >= 0:
		return int64(uint64(a) << uint(n))
	}
	return int64(uint64(a) >> uint(-n))
}

// bitwise is an operator of Lua 5.3 on 64-bit integers.
func (c call) bitwise(event string, f func(a, b int64) int64) int {
	var words [2]int64
	for i := range words {
		n, ok := c.m.exactOperand(c.raw(i + 1))
		if !ok {
			return c.byMetamethod(event, "perform bitwise operation on")
		}
		word, accuracy := n.Int64()
		if !n.IsInt() || accuracy != big.Exact {
			c.fail("number has no integer representation")
		}
		words[i] = word
	}
	return c.give(c.m.integerValue(f(words[0], words[1])))
}

// byMetamethod asks the operands' metamethod for the result of a binary operator.
func (c call) byMetamethod(event, op string) int {
	f := c.m.metafield(c.raw(1), event)
	if f == nil {
		f = c.m.metafield(c.raw(2), event)
	}
	_, left := c.m.exactOperand(c.raw(1))
	_, right := c.m.exactOperand(c.raw(2))
	if f == nil || f == c.m.integerMeta.hash[event] && !(left && right) {
		bad := 1
		if left {
			bad = 2
		}
		c.m.operatorFailed(c, op, c.raw(bad), bad)
	}
	return c.give(c.invoke(f, c.raw(1), c.raw(2)))
}

// concat joins its arguments from the right, as a .. b .. c does.
func concat(c call) int {
	long := c.top() == 1
	if t := c.m.table(c.raw(1)); t != nil && long {
		// A long chain comes as {n = count, ...}.
		c.l.SetTop(0)
		n, _ := t.hash["n"].(float64)
		c.room(int(n))
		for i := 1; i <= int(n); i++ {
			push(c.l, t.index(i))
		}
	}
	n := c.top()
	total := 0
	parts := make([]string, n)
	for i := n; i >= 1; i-- {
		s, ok := c.m.concatText(c.raw(i))
		if !ok {
			return c.concatSlow(long)
		}
		parts[i-1] = s
		total += len(s)
	}
	c.m.stringSize(c.l, total)
	if n == 2 {
		return c.giveText(parts[0] + parts[1])
	}
	b := make([]byte, 0, total)
	for _, s := range parts {
		b = append(b, s...)
	}
	return c.giveText(string(b))
}

// concatText is the text of an operand of `..` that needs no metamethod.
func (m *Machine) concatText(v any) (string, bool) {
	if s, ok := m.numeralText(v); ok {
		return s, true
	}
	return m.failureText(v)
}

// concatSlow joins pairwise from the right and asks metamethods. A long chain has come as one table.
func (c call) concatSlow(long bool) int {
	values := c.rest(1)
	right := values[len(values)-1]
	for i := len(values) - 2; i >= 0; i-- {
		left := values[i]
		a, okA := c.m.concatText(left)
		b, okB := c.m.concatText(right)
		if okA && okB {
			c.m.stringSize(c.l, len(a)+len(b))
			right = a + b
			continue
		}
		f := c.m.metafield(left, "__concat")
		if f == nil {
			f = c.m.metafield(right, "__concat")
		}
		if f == nil {
			bad, operand := left, i+1
			if okA {
				bad, operand = right, 0
				if i == len(values)-2 {
					operand = len(values)
				}
			}
			if long {
				operand = 0
			}
			c.m.operatorFailed(c, "concatenate", bad, operand)
		}
		right = c.invoke(f, left, right)
	}
	return c.give(right)
}

// floatMod is % by the formula of Lua 5.2, which says nothing useful of an infinite b: there it is that of 5.3.
func floatMod(a, b float64) float64 {
	switch {
	case !math.IsInf(b, 0) || math.IsInf(a, 0) || a != a:
		return a - float64(math.Floor(a/b)*b) // without the conversion some machines do not round the product
	case a == 0 || (a < 0) == (b < 0):
		return a
	}
	return b
}
