package vm

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"math"

	lua "github.com/Shopify/go-lua"
)

// A stateReader rebuilds the graph of a snapshot. It keeps its first error and reads nothing after it. Its allocations
// are bounded by a fixed multiple of the input.
type stateReader struct {
	m       *Machine
	rest    []byte
	err     error
	objects []restored
	done    int // objects that were read
	texts   []string
	chunks  []restoredChunk
	ranks   ranks
	random  []byte         // the state of a seeded generator; empty for one that is not
	stands  map[*table]any // stand-ins of the state, by what is behind them

	ofObjects, ofTexts, ofChunks mentioned
}

// A restored object is a table, a function or a variable; the first mention of it says which.
type restored struct {
	tag      byte
	table    *table
	function *closure
	variable *cell
}

// A restoredChunk is a chunk with its functions in the order of their numbers.
type restoredChunk struct {
	*chunk
	functions []*prototype
}

// A restoredGlobal is one entry of the table of globals.
type restoredGlobal struct {
	key, value any
	kept       bool
}

var errGarbled = errors.New("garbled")

// read checks data and returns the globals in it.
func (r *stateReader) read(data []byte) ([]restoredGlobal, error) {
	const head, foot = len(snapshotMagic) + 1, 4
	if len(data) < head+foot || string(data[:len(snapshotMagic)]) != snapshotMagic {
		return nil, errors.New("not a snapshot")
	}
	if version := data[head-1]; version != snapshotVersion {
		return nil, fmt.Errorf("of version %d, not %d", version, snapshotVersion)
	}
	body := data[:len(data)-foot]
	if crc32.Checksum(body, snapshotSum) != binary.LittleEndian.Uint32(data[len(body):]) {
		return nil, errGarbled
	}
	r.rest = body[head:]
	var globals []restoredGlobal
	for r.flag() {
		g := restoredGlobal{kept: r.flag(), key: r.key(), value: r.value()}
		for r.done < len(r.objects) && r.err == nil {
			o := r.objects[r.done]
			r.done++
			r.object(o)
		}
		globals = append(globals, g)
	}
	if r.random = r.rest; len(r.random) != 0 && len(r.random) != generatorSize {
		r.fail(errGarbled)
	}
	return globals, r.err
}

// fail keeps the first error and leaves nothing to read.
func (r *stateReader) fail(err error) {
	if r.err == nil {
		r.err = err
	}
	r.rest = nil
}

func (r *stateReader) byte() byte {
	if len(r.rest) == 0 {
		r.fail(errGarbled)
		return 0
	}
	b := r.rest[0]
	r.rest = r.rest[1:]
	return b
}

func (r *stateReader) flag() bool {
	b := r.byte()
	if b > 1 {
		r.fail(errGarbled)
	}
	return b == 1 && r.err == nil
}

func (r *stateReader) number() uint64 {
	n, size := binary.Uvarint(r.rest)
	if size <= 0 {
		r.fail(errGarbled)
		return 0
	}
	r.rest = r.rest[size:]
	return n
}

// signed reads a zigzag number.
func (r *stateReader) signed() int64 {
	n, size := binary.Varint(r.rest)
	if size <= 0 {
		r.fail(errGarbled)
		return 0
	}
	r.rest = r.rest[size:]
	return n
}

// count reads the length of what takes at least a byte for each item.
func (r *stateReader) count() int {
	n := r.number()
	if n > uint64(len(r.rest)) {
		r.fail(errGarbled)
		return 0
	}
	return int(n)
}

// mention reads one of n things; fresh says that it is the next new one.
func (r *stateReader) mention(of *mentioned, n int) (i int, fresh bool) {
	mention := r.number()
	if mention == 0 || r.err != nil {
		if n >= math.MaxUint32 {
			r.fail(errGarbled)
		}
		of.add(uint32(n))
		return n, true
	}
	at, ok := of.find(mention, n)
	if !ok {
		r.fail(errGarbled)
		return 0, true
	}
	return int(at), false
}

// text reads a text with its tag.
func (r *stateReader) text() string {
	switch r.byte() {
	case tagText:
		return r.newText()
	case tagTextAgain:
		return r.textAgain()
	}
	r.fail(errGarbled)
	return ""
}

func (r *stateReader) newText() string {
	n := r.count()
	s := string(r.rest[:n])
	r.rest = r.rest[n:]
	r.ofTexts.add(uint32(len(r.texts)))
	r.texts = append(r.texts, s)
	return s
}

func (r *stateReader) textAgain() string {
	i, fresh := r.mention(&r.ofTexts, len(r.texts))
	if fresh {
		r.fail(errGarbled)
		return ""
	}
	return r.texts[i]
}

func (r *stateReader) value() any {
	switch tag := r.byte(); tag {
	case tagNil:
		return nil
	case tagFalse, tagTrue:
		return tag == tagTrue
	case tagNull:
		return r.m.null
	case tagInt:
		return float64(r.signed())
	case tagFloat:
		if len(r.rest) < 8 {
			r.fail(errGarbled)
			return nil
		}
		bits := binary.LittleEndian.Uint64(r.rest)
		r.rest = r.rest[8:]
		return math.Float64frombits(bits)
	case tagText:
		return r.newText()
	case tagTextAgain:
		return r.textAgain()
	case tagInteger:
		return r.m.integerValue(r.signed())
	case tagAction:
		return r.action()
	case tagPermanent:
		p := r.permanent()
		if p.value == nil {
			r.fail(errGarbled)
		}
		return p.value
	case tagTable:
		return r.m.value(r.reference(tag).table)
	case tagFrozen:
		return r.stand()
	case tagFunction:
		return r.m.closureValue(r.reference(tag).function)
	}
	r.fail(errGarbled)
	return nil
}

