package openapi

// This file watches the files that a document is made of.

import (
	"os"
	"slices"
	"sync"
	"time"
)

// watched are local files with their sizes and times. It is safe for concurrent use; the zero value has none.
type watched struct {
	mu      sync.Mutex
	files   []string
	stamps  []stamp
	changed int
}

type stamp struct {
	size int64
	when time.Time
}

func stampsOf(files []string) []stamp {
	all := make([]stamp, len(files))
	for i, file := range files {
		if stat, err := os.Stat(file); err == nil {
			all[i] = stamp{stat.Size(), stat.ModTime()}
		}
	}
	return all
}

// set replaces the files. One that was watched before may have changed since it was last looked at.
func (w *watched) set(files []string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	stamps := stampsOf(files)
	for i, file := range files {
		if at := slices.Index(w.files, file); at >= 0 {
			stamps[i] = w.stamps[at]
		}
	}
	w.files, w.stamps = files, stamps
}

// look counts how often one of them has changed.
func (w *watched) look() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	if now := stampsOf(w.files); !slices.Equal(now, w.stamps) {
		w.stamps = now
		w.changed++
	}
	return w.changed
}
