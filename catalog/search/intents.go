package search

// The feature Intents: what kind of act a document does and a query asks for: to find, make, change, remove or compute.
// "Book a hotel" has all its words in an action that looks up bookings; the intent tells the two apart.

import (
	"fmt"
	"slices"
	"strings"

	"almanac/catalog/search/spelling"
)

const (
	// intentGain is added for the right intent, and intentLoss taken off for another, in 1/128 of the score.
	intentGain = 19
	intentLoss = 6
	// bareLoss is taken off a document that removes something if the query has no verb of change, in 1/128.
	bareLoss = 16
)

// An Intent is a kind of act.
type Intent uint8

// The intents.
const (
	NoIntent Intent = iota
	Finding
	Making
	Changing
	Removing
	Working
	intentCount
)

func (k Intent) String() string {
	return [...]string{"nothing", "finding", "making", "changing", "removing", "working out"}[k]
}

// intentWords are the verbs of each intent, in the order of the constants.
const intentWords = `find get list search retrieve fetch show lookup look query check view read browse locate discover obtain see display access describe tell know what which who when where count
create add new make post insert register generate build set start open book reserve schedule order buy purchase upload import submit publish send
update edit modify change adjust patch put replace rename alter amend revise move
delete remove cancel destroy clear erase drop revoke unregister unsubscribe disable
calculate compute determine estimate evaluate measure convert translate transform analyze verify validate play compare recommend`

// leadWords may stand before the verb of a clause; clauseWords are those of them that end the clause before.
const (
	leadWords   = "please i you can could would like want need also then and or to first next finally help me the a"
	clauseWords = "and then to please me or"
)

func newIntents() map[string]Intent {
	words := map[string]Intent{}
	for i, line := range strings.Split(intentWords, "\n") {
		for _, word := range strings.Fields(line) {
			words[word] = Intent(i + 1)
		}
	}
	return words
}

// intentOf is the intent of a verb in any of its forms: "deletes", "deleted", "deleting", "cancelling".
func (l *lexicon) intentOf(word string) Intent {
	if k := l.intents[word]; k != NoIntent {
		return k
	}
	for _, ending := range [...]string{"s", "es", "d", "ed", "ing"} {
		verb, ok := strings.CutSuffix(word, ending)
		if !ok {
			continue
		}
		if k := l.intents[verb]; k != NoIntent {
			return k
		}
		if n := len(verb); n > 2 && verb[n-1] == verb[n-2] && (ending == "ing" || ending == "ed") {
			if k := l.intents[verb[:n-1]]; k != NoIntent {
				return k
			}
		}
		if ending == "ing" {
			return l.intents[verb+"e"]
		}
	}
	return NoIntent
}

// firstIntent is the intent of the first verb among the first n words of text.
func (l *lexicon) firstIntent(split *spelling.Splitter, text string, n int) (k Intent) {
	text = text[:min(len(text), n*spelling.MaxWord)]
	split.EachWord(text, func(word []byte, _ bool) {
		if n--; n >= 0 && k == NoIntent {
			k = l.intentOf(string(word))
		}
	})
	return k
}

// lastIntent is the intent of the last word of text, if that is a verb.
func (l *lexicon) lastIntent(split *spelling.Splitter, text string) Intent {
	last := make([]byte, 0, spelling.MaxWord)
	split.EachWord(text, func(word []byte, _ bool) { last = append(last[:0], word...) })
	return l.intentOf(string(last))
}

// intent is the intent of a document: by the first word of its body, the first two of its name, as declared, or by the
// last word of its name.
func (w *worker) intent() Intent {
	name := ""
	for _, role := range [...]struct {
		Role
		words int
	}{{Body, 1}, {Name, 2}} {
		at := slices.IndexFunc(w.document.Texts, func(t Text) bool {
			return w.index.options.Fields[t.Field].Role == role.Role
		})
		if at < 0 {
			continue
		}
		text := w.document.Texts[at].Text
		if k := w.index.lexicon.firstIntent(&w.split, text, role.words); k != NoIntent {
			return k
		}
		if role.Role == Name {
			name = text
		}
	}
	if w.document.Intent != NoIntent {
		return w.document.Intent
	}
	return w.index.lexicon.lastIntent(&w.split, name)
}

// queryIntents are the intents that a query asks for: those of the verbs that its clauses begin with.
func (l *lexicon) queryIntents(query string) (asked [intentCount]bool) {
	begins := true
	for i, part := range strings.Fields(query[:min(len(query), spelling.MaxText)]) {
		if i == maxQueryWords {
			break
		}
		word := strings.ToLower(strings.Trim(part, ".,;:!?()\"'"))
		if begins {
			k := l.intentOf(word)
			if k != NoIntent {
				asked[k] = true
			}
			begins = k == NoIntent && l.leads[word]
		}
		if strings.ContainsRune(".,;:?!", rune(part[len(part)-1])) || l.joins[word] {
			begins = true
		}
	}
	return asked
}

// changes reports whether any word of a query is a verb of change.
func (l *lexicon) changes(words []rawWord) bool {
	return slices.ContainsFunc(words, func(w rawWord) bool { return l.intentOf(w.text) > Finding })
}

// gainsFor is what each intent adds to a score, given those asked for, in 1/128.
func gainsFor(asked [intentCount]bool) (gains [intentCount]int32) {
	if !slices.Contains(asked[:], true) {
		return gains
	}
	for k, yes := range asked {
		switch {
		case yes:
			gains[k] = intentGain
		case Intent(k) != NoIntent:
			gains[k] = -intentLoss
		}
	}
	return gains
}

func liftIntents(ix *Index, q *query) *lift {
	gains := gainsFor(ix.lexicon.queryIntents(q.text))
	if gains == [intentCount]int32{} {
		if ix.lexicon.changes(q.raw) {
			return nil
		}
		gains[Removing] = -bareLoss
	}
	return &lift{
		apply: func(points int32, doc int) int32 { return points + points*gains[ix.intents[doc]]/128 },
		most:  128 + intentGain, of: 128, lowers: true,
		why: func(points int32, doc int) (string, string) {
			if points < 0 {
				return "(kind)", fmt.Sprintf("the query asks for something other than %s", ix.intents[doc])
			}
			return "(kind)", fmt.Sprintf("the query asks for %s, and it does that", ix.intents[doc])
		},
	}
}
