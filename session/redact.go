// This file makes values safe to leave the parent: results become plain data of bounded size, and arguments lose what
// must not be recorded. What leaves the session goes through egress.go.

package session

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strings"

	"almanac/catalog/secret"
	"almanac/catalog/text"
	"almanac/catalog/unknown"
)

const (
	redacted = secret.Mark
	// logText bounds a text and a result sample in a record, in bytes.
	logText = 4 << 10
	// recordedArgs bounds the arguments in a record, in bytes.
	recordedArgs = 32 << 10
	// depthLimit bounds how deep a result may nest.
	depthLimit = 100
)

// A redactor takes the secrets of now out. The zero redactor knows none by value and still hides arguments by name.
type redactor struct{ filter *secret.Filter }

// Redact returns text with the session's secrets taken out, for whoever keeps or shows words of their own.
func (s *Session) Redact(text string) string { return s.world.redactor.text(text) }

// finds tells whether data holds a secret.
func (r redactor) finds(data []byte) bool {
	text := string(data)
	return r.text(text) != text
}

func (r redactor) text(s string) string { return r.filter.Text(s) }

// secretName tells an argument whose value is never recorded.
func secretName(name string) bool {
	name = strings.ToLower(strings.ReplaceAll(strings.ReplaceAll(name, "_", ""), "-", ""))
	for _, word := range []string{
		"password", "passwd", "secret", "apikey", "accesstoken", "authtoken", "authorization", "privatekey", "credential",
	} {
		if strings.Contains(name, word) {
			return true
		}
	}
	return name == "token"
}

// args returns a copy of a that may be recorded: secrets gone, by name and by value, and long texts cut.
func (r redactor) args(a map[string]any) map[string]any {
	if a == nil {
		return nil
	}
	clean, _ := recordable(r.filter.Now(), a, 0, logText).(map[string]any)
	return clean
}

// wholeArgs is args with long texts as they are.
func (r redactor) wholeArgs(a map[string]any) map[string]any {
	if a == nil {
		return nil
	}
	clean, _ := recordable(r.filter.Now(), a, 0, math.MaxInt).(map[string]any)
	return clean
}

// uncut tells that a record has no text of v in part.
func uncut(v any) bool {
	switch v := v.(type) {
	case string:
		return len(v) <= logText
	case []any:
		return !slices.ContainsFunc(v, func(item any) bool { return !uncut(item) })
	case map[string]any:
		return !slices.ContainsFunc(slices.Collect(maps.Values(v)), func(item any) bool { return !uncut(item) })
	}
	return true
}

// recordable copies v without secrets, and of texts at most so many bytes.
func recordable(cutter secret.Cutter, v any, depth, most int) any {
	if depth > depthLimit {
		return "..."
	}
	switch v := v.(type) {
	case string:
		return cut(cutter.Text(v), most)
	case []any:
		list := make([]any, len(v))
		for i, item := range v {
			list[i] = recordable(cutter, item, depth+1, most)
		}
		return list
	case map[string]any:
		object := make(map[string]any, len(v))
		for name, item := range v {
			if secretName(name) {
				object[name] = redacted
				continue
			}
			object[cutter.Text(name)] = recordable(cutter, item, depth+1, most)
		}
		return object
	case float64:
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return fmt.Sprint(v) // JSON has no such number
		}
	}
	return v
}

// data returns an action's result as the plain data a script gets: nil, bool, int64, float64, string, []any and
// map[string]any, without secrets. A result of more than limit bytes is an error.
func (r redactor) data(v any, limit int) (any, error) {
	plain, _, err := r.sized(v, limit)
	return plain, err
}

// sized is data, and about how many bytes it has.
func (r redactor) sized(v any, limit int) (any, int, error) {
	p := plainer{cutter: r.filter.Now(), limit: limit}
	plain, err := p.plain(v, 0)
	if err != nil {
		return nil, p.size, err
	}
	return plain, p.size, nil
}

// A plainer converts one result and counts its bytes.
type plainer struct {
	cutter      secret.Cutter
	size, limit int
}

func (p *plainer) add(n int) error {
	p.size += n
	if p.size > p.limit {
		return oversize(p.limit)
	}
	return nil
}

// oversize is the error of a result that has more bytes than it says.
type oversize int

func (o oversize) Error() string { return "more than the limit of " + sizeText(int(o)) }