// key reads a value that can be a key of a table.
func (r *stateReader) key() any {
	k := r.value()
	if f, ok := k.(float64); k == nil || ok && math.IsNaN(f) {
		r.fail(errGarbled)
		return false
	}
	if keyRank(k) == 3 {
		r.ranks.add(k)
	}
	return k
}

func (r *stateReader) action() any {
	path := r.text()
	if len(path) > maxPath {
		r.fail(errGarbled)
	}
	return r.m.actionValue(path)
}

// permanent finds one by its name.
func (r *stateReader) permanent() permanent {
	name := r.text()
	p, ok := r.m.permanents.byName[name]
	if !ok && r.err == nil {
		r.fail(fmt.Errorf("%q is not in this machine", name))
	}
	return p
}

// stand reads a stand-in of the state.
func (r *stateReader) stand() any {
	if r.byte() != tagTable {
		r.fail(errGarbled)
		return nil
	}
	real := r.reference(tagTable).table
	if real == nil {
		return nil
	}
	if r.stands[real] == nil {
		if r.stands == nil {
			r.stands = map[*table]any{}
		}
		r.stands[real] = r.m.standFor(real)
	}
	return r.stands[real]
}

// reference finds the object of a mention, or creates it when first mentioned.
func (r *stateReader) reference(tag byte) restored {
	i, fresh := r.mention(&r.ofObjects, len(r.objects))
	if !fresh && r.objects[i].tag == tag {
		return r.objects[i]
	}
	if !fresh {
		r.fail(errGarbled)
	}
	o := restored{tag: tag}
	switch tag {
	case tagTable:
		o.table = r.m.newTable(0, 0)
	case tagFunction:
		o.function = &closure{}
	case tagVariable:
		o.variable = &cell{}
	}
	if r.err == nil {
		r.objects = append(r.objects, o)
	}
	return o
}

// object reads what is in an object that was mentioned.
func (r *stateReader) object(o restored) {
	switch o.tag {
	case tagTable:
		r.table(o.table)
	case tagFunction:
		r.function(o.function)
	case tagVariable:
		o.variable.home = r.value()
	}
}

func (r *stateReader) table(t *table) {
	if n := r.count(); n > 0 {
		t.array = make([]any, n)
	}
	for i := range t.array {
		if t.array[i] = r.value(); r.err != nil {
			return
		}
	}
	for n := r.count(); n > 0 && r.err == nil; n-- {
		k := r.key()
		t.hash[k] = r.value()
	}
	switch meta := r.value(); {
	case meta != nil && r.m.table(meta) == nil:
		r.fail(errGarbled)
	case meta != nil:
		t.meta = r.m.table(meta)
	}
}

func (r *stateReader) function(f *closure) {
	functions := r.chunk()
	i := r.number()
	if n := r.count(); i >= uint64(len(functions)) || n != len(functions[i].upValues) {
		r.fail(errGarbled)
		return
	}
	f.prototype = functions[i]
	f.upValues = make([]*cell, len(f.prototype.upValues))
	for i := range f.upValues {
		switch r.byte() {
		case tagVariable:
			f.upValues[i] = r.reference(tagVariable).variable
		case tagPermanent:
			f.upValues[i] = r.permanent().cell
		}
		if f.upValues[i] == nil {
			r.fail(errGarbled)
			return
		}
	}
}

// chunk reads the chunk of a function and returns that chunk's functions.
func (r *stateReader) chunk() []*prototype {
	i, fresh := r.mention(&r.ofChunks, len(r.chunks))
	if r.err != nil {
		return nil
	}
	if fresh {
		r.newChunk()
	}
	if r.err != nil {
		return nil
	}
	return r.chunks[i].functions
}

// newChunk compiles a source text, as it was compiled when its script ran, or finds a chunk of the prelude.
func (r *stateReader) newChunk() {
	always, name := r.flag(), r.text()
	if always {
		c := r.m.prelude[name]
		if c == nil {
			r.fail(fmt.Errorf("%q is not in this machine", name))
			return
		}
		r.addChunk(c, c.main)
		return
	}
	source := r.text()
	if r.err != nil {
		return
	}
	l := lua.NewState()
	if err := r.m.load(l, name, source); err != nil {
		r.fail(fmt.Errorf("the source of %q cannot be read again: %w", name, err))
		return
	}
	main := r.m.closure(l.ToValue(-1)).prototype
	r.addChunk(r.m.origin(main), main)
}

func (r *stateReader) addChunk(c *chunk, main *prototype) {
	added := restoredChunk{chunk: c}
	enumerate(main, func(p *prototype) { added.functions = append(added.functions, p) })
	r.chunks = append(r.chunks, added)
}
