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
	uses := map[string]int{}
	for _, part := range []string{"noun", "verb", "adj", "adv"} {
		err := eachLine(filepath.Join(dir, "index."+part), func(line string) error {
			lemma, _, _ := strings.Cut(line, " ")
			uses[lemma] = leastUses
			return nil
		})
		if err != nil {
			return err
		}
		err = eachLine(filepath.Join(dir, "data."+part), func(line string) error {
			_, gloss, _ := strings.Cut(line, "|")
			for _, word := range strings.FieldsFunc(strings.ToLower(gloss), func(r rune) bool { return r < 'a' || r > 'z' }) {
				uses[word]++
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	var words []string
	for word, n := range uses {
		if n >= leastUses {
			words = append(words, word)
		}
	}
	_, err := out.Write(search.EnglishSums(words))
	return err
}
