package vm

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"maps"
	"math"
	"slices"
	"time"
	"unsafe"

	"almanac/catalog/text"
)

var snapshotSum = crc32.MakeTable(crc32.Castagnoli)

// allowance is added to the size of each object and text, since the writer remembers it.
const allowance = 64

// A stateWriter writes the graph behind the globals, one global at a time. Objects are queued until they are written,
// so that nesting does not deepen the stack.
type stateWriter struct {
	m        *Machine
	limits   SnapshotLimits
	deadline time.Time
	steps    int
	buf      []byte
	kept     int
	left     []Left

	own     int
	without map[any]bool // the globals that cannot be kept, by their keys

	// objects[i] is the object of index i; index finds it by address.
	objects      []object
	index        map[unsafe.Pointer]uint64
	ofObjects    mentions
	written      int
	textAt       map[string]uint64
	ofTexts      mentions
	chunkAt      map[*chunk]uint64
	ofChunks     mentions
	ranks        ranks
	keys, values []any // of the table that is written
	// shapes are the last keys of a table with so many of them, where all were texts: most records are like the one
	// before.
	shapes [maxShape + 1][]any

	err      *SnapshotError
	refused  string // why the present global cannot be kept
	refusals map[any]bool
}

// maxShape is the most keys of a record.
const maxShape = 64

// An object is a table or a function, or the upvalue of a function, counted from 1, when that is not zero.
type object struct {
	value   any
	upValue int
}

func newStateWriter(m *Machine, l SnapshotLimits, without map[any]bool) *stateWriter {
	w := &stateWriter{
		m: m, limits: l, deadline: time.Now().Add(l.Time), buf: make([]byte, 0, 4<<10), without: without,
		index: map[unsafe.Pointer]uint64{}, textAt: map[string]uint64{}, chunkAt: map[*chunk]uint64{}, ranks: ranks{},
		refusals: map[any]bool{},
	}
	w.buf = append(append(w.buf, snapshotMagic...), snapshotVersion)
	return w
}

// globals writes every global that can be kept.
func (w *stateWriter) globals() error {
	w.entries(w.m.session, 0, 0)
	keys := slices.Clone(w.keys)
	if list := w.m.session.array; len(list) > 0 {
		for i := range list {
			keys = append(keys, float64(i+1))
		}
		w.m.sortKeys(keys, w.m.session, nil)
	}
	if w.m.state != nil {
		keys = append(keys, stateName)
		w.m.sortKeys(keys, w.m.session, nil)
	}
	isKept := func(k any) bool {
		name, _ := k.(string)
		return w.m.kept[name]
	}
	for _, k := range keys {
		if !isKept(k) {
			w.global(k, false)
		}
	}
	if w.kept > 0 {
		w.own = len(w.buf)
	}
	for _, k := range slices.Backward(keys) {
		if isKept(k) {
			w.global(k, true)
		}
	}
	if w.err != nil {
		return w.err
	}
	w.buf = append(w.buf, 0)
	if w.m.seeded {
		w.buf = append(w.buf, w.m.generatorState()...)
	}
	return nil
}

// sealed is the whole snapshot.
func (w *stateWriter) sealed() []byte {
	return binary.LittleEndian.AppendUint32(w.buf, crc32.Checksum(w.buf, snapshotSum))
}

// global writes one global, or removes all that was written of it.
func (w *stateWriter) global(k any, kept bool) {
	v := w.m.session.get(k)
	if k == stateName && v == nil {
		v = w.m.state
	}
	if name, ok := k.(string); ok && reserved(name) || v == nil || w.without[k] || w.err != nil {
		return
	}
	size, objects, texts, chunks := len(w.buf), len(w.objects), uint64(len(w.textAt)), uint64(len(w.chunkAt))
	w.buf = append(w.buf, 1, bit(kept))
	w.rank(k)
	w.value(k)
	w.value(v)
	for w.written < len(w.objects) && w.refused == "" && w.fits() {
		o := w.objects[w.written]
		w.written++
		w.object(o)
	}
	if w.refused == "" {
		w.kept++
		return
	}
	w.left = append(w.left, Left{Name: w.m.text(nil, k), Reason: w.refused})
	w.refusals[k], w.refused = true, ""
	for _, o := range w.objects[objects:] {
		delete(w.index, w.address(o))
	}
	maps.DeleteFunc(w.textAt, func(_ string, i uint64) bool { return i >= texts })
	maps.DeleteFunc(w.chunkAt, func(_ *chunk, i uint64) bool { return i >= chunks })
	clear(w.objects[objects:])
	w.buf, w.objects, w.written = w.buf[:size], w.objects[:objects], objects
	w.ofObjects.last, w.ofTexts.last, w.ofChunks.last =
		w.ofObjects.last[:objects], w.ofTexts.last[:texts], w.ofChunks.last[:chunks]
}

