package vm

import (
	"strings"
	"unsafe"
	"weak"

	lua "github.com/Shopify/go-lua"

	"almanac/session/syntax"
)

// This file depends on how the engine keeps functions in memory, as engine.go does for tables, and finds the source
// text of a function. The engine's public API can neither make a closure of a function nested in a chunk nor say where
// one came from; the mirrors can, and newClosures fails if they are wrong.

// A closure mirrors the engine's luaClosure.
type closure struct {
	prototype *prototype
	upValues  []*cell
}

// A cell mirrors the engine's upValue: a variable that closures share. An open one holds the place of a stack, whose
// value only the engine can fetch.
type cell struct{ home any }

// A prototype mirrors the engine's prototype: what is the same for all closures of one function of a source text.
type prototype struct {
	constants      []any
	code           []instruction
	prototypes     []prototype
	lineInfo       []int32
	localVariables []localVariable
	upValues       []upValueName
	_              *closure // the last one made
	source         string
	lineDefined    int
	// number is the engine's lastLineDefined. Only debug.getinfo shows it, which no script has; remember puts the
	// number of the function in its chunk there.
	number                       int
	parameterCount, maxStackSize int
	isVarArg                     bool
}

type localVariable struct {
	name       string
	start, end int
}

type upValueName struct {
	name    string
	isLocal bool
	index   int
}

// A chunk is a source text that was loaded, as it was before it was normalised.
type chunk struct {
	name, source string
	functions    int                  // how many it has as the engine sees it, the main one among them
	declared     []syntax.Declaration // the functions in source, nil until they were asked for
	// main is set for chunks of the prelude, which every machine has.
	main *prototype
}

// closures holds the type word of the engine's closures and the chunks that functions came from.
type closures struct {
	closureType unsafe.Pointer
	// chunks finds a chunk by the address of the name in its prototypes. The key is weak: a chunk is forgotten when no
	// function of it is left.
	chunks  map[weak.Pointer[byte]]*chunk
	sweepAt int
	prelude map[string]*chunk
}

const firstSweep = 64

// newClosures derives the layout of functions and verifies it with known functions.
func newClosures() (y closures, err error) {
	defer func() {
		if recover() != nil {
			err = errLayout
		}
	}()
	l := lua.NewState()
	const text = "local a, b = 1, 2\nreturn function() return a end,\nfunction(c, ...) a = b end"
	if err := l.Load(strings.NewReader(text), "=check", "t"); err != nil {
		return y, err
	}
	w := words(l.ToValue(-1))
	y = closures{closureType: w.typ, chunks: map[weak.Pointer[byte]]*chunk{}, prelude: map[string]*chunk{},
		sweepAt: firstSweep}
	main := (*closure)(w.data).prototype
	l.Call(0, 2)
	f, g := y.closure(l.ToValue(-2)), y.closure(l.ToValue(-1))
	if len(main.prototypes) != 2 || main.source != "=check" || !main.isVarArg || main.lineDefined != 0 ||
		f.prototype != &main.prototypes[0] || g.prototype != &main.prototypes[1] || g.prototype.lineDefined != 3 ||
		g.prototype.number != 3 || g.prototype.parameterCount != 1 || len(g.upValues) != 2 ||
		len(g.prototype.upValues) != 2 || g.prototype.upValues[0].name != "b" && g.prototype.upValues[1].name != "b" ||
		f.upValues[0].home != 1.0 || f.upValues[0] != g.upValues[0] && f.upValues[0] != g.upValues[1] {
		return y, errLayout
	}
	push(l, y.closureValue(&closure{prototype: f.prototype, upValues: []*cell{{home: "made"}}}))
	l.Call(0, 1)
	if l.ToValue(-1) != "made" {
		return y, errLayout
	}
	return y, nil
}

// closure returns v as a Lua function, or nil.
func (y *closures) closure(v any) *closure {
	if w := words(v); w.typ == y.closureType {
		return (*closure)(w.data)
	}
	return nil
}

// closureValue is the reverse of closures.closure.
func (y *closures) closureValue(c *closure) any {
	var v any
	w := (*wordPair)(unsafe.Pointer(&v))
	w.typ, w.data = y.closureType, unsafe.Pointer(c)
	return v
}

// mark is the name that the engine gets for a chunk: a string of its own, so that its address tells chunks of one
// name apart. The padding keeps the runtime from putting it into one block with other small strings.
func mark(name string) string {
	padded := "=" + name + strings.Repeat(" ", 16)
	return padded[:len(padded)-16]
}

// remember keeps the source of the chunk that was just loaded under the mark name, for as long as a function of it
// lives, and numbers its functions.
func (y *closures) remember(loaded any, name, source string) {
	main := y.closure(loaded).prototype
	n := 0
	enumerate(main, func(p *prototype) { p.number = n; n++ })
	if len(y.chunks) >= y.sweepAt {
		for key := range y.chunks {
			if key.Value() == nil {
				delete(y.chunks, key)
			}
		}
		y.sweepAt = max(firstSweep, 2*len(y.chunks))
	}
	y.chunks[weak.Make(unsafe.StringData(main.source))] = &chunk{name: name, source: source, functions: n}
}

// keepPrelude records that every machine has the chunk just loaded.
func (y *closures) keepPrelude(loaded any, name string) {
	main := y.closure(loaded).prototype
	c := y.origin(main)
	c.main = main
	y.prelude[name] = c
}

// enumerate calls f for p and all functions in it, in an order that depends on the source alone.
func enumerate(p *prototype, f func(p *prototype)) {
	f(p)
	for i := range p.prototypes {
		enumerate(&p.prototypes[i], f)
	}
}

// origin is the chunk that a function came from, or nil.
func (y *closures) origin(p *prototype) *chunk {
	return y.chunks[weak.Make(unsafe.StringData(p.source))]
}

// functionName is the name of a function in the source, "" if it has none.
func (y *closures) functionName(p *prototype) string {
	c := y.origin(p)
	if c == nil {
		return ""
	}
	if c.declared == nil {
		c.declared = syntax.Declarations(c.source)
	}
	// Normalised code has one function or two around those of the source.
	if i := p.number - (c.functions - len(c.declared)); i >= 0 && i < len(c.declared) {
		return c.declared[i].Name
	}
	return ""
}

// captured is the value in upvalue i of c, counted from 0; v is c as a value.
func (m *Machine) captured(c *closure, v any, i int) any {
	switch home := c.upValues[i].home.(type) {
	case nil, bool, float64, string:
		return home
	}
	l := m.maker
	l.SetTop(0)
	push(l, v)
	lua.UpValue(l, 1, i+1)
	value := m.raw(l, 2)
	l.SetTop(0)
	return value
}
