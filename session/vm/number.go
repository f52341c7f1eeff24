package vm

import (
	"math"
	"math/big"
	"strconv"
	"strings"
)

// This file holds numbers as text, and the exact integers beyond 2^53 that the engine's floats cannot hold. Such an
// integer is a userdata: type() says "number", it prints, compares, adds and serves as a table key exactly.

const exactFloat = 1 << 53

// numberText is what tostring gives for a float: integers up to 2^53 in full, the rest in %.14g.
func numberText(f float64) string {
	switch {
	case f == math.Trunc(f) && math.Abs(f) <= exactFloat:
		if f == 0 && math.Signbit(f) {
			return "-0"
		}
		return strconv.FormatInt(int64(f), 10)
	case math.IsInf(f, 1):
		return "inf"
	case math.IsInf(f, -1):
		return "-inf"
	case math.IsNaN(f):
		return "nan"
	}
	return strconv.FormatFloat(f, 'g', 14, 64)
}

// parseNumber reads a Lua numeral with optional sign and surrounding space: a float64, or an int64 where the text is
// a decimal integer beyond 2^53.
func parseNumber(s string) (any, bool) {
	s = strings.Trim(s, " \t\n\v\f\r")
	body := strings.TrimLeft(s, "+-")
	if len(s)-len(body) > 1 || body == "" || strings.Contains(body, "_") {
		return nil, false
	}
	switch c := body[0]; {
	case c >= '0' && c <= '9', c == '.':
	default:
		return nil, false
	}
	if len(body) > 1 && (body[1] == 'x' || body[1] == 'X') {
		if !strings.ContainsAny(body, "pP") {
			body += "p0"
		}
		f, err := strconv.ParseFloat(body, 64)
		if err != nil && !math.IsInf(f, 0) {
			return nil, false
		}
		if s[0] == '-' {
			f = -f
		}
		return f, true
	}
	if i, err := strconv.ParseInt(s, 10, 64); err == nil && (i > exactFloat || i < -exactFloat) {
		return i, true
	}
	f, err := strconv.ParseFloat(s, 64)
	if err != nil && !math.IsInf(f, 0) {
		return nil, false
	}
	return f, true
}

// An integer is an exact integer beyond 2^53.
type integer struct {
	n    int64
	self any
}

func (n *integer) luaValue() any  { return n.self }
func (n *integer) String() string { return strconv.FormatInt(n.n, 10) }

const keptIntegers = 50_000

// integerValue is the Lua value of n: a float where that is exact. Equal integers are the same value, so that they
// work as table keys; the table of known ones starts anew when it has grown large.
func (m *Machine) integerValue(n int64) any {
	if n >= -exactFloat && n <= exactFloat {
		return float64(n)
	}
	if v, ok := m.integers[n]; ok {
		return v
	}
	if len(m.integers) >= keptIntegers {
		clear(m.integers)
	}
	object := &integer{n: n}
	object.self = m.newUserdata(object, m.integerMeta)
	m.integers[n] = object.self
	return object.self
}

// exactOperand reads v as a number without loss.
func (m *Machine) exactOperand(v any) (n *big.Float, ok bool) {
	switch v := v.(type) {
	case float64:
		if math.IsNaN(v) {
			return nil, false
		}
		return new(big.Float).SetPrec(2100).SetFloat64(v), true
	case string:
		if f, ok := parseNumber(v); ok {
			if i, ok := f.(int64); ok {
				f = m.integerValue(i)
			}
			return m.exactOperand(f)
		}
	default:
		if o, ok := m.object(v).(*integer); ok {
			return new(big.Float).SetPrec(2100).SetInt64(o.n), true
		}
	}
	return nil, false
}

// wholeOperands reads both operands of an operation that must give an integer.
func (c call) wholeOperands() (a, b *big.Int) {
	read := func(i int) *big.Int {
		f, ok := c.m.exactOperand(c.raw(i))
		if !ok {
			c.m.operatorFailed(c, "perform arithmetic on", c.raw(i), 0)
		}
		if !f.IsInt() || f.IsInf() {
			c.fail("arithmetic between an integer beyond 2^53 and a fraction would lose digits")
		}
		n, _ := f.Int(nil)
		return n
	}
	return read(1), read(2)
}

func (c call) giveWhole(n *big.Int) int {
	if !n.IsInt64() {
		c.fail("integer overflow: %s does not fit 64 bits", n)
	}
	return c.give(c.m.integerValue(n.Int64()))
}

func openInteger(m *Machine) {
	meta := m.newTable(0, 12)
	m.integerMeta = meta
	def := func(event string, f func(c call) int) { meta.put(event, m.function(event, f)) }
	meta.put("__metatable", "number")
	def("__tostring", func(c call) int { return c.give(c.m.text(c.l, c.raw(1))) })
	def("__add", func(c call) int { a, b := c.wholeOperands(); return c.giveWhole(a.Add(a, b)) })
	def("__sub", func(c call) int { a, b := c.wholeOperands(); return c.giveWhole(a.Sub(a, b)) })
	def("__mul", func(c call) int { a, b := c.wholeOperands(); return c.giveWhole(a.Mul(a, b)) })
	def("__unm", func(c call) int { a, _ := c.wholeOperands(); return c.giveWhole(a.Neg(a)) })
	def("__mod", func(c call) int {
		a, b := c.wholeOperands()
		if b.Sign() == 0 {
			c.fail("attempt to perform 'n %%%% 0'")
		}
		r := new(big.Int).Rem(a, b)
		if r.Sign() != 0 && r.Sign() != b.Sign() {
			r.Add(r, b)
		}
		return c.giveWhole(r)
	})
	floats := func(op func(a, b float64) float64) func(c call) int {
		return func(c call) int {
			a, okA := c.m.exactOperand(c.raw(1))
			b, okB := c.m.exactOperand(c.raw(2))
			if !okA {
				c.m.operatorFailed(c, "perform arithmetic on", c.raw(1), 0)
			}
			if !okB {
				c.m.operatorFailed(c, "perform arithmetic on", c.raw(2), 0)
			}
			x, _ := a.Float64()
			y, _ := b.Float64()
			return c.give(op(x, y))
		}
	}
	def("__div", floats(func(a, b float64) float64 { return a / b }))
	def("__pow", floats(math.Pow))
	compare := func(yes func(sign int) bool) func(c call) int {
		return func(c call) int {
			a, okA := c.m.exactOperand(c.raw(1))
			b, okB := c.m.exactOperand(c.raw(2))
			if !okA || !okB || c.m.typeName(c.raw(1)) != c.m.typeName(c.raw(2)) {
				c.fail("attempt to compare %s with %s", c.m.typeName(c.raw(1)), c.m.typeName(c.raw(2)))
			}
			return c.give(yes(a.Cmp(b)))
		}
	}
	def("__lt", compare(func(sign int) bool { return sign < 0 }))
	def("__le", compare(func(sign int) bool { return sign <= 0 }))
	def("__eq", compare(func(sign int) bool { return sign == 0 }))
}
