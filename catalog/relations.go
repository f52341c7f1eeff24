package catalog

// This file looks up words of the same root in words.txt, which catalog/lexicon builds from WordNet. The text is
// searched as it is: opening a catalog costs nothing for it.

import (
	_ "embed"
	"strings"
)

//go:embed words.txt
var wordsText string

// derived are the stems that come from the same root as a stem. Lines are a stem and its relatives, in order.
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
