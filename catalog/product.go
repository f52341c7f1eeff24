package catalog

// This file has the names of products: what people call that which an action belongs to.

import (
	"slices"
	"strings"

	"almanac/catalog/search/spelling"
)

// hosters are domains that many products are under: a host there is no name of one.
const hosters = " example test invalid local localhost amazonaws googleapis azure cloudfront herokuapp github "

// productsOf are the folded names of an entry's products: its own, and what the host of its target is called, such as
// openweathermap for api.openweathermap.org.
func productsOf(e *Entry, fold func(string) string) []string {
	names := make([]string, 0, len(e.Products)+1)
	for _, p := range e.Products {
		names = append(names, fold(p))
	}
	return sortedSet(append(names, brandOf(e.Target)))
}

// brandOf is the label of a target's host that a registry gave out, or "".
func brandOf(target string) string {
	_, address, _ := strings.Cut(target, "http")
	_, host, ok := strings.Cut(address, "://")
	if !ok {
		return ""
	}
	if end := strings.IndexAny(host, "/:?# "); end >= 0 {
		host = host[:end]
	}
	labels := strings.Split(strings.ToLower(host), ".")
	at := len(labels) - 2
	if at > 0 && len(labels[at+1]) == 2 && len(labels[at]) <= 3 {
		at-- // example.co.uk
	}
	if at < 0 || strings.ContainsFunc(labels[len(labels)-1], notLatin) || strings.Contains(hosters, " "+labels[at]+" ") ||
		strings.ContainsAny(labels[at], "{}@%[]") {
		return ""
	}
	return spelling.Fold(labels[at])
}

func notLatin(r rune) bool { return r < 'a' || r > 'z' }

// newWords are the words of folded names that none of the texts has.
func newWords(names, texts []string) []string {
	var fresh []string
	for _, name := range names {
		for word := range strings.SplitSeq(name, "_") {
			has := func(text string) bool { return strings.Contains(strings.ToLower(text), word) }
			if !slices.Contains(fresh, word) && !slices.ContainsFunc(texts, has) {
				fresh = append(fresh, word)
			}
		}
	}
	return fresh
}
