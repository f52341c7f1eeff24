package vm

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
)

// This file carries a compiled prelude from one process to another. To parse its source is nearly all that a new
// machine costs; the program does it once and hands each kernel the result. The engine's own format for compiled code
// is not used: reading it takes half as long as parsing.
//
// The format: a count of functions and of their parts (see totals), the strings, the constants, then for each chunk its
// name and its functions in order of appearance, each followed by those in it. Numbers are varints; floats and
// instructions have a fixed size.

// A Compiled is a prelude as Compile made it. It is trusted like the program itself: NewCompiled must get it from
// Compile of the same build. The zero value is an empty prelude.
type Compiled []byte

var errCompiled = errors.New("compiled prelude: not from this build")

// Compile makes of the chunks of a prelude what NewCompiled takes. An error names the chunk.
func Compile(prelude []Chunk) (Compiled, error) {
	m, err := New(Limits{}, Host{}, nil)
	if err != nil {
		return nil, err
	}
	defer m.Close()
	w := compiledWriter{numbers: map[string]int{}, constants: map[any]int{}}
	w.body.number(len(prelude))
	for _, c := range prelude {
		l := m.newState()
		if err := m.load(l, c.Name, c.Source); err != nil {
			return nil, fmt.Errorf("%s: %w", c.Name, err)
		}
		w.body.number(w.text(c.Name))
		w.function(m.closure(l.ToValue(-1)).prototype)
	}
	return w.finish(), nil
}

// NewCompiled is New with a prelude that Compile made.
func NewCompiled(l Limits, h Host, prelude Compiled) (*Machine, error) {
	m, err := openMachine(l, h)
	if err != nil {
		return nil, err
	}
	chunks, err := prelude.chunks()
	if err != nil {
		return nil, err
	}
	host := m.hostTable()
	for _, c := range chunks {
		l := m.newState()
		push(l, m.closureValue(&closure{prototype: c.main, upValues: []*cell{{}}}))
		m.remember(l.ToValue(-1), c.name, "")
		if err := m.runPrelude(l, c.name, host); err != nil {
			return nil, err
		}
	}
	m.ready()
	return m, nil
}

// chunks makes the functions of a compiled prelude. It refuses what Compile cannot have written, as far as that shows.
func (p Compiled) chunks() (chunks []compiledChunk, err error) {
	if len(p) == 0 {
		return nil, nil
	}
	defer func() {
		if recover() != nil {
			chunks, err = nil, errCompiled
		}
	}()
	r := newCompiledReader(p)
	chunks = make([]compiledChunk, r.count())
	for i := range chunks {
		name := r.text()
		r.source = mark(name)
		main := new(prototype)
		r.function(main)
		chunks[i] = compiledChunk{name: name, main: main}
	}
	if len(r.rest) > 0 {
		return nil, errCompiled
	}
	return chunks, nil
}

type compiledChunk struct {
	name string
	main *prototype
}

// totals counts what all functions have together, so that a reader makes few and large slices.
type totals struct{ prototypes, code, constants, lines, locals, upValues int }

func (t *totals) all() []*int {
	return []*int{&t.prototypes, &t.code, &t.constants, &t.lines, &t.locals, &t.upValues}
}

type compiledBuffer []byte

func (b *compiledBuffer) number(n int)       { *b = binary.AppendUvarint(*b, uint64(n)) }
func (b *compiledBuffer) word(n uint32)      { *b = binary.LittleEndian.AppendUint32(*b, n) }
func (b *compiledBuffer) difference(n int64) { *b = binary.AppendVarint(*b, n) }

func (b *compiledBuffer) flag(v bool) {
	n := 0
	if v {
		n = 1
	}
	b.number(n)
}

type compiledWriter struct {
	totals    totals
	strings   []string
	numbers   map[string]int // of strings
	constants map[any]int
	values    compiledBuffer // the constants
	body      compiledBuffer
}

// text is the number of a string.
func (w *compiledWriter) text(s string) int {
	n, ok := w.numbers[s]
	if !ok {
		n = len(w.strings)
		w.numbers[s] = n
		w.strings = append(w.strings, s)
	}
	return n
}

// constant is the number of a constant.
func (w *compiledWriter) constant(v any) int {
	key := v
	if f, ok := v.(float64); ok {
		key = math.Float64bits(f) // 0 and -0 are equal
	}
	if n, ok := w.constants[key]; ok {
		return n
	}
	n := len(w.constants)
	w.constants[key] = n
	switch v := v.(type) {
	case nil:
		w.values = append(w.values, 'n')
	case bool:
		w.values = append(w.values, 'b')
		w.values.flag(v)
	case float64:
		w.values = append(w.values, 'f')
		w.values = binary.LittleEndian.AppendUint64(w.values, math.Float64bits(v))
	case string:
		w.values = append(w.values, 's')
		w.values.number(w.text(v))
	default:
		panic(fmt.Sprintf("constant of type %T", v))
	}
	return n
}

