package vm

import (
	"encoding/binary"
	"hash/maphash"
	"math"
	"unsafe"
)

// This file tells whether something inside of a global has changed between runs: t.a = 5 leaves t the same table, of
// the same size. A digest is of all that is in a table, and costs a walk through
// it; so all of them together are bounded.

const (
	// digestSteps is how many keys, and pieces of texts, are looked at after a run. Of a global that needs more there is
	// no digest, and none of those after it.
	digestSteps = 10_000
	digestPiece = 64 // bytes
	digestDepth = 100
)

// A digester makes the digests of one moment. They can be compared with those of the same machine.
type digester struct {
	m    *Machine
	left int
	path map[*table]bool // the tables that the walk is in
}

// of is the digest of a table with all that is in it but for functions and metatables; zero where it is not known. The
// order of keys does not matter.
func (d *digester) of(t *table) uint64 {
	switch d.left -= len(t.array) + len(t.hash) + 1; {
	case d.left < 0:
		return 0
	case d.path[t] || len(d.path) > digestDepth:
		return 1
	}
	d.path[t] = true
	defer delete(d.path, t)
	sum := uint64(1)
	for i, v := range t.array {
		if v != nil {
			sum += d.pair(uint64(i+1), d.value(v))
		}
	}
	for k, v := range t.hash {
		if v != nil {
			sum += d.pair(d.value(k), d.value(v))
		}
	}
	return max(sum, 1)
}

// pair is the hash of a key with its value.
func (d *digester) pair(key, value uint64) uint64 {
	var both [16]byte
	binary.LittleEndian.PutUint64(both[:], key)
	binary.LittleEndian.PutUint64(both[8:], value)
	return maphash.Bytes(d.m.digestSeed, both[:])
}

func (d *digester) value(v any) uint64 {
	switch v := v.(type) {
	case bool:
		if v {
			return math.MaxUint64
		}
		return math.MaxUint64 - 1
	case float64:
		if v == math.Trunc(v) && v > 0 && v < 1<<53 {
			return uint64(v) // as a position in a list
		}
		return math.Float64bits(v)
	case string:
		if d.left -= len(v) / digestPiece; d.left < 0 {
			return 0
		}
		return maphash.String(d.m.digestSeed, v)
	}
	if t := d.m.table(v); t != nil {
		return d.of(t)
	}
	switch o := d.m.object(v).(type) {
	case *action:
		return maphash.String(d.m.digestSeed, o.path)
	case *integer:
		return uint64(o.n)
	}
	return uint64(uintptr(unsafe.Pointer(words(v).data)))
}
