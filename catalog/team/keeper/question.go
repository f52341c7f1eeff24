package keeper

import (
	"fmt"
	"strings"
	"unicode"
)

// A Mode is how a query is answered.
type Mode string

// The modes.
const (
	Smart Mode = "smart" // with the passages that answer it best
	Raw   Mode = "raw"   // with the whole messages that match
)

// ParseMode reads a mode; empty is Smart for a question and Raw for keywords.
func ParseMode(mode, query string) (Mode, error) {
	switch m := Mode(mode); m {
	case Smart, Raw:
		return m, nil
	case "":
		if Question(query) {
			return Smart, nil
		}
		return Raw, nil
	}
	return "", fmt.Errorf("mode %q: want smart or raw", mode)
}

const (
	// fillers may stand before the word that makes a question.
	fillers = " please so and but then now also hey hi hello ok okay well just actually "
	// asking begins a question.
	asking = ` what what's whats who who's whom whose when when's where where's why why's which how how's
is isn't are aren't was wasn't were weren't am do don't does doesn't did didn't can can't could couldn't should shouldn't
would wouldn't will won't shall has hasn't have haven't had hadn't may might must
explain describe summarize summarise tell remind compare clarify outline recall recap elaborate `
	// handing begins a question with "me" or "us".
	handing = " show give list get find help "
)

// Question tells whether a query asks for an answer; otherwise it has keywords.
func Question(query string) bool {
	query = strings.TrimRight(strings.TrimSpace(query), `"')]}. !`)
	if strings.HasSuffix(query, "?") || strings.HasSuffix(query, "？") || strings.Contains(query, "? ") {
		return true
	}
	words := strings.FieldsFunc(strings.ToLower(strings.ReplaceAll(query, "’", "'")), func(r rune) bool {
		return unicode.IsSpace(r) || strings.ContainsRune(",;!", r)
	})
	for len(words) > 0 && isOne(words[0], fillers) {
		words = words[1:]
	}
	switch {
	case len(words) < 2:
		return false
	case isOne(words[0], handing):
		return words[1] == "me" || words[1] == "us"
	}
	return isOne(words[0], asking)
}

// isOne tells whether a word is one of a list.
func isOne(word, list string) bool {
	for w := range strings.FieldsSeq(list) {
		if w == word {
			return true
		}
	}
	return false
}
