package source

// This file makes one catalog of what the sources gave: the segments of the sources, as other sources and overlays
// leave them, are joined.

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"almanac/catalog"
)

// assemble makes the catalog of all entries there are, if they are others than before.
func (l *Loader) assemble() {
	l.building.Lock()
	defer l.building.Unlock()
	l.mu.Lock()
	fresh, all := false, true
	contents := make([]*content, len(l.sources))
	for _, s := range l.sources {
		all = all && s.answered
	}
	if l.options.Whole && !all {
		l.mu.Unlock()
		return
	}
	for i, s := range l.sources {
		fresh, contents[i], s.fresh = fresh || s.fresh, s.content, false
	}
	hidden, over := l.waiting(), l.overlays()
	if all && !fresh && l.view.Loading() != "" {
		l.view = l.view.WithLoading("") // the rest has failed
	}
	l.mu.Unlock()
	var made *catalog.Catalog
	if fresh {
		made = l.join(contents, hidden, over, all)
	}
	if !all {
		return
	}
	closeOnce(l.built)
	if made != nil && !l.over() {
		l.remember(made, contents)
	}
	closeOnce(l.settled)
}

// closeOnce closes a channel unless it is closed. The caller holds building.
func closeOnce(c chan struct{}) {
	select {
	case <-c:
	default:
		close(c)
	}
}

// join makes the catalog of the contents, and the view of it. It returns nil for one that the cache had already.
func (l *Loader) join(contents []*content, hidden map[string]string, over overlaying, all bool) *catalog.Catalog {
	parts := make([]*catalog.Segment, len(contents))
	for i, c := range contents {
		if c != nil {
			parts[i] = l.segment(c)
		}
	}
	l.mu.Lock()
	left, size := l.collide(contents)
	loading := l.loadingText(size)
	l.mu.Unlock()
	if all && len(hidden) == 0 {
		if recalled, wrong := l.recallLate(contents); recalled != nil {
			l.shown(recalled.View(), make([]catalog.Overlaid, len(contents)), wrong)
			return nil
		}
	}
	remarks := l.alter(contents, parts, left, hidden, over)
	parts = slices.DeleteFunc(parts, func(s *catalog.Segment) bool { return s == nil })
	made, err := catalog.Join(parts, l.options.Catalog)
	if err != nil { // two have one id, which collide has seen to
		l.logf("catalog: %v", err)
		made, _ = catalog.New(nil, l.options.Catalog)
	}
	view, wrong := narrowed(made, hidden), made.Uncompensated()
	if !all {
		view = view.WithLoading(loading)
	}
	l.shown(view, remarks, wrong)
	return made
}

// shown has a view seen, with what there is to say of each source.
func (l *Loader) shown(view *catalog.View, remarks []catalog.Overlaid, wrong map[string][]catalog.Skip) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.view, l.indexing = view, false
	for i, s := range l.sources {
		s.status.Overlay, s.status.Rule, s.status.Unusable = remarks[i].Remarks, s.Rule, remarks[i].Unusable
		s.status.Uncompensated = wrong[s.Name]
	}
}

// collide finds the entries of each source whose ids a source before it has or another reserves, reports them, and
// counts the others. The caller holds mu.
func (l *Loader) collide(contents []*content) (left []map[int]bool, size int) {
	reserved := map[string]string{}
	for _, owner := range l.sources {
		for _, namespace := range owner.Reserves {
			reserved[namespace] = owner.Name
		}
	}
	some := 0
	for _, c := range contents {
		size += c.len()
		if c.len() > 0 {
			some++
		}
	}
	var from map[string]string // nil where only one has entries: each of its ids is there once
	if some > 1 {
		from = make(map[string]string, size)
	}
	left = make([]map[int]bool, len(contents))
	for i, c := range contents {
		if c == nil {
			continue
		}
		skipped := slices.Clone(c.said.Unfit)
		left[i] = map[int]bool{}
		for k := range c.part.Len() {
			id := c.part.ID(k)
			namespace, _, _ := strings.Cut(id, ".")
			var err error
			if first, taken := from[id]; taken {
				err = takenBy(first, c.name)
			}
			if owner, ok := reserved[namespace]; ok && owner != c.name {
				err = fmt.Errorf("ids of %s.* are those of %s alone: rename the source with NAME=%s", namespace, owner, c.name)
			}
			if err != nil {
				left[i][k] = true
				skipped = append(skipped, catalog.Skip{ID: id, Source: collision, Reason: err.Error()})
				continue
			}
			if from != nil {
				from[id] = c.name
			}
		}
		slices.SortStableFunc(skipped, func(a, b catalog.Skip) int { return strings.Compare(a.ID, b.ID) })
		size -= len(left[i])
		if s := l.sources[i]; s.content == c {
			s.status.Skipped = append(slices.DeleteFunc(slices.Clone(s.status.Skipped),
				func(k catalog.Skip) bool { return k.Source == collision }), skipped...)
			s.status.Loaded = c.part.Len() - len(left[i])
		}
	}
	return left, size
}

