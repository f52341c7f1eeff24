package tree

// This file checks JSON text, several times as fast as json.Valid.

import (
	"encoding/binary"
	"encoding/json"
	"math/bits"
)

// maxDepth is how deep JSON may be nested; json.Valid has the same bound.
const maxDepth = 10_000

// Valid is json.Valid.
func Valid(text []byte) bool {
	s := Scan(text)
	return s.valid(0) && s.end()
}

// ValidMembers reports whether text is an object in valid JSON, and calls f with each member on the way: also with
// those before a fault. A name without escapes is the text itself, which therefore must not be changed.
func ValidMembers(text []byte, f func(name string, value json.RawMessage)) bool {
	s := Scan(text)
	return s.Next() == '{' && s.validObject(0, f) && s.end()
}

// end reports whether nothing follows but blanks.
func (s *Scanner) end() bool { return s.Next() == 0 && s.i == len(s.b) }

// valid skips a value below depth others and reports whether it is one.
func (s *Scanner) valid(depth int) bool {
	switch c := s.Next(); c {
	case '"':
		return s.validString()
	case '{':
		return s.validObject(depth, nil)
	case '[':
		if depth == maxDepth {
			return false
		}
		s.i++
		if s.Next() == ']' {
			s.i++
			return true
		}
		for s.valid(depth + 1) {
			switch s.Next() {
			case ',':
				s.i++
			case ']':
				s.i++
				return true
			default:
				return false
			}
		}
		return false
	case 't':
		return s.literal("true")
	case 'f':
		return s.literal("false")
	case 'n':
		return s.literal("null")
	}
	return s.validNumber()
}

// validObject is valid for an object, with f as for ValidMembers; f may be nil.
func (s *Scanner) validObject(depth int, f func(name string, value json.RawMessage)) bool {
	if depth == maxDepth {
		return false
	}
	s.i++
	if s.Next() == '}' {
		s.i++
		return true
	}
	for s.Next() == '"' {
		start := s.i
		if !s.validString() {
			return false
		}
		name := s.b[start:s.i]
		if s.Next() != ':' {
			return false
		}
		s.i++
		s.Next()
		start = s.i
		if !s.valid(depth + 1) {
			return false
		}
		if f != nil {
			f(nameOf(name), s.b[start:s.i:s.i])
		}
		switch s.Next() {
		case ',':
			s.i++
		case '}':
			s.i++
			return true
		default:
			return false
		}
	}
	return false
}

func (s *Scanner) literal(word string) bool {
	if len(s.b)-s.i < len(word) || string(s.b[s.i:s.i+len(word)]) != word {
		return false
	}
	s.i += len(word)
	return true
}

func (s *Scanner) validNumber() bool {
	s.accept('-')
	if !s.accept('0') && !s.digits() {
		return false
	}
	if s.accept('.') && !s.digits() {
		return false
	}
	if s.accept('e') || s.accept('E') {
		_ = s.accept('+') || s.accept('-')
		return s.digits()
	}
	return true
}

// accept skips the byte c, if it is the next.
func (s *Scanner) accept(c byte) bool {
	if s.i < len(s.b) && s.b[s.i] == c {
		s.i++
		return true
	}
	return false
}

// digits skips digits and reports whether there was one.
func (s *Scanner) digits() bool {
	start := s.i
	for s.i < len(s.b) && '0' <= s.b[s.i] && s.b[s.i] <= '9' {
		s.i++
	}
	return s.i > start
}

// validString skips a string and reports whether it is one.
func (s *Scanner) validString() bool {
	for s.i++; ; s.i++ {
		s.i = stringStop(s.b, s.i)
		if s.i == len(s.b) || s.b[s.i] < ' ' {
			return false
		}
		if s.b[s.i] == '"' {
			s.i++
			return true
		}
		if s.i++; s.i == len(s.b) {
			return false
		}
		switch s.b[s.i] {
		case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		case 'u':
			for range 4 {
				if s.i++; s.i == len(s.b) || !isHex(s.b[s.i]) {
					return false
				}
			}
		default:
			return false
		}
	}
}

func isHex(c byte) bool { return '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'f' }

// stringStop is the place of the first quote, backslash or control character in b from i on, or the length of b. It
// looks at eight bytes at a time: a byte x below n has the highest bit of (x - n) &^ x, and an equal byte is zero after
// xor, so below one. A borrow may set the bit in later bytes only.
func stringStop(b []byte, i int) int {
	const ones, highs = 0x0101010101010101, 0x8080808080808080
	for ; i+8 <= len(b); i += 8 {
		x := binary.LittleEndian.Uint64(b[i:])
		quote, backslash := x^ones*'"', x^ones*'\\'
		found := ((quote-ones)&^quote | (backslash-ones)&^backslash | (x-ones*' ')&^x) & highs
		if found != 0 {
			return i + bits.TrailingZeros64(found)/8
		}
	}
	for i < len(b) && b[i] != '"' && b[i] != '\\' && b[i] >= ' ' {
		i++
	}
	return i
}
