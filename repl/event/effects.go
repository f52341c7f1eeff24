package event

// This file says in a line what became of the effects of a run.

import (
	"fmt"
	"strings"

	"almanac/catalog/text"
	"almanac/repl/show"
	"almanac/session/effect"
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

// shownRejected is how many rejected effects of a run are named; /effects lists them all.
const shownRejected = 3

// AllOrNone says what became of the effects beside rejected ones.
const AllOrNone = "all or none: the other effects of the run are not applied either"

// EffectLines are the effects of a run, folded: how many, and each that was rejected with the reason.
func EffectLines(effects []trace.Effect, m show.Marks) []show.Line {
	if len(effects) == 0 {
		return nil
	}
	lines := []show.Line{show.Dim.Line("  " + m.Dot + " effects: " + EffectsText(effects))}
	rejected, blocked, others := 0, false, false
	for _, e := range effects {
		blocked = blocked || e.Blocks
		others = others || e.State == trace.EffectRecorded && effect.Known(e.Kind)
		if e.State != trace.EffectRejected {
			continue
		}
		if rejected++; rejected <= shownRejected {
			lines = append(lines, show.Lines(show.Warning, "    ", "effect rejected: "+text.SanitizeLine(e.Reason))...)
		}
	}
	if n := rejected - shownRejected; n > 0 {
		lines = append(lines, show.Warning.Line(fmt.Sprintf("    … %d more rejected", n)))
	}
	if blocked && others {
		lines = append(lines, show.Warning.Line("    "+AllOrNone))
	}
	return lines
}
