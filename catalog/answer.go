package catalog

// This file writes sets as text.

import (
	"fmt"
	"strings"

	"almanac/catalog/spec"
	"almanac/catalog/text"
)

// An answer is written for readers who pay for it by the token.
const (
	// answerTokens is the rough size of an answer when no limit was given.
	answerTokens = 256
	// stepTokens is added for each step of a plan beyond the second.
	stepTokens = 85
	// askedTokens is the rough size of an answer when a limit was given.
	askedTokens = 735
	// At least leastHits are always shown; the first bestHits keep their full line as long as others can be shortened.
	leastHits = 5
	bestHits  = 2
)

// FormatSet is a set as text: a header ("5 of 12 shown"), then one line per hit. At most max hits are listed; 0 means
// 20. Lines below the best are shortened until the text takes about 300 tokens, and then the last hits are left out. A
// set made with a limit, or cut by Top, keeps all its hits, in about 900 tokens if their required inputs allow it. For
// an empty set the text says what was searched, which words are near, and where to look.
func (v *View) FormatSet(s Set, max int) string {
	if max <= 0 {
		max = defaultLimit
	}
	var signatures []*spec.Signature
	for _, h := range s.hits[:min(len(s.hits), max)] {
		if doc := v.doc(s.hit(h).ID); doc >= 0 {
			signatures = append(signatures, v.cat.signatureOf(doc).Asking(s.asked.NeedsInput, s.asked.NeedsOutput, needKeys))
		}
	}
	if len(signatures) == 0 {
		return v.formatEmpty(s)
	}
	room := spec.Room{Tokens: answerTokens, Least: leastHits, Best: bestHits}
	if s.chosen {
		room = spec.Room{Tokens: askedTokens, Least: len(signatures), Best: bestHits}
	}
	lines := room.Fit(signatures)
	header := fmt.Sprintf("%d of %d shown", len(lines), s.total)
	switch {
	case s.total <= len(lines):
	case s.chosen && len(lines) >= max:
		header += ", the most that one answer lists; narrow the query for the rest"
	case !s.chosen && s.search == nil:
		header += fmt.Sprintf("; catalog.top(set, %d) lists more, catalog.filter narrows", max)
	default:
		header += "; raise limit or narrow the query for the rest"
	}
	if notes := s.Notes(); len(notes) > 0 {
		header += "; " + strings.Join(notes, "; ")
	}
	return header + "\n" + strings.Join(lines, "\n")
}

func (v *View) formatEmpty(s Set) string {
	var b strings.Builder
	b.WriteString("no actions match")
	if s.query != "" {
		fmt.Fprintf(&b, " %q", text.LineRunes(s.query, 120))
	}
	fmt.Fprintf(&b, " among %s", text.Count(v.count, "visible action"))
	if filters := s.asked.words(); filters != "" {
		b.WriteString(" with " + filters)
	}
	for _, note := range s.Notes() {
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

// domainsOf are the domains of a filtered set without its filters.
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
			parts = append(parts, name+" "+text.LineRunes(strings.Join(values, ", "), 80))
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

// nearWords are visible words of the catalog close to the query's unknown words, at most three for each, with the three
// domains that use them most.
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
			domains[i] = text.LineRunes(domains[i], 40)
		}
		more := ""
		if len(domains) > 3 {
			more = ", …"
		}
		words = append(words, fmt.Sprintf("%s (%s%s)", near.Word, strings.Join(domains[:min(3, len(domains))], ", "), more))
	}
	return words
}
