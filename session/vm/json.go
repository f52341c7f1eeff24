package vm

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"almanac/catalog/text"
	"almanac/catalog/unknown"
)

// This file holds json.encode and json.decode. null, empty lists and objects, and 64-bit integers survive in both
// directions.

func openJSON(m *Machine) {
	lib := m.library("json")
	lib.put("encode", m.function("encode", func(c call) int {
		data, err := m.toData(c.l, "value", c.any(1), true)
		if err != nil {
			c.fail("json.encode: %s", strings.Replace(err.Error(), "cannot be sent", "has no JSON form", 1))
		}
		indent := ""
		if t := m.table(c.raw(2)); t != nil {
			if v := t.get("indent"); v != nil && v != false {
				indent = "  "
			}
		}
		if c.jsonSize(data, indent, 0, 0) > maxJSON {
			c.fail("json.encode: the text would have more than %s", text.Bytes(int64(maxJSON)))
		}
		text, err := encodeJSON(data, indent)
		if err != nil {
			c.fail("json.encode: %s", err)
		}
		m.stringSize(c.l, len(text))
		m.work(c.l, len(text)/16)
		return c.giveJoined(text, unknown.In(data))
	}))
	lib.put("decode", m.function("decode", func(c call) int {
		source := c.string(1)
		if len(source) > maxJSON {
			c.fail("json.decode: the text has more than %s", text.Bytes(int64(maxJSON)))
		}
		if !utf8.ValidString(source) {
			at := notText(source)
			c.fail("json.decode: %s: the text is not UTF-8 (byte \\%d)", textPosition(source, at), source[at])
		}
		v, err := c.readJSON(source)
		if err != nil {
			c.fail("json.decode: %s", err)
		}
		return c.give(v)
	}))
	lib.put("array", m.function("array", func(c call) int {
		if c.absent(1) {
			t := m.newTable(0, 0)
			t.meta = m.emptyList
			return c.give(m.value(t))
		}
		t := c.writable(1)
		if t.meta == nil {
			t.meta = m.emptyList
		}
		return c.give(c.raw(1))
	}))
	lib.put("null", m.null)
}

// What JSON text takes while it is read or written must fit into the process several times over.
const (
	maxJSON = 16 << 20 // bytes
	// maxValues is how many values data may hold: as many as a frame to or from an action.
	maxValues = 1 << 20
)

// jsonSize is about how many bytes data has as JSON, behind n others; it stops beyond maxJSON.
func (c call) jsonSize(data any, indent string, depth, n int) int {
	gap := 1
	if indent != "" {
		gap += 1 + len(indent)*(depth+1)
	}
	switch v := data.(type) {
	case string:
		return n + c.quotedSize(v)
	case []any:
		for _, item := range v {
			if n = c.jsonSize(item, indent, depth+1, n+gap); n > maxJSON {
				break
			}
		}
		return n + 2
	case map[string]any:
		for name, item := range v {
			if n = c.jsonSize(item, indent, depth+1, n+gap+1+c.quotedSize(name)); n > maxJSON {
				break
			}
		}
		return n + 2
	}
	return n + 4
}

// quotedSize is how many bytes s has as a JSON string.
func (c call) quotedSize(s string) int {
	c.m.work(c.l, len(s)/16)
	n := len(s) + 2
	for _, r := range s {
		switch {
		case r == '"' || r == '\\' || r == '\n' || r == '\r' || r == '\t':
			n++
		case r < ' ' || r == utf8.RuneError:
			n += 5
		}
	}
	return n
}

func encodeJSON(data any, indent string) (string, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", indent)
	if err := e.Encode(markFloats(data)); err != nil {
		var value *json.UnsupportedValueError
		if errors.As(err, &value) {
			return "", fmt.Errorf("%s has no JSON form", value.Str)
		}
		return "", err
	}
	return strings.TrimSuffix(b.String(), "\n"), nil
}

// markFloats writes floats beyond 2^53 with an exponent, so that they do not read as exact integers. It changes data.
func markFloats(data any) any {
	switch v := data.(type) {
	case float64:
		if math.Abs(v) > exactFloat && !math.IsInf(v, 0) {
			return json.Number(strconv.FormatFloat(v, 'e', -1, 64))
		}
	case []any:
		for i := range v {
			v[i] = markFloats(v[i])
		}
	case map[string]any:
		for k := range v {
			v[k] = markFloats(v[k])
		}
	}
	return data
}

func textPosition(text string, offset int) string {
	offset = max(0, min(offset, len(text)))
	head := text[:offset]
	return fmt.Sprintf("line %d column %d", strings.Count(head, "\n")+1, offset-strings.LastIndexByte(head, '\n'))
}
