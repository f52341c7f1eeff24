package source

// This file tells how far the Loader has come.

import (
	"fmt"
	"path/filepath"
	"slices"
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
	var p Progress
	for _, s := range l.sources {
		if !s.Optional {
			p.Sources++
		}
		switch {
		case s.Optional:
		case s.answered:
			p.Answered++
		case p.Doing == "" && s.status.Percent > 0:
			p.Doing = fmt.Sprintf("reading %s: %d %%", shortName(s.Name), s.status.Percent)
		}
	}
	if p.Doing == "" && l.indexing {
		p.Doing = fmt.Sprintf("indexing: %d %%", l.indexed)
	}
	return p
}

// stillLoading is what a view says of which nothing more is known.
const stillLoading = "the catalog is still loading"

// loadingText says what part of the catalog a view of n entries is. The caller holds mu.
func (l *Loader) loadingText(n int) string {
	said := fmt.Sprintf("%s: %s so far", stillLoading, text.Count(n, "action"))
	for _, s := range l.sources {
		if !s.answered && s.shown > 0 {
			said += fmt.Sprintf(", %d %% of %s", s.shown, shortName(s.Name))
		}
	}
	return said
}

// shortName is a source in a few words.
func shortName(name string) string {
	_, name = Split(name)
	return text.LineBytes(filepath.Base(name), maxShownName)
}

const (
	// leastShown is from how many entries on a part of a source is shown, and each later part has shownGrowth times as
	// many as the one before, so that indexing the parts costs a seventh of indexing all.
	leastShown  = 2000
	shownGrowth = 8
	// mostShown is up to how much of a source a part of it is shown, in percent: all of it comes soon after that.
	mostShown = 50
)

// show has the part of a source seen that has been read, if it has never been read whole and the part is worth it. What
// has to be accepted in it is hidden; without knowing that, nothing is shown.
func (l *Loader) show(s *loading, r Reading) {
	l.mu.Lock()
	wanted := l.options.Partly && !s.answered &&
		r.Entries != nil && r.Found >= max(leastShown, shownGrowth*s.content.len()) && r.Percent < mostShown
	l.mu.Unlock()
	if !wanted {
		return
	}
	entries := slices.Clone(r.Entries())
	for i := range entries {
		entries[i].Source = s.Name
	}
	change, err := l.unaccepted(s.Source, entries)
	if err != nil {
		return // reading all of it will say so
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	s.content, s.unaccepted, s.shown, s.fresh = &content{name: s.Name, entries: entries}, change, r.Percent, true
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
