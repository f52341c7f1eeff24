package search

// This file finds names of products in a query that no visible document has: mailchimp in "mailchimp: add a
// subscriber". It says too little rather than too much: a name must stand where only such names do, and be no English
// word, abbreviation or near spelling of a known word.

import (
	"slices"
	"strings"

	"almanac/catalog/search/spelling"
)

const (
	// beforeProducts are the words that a name may follow. The names of places follow others, such as "in".
	beforeProducts = "on via using"
	// maxMissing is how many names are told.
	maxMissing = 3
	// leastName is the shortest name, in letters, and mostNamed the most words of one.
	leastName = 4
	mostNamed = 4
)

// notProducts end what stands before a colon and is no name: "quick question: ...".
const notProducts = "question request task goal step story note reminder todo example answer query"

// Missing are names of products in the query that no visible document has, as the query writes them, at most three. A
// name is one word: before a colon or a verb at the beginning ("mailchimp: ...", "mailchimp add ..."), or after "on",
// "via" or "using", with a capital unless the query has none. Or it is two to four words at the beginning, before a
// colon and a verb: "google drive: list files".
func (k *Ranking) Missing() []string {
	r := k.query.reader
	l := &k.index.lexicon
	text := r.request.Text[:min(len(r.request.Text), spelling.MaxText)]
	small := text == strings.ToLower(text)
	fields := strings.Fields(text)
	var missing []string
	if name := r.missingName(text); name != "" {
		missing = append(missing, name)
	}
	for i, field := range fields {
		first := i == 0 && (strings.HasSuffix(field, ":") ||
			i+1 < len(fields) && l.intentOf(strings.ToLower(fields[i+1])) != NoIntent)
		after := i > 0 && l.products[strings.ToLower(fields[i-1])] && (small || field != strings.ToLower(field))
		if !first && !after || len(missing) == maxMissing {
			continue
		}
		name := strings.TrimSuffix(strings.TrimRight(field, ".,;:!?)"), "'s")
		if word := strings.ToLower(name); !slices.Contains(missing, name) && r.isMissing(word) && !r.knowsParts(name) {
			missing = append(missing, name)
		}
	}
	return missing
}

// missingName is the name of several words that a query begins with, where a visible document has neither all of the
// words nor a path or product with one of them; "" if there is none.
func (r *reader) missingName(text string) string {
	l := &r.index.lexicon
	name, rest, colon := strings.Cut(text, ":")
	verb, _, _ := strings.Cut(strings.TrimSpace(rest), " ")
	words := strings.Fields(strings.ToLower(name))
	if len(words) < 2 || len(words) > mostNamed || !colon || verb != "" && l.intentOf(strings.ToLower(verb)) == NoIntent ||
		slices.Contains(strings.Fields(notProducts), words[len(words)-1]) {
		return ""
	}
	unknown := false
	for _, word := range words {
		if r.form(word, "").stem == "" || l.request[word] || l.leads[word] || l.intentOf(word) != NoIntent ||
			r.isInName(word) {
			return ""
		}
		unknown = unknown || r.isUnknown(word)
	}
	if !unknown {
		return ""
	}
	return strings.Join(strings.Fields(name), " ")
}

// isMissing reports whether a word is neither known nor English nor near to a known word.
func (r *reader) isMissing(word string) bool { return !isLemma(word) && r.isUnknown(word) }

// isUnknown reports whether a word is neither known nor near to a known word.
func (r *reader) isUnknown(word string) bool {
	if len(word) < leastName || !spellable(word) || r.index.lexicon.request[word] {
		return false
	}
	f := r.form(word, "")
	if f.stem == "" || f.typed != "" || r.knows(f.term) {
		return false
	}
	begun := func(a alternate) bool {
		return strings.HasPrefix(r.index.words.At(int(a.term)), f.stem) && r.knows(a.term)
	}
	return !slices.ContainsFunc(r.alternatesOf(f), begun) && len(r.index.nearTerms(f.stem, r.request.Visible)) == 0 &&
		len(r.index.apart(word, r.request.Visible)) == 0 && !r.isNameWithoutJoints(word)
}
