package syntax

import (
	"slices"
	"strings"
)

// This file lists the globals that a text uses.

// Usage lists names in the order they first appear, each once. Globals of a scope with a local _ENV do not count;
// _G.x and _ENV.x count as x.
type Usage struct {
	// Reads and Writes are globals. A global that is only changed inside (x.y = 1) is read.
	Reads, Writes []string
	// Inside are the globals that fields are set in.
	Inside []string
	// Paths are the dotted paths from a global that are called, "billing.refund.issue", and the ids of
	// call("billing.refund.issue", ...). Methods (x:y()) and computed keys end a path.
	Paths []string
}

// Names returns the globals of src. Broken text is read as far as possible.
func Names(src string) Usage {
	fn, p := parse(src)
	f := &finder{src: src, p: p, seen: make(map[string]bool)}
	walk(f, fn.body)
	return f.usage
}

// Unset lists the globals that src reads before it sets them, in the order they first appear. What a function reads may
// be set later.
func Unset(src string) []string {
	fn, p := parse(src)
	f := &finder{src: src, p: p, seen: make(map[string]bool)}
	walk(f, fn.body)
	return slices.DeleteFunc(f.usage.Reads, func(name string) bool { return !f.seen["u"+name] && f.seen["w"+name] })
}

// Locals lists the local variables of the chunk itself, outside of functions and blocks: those that end with it.
func Locals(src string) []string {
	_, p := parse(src)
	names := make([]string, len(p.top))
	for i, v := range p.top {
		names[i] = v.name
	}
	return names
}

type finder struct {
	src   string
	p     *parser
	usage Usage
	seen  map[string]bool
	depth int // of functions
	// The path that is looked at, and a key of seen: their memory is used again.
	path []string
	key  []byte
}

// note adds the name that path makes to list, unless it is there. mark tells the lists apart.
func (f *finder) note(list *[]string, mark byte, path ...string) {
	f.key = append(f.key[:0], mark)
	for i, name := range path {
		if i > 0 {
			f.key = append(f.key, '.')
		}
		f.key = append(f.key, name...)
	}
	if len(f.key) == 1 || f.seen[string(f.key)] {
		return
	}
	key := string(f.key)
	f.seen[key] = true
	*list = append(*list, key[1:])
}

// assign looks at the right side first, as it is evaluated first.
func (f *finder) assign(s *stmt) {
	each(f, s.values)
	for _, e := range s.targets {
		f.target(e)
	}
	if s.fn != nil {
		f.function(s.fn)
	}
}

func (f *finder) loop(*stmt) {}

func (f *finder) function(fn *function) {
	f.depth++
	walk(f, fn.body)
	f.depth--
}

// read notes a global that is read.
func (f *finder) read(name string) {
	f.note(&f.usage.Reads, 'r', name)
	if f.depth == 0 && !f.seen["w"+name] {
		f.seen["u"+name] = true
	}
}

// target records a variable that is set.
func (f *finder) target(e expr) {
	switch e := e.(type) {
	case *nameRef:
		if e.v == nil {
			f.note(&f.usage.Writes, 'w', f.src[e.start:e.end])
		}
		return
	case *suffixed:
		path, n := f.globalPath(e)
		switch {
		case len(path) == 1 && n == len(e.parts):
			f.note(&f.usage.Writes, 'w', path[0])
			return
		case len(path) > 0:
			f.note(&f.usage.Inside, 'i', path[0])
		}
	}
	f.expr(e)
}

func (f *finder) expr(e expr) {
	switch e := e.(type) {
	case *nameRef:
		if e.v == nil {
			f.read(f.src[e.start:e.end])
		}
	case *suffixed:
		f.suffixed(e)
	default:
		inside(f, e)
	}
}

func (f *finder) suffixed(e *suffixed) {
	if path, n := f.globalPath(e); len(path) > 0 {
		f.read(path[0])
		if n < len(e.parts) && e.parts[n].kind == partCall {
			f.note(&f.usage.Paths, 'p', path...)
			if args := e.parts[n].args; len(path) == 1 && path[0] == "call" && len(args) > 0 {
				f.note(&f.usage.Paths, 'p', stringValue(args[0], f.src))
			}
		}
	} else {
		f.expr(e.base)
	}
	for i := range e.parts {
		each(f, e.parts[i].args)
	}
}

// globalPath gives the names of e's base and of the fields after it when the base is a global, and how many parts they
// take. ["name"] counts as .name. The path is good until the next call.
func (f *finder) globalPath(e *suffixed) (path []string, n int) {
	ref, ok := e.base.(*nameRef)
	if !ok || ref.v != nil {
		return nil, 0
	}
	path = append(f.path[:0], f.src[ref.start:ref.end])
	for n < len(e.parts) {
		if e.parts[n].kind > partIndex {
			break
		}
		name := e.parts[n].key(f.src)
		if name == "" {
			break
		}
		path = append(path, name)
		n++
	}
	f.path = path
	if len(path) > 1 && (path[0] == "_G" || path[0] == "_ENV") {
		path = path[1:]
	}
	return path, n
}

// stringValue gives the text of a string literal without escapes, "" for anything else.
func stringValue(e expr, src string) string {
	l, ok := e.(*literal)
	if !ok || l.kind != tkString {
		return ""
	}
	text := src[l.start:l.end]
	if text[0] == '[' {
		level := strings.IndexByte(text[1:], '[') + 2
		return strings.TrimLeft(text[level:len(text)-level], "\r\n")
	}
	if strings.IndexByte(text, '\\') >= 0 {
		return ""
	}
	return text[1 : len(text)-1]
}
