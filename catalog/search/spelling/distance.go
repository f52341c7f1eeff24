package spelling

// This file measures how far two words are apart, and guesses which name was meant.

import (
	"strings"
	"unicode/utf8"
)

// maxASCII is the longest text that is compared without allocating a table.
const maxASCII = 63

// Nearest is the name closest to want, or "" when none is close: at most a third of its letters differ, or one
// begins the other. Ties go to the first in order.
func Nearest(want string, names []string) string {
	best, least := "", MostEdits(want)+1
	folded := Fold(want)
	for _, name := range names {
		d := Distance(folded, Fold(name), least)
		if d < least {
			best, least = name, d
		}
	}
	if best != "" || len(folded) < 3 {
		return best
	}
	for _, name := range names {
		if f := Fold(name); len(f) > 2 && (strings.HasPrefix(f, folded) || strings.HasPrefix(folded, f)) {
			return name
		}
	}
	for _, name := range names {
		if strings.HasSuffix(Fold(name), "_"+folded) {
			return name
		}
	}
	return ""
}

// MostEdits is the largest distance that counts as near for a word of this length.
func MostEdits(word string) int {
	return max(1, min(4, utf8.RuneCountInString(word)/3))
}

// Distance is the number of edits (insert, remove, replace, swap of neighbours) between a and b, in characters, or
// limit when it is that or more.
func Distance(a, b string, limit int) int {
	if a == b {
		return 0
	}
	if diff := len(a) - len(b); diff >= 4*limit || -diff >= 4*limit {
		return limit
	}
	var rows [3 * (maxASCII + 1)]int
	if len(a) <= maxASCII && len(b) <= maxASCII && isASCII(a) && isASCII(b) {
		return edits([]byte(a), []byte(b), rows[:], limit)
	}
	x, y := []rune(a), []rune(b)
	return edits(x, y, make([]int, 3*(len(y)+1)), limit)
}

func isASCII(text string) bool {
	for i := range len(text) {
		if text[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// edits is Distance of letters; rows has room for three rows of a table. Only cells of a row that can be below the
// limit are computed.
func edits[T byte | rune](x, y []T, rows []int, limit int) int {
	if diff := len(x) - len(y); diff >= limit || -diff >= limit {
		return limit
	}
	n := len(y) + 1
	before, prev, cur := rows[:n], rows[n:2*n], rows[2*n:3*n]
	for j := range prev {
		prev[j] = j
	}
	for i := 1; i <= len(x); i++ {
		from, to := max(1, i-limit+1), min(len(y), i+limit-1)
		cur[from-1] = limit
		if from == 1 {
			cur[0] = i
		}
		least := cur[from-1]
		for j := from; j <= to; j++ {
			cost := 1
			if x[i-1] == y[j-1] {
				cost = 0
			}
			d := min(prev[j]+1, cur[j-1]+1, prev[j-1]+cost)
			if i > 1 && j > 1 && x[i-1] == y[j-2] && x[i-2] == y[j-1] {
				d = min(d, before[j-2]+1)
			}
			cur[j] = d
			least = min(least, d)
		}
		if to+1 < n {
			cur[to+1] = limit
		}
		if least >= limit {
			return limit
		}
		before, prev, cur = prev, cur, before
	}
	return min(prev[len(y)], limit)
}
