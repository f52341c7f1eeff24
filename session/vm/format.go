package vm

import (
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"

	luasrc "almanac/catalog/lua"
)

// This file holds string.format: C's conversions over bytes.

// A directive is one parsed "%-5.2f".
type directive struct {
	flags     string
	width     int
	precision int // -1 when absent
	verb      byte
}

func format(c call) int {
	layout := c.string(1)
	var b strings.Builder
	arg, paid, open := 1, 0, false
	for i := 0; i < len(layout); i++ {
		if layout[i] != '%' {
			b.WriteByte(layout[i])
			continue
		}
		if i+1 < len(layout) && layout[i+1] == '%' {
			b.WriteByte('%')
			i++
			continue
		}
		arg++
		if arg > c.top() {
			c.bad(arg, "no value")
		}
		d, next := parseDirective(c, layout, i+1)
		i = next
		if v, is := c.m.unknown(c.raw(arg)); is {
			b.WriteString(d.pad(string(v)))
			open = true
		} else {
			b.WriteString(d.format(c, arg))
		}
		c.m.grown(c.l, b.Len(), &paid)
	}
	c.m.stringSize(c.l, b.Len())
	return c.giveJoined(b.String(), open)
}

// parseDirective reads the directive after the "%" before i and returns the index of its last byte.
func parseDirective(c call, layout string, i int) (directive, int) {
	d := directive{precision: -1}
	start := i
	for i < len(layout) && strings.IndexByte("-+ #0", layout[i]) >= 0 {
		i++
	}
	d.flags = layout[start:i]
	if len(d.flags) > 5 {
		c.fail("invalid format (repeated flags)")
	}
	number := func() int {
		from := i
		for i < len(layout) && layout[i] >= '0' && layout[i] <= '9' {
			i++
		}
		if i-from > 2 {
			c.fail("invalid format (width or precision too long)")
		}
		n, _ := strconv.Atoi(layout[from:i])
		return n
	}
	d.width = number()
	if i < len(layout) && layout[i] == '.' {
		i++
		d.precision = number()
	}
	if i >= len(layout) {
		c.fail("invalid option '%%%s' to 'format'", layout[start:])
	}
	d.verb = layout[i]
	if strings.IndexByte("cdiouxXeEfFgGaAqs", d.verb) < 0 {
		c.fail("invalid option '%%%s' to 'format'", layout[start:i+1])
	}
	return d, i
}

func (d directive) has(flag byte) bool { return strings.IndexByte(d.flags, flag) >= 0 }

// pad fills text to the width, counted in bytes.
func (d directive) pad(text string) string {
	n := d.width - len(text)
	switch {
	case n <= 0:
		return text
	case d.has('-'):
		return text + strings.Repeat(" ", n)
	}
	return strings.Repeat(" ", n) + text
}

// sign is what stands before the digits of a signed conversion.
func (d directive) sign(negative bool) string {
	switch {
	case negative:
		return "-"
	case d.has('+'):
		return "+"
	case d.has(' '):
		return " "
	}
	return ""
}

// number puts the digits behind the sign and their 0x, and fills with zeros there where the flags ask for it.
func (d directive) number(sign, digits string, zeros bool) string {
	if len(digits) > 1 && digits[1]|0x20 == 'x' {
		sign, digits = sign+digits[:2], digits[2:]
	}
	if zeros && d.has('0') && !d.has('-') {
		digits = strings.Repeat("0", max(0, d.width-len(sign)-len(digits))) + digits
	}
	return d.pad(sign + digits)
}

func (d directive) format(c call, i int) string {
	switch d.verb {
	case 'c':
		return d.pad(string([]byte{byte(c.int(i))}))
	case 's':
		s := c.m.text(c.l, c.raw(i))
		if d.precision >= 0 && d.precision < len(s) {
			s = s[:d.precision]
		}
		return d.pad(s)
	case 'q':
		switch n, ok := c.m.object(c.raw(i)).(*integer); {
		case ok && n.n == math.MinInt64:
			return "0x8000000000000000"
		case ok:
			return n.String()
		}
		if n, ok := c.raw(i).(float64); ok {
			return luasrc.Number(n)
		}
		return quoteWith(c.string(i), func(size int) {
			if c.m.work(c.l, quotedPiece/64); size > c.m.limits.String {
				c.m.stringSize(c.l, size)
			}
		})
	case 'd', 'i':
		return d.whole(c, i, 10)
	case 'u':
		return d.whole(c, i, 10)
	case 'o':
		return d.whole(c, i, 8)
	case 'x', 'X':
		return d.whole(c, i, 16)
	}
	if n, ok := c.m.exactInteger(c.raw(i)); ok && d.verb|0x20 != 'a' {
		return d.exact(n)
	}
	return d.float(c.number(i))
}

