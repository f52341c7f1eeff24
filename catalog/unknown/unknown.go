// Package unknown holds values that only a real run gives: in a preview the result of a mutation that was not made is
// made of them. They can be kept, passed on as arguments and shown; nothing can be computed with them.
//
//	Value   the value, as its text: <id of billing.refund.issue>
//	Of      the value of a field of an action's result
//	Under   the value of a field of such a value
//	Paths   where data holds them
//	Plain   data with their texts in their places
//
// A text that was put together with one is one too: "refund <id of billing.refund.issue>".
package unknown

import (
	"encoding/binary"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Why is what a preview says where something is computed with a Value, after its text.
const Why = "is known only when applied"

// A Value is a value that is not known yet. Its text says whose it is.
type Value string

// whole is the path of a result as a whole.
const whole = "result"

// Of is the field at path of the result of the action id; an empty path is the result itself.
func Of(path, id string) Value {
	if path == "" {
		path = whole
	}
	return Value("<" + path + " of " + id + ">")
}

// Under is what v has under key, as in ".name" or "[2]". A text that v is a part of has nothing.
func (v Value) Under(key string) (Value, bool) {
	inner, open := strings.CutPrefix(string(v), "<")
	inner, closed := strings.CutSuffix(inner, ">")
	i := strings.LastIndex(inner, " of ")
	if !open || !closed || i < 0 || strings.ContainsAny(inner, "<>") {
		return "", false
	}
	path := inner[:i]
	if path == whole {
		path = ""
	}
	return Of(strings.TrimPrefix(path+key, "."), inner[i+len(" of "):]), true
}

// MarshalCBOR writes v as a byte string, which no other value is between the processes.
func (v Value) MarshalCBOR() ([]byte, error) {
	const byteString, size32 = 2 << 5, 26
	head := binary.BigEndian.AppendUint32([]byte{byteString | size32}, uint32(len(v)))
	return append(head, v...), nil
}

// Paths lists where data holds a Value, in order: "invoice_id", "lines[0].id".
func Paths(data any) []string { return paths(nil, "", data) }

func paths(found []string, path string, data any) []string {
	switch data := data.(type) {
	case Value:
		return append(found, path)
	case []any:
		for i, item := range data {
			found = paths(found, fmt.Sprintf("%s[%d]", path, i), item)
		}
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(data)) {
			found = paths(found, strings.TrimPrefix(path+"."+name, "."), data[name])
		}
	}
	return found
}

// In reports whether data holds a Value.
func In(data any) bool {
	switch data := data.(type) {
	case Value:
		return true
	case []any:
		return slices.ContainsFunc(data, In)
	case map[string]any:
		for _, item := range data {
			if In(item) {
				return true
			}
		}
	}
	return false
}

// Plain is data with texts in the places of its Values. It does not change data, which it may return.
func Plain(data any) any {
	if v, ok := data.(Value); ok {
		return string(v)
	}
	if !In(data) {
		return data
	}
	switch data := data.(type) {
	case []any:
		list := make([]any, len(data))
		for i, item := range data {
			list[i] = Plain(item)
		}
		return list
	case map[string]any:
		object := make(map[string]any, len(data))
		for name, item := range data {
			object[name] = Plain(item)
		}
		return object
	}
	return data
}
