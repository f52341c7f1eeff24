package catalog

// This file finds interchangeable hits: the same operation of another vendor, or in another version.

import (
	"cmp"
	"slices"
	"strings"
	"unicode"

	"almanac/catalog/search/spelling"
	"almanac/catalog/text"
)

const (
	// mostAlike are the other ids that the line of a hit has, unless a caller asked for a number of hits.
	mostAlike = 3
	// alikeShare is how much two descriptions must have in common, and two lists of arguments: words of both by words of
	// either.
	alikeShare = 0.5
)

// Alike puts hits together that are interchangeable, in the order of the first of each group: the same name path, but
// for vendor and version, the same effect and required arguments, and nearly the same arguments and first sentence. Two
// are not if the words of the request name one of them and not the other: "slack: post a message". A group begins with
// what stands where the session has just been (see WithRecent), and is in the order of the hits else.
func (v *View) Alike(hits []Hit, words string) [][]Hit {
	var groups [][]Hit
	at := map[string][]int{}
	asked := wordsIn(nil, words)
	for _, h := range hits {
		key := namePath(h.ID)
		joined := slices.IndexFunc(at[key], func(i int) bool { return v.alike(groups[i][0].ID, h.ID, asked) })
		if joined >= 0 {
			i := at[key][joined]
			groups[i] = append(groups[i], h)
			continue
		}
		at[key] = append(at[key], len(groups))
		groups = append(groups, []Hit{h})
	}
	for _, group := range groups {
		if len(group) > 1 {
			slices.SortStableFunc(group, func(a, b Hit) int { return cmp.Compare(v.recency(b.ID), v.recency(a.ID)) })
		}
	}
	return groups
}

// recency is how near an entry stands to what was just used: 2 in its namespace, 1 of its provider, else 0.
func (v *View) recency(id string) (near int) {
	for _, r := range v.recent {
		if _, ok := slices.BinarySearch(r.Docs, uint32(v.cat.find(id))); ok && r.Within {
			return 2
		} else if ok {
			near = 1
		}
	}
	return near
}

// namePath is an id without its first segment and without versions, folded; the whole where nothing else is left.
func namePath(id string) string {
	segments := strings.Split(id, ".")
	var path []string
	for _, segment := range segments[min(1, len(segments)-1):] {
		words := strings.Split(spelling.Fold(segment), "_")
		words = slices.DeleteFunc(words, isVersion)
		if len(words) > 0 {
			path = append(path, strings.Join(words, "_"))
		}
	}
	return strings.Join(path, ".")
}

// alike reports whether two visible entries with the same name path are interchangeable for who asks in some words.
func (v *View) alike(one, other string, asked []string) bool {
	a, ok := v.Lookup(one)
	b, is := v.Lookup(other)
	if !ok || !is || a.Mutates != b.Mutates || OperationOf(a) != OperationOf(b) || RiskOf(a) != RiskOf(b) {
		return false
	}
	vendor := func(id string) string {
		root, _, _ := strings.Cut(id, ".")
		words := strings.Split(spelling.Fold(root), "_")
		return strings.Join(slices.DeleteFunc(words, isVersion), "_")
	}
	path := namePath(one)
	if vendor(one) != vendor(other) && (!strings.ContainsAny(path, "._") || a.Description == "" || b.Description == "") {
		return false
	}
	aAll, aRequired := argumentNames(a)
	bAll, bRequired := argumentNames(b)
	return slices.Equal(aRequired, bRequired) && common(aAll, bAll) >= alikeShare &&
		common(wordsIn(nil, text.FirstSentence(a.Description)), wordsIn(nil, text.FirstSentence(b.Description))) >=
			alikeShare && slices.Equal(namesIn(asked, a), namesIn(asked, b))
}

// namesIn are those of some sorted words that are in the id of an entry or in what its product is called.
func namesIn(words []string, e *Entry) []string {
	names := wordsIn(nil, e.ID)
	for _, product := range productsOf(e, spelling.Fold) {
		names = append(wordsIn(names, product), strings.ReplaceAll(product, "_", ""))
	}
	return slices.DeleteFunc(slices.Clone(words), func(word string) bool { return !slices.Contains(names, word) })
}

// argumentNames are the folded names of the arguments, and of the required ones, sorted.
func argumentNames(e *Entry) (all, required []string) {
	for _, p := range e.Input.Fields() {
		name := spelling.Fold(p.Name)
		if all = append(all, name); p.Required {
			required = append(required, name)
		}
	}
	return sortedSet(all), sortedSet(required)
}

// wordsIn adds the words of a text to others, in the singular, and sorts them.
func wordsIn(words []string, text string) []string {
	spelling.EachWord(text, func(word []byte, _ bool) { words = append(words, spelling.Singular(string(word))) })
	return sortedSet(words)
}

// common is the share of words of either list that are in both; 1 where there are none.
func common(a, b []string) float64 {
	both := 0
	for _, word := range a {
		if slices.Contains(b, word) {
			both++
		}
	}
	if either := len(a) + len(b) - both; either > 0 {
		return float64(both) / float64(either)
	}
	return 1
}

// isVersion reports whether a folded name or a part of an id is a version and nothing else: "v2", "2_0", "v1beta1".
func isVersion(name string) bool {
	rest := strings.TrimPrefix(strings.ToLower(name), "v")
	if rest == "" || !unicode.IsDigit(rune(rest[0])) {
		return false
	}
	for _, word := range []string{"beta", "alpha", "preview", "rc"} {
		rest = strings.ReplaceAll(rest, word, "")
	}
	return !strings.ContainsFunc(rest, unicode.IsLetter)
}
