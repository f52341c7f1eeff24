package lua

// This file writes numbers.

import (
	"math"
	"strconv"
)

// exact is the bound up to which every whole number has its own float64.
const exact = 1 << 53

// Number is text that reads back as f, in as few digits as that takes: 3703701.75, 1000000000000000. Only what is
// beyond 2^53, which would read as an exact integer, and what is near zero has an exponent.
func Number(f float64) string {
	size := math.Abs(f)
	switch {
	case math.IsNaN(f):
		return "0/0"
	case math.IsInf(f, 1):
		return "math.huge"
	case math.IsInf(f, -1):
		return "-math.huge"
	case size <= exact && (size >= 1e-4 || size == 0):
		return strconv.FormatFloat(f, 'f', -1, 64)
	}
	return strconv.FormatFloat(f, 'g', -1, 64)
}

// NumberText is what tostring and print make of f: %.14g as in Lua 5.2, but whole numbers up to 2^53 in full where that
// would lose digits or is no shorter. Most such numbers are ids.
func NumberText(f float64) string {
	whole := ""
	switch size := math.Abs(f); {
	case math.IsNaN(f):
		return "nan" // without the sign of the C library
	case math.IsInf(f, 1):
		return "inf"
	case math.IsInf(f, -1):
		return "-inf"
	case f == 0 && math.Signbit(f):
		return "-0"
	case f == math.Trunc(f) && size <= exact:
		if whole = strconv.FormatInt(int64(f), 10); size < 1e14 {
			return whole
		}
	}
	text := strconv.FormatFloat(f, 'g', 14, 64)
	if same, _ := strconv.ParseFloat(text, 64); whole != "" && (same != f || len(text) >= len(whole)) {
		return whole
	}
	return text
}
