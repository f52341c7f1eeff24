package event

// This file keeps the full results of calls that the log truncates.

import (
	"slices"
)

// How many results are kept, and how many bytes they may take together; the oldest go first.
const (
	keptResults     = 200
	keptResultBytes = 16 << 20
)

// A result is what a call returned.
type result struct {
	cell, call int
	data       any
	size       int
}

// results are the newest whole results, oldest first.
type results struct {
	kept []result
	size int
}

func (r *results) put(cell, call int, data any) {
	size := dataSize(data)
	if cell == 0 || size > keptResultBytes {
		return
	}
	r.kept = append(r.kept, result{cell, call, data, size})
	r.size += size
	for r.size > keptResultBytes || len(r.kept) > keptResults {
		r.size -= r.kept[0].size
		r.kept = slices.Delete(r.kept, 0, 1)
	}
}

func (r *results) get(cell, call int) (data any, ok bool) {
	for _, kept := range r.kept {
		if kept.cell == cell && kept.call == call {
			return kept.data, true
		}
	}
	return nil, false
}

// dataSize is about how many bytes data takes in memory.
func dataSize(v any) int {
	size := 16
	switch v := v.(type) {
	case string:
		size += len(v)
	case []any:
		for _, item := range v {
			size += dataSize(item)
		}
	case map[string]any:
		for name, item := range v {
			size += 32 + len(name) + dataSize(item)
		}
	}
	return size
}
