package tools

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"almanac/catalog"
	"almanac/catalog/text"
	"almanac/session/vm"
)

// This file writes what stands for an answer later, when a conversation has no room for the whole: what it was, and
// where the whole is.

// shortOutcome says what a script returned and which global has it.
func shortOutcome(v vm.Value, kept string, d vm.Diff) string {
	what := v.Type
	switch data := v.Data.(type) {
	case []any:
		what = "a list of " + text.Count(len(data), "item")
		if names := keysOf(data); names != "" {
			what += " with " + names
		}
	case map[string]any:
		what = "a table with " + nameList(sortedKeys(data), maxNames)
	case string:
		what = "a string of " + text.Count(len(data), "byte")
	}
	var b strings.Builder
	fmt.Fprintf(&b, "[shortened to save space: %s, whole in the global %s]\n", what, kept)
	renderGlobals(&b, d)
	return strings.TrimSpace(b.String())
}

func shortSpecs(specs []catalog.Spec) string {
	ids := make([]string, len(specs))
	for i, spec := range specs {
		ids[i] = spec.ID
	}
	return fmt.Sprintf("[shortened to save space: described %s, which may still be called]", strings.Join(ids, ", "))
}

// shortHits says what a query found; empty where it found nothing.
func shortHits(ids map[string]bool) string {
	if len(ids) == 0 {
		return ""
	}
	return fmt.Sprintf("[shortened to save space: found %s]", strings.Join(slices.Sorted(maps.Keys(ids)), ", "))
}
