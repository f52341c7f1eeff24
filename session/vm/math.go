package vm

import (
	"math"
	"math/big"
	"math/rand/v2"
)

// This file holds the math and bit32 libraries.

func openMath(m *Machine) {
	lib := m.library("math")
	def := func(name string, f func(c call) int) { lib.put(name, m.function(name, f)) }
	unary := func(name string, f func(float64) float64) {
		def(name, func(c call) int { return c.give(f(c.number(1))) })
	}
	for name, f := range map[string]func(float64) float64{
		"acos": math.Acos, "asin": math.Asin, "cos": math.Cos, "cosh": math.Cosh, "exp": math.Exp, "sin": math.Sin,
		"sinh": math.Sinh, "sqrt": math.Sqrt, "tan": math.Tan, "tanh": math.Tanh,
		"deg": func(x float64) float64 { return x * (180 / math.Pi) },
		"rad": func(x float64) float64 { return x * (math.Pi / 180) },
	} {
		unary(name, f)
	}
	// Exact integers are their own floor and ceiling.
	round := func(name string, f func(float64) float64) {
		def(name, func(c call) int {
			if n, ok := c.m.exactInteger(c.raw(1)); ok {
				return c.give(c.m.integerValue(n))
			}
			return c.give(f(c.number(1)))
		})
	}
	round("floor", math.Floor)
	round("ceil", math.Ceil)
	def("abs", func(c call) int {
		if n, ok := c.m.exactInteger(c.raw(1)); ok && n > math.MinInt64 {
			return c.give(c.m.integerValue(max(n, -n)))
		}
		return c.give(math.Abs(c.number(1)))
	})
	def("atan2", func(c call) int { return c.give(math.Atan2(c.number(1), c.number(2))) })
	def("atan", func(c call) int {
		if c.absent(2) {
			return c.give(math.Atan(c.number(1)))
		}
		return c.give(math.Atan2(c.number(1), c.number(2)))
	})
	lib.put("pi", math.Pi)
	lib.put("huge", math.Inf(1))
	// maxinteger and mininteger are what a float holds exactly, not 64 bits.
	lib.put("maxinteger", float64(exactFloat))
	lib.put("mininteger", float64(-exactFloat))
	def("tointeger", func(c call) int {
		v := c.raw(1)
		if f, ok := v.(float64); ok && f != math.Trunc(f) || c.m.typeName(v) != "number" {
			return c.give(nil)
		}
		return c.give(v)
	})
	def("type", func(c call) int {
		v := c.any(1)
		f, ok := v.(float64)
		switch {
		case c.m.typeName(v) != "number":
			return c.give(nil)
		case !ok || f == math.Trunc(f) && !math.IsInf(f, 0):
			return c.give("integer")
		}
		return c.give("float")
	})
	openSeveral(def)
	openRandom(m, def)
	openBits(m)
}

// openSeveral makes the functions of more than one argument or result.
func openSeveral(def func(string, func(c call) int)) {
	// These have exact results for exact integers.
	def("pow", func(c call) int {
		if c.anyExact() {
			return exactPow().do(c)
		}
		return c.give(math.Pow(c.number(1), c.number(2)))
	})
	def("fmod", func(c call) int {
		if c.anyExact() {
			return arithmetic{math.Mod, whole(func(c call, a, b *big.Int) *big.Int {
				if b.Sign() == 0 {
					c.bad(2, "zero")
				}
				return a.Rem(a, b)
			})}.do(c)
		}
		return c.give(math.Mod(c.number(1), c.number(2)))
	})
	def("modf", func(c call) int {
		if n, ok := c.m.exactInteger(c.raw(1)); ok {
			return c.give(c.m.integerValue(n), 0.0)
		}
		f := c.number(1)
		if math.IsInf(f, 0) {
			return c.give(f, math.Copysign(0, f))
		}
		whole, part := math.Modf(f)
		return c.give(whole, part)
	})
	def("frexp", func(c call) int {
		f, e := math.Frexp(c.number(1))
		return c.give(f, float64(e))
	})
	def("ldexp", func(c call) int { return c.give(math.Ldexp(c.number(1), c.int(2))) })
	def("log10", func(c call) int { return c.give(math.Log10(c.number(1))) })
	def("log", func(c call) int {
		x := c.number(1)
		switch {
		case c.absent(2):
			return c.give(math.Log(x))
		case c.number(2) == 2:
			return c.give(math.Log2(x))
		case c.number(2) == 10:
			return c.give(math.Log10(x))
		}
		return c.give(math.Log(x) / math.Log(c.number(2)))
	})
	pick := func(name string, sign int) {
		def(name, func(c call) int {
			best, ok := c.raw(1).(float64)
			for i := 2; i <= c.top() && ok; i++ {
				f, plain := c.raw(i).(float64)
				if ok = plain; sign > 0 && f > best || sign < 0 && f < best {
					best = f
				}
			}
			if !ok {
				return c.give(c.extreme(sign))
			}
			return c.give(best)
		})
	}
	pick("max", 1)
	pick("min", -1)
}

