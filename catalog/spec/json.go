package spec

// This file reads JSON as data.

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
)

// ParseJSON reads one JSON value and nothing after it. Whole numbers are int64 if they fit, all others float64; a
// number that neither can hold stays text.
func ParseJSON(raw []byte) (any, error) {
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		return nil, err
	}
	if _, err := dec.Token(); err != io.EOF {
		return nil, errors.New("unexpected text after the value")
	}
	return PlainNumbers(v), nil
}

// Decode is ParseJSON for text known to be valid.
func Decode(raw []byte) any {
	v, err := ParseJSON(raw)
	if err != nil {
		return nil
	}
	return v
}

// PlainNumbers turns the numbers inside a value into int64 and float64.
func PlainNumbers(v any) any {
	switch v := v.(type) {
	case json.Number:
		if n, err := v.Int64(); err == nil {
			return n
		}
		f, err := v.Float64()
		if err != nil {
			return v.String()
		}
		return f
	case []any:
		for i := range v {
			v[i] = PlainNumbers(v[i])
		}
	case map[string]any:
		for k := range v {
			v[k] = PlainNumbers(v[k])
		}
	}
	return v
}
