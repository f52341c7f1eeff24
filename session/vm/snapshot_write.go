package vm

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"math"
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

	// objects[i] is the object of index i; index finds it by address.
	objects []object
	index   map[unsafe.Pointer]uint64
	written int
	texts   []string
	textAt  map[string]uint64
	chunks  []*chunk
	chunkAt map[*chunk]uint64

	err     *SnapshotError
	refused string // why the present global cannot be kept
}

// An object is a table or a function, or the upvalue of a function, counted from 1, when that is not zero.
type object struct {
	value   any
	upValue int
}

func newStateWriter(m *Machine, l SnapshotLimits) *stateWriter {
	w := &stateWriter{
		m: m, limits: l, deadline: time.Now().Add(l.Time), buf: make([]byte, 0, 4<<10),
		index: map[unsafe.Pointer]uint64{}, textAt: map[string]uint64{}, chunkAt: map[*chunk]uint64{},
	}
	w.buf = append(append(w.buf, snapshotMagic...), snapshotVersion)
	return w
}

// globals writes every global that can be kept.
func (w *stateWriter) globals() error {
	w.m.entries(w.m.session, func(k, v any) bool {
		name, named := k.(string)
		if named && reserved(name) {
			return true
		}
		w.global(k, v, named && w.m.kept[name])
		return w.err == nil
	})
	if w.err != nil {
		return w.err
	}
	w.buf = append(w.buf, 0)
	return nil
}

// sealed is the whole snapshot.
func (w *stateWriter) sealed() []byte {
	return binary.LittleEndian.AppendUint32(w.buf, crc32.Checksum(w.buf, snapshotSum))
}

// global writes one global, or removes all that was written of it.
func (w *stateWriter) global(k, v any, kept bool) {
	size, objects, texts, chunks := len(w.buf), len(w.objects), len(w.texts), len(w.chunks)
	w.buf = append(w.buf, 1, bit(kept))
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
	w.refused = ""
	for _, o := range w.objects[objects:] {
		delete(w.index, w.address(o))
	}
	for _, text := range w.texts[texts:] {
		delete(w.textAt, text)
	}
	for _, c := range w.chunks[chunks:] {
		delete(w.chunkAt, c)
	}
	clear(w.objects[objects:])
	w.buf, w.objects, w.texts, w.chunks = w.buf[:size], w.objects[:objects], w.texts[:texts], w.chunks[:chunks]
	w.written = objects
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
	if len(w.buf)+allowance*(len(w.objects)+len(w.texts)) > w.limits.Bytes {
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
		w.number(i)
		return
	}
	w.textAt[s] = uint64(len(w.texts))
	w.texts = append(w.texts, s)
	w.buf = append(w.buf, tagText)
	w.number(uint64(len(s)))
	if len(w.buf)+len(s) <= w.limits.Bytes {
		w.buf = append(w.buf, s...)
	} else if w.err == nil {
		w.err = &SnapshotError{"larger than " + text.Bytes(int64(w.limits.Bytes))}
	}
}

// reference writes the index of an object and puts a new one in line.
func (w *stateWriter) reference(tag byte, o object) {
	at := w.address(o)
	i, ok := w.index[at]
	if !ok {
		i = uint64(len(w.objects))
		w.index[at] = i
		w.objects = append(w.objects, o)
	}
	w.buf = append(w.buf, tag)
	w.number(i)
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
	if m.table(v) != nil {
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
	w.number(uint64(len(t.array)))
	for _, v := range t.array {
		w.value(v)
		if w.refused != "" || !w.fits() {
			return
		}
	}
	entries := 0
	for _, v := range t.hash {
		if v != nil {
			entries++
		}
	}
	w.number(uint64(entries))
	for k, v := range t.hash {
		if v == nil {
			continue
		}
		w.value(k)
		w.value(v)
		if w.refused != "" || !w.fits() {
			return
		}
	}
	if t.meta == nil {
		w.value(nil)
	} else {
		w.value(w.m.value(t.meta))
	}
}

func (w *stateWriter) function(v any, c *closure) {
	from := w.m.origin(c.prototype)
	if from == nil {
		w.refused = "holds a function whose source is not known"
		return
	}
	i, ok := w.chunkAt[from]
	if !ok {
		i = uint64(len(w.chunks))
		w.chunkAt[from] = i
		w.chunks = append(w.chunks, from)
	}
	w.number(i)
	if !ok {
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
