package search

// This file recognises typing slips: a letter doubled or not doubled, two neighbours swapped, a letter lost or added,
// or a wrong key. Product names can be near to ordinary words ("wrike", "write"), so a short word only counts as a slip
// if the keyboard or the sound explains it.

import "strings"

const (
	// Words of fewer than shortTypo letters are never slips; from anyTypo letters on any single edit may be a slip, from
	// longTypo on two edits.
	shortTypo = 4
	anyTypo   = 6
	longTypo  = 9
)

// The cost of slips: any one costs less than any two together. A swap is less likely than a doubled letter, and so on.
const (
	twinSlip = 16 + iota
	swapSlip
	letterSlip // one lost or added
	nearSlip   // a neighbouring key, or a vowel for another
	farSlip
	noSlip = 1 << 10
)

// keyRows are the letters in keyboard order, and vowels those that sound alike.
const (
	keyRows = "qwertyuiop asdfghjkl zxcvbnm"
	vowels  = "aeiou"
)

// slipCost is how unlikely it is that meant was typed as typed, or noSlip; both consist of letters from a to z. The
// first letter must be the same, unless the first two are swapped.
func slipCost(typed, meant string) int {
	s := slip{typed, meant}
	cost := s.from(0, 0, 1, false)
	if cost >= noSlip && len(typed) >= longTypo {
		cost = s.from(0, 0, 2, true)
	}
	return min(cost, noSlip)
}

// editsOf is the number of edits in a cost.
func editsOf(cost int) int { return cost / twinSlip }

// A slip is a pair of words being compared.
type slip struct{ typed, meant string }

// from is the least cost of the words from letters i and j on within a number of edits. If unlikely is set, a doubled
// letter, a swap or a near key must be among them: two arbitrary replacements make another word.
func (s slip) from(i, j, edits int, unlikely bool) int {
	for i < len(s.typed) && j < len(s.meant) && s.typed[i] == s.meant[j] {
		i, j = i+1, j+1
	}
	typed, meant := s.typed[i:], s.meant[j:]
	switch {
	case typed == "" && meant == "" && !unlikely:
		return 0
	case edits == 0:
		return noSlip
	}
	short := len(s.typed) < anyTypo
	best := noSlip
	try := func(cost, i, j int, ok, likely bool) {
		if ok {
			best = min(best, cost+s.from(i, j, edits-1, unlikely && !likely))
		}
	}
	if len(typed) > 1 && len(meant) > 1 && typed[0] == meant[1] && typed[1] == meant[0] {
		try(swapSlip, i+2, j+2, true, true)
	}
	if i == 0 || j == 0 {
		return best
	}
	if typed != "" {
		twin := typed[0] == s.typed[i-1]
		try(letterCost(twin), i+1, j, twin || !short, twin)
	}
	if meant != "" {
		twin := meant[0] == s.meant[j-1]
		try(letterCost(twin), i, j+1, twin || !short || len(meant) > 1, twin)
	}
	if typed != "" && meant != "" {
		near := besides(typed[0], meant[0])
		cost := farSlip
		if near {
			cost = nearSlip
		}
		try(cost, i+1, j+1, !short || near && len(typed) > 1, near)
	}
	return best
}

func letterCost(twin bool) int {
	if twin {
		return twinSlip
	}
	return letterSlip
}

// besides reports whether a letter is easily typed for another: their keys are neighbours in a row, or both are vowels.
func besides(a, b byte) bool {
	if strings.IndexByte(vowels, a) >= 0 && strings.IndexByte(vowels, b) >= 0 {
		return true
	}
	at, other := strings.IndexByte(keyRows, a), strings.IndexByte(keyRows, b)
	return at-other == 1 || other-at == 1
}
