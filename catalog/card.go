package catalog

// This file writes the catalog card: what a prompt says about a catalog of any size.

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"almanac/catalog/search/spelling"
	"almanac/catalog/text"
)

const gistWords = 6

// Card is a table of contents for prompts, within a budget of tokens (as text.Tokens counts; 0 means 400): one line per
// domain with its number of actions and a gist of up to six words. The first line is headed "complete", or "partial: 12
// of 240" where not all domains fit; then the largest are shown. Domains are in the order of their names.
func (v *View) Card(tokens int) string {
	if tokens <= 0 {
		tokens = 400
	}
	domains := v.Children("")
	head := func(shown int) string {
		line := fmt.Sprintf("complete: %s in %s", text.Count(v.count, "action"), text.Count(len(domains), "domain"))
		if shown < len(domains) {
			line = fmt.Sprintf("partial: %d of %d domains, %s in all", shown, len(domains), text.Count(v.count, "action"))
		}
		if v.loading != "" {
			line += "; " + v.loading
		}
		return line
	}
	budget := tokens - text.Tokens(head(len(domains)-1)) - 1
	shown := slices.Clone(domains)
	slices.SortStableFunc(shown, func(a, b Child) int { return cmp.Compare(b.Count, a.Count) })
	used := 0
	for i, domain := range shown {
		used += lineTokens(domain)
		// If not all fit, a third is kept for words: names alone say little.
		if used > budget || i > 0 && used > budget*2/3 && i+1 < len(shown) && !fits(shown[i+1:], budget-used) {
			shown = shown[:i]
			used -= lineTokens(domain)
			break
		}
	}
	slices.SortFunc(shown, func(a, b Child) int { return strings.Compare(a.Name, b.Name) })
	gists := make([][]string, len(shown))
	for i, domain := range shown {
		gists[i] = v.gist(domain.Name)
	}
	// Words are given out in rounds, so that every domain gets its first before one gets its second.
	given := make([]int, len(shown))
	for round := range gistWords {
		for i, gist := range gists {
			if round >= len(gist) || given[i] < round {
				continue
			}
			if cost := text.Tokens(", " + gist[round]); used+cost <= budget {
				used, given[i] = used+cost, round+1
			}
		}
	}
	lines := []string{head(len(shown))}
	for i, domain := range shown {
		lines = append(lines, cardLine(domain, gists[i][:given[i]]))
	}
	return strings.Join(lines, "\n")
}

// lineTokens is what the line of a domain takes without words.
func lineTokens(domain Child) int { return text.Tokens(cardLine(domain, nil)) + 1 }

// fits reports whether the lines of domains, without words, take at most budget tokens.
func fits(domains []Child, budget int) bool {
	for _, domain := range domains {
		if budget -= lineTokens(domain); budget < 0 {
			return false
		}
	}
	return true
}

func cardLine(domain Child, gist []string) string {
	line := fmt.Sprintf("%s (%d)", text.ClipRunes(domain.Name, 60), domain.Count)
	if len(gist) > 0 {
		line += ": " + strings.Join(gist, ", ")
	}
	return line
}

// gist is what a domain is about: its largest sub-namespaces, and where it has too few its commonest entities.
func (v *View) gist(domain string) []string {
	groups := map[string]int{}
	entities := map[string]int{}
	ids := &v.cat.ids
	prefix := domain + "."
	first, _ := ids.Search(prefix)
	doc := first
	for ; doc < ids.Len() && strings.HasPrefix(ids.At(doc), prefix); doc++ {
		if !v.visible.Has(doc) {
			continue
		}
		if group, _, deeper := strings.Cut(ids.At(doc)[len(prefix):], "."); deeper {
			groups[v.groupWord(strings.ToLower(text.OneLine(group)))]++
		}
	}
	named := v.cat.index.Keys(entityKind)
	for i := range named.Names.Len() {
		docs := named.At(i)
		from, _ := slices.BinarySearch(docs, uint32(first))
		for _, d := range docs[from:] {
			if int(d) >= doc {
				break
			}
			if v.visible.Has(int(d)) {
				entities[plainWords(spelling.Plural(named.Names.At(i)))]++
			}
		}
	}
	words := byCount(groups)
	for _, word := range byCount(entities) {
		if len(words) < gistWords && !slices.Contains(words, word) {
			words = append(words, word)
		}
	}
	for i := range words {
		words[i] = text.ClipRunes(words[i], 30)
	}
	return words[:min(len(words), gistWords)]
}

// groupWord is how a card calls a sub-namespace: things in the plural, a subject such as "support" as it is written.
func (v *View) groupWord(group string) string {
	if one := spelling.Singular(group); v.cat.index.Keys(entityKind).Get(one) != nil {
		return plainWords(spelling.Plural(one))
	}
	return plainWords(group)
}

func plainWords(name string) string { return strings.ReplaceAll(name, "_", " ") }

// byCount are the names, commonest first, ties by name.
func byCount(counts map[string]int) []string {
	names := make([]string, 0, len(counts))
	for name := range counts {
		names = append(names, name)
	}
	slices.SortFunc(names, func(a, b string) int { return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a, b)) })
	return names
}
