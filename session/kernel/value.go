package kernel

// This file writes the values that scripts and host functions exchange as CBOR. The library could do it, but without
// bounds: an action's data may be of any size or depth, or cyclic.

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"reflect"
	"strconv"

	"almanac/catalog/unknown"
)

// A sizeError says in which way data is too large for a frame: "larger than 16 MiB".
type sizeError struct{ reason string }

func (e *sizeError) Error() string { return e.reason }

// The major types of CBOR, in place in a head.
const (
	majorUint   = 0 << 5
	majorInt    = 1 << 5
	majorBytes  = 2 << 5 // an unknown.Value
	majorText   = 3 << 5
	majorArray  = 4 << 5
	majorMap    = 5 << 5
	simpleFalse = 7<<5 | 20
	simpleTrue  = 7<<5 | 21
	simpleNull  = 7<<5 | 22
	float64Head = 7<<5 | 27
)

// A valueWriter appends items to buf.
//
// Beyond nil, bool, int64, float64, string, []any and map[string]any it takes every Go integer and float, json.Number,
// *big.Int, []byte (as a string), and slices, arrays, pointers and string-keyed maps of all these. An integer beyond
// int64 becomes a string of its digits, which is exact; a nil slice an empty list, a nil map an empty object.
type valueWriter struct {
	buf   []byte
	items int
}

// head appends a head: major is one of the major types.
func (w *valueWriter) head(major byte, n uint64) {
	switch {
	case n < 24:
		w.buf = append(w.buf, major|byte(n))
	case n <= math.MaxUint8:
		w.buf = append(w.buf, major|24, byte(n))
	case n <= math.MaxUint16:
		w.buf = binary.BigEndian.AppendUint16(append(w.buf, major|25), uint16(n))
	case n <= math.MaxUint32:
		w.buf = binary.BigEndian.AppendUint32(append(w.buf, major|26), uint32(n))
	default:
		w.buf = binary.BigEndian.AppendUint64(append(w.buf, major|27), n)
	}
}

func (w *valueWriter) int(n int64) {
	if n < 0 {
		w.head(majorInt, uint64(^n))
	} else {
		w.head(majorUint, uint64(n))
	}
}

func (w *valueWriter) float(f float64) {
	w.buf = binary.BigEndian.AppendUint64(append(w.buf, float64Head), math.Float64bits(f))
}

func (w *valueWriter) text(s string) error { return w.string(majorText, s) }

func (w *valueWriter) string(major byte, s string) error {
	if len(w.buf)+len(s) > maxFrame {
		return &sizeError{"larger than 16 MiB"}
	}
	w.head(major, uint64(len(s)))
	w.buf = append(w.buf, s...)
	return nil
}

// value appends v, which lies depth levels deep in the data. The error is a *sizeError or names a type that is not
// data; then buf ends in the middle of an item.
func (w *valueWriter) value(v any, depth int) error {
	if err := w.room(depth); err != nil {
		return err
	}
	switch v := v.(type) {
	case nil:
		w.buf = append(w.buf, simpleNull)
	case bool:
		if v {
			w.buf = append(w.buf, simpleTrue)
		} else {
			w.buf = append(w.buf, simpleFalse)
		}
	case int64:
		w.int(v)
	case int:
		w.int(int64(v))
	case float64:
		w.float(v)
	case string:
		return w.text(v)
	case unknown.Value:
		return w.string(majorBytes, string(v))
	case []any:
		w.head(majorArray, uint64(len(v)))
		for _, item := range v {
			if err := w.value(item, depth+1); err != nil {
				return err
			}
		}
	case map[string]any:
		w.head(majorMap, uint64(len(v)))
		for name, item := range v {
			if err := w.pair(name, item, depth); err != nil {
				return err
			}
		}
	case json.Number:
		return w.number(v)
	case *big.Int:
		if v == nil {
			w.buf = append(w.buf, simpleNull)
		} else if v.IsInt64() {
			w.int(v.Int64())
		} else {
			return w.text(v.String())
		}
	default:
		return w.reflected(reflect.ValueOf(v), depth)
	}
	return nil
}

// room counts one more item.
func (w *valueWriter) room(depth int) error {
	if depth > maxDepth {
		return &sizeError{fmt.Sprintf("nested deeper than %d levels, or cyclic", maxDepth)}
	}
	// A few items of the frame itself come on top.
	if w.items++; w.items > maxItems-64 {
		return &sizeError{fmt.Sprintf("more than %d values", maxItems-64)}
	}
	if len(w.buf) > maxFrame {
		return &sizeError{"larger than 16 MiB"}
	}
	return nil
}

func (w *valueWriter) pair(name string, item any, depth int) error {
	w.items++
	if err := w.text(name); err != nil {
		return err
	}
	return w.value(item, depth+1)
}

