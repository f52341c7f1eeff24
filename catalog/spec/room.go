package spec

// This file fits lines into a budget of tokens.

import "almanac/catalog/text"

// A Room is the budget of a list of lines.
type Room struct {
	Tokens int
	// Least is how many lines must be kept.
	Least int
	// Best is how many alternatives keep their full line as long as others can be shortened.
	Best int
	// Place is the place of each signature among its alternatives, 0 the best; nil if all are alternatives in order.
	Place []int
}

// Fit writes lines, shortened from the last to the first until they fit, and leaves out the last ones if even that is
// not enough.
func (r Room) Fit(signatures []*Signature) []string {
	lines := make([]string, len(signatures))
	costs := make([]int, len(signatures))
	used := 0
	write := func(i int, l level) {
		lines[i] = signatures[i].line(l)
		used -= costs[i]
		costs[i] = text.Tokens(lines[i])
		used += costs[i]
	}
	for i := range signatures {
		write(i, fullLine)
	}
	shorten := func(l level, keep int) {
		for i := len(lines) - 1; i >= 0 && used > r.Tokens; i-- {
			if r.placeOf(i) >= keep {
				write(i, l)
			}
		}
	}
	shorten(briefLine, 0)
	shorten(shortLine, r.Best)
	shorten(bareLine, r.Best)
	for len(lines) > r.Least && used > r.Tokens {
		last := len(lines) - 1
		used -= costs[last]
		lines = lines[:last]
	}
	shorten(shortLine, 0)
	shorten(bareLine, 0)
	return lines
}

func (r Room) placeOf(i int) int {
	if r.Place == nil {
		return i
	}
	return r.Place[i]
}
