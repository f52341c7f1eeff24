package vm

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
)

// This file transfers a compiled prelude from one process to another. Parsing its source is nearly all the cost of a
// new machine, some 5 ms, while reading this format takes 0.3 ms; so the program parses it once and hands each kernel
// process the result. The engine's own format for compiled code takes half as long to read as parsing.
//
// The format: the number of chunks, then for each its name and its functions in order of appearance, each followed by
// those in it. Numbers are varints; floats and instructions have a fixed size; a string is spelt out where it appears
// first, under the number that it has from then on.

// A Compiled is a prelude compiled by Compile. It is trusted like the program itself: it must come from Compile of the
// same build. The zero value is an empty prelude.
type Compiled []byte

var errCompiled = errors.New("compiled prelude: not from this build")

// Compile compiles the chunks of a prelude for New. An error names the chunk.
func Compile(prelude []Chunk) (Compiled, error) {
	chunks, err := compileChunks(prelude)
	if err != nil {
		return nil, err
	}
	w := preludeCoder{writing: true, numbers: map[string]int{}}
	list(&w, &chunks, (*preludeCoder).chunk)
	return w.text, nil
}

func compileChunks(prelude []Chunk) ([]compiledChunk, error) {
	m, err := openMachine(Limits{}, Host{})
	if err != nil {
		return nil, err
	}
	chunks := make([]compiledChunk, len(prelude))
	for i, c := range prelude {
		l := m.newState()
		if err := m.load(l, c.Name, c.Source); err != nil {
			return nil, fmt.Errorf("%s: %w", c.Name, err)
		}
		chunks[i] = compiledChunk{name: c.Name, main: *m.closure(l.ToValue(-1)).prototype}
	}
	return chunks, nil
}

// chunks rebuilds the functions of a compiled prelude. It refuses most input that Compile cannot have written.
func (p Compiled) chunks() (chunks []compiledChunk, err error) {
	if len(p) == 0 {
		return nil, nil
	}
	defer func() {
		if recover() != nil {
			chunks, err = nil, errCompiled
		}
	}()
	r := preludeCoder{text: p, all: string(p)}
	list(&r, &chunks, (*preludeCoder).chunk)
	if len(r.text) > 0 {
		return nil, errCompiled
	}
	return chunks, nil
}

type compiledChunk struct {
	name string
	main prototype
}

// A preludeCoder writes or reads, depending on its direction: each method codes one kind of value. It panics on
// malformed text.
type preludeCoder struct {
	writing bool
	text    []byte         // written so far, or left to read
	numbers map[string]int // of strings, while writing
	strings []string       // while reading, parts of all
	all     string
	source  string // of the chunk that is read
}

func (c *preludeCoder) chunk(k *compiledChunk) {
	c.string(&k.name)
	c.source = mark(k.name)
	c.function(&k.main)
}

func (c *preludeCoder) function(p *prototype) {
	if !c.writing {
		p.source = c.source
	}
	for _, n := range []*int{&p.lineDefined, &p.parameterCount, &p.maxStackSize} {
		c.number(n)
	}
	c.flag(&p.isVarArg)
	list(c, &p.code, (*preludeCoder).instruction)
	list(c, &p.constants, (*preludeCoder).constant)
	line := int32(0)
	list(c, &p.lineInfo, func(c *preludeCoder, at *int32) {
		n := int(*at-line) & math.MaxUint32 // lines go back, too, in a loop
		c.number(&n)
		line += int32(n)
		*at = line
	})
	list(c, &p.localVariables, func(c *preludeCoder, v *localVariable) {
		c.string(&v.name)
		c.number(&v.start)
		c.number(&v.end)
	})
	list(c, &p.upValues, func(c *preludeCoder, v *upValueName) {
		c.string(&v.name)
		c.flag(&v.isLocal)
		c.number(&v.index)
	})
	list(c, &p.prototypes, (*preludeCoder).function)
}

func list[T any](c *preludeCoder, items *[]T, item func(*preludeCoder, *T)) {
	n := len(*items)
	c.number(&n)
	if !c.writing {
		if n > len(c.text) { // each takes a byte at least
			panic(errCompiled)
		}
		*items = make([]T, n)
	}
	for i := range *items {
		item(c, &(*items)[i])
	}
}

func (c *preludeCoder) number(n *int) {
	if c.writing {
		c.text = binary.AppendUvarint(c.text, uint64(*n))
		return
	}
	v, size := binary.Uvarint(c.text)
	if size <= 0 {
		panic(errCompiled)
	}
	*n, c.text = int(v), c.text[size:]
}

func (c *preludeCoder) flag(v *bool) {
	n := int(bit(*v))
	c.number(&n)
	*v = n == 1
}

func (c *preludeCoder) instruction(i *instruction) {
	if c.writing {
		c.text = binary.LittleEndian.AppendUint32(c.text, uint32(*i))
		return
	}
	*i, c.text = instruction(binary.LittleEndian.Uint32(c.text)), c.text[4:]
}

func (c *preludeCoder) string(s *string) {
	if !c.writing {
		var n int
		if c.number(&n); n < len(c.strings) {
			*s = c.strings[n]
			return
		}
		var size int
		c.number(&size)
		at := len(c.all) - len(c.text)
		*s, c.text = c.all[at:at+size], c.text[size:]
		c.strings = append(c.strings, *s)
		return
	}
	n, known := c.numbers[*s]
	if !known {
		n = len(c.numbers)
		c.numbers[*s] = n
	}
	if c.number(&n); !known {
		size := len(*s)
		c.number(&size)
		c.text = append(c.text, *s...)
	}
}

// constant codes nil, a boolean, a number or a string behind a number that says which.
func (c *preludeCoder) constant(v *any) {
	const null, boolean, float, text = 0, 1, 2, 3
	var kind int
	var b bool
	var f float64
	var s string
	switch x := (*v).(type) {
	case nil:
	case bool:
		kind, b = boolean, x
	case float64:
		kind, f = float, x
	case string:
		kind, s = text, x
	default:
		panic(fmt.Sprintf("constant of type %T", x))
	}
	c.number(&kind)
	switch kind {
	case null:
	case boolean:
		c.flag(&b)
		*v = b
	case float:
		bits := math.Float64bits(f)
		low, high := instruction(bits), instruction(bits>>32)
		c.instruction(&low)
		c.instruction(&high)
		*v = math.Float64frombits(uint64(high)<<32 | uint64(low))
	case text:
		c.string(&s)
		*v = s
	default:
		panic(errCompiled)
	}
}
