package catalog

// This file cuts text into words: the same cut for entries and for queries. "listUnpaidInvoices", "list_unpaid-invoices"
// and "List unpaid invoices" give the same words; accents are taken off, letters and digits part, CJK runes stand alone.

import (
	"almanac/catalog/search/spelling"
	"strings"

	"github.com/kljensen/snowball/english"
)

// Stem is the form that a lower-case word is indexed under; "" for a word that is too common to be indexed.
func Stem(word string) string { return stem(word) }

// Stems are the stems of a text's words in their order, as they are indexed: without the words that are too common.
func Stems(text string) []string {
	var stems []string
	spelling.EachWord(text, func(word []byte, _ bool) {
		if st := stem(string(word)); st != "" {
			stems = append(stems, st)
		}
	})
	return stems
}

// stem is the English stem of a lower-case word; "" for a stop word. Words that are not plain letters stay.
func stem(word string) string {
	if english.IsStopWord(word) {
		return ""
	}
	for i := 0; i < len(word); i++ {
		if word[i] < 'a' || word[i] > 'z' {
			return word
		}
	}
	if len(word) < 3 {
		return word
	}
	return english.Stem(word, true)
}

// requestWords say that somebody wants something, not what; they count little in a query.
const requestWords = ` help know tell let give show able try hi hello hey thanks thank sure okay ok yes looking wondering
interested much many really us kindly assist possible wish love going im ive id don t s m re ve ll d provide new use using
used based regarding related specific first second finally next lastly additionally currently anyone something anything `

// verbClasses are verbs that catalogs use for one another, a class a line.
const verbClasses = `find get list search retrieve fetch show lookup look query check view read browse locate discover obtain see display access
create add new make post insert register generate build set start open
update edit modify set change adjust patch put replace rename alter amend revise
delete remove cancel destroy clear erase drop revoke unregister
send post deliver transmit submit push notify
calculate compute determine estimate evaluate measure
convert transform translate change
book reserve schedule order
buy purchase order
analyze analyse assess evaluate examine inspect review
verify validate check confirm test
recommend suggest propose advise
play stream listen watch
record log track monitor
compare contrast diff
upload import load
download export save`

// A lexicon holds the word lists as stems.
type lexicon struct {
	request map[string]bool
	verbs   map[string][]string // stem → stems of its classes, sorted
	intents map[string]intent
	leads   map[string]bool
	joins   map[string]bool
	then    map[string]bool
	names   map[string]bool // what a name may follow
	vectors vectorTable
}

func newLexicon() lexicon {
	l := lexicon{
		request: map[string]bool{}, verbs: map[string][]string{},
		intents: newIntents(), leads: wordSet(leadWords), joins: wordSet(clauseWords), then: wordSet(thenWords), names: wordSet(beforeNames), vectors: newVectorTable(vectorsText),
	}
	for _, word := range strings.Fields(requestWords) {
		l.request[word] = true
	}
	for _, line := range strings.Split(verbClasses, "\n") {
		words := strings.Fields(line)
		for i := range words {
			words[i] = stem(words[i])
		}
		for _, word := range words {
			l.verbs[word] = append(l.verbs[word], words...)
		}
	}
	for word, others := range l.verbs {
		l.verbs[word] = sortedSet(others)
	}
	return l
}
