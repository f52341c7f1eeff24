package search

// This file has the ranking features: the parts of a score. Ranking, explanation and ablation all go through the
// registry.

import (
	"fmt"
	"slices"
	"strings"
)

// A Feature is the name of a ranking feature.
type Feature string

// The ranking features that can be switched off. Relations come from WordNet, through words.txt; vectors from a
// sentence encoder that read API descriptions, through vectors.bin.
const (
	Relations  Feature = "relations"  // words of the same root: "decide", "decision"
	Verbs      Feature = "verbs"      // verbs that are used for one another: "fetch", "get"
	Prefixes   Feature = "prefixes"   // words that begin with one another: "auth", "authorization"
	Namespaces Feature = "namespaces" // the path that the query names: "in slack"
	Context    Feature = "context"    // the paths of documents used just before
	Pairs      Feature = "pairs"      // neighbouring words that stand side by side
	Coverage   Feature = "coverage"   // the share of a document's name that the query has
	Lead       Feature = "lead"       // the share of its first sentence that the query has
	Intents    Feature = "intents"    // what the query asks to do and the document does
	Vectors    Feature = "vectors"    // the meaning of words that document and query do not share
	Near       Feature = "near"       // documents near in meaning that share no word; none without vectors
	Calls      Feature = "calls"      // all words of what a document is called, and no others
	Clauses    Feature = "clauses"    // what a document is worth for one sentence of a query
)

// The features that always count.
const (
	sharedWords Feature = "words" // the words that query and document share
)

// A feature is one part of a score; it has at least one of these functions. Each is called once for a query.
type feature struct {
	name Feature
	// whole is set if it does not apply to the parts of a query; see clauses.go.
	whole bool
	// expand calls add with other terms that stand for a word, at a discount.
	expand func(ix *Index, w *wordForm, add func(term int32, discount float64, why string))
	// add adds points to documents, and notes in t what for.
	add func(ix *Index, q *query, t *tally)
	// lift multiplies the scores of documents; it returns nil if the query gives no reason to.
	lift func(ix *Index, q *query) *lift
}

// A lift is how a feature changes the points of a document.
type lift struct {
	feature Feature
	apply   func(points int32, doc int) int32
	// Points grow at most by the factor most/of, and a little for rounding, and by no more than plus if that is above 0.
	most, of int64
	plus     int64
	// bound is the most that it adds to the points of one document, cheaper than apply; nil where that is not known.
	bound func(doc int) int32
	// lowers is set if points may also become fewer.
	lowers bool
	why    func(points int32, doc int) (label, why string)
}

// registry is every ranking feature, in the order in which they count.
func registry() []feature {
	return []feature{
		{name: sharedWords, add: addWords},
		{name: Prefixes, expand: expandPrefixes},
		{name: Relations, expand: expandRelations},
		{name: Verbs, expand: expandVerbs},
		{name: Pairs, add: addPairs},
		{name: Coverage, add: addCoverage},
		{name: Lead, add: addLead},
		{name: Namespaces, whole: true, add: addNamespaces},
		{name: Calls, add: addCalls},
		{name: Clauses, whole: true, add: addClauses},
		{name: Context, whole: true, add: addContext},
		{name: Near, whole: true, add: addNear},
		{name: Intents, lift: liftIntents},
		{name: Vectors, whole: true, lift: liftVectors},
	}
}

// Features are the ranking features that can be switched off, in the order of their names.
func Features() []Feature {
	var names []Feature
	for _, f := range registry() {
		if f.name != sharedWords {
			names = append(names, f.name)
		}
	}
	slices.Sort(names)
	return names
}

// ParseFeature reads the name of a feature that can be switched off; the error lists the names.
func ParseFeature(name string) (Feature, error) {
	for _, f := range Features() {
		if strings.EqualFold(name, string(f)) {
			return f, nil
		}
	}
	return "", fmt.Errorf("ranking feature %.40q: want one of %s", name, FeatureNames())
}

// FeatureNames lists the features that can be switched off, as help and messages do.
func FeatureNames() string {
	var names []string
	for _, f := range Features() {
		names = append(names, string(f))
	}
	return strings.Join(names, ", ")
}

// on reports whether a feature counts.
func (ix *Index) on(name Feature) bool {
	return slices.ContainsFunc(ix.features, func(f feature) bool { return f.name == name })
}

// lifts are the lifts of the features for a query, or for a part of one.
func (ix *Index) lifts(q *query, part bool) []*lift {
	var lifts []*lift
	for _, f := range ix.features {
		if f.lift == nil || part && f.whole {
			continue
		}
		if l := f.lift(ix, q); l != nil {
			l.feature = f.name
			lifts = append(lifts, l)
		}
	}
	return lifts
}

// A tally adds up the points of all documents, or of a few candidates. For a watched document it records the points
// with their reasons.
type tally struct {
	points []int32
	best   []int32  // what the word at hand adds so far; all zero between words
	places []uint16 // document → its place in points, 0 for one that does not matter; nil where points has all
	near   *candidates

	watched int32 // -1 for none
	before  int32 // its points at the last note
	feature Feature
	noted   []Contribution
}

// at is the place of a document's points.
func (t *tally) at(doc uint32) int {
	if t.places == nil {
		return int(doc)
	}
	return int(t.places[doc])
}

// addAll calls the add functions of the features for a query, or for a part of one.
func (t *tally) addAll(ix *Index, q *query, part bool) {
	for _, f := range ix.features {
		if f.add != nil && !(part && f.whole) {
			t.feature = f.name
			f.add(ix, q, t)
		}
	}
}

// note ends a contribution: the points of the watched document since the last note have the reason that why returns.
// With an empty reason a contribution of zero points is dropped.
func (t *tally) note(why func(points int32) (label, why string)) {
	if t.watched < 0 {
		return
	}
	points := t.points[t.watched] - t.before
	t.before += points
	if label, reason := why(points); points != 0 || reason != "" {
		t.noted = append(t.noted, Contribution{Feature: t.feature, Label: label, Why: reason, points: points})
	}
}

// because is a reason for contributions above zero.
func because(label, reason string) func(int32) (string, string) {
	return func(points int32) (string, string) {
		if points == 0 {
			return "", ""
		}
		return label, reason
	}
}
