package kernel

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
)

// This file tunes the garbage collector of a child. The engine allocates for every number; at Go's default pace a heap
// of a few megabytes is collected after each 4 MB, which costs scripts a third of their time.

const (
	// mostGarbage is how much of the live heap may be garbage before a collection, in percent, while the heap is small.
	mostGarbage = 400
	// leastGarbage is the same when it is large: Go's own pace.
	leastGarbage = 100
	// spareHeap is how much garbage is always allowed, in bytes.
	spareHeap = 32 << 20
)

// spareCollections lets garbage grow to spareHeap between two collections, or to an eighth of the memory where that is
// less. Beyond that Go's own pace and the soft memory limit hold.
func spareCollections(memory int64) {
	spare := uint64(min(spareHeap, memory/8))
	percent := mostGarbage
	live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	// The collector calls the finalizer of an object that nobody holds once in each cycle; it makes the next one.
	type cycle struct{ _ [32]byte }
	var again func(*cycle)
	again = func(c *cycle) {
		metrics.Read(live)
		want := mostGarbage
		if live[0].Value.Kind() == metrics.KindUint64 {
			want = garbagePercent(live[0].Value.Uint64(), spare)
		}
		if want != percent {
			percent = want
			debug.SetGCPercent(percent)
		}
		runtime.SetFinalizer(c, again)
	}
	runtime.SetFinalizer(new(cycle), again)
}

// garbagePercent is the pace at which spare bytes of garbage gather beside live bytes.
func garbagePercent(live, spare uint64) int {
	if live == 0 {
		return mostGarbage
	}
	return int(min(max(100*spare/live, leastGarbage), mostGarbage))
}
