package catalog

import (
	"fmt"
	"slices"
	"strings"

	"almanac/catalog/search"
	"almanac/catalog/search/spelling"
	"almanac/catalog/text"
)

const (
	defaultLimit = 20
	maxLimit     = 1000
	// exactScore is the score of a hit that no query ranked: lower than a good match.
	exactScore = 0.1
)

// SearchOptions narrow a search. The zero value takes everything. Kinds are joined by "and", the values of one kind
// by "or"; all needs must be met.
type SearchOptions struct {
	// Domains are namespaces: "crm", "billing.invoice". Unknown names are ignored beside known ones; if all are unknown,
	// nothing is found. The same holds for Tags and Entities.
	Domains, Tags, Entities []string
	Operation               Operation
	// IncludeMutations set to false excludes mutations; nil and true include them.
	IncludeMutations *bool
	// Mutates asks for mutations only, or for reads only; nil takes both.
	Mutates *bool
	// NeedsInput are fields that the action must take, NeedsOutput fields or entities that it must return. "customer_id"
	// is met by customer_id, customerId, or the id of a customer; "invoice_list" by a list of invoices.
	NeedsInput, NeedsOutput []string
	Risk                    Risk
	// Limit is the most hits; 0 stands for 20, 1,000 is the maximum.
	Limit int
}

// limit is the number of hits asked for, within bounds.
func (o *SearchOptions) limit(standard int) int {
	if o.Limit <= 0 {
		return standard
	}
	return min(o.Limit, maxLimit)
}

// Search ranks the visible entries that match words of the query and pass the options. An empty query takes all that
// pass, in the order of their ids. The same catalog, query and options give the same answer on every machine. An
// entry's score does not depend on the view, with one exception: a word that no visible entry has and that looks
// misspelt is searched as the nearest visible word, and the set's notes say so. Only the first 16 KiB of a query count.
// Search fails for a limit out of range and an unknown risk.
func (v *View) Search(query string, o SearchOptions) (Set, error) {
	if err := checkOptions(o); err != nil {
		return Set{}, err
	}
	allowed, notes := v.filter(o)
	return v.find(query, query, allowed, notes, o), nil
}

func checkOptions(o SearchOptions) error {
	if o.Limit < 0 || o.Limit > maxLimit {
		return fmt.Errorf("limit %d: want 1 to %d", o.Limit, maxLimit)
	}
	return checkRisk(o.Risk)
}

func checkRisk(r Risk) error {
	switch r {
	case "", Low, Medium, High:
		return nil
	}
	return fmt.Errorf("risk %q: want low, medium or high", text.LineRunes(string(r), 40))
}

func exactHits(docs search.Bits) []search.Hit {
	var hits []search.Hit
	docs.Each(func(doc int) { hits = append(hits, search.Hit{Doc: int32(doc), Score: exactScore}) })
	return hits
}

// filter is the set of visible entries that pass the options, and notes about unknown names.
func (v *View) filter(o SearchOptions) (search.Bits, []string) {
	var notes []string
	allowed := slices.Clone(v.visible)
	narrow := func(kind string, names []string, m *search.Keys, key func(string) string, join string) {
		if len(names) == 0 {
			return
		}
		var unknown []string
		some := search.NewBits(v.cat.Len())
		for _, name := range names {
			docs := m.Get(key(name))
			if !v.visible.Any(docs) {
				unknown = append(unknown, name)
				continue
			}
			some.SetAll(docs)
		}
		notes = append(notes, v.unknownNotes(kind, unknown, m, key, join)...)
		allowed.And(some)
	}
	narrow("domain", o.Domains, v.cat.index.Keys(namespaceKind), namespaceKey, ".")
	narrow("tag", o.Tags, v.cat.index.Keys(tagKind), spelling.Fold, "_")
	narrow("entity", o.Entities, v.cat.index.Keys(entityKind), entityKey, "_")
	if o.Operation != "" {
		narrow("operation", []string{string(o.Operation)}, v.cat.index.Keys(operationKind), strings.ToLower, "_")
	}
	if o.Risk != "" {
		narrow("risk", []string{string(o.Risk)}, v.cat.index.Keys(riskKind), strings.ToLower, "_")
	}
	need := func(kind string, names []string, m *search.Keys) {
		var unknown []string
		for _, name := range names {
			docs := m.Lookup(needKeys(name))
			if !v.visible.Any(docs) {
				unknown = append(unknown, name)
			}
			some := search.NewBits(v.cat.Len())
			some.SetAll(docs)
			allowed.And(some)
		}
		notes = append(notes, v.unknownNotes(kind, unknown, m, spelling.Fold, "_")...)
	}
	need("input", o.NeedsInput, v.cat.index.Keys(inputKind))
	need("output", o.NeedsOutput, v.cat.index.Keys(outputKind))
	if o.IncludeMutations != nil && !*o.IncludeMutations || o.Mutates != nil && !*o.Mutates {
		allowed.AndNot(v.cat.mutating)
	}
	if o.Mutates != nil && *o.Mutates {
		allowed.And(v.cat.mutating)
	}
	return allowed, notes
}