func bit(b bool) byte {
	if b {
		return 1
	}
	return 0
}

// fits checks the limits now and then; false ends the writing.
func (w *stateWriter) fits() bool {
	if w.err != nil {
		return false
	}
	if len(w.buf)+allowance*(len(w.objects)+len(w.textAt)) > w.limits.Bytes {
		w.err = &SnapshotError{"larger than " + text.Bytes(int64(w.limits.Bytes))}
	} else if w.steps++; w.steps%256 == 0 && time.Now().After(w.deadline) {
		w.err = &SnapshotError{fmt.Sprintf("slower than %v to write down", w.limits.Time)}
	}
	return w.err == nil
}

func (w *stateWriter) address(o object) unsafe.Pointer {
	if o.upValue > 0 {
		return unsafe.Pointer(w.m.closure(o.value).upValues[o.upValue-1])
	}
	return words(o.value).data
}

func (w *stateWriter) number(n uint64) { w.buf = binary.AppendUvarint(w.buf, n) }

func (w *stateWriter) text(s string) {
	if i, ok := w.textAt[s]; ok {
		w.buf = append(w.buf, tagTextAgain)
		w.number(w.ofTexts.again(i))
		return
	}
	w.textAt[s] = uint64(len(w.textAt))
	w.ofTexts.add()
	w.buf = append(w.buf, tagText)
	w.number(uint64(len(s)))
	if len(w.buf)+len(s) <= w.limits.Bytes {
		w.buf = append(w.buf, s...)
	} else if w.err == nil {
		w.err = &SnapshotError{"larger than " + text.Bytes(int64(w.limits.Bytes))}
	}
}

// reference mentions an object and puts a new one in line.
func (w *stateWriter) reference(tag byte, o object) {
	w.buf = append(w.buf, tag)
	at := w.address(o)
	if i, ok := w.index[at]; ok {
		w.number(w.ofObjects.again(i))
		return
	}
	w.index[at] = uint64(len(w.objects))
	w.objects = append(w.objects, o)
	w.ofObjects.add()
	w.number(0)
}

func (w *stateWriter) value(v any) {
	switch v := v.(type) {
	case nil:
		w.buf = append(w.buf, tagNil)
	case bool:
		w.buf = append(w.buf, tagFalse+bit(v))
	case float64:
		if i := int64(v); float64(i) == v && math.Abs(v) <= exactFloat && (i != 0 || !math.Signbit(v)) {
			w.buf = binary.AppendVarint(append(w.buf, tagInt), i)
			return
		}
		w.buf = binary.LittleEndian.AppendUint64(append(w.buf, tagFloat), math.Float64bits(v))
	case string:
		w.text(v)
	default:
		w.reach(v)
	}
}

// reach writes a value that is not a plain one.
func (w *stateWriter) reach(v any) {
	m := w.m
	if v == m.null {
		w.buf = append(w.buf, tagNull)
		return
	}
	if name, ok := m.permanents.names[words(v).data]; ok {
		w.buf = append(w.buf, tagPermanent)
		w.text(name)
		return
	}
	if t := m.table(v); t != nil {
		if t.meta != nil && t.meta == m.frozenMeta {
			w.buf, v = append(w.buf, tagFrozen), t.keys[0]
		}
		w.reference(tagTable, object{value: v})
		return
	}
	if m.closure(v) != nil {
		w.reference(tagFunction, object{value: v})
		return
	}
	switch o := m.object(v).(type) {
	case *integer:
		w.buf = binary.AppendVarint(append(w.buf, tagInteger), o.n)
	case *action:
		w.buf = append(w.buf, tagAction)
		w.text(o.path)
	case *coroutine:
		w.refused = "holds a coroutine"
	case nil:
		w.refused = "holds an iterator or a wrapped coroutine"
	default:
		w.refused = "holds a " + m.typeName(v)
	}
}