// anyExact says that one of two numbers is an integer beyond 2^53.
func (c call) anyExact() bool {
	exact := false
	for i := 1; i <= 2; i++ {
		if _, ok := c.m.exactInteger(c.raw(i)); ok {
			exact = true
		} else {
			c.number(i)
		}
	}
	return exact
}

// extreme is the largest (sign 1) or smallest (sign -1) argument, exact integers among them.
func (c call) extreme(sign int) any {
	var best any
	var least *big.Float
	for i := 1; i <= max(1, c.top()); i++ {
		v := c.raw(i)
		n, ok := c.m.exactOperand(v)
		if whole, is := c.m.exactInteger(v); is {
			v = c.m.integerValue(whole)
		} else {
			f := c.number(i)
			v = f
			if !ok {
				n, ok = new(big.Float).SetInf(sign > 0), false
			}
		}
		if i == 1 || ok && n.Cmp(least) == sign {
			best, least = v, n
		}
	}
	return best
}

// openRandom gives each machine its own generator; the same seed gives the same numbers everywhere.
func openRandom(m *Machine, def func(string, func(c call) int)) {
	m.generator = rand.NewPCG(rand.Uint64(), rand.Uint64())
	def("randomseed", func(c call) int {
		m.random().Seed(math.Float64bits(c.number(1)), 0)
		m.seeded = true
		return 0
	})
	def("random", func(c call) int {
		f := rand.New(m.random()).Float64()
		switch c.top() {
		case 0:
			return c.give(f)
		case 1:
			hi := c.number(1)
			if hi < 1 {
				c.bad(1, "interval is empty")
			}
			return c.give(math.Floor(f*hi) + 1)
		case 2:
			lo, hi := c.number(1), c.number(2)
			if lo > hi {
				c.bad(2, "interval is empty")
			}
			return c.give(math.Floor(f*(hi-lo+1)) + lo)
		}
		c.fail("wrong number of arguments")
		return 0
	})
}

// word reads argument i modulo 2^32.
func (c call) word(i int) uint32 {
	if _, ok := c.m.exactInteger(c.raw(i)); ok {
		c.bad(i, "bit32 takes no integer beyond 2^53: the operators & | ~ << >> do")
	}
	f := math.Mod(math.RoundToEven(c.number(i)), 1<<32)
	if f < 0 {
		f += 1 << 32
	}
	return uint32(f)
}

// field reads the position and width of a bit field from arguments i and i+1.
func (c call) field(i int) (shift, mask uint32) {
	at, width := c.int(i), c.optInt(i+1, 1)
	if at < 0 {
		c.bad(i, "field cannot be negative")
	}
	if width < 1 {
		c.bad(i+1, "width must be positive")
	}
	if at+width > 32 {
		c.fail("trying to access non-existent bits")
	}
	return uint32(at), uint32(1<<uint(width) - 1)
}

func openBits(m *Machine) {
	lib := m.library("bit32")
	def := func(name string, f func(c call) int) { lib.put(name, m.function(name, f)) }
	fold := func(c call, start uint32, f func(a, b uint32) uint32) uint32 {
		for i := 1; i <= c.top(); i++ {
			start = f(start, c.word(i))
		}
		return start
	}
	and := func(a, b uint32) uint32 { return a & b }
	def("band", func(c call) int { return c.give(float64(fold(c, math.MaxUint32, and))) })
	def("btest", func(c call) int { return c.give(fold(c, math.MaxUint32, and) != 0) })
	def("bor", func(c call) int {
		return c.give(float64(fold(c, 0, func(a, b uint32) uint32 { return a | b })))
	})
	def("bxor", func(c call) int {
		return c.give(float64(fold(c, 0, func(a, b uint32) uint32 { return a ^ b })))
	})
	def("bnot", func(c call) int { return c.give(float64(^c.word(1))) })
	shift := func(x uint32, n int) float64 {
		if n >= 0 {
			return float64(x << uint(n))
		}
		return float64(x >> uint(-n))
	}
	def("lshift", func(c call) int { return c.give(shift(c.word(1), c.int(2))) })
	def("rshift", func(c call) int { return c.give(shift(c.word(1), -c.int(2))) })
	def("arshift", func(c call) int {
		x, n := c.word(1), c.int(2)
		if n < 0 {
			return c.give(shift(x, -n))
		}
		return c.give(float64(uint32(int32(x) >> uint(min(n, 31)))))
	})
	rotate := func(x uint32, n int) float64 {
		n &= 31
		return float64(x<<uint(n) | x>>uint(32-n))
	}
	def("lrotate", func(c call) int { return c.give(rotate(c.word(1), c.int(2))) })
	def("rrotate", func(c call) int { return c.give(rotate(c.word(1), -c.int(2))) })
	def("extract", func(c call) int {
		x := c.word(1)
		at, mask := c.field(2)
		return c.give(float64(x >> at & mask))
	})
	def("replace", func(c call) int {
		x, v := c.word(1), c.word(2)
		at, mask := c.field(3)
		return c.give(float64(x&^(mask<<at) | v&mask<<at))
	})
}