// maxUnknown is how many unknown names get a note of their own.
const maxUnknown = 5

// unknownNotes say that no visible entry has the names, and which ones are near. key converts a name to its form in m,
// and join separates the words of one.
func (v *View) unknownNotes(kind string, names []string, m *search.Keys, key func(string) string,
	join string) []string {
	var notes []string
	for _, name := range names[:min(len(names), maxUnknown)] {
		note := fmt.Sprintf("no %s %q", kind, text.LineRunes(name, 60))
		if near := m.Nearest(key(name), join, v.visible); near != "" {
			note += ": did you mean " + text.LineRunes(near, 60) + "?"
		}
		notes = append(notes, note)
	}
	if more := len(names) - maxUnknown; more > 0 {
		notes = append(notes, fmt.Sprintf("and %d more unknown", more))
	}
	return notes
}

// label is the label of the set of entries under names.
func label(kind string, names []string) string {
	return text.ClipRunes(kind+" "+strings.Join(names[:min(len(names), maxLabel)], ", "), maxLabel)
}

// exactSet is the set of visible entries under any of the names.
func (v *View) exactSet(kind string, names []string, o SearchOptions) Set {
	allowed, notes := v.filter(o)
	hits := exactHits(allowed)
	return Set{view: v, query: label(kind, names), hits: hits, total: len(hits), notes: notes, asked: o}
}

// Namespace is the set of all entries in any of the namespaces, in the order of their ids. Without names the set is
// empty.
func (v *View) Namespace(names ...string) Set {
	if len(names) == 0 {
		return Set{view: v}
	}
	return v.exactSet("namespace", names, SearchOptions{Domains: names})
}

// Tags is the set of all entries with any of the tags.
func (v *View) Tags(names ...string) Set {
	if len(names) == 0 {
		return Set{view: v}
	}
	return v.exactSet("tags", names, SearchOptions{Tags: names})
}

// Entities is the set of all entries about any of the entities.
func (v *View) Entities(names ...string) Set {
	if len(names) == 0 {
		return Set{view: v}
	}
	return v.exactSet("entities", names, SearchOptions{Entities: names})
}

// Inputs is the set of all entries that take any of the fields; names match as in SearchOptions.NeedsInput.
func (v *View) Inputs(names ...string) Set {
	return v.fieldSet("inputs", names, v.cat.index.Keys(inputKind))
}

// Outputs is the set of all entries that return any of the fields; names match as in SearchOptions.NeedsOutput.
func (v *View) Outputs(names ...string) Set {
	return v.fieldSet("outputs", names, v.cat.index.Keys(outputKind))
}

func (v *View) fieldSet(kind string, names []string, m *search.Keys) Set {
	s := Set{view: v, query: label(kind, names)}
	some := search.NewBits(v.cat.Len())
	var unknown []string
	for _, name := range names {
		docs := m.Lookup(needKeys(name))
		if !v.visible.Any(docs) {
			unknown = append(unknown, name)
		}
		some.SetAll(docs)
	}
	s.notes = v.unknownNotes(strings.TrimSuffix(kind, "s"), unknown, m, spelling.Fold, "_")
	some.And(v.visible)
	s.hits = exactHits(some)
	s.total = len(s.hits)
	return s
}

// Get is the hit for one id; an id that is not visible gives an *UnknownError.
func (v *View) Get(id string) (Hit, error) {
	e, err := v.Resolve(id)
	if err != nil {
		return Hit{}, err
	}
	return Hit{ID: e.ID, Score: exactScore}, nil
}

// SetOf makes a set of hits from elsewhere, such as a script: known and visible ids in the order given, without
// duplicates. A score of zero or less becomes that of an exact hit.
func (v *View) SetOf(hits []Hit) Set {
	s := Set{view: v}
	seen := map[int]bool{}
	for _, hit := range hits {
		doc := v.doc(hit.ID)
		if doc < 0 || seen[doc] {
			continue
		}
		seen[doc] = true
		if !(hit.Score > 0) {
			hit.Score = exactScore
		}
		s.hits = append(s.hits, search.Hit{Doc: int32(doc), Score: hit.Score})
	}
	s.total = len(s.hits)
	return s
}
