package source

// This file tells how far the Loader has come.

import (
	"fmt"
	"path/filepath"
	"time"

	"almanac/catalog/text"
)

// A Progress is how far a Loader is with its first reading of all sources.
type Progress struct {
	// Answered of the Sources have been read or have failed at least once.
	Answered, Sources int
	// Doing is what it does now and how much of that is done, in percent: "reading big.jsonl: 43 %", "indexing: 70 %".
	// Empty where no share is known.
	Doing string
}

// maxShownName is how much of the name of a source Doing has, in bytes.
const maxShownName = 30

// Progress tells how far it is.
func (l *Loader) Progress() Progress {
	l.mu.Lock()
	defer l.mu.Unlock()
	p := Progress{Sources: len(l.sources)}
	for _, s := range l.sources {
		switch {
		case s.answered:
			p.Answered++
		case p.Doing == "" && s.status.Percent > 0:
			_, name := Split(s.Name)
			p.Doing = fmt.Sprintf("reading %s: %d %%", text.LineBytes(filepath.Base(name), maxShownName), s.status.Percent)
		}
	}
	if p.Doing == "" && l.indexing {
		p.Doing = fmt.Sprintf("indexing: %d %%", l.indexed)
	}
	return p
}

// indexingPause is the least time between two reports of one building.
const indexingPause = 100 * time.Millisecond

// indexes says that a catalog is being indexed. What it returns is told how much of it has been.
func (l *Loader) indexes() func(done, of int) {
	l.mu.Lock()
	l.indexing, l.indexed = true, 0
	l.mu.Unlock()
	last := time.Now()
	return func(done, of int) {
		l.mu.Lock()
		l.indexed = Percent(int64(done), int64(of))
		soon := time.Since(last) < indexingPause
		if !soon {
			last = time.Now()
		}
		l.mu.Unlock()
		if !soon && l.options.Changed != nil {
			l.options.Changed()
		}
	}
}
