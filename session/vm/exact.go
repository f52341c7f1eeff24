package vm

import (
	"math"
	"math/big"

	lua "github.com/Shopify/go-lua"

	"almanac/catalog/text"
	"almanac/session/syntax"
)

// This file holds arithmetic and order of the exact integers beyond 2^53. A result is exact, or an error that says what
// to do; nothing is rounded silently.

// exactBits is enough for the sum of any two floats.
const exactBits = 2100

// exactOperand reads v as a number without loss. Not-a-number is none.
func (m *Machine) exactOperand(v any) (n *big.Float, ok bool) {
	switch v := v.(type) {
	case float64:
		if math.IsNaN(v) {
			return nil, false
		}
		return new(big.Float).SetPrec(exactBits).SetFloat64(v), true
	case string:
		switch n, _ := parseNumber(v); n := n.(type) {
		case float64:
			return m.exactOperand(n)
		case int64:
			return new(big.Float).SetPrec(exactBits).SetInt64(n), true
		}
	default:
		if o, ok := m.object(v).(*integer); ok {
			return new(big.Float).SetPrec(exactBits).SetInt64(o.n), true
		}
	}
	return nil, false
}

// roundedOperand reads v as a float, the nearest one to an exact integer.
func (m *Machine) roundedOperand(v any) (f float64, ok bool) {
	if f, ok := v.(float64); ok {
		return f, true
	}
	n, ok := m.exactOperand(v)
	if !ok {
		return 0, false
	}
	f, _ = n.Float64()
	return f, true
}

// exactInteger reads v as an integer beyond 2^53: one, or the text of one.
func (m *Machine) exactInteger(v any) (n int64, ok bool) {
	if s, is := v.(string); is {
		parsed, _ := parseNumber(s)
		n, ok = parsed.(int64)
		return n, ok
	}
	if o, is := m.object(v).(*integer); is {
		return o.n, true
	}
	return 0, false
}

// giveUpDigits is how a script asks for a float.
const giveUpDigits = "tonumber(n .. '.0') gives up digits"

// An arithmetic is a binary operator on numbers of which one may be an exact integer.
type arithmetic struct {
	// floats is the operator where one operand is infinite or not a number: the digits of the other do not count.
	floats func(a, b float64) float64
	// exact is the operator on finite operands; it does not return when it has no result.
	exact func(c call, a, b *big.Float) int
}

// do applies the operator to the arguments 1 and 2, which must be numbers or texts of them.
func (op arithmetic) do(c call) int {
	var rounded [2]float64
	for i := range rounded {
		f, ok := c.m.roundedOperand(c.raw(i + 1))
		if !ok {
			c.m.operatorFailed(c, "perform arithmetic on", c.raw(i+1), i+1)
		}
		rounded[i] = f
	}
	if a, b := rounded[0], rounded[1]; math.IsInf(a, 0) || math.IsInf(b, 0) || a != a || b != b {
		return c.give(op.floats(a, b))
	}
	a, _ := c.m.exactOperand(c.raw(1))
	b, _ := c.m.exactOperand(c.raw(2))
	return op.exact(c, a, b)
}

// whole makes the operator on operands that must be integers.
func whole(f func(c call, a, b *big.Int) *big.Int) func(c call, a, b *big.Float) int {
	return func(c call, a, b *big.Float) int {
		if !a.IsInt() || !b.IsInt() {
			c.fail("arithmetic between an integer beyond 2^53 and a fraction would lose digits: round the fraction, or %s",
				giveUpDigits)
		}
		x, _ := a.Int(nil)
		y, _ := b.Int(nil)
		return c.giveWhole(f(c, x, y))
	}
}

func (c call) giveWhole(n *big.Int) int {
	if !n.IsInt64() {
		c.fail("integer overflow: %s does not fit 64 bits", n)
	}
	return c.give(c.m.integerValue(n.Int64()))
}

func exactAdd() arithmetic {
	return arithmetic{func(a, b float64) float64 { return a + b },
		whole(func(_ call, a, b *big.Int) *big.Int { return a.Add(a, b) })}
}

func exactSub() arithmetic {
	return arithmetic{func(a, b float64) float64 { return a - b },
		whole(func(_ call, a, b *big.Int) *big.Int { return a.Sub(a, b) })}
}

