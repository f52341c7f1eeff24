package vm

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"almanac/catalog/text"
)

// This file reads JSON text directly into Lua values, without intermediate data, and checks for an interrupt at each
// value.

// A jsonReader reads one text.
type jsonReader struct {
	c     call
	text  string
	at    int
	room  int               // bytes of memory left
	names map[string]string // of fields, each kept once
}

// What values take in memory, about.
const (
	jsonRoom     = 64 << 20
	valueMemory  = 32
	stringMemory = 32
	listMemory   = 180
	objectMemory = 560
)

// A jsonLimit is what is wrong with a text that may be JSON.
type jsonLimit string

func (e jsonLimit) Error() string { return string(e) }

const errJSONRoom = jsonLimit("the text holds more values than fit into memory")

// errJSON is any mistake in the text; encoding/json then says which.
var errJSON = errors.New("not JSON")

// readJSON makes the Lua value of a text. The error says what is wrong and where.
func (c call) readJSON(text string) (any, error) {
	r := &jsonReader{c: c, text: text, room: jsonRoom, names: map[string]string{}}
	v, err := r.value(0)
	if err == nil && r.next() != 0 {
		err = fmt.Errorf("%s: text after the value", textPosition(text, r.at))
	}
	c.made(jsonRoom - r.room)
	if err == errJSON {
		err = jsonMistake(text)
	}
	return v, err
}

// jsonMistake says what is wrong with a text that is not JSON.
func jsonMistake(text string) error {
	var whole json.RawMessage
	var mistake *json.SyntaxError
	switch err := json.Unmarshal([]byte(text), &whole); {
	case !errors.As(err, &mistake):
		return errJSON
	case mistake.Error() == "unexpected end of JSON input":
		return fmt.Errorf("%s: unexpected end of text", textPosition(text, len(text)))
	}
	return fmt.Errorf("%s: %w", textPosition(text, int(mistake.Offset)-1), mistake)
}

// next steps over white space and returns the byte there, zero at the end.
func (r *jsonReader) next() byte {
	for r.at < len(r.text) {
		switch b := r.text[r.at]; b {
		case ' ', '\t', '\n', '\r':
			r.at++
		case 0:
			return 1 // no byte of JSON either
		default:
			return b
		}
	}
	return 0
}

func (r *jsonReader) spend(n int) error {
	if r.room -= n; r.room < 0 {
		return errJSONRoom
	}
	return nil
}

func (r *jsonReader) value(depth int) (any, error) {
	if depth > maxDataDepth {
		return nil, jsonLimit(fmt.Sprintf("data nested deeper than %d", maxDataDepth))
	}
	r.c.m.work(r.c.l, 2)
	if err := r.spend(valueMemory); err != nil {
		return nil, err
	}
	switch b := r.next(); b {
	case '{':
		return r.object(depth)
	case '[':
		return r.list(depth)
	case '"':
		s, err := r.quoted()
		if err != nil {
			return nil, err
		}
		return strings.Clone(s), r.spend(stringMemory + len(s))
	case 't':
		return true, r.word("true")
	case 'f':
		return false, r.word("false")
	case 'n':
		return r.c.m.null, r.word("null")
	default:
		if b != '-' && (b < '0' || b > '9') {
			return nil, errJSON
		}
		return r.number()
	}
}

func (r *jsonReader) word(w string) error {
	if !strings.HasPrefix(r.text[r.at:], w) {
		return errJSON
	}
	r.at += len(w)
	return nil
}

// more steps over a comma, or over the end of what closes; first is true before the first item.
func (r *jsonReader) more(closing byte, first bool) (bool, error) {
	switch b := r.next(); {
	case b == closing:
		r.at++
		return false, nil
	case first:
		return true, nil
	case b == ',':
		r.at++
		if r.next() != closing {
			return true, nil
		}
	}
	return false, errJSON
}

