package event

// This file says in a line what became of the effects of a run.

import (
	"fmt"
	"strings"

	"almanac/catalog/text"
	"almanac/repl/show"
	"almanac/session/trace"
)

// EffectsText says how many effects there are of each state: "2 recorded, not applied"; empty for none.
func EffectsText(effects []trace.Effect) string {
	count := map[string]int{}
	for _, e := range effects {
		count[e.State]++
	}
	var parts []string
	for _, state := range []struct{ is, words string }{
		{trace.EffectApplied, "applied"}, {trace.EffectWould, "would be applied"}, {trace.EffectBack, "taken back"},
		{trace.EffectRejected, "rejected"}, {trace.EffectRecorded, "recorded, not applied"},
	} {
		if n := count[state.is]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, state.words))
		}
	}
	return strings.Join(parts, "; ")
}

// EffectLines are the effects of a run, folded: how many, and each that was rejected with the reason.
func EffectLines(effects []trace.Effect, m show.Marks) []show.Line {
	if len(effects) == 0 {
		return nil
	}
	lines := []show.Line{show.Dim.Line("  " + m.Dot + " effects: " + EffectsText(effects))}
	told := 0
	for _, e := range effects {
		if e.State != trace.EffectRejected {
			continue
		}
		if told++; told > 3 {
			break // /effects lists them all
		}
		lines = append(lines, show.Lines(show.Warning, "    ", "effect rejected: "+text.SanitizeLine(e.Reason))...)
	}
	return lines
}
