package main

// This file collects correctly spelt English words.

import (
	"io"
	"path/filepath"
	"strings"

	"almanac/catalog/search"
)

// leastUses is how often a word that is not a lemma must occur in glosses: a misspelt one occurs once.
const leastUses = 2

func buildEnglish(dir string, out io.Writer) error {
	words, err := englishWords(dir)
	if err != nil {
		return err
	}
	_, err = out.Write(search.EnglishSums(words))
	return err
}

// buildLemmas writes the words of lemmas, also of those with several, such as "san_francisco".
func buildLemmas(dir string, out io.Writer) error {
	words, err := englishWords(dir)
	if err != nil {
		return err
	}
	for _, lemma := range words {
		words = append(words, strings.Split(lemma, "_")...)
	}
	_, err = out.Write(search.LemmaSums(words))
	return err
}

// englishWords are the lemmas of WordNet, and the words that its glosses use often enough.
func englishWords(dir string) (words []string, err error) {
	uses := map[string]int{}
	for _, part := range []string{"noun", "verb", "adj", "adv"} {
		err := eachLine(filepath.Join(dir, "index."+part), func(line string) error {
			lemma, _, _ := strings.Cut(line, " ")
			uses[lemma] = leastUses
			return nil
		})
		if err != nil {
			return nil, err
		}
		err = eachLine(filepath.Join(dir, "data."+part), func(line string) error {
			_, gloss, _ := strings.Cut(line, "|")
			for _, word := range strings.FieldsFunc(strings.ToLower(gloss), func(r rune) bool { return r < 'a' || r > 'z' }) {
				uses[word]++
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	for word, n := range uses {
		if n >= leastUses {
			words = append(words, word)
		}
	}
	return words, nil
}