func (r *jsonReader) list(depth int) (any, error) {
	r.at++
	if err := r.spend(listMemory); err != nil {
		return nil, err
	}
	// Growing a long list leaves garbage of several times its size.
	const most = 4096
	var items []any
	var full [][]any
	for {
		more, err := r.more(']', len(items)+len(full) == 0)
		if err != nil {
			return nil, err
		}
		if !more {
			break
		}
		v, err := r.value(depth + 1)
		if err != nil {
			return nil, err
		}
		if items = append(items, v); len(items) == most {
			full = append(full, items)
			items = make([]any, 0, most)
		}
	}
	if full != nil {
		items = slices.Concat(append(full, items)...)
	}
	m := r.c.m
	t := m.newTable(0, 0)
	t.array = items
	if len(items) == 0 {
		t.meta = m.emptyList
	}
	return m.value(t), nil
}

func (r *jsonReader) object(depth int) (any, error) {
	r.at++
	if err := r.spend(objectMemory); err != nil {
		return nil, err
	}
	t := r.c.m.newTable(0, 0)
	for first := true; ; first = false {
		more, err := r.more('}', first)
		if err != nil {
			return nil, err
		}
		if !more {
			return r.c.m.value(t), nil
		}
		if r.next() != '"' {
			return nil, errJSON
		}
		name, err := r.quoted()
		if err != nil {
			return nil, err
		}
		if r.next() != ':' {
			return nil, errJSON
		}
		r.at++
		v, err := r.value(depth + 1)
		if err != nil {
			return nil, err
		}
		known, ok := r.names[name]
		if !ok {
			known = strings.Clone(name)
			r.names[known] = known
			if err := r.spend(2*stringMemory + len(name)); err != nil {
				return nil, err
			}
		}
		if err := r.spend(stringMemory); err != nil {
			return nil, err
		}
		t.hash[known] = v
	}
}

// quoted reads a string. It may be a piece of the text: who keeps it makes a copy, or would keep the whole.
func (r *jsonReader) quoted() (string, error) {
	start := r.at
	for i, plain := start+1, true; i < len(r.text); i++ {
		switch b := r.text[i]; {
		case b == '\\':
			plain = false
			i++
		case b < ' ':
			return "", errJSON
		case b == '"':
			r.at = i + 1
			s := r.text[start+1 : i]
			r.c.m.work(r.c.l, len(s)/16)
			if plain && utf8.ValidString(s) {
				return s, nil
			}
			var out string
			if json.Unmarshal([]byte(r.text[start:i+1]), &out) != nil {
				return "", errJSON
			}
			return out, nil
		}
	}
	return "", errJSON
}

// small reads a number of a few digits and nothing else, as most are.
func (r *jsonReader) small() (float64, bool) {
	n, i := 0, r.at
	for i < len(r.text) && r.text[i] >= '0' && r.text[i] <= '9' && i < r.at+15 {
		n = 10*n + int(r.text[i]-'0')
		i++
	}
	if i == r.at || r.text[r.at] == '0' && i > r.at+1 ||
		i < len(r.text) && strings.IndexByte("0123456789.eE", r.text[i]) >= 0 {
		return 0, false
	}
	r.at = i
	return float64(n), true
}

// number reads a number as JSON writes it.
func (r *jsonReader) number() (any, error) {
	start := r.at
	if n, ok := r.small(); ok {
		return n, nil
	}
	digits := func() bool {
		from := r.at
		for r.at < len(r.text) && r.text[r.at] >= '0' && r.text[r.at] <= '9' {
			r.at++
		}
		return r.at > from
	}
	accept := func(set string) bool {
		if r.at < len(r.text) && strings.IndexByte(set, r.text[r.at]) >= 0 {
			r.at++
			return true
		}
		return false
	}
	accept("-")
	if !accept("0") && !digits() {
		return nil, errJSON
	}
	if accept(".") && !digits() {
		return nil, errJSON
	}
	if accept("eE") {
		accept("+-")
		if !digits() {
			return nil, errJSON
		}
	}
	numeral := r.text[start:r.at]
	if n, err := strconv.ParseInt(numeral, 10, 64); err == nil && numeral != "-0" {
		return r.c.m.integerValue(n), nil
	}
	f, err := strconv.ParseFloat(numeral, 64)
	if err != nil {
		return nil, jsonLimit(fmt.Sprintf("number %s is out of range", text.HeadBytes(numeral, 40)))
	}
	return f, nil
}
