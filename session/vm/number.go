package vm

import (
	"math"
	"strconv"
	"strings"

	luasrc "almanac/catalog/lua"
)

// This file holds numbers as text, and the exact integers beyond 2^53 that the engine's floats cannot hold. Such an
// integer is a userdata: type() says "number", it prints, compares, adds (exact.go) and serves as a table key exactly.

const exactFloat = 1 << 53

// parseNumber reads a Lua numeral with optional sign and surrounding space: a float64, or an int64 where the text is
// an integer beyond 2^53. Decimal ones beyond 64 bits are floats; hexadecimal ones of 64 bits are signed, as literals.
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
		if u, err := strconv.ParseUint(body[2:], 16, 64); err == nil && u > exactFloat {
			if s[0] == '-' {
				u = -u
			}
			return int64(u), true
		}
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

// numeralText is v as text where Lua takes a number for a string: a string or any number.
func (m *Machine) numeralText(v any) (string, bool) {
	switch v := v.(type) {
	case string:
		return v, true
	case float64:
		return luasrc.NumberText(v), true
	case nil, bool:
		return "", false
	}
	n, ok := m.object(v).(*integer)
	if !ok {
		return "", false
	}
	return n.String(), true
}

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
