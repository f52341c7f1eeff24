package catalog

import (
	"fmt"
	"slices"
)

// This file compares the actions that a composed action uses with what they were when it was made.

// A Use is an action that a composed action calls, as it was when the composed one was made.
type Use struct {
	ID, Source string
	// Fingerprint is that of the entry; empty counts as unchanged.
	Fingerprint string
}

// UseOf is a use of e as it is now.
func UseOf(e *Entry) Use {
	return Use{ID: e.ID, Source: e.Source, Fingerprint: fmt.Sprintf("%x", e.Fingerprint())}
}

// Stale says in a line each which actions that e uses are gone, come from elsewhere, or have changed since. While
// sources are loading nothing counts as gone.
func (v *View) Stale(e *Entry) []string {
	var lines []string
	for _, use := range e.Uses {
		doc := v.cat.find(use.ID)
		if doc < 0 {
			if v.Loading() == "" {
				lines = append(lines, use.ID+" is gone")
			}
			continue
		}
		switch now := UseOf(v.cat.entry(doc)); {
		case use.Source != "" && now.Source != use.Source:
			lines = append(lines, fmt.Sprintf("%s came from %s and comes from %s now", use.ID, use.Source, now.Source))
		case use.Fingerprint != "" && now.Fingerprint != use.Fingerprint:
			lines = append(lines, use.ID+" has changed since")
		}
	}
	return slices.Clip(lines)
}
