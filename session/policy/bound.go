package policy

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"almanac/catalog/pattern"
)

// This file is about the bounds of a grant: when a call meets them, and how they are written and read.

// A Bound limits one argument of the call. It fails closed: an argument that is not there, has another type, is not a
// number or is one beyond 2^53, where whole numbers lose digits, does not meet it.
type Bound struct {
	Arg string
	// Op is "=", or for numbers also "<", "<=", ">", ">=", or for texts also "~": the value is then a pattern in which *
	// is any number of characters and ? is one.
	Op string
	// Value is a float64, a string or a bool.
	Value any
}

// exact is the largest number up to which every whole number is a float64 of its own.
const exact = 1 << 53

// met tells whether args keep to the bound.
func (b Bound) met(args map[string]any) bool {
	got, ok := args[b.Arg]
	return ok && b.meets(got)
}

// compares tells whether the bound is about the order of numbers.
func (b Bound) compares() bool { return b.Op != "=" && b.Op != "~" }

// meets tells whether a value keeps to the bound.
func (b Bound) meets(got any) bool {
	want, isNumber := b.Value.(float64)
	if !isNumber {
		switch want := b.Value.(type) {
		case string:
			text, isText := got.(string)
			return isText && (b.Op == "=" && text == want || b.Op == "~" && pattern.Glob(want, text))
		case bool:
			return b.Op == "=" && got == b.Value
		}
		return false
	}
	n, ok := Number(got)
	if !ok || !(math.Abs(want) <= exact) {
		return false
	}
	switch b.Op {
	case "=":
		return n == want
	case "<":
		return n < want
	case "<=":
		return n <= want
	case ">":
		return n > want
	case ">=":
		return n >= want
	}
	return false
}

// Number is v as bounds compare it; false where it is none, or one among which whole numbers lose digits.
func Number(v any) (float64, bool) {
	var f float64
	switch v := v.(type) {
	case float64:
		f = v
	case int64:
		if v < -exact || v > exact { // before it is rounded
			return 0, false
		}
		f = float64(v)
	case int:
		return Number(int64(v))
	default:
		return 0, false
	}
	return f, math.Abs(f) <= exact // false for NaN
}

// String writes the bound: amount_cents <= 500.
func (b Bound) String() string { return b.Arg + " " + b.Op + " " + b.value() }

func (b Bound) value() string {
	switch v := b.Value.(type) {
	case string:
		return strconv.Quote(v)
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64)
	}
	return fmt.Sprint(b.Value)
}

// boundsText writes bounds, a lower one and the upper one behind it as one: 0 <= amount_cents <= 500.
func boundsText(bounds []Bound) []string {
	var all []string
	for i := 0; i < len(bounds); i++ {
		b, said := bounds[i], bounds[i].String()
		if i+1 < len(bounds) && b.Arg == bounds[i+1].Arg && strings.HasPrefix(b.Op, ">") &&
			strings.HasPrefix(bounds[i+1].Op, "<") {
			i++
			said = b.value() + " " + mirror[b.Op] + " " + bounds[i].String()
		}
		all = append(all, said)
	}
	return all
}

// mirror is each order read from the other side. Equality is not written that way.
var mirror = map[string]string{"<": ">", "<=": ">=", ">": "<", ">=": "<="}

// CloseBounds returns the bounds with zero as the lower one of each number that has only an upper one: whoever says at
// most 500 did not think of -1,000,000. Bounds that no value meets are an error.
func CloseBounds(bounds []Bound) ([]Bound, error) {
	var all []Bound
	for i, b := range bounds {
		of := slices.DeleteFunc(slices.Concat(all, bounds[i:]), func(o Bound) bool { return o.Arg != b.Arg })
		if !slices.ContainsFunc(of, func(o Bound) bool { return !strings.HasPrefix(o.Op, "<") }) {
			zero := Bound{b.Arg, ">=", 0.0}
			if all, of = append(all, zero), append(of, zero); !possible(of) {
				return nil, fmt.Errorf("%s: give the lower bound too, as in -1000 <= %s", b, b)
			}
		}
		if !possible(of) {
			return nil, fmt.Errorf("%s: no value meets all its bounds", b.Arg)
		}
		all = append(all, b)
	}
	return all, nil
}

// possible tells whether some value meets all bounds of one argument. Where they are closed, one of a few does.
func possible(bounds []Bound) bool {
	low, high := math.Inf(-1), math.Inf(1)
	tries := []any{}
	for _, b := range bounds {
		tries = append(tries, b.Value)
		if v, ok := b.Value.(float64); ok && strings.HasPrefix(b.Op, ">") {
			low = max(low, v)
		} else if ok && strings.HasPrefix(b.Op, "<") {
			high = min(high, v)
		}
	}
	tries = append(tries, low+1, high-1, low+(high-low)/2)
	return slices.ContainsFunc(tries, func(v any) bool {
		return !slices.ContainsFunc(bounds, func(b Bound) bool { return !b.met(map[string]any{b.Arg: v}) })
	})
}

