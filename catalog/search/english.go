package search

// This file tells correctly spelt English words from misspelt ones with the same stem: "invocation" has the stem
// "invoc", and so would "invoce".

import (
	_ "embed"
	"slices"
	"strings"
)

// englishText has a sorted sum of three bytes for each word; one unknown word in 400 passes as known.
//
//go:embed english.bin
var englishText string

// lemmasText has the sums of the words that englishText leaves out since the stem identifies them, names of places and
// people among them.
//
//go:embed lemmas.bin
var lemmasText string

// sumSize is the size of a word's sum.
const sumSize = 3

// EnglishSums are the sums of words of letters from a to z, as stored in english.bin. Words that the stem alone
// identifies are left out, and so are short and very long ones.
func EnglishSums(words []string) []byte {
	return sumsOf(words, func(word, st string) bool { return !isPlainForm(word, st) })
}

// LemmaSums are the sums of the words that EnglishSums leaves out because of their stems, as stored in lemmas.bin.
func LemmaSums(words []string) []byte { return sumsOf(words, isPlainForm) }

func sumsOf(words []string, has func(word, stem string) bool) []byte {
	var sums []uint32
	for _, word := range words {
		if st := stem(word); spellable(word) && st != "" && has(word, st) {
			sums = append(sums, englishSum(word))
		}
	}
	slices.Sort(sums)
	var text []byte
	for _, sum := range slices.Compact(sums) {
		text = append(text, byte(sum>>16), byte(sum>>8), byte(sum))
	}
	return text
}

func englishSum(word string) uint32 { return uint32(phrase{word}.hash() >> 40) }

// isPlainForm reports whether a word is its stem with a regular ending.
func isPlainForm(word, stem string) bool {
	ending, ok := strings.CutPrefix(word, stem)
	return ok && (ending == "" || ending == "s" || ending == "ed" || ending == "ing")
}

// isEnglish reports whether a word, whose stem is known, is correctly spelt English.
func isEnglish(word, stem string) bool {
	return isPlainForm(word, stem) || inEnglish(word) || strings.HasSuffix(word, "s") && inEnglish(word[:len(word)-1])
}

// isLemma reports whether a word is in WordNet, or a form of such a word.
func isLemma(word string) bool {
	for _, ending := range []string{"", "s", "es", "ed", "ing"} {
		if base, ok := strings.CutSuffix(word, ending); ok && (inEnglish(base) || inSums(lemmasText, base)) {
			return true
		}
	}
	return false
}

func inEnglish(word string) bool { return inSums(englishText, word) }

func inSums(sums, word string) bool {
	want := englishSum(word)
	low, high := 0, len(sums)/sumSize
	for low < high {
		mid := int(uint(low+high) >> 1)
		at := sums[sumSize*mid:]
		sum := uint32(at[0])<<16 | uint32(at[1])<<8 | uint32(at[2])
		switch {
		case sum == want:
			return true
		case sum < want:
			low = mid + 1
		default:
			high = mid
		}
	}
	return false
}
