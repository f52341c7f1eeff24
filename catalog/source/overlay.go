package source

// This file applies the sources' overlays to all entries, once they have been read.

import (
	"fmt"
	"slices"

	"almanac/catalog"
)

// overlaying holds the sources' overlays, in the order of the sources.
type overlaying struct {
	overlays []catalog.Overlay // one for each source; nil where there is none
	missing  string            // the first source that may have something to say and has not been read
}

func (l *Loader) overlays() overlaying {
	var over overlaying
	for _, s := range l.sources {
		over.overlays = append(over.overlays, s.overlay)
		if s.Overlays && !s.read && over.missing == "" {
			over.missing = s.Name
		}
	}
	return over
}

// any reports whether there is something to apply.
func (over overlaying) any() bool {
	return over.missing != "" || slices.ContainsFunc(over.overlays, func(o catalog.Overlay) bool { return o != nil })
}

// apply changes the entries, adds to the hidden ids and returns what each source has to say. While a source is missing
// that may hide actions, all are hidden.
func (over overlaying) apply(entries []catalog.Entry, hidden map[string]string) []catalog.Overlaid {
	all := make([]catalog.Overlaid, len(over.overlays))
	for i, overlay := range over.overlays {
		if overlay == nil {
			continue
		}
		said := overlay(entries)
		all[i] = said
		for id, why := range said.Hidden {
			if hidden[id] == "" {
				hidden[id] = why
			}
		}
	}
	if over.missing != "" {
		for i := range entries {
			hidden[entries[i].ID] = fmt.Sprintf("%s has not loaded, and it may hide actions: see /sources", over.missing)
		}
	}
	return all
}
