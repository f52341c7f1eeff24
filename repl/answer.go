package repl

import (
	"strings"

	"almanac/repl/input"
)

// An Answer is what a person typed to a question.
type Answer int

// The answers. The zero Answer is none: ask again.
const (
	Again Answer = iota
	Yes
	Always
	No
	Edit
	Script
	Details
)

// ParseAnswer reads a typed answer: one word alone, whatever its case, as a line that begins like one may be anything. Only
// a refusal may go on, with the reason to tell: "n wrong customer", "no, wrong customer".
func ParseAnswer(text string) (a Answer, reason string) {
	word, rest := input.CutWord(strings.TrimSpace(text))
	bare := strings.TrimRight(word, ",:;")
	switch strings.ToLower(bare) {
	case "n", "no", "deny":
		if rest = strings.TrimSpace(rest); rest == "" || len(bare) == 1 || bare != word {
			return No, rest
		}
	}
	if rest != "" {
		return Again, ""
	}
	return map[string]Answer{"y": Yes, "yes": Yes, "a": Always, "always": Always, "e": Edit, "edit": Edit,
		"v": Script, "script": Script, "?": Details}[strings.ToLower(word)], ""
}
