package catalog

import (
	"regexp"
	"strings"

	"almanac/catalog/text"
)

// This file finds what a description says about the damage that a call can do, so that no short form loses it.

// A description's warnings are whole sentences with one of these words: that the call cannot be taken back, that data
// is gone, or a label that says so itself. A false alarm costs a line, a missed warning may cost a customer, so it
// matches generously.
var warning = regexp.MustCompile(`(?i)` + strings.Join([]string{
	`\b(cannot|can ?not|can['’]t|could ?not|never|not|no way to|impossible to)\b[^.]{0,40}\b(undo|undone|revert|reverted|` +
		`reversed?|restored?|recover|recovered|taken back|called back|rolled back|roll back|retrieved?|recalled|undeleted?)\b`,
	`\bno (undo|way back|rollback|recovery)\b`,
	`\b(irreversibl[ey]|irrevocabl[ey]|irretrievabl[ey]|irrecoverabl[ey]|unrecoverabl[ey]|non-?reversible|not reversible)\b`,
	`\b(permanently|permanent|forever|for good|destructive|destroys?|wipes?|purges?|data loss|(?:is|are|be) lost)\b`,
	`\b(dangerous|danger|warning|caution|careful|beware)\b`,
}, "|"))

// Bounds of what a specification has of Warnings: sentences, their letters in all, and those of one.
const (
	maxWarnings    = 8
	maxWarningText = 1200
	maxWarning     = 400
)

// Warnings are the sentences of the entry's description that warn of what a call does: that it cannot be undone, that
// something is gone for good. They are whole, on one line and there once each: a person who is asked reads all of them.
// An entry that only reads at low risk has none.
func Warnings(e *Entry) (all []string) {
	if e == nil || !e.Mutates && RiskOf(e) == Low {
		return nil
	}
	said := map[string]bool{}
	for _, s := range sentences(e.Description) {
		if s = text.OneLine(s); warning.MatchString(s) && !said[s] {
			said[s] = true
			all = append(all, s)
		}
	}
	return all
}

// briefWarnings are Warnings for a specification, which has a size. Where there are too many, the last line says how
// many more the description has.
func briefWarnings(e *Entry) (all []string) {
	left := maxWarningText
	more := 0
	for _, s := range Warnings(e) {
		s = text.ClipRunes(s, maxWarning)
		if len(all) == maxWarnings || len(s) > left {
			more++
			continue
		}
		left -= len(s)
		all = append(all, s)
	}
	if more > 0 {
		all = append(all, "And "+text.Count(more, "more warning")+": see the full description.")
	}
	return all
}

// sentences cuts a description behind full stops, exclamation and question marks that a blank follows, and at blank
// lines and items of lists.
func sentences(description string) []string {
	var all []string
	from := 0
	cut := func(to int) {
		if s := strings.TrimSpace(description[from:to]); s != "" {
			all = append(all, s)
		}
		from = to
	}
	for i := 0; i+1 < len(description); i++ {
		next := description[i+1]
		switch description[i] {
		case '.', '!', '?':
			if next == ' ' || next == '\n' || next == '\t' || next == '\r' {
				cut(i + 1)
			}
		case '\n':
			if next == '\n' || next == '-' || next == '*' || next == '#' {
				cut(i)
			}
		}
	}
	cut(len(description))
	return all
}