// wantBound is the form of a bound.
const wantBound = "want ARGUMENT OPERATOR VALUE, like amount_cents <= 500, or 0 <= amount_cents <= 500"

// parseBounds reads ARGUMENT OPERATOR VALUE, or a number with an operator before it.
func parseBounds(text string) (bounds []Bound, rest string, err error) {
	first, rest := parseWord(text)
	if first == "" {
		return nil, "", fmt.Errorf("%q: %s", text, wantBound)
	}
	if v, err := parseNumber(first); err == nil {
		op, after := parseOp(rest)
		arg, behind := parseWord(after)
		if _, err := parseNumber(arg); err == nil || arg == "" || mirror[op] == "" {
			return nil, "", fmt.Errorf("%s: %s", first, wantBound)
		}
		bounds, text = append(bounds, Bound{arg, mirror[op], v}), arg+behind
		if next, _ := parseOp(behind); next == "" {
			return bounds, behind, nil
		}
	}
	b, rest, err := parseBound(text)
	return append(bounds, b), rest, err
}

func parseBound(text string) (b Bound, rest string, err error) {
	b.Arg, rest = parseWord(text)
	if b.Op, rest = parseOp(rest); b.Op == "" {
		return b, "", fmt.Errorf("%s: want one of = ~ < <= > >= after it", b.Arg)
	}
	if b.Value, rest, err = parseValue(rest); err != nil {
		return b, "", fmt.Errorf("%s %s: %w", b.Arg, b.Op, err)
	}
	if _, isText := b.Value.(string); b.Op == "~" && !isText {
		return b, "", fmt.Errorf("%s ~: want a text in quotes, like \"*@example.com\"", b.Arg)
	}
	if _, isNumber := b.Value.(float64); !isNumber && b.compares() {
		return b, "", fmt.Errorf("%s %s: only numbers are compared: want a number, or =", b.Arg, b.Op)
	}
	return b, rest, nil
}

// parseWord cuts the name of an argument or a number off.
func parseWord(text string) (word, rest string) {
	end := strings.IndexAny(text, " \t,<>=~\"'")
	if end < 0 {
		end = len(text)
	}
	return text[:end], text[end:]
}

// parseOp cuts an operator off, and the blanks around it.
func parseOp(text string) (op, rest string) {
	text = strings.TrimLeft(text, " \t")
	for _, op := range []string{"<=", ">=", "==", "=", "<", ">", "~"} {
		if after, ok := strings.CutPrefix(text, op); ok && !strings.HasPrefix(text, "~=") {
			return strings.Replace(op, "==", "=", 1), strings.TrimLeft(after, " \t")
		}
	}
	return "", text
}

func parseValue(text string) (v any, rest string, err error) {
	if text == "" {
		return nil, "", fmt.Errorf("want a value after it")
	}
	if quote := text[0]; quote == '"' {
		quoted, err := strconv.QuotedPrefix(text)
		if err != nil {
			return nil, "", fmt.Errorf("%s: the text does not end, or has an unknown escape", text)
		}
		s, err := strconv.Unquote(quoted)
		return s, text[len(quoted):], err
	} else if quote == '\'' {
		s, rest, closed := strings.Cut(text[1:], "'")
		if !closed {
			return nil, "", fmt.Errorf("%s: the text does not end", text)
		}
		return s, rest, nil
	}
	end := strings.IndexAny(text, " \t,")
	if end < 0 {
		end = len(text)
	}
	word, rest := text[:end], text[end:]
	letter := word != "" && (word[0]|0x20 >= 'a' && word[0]|0x20 <= 'z' || word[0] == '_')
	switch {
	case word == "true", word == "false":
		return word == "true", rest, nil
	case word == "nil" || word == "null" || strings.ContainsAny(word, "<>=\"'"):
		return nil, "", fmt.Errorf("%q: want a decimal number, true, false or a text in quotes", word)
	case slices.Contains([]string{"nan", "inf", "infinity"}, strings.ToLower(word)):
		return nil, "", fmt.Errorf("%s: want a finite number, or %q for the text", word, word)
	case letter:
		return word, rest, nil
	}
	f, err := parseNumber(word)
	return f, rest, err
}

// decimal is a number as a bound may have it.
var decimal = regexp.MustCompile(`^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?$`)

func parseNumber(word string) (float64, error) {
	if !decimal.MatchString(word) {
		return 0, fmt.Errorf("%q: want a decimal number, true, false or a text in quotes", word)
	}
	f, err := strconv.ParseFloat(word, 64)
	if err != nil || !(math.Abs(f) <= exact) {
		return 0, fmt.Errorf("%s: numbers beyond 2^53 are not exact", word)
	}
	return f + 0, nil
}
