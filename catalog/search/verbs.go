package search

// The feature Verbs: verbs that are used interchangeably match each other.

import (
	"slices"
	"strings"
)

const verbDiscount = 0.2

// verbClasses are verbs that names and texts use interchangeably, one class per line.
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

// newVerbs are the stems of the verbs, each with those of its classes, sorted.
func newVerbs() map[string][]string {
	verbs := map[string][]string{}
	for line := range strings.Lines(verbClasses) {
		class := Stems(line)
		for _, verb := range class {
			verbs[verb] = append(verbs[verb], class...)
		}
	}
	for verb, others := range verbs {
		slices.Sort(others)
		verbs[verb] = slices.Compact(others)
	}
	return verbs
}

func expandVerbs(ix *Index, w *wordForm, add func(term int32, discount float64, why string)) {
	for _, verb := range ix.lexicon.verbs[w.stem] {
		if term := ix.words.term(verb); term >= 0 && verb != w.stem {
			add(term, verbDiscount, "similar verb")
		}
	}
}