func exactMul() arithmetic {
	return arithmetic{func(a, b float64) float64 { return a * b },
		whole(func(_ call, a, b *big.Int) *big.Int { return a.Mul(a, b) })}
}

func exactIDiv() arithmetic {
	return arithmetic{func(a, b float64) float64 { return math.Floor(a / b) },
		whole(func(c call, a, b *big.Int) *big.Int {
			if b.Sign() == 0 {
				c.fail("attempt to perform 'n//0'")
			}
			q, r := a.QuoRem(a, b, new(big.Int))
			if r.Sign() != 0 && r.Sign() != b.Sign() {
				q.Sub(q, big.NewInt(1))
			}
			return q
		})}
}

func exactMod() arithmetic {
	return arithmetic{floatMod, whole(func(c call, a, b *big.Int) *big.Int {
		if b.Sign() == 0 {
			c.fail("attempt to perform 'n%%%%0'")
		}
		r := a.Rem(a, b)
		if r.Sign() != 0 && r.Sign() != b.Sign() {
			r.Add(r, b)
		}
		return r
	})}
}

// exactDiv returns the exact quotient as an integer or a float, and fails if there is none.
func exactDiv() arithmetic {
	divide := func(a, b float64) float64 { return a / b }
	return arithmetic{divide, func(c call, a, b *big.Float) int {
		if b.Sign() == 0 {
			x, _ := a.Float64()
			y, _ := b.Float64()
			return c.give(divide(x, y))
		}
		x, _ := a.Rat(nil)
		y, _ := b.Rat(nil)
		q := x.Quo(x, y)
		if q.IsInt() && q.Num().IsInt64() {
			return c.giveWhole(q.Num())
		}
		f, exact := q.Float64()
		if !exact {
			c.fail("%s / %s would lose digits: use // for the whole part, or %s", c.operand(1), c.operand(2), giveUpDigits)
		}
		return c.give(f)
	}}
}

// exactPow gives an integer, and refuses what has more than 64 bits or a fraction.
func exactPow() arithmetic {
	return arithmetic{math.Pow, func(c call, a, b *big.Float) int {
		one := big.NewFloat(1)
		switch {
		case b.Sign() == 0 || a.Cmp(one) == 0:
			return c.give(1.0)
		case a.Sign() == 0 && b.Sign() > 0:
			return c.give(0.0)
		case !a.IsInt() || !b.IsInt() || b.Sign() < 0:
			c.fail("%s ^ %s would lose digits: %s", c.operand(1), c.operand(2), giveUpDigits)
		case new(big.Float).Abs(a).Cmp(one) == 0: // a is -1
			n, _ := b.Int(nil)
			return c.give(float64(1 - 2*int(n.Bit(0))))
		case b.Cmp(big.NewFloat(64)) > 0:
			c.fail("integer overflow: %s ^ %s does not fit 64 bits", c.operand(1), c.operand(2))
		}
		x, _ := a.Int(nil)
		y, _ := b.Int(nil)
		return c.giveWhole(x.Exp(x, y, nil))
	}}
}

// operand is the text of argument i in a message.
func (c call) operand(i int) string { return text.HeadBytes(c.m.text(nil, c.raw(i)), 40) }

func openInteger(m *Machine) {
	meta := m.newTable(0, 12)
	m.integerMeta = meta
	def := func(event string, f func(c call) int) { meta.put(event, m.function(event, f)) }
	meta.put("__metatable", "number")
	def("__tostring", func(c call) int { return c.give(c.m.text(c.l, c.raw(1))) })
	for event, op := range map[string]arithmetic{"__add": exactAdd(), "__sub": exactSub(), "__mul": exactMul(),
		"__div": exactDiv(), "__mod": exactMod(), "__pow": exactPow()} {
		def(event, op.do)
	}
	def("__unm", func(c call) int {
		n, _ := c.m.exactInteger(c.raw(1))
		return c.giveWhole(new(big.Int).Neg(big.NewInt(n)))
	})
	compare := func(yes func(sign int) bool) func(c call) int {
		return func(c call) int {
			v, w := c.raw(1), c.raw(2)
			if c.m.typeName(v) != "number" || c.m.typeName(w) != "number" {
				c.m.comparisonFailed(c, v, w)
			}
			a, okA := c.m.exactOperand(v)
			b, okB := c.m.exactOperand(w)
			return c.give(okA && okB && yes(a.Cmp(b)))
		}
	}
	def("__lt", compare(func(sign int) bool { return sign < 0 }))
	def("__le", compare(func(sign int) bool { return sign <= 0 }))
	def("__eq", compare(func(sign int) bool { return sign == 0 }))
}

