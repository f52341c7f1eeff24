package vm

import (
	"fmt"
	"math"
	"strings"
	"unicode/utf8"

	lua "github.com/Shopify/go-lua"

	luasrc "almanac/catalog/lua"
	"almanac/catalog/text"
	"almanac/catalog/text/cells"
	"almanac/catalog/unknown"
)

// This file carries values between Lua and Go data: nil, bool, int64, float64, string, []any and map[string]any.
//
// Into Lua: a nil inside a list or map becomes null, an integer beyond 2^53 an exact integer, an empty list a table
// marked as a list. Out of Lua: a number without fraction becomes int64, a table with the keys 1 to n a list, one with
// string keys a map, an empty one a map unless it is marked.

const maxDataDepth = 200

// fromData makes the Lua value of data.
func (m *Machine) fromData(data any) (any, error) {
	if data == nil {
		return nil, nil
	}
	return m.build(data, 0)
}

func (m *Machine) build(data any, depth int) (any, error) {
	if depth > maxDataDepth {
		return nil, fmt.Errorf("data nested deeper than %d", maxDataDepth)
	}
	switch v := data.(type) {
	case nil:
		return m.null, nil
	case bool, float64, string:
		return v, nil
	case int64:
		return m.integerValue(v), nil
	case int:
		return m.integerValue(int64(v)), nil
	case unknown.Value:
		return m.unknownValue(v), nil
	case []any:
		t := m.newTable(len(v), 0)
		for i, item := range v {
			x, err := m.build(item, depth+1)
			if err != nil {
				return nil, err
			}
			t.array[i] = x
		}
		if len(v) == 0 {
			t.meta = m.emptyList
		}
		return m.value(t), nil
	case map[string]any:
		t := m.newTable(0, len(v))
		for k, item := range v {
			x, err := m.build(item, depth+1)
			if err != nil {
				return nil, err
			}
			t.hash[k] = x
		}
		return m.value(t), nil
	}
	return nil, fmt.Errorf("a Go value of type %T is not data", data)
}

// A converter turns Lua values into data. A strict one stops at the first value that is not data; a lenient one puts
// text in its place and clears whole.
type converter struct {
	m       *Machine
	l       *lua.State // whose steps are counted; nil after a run
	lenient bool
	text    bool // strings are UTF-8
	whole   bool
	why     string // the first thing that is no data, where lenient
	room    int    // bytes left
	values  int    // so far
	open    map[*table]bool
	err     error
}

var errTooLarge = fmt.Errorf("more data than the limit for one value")

// converter makes a strict one. Only a script passes its state.
func (m *Machine) converter(l *lua.State, room int) *converter {
	return &converter{m: m, l: l, room: room, whole: true, open: map[*table]bool{}}
}

// toData makes data of v, strictly; of strings that are UTF-8, if text is set. name is what errors call v.
func (m *Machine) toData(l *lua.State, name string, v any, text bool) (any, error) {
	cv := m.converter(l, 16*m.limits.Value)
	cv.text = text
	data := cv.convert(name, v)
	return data, cv.err
}

// toArgs makes the arguments of an action from what a script passed: a table of names, or a lone value, which may be a
// list.
func (m *Machine) toArgs(l *lua.State, v any) (map[string]any, error) {
	t := m.open(v)
	lone := t == nil
	if !lone {
		s := m.shape(t)
		lone = s.list > 0 && s.named == 0 && s.other == 0
	}
	if lone {
		data, err := m.toData(l, "the argument", v, false)
		return map[string]any{Alone: data}, err
	}
	cv := m.converter(l, 16*m.limits.Value)
	args, ok := cv.fields("", t).(map[string]any)
	if !ok {
		args = map[string]any{}
	}
	return args, cv.err
}

// A shape counts the keys of a table by kind.
type shape struct {
	list         int // integer keys from 1 on
	top          int // the highest of them
	named, other int
}

func (m *Machine) shape(t *table) (s shape) {
	for i, v := range t.array {
		if v != nil {
			s.list++
			s.top = i + 1
		}
	}
	for k, v := range t.hash {
		if v == nil {
			continue
		}
		switch k := k.(type) {
		case string:
			s.named++
		case float64:
			if k == math.Trunc(k) && k >= 1 && k <= exactFloat {
				s.list++
				s.top = max(s.top, int(k))
				continue
			}
			s.other++
		default:
			s.other++
		}
	}
	return s
}

// refuse notes that path is what no data is. more, on a remedy, is for who sends it.
func (cv *converter) refuse(path, what, more string) {
	if cv.whole && cv.lenient {
		if path = strings.TrimPrefix(path, valuePath); path == "" {
			path = "it"
		}
		cv.why = cells.Clip(path, 200, "...") + " is " + what
	}
	cv.whole = false
	if cv.err == nil && !cv.lenient {
		cv.err = fmt.Errorf("%s: %s cannot be sent%s", path, what, more)
	}
}

// unsendable refuses a number that no data format has; text for a reader may hold it.
func (cv *converter) unsendable(path, text string) {
	if !cv.lenient {
		cv.refuse(path, text, "")
	}
}

