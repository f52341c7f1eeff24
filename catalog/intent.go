package catalog

// This file tells what kind of thing an entry does and a query asks for: to find, make, change, remove or work out.
// "Book a hotel" has all its words in an action that looks bookings up; the kind tells the two apart.

import (
	"almanac/catalog/search/spelling"
	"slices"
	"strings"
)

// An intent is a kind of act.
type intent uint8

const (
	noIntent intent = iota
	readIntent
	createIntent
	updateIntent
	deleteIntent
	workIntent
	intentCount
)

func (k intent) String() string {
	return [...]string{"nothing", "finding", "making", "changing", "removing", "working out"}[k]
}

// intentWords are the verbs of each intent, in the order of the constants.
const intentWords = `find get list search retrieve fetch show lookup look query check view read browse locate discover obtain see display access describe tell know what which who when where count
create add new make post insert register generate build set start open book reserve schedule order buy purchase upload import submit publish
update edit modify change adjust patch put replace rename alter amend revise move
delete remove cancel destroy clear erase drop revoke unregister unsubscribe disable
calculate compute determine estimate evaluate measure convert translate transform analyze verify validate send play compare recommend`

// leadWords may stand before the verb of a clause; clauseWords are those of them that a clause begins after.
const (
	leadWords   = "please i you can could would like want need also then and or to first next finally help me the a"
	clauseWords = "and then to please me or"
)

func newIntents() map[string]intent {
	words := map[string]intent{}
	for i, line := range strings.Split(intentWords, "\n") {
		for _, word := range strings.Fields(line) {
			words[word] = intent(i + 1)
		}
	}
	return words
}

func wordSet(list string) map[string]bool {
	set := map[string]bool{}
	for _, word := range strings.Fields(list) {
		set[word] = true
	}
	return set
}

// intentOf is the intent of a verb in any of its forms: "deletes", "deleted", "deleting".
func (l *lexicon) intentOf(word string) intent {
	if k := l.intents[word]; k != noIntent {
		return k
	}
	for _, ending := range [...]string{"s", "es", "d", "ed", "ing"} {
		verb, ok := strings.CutSuffix(word, ending)
		if !ok {
			continue
		}
		if k := l.intents[verb]; k != noIntent {
			return k
		}
		if ending == "ing" {
			return l.intents[verb+"e"]
		}
	}
	return noIntent
}

// firstIntent is that of the first verb among the first n words of text.
func (l *lexicon) firstIntent(text string, n int) (k intent) {
	text = text[:min(len(text), n*spelling.MaxWord)]
	spelling.EachWord(text, func(word []byte, _ bool) {
		if n--; n >= 0 && k == noIntent {
			k = l.intentOf(string(word))
		}
	})
	return k
}

// entryIntent is what an entry does: by the first word of its description, the first two of its name, or its operation.
func (l *lexicon) entryIntent(e *Entry) intent {
	if k := l.firstIntent(e.Description, 1); k != noIntent {
		return k
	}
	if k := l.firstIntent(nameOf(e), 2); k != noIntent {
		return k
	}
	switch e.Operation {
	case Read:
		return readIntent
	case Create:
		return createIntent
	case Update:
		return updateIntent
	case Delete:
		return deleteIntent
	}
	return noIntent
}

// queryIntents are what the clauses of a query ask for: the intents of the verbs that they begin with.
func (l *lexicon) queryIntents(query string) (asked [intentCount]bool) {
	begins := true
	for i, part := range strings.Fields(query[:min(len(query), spelling.MaxText)]) {
		if i == maxQueryWords {
			break
		}
		word := strings.ToLower(strings.Trim(part, ".,;:!?()\"'"))
		if begins {
			k := l.intentOf(word)
			if k != noIntent {
				asked[k] = true
			}
			begins = k == noIntent && l.leads[word]
		}
		if strings.ContainsRune(".,;:?!", rune(part[len(part)-1])) || l.joins[word] {
			begins = true
		}
	}
	return asked
}

// changes reports whether any word of a query is a verb that does more than find.
func (l *lexicon) changes(words []rawWord) bool {
	return slices.ContainsFunc(words, func(w rawWord) bool { return l.intentOf(w.text) > readIntent })
}

// gainsFor are what each intent adds to a score when some are asked for, in 1/128.
func gainsFor(asked [intentCount]bool) (gains [intentCount]int32) {
	if !slices.Contains(asked[:], true) {
		return gains
	}
	for k, yes := range asked {
		switch {
		case yes:
			gains[k] = intentGain
		case intent(k) != noIntent:
			gains[k] = -intentLoss
		}
	}
	return gains
}
