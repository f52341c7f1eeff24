package source

// This file has what one reading of a source gave: entries, and then the segment of the catalog that they make. A
// segment of a source that has a Key is kept for the next start.

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"almanac/catalog"
)

// A content is what one reading of a source gave, or a part of it while it is read. Only assemble changes one that a
// loading has, with building held, and mu too for all but the order of entries.
type content struct {
	key     string // of what was read; empty where it may not be kept
	said    said
	name    string          // of the source
	entries []catalog.Entry // as they were read, until part has them
	part    *catalog.Segment
	stored  bool // the cache has part
	made    bool // part was not opened, but made here
	// recalled is the cached catalog that has the entries, until part is needed.
	recalled *catalog.Catalog
	// attach is that of the Batch.
	attach func(*catalog.Entry)
	// uses are the entries that say what other actions they use.
	uses []catalog.Entry
	// Overlays and other sources made altered of part, where it is not nil; change stands for what they changed.
	altered       *catalog.Segment
	alteredStored bool
	change        string
	// raw are the entries as they were read where some are Strict, which part has with other schemas; nil elsewhere.
	raw []catalog.Entry
}

// A said is what the cache keeps of a reading beside the entries.
type said struct {
	Found                           int
	Skipped, Renamed, Mended, Notes []catalog.Skip
	Unfit                           []catalog.Skip
	// Kept is that of the Batch.
	Kept []byte
	// Ledger stands for what was accepted when nothing of the reading was left to be.
	Ledger string
}

func saidOf(b catalog.Batch) said {
	return said{Found: b.Found, Skipped: b.Skipped, Renamed: b.Renamed, Mended: b.Mended, Notes: b.Notes, Kept: b.Kept}
}

func (c *content) len() int {
	switch {
	case c == nil:
		return 0
	case c.part != nil:
		return c.part.Len()
	}
	return len(c.entries)
}

// all are the entries; they are shared.
func (c *content) all() []catalog.Entry {
	switch {
	case c.raw != nil:
		return c.raw
	case c.part != nil:
		return c.part.Entries()
	case c.recalled != nil:
		var own []catalog.Entry
		for _, e := range c.recalled.Entries() {
			if e.Source == c.name {
				own = append(own, e)
			}
		}
		return own
	}
	return c.entries
}

// segment is the segment of the content, which is opened or made when it is first needed.
func (l *Loader) segment(c *content) *catalog.Segment {
	if c.part != nil {
		return c.part
	}
	part := l.opened(c)
	stored := part != nil
	uses, unfit := c.uses, c.said.Unfit
	var raw []catalog.Entry
	if part == nil {
		uses = nil
		var fit []catalog.Entry
		if fit, unfit = c.fit(); c.recalled != nil {
			unfit = c.said.Unfit
		}
		for i := range fit {
			if len(fit[i].Uses) > 0 {
				uses = append(uses, fit[i])
			}
			if fit[i].Strict && raw == nil {
				raw = slices.Clone(fit)
			}
		}
		part, _ = catalog.NewSegment(fit, catalog.Options{Progress: l.indexes()})
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	c.part, c.stored, c.made, c.said.Unfit, c.uses, c.raw = part, stored, !stored, unfit, uses, raw
	c.entries, c.recalled = nil, nil
	return part
}

// fit are the entries that a catalog can have, in the place of all, and what is wrong with the others.
func (c *content) fit() (fit []catalog.Entry, unfit []catalog.Skip) {
	entries := c.all()
	seen := make(map[string]bool, len(entries))
	fit = entries[:0]
	for i := range entries {
		err := catalog.CheckID(entries[i].ID)
		if err == nil && seen[entries[i].ID] {
			err = takenBy(c.name, c.name)
		}
		if err != nil {
			unfit = append(unfit, catalog.Skip{ID: entries[i].ID, Source: collision, Reason: err.Error()})
			continue
		}
		seen[entries[i].ID] = true
		fit = append(fit, entries[i])
	}
	return fit, unfit
}

// partKey names what was read of a source, where reading it anew would give the same.
func (l *Loader) partKey(name, key string) string {
	return l.sum("part", fmt.Sprintf("%q %s", name, key))
}

// stored is the content of a source that the cache has; nil where it has none.
func (l *Loader) stored(ctx context.Context, s *loading) *content {
	key := s.contentKey(ctx)
	if key == "" || l.options.Cache == "" {
		return nil
	}
	s.damaged = false
	c := &content{name: s.Name, key: key, stored: true}
	image, err := l.cache().read(l.partKey(s.Name, key))
	if image == nil || err != nil {
		return nil
	}
	part, remark, err := catalog.OpenSegment(image, catalog.OpenOptions{Attach: c.give})
	if err == nil {
		err = json.Unmarshal(remark, &c.said)
	}
	if err != nil {
		s.damaged = true
		l.logf("catalog cache: reading %s anew: %v", s.Name, err)
		return nil
	}
	if err := c.recall(s); err != nil {
		return nil
	}
	c.part = part
	return c
}

// give gives an entry that comes from the cache its functions.
func (c *content) give(e *catalog.Entry) {
	if c.attach != nil {
		c.attach(e)
	}
}

// recall has the source make ready what its entries need.
func (c *content) recall(s *loading) (err error) {
	if s.Recall != nil {
		c.attach, c.said.Notes, err = s.Recall(c.said.Kept)
	}
	return err
}

// opened is the segment of a recalled content in the cache; nil where it is not there.
func (l *Loader) opened(c *content) *catalog.Segment {
	if c.recalled == nil || c.key == "" {
		return nil
	}
	return l.openSegment(l.partKey(c.name, c.key), c)
}

// openSegment is a segment in the cache; nil where there is none that can be used.
func (l *Loader) openSegment(key string, c *content) *catalog.Segment {
	image, err := l.cache().read(key)
	if image == nil || err != nil {
		return nil
	}
	part, _, err := catalog.OpenSegment(image, catalog.OpenOptions{Attach: c.give})
	if err != nil {
		return nil
	}
	return part
}

// store keeps the segments that are not kept yet.
func (l *Loader) store(contents []*content, in cache) {
	if l.options.Cache == "" {
		return
	}
	for i, c := range contents {
		if c == nil || c.key == "" || c.raw != nil || c.part == nil {
			continue
		}
		if !c.stored {
			said := c.said
			if l.sources[i].Recall != nil {
				said.Notes = nil
			}
			remark, err := json.Marshal(said)
			if err == nil {
				err = l.write(in, l.partKey(c.name, c.key), c.part, remark)
			}
			c.stored = err == nil
		}
		if c.altered != nil && !c.alteredStored {
			c.alteredStored = l.write(in, l.partKey(c.name, c.key+c.change), c.altered, nil) == nil
		}
	}
}

// release drops the segments that were made of sources that have a Key: what is in the catalog need not be in memory
// twice. Those that overlays or other sources have altered stay.
func (l *Loader) release(all *catalog.Catalog, contents []*content) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, c := range contents {
		if c != nil && c.key != "" && c.made && c.altered == nil && c.raw == nil {
			c.part, c.recalled = nil, all
		}
	}
}

func (l *Loader) cache() cache { return cache{l.options.Cache, l.ended} }

func (l *Loader) write(in cache, key string, part *catalog.Segment, remark []byte) error {
	err := in.write(key, func(w io.Writer) error { return part.WriteImage(w, remark) })
	if err != nil && !errors.Is(err, errEnded) {
		l.logf("catalog cache: not saved: %v", err)
	}
	return err
}