// checkText refuses a string that is not text where all must be.
func (cv *converter) checkText(path, s string) {
	if !cv.text || utf8.ValidString(s) {
		return
	}
	at := notText(s)
	cv.refuse(path, fmt.Sprintf(`a string that is not UTF-8 (byte %d is \%d)`, at+1, s[at]),
		`; write its bytes as text first, as in s:gsub(".", function(c) return ("%02x"):format(c:byte()) end)`)
}

// notText is where s, which is not UTF-8, has its first byte that is none.
func notText(s string) int {
	at := 0
	for at < len(s) {
		r, n := utf8.DecodeRuneInString(s[at:])
		if r == utf8.RuneError && n == 1 {
			break
		}
		at += n
	}
	return at
}

func (cv *converter) spend(n int) bool {
	if cv.l != nil {
		cv.m.work(cv.l, 1+n/16)
	}
	cv.room -= n
	if cv.room < 0 {
		cv.whole = false
		cv.err = errTooLarge
	}
	return cv.err == nil
}

func (cv *converter) convert(path string, v any) any {
	if cv.values++; cv.values > maxValues && !cv.lenient {
		cv.room = 0
	}
	if !cv.spend(2) {
		return nil
	}
	switch v := v.(type) {
	case nil:
		return nil
	case bool:
		return v
	case float64:
		cv.spend(6)
		if math.IsNaN(v) || math.IsInf(v, 0) {
			cv.unsendable(path, luasrc.NumberText(v))
		}
		if v == math.Trunc(v) && math.Abs(v) <= exactFloat && (v != 0 || !math.Signbit(v)) {
			return int64(v)
		}
		return v
	case string:
		cv.spend(len(v))
		cv.checkText(path, v)
		return v
	}
	if v == cv.m.null {
		return nil
	}
	if t := cv.m.open(v); t != nil {
		return cv.fields(path, t)
	}
	switch o := cv.m.object(v).(type) {
	case *integer:
		return o.n
	case *placeholder:
		cv.spend(len(o.value))
		return o.value
	}
	name := cv.m.typeName(v)
	article := "a"
	if name == "action" {
		article = "an"
	}
	cv.refuse(path, article+" "+name, "")
	return cv.m.text(nil, v)
}

func (cv *converter) fields(path string, t *table) any {
	if cv.open[t] {
		cv.refuse(path, "a table that contains itself", "")
		return "<cycle>"
	}
	if len(cv.open) >= maxDataDepth {
		cv.refuse(path, fmt.Sprintf("a table nested deeper than %d", maxDataDepth), "")
		return "<too deep>"
	}
	cv.open[t] = true
	defer delete(cv.open, t)
	s := cv.m.shape(t)
	switch {
	case s.other > 0:
		cv.refuse(path, "a table whose keys are neither names nor 1, 2, 3 ...", "")
	case s.list > 0 && s.named > 0:
		cv.refuse(path, "a table with both list items and named fields", "")
	case s.list != s.top:
		cv.refuse(path, "a list with gaps", fmt.Sprintf(" (%d of %d items are there)", s.list, s.top))
	case s.list > 0 || s.named == 0 && t.meta == cv.m.emptyList:
		items := make([]any, s.list)
		for i := range items {
			items[i] = cv.convert(fmt.Sprintf("%s[%d]", path, i+1), t.index(i+1))
			if cv.err != nil {
				return nil
			}
		}
		return items
	}
	if cv.err != nil {
		return nil
	}
	fields := make(map[string]any, s.named)
	cv.m.entries(t, func(k, v any) bool {
		name := cv.m.text(nil, k)
		cv.spend(len(name))
		cv.checkText(path, name)
		fields[name] = cv.convert(joinPath(path, name), v)
		return cv.err == nil
	})
	return fields
}

func joinPath(path, name string) string {
	switch {
	case path == "":
		return "argument " + name
	case luasrc.IsName(name):
		return path + "." + name
	}
	return path + "[" + luasrc.Quote(name) + "]"
}

const maxRepr = 64 << 10

// Value describes a Lua value for a Reply.
func (m *Machine) Value(v any) Value {
	out := Value{Type: m.typeName(v), Repr: m.repr(nil, v, maxRepr, lineWidth), Size: m.sizeOf(v)}
	if a, ok := m.object(v).(*action); ok {
		out.Action = a.path
	}
	cv := m.converter(nil, m.limits.Value)
	cv.lenient = true
	data := cv.convert(valuePath, v)
	if cv.err == nil {
		out.Data, out.Whole, out.Why = data, cv.whole, cv.why
	} else {
		out.Why = m.tooLarge(v, m.limits.Value)
	}
	return out
}

// valuePath is what a lenient converter calls its value.
const valuePath = "value"

// tooLarge tells that v is more than room bytes as data, the limit.
func (m *Machine) tooLarge(v any, room int) string {
	if s, ok := v.(string); ok {
		return fmt.Sprintf("it has %s, more than the limit of one value, %s", text.Bytes(int64(len(s))),
			text.Bytes(int64(room)))
	}
	return fmt.Sprintf("it is larger than the limit of one value, %s", text.Bytes(int64(room)))
}

func (m *Machine) sizeOf(v any) int {
	if s, ok := v.(string); ok {
		return len(s)
	}
	if t := m.open(v); t != nil {
		return t.size()
	}
	return 0
}
