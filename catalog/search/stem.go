package search

// This file has the stemmer and the lists of words with a special role in queries.

import (
	"cmp"
	"strings"

	"github.com/kljensen/snowball/english"

	"almanac/catalog/search/spelling"
)

// Stem is the form under which a lower-case word is indexed; "" for a stop word.
func Stem(word string) string { return stem(word) }

// Stems are the stems of a text's words in their order, without stop words.
func Stems(text string) []string {
	var stems []string
	spelling.EachWord(text, func(word []byte, _ bool) {
		if st := stem(string(word)); st != "" {
			stems = append(stems, st)
		}
	})
	return stems
}

// stem is the English stem of a lower-case word; "" for a stop word. Words with other than plain letters stay as they
// are.
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
	return english.Stem(cmp.Or(irregular[word], word), true)
}

// irregular are words whose stem is that of another, which the stemmer does not see.
var irregular = func() map[string]string {
	of := map[string]string{}
	for line := range strings.Lines(irregularForms) {
		words := strings.Fields(line)
		for _, form := range words[1:] {
			of[form] = words[0]
		}
	}
	return of
}()

// irregularForms are lines of a word and others that have its stem: first those that the stemmer gets wrong, then
// irregular verbs and plurals of the kind that requests have. Forms that are other words, too (found, left, saw), are
// not here.
const irregularForms = `add added adding
err erred erring
queue queued queuing
embedding embed embeds
aliases alias
biases bias
bus buses
break broken
build built
buy bought
choose chose chosen
draw drew drawn
drive drove driven
forbid forbidden
forget forgot forgotten
freeze froze frozen
give given gave
hide hidden hid
hold held
keep kept
know known knew
lose lost
make made
override overridden overrode
overwrite overwritten overwrote
pay paid
rebuild rebuilt
rewrite rewritten rewrote
sell sold
send sent
show shown
spend spent
steal stole stolen
take taken took
teach taught
undo undone
withdraw withdrawn withdrew
write written wrote
analysis analyses
child children
criterion criteria
crisis crises
diagnosis diagnoses
foot feet
hypothesis hypotheses
index indices
man men
matrix matrices
person people
tooth teeth
vertex vertices
wife wives
woman women`

// requestWords express a request, not its subject; they count little in a query.
const requestWords = ` help know tell let give show able try hi hello hey thanks thank sure okay ok yes looking wondering
interested much many really us kindly assist possible wish love going im ive id don t s m re ve ll d provide new use using
used based regarding related specific first second finally next lastly additionally currently anyone something anything `

// A lexicon holds the word lists as stems.
type lexicon struct {
	request map[string]bool
	verbs   map[string][]string // stem → stems of its classes, sorted
	intents map[string]Intent
	leads   map[string]bool
	joins   map[string]bool
	then    map[string]bool
	names   map[string]bool // what a name may follow
	after   map[string]bool // what follows a name alone
	// products is what the name of a product may follow.
	products map[string]bool
	vectors  vectorTable
}

func newLexicon() lexicon {
	return lexicon{
		request: wordSet(requestWords), verbs: newVerbs(),
		intents: newIntents(), leads: wordSet(leadWords), joins: wordSet(clauseWords), then: wordSet(thenWords),
		names: wordSet(beforeNames), after: wordSet(afterNames), products: wordSet(beforeProducts),
		vectors: newVectorTable(vectorsText),
	}
}

func wordSet(list string) map[string]bool {
	set := map[string]bool{}
	for _, word := range strings.Fields(list) {
		set[word] = true
	}
	return set
}
