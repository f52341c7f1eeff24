package transcript

// This file joins scripts to one that does what they did, one after the other, and returns what the last one returned.

import (
	"fmt"
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
			b.WriteString(step(r, source, runs[i+1:]) + "\n")
		case syntax.IsExpression(source):
			b.WriteString("return " + strings.TrimSpace(source) + "\n")
		default:
			b.WriteString(strings.Trim(source, "\n") + "\n")
		}
	}
	return b.String()
}

// step makes a statement of a script.
func step(r Run, source string, after []Run) string {
	var names []string
	for _, name := range []string{"_", fmt.Sprintf("_%d", r.Cell)} {
		for _, later := range after {
			if r.Author == session.User && mentions(later.Source, name) {
				names = append(names, name)
				break
			}
		}
	}
	switch keep := strings.Join(names, ", "); {
	case syntax.IsExpression(source) && keep == "" && syntax.Check(source) == nil && standsAlone(source):
		return strings.TrimSpace(source) // a call
	case syntax.IsExpression(source):
		return kept(strings.TrimSpace(source), keep)
	case returns(source):
		return kept("(function(...)\n"+source+"\nend)()", keep)
	case standsAlone(source):
		return strings.TrimSpace(source)
	}
	return "do\n" + strings.Trim(source, "\n") + "\nend"
}

// uncommented is a source whose first line, which may be for a shell, is a comment.
func uncommented(source string) string {
	if strings.HasPrefix(source, "#") && !syntax.IsExpression(source) {
		return "--" + source
	}
	return source
}