func (w *valueWriter) number(n json.Number) error {
	if i, err := strconv.ParseInt(string(n), 10, 64); err == nil {
		w.int(i)
		return nil
	}
	if _, ok := new(big.Int).SetString(string(n), 10); ok {
		return w.text(string(n))
	}
	f, err := strconv.ParseFloat(string(n), 64)
	if err != nil {
		return fmt.Errorf("number %q: %w", string(n), err)
	}
	w.float(f)
	return nil
}

// reflected appends what value does not know by type.
func (w *valueWriter) reflected(v reflect.Value, depth int) error {
	switch v.Kind() {
	case reflect.Bool:
		return w.value(v.Bool(), depth)
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		w.int(v.Int())
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		if n := v.Uint(); n > math.MaxInt64 {
			return w.text(strconv.FormatUint(n, 10))
		} else {
			w.int(int64(n))
		}
	case reflect.Float32, reflect.Float64:
		w.float(v.Float())
	case reflect.String:
		return w.text(v.String())
	case reflect.Pointer, reflect.Interface:
		if v.IsNil() {
			return w.value(nil, depth)
		}
		// One level deeper, so that a pointer to itself ends.
		return w.value(v.Elem().Interface(), depth+1)
	case reflect.Slice, reflect.Array:
		if v.Kind() == reflect.Slice && v.Type().Elem().Kind() == reflect.Uint8 {
			return w.text(string(v.Bytes()))
		}
		w.head(majorArray, uint64(v.Len()))
		for i := range v.Len() {
			if err := w.value(v.Index(i).Interface(), depth+1); err != nil {
				return err
			}
		}
	case reflect.Map:
		if v.Type().Key().Kind() != reflect.String {
			return fmt.Errorf("%s is not data: its keys are not strings", v.Type())
		}
		w.head(majorMap, uint64(v.Len()))
		for each := v.MapRange(); each.Next(); {
			if err := w.pair(each.Key().String(), each.Value().Interface(), depth); err != nil {
				return err
			}
		}
	default:
		return fmt.Errorf("%s is not data", v.Type())
	}
	return nil
}

// A valueSize measures data without encoding it, in a process that may lack the memory for that.
type valueSize struct{ bytes, items int }

// add counts v, as a machine returns it. With an error the sum stands as it was.
func (s *valueSize) add(v any, depth int) error {
	was := *s
	err := s.count(v, depth)
	if err != nil {
		*s = was
	}
	return err
}

func (s *valueSize) count(v any, depth int) error {
	s.items++
	s.bytes += 9
	switch t := v.(type) {
	case string:
		s.bytes += len(t)
	case unknown.Value:
		s.bytes += len(t)
	}
	// Half of a frame is for the rest of the reply.
	if depth > maxDepth || s.items > maxItems/2 || s.bytes > maxFrame/2 {
		return &sizeError{"too large for a frame"}
	}
	switch v := v.(type) {
	case []any:
		for _, item := range v {
			if err := s.count(item, depth+1); err != nil {
				return err
			}
		}
	case map[string]any:
		for name, item := range v {
			s.items++
			s.bytes += 9 + len(name)
			if err := s.count(item, depth+1); err != nil {
				return err
			}
		}
	}
	return nil
}

// callFrame writes a callRequest into buf.
func callFrame(buf []byte, id string, line int, args map[string]any) ([]byte, error) {
	w := valueWriter{buf: openFrame(buf, kindCall)}
	w.head(majorArray, 3)
	if err := w.text(id); err != nil {
		return nil, err
	}
	w.int(int64(line))
	if err := w.value(args, 0); err != nil {
		return nil, err
	}
	return sealFrame(w.buf)
}

// opFrame writes an opRequest into buf.
func opFrame(buf []byte, name string, args []any) ([]byte, error) {
	w := valueWriter{buf: openFrame(buf, kindOp)}
	w.head(majorArray, 2)
	if err := w.text(name); err != nil {
		return nil, err
	}
	if err := w.value(args, 0); err != nil {
		return nil, err
	}
	return sealFrame(w.buf)
}

// answerFrame writes an answer without an error into buf.
func answerFrame(buf []byte, v any) ([]byte, error) {
	w := valueWriter{buf: openFrame(buf, kindAnswer)}
	w.head(majorArray, 2)
	if err := w.value(v, 0); err != nil {
		return nil, err
	}
	w.buf = append(w.buf, simpleNull)
	return sealFrame(w.buf)
}

// writeFrame writes parts of printed text into buf.
func writeFrame(buf []byte, parts []part) ([]byte, error) {
	w := valueWriter{buf: openFrame(buf, kindWrite)}
	w.head(majorArray, uint64(len(parts)))
	for _, p := range parts {
		w.head(majorArray, 2)
		if err := w.text(string(p.stream)); err != nil {
			return nil, err
		}
		if err := w.text(string(p.text)); err != nil {
			return nil, err
		}
	}
	return sealFrame(w.buf)
}
