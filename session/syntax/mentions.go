package syntax

import "strings"

// This file lists what a text may call, whether or not it does.

// Mentions lists the dotted paths from globals that src has anywhere, called or not, and its texts with a dot, which
// may be ids. dynamic says that it may also call what no path of it names: call(id), _G[name].
func Mentions(src string) (paths []string, dynamic bool) {
	fn, p := parse(src)
	m := &mentioner{finder: finder{src: src, p: p, seen: make(map[string]bool)}}
	walk(m, fn.body)
	return m.usage.Paths, m.dynamic
}

type mentioner struct {
	finder
	dynamic bool
}

func (m *mentioner) assign(s *stmt) {
	each(m, s.values)
	each(m, s.targets)
	if s.fn != nil {
		m.function(s.fn)
	}
}

func (m *mentioner) function(fn *function) { walk(m, fn.body) }

func (m *mentioner) expr(e expr) {
	switch e := e.(type) {
	case *nameRef:
		if e.v == nil {
			m.mention(m.src[e.start:e.end])
		}
	case *literal:
		if text := stringValue(e, m.src); strings.Contains(text, ".") {
			m.note(&m.usage.Paths, 'p', text)
		}
	case *suffixed:
		m.suffixed(e)
	default:
		inside(m, e)
	}
}

// mention notes a path that src has as a value; what it does with it is not looked at.
func (m *mentioner) mention(path ...string) {
	if len(path) == 1 && (path[0] == "call" || path[0] == "_G" || path[0] == "_ENV") {
		m.dynamic = true
	}
	m.note(&m.usage.Paths, 'p', path...)
}

func (m *mentioner) suffixed(e *suffixed) {
	path, n := m.globalPath(e)
	switch {
	case len(path) == 0:
		m.expr(e.base)
	case len(path) == 1 && path[0] == "call" && n < len(e.parts) && e.parts[n].kind == partCall &&
		len(e.parts[n].args) > 0 && stringValue(e.parts[n].args[0], m.src) != "":
		m.note(&m.usage.Paths, 'p', stringValue(e.parts[n].args[0], m.src))
	default:
		m.mention(path...)
	}
	for i := range e.parts {
		each(m, e.parts[i].args)
	}
}
