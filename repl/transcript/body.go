package transcript

// This file joins scripts to one that does what they did, one after the other, and returns what the last one returned.

import (
	"fmt"
	"slices"
	"strings"

	"almanac/session"
	"almanac/session/syntax"
)

// Body is the scripts as one. What they set are globals of it, their locals end where they ended, and values that a
// later one reads as _ or _7 are kept.
func Body(runs []Run) string {
	var b strings.Builder
	for i, r := range runs {
		source := uncommented(r.Source)
		switch {
		case i < len(runs)-1:
			b.WriteString(statement(r, r.keeps(runs[i+1:], false)) + "\n")
		case syntax.IsExpression(source):
			b.WriteString("return " + strings.TrimSpace(source) + "\n")
		default:
			b.WriteString(strings.Trim(source, "\n") + "\n")
		}
	}
	return b.String()
}

// statement makes one of a script, so that scripts can stand one after the other. What it returns is kept in names.
func statement(r Run, names string) string {
	source := uncommented(r.Source)
	switch {
	case syntax.IsExpression(source) && names == "" && syntax.Check(source) == nil && standsAlone(source):
		return strings.TrimSpace(source) // a call
	case syntax.IsExpression(source):
		return kept(strings.TrimSpace(source), names)
	case returns(source):
		return kept("(function(...)\n"+source+"\nend)()", names)
	case standsAlone(source):
		return strings.TrimSpace(source)
	}
	return "do\n" + strings.Trim(source, "\n") + "\nend"
}

// keeps lists in which of _ and _7 a value that r returns is kept: those that the scripts after it ask for; _ always,
// where that is set.
func (r Run) keeps(after []Run, always bool) string {
	if r.Author != session.User {
		return ""
	}
	var names []string
	for _, name := range []string{fmt.Sprintf("_%d", r.Cell), "_"} {
		asks := func(later Run) bool { return mentions(later.Source, name) }
		if always && name == "_" || slices.ContainsFunc(after, asks) {
			names = append(names, name)
		}
	}
	return strings.Join(names, ", ")
}

// uncommented is a source whose first line, which may be for a shell, is a comment.
func uncommented(source string) string {
	if strings.HasPrefix(source, "#") && !syntax.IsExpression(source) {
		return "--" + source
	}
	return source
}
