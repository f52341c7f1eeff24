package spec

// This file fits lines into a budget of tokens.

import "almanac/catalog/search/spelling"

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
		costs[i] = Tokens(lines[i])
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

// Tokens estimates how many tokens a line takes: one for a word of up to seven letters, a run of punctuation or a piece
// of a number, none for the space before a word. Measured against a real vocabulary in llm/tools/tokens.
func Tokens(line string) int {
	n, run := 0, 0
	prev := spelling.Space
	for _, r := range line {
		class := spelling.ClassOf(r)
		switch {
		case r == ' ':
			run = 0
			prev = spelling.Space
			continue
		case class == spelling.Space:
			if prev != spelling.Space || run == 0 {
				n++
			}
			run = 1
		case class == spelling.Alone:
			n++
		case class == prev || prev == spelling.Upper && class == spelling.Lower:
			if run++; run == 7 || class == spelling.Digit && run == 3 {
				n, run = n+1, 0
			}
		default:
			n++
			run = 0
		}
		prev = class
	}
	return n
}