func (p *plainer) plain(v any, depth int) (any, error) {
	if depth > depthLimit {
		return nil, fmt.Errorf("nested deeper than %d", depthLimit)
	}
	switch v := v.(type) {
	case nil, bool:
		return v, p.add(1)
	case int64:
		return v, p.add(8)
	case float64:
		return v, p.add(8)
	case string:
		return p.cutter.Text(v), p.add(len(v) + 2)
	case []any:
		list := make([]any, len(v))
		for i, item := range v {
			var err error
			if list[i], err = p.plain(item, depth+1); err != nil {
				return nil, err
			}
		}
		return list, p.add(2)
	case map[string]any:
		object := make(map[string]any, len(v))
		for name, item := range v {
			if err := p.add(len(name) + 2); err != nil {
				return nil, err
			}
			var err error
			if object[p.cutter.Text(name)], err = p.plain(item, depth+1); err != nil {
				return nil, err
			}
		}
		return object, p.add(2)
	case unknown.Value: // of a composed action in a preview
		return v, p.add(len(v) + 2)
	case json.Number:
		return p.plain(number(v), depth)
	}
	return p.typed(v, depth)
}

// typed converts what an action of a Go program may return beside plain data.
func (p *plainer) typed(v any, depth int) (any, error) {
	switch rv := reflect.ValueOf(v); rv.Kind() {
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32:
		return rv.Int(), p.add(8)
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		if rv.Uint() > math.MaxInt64 {
			return p.plain(fmt.Sprint(rv.Uint()), depth)
		}
		return int64(rv.Uint()), p.add(8)
	case reflect.Float32:
		return rv.Float(), p.add(8)
	case reflect.Func, reflect.Chan, reflect.UnsafePointer:
		return nil, fmt.Errorf("%s is not data", rv.Kind())
	}
	text, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	if len(text) > p.limit {
		return nil, oversize(p.limit)
	}
	dec := json.NewDecoder(strings.NewReader(string(text)))
	dec.UseNumber()
	var plain any
	if err := dec.Decode(&plain); err != nil {
		return nil, err
	}
	return p.plain(plain, depth)
}

// number keeps an integer exact where int64 can and is a float otherwise.
func number(n json.Number) any {
	if i, err := n.Int64(); err == nil {
		return i
	}
	if f, err := n.Float64(); err == nil {
		return f
	}
	return n.String()
}

// brief says in a few words what a result is: "12 rows", "1 customer", "nothing".
func brief(v any) string {
	switch v := v.(type) {
	case nil:
		return "nothing"
	case []any:
		if len(v) == 1 {
			return "1 row"
		}
		return fmt.Sprintf("%d rows", len(v))
	case map[string]any:
		if len(v) == 1 {
			return "1 field"
		}
		return fmt.Sprintf("%d fields", len(v))
	case string:
		return fmt.Sprintf("%d bytes", len(v))
	}
	return fmt.Sprint(v)
}

// sample returns v when it is small. Else it returns the beginning of it, of about size bytes, and says how much that
// is: "13 of 30 rows". A record in a list is there whole or not at all; nothing stands in for what is left out.
func sample(v any, size int) (short any, part string) {
	s := sampler{left: size}
	short, whole := s.shorten(v)
	if whole {
		return short, ""
	}
	switch short := short.(type) {
	case []any:
		return short, fmt.Sprintf("%d of %d rows", len(short), len(v.([]any)))
	case map[string]any:
		if all := len(v.(map[string]any)); len(short) < all {
			return short, fmt.Sprintf("%d of %d fields", len(short), all)
		}
	}
	return short, "a part of it"
}

// A sampler copies the beginning of a value.
type sampler struct{ left int }

// shorten copies v as far as there is room; whole tells that all of it was. Where nothing was, short is nil.
func (s *sampler) shorten(v any) (short any, whole bool) {
	s.left -= 8
	if s.left < 0 {
		return nil, false
	}
	switch v := v.(type) {
	case string:
		if len(v) > s.left {
			short := cut(v, s.left)
			s.left = 0
			return short, false
		}
		s.left -= len(v)
	case []any:
		list := make([]any, 0, min(len(v), s.left/8+1))
		for _, item := range v {
			short, whole := s.shorten(item)
			if whole {
				list = append(list, short)
				continue
			}
			if len(list) == 0 && short != nil { // better the beginning of a long record than none
				list = append(list, short)
			}
			if len(list) == 0 {
				return nil, false
			}
			return list, false
		}
		return list, true
	case map[string]any:
		object := make(map[string]any, min(len(v), s.left/8+1))
		for _, name := range slices.Sorted(maps.Keys(v)) {
			s.left -= len(name)
			short, whole := s.shorten(v[name])
			if whole || short != nil {
				object[name] = short
			}
			if !whole && len(object) == 0 {
				return nil, false
			}
			if !whole {
				return object, false
			}
		}
		return object, true
	case float64:
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return fmt.Sprint(v), true
		}
	}
	return v, true
}

// cut shortens s to at most n bytes of whole characters and says how much is missing.
func cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	head := text.HeadBytes(s, n)
	return fmt.Sprintf("%s... %d more bytes", head, len(s)-len(head))
}

func sizeText(n int) string {
	if n >= 1<<20 {
		return fmt.Sprintf("%d MiB", n>>20)
	}
	return fmt.Sprintf("%d KiB", (n+1023)>>10)
}