// openExact makes the host functions of arithmetic: // and %, and the places that syntax/exact.go finds.
func openExact(m *Machine) {
	for name, op := range map[string]struct {
		event string
		arithmetic
	}{
		syntax.HostAdd: {"__add", exactAdd()}, syntax.HostSub: {"__sub", exactSub()}, syntax.HostMul: {"__mul", exactMul()},
		syntax.HostIDiv: {"__idiv", exactIDiv()}, syntax.HostMod: {"__mod", exactMod()},
	} {
		m.global(name, func(c call) int {
			a, okA := c.plainNumber(1)
			b, okB := c.plainNumber(2)
			if okA && okB {
				return c.give(op.floats(a, b))
			}
			_, okA = c.m.roundedOperand(c.raw(1))
			_, okB = c.m.roundedOperand(c.raw(2))
			if okA && okB {
				return op.do(c)
			}
			return c.byMetamethod(op.event, "perform arithmetic on")
		})
	}
	m.global(syntax.HostEq, func(c call) int { return c.give(c.equal()) })
	m.global(syntax.HostNe, func(c call) int { return c.give(!c.equal()) })
	m.global(syntax.HostFor, forLoop)
}

// plainNumber is an operand that is a float or a string that reads as one.
func (c call) plainNumber(i int) (float64, bool) {
	switch v := c.raw(i).(type) {
	case float64:
		return v, true
	case string:
		if n, ok := parseNumber(v); ok {
			f, ok := n.(float64)
			return f, ok
		}
	}
	return 0, false
}

// equal is == of two arguments. The engine holds an exact integer different from any float, and what is not known
// different from all but itself.
func (c call) equal() bool {
	v, w := c.raw(1), c.raw(2)
	if v == w {
		return true
	}
	if v != nil && w != nil {
		c.known(v, w)
	}
	if c.m.typeName(v) != "number" || c.m.typeName(w) != "number" {
		return c.l.Compare(1, 2, lua.OpEq)
	}
	a, okA := c.m.exactOperand(v)
	b, okB := c.m.exactOperand(w)
	return okA && okB && a.Cmp(b) == 0
}

// forLoop gives what a numeric for over its three arguments counts: a function that makes the value of a count, or nil
// where that is the count itself; the first count, the last and the step.
func forLoop(c call) int {
	if c.top() < 3 {
		c.l.SetTop(2)
		push(c.l, 1.0)
	}
	var floats [3]float64
	exact := false
	for i := range floats {
		f, ok := c.m.roundedOperand(c.raw(i + 1))
		if !ok {
			c.m.boundFailed(c, i)
		}
		floats[i] = f
		if _, is := c.m.exactInteger(c.raw(i + 1)); is {
			exact = true
		}
	}
	if !exact {
		return c.give(nil, floats[0], floats[1], floats[2])
	}
	start, _ := c.m.exactOperand(c.raw(1))
	limit, _ := c.m.exactOperand(c.raw(2))
	step, _ := c.m.exactOperand(c.raw(3))
	if start == nil || limit == nil || step == nil || start.IsInf() || step.IsInf() {
		return c.give(nil, floats[0], floats[1], floats[2])
	}
	if !start.IsInt() || !step.IsInt() {
		c.fail("'for' over integers beyond 2^53 needs a whole start and step")
	}
	if step.Sign() == 0 {
		c.fail("'for' step is zero")
	}
	first, _ := start.Int(nil)
	by, _ := step.Int(nil)
	last := math.Inf(1)
	if !limit.IsInf() {
		steps := new(big.Float).SetPrec(exactBits).Sub(limit, start)
		n := new(big.Int)
		steps.Quo(steps, step).Int(n)
		if steps.Sign() < 0 {
			last = -1
		} else {
			last, _ = new(big.Float).SetInt(n).Float64()
		}
	} else if limit.Sign() != step.Sign() {
		last = -1
	}
	at := c.m.function("for", func(c call) int {
		n := big.NewInt(int64(c.int(1)))
		return c.giveWhole(n.Add(first, n.Mul(n, by)))
	})
	return c.give(at, 0.0, last, 1.0)
}
