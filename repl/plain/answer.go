package plain

import (
	"strings"

	"almanac/repl/input"
)

// An answer is what a person typed to a question.
type answer int

// The answers. The zero Answer is none: ask again.
const (
	again answer = iota
	yes
	always
	no
	edit
	script
	details
)

// parseAnswer reads a typed answer: one word alone, whatever its case, as a line that begins like one may be anything. Only
// a refusal may go on, with the reason to tell: "n wrong customer", "no, wrong customer".
func parseAnswer(text string) (a answer, reason string) {
	word, rest := input.CutWord(strings.TrimSpace(text))
	bare := strings.TrimRight(word, ",:;")
	switch strings.ToLower(bare) {
	case "n", "no", "deny":
		if rest = strings.TrimSpace(rest); rest == "" || len(bare) == 1 || bare != word {
			return no, rest
		}
	}
	if rest != "" {
		return again, ""
	}
	return map[string]answer{"y": yes, "yes": yes, "a": always, "always": always, "e": edit, "edit": edit,
		"v": script, "script": script, "?": details}[strings.ToLower(word)], ""
}