func takenBy(first, name string) error {
	return fmt.Errorf("%s has an action with this id: rename the source with NAME=%s", first, name)
}

// collision is the place of skips that are made where sources meet.
const collision = "catalog"

// alter puts others in the place of segments of which entries are left out or overlays have changed some, and returns
// the remarks of the overlays.
func (l *Loader) alter(contents []*content, parts []*catalog.Segment, left []map[int]bool, hidden map[string]string,
	over overlaying) []catalog.Overlaid {
	if !over.any() && !slices.ContainsFunc(left, func(some map[int]bool) bool { return len(some) > 0 }) {
		return make([]catalog.Overlaid, len(contents))
	}
	var entries []catalog.Entry
	was, ends := make([][]catalog.Entry, len(contents)), make([]int, len(contents))
	for i, c := range contents {
		if c != nil {
			was[i] = c.sorted()
			for k, e := range was[i] {
				if !left[i][k] {
					entries = append(entries, e)
				}
			}
		}
		ends[i] = len(entries)
	}
	remarks := over.apply(entries, hidden)
	start := 0
	for i, c := range contents {
		own := entries[start:ends[i]]
		start = ends[i]
		if c == nil {
			continue
		}
		change := alteration(was[i], left[i], own)
		if change == "" {
			c.altered, c.change = nil, ""
			continue
		}
		if c.change != change {
			c.altered, c.change, c.alteredStored = nil, change, false
			if c.key != "" && c.raw == nil && l.options.Cache != "" {
				c.altered = l.openSegment(l.partKey(c.name, c.key+change), c)
				c.alteredStored = c.altered != nil
			}
			if c.altered == nil {
				c.altered, _ = catalog.NewSegment(slices.Clone(own), catalog.Options{Progress: l.indexes()})
			}
		}
		parts[i] = c.altered
	}
	return remarks
}

// alteration stands for what of the entries was left out and changed until they were others; empty for nothing.
func alteration(was []catalog.Entry, left map[int]bool, others []catalog.Entry) string {
	sum, some := sha256.New(), false
	var before, now []byte
	k := 0
	for i := range was {
		if left[i] {
			fmt.Fprintf(sum, "without %q\x00", was[i].ID)
			some = true
			continue
		}
		before, now = catalog.AppendStored(before[:0], &was[i]), catalog.AppendStored(now[:0], &others[k])
		if !bytes.Equal(before, now) {
			fmt.Fprintf(sum, "with %d\x00%s", len(now), now)
			some = true
		}
		k++
	}
	if !some {
		return ""
	}
	return hex.EncodeToString(sum.Sum(nil))
}

// sorted are the entries as they were read, in the order of the segment.
func (c *content) sorted() []catalog.Entry {
	if c.raw == nil {
		return c.part.Entries()
	}
	return slices.SortedFunc(slices.Values(c.raw), func(a, b catalog.Entry) int { return strings.Compare(a.ID, b.ID) })
}

// waiting maps the ids that have to be accepted to the reason that a person is told.
func (l *Loader) waiting() map[string]string {
	hidden := map[string]string{}
	for _, s := range l.sources {
		for _, id := range s.status.Change.Added {
			hidden[id] = fmt.Sprintf("it is new in %s: /sources accept %s", s.Name, s.Name)
		}
		for _, id := range s.status.Change.Changed {
			hidden[id] = fmt.Sprintf("its effect or schema changed in %s: /sources accept %s", s.Name, s.Name)
		}
		for _, id := range slices.Concat(s.unaccepted.Added, s.unaccepted.Changed) {
			hidden[id] = fmt.Sprintf("it is new or changed in %s, which is still loading", s.Name)
		}
	}
	return hidden
}

// narrowed is the view of what is not hidden.
func narrowed(all *catalog.Catalog, hidden map[string]string) *catalog.View {
	view := all.View()
	if len(hidden) == 0 {
		return view
	}
	narrower, err := view.Narrow(catalog.Rules{Name: "sources", Guard: func(e *catalog.Entry) (bool, string) {
		why, waits := hidden[e.ID]
		return !waits, why
	}})
	if err != nil {
		// Rules that only have a guard name nothing that could be missing.
		nothing, _ := catalog.New(nil, catalog.Options{})
		return nothing.View()
	}
	return narrower
}