// exact formats an integer beyond 2^53 with a floating-point conversion: its own digits, not those of the nearest
// float.
func (d directive) exact(n int64) string {
	if d.verb|0x20 != 'f' {
		return d.float(float64(n))
	}
	f := new(big.Float).SetPrec(64).SetInt64(n)
	precision := d.precision
	if precision < 0 {
		precision = 6
	}
	digits := f.Abs(f).Text('f', precision)
	if precision == 0 && d.has('#') {
		digits += "."
	}
	return d.number(d.sign(n < 0), digits, true)
}

// whole formats an integer conversion. As in Lua 5.2 a fraction is cut off, and only %d and %i take negative numbers.
func (d directive) whole(c call, i, base int) string {
	f, ok := c.m.exactOperand(c.raw(i))
	if !ok {
		c.number(i)
	}
	unsigned := base != 10 || d.verb == 'u'
	n := new(big.Int)
	if fits := ok && !f.IsInf(); fits {
		f.Int(n)
		ok = unsigned && n.Sign() >= 0 && n.BitLen() <= 64 || !unsigned && n.IsInt64()
	} else {
		ok = false
	}
	switch {
	case !ok && unsigned:
		c.bad(i, "not a non-negative number in proper range")
	case !ok:
		c.bad(i, "not a number in proper range")
	}
	sign := d.sign(n.Sign() < 0)
	if unsigned {
		sign = ""
	}
	digits := n.Abs(n).Text(base)
	if d.precision == 0 && digits == "0" {
		digits = ""
	}
	if n := d.precision - len(digits); n > 0 {
		digits = strings.Repeat("0", n) + digits
	}
	switch {
	case !d.has('#'):
	case base == 8 && !strings.HasPrefix(digits, "0"):
		digits = "0" + digits
	case base == 16 && n.Sign() > 0:
		digits = "0x" + digits
	}
	if d.verb == 'X' {
		digits = strings.ToUpper(digits)
	}
	return d.number(sign, digits, d.precision < 0)
}

func (d directive) float(f float64) string {
	var digits string
	whole := math.IsInf(f, 0) || math.IsNaN(f)
	switch {
	case whole:
		digits = strings.ToLower(strconv.FormatFloat(math.Abs(f), 'f', -1, 64))
		digits = strings.TrimPrefix(digits, "+")
	case d.verb|0x20 == 'a':
		digits = hexFloat(math.Abs(f), d.precision)
	default:
		layout := "%."
		if d.has('#') {
			layout = "%#."
		}
		precision := d.precision
		if precision < 0 {
			precision = 6
		}
		if d.verb|0x20 == 'g' && precision == 0 {
			precision = 1
		}
		digits = fmt.Sprintf(layout+strconv.Itoa(precision)+string(d.verb|0x20), math.Abs(f))
	}
	if d.verb < 'a' {
		digits = strings.ToUpper(digits)
	}
	return d.number(d.sign(math.Signbit(f) && f == f), digits, !whole)
}

// hexFloat is C's %a: Go writes the exponent with two digits at least, C with as few as it takes.
func hexFloat(f float64, precision int) string {
	text := strconv.FormatFloat(f, 'x', precision, 64)
	mantissa, exponent, _ := strings.Cut(text, "p")
	n, _ := strconv.Atoi(exponent)
	return fmt.Sprintf("%sp%+d", mantissa, n)
}

// quotedPiece is how many bytes are quoted between two looks.
const quotedPiece = 1 << 16

// quoteWith is %q: a string that reads as s again, on as many lines as s has. look is told how long the result is so
// far.
func quoteWith(s string, look func(size int)) string {
	var b strings.Builder
	b.WriteByte('"')
	for i := 0; i < len(s); i++ {
		if i%quotedPiece == quotedPiece-1 {
			look(b.Len())
		}
		switch x := s[i]; {
		case x == '"' || x == '\\' || x == '\n':
			b.WriteByte('\\')
			b.WriteByte(x)
		case x == 0 || x < ' ' || x == 0x7f:
			if i+1 < len(s) && s[i+1] >= '0' && s[i+1] <= '9' {
				fmt.Fprintf(&b, `\%03d`, x)
			} else {
				fmt.Fprintf(&b, `\%d`, x)
			}
		default:
			b.WriteByte(x)
		}
	}
	b.WriteByte('"')
	return b.String()
}
