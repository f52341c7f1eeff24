package syntax

import (
	"slices"
	"strings"
)

// This file finds the word that was probably meant by one that is wrong.

// Nearest picks the name that word was probably meant to be: one that is at most a third of the word's length away in
// edits, or one that begins with the word and is at most half as long again. It returns "" when there is none, and for
// words of one or two bytes. It sorts names.
func Nearest(word string, names []string) string {
	if len(word) < 3 {
		return ""
	}
	slices.Sort(names)
	best, least := "", len(word)/3+1
	for _, name := range names {
		if d := editDistance(word, name, least); d < least {
			best, least = name, d
		}
	}
	if best != "" || len(word) < 4 {
		return best
	}
	for _, name := range names {
		if strings.HasPrefix(name, word) && len(name) <= len(word)*3/2 && (best == "" || len(name) < len(best)) {
			best = name
		}
	}
	return best
}

// keywordHint says which reserved word was probably meant by a name; want is the one that is needed there, "" for any.
func keywordHint(name, want string) string {
	words := []string{want}
	if want == "" {
		words = []string{"break", "else", "elseif", "end", "for", "function", "goto", "if", "local", "repeat", "return",
			"then", "until", "while", "do"}
	}
	near := Nearest(name, words)
	if near == "" && want != "" && len(name) == len(want) && editDistance(name, want, 2) < 2 {
		near = want // "od" for "do"
	}
	if near == "" {
		return ""
	}
	return "did you mean '" + near + "'?"
}

// editDistance counts insertions, deletions, changes and swaps of neighbours; it gives up at limit.
func editDistance(a, b string, limit int) int {
	if d := len(a) - len(b); d >= limit || -d >= limit {
		return limit
	}
	var before, last []int
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(a); i++ {
		before, last, row = last, row, make([]int, len(b)+1)
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
	}
	return row[len(b)]
}
