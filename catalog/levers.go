package catalog

// This file names the parts of ranking that can be switched off, to measure what each is worth.

import (
	"fmt"
	"slices"
	"strings"
)

// A Lever is a part of ranking beyond the words that query and entry share.
type Lever string

// The levers. Relations come from WordNet, through words.txt; vectors from WordNet and API descriptions, through
// vectors.bin.
const (
	Relations  Lever = "relations"  // words of the same root: "decide", "decision"
	Verbs      Lever = "verbs"      // verbs that catalogs use for one another: "fetch", "get"
	Prefixes   Lever = "prefixes"   // words that begin with one another: "auth", "authorization"
	Namespaces Lever = "namespaces" // the namespace that the query names: "in slack"
	Pairs      Lever = "pairs"      // neighbouring words that stand side by side
	Coverage   Lever = "coverage"   // the share of an entry's name that the query has
	Lead       Lever = "lead"       // the share of its description's first sentence that the query has
	Intents    Lever = "intents"    // what the query asks to do and the entry does
	Vectors    Lever = "vectors"    // the meaning of words that entry and query do not share
	Calls      Lever = "calls"      // all words of what an entry is called, and no others
	Clauses    Lever = "clauses"    // what an entry is worth for one sentence of a query
)

// Levers are all levers, in the order of their names.
func Levers() []Lever {
	return []Lever{Calls, Clauses, Coverage, Intents, Lead, Namespaces, Pairs, Prefixes, Relations, Vectors, Verbs}
}

// ParseLever reads a lever's name; the error lists the names.
func ParseLever(name string) (Lever, error) {
	if l := Lever(strings.ToLower(name)); slices.Contains(Levers(), l) {
		return l, nil
	}
	known := make([]string, 0, len(Levers()))
	for _, l := range Levers() {
		known = append(known, string(l))
	}
	return "", fmt.Errorf("lever %q: want one of %s", clip(oneLine(name), 40), strings.Join(known, ", "))
}

// off reports whether a lever is switched off.
func (c *Catalog) off(l Lever) bool { return slices.Contains(c.without, l) }
