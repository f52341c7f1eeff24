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

// sumSize is the size of a word's sum.
const sumSize = 3

// EnglishSums are the sums of words of letters from a to z, as stored in english.bin. Words that the stem alone
// identifies are left out, and so are short and very long ones.
func EnglishSums(words []string) []byte {
	var sums []uint32
	for _, word := range words {
		if st := stem(word); spellable(word) && st != "" && !isPlainForm(word, st) {
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

func inEnglish(word string) bool {
	want := englishSum(word)
	low, high := 0, len(englishText)/sumSize
	for low < high {
		mid := int(uint(low+high) >> 1)
		at := englishText[sumSize*mid:]
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
