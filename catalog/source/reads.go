package source

// This file lets the person say which actions of a source only read, in a line for all of it: the verbs of a name tell
// it of most APIs, but not of all.

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"

	"almanac/catalog"
	"almanac/catalog/pattern"
)

// Reads are patterns of actions that only read, by the name of their source, which is the first segment of their ids.
// The patterns are of what stands behind it: *.get matches plaid.accounts.get.
type Reads map[string][]pattern.Pattern

// Source is a source without actions that makes reads of others'. An action of high risk stays a mutation, as whoever
// writes *.get may not think of it: an overlay of a manifest can name it.
func (r Reads) Source(name string) Source {
	return Source{
		Name: name, Own: true, Overlays: true, Rule: "reads pattern",
		Load: func(context.Context, func(Reading)) (catalog.Batch, error) {
			return catalog.Batch{Overlay: r.apply}, nil
		},
	}
}

func (r Reads) apply(entries []catalog.Entry) catalog.Overlaid {
	var said catalog.Overlaid
	remark := func(id, reason string) { said.Remarks = append(said.Remarks, catalog.Skip{ID: id, Reason: reason}) }
	found := map[string]bool{}
	for i := range entries {
		e := &entries[i]
		name, rest, _ := strings.Cut(e.ID, ".")
		for _, p := range r[name] {
			if !p.Match(rest) {
				continue
			}
			found[name+" "+p.String()] = true
			if !e.Mutates {
				continue
			}
			if catalog.RiskOf(e) == catalog.High {
				remark(e.ID, "reads: "+p.String()+" matches it, but it is of high risk: an overlay of a manifest can make it a read")
				continue
			}
			e.Mutates, e.Operation, e.Risk = false, catalog.Read, catalog.Low
		}
	}
	for _, name := range slices.Sorted(maps.Keys(r)) {
		for _, p := range r[name] {
			if !found[name+" "+p.String()] {
				remark("", "reads: "+p.String()+" matches no action of "+name)
			}
		}
	}
	slices.SortFunc(said.Remarks, func(a, b catalog.Skip) int {
		return cmp.Or(strings.Compare(a.ID, b.ID), strings.Compare(a.Reason, b.Reason))
	})
	said.Remarks = slices.Compact(said.Remarks)
	return said
}
