package scripted

import (
	"regexp"
	"slices"
	"strings"
)

// This file reads prompts: parts, their words, and the values in them.

// A kind says what a value looks like.
type kind string

const (
	quoted kind = "quoted"
	email  kind = "email"
	date   kind = "date"
	record kind = "record" // an id such as inv_00042
	money  kind = "money"
	number kind = "number"
	name   kind = "name" // capitalised words
)

// A value is one that a prompt names.
type value struct {
	kind   kind
	text   string
	before []string // the words before it, the nearest last
	after  string   // the word behind it
}

// A goal is a part of a prompt.
type goal struct {
	// text has no values; words are those of it that say something.
	text   string
	words  []string
	values []value
	// changes tells that a word of it is one of those for changing data, each that it is about all of several.
	changes, each bool
}

var patterns = []struct {
	kind kind
	is   *regexp.Regexp
}{
	{quoted, regexp.MustCompile(`"([^"]+)"`)},
	{email, regexp.MustCompile(`\b([\w.+-]+@[\w-]+(?:\.[\w-]+)+)`)},
	{date, regexp.MustCompile(`\b(\d{4}-\d{2}-\d{2})\b`)},
	{record, regexp.MustCompile(`\b([a-z]{3}_\d+)\b`)},
	{money, regexp.MustCompile(`(?:EUR |€ ?)(\d[\d,]*(?:\.\d+)?)|\b(\d[\d,]*(?:\.\d+)?) (?:EUR|euros?)\b`)},
	{number, regexp.MustCompile(`\b(\d+)\b`)},
	{name, regexp.MustCompile(`\b([A-Z][\w&'-]*(?: [A-Z][\w&'-]*)*)`)},
}

var (
	sentenceEnd = regexp.MustCompile(`[.;?!](?:\s+|$)|\n+|,? then | and then `)
	conjunction = regexp.MustCompile(`,? and `)
	aWord       = regexp.MustCompile(`[A-Za-z][A-Za-z'-]*|\d+`)
)

// changing are verbs of changing data.
var changing = strings.Fields(`add adjust apply approve assign cancel change charge close convert create credit deactivate delete
	disable discontinue draft escalate extend give grant invite issue mark merge move open order pay
	place post reactivate record refund register remove rename reopen reply reserve reset resolve
	restock return revoke schedule send set ship suspend transfer update void waive write`)

// small are words that say nothing about what is wanted.
var small = strings.Fields(`a all an and are as at be by can do does for from give has have how i in is it its list many me much
	of on or our please show tell than that the their them there this to was we what which who whose
	with you your`)

// goalsOf cuts a prompt into goals: sentences, and parts of one that begin with a verb of changing data.
func goalsOf(prompt string) []goal {
	var goals []goal
	for _, sentence := range cut(prompt, sentenceEnd) {
		parts := []string{}
		for i, part := range cut(sentence, conjunction) {
			first := strings.ToLower(aWord.FindString(part))
			if i == 0 || slices.Contains(changing, first) {
				parts = append(parts, part)
				continue
			}
			parts[len(parts)-1] += " and " + part
		}
		for _, part := range parts {
			if g := goalOf(part); len(g.words) > 0 {
				goals = append(goals, g)
			}
		}
	}
	return goals
}

// cut splits a text at a pattern, but not inside quotation marks.
func cut(text string, at *regexp.Regexp) []string {
	var parts []string
	from := 0
	for _, place := range at.FindAllStringIndex(text, -1) {
		if strings.Count(text[from:place[0]], `"`)%2 == 1 {
			continue
		}
		parts = append(parts, strings.TrimSpace(text[from:place[0]]))
		from = place[1]
	}
	parts = append(parts, strings.TrimSpace(text[from:]))
	return slices.DeleteFunc(parts, func(s string) bool { return s == "" })
}

func goalOf(text string) goal {
	var g goal
	rest := text
	for _, p := range patterns {
		var plain strings.Builder
		from := 0
		for _, at := range p.is.FindAllStringSubmatchIndex(rest, -1) {
			if p.kind == name && at[0] == 0 {
				continue // the first word of a sentence
			}
			g.values = append(g.values, value{
				kind: p.kind, text: group(rest, at), before: wordsOf(rest[:at[0]]), after: first(wordsOf(rest[at[1]:])),
			})
			plain.WriteString(rest[from:at[0]])
			from = at[1]
		}
		plain.WriteString(rest[from:])
		rest = plain.String()
	}
	g.text = strings.Join(strings.Fields(rest), " ")
	words := wordsOf(g.text)
	for i, w := range words {
		switch {
		case w == "each" || w == "every" || w == "all" || w == "them":
			g.each = true
		case slices.Contains(changing, w) && !slices.ContainsFunc(words[:i], notLeading):
			g.changes = true
		}
		if !slices.Contains(small, w) {
			g.words = append(g.words, w)
		}
	}
	return g
}

// notLeading tells that no order begins behind a word: "please void" is one, "the open tickets" is none.
func notLeading(w string) bool {
	return !slices.Contains([]string{"please", "then", "and", "also", "now"}, w)
}

// group is the first group of a match that has text.
func group(s string, at []int) string {
	for i := 2; i+1 < len(at); i += 2 {
		if at[i] >= 0 {
			return s[at[i]:at[i+1]]
		}
	}
	return s[at[0]:at[1]]
}

func wordsOf(s string) []string { return aWord.FindAllString(strings.ToLower(s), -1) }

func first(words []string) string {
	if len(words) == 0 {
		return ""
	}
	return words[0]
}

// stem cuts endings, so that "invoices" is "invoice" and "overdue" stays.
func stem(w string) string {
	for _, end := range []string{"ing", "ies", "es", "ed", "s"} {
		if rest, ok := strings.CutSuffix(w, end); ok && len(rest) > 2 {
			return rest
		}
	}
	return strings.TrimSuffix(w, "e")
}

// alike counts the words that two lists share.
func alike(a, b []string) int {
	n := 0
	seen := map[string]bool{}
	for _, w := range b {
		seen[stem(w)] = true
	}
	for _, w := range a {
		if seen[stem(w)] {
			n++
		}
	}
	return n
}
