//go:build luasuite

package vm

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	lua "github.com/Shopify/go-lua"

	"almanac/session/syntax"
)

// This file gives the official test suite the functions that its files need for testing the language and that scripts
// do not have. None of it exists outside this test.

// A suiteHost is a machine with a load of its own and an assert that counts.
type suiteHost struct {
	*Machine
	t           testing.TB
	ran, passed int
	files       map[string]string // written through io.output
	output      string
}

func newSuiteHost(t testing.TB) *suiteHost {
	h := &suiteHost{t: t, files: map[string]string{}}
	m, err := New(suiteLimits, Host{Write: func(_ Stream, text string) {
		if h.output != "" {
			h.files[h.output] += text
		}
	}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(m.Close)
	h.Machine = m
	m.limits.Output = 1 << 30
	assert := m.names.hash["assert"]
	m.global("assert", func(c call) int {
		h.ran++
		if c.l.ToBoolean(1) {
			h.passed++
			return c.top()
		}
		c.room(1)
		push(c.l, assert)
		c.l.Insert(1)
		c.l.Call(c.top()-1, 0)
		return 0
	})
	for _, name := range []string{"_port", "_no32", "_noformatA", "_nolonglong", "_noposix", "_nomsg"} {
		m.names.put(name, true)
	}
	m.names.put("_noformatA", nil)
	m.global("load", h.loadText)
	m.global("dofile", func(c call) int {
		text, ok := h.files[c.string(1)]
		if !ok {
			c.fail("no file %s", c.string(1))
		}
		c.l.SetTop(0)
		if err := h.load(c.l, "file", text); err != nil {
			c.fail("%s", err)
		}
		c.l.Call(0, lua.MultipleReturns)
		return c.top()
	})
	h.openModules()
	loaded := m.newTable(0, 16)
	for name, library := range m.libraries {
		loaded.put(name, true)
		m.names.put(name, m.value(library)) // not sealed: files add to them
	}
	loaded.put("_G", true)
	pack := m.newTable(0, 1)
	pack.put("loaded", m.value(loaded))
	m.names.put("package", m.value(pack))
	h.openDebug()
	return h
}

// loadText is load for text: a string, or a function that gives the pieces.
func (h *suiteHost) loadText(c call) int {
	source, ok := c.raw(1).(string)
	if !ok {
		var b strings.Builder
		for {
			c.room(2)
			push(c.l, c.function(1))
			if err := c.l.ProtectedCall(0, 1, 1); err != nil {
				problem := c.raw(c.top())
				if h.fatal != nil {
					panic(errStop)
				}
				return c.give(nil, problem)
			}
			piece := c.raw(c.top())
			c.l.Pop(1)
			if piece == nil || piece == "" {
				break
			}
			text, ok := piece.(string)
			if !ok {
				return c.give(nil, "reader function must return a string")
			}
			b.WriteString(text)
		}
		source = b.String()
	}
	name := suiteChunkName(c.optString(2, source))
	if mode := c.optString(3, "bt"); !strings.Contains(mode, "t") {
		return c.give(nil, "attempt to load a text chunk (mode is '"+mode+"')")
	}
	if strings.HasPrefix(source, "#") {
		return c.give(nil, name+":1: unexpected symbol near '#'") // a first line of that kind is for files only
	}
	hasEnv, env := c.top() >= 4, c.raw(4)
	h.sources[name] = source
	c.l.SetTop(0)
	if err := h.load(c.l, name, source); err != nil {
		message := err.Error()
		if bad, ok := err.(*syntax.Error); ok {
			message = fmt.Sprintf("%s:%d: %s", name, bad.Pos.Line, bad.Message)
		}
		return c.give(nil, message)
	}
	if hasEnv {
		push(c.l, env)
		lua.SetUpValue(c.l, 1, 1)
	}
	return 1
}

// suiteChunkName is how messages name a chunk, as in luaO_chunkid.
func suiteChunkName(name string) string {
	switch {
	case strings.HasPrefix(name, "="), strings.HasPrefix(name, "@"):
		return clip(name[1:], 59)
	}
	// A colon would end the name where the machine takes messages apart.
	first, _, more := strings.Cut(strings.ReplaceAll(name, ":", "_"), "\n")
	const width = 60 - len(`[string "..."]`) - 1
	if len(first) > width {
		first, more = first[:width], true
	}
	if more {
		first += "..."
	}
	return `[string "` + first + `"]`
}

func (h *suiteHost) runFile(file string) error {
	source := readSuiteFile(h.t, file)
	name := filepath.Base(file)
	reply := h.Run(Script{Source: source, Name: name})
	if reply.Err != nil {
		return fmt.Errorf("%w\n%s", reply.Err, strings.Join(reply.Err.Traceback, "\n"))
	}
	if want := wantResults[name]; want != "" && (len(reply.Values) == 0 || reply.Values[0].Repr != want) {
		return fmt.Errorf("returned %v, want %s", reply.Values, want)
	}
	return nil
}

// openModules makes require for what is there already, and io.output, io.close, os.tmpname and os.remove for one file
// in memory.
func (h *suiteHost) openModules() {
	m := h.Machine
	m.global("require", func(c call) int {
		v := m.names.hash[c.string(1)]
		if v == nil {
			c.fail("module '%s' not found", c.string(1))
		}
		return c.give(v)
	})
	files, system := m.library("io"), m.library("os")
	files.put("output", m.function("output", func(c call) int { h.output = c.string(1); return 0 }))
	files.put("close", m.function("close", func(c call) int { h.output = ""; return 0 }))
	system.put("tmpname", m.function("tmpname", func(c call) int { return c.give("temporary") }))
	system.put("remove", m.function("remove", func(c call) int { delete(h.files, c.string(1)); return c.give(true) }))
	system.put("setlocale", m.function("setlocale", func(c call) int {
		if name := c.optString(1, "C"); name == "C" || name == "" {
			return c.give("C")
		}
		return c.give(nil)
	}))
}

// openDebug makes what of debug the files use to test the language: lines, names, upvalues.
func (h *suiteHost) openDebug() {
	m := h.Machine
	debug := m.library("debug")
	debug.put("getinfo", m.function("getinfo", h.getInfo))
	debug.put("getupvalue", m.function("getupvalue", func(c call) int {
		n := c.int(2)
		if _, ok := lua.UpValue(c.l, 1, n); !ok {
			return 0
		}
		name, _ := lua.UpValue(c.l, 1, n)
		return c.give(name, c.raw(c.top()))
	}))
	debug.put("setupvalue", m.function("setupvalue", func(c call) int {
		name, ok := lua.SetUpValue(c.l, 1, c.int(2))
		if !ok {
			return 0
		}
		return c.give(name)
	}))
}

func (h *suiteHost) getInfo(c call) int {
	t := h.newTable(0, 6)
	if n, ok := c.raw(1).(float64); ok {
		f, ok := frameAt(c.l, int(n))
		if !ok {
			return c.give(nil)
		}
		t.put("currentline", float64(f.line))
		t.put("linedefined", float64(f.defined))
		t.put("short_src", f.chunk)
		if caller := c.m.activationAt(c.l, int(n)+1); caller != nil {
			t.put("name", caller.origin(caller.code[caller.at].a(), caller.at).name)
		}
		return c.give(h.value(t))
	}
	c.l.PushValue(1)
	d, _ := lua.Info(c.l, ">S", nil)
	source := strings.TrimPrefix(d.Source, "=")
	t.put("source", strings.TrimSuffix(strings.TrimPrefix(source, `[string "`), `"]`))
	t.put("short_src", d.ShortSource)
	t.put("linedefined", float64(d.LineDefined))
	t.put("what", d.What)
	return c.give(h.value(t))
}