func (w *stateWriter) object(o object) {
	if o.upValue > 0 {
		w.value(w.m.captured(w.m.closure(o.value), o.value, o.upValue-1))
	} else if t := w.m.table(o.value); t != nil {
		w.table(t)
	} else {
		w.function(o.value, w.m.closure(o.value))
	}
}

func (w *stateWriter) table(t *table) {
	list := t.array
	if n := len(list); n > 0 && list[n-1] == nil {
		for n > 0 && list[n-1] == nil {
			n--
		}
		if !slices.Contains(list[:n], nil) { // else the length depends on how many there are
			list = list[:n]
		}
	}
	more := 0 // items of the list that are elsewhere
	if n := len(list); n == len(t.array) && len(t.hash) > 0 && (n == 0 || list[n-1] != nil) {
		for t.hash[float64(n+more+1)] != nil {
			more++
		}
	}
	w.number(uint64(len(list) + more))
	for i := range len(list) + more {
		v := t.hash[float64(i+1)]
		if i < len(list) {
			v = list[i]
		}
		w.value(v)
		if w.refused != "" || !w.fits() {
			return
		}
	}
	w.entries(t, len(list), more)
	w.number(uint64(len(w.keys)))
	for i, k := range w.keys {
		w.rank(k)
		w.value(k)
		w.value(w.values[i])
		if w.refused != "" || !w.fits() {
			return
		}
	}
	if t.meta == nil || t.meta == w.m.sparseMeta { // which the machine gives and takes
		w.value(nil)
	} else {
		w.value(w.m.value(t.meta))
	}
}

// entries makes keys and values those of t outside its list, in order. Some of t may be more items of that list, which
// are left out.
func (w *stateWriter) entries(t *table, list, more int) {
	n := len(t.hash)
	w.values = w.values[:0]
	if n <= maxShape {
		w.keys = append(w.keys[:0], w.shapes[n]...)
		for _, k := range w.keys {
			if v := t.hash[k]; v != nil {
				w.values = append(w.values, v)
			}
		}
		if len(w.values) == n {
			return
		}
	}
	w.keys, w.values = w.keys[:0], w.values[:0]
	plain := true
	for k, v := range t.hash {
		f, isNumber := k.(float64)
		if v == nil || isNumber && f > float64(list) && f <= float64(list+more) && f == math.Trunc(f) {
			continue
		}
		_, isText := k.(string)
		plain = plain && isText
		w.keys = append(w.keys, k)
	}
	if plain {
		slices.SortFunc(w.keys, compareTexts)
	} else {
		w.m.sortKeys(w.keys, t, w.ranks)
	}
	for _, k := range w.keys {
		w.values = append(w.values, t.hash[k])
	}
	if plain && n <= maxShape && len(w.keys) == n {
		w.shapes[n] = append(w.shapes[n][:0], w.keys...)
	}
}

// rank takes in the order of a key that is no plain value.
func (w *stateWriter) rank(k any) {
	if keyRank(k) == 3 {
		w.ranks.add(k)
	}
}

func (w *stateWriter) function(v any, c *closure) {
	from := w.m.origin(c.prototype)
	if from == nil {
		w.refused = "holds a function whose source is not known"
		return
	}
	if i, ok := w.chunkAt[from]; ok {
		w.number(w.ofChunks.again(i))
	} else {
		w.chunkAt[from] = uint64(len(w.chunkAt))
		w.ofChunks.add()
		w.number(0)
		w.buf = append(w.buf, bit(from.main != nil))
		w.text(from.name)
		if from.main == nil {
			w.text(from.source)
		}
	}
	w.number(uint64(c.prototype.number))
	w.number(uint64(len(c.upValues)))
	for i, shared := range c.upValues {
		if name, ok := w.m.permanents.names[unsafe.Pointer(shared)]; ok {
			w.buf = append(w.buf, tagPermanent)
			w.text(name)
			continue
		}
		w.reference(tagVariable, object{value: v, upValue: i + 1})
	}
}
