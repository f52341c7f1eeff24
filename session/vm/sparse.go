package vm

import (
	"math"

	lua "github.com/Shopify/go-lua"
)

// This file keeps integer keys outside the list part cheap: t[i] = v for i from 20,000 down to 1, by_id[row.id] = row.
//
// At each such new key the engine scans the whole table to see if the list part could take it: 20,000 keys cost
// seconds. It does not if the table has a __newindex. So a table that is being filled in this way gets a metatable that
// scripts do not see, whose __newindex sets the key itself at constant cost. The hook finds such tables among the
// variables of the running functions.

const (
	// sparseSize is the least number of keys outside the list part for a table to be considered.
	sparseSize = 128
	// sparseFrames is how many functions are searched: the running one and its callers.
	sparseFrames = 3
)

func openSparse(m *Machine) {
	m.sparseMeta = m.newTable(0, 2)
	m.sparseMeta.put("__newindex", m.function("newindex", assignNew))
	m.guardEvents(m.sparseMeta)
}

// assignNew is a __newindex that sets the key.
func assignNew(c call) int {
	k := c.raw(2)
	if f, ok := k.(float64); k == nil || ok && math.IsNaN(f) {
		text := "table index is " + map[bool]string{true: "nil", false: "NaN"}[k == nil]
		c.m.pointAt(c.l, 1, text)
		c.m.raise(c.l, c.m.where(c.l)+text)
	}
	c.m.table(c.raw(1)).assign(k, c.raw(3))
	return 0
}

// easeSparse finds tables that are being filled outside their list part. It is called by the hook.
func (m *Machine) easeSparse(l *lua.State) {
	r := innermost(l)
	for range sparseFrames {
		if r == nil {
			return
		}
		if r.lua != nil {
			m.easeTables(r.lua.registers)
		}
		r = r.outer
	}
}

func (m *Machine) easeTables(values []any) {
	for _, v := range values {
		if t := m.table(v); t != nil && len(t.hash) >= sparseSize && t.meta == nil && t.sparse() {
			t.meta = m.sparseMeta
		}
	}
}

// sparse judges by a few keys whether most of those outside the list part are positive integers.
func (t *table) sparse() bool {
	const looked = 8
	seen, whole := 0, 0
	for k := range t.hash {
		if f, ok := k.(float64); ok && f > 0 && f == math.Trunc(f) {
			whole++
		}
		if seen++; seen == looked {
			break
		}
	}
	return whole > looked/2
}

// assign sets a key raw, at the same cost for any key. k is neither nil nor NaN.
func (t *table) assign(k, v any) {
	t.flags = 0
	f, ok := k.(float64)
	i := 0
	if ok && f >= 1 && f <= exactFloat && f == math.Trunc(f) {
		i = int(f)
	}
	switch {
	case i > 0 && i <= len(t.array):
		t.array[i-1] = v
	case v == nil:
		delete(t.hash, k)
	case i > 0 && i == len(t.array)+1:
		delete(t.hash, k)
		t.array = append(t.array, v)
		for next := f + 1; t.hash[next] != nil; next++ {
			t.array = append(t.array, t.hash[next])
			delete(t.hash, next)
		}
		t.keys = nil
	default:
		if _, known := t.hash[k]; !known {
			t.keys = nil
		}
		t.hash[k] = v
	}
}

// setIndex sets an integer key raw.
func (t *table) setIndex(i int, v any) {
	if i > 0 && i <= len(t.array) {
		t.array[i-1] = v
		return
	}
	t.assign(float64(i), v)
}