func (w *compiledWriter) function(p *prototype) {
	b := &w.body
	for _, n := range []int{p.lineDefined, p.parameterCount, p.maxStackSize} {
		b.number(n)
	}
	b.flag(p.isVarArg)
	b.number(len(p.code))
	for _, c := range p.code {
		b.word(uint32(c))
	}
	b.number(len(p.constants))
	for _, v := range p.constants {
		b.number(w.constant(v))
	}
	b.number(len(p.lineInfo))
	last := int32(0)
	for _, line := range p.lineInfo {
		b.difference(int64(line - last))
		last = line
	}
	b.number(len(p.localVariables))
	for _, v := range p.localVariables {
		b.number(w.text(v.name))
		b.number(v.start)
		b.number(v.end)
	}
	b.number(len(p.upValues))
	for _, v := range p.upValues {
		b.number(w.text(v.name))
		b.flag(v.isLocal)
		b.number(v.index)
	}
	b.number(len(p.prototypes))
	t := &w.totals
	t.prototypes += len(p.prototypes)
	t.code += len(p.code)
	t.constants += len(p.constants)
	t.lines += len(p.lineInfo)
	t.locals += len(p.localVariables)
	t.upValues += len(p.upValues)
	for i := range p.prototypes {
		w.function(&p.prototypes[i])
	}
}

func (w *compiledWriter) finish() Compiled {
	var out compiledBuffer
	for _, n := range w.totals.all() {
		out.number(*n)
	}
	size := 0
	out.number(len(w.strings))
	for _, s := range w.strings {
		out.number(len(s))
		size += len(s)
	}
	out.number(size)
	for _, s := range w.strings {
		out = append(out, s...)
	}
	out.number(len(w.constants))
	out = append(out, w.values...)
	return Compiled(append(out, w.body...))
}

// The parts of a prototype that have no name there.
type (
	localVariable = struct {
		name       string
		start, end int
	}
	upValueName = struct {
		name    string
		isLocal bool
		index   int
	}
)

// A compiledReader hands out parts of the slices that it made for all functions. It panics where the text is not what
// a writer wrote.
type compiledReader struct {
	rest      []byte
	strings   []string
	constants []any
	source    string

	prototypes []prototype
	code       []instruction
	values     []any
	lines      []int32
	locals     []localVariable
	upValues   []upValueName
}

func newCompiledReader(p Compiled) *compiledReader {
	r := &compiledReader{rest: p}
	var t totals
	for _, n := range t.all() {
		*n = r.count()
	}
	r.strings = make([]string, r.count())
	sizes := make([]int, len(r.strings))
	for i := range sizes {
		sizes[i] = r.number()
	}
	size := r.number()
	all := string(r.rest[:size])
	r.rest = r.rest[size:]
	for i, n := range sizes {
		r.strings[i], all = all[:n], all[n:]
	}
	r.constants = make([]any, r.count())
	for i := range r.constants {
		r.constants[i] = r.constant()
	}
	r.prototypes = make([]prototype, t.prototypes)
	r.code = make([]instruction, t.code)
	r.values = make([]any, t.constants)
	r.lines = make([]int32, t.lines)
	r.locals = make([]localVariable, t.locals)
	r.upValues = make([]upValueName, t.upValues)
	return r
}

func (r *compiledReader) number() int {
	n, size := binary.Uvarint(r.rest)
	r.rest = r.rest[r.cut(size):]
	return int(n)
}

// cut is the size of a varint, which is not there when it is not positive.
func (r *compiledReader) cut(size int) int {
	if size <= 0 {
		panic(errCompiled)
	}
	return size
}

// count is a number of things that take a byte each at least.
func (r *compiledReader) count() int {
	n := r.number()
	if n > len(r.rest) {
		panic(errCompiled)
	}
	return n
}

func (r *compiledReader) difference() int32 {
	n, size := binary.Varint(r.rest)
	r.rest = r.rest[r.cut(size):]
	return int32(n)
}

func (r *compiledReader) text() string { return r.strings[r.number()] }
func (r *compiledReader) flag() bool   { return r.number() == 1 }

func (r *compiledReader) constant() any {
	kind := r.rest[0]
	r.rest = r.rest[1:]
	switch kind {
	case 'n':
		return nil
	case 'b':
		return r.flag()
	case 'f':
		bits := binary.LittleEndian.Uint64(r.rest)
		r.rest = r.rest[8:]
		return math.Float64frombits(bits)
	case 's':
		return r.text()
	}
	panic(errCompiled)
}

// part cuts n items off the front of a slice.
func part[T any](from *[]T, n int) []T {
	out := (*from)[:n:n]
	*from = (*from)[n:]
	return out
}

func (r *compiledReader) function(p *prototype) {
	p.source = r.source
	p.lineDefined, p.parameterCount, p.maxStackSize = r.number(), r.number(), r.number()
	p.isVarArg = r.flag()
	p.code = part(&r.code, r.number())
	for i := range p.code {
		p.code[i] = instruction(binary.LittleEndian.Uint32(r.rest[4*i:]))
	}
	r.rest = r.rest[4*len(p.code):]
	p.constants = part(&r.values, r.number())
	for i := range p.constants {
		p.constants[i] = r.constants[r.number()]
	}
	p.lineInfo = part(&r.lines, r.number())
	line := int32(0)
	for i := range p.lineInfo {
		line += r.difference()
		p.lineInfo[i] = line
	}
	p.localVariables = part(&r.locals, r.number())
	for i := range p.localVariables {
		p.localVariables[i] = localVariable{r.text(), r.number(), r.number()}
	}
	p.upValues = part(&r.upValues, r.number())
	for i := range p.upValues {
		p.upValues[i] = upValueName{r.text(), r.flag(), r.number()}
	}
	p.prototypes = part(&r.prototypes, r.number())
	for i := range p.prototypes {
		r.function(&p.prototypes[i])
	}
}
