package search

// The feature Relations: words of the same root match each other. They are in words.txt, which search/lexicon builds
// from WordNet. The text is searched in place, so loading it costs nothing.

import (
	_ "embed"
	"strings"
)

//go:embed words.txt
var wordsText string

// derived are the stems with the same root as a stem. Lines are a stem and its relatives, sorted.
func derived(stem string) []string {
	text := wordsText
	for text != "" {
		start := strings.LastIndexByte(text[:len(text)/2], '\n') + 1
		end := start + strings.IndexByte(text[start:], '\n')
		if end < start {
			return nil
		}
		key, rest, _ := strings.Cut(text[start:end], " ")
		switch {
		case key == stem:
			return strings.Fields(rest)
		case key < stem:
			text = text[end+1:]
		default:
			text = text[:start]
		}
	}
	return nil
}

const rootDiscount = 0.4

func expandRelations(ix *Index, w *wordForm, add func(term int32, discount float64, why string)) {
	for _, st := range derived(w.stem) {
		if term := ix.words.term(st); term >= 0 {
			add(term, rootDiscount, "of the same root")
		}
	}
}
