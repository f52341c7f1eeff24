package catalog

// This file writes sets as text.

import (
	"fmt"
	"strings"

	"almanac/catalog/search/spelling"
)

// An answer is written for readers who pay for it by the token.
const (
	// answerTokens is about how much an answer takes whose size nobody asked for.
	answerTokens = 272
	// stepTokens is how much more a plan takes for each step beyond the second.
	stepTokens = 90
	// askedTokens is how much one takes that was asked for by a limit.
	askedTokens = 800
	// leastHits are shown in any case; the first bestHits keep the usual line as long as others can give way.
	leastHits = 5
	bestHits  = 2
)

// FormatSet is a set as text: a header that says how many of how many are shown, then a line a hit. At most max hits
// are listed; 0 stands for 20. Lines that do not matter most are shortened until the text takes about 300 tokens, and
// then the last hits are left out; where the set was asked for with a limit, or cut by Top, all are there, in about 900
// tokens where their required inputs let them. An empty set says what was searched, the nearest names, and where to
// look.
func (v *View) FormatSet(s Set, max int) string {
	if max <= 0 {
		max = defaultLimit
	}
	var signatures []*signature
	for _, h := range s.hits[:min(len(s.hits), max)] {
		if doc := v.doc(s.hit(h).ID); doc >= 0 {
			signatures = append(signatures, v.cat.signatureOf(doc).asking(s.asked.NeedsInput, s.asked.NeedsOutput))
		}
	}
	if len(signatures) == 0 {
		return v.formatEmpty(s)
	}
	room := lineRoom{tokens: answerTokens, least: leastHits, best: bestHits}
	if s.chosen {
		room = lineRoom{tokens: askedTokens, least: len(signatures), best: bestHits}
	}
	lines := room.fit(signatures)
	header := fmt.Sprintf("%d of %d shown", len(lines), s.total)
	if s.total <= len(lines) {
		header = fmt.Sprintf("complete: %s", count(len(lines), "action"))
	} else if s.chosen && len(lines) >= max {
		header += ", the most that one answer lists; narrow the query for the rest"
	} else if !s.chosen && s.search == nil {
		header += fmt.Sprintf("; catalog.top(set, %d) lists more, catalog.filter narrows", max)
	} else {
		header += "; raise limit or narrow the query for the rest"
	}
	if len(s.notes) > 0 {
		header += "; " + strings.Join(s.notes, "; ")
	}
	return header + "\n" + strings.Join(lines, "\n")
}

// A lineRoom says how much room a list of lines has.
type lineRoom struct {
	tokens int
	// least is how many lines must be there.
	least int
	// best is how many alternatives keep the usual line as long as others can give way.
	best int
	// place is the place of each signature among its alternatives, 0 the best; nil when all are alternatives in order.
	place []int
}

// fit writes lines, shortened from the last to the first until they fit, and leaves out the last ones where even that
// does not do.
func (r lineRoom) fit(signatures []*signature) []string {
	lines := make([]string, len(signatures))
	costs := make([]int, len(signatures))
	used := 0
	write := func(i int, l level) {
		lines[i] = signatures[i].line(l)
		used -= costs[i]
		costs[i] = tokens(lines[i])
		used += costs[i]
	}
	for i := range signatures {
		write(i, fullLine)
	}
	shorten := func(l level, keep int) {
		for i := len(lines) - 1; i >= 0 && used > r.tokens; i-- {
			if r.placeOf(i) >= keep {
				write(i, l)
			}
		}
	}
	shorten(briefLine, 0)
	shorten(shortLine, r.best)
	shorten(bareLine, r.best)
	for len(lines) > r.least && used > r.tokens {
		last := len(lines) - 1
		used -= costs[last]
		lines = lines[:last]
	}
	shorten(shortLine, 0)
	shorten(bareLine, 0)
	return lines
}

func (r lineRoom) placeOf(i int) int {
	if r.place == nil {
		return i
	}
	return r.place[i]
}

// tokens is about how many tokens a model takes for a line: words of up to seven letters are one, a run of marks and
// the pieces of numbers too, and the space before a word costs nothing. Measured against a real vocabulary in
// llm/eval/tokens.
func tokens(text string) int {
	n, run := 0, 0
	prev := spelling.Space
	for _, r := range text {
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

func (v *View) formatEmpty(s Set) string {
	var b strings.Builder
	b.WriteString("no actions found")
	if s.query != "" {
		fmt.Fprintf(&b, " for %q", clip(oneLine(s.query), 120))
	}
	fmt.Fprintf(&b, " among %s", count(v.count, "visible action"))
	if filters := s.asked.words(); filters != "" {
		b.WriteString(" with " + filters)
	}
	for _, note := range s.notes {
		b.WriteString("\n" + note)
	}
	if near := v.nearWords(s.words); len(near) > 0 {
		b.WriteString("\nnear words: " + strings.Join(near, ", "))
	}
	if wide := v.domainsOf(s); len(wide) > 0 {
		b.WriteString("\nwithout these filters: " + strings.Join(wide, ", "))
		return b.String()
	}
	if roots := v.Roots(); len(roots) > 0 {
		more := ""
		if len(roots) > 12 {
			more = fmt.Sprintf(" and %d more", len(roots)-12)
		}
		b.WriteString("\ndomains: " + strings.Join(roots[:min(12, len(roots))], ", ") + more)
	}
	return b.String()
}

// domainsOf are the domains that a filtered set has without its filters.
func (v *View) domainsOf(s Set) []string {
	switch {
	case s.asked.words() == "":
		return nil
	case s.from != nil:
		return s.from.shownDomains()
	case s.words == "":
		return nil
	}
	wide, err := v.Search(s.words, SearchOptions{Limit: 50})
	if err != nil {
		return nil
	}
	return wide.shownDomains()
}

// words are the options as a person would say them.
func (o SearchOptions) words() string {
	var parts []string
	list := func(name string, values []string) {
		if len(values) > 0 {
			parts = append(parts, name+" "+clip(oneLine(strings.Join(values, ", ")), 80))
		}
	}
	list("domains", o.Domains)
	list("tags", o.Tags)
	list("entities", o.Entities)
	list("operation", nonEmpty(string(o.Operation)))
	list("risk", nonEmpty(string(o.Risk)))
	list("needs_input", o.NeedsInput)
	list("needs_output", o.NeedsOutput)
	if o.IncludeMutations != nil && !*o.IncludeMutations || o.Mutates != nil && !*o.Mutates {
		parts = append(parts, "mutates false")
	}
	if o.Mutates != nil && *o.Mutates {
		parts = append(parts, "mutates true")
	}
	return strings.Join(parts, "; ")
}

func nonEmpty(s string) []string {
	if s == "" {
		return nil
	}
	return []string{s}
}

// nearWords are visible words of the catalog close to those of the query that it has not, at most three a word, each
// with the three domains that have it most.
func (v *View) nearWords(query string) []string {
	var words []string
	for _, near := range v.cat.index.NearWords(query, v.visible) {
		counts := map[string]int{}
		for _, doc := range near.Docs {
			if v.visible.Has(int(doc)) {
				root, _, _ := strings.Cut(v.cat.id(int(doc)), ".")
				counts[root]++
			}
		}
		domains := byCount(counts)
		for i := range domains {
			domains[i] = clip(oneLine(domains[i]), 40)
		}
		more := ""
		if len(domains) > 3 {
			more = ", …"
		}
		words = append(words, fmt.Sprintf("%s (%s%s)", near.Word, strings.Join(domains[:min(3, len(domains))], ", "), more))
	}
	return words
}
