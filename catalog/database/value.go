package database

// This file converts values: arguments to those of a column, and what servers send to plain data.

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"

	"almanac/catalog/text"
)

// A kind is what values of a column are as data.
type kind int

const (
	textual kind = iota // also times, uuids and all that has a text of its own
	integer
	float
	decimal // as text, since it is exact
	boolean
	document // JSON
	blob     // as \x and hexadecimal digits
	array
	loose // any scalar: a column of SQLite without a type
)

var (
	wholeNumber   = regexp.MustCompile(`^[+-]?[0-9]{1,20}$`)
	decimalNumber = regexp.MustCompile(`^[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?$`)
)

// value is an argument as a value of the column.
func (c *column) value(v any) (any, error) {
	switch v.(type) {
	case nil:
		return nil, nil
	case []any, map[string]any:
		if list, is := v.([]any); is && c.kind == array {
			return list, nil
		}
		if c.kind != document && c.kind != loose {
			return nil, c.want(v)
		}
	}
	switch c.kind {
	case document:
		encoded, err := json.Marshal(v)
		return string(encoded), err
	case integer:
		return c.integer(v)
	case float, decimal:
		switch v := v.(type) {
		case int64:
			return v, nil
		case float64:
			if c.kind == decimal {
				return strconv.FormatFloat(v, 'f', -1, 64), nil
			}
			return v, nil
		case string:
			if decimalNumber.MatchString(v) || v == "NaN" || v == "Infinity" || v == "-Infinity" {
				return v, nil
			}
		}
		return nil, c.want(v)
	case boolean:
		switch v {
		case true, false:
			return v, nil
		case int64(0), int64(1):
			return v == int64(1), nil
		}
		return nil, c.want(v)
	case blob:
		s, is := v.(string)
		if !is {
			return nil, c.want(v)
		}
		if digits, is := strings.CutPrefix(s, `\x`); is {
			raw, err := hex.DecodeString(digits)
			if err != nil {
				return nil, wrong(`%s: want text, or \x and hexadecimal digits`, c.name)
			}
			return raw, nil
		}
		return []byte(s), nil
	case loose:
		return bound(v)
	case array:
		return v, nil // in the server's own form
	}
	switch v := v.(type) {
	case string:
		if c.zoned {
			return zoneless(v), nil
		}
		return v, nil
	case bool:
		return strconv.FormatBool(v), nil
	case int64:
		return strconv.FormatInt(v, 10), nil
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64), nil
	}
	return nil, c.want(v)
}

// A moment is a time in UTC, to be written as the server's clock has it: 2024-05-06 07:08:09.12.
type moment string

// zoneless is a time of ISO 8601 for a server that takes no zone: a moment where it has one, else as it is.
func zoneless(s string) any {
	t, err := time.Parse(time.RFC3339Nano, s)
	if err != nil {
		return s
	}
	return moment(t.UTC().Format("2006-01-02 15:04:05.999999"))
}

func (c *column) integer(v any) (any, error) {
	switch v := v.(type) {
	case int64:
		return v, nil
	case bool:
		if c.flag {
			return map[bool]int64{true: 1}[v], nil
		}
	case float64:
		if v == math.Trunc(v) && math.Abs(v) < 1<<63 {
			return int64(v), nil
		}
	case string:
		if n, err := strconv.ParseInt(v, 10, 64); err == nil {
			return n, nil
		}
		if n, err := strconv.ParseUint(v, 10, 64); err == nil && wholeNumber.MatchString(v) {
			return n, nil
		}
	}
	return nil, c.want(v)
}

func (c *column) want(v any) error {
	shown, _ := json.Marshal(v)
	return wrong("%s: want %s, got %s", text.LineBytes(c.name, 80), text.LineBytes(c.typ, 80),
		text.LineBytes(string(shown), 80))
}

// bound is an argument of a free statement: lists and tables become JSON text.
func bound(v any) (any, error) {
	switch v := v.(type) {
	case []any, map[string]any:
		encoded, err := json.Marshal(v)
		return string(encoded), err
	}
	return v, nil
}

// hexadecimal is binary data as text.
func hexadecimal(b []byte) string { return `\x` + hex.EncodeToString(b) }

// instant is a time of a server in the form of ISO 8601: 2024-05-06T07:08:09+02:00.
func instant(s string) string {
	date, clock, ok := strings.Cut(s, " ")
	if !ok || len(date) < 10 || strings.Contains(clock, " ") {
		return s // infinity, or before Christ
	}
	if i := strings.LastIndexAny(clock, "+-"); i > 0 {
		switch zone := clock[i:]; {
		case zone == "+00":
			clock = clock[:i] + "Z"
		case len(zone) == 3:
			clock += ":00"
		}
	}
	return date + "T" + clock
}

// number is a number as text; as float it stays text where it is none.
func number(s string) any {
	if n, err := strconv.ParseInt(s, 10, 64); err == nil {
		return n
	}
	return s
}

func floating(s string) any {
	if f, err := strconv.ParseFloat(s, 64); err == nil && !math.IsInf(f, 0) && !math.IsNaN(f) {
		return f
	}
	return s
}

// unique makes the names of columns different, so that no value hides another: id, id_2.
func unique(names []string) []string {
	seen := map[string]bool{}
	for i, name := range names {
		for n := 2; seen[names[i]]; n++ {
			names[i] = fmt.Sprintf("%s_%d", name, n)
		}
		seen[names[i]] = true
	}
	return names
}
