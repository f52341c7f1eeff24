package repl

// This file holds the commands about effects: what results carry beside their data, and what becomes of it.

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"almanac/catalog"
	"almanac/catalog/lua"
	"almanac/catalog/pattern"
	"almanac/catalog/text"
	"almanac/repl/event"
	"almanac/repl/show"
	"almanac/session/effect"
	"almanac/session/trace"
)

func effectCommands() []command {
	return []command{
		{
			name: "effects", args: "[CELL|apply|allow|answer|schedule|take]", group: groupMore, aside: true,
			run: effects, words: effectWords,
			brief: "what results carry beside their data, and what became of it",
			more: "An effect is a change that an action requests: kind, target and value. It is recorded, and\n" +
				"applied only if its kind is allowed: by /effects allow state.*, or by apply_effects in the\n" +
				"configuration.\n" +
				"/effects apply [CELL] applies those that a cell recorded.",
		},
		{
			name: "effects apply", args: "[CELL]", group: groupMore, run: applyEffects, words: effectWords,
			numberedFor: func(sh *Shell, arg string) bool { _, err := sh.toApply(arg); return err == nil },
			brief:       "apply the recorded effects of a cell, all or none",
			more: "Without CELL: of the last one that has some. Operations on the state need no /effects allow;\n" +
				"the others do. /undo takes it back.",
		},
		{
			name: "effects allow", args: "PATTERN...|none", group: groupMore, run: allowEffects, words: effectKindWords,
			brief: "apply effects of these kinds after each run, in this session",
			more: "/effects allow state.*   operations on the state; * stands for those alone\n" +
				"/effects allow state.* notify\n/effects allow none      record only, the default",
		},
	}
}

// shownEffects is how many effects /effects lists.
const shownEffects = 50

func effects(_ context.Context, sh *Shell, _ *event.Cell, arg string) error {
	cells, err := sh.effectCells("effects", arg)
	if err != nil {
		return err
	}
	line := statedInBrief
	if arg != "" {
		line = statedLine
	}
	var lines []string
	n := 0
	for _, c := range slices.Backward(cells) {
		for i, e := range c.Effects {
			if n++; n <= shownEffects {
				number := fmt.Sprintf("[%d]", c.N)
				if i > 0 {
					number = strings.Repeat(" ", len(number))
				}
				lines = append(lines, strings.TrimRight(number+" "+line(e), " "))
			}
		}
	}
	if n > shownEffects {
		lines = append(lines, fmt.Sprintf("… %d of %s shown, newest cell first; /effects N lists those of cell N", shownEffects,
			text.Count(n, "effect")))
	}
	if n == 0 && arg == "" {
		lines = append(lines, "no effects yet")
	} else if n == 0 {
		lines = append(lines, fmt.Sprintf("[%d] has no effects", cells[0].N))
	}
	sh.say(event.Plain, "%s", strings.Join(append(lines, sh.effectsAllowed(cells)), "\n"))
	return nil
}

// effectCells are the cell of the number in arg, or all.
func (sh *Shell) effectCells(name, arg string) ([]event.Cell, error) {
	if arg == "" {
		return sh.Cells(), nil
	}
	command, _ := sh.named(name)
	n, call, err := cellNumber(arg)
	if err != nil || call > 0 {
		return nil, &UsageError{usage: command.usage(), message: fmt.Sprintf("%s: %q: want a cell: 7", name, arg)}
	}
	c, ok := sh.cell(n)
	if !ok {
		return nil, fmt.Errorf("%s: no cell [%d]", name, n)
	}
	return []event.Cell{c}, nil
}

// Bounds of the values of effects: in a list, and of one cell.
const (
	briefValue = 60   // bytes
	wholeValue = 4096 // bytes
)

// statedInBrief is an effect on one line, with what became of it.
func statedInBrief(e trace.Effect) string {
	value := ""
	if e.Value != nil {
		value = " = " + lua.Literal(e.Value, lua.Options{Limit: briefValue})
	}
	return stated(e, value)
}

// statedLine is an effect with what became of it.
func statedLine(e trace.Effect) string { return stated(e, effectValue(e.Effect)) }

func stated(e trace.Effect, value string) string {
	line := fmt.Sprintf("%-10s %s%s", e.State, e.Title(), value)
	if e.Part {
		line += " …"
	}
	if e.Action != "" {
		line += "  of " + e.Action
	}
	if e.Reason != "" {
		line += "\n      " + e.Reason
	}
	return text.Sanitize(line)
}

// effectLine is an effect with its value in Lua.
func effectLine(e catalog.Effect) string { return e.Title() + effectValue(e) }

// effectValue is the value of an effect in Lua, as far as it is shown.
func effectValue(e catalog.Effect) string {
	if e.Value == nil {
		return ""
	}
	if whole := show.LuaText(e.Value, 100); len(whole) <= wholeValue {
		return " = " + whole
	}
	return " = " + lua.Literal(e.Value, lua.Options{Limit: wholeValue})
}

// effectsAllowed says which kinds are applied, and where none are, how to have those applied that cells recorded.
func (sh *Shell) effectsAllowed(cells []event.Cell) string {
	patterns := sh.options.Session.ApplyEffects()
	if len(patterns) > 0 {
		return "applied after each run: " + patternsText(patterns)
	}
	var kinds []string
	for _, c := range cells {
		for _, e := range applicable(c) {
			kind := e.Kind
			if effect.IsState(kind) {
				kind = "state.*"
			}
			if !slices.Contains(kinds, kind) {
				kinds = append(kinds, kind)
			}
		}
	}
	if len(kinds) == 0 || slices.Equal(kinds, []string{"state.*"}) {
		return "effects are recorded, not applied: /effects allow state.* applies operations on the state"
	}
	return "effects are recorded, not applied: /effects allow " + strings.Join(kinds, " ") + " applies such effects"
}

func patternsText(patterns []pattern.Pattern) string {
	words := make([]string, len(patterns))
	for i, p := range patterns {
		words[i] = p.String()
	}
	return strings.Join(words, " ")
}

// canApply tells whether an effect of a cell can still be applied.
func canApply(e trace.Effect) bool {
	open := e.State == trace.EffectRecorded && e.Reason == "" || e.State == trace.EffectRejected ||
		e.State == trace.EffectBack
	return open && !e.Never && !e.Part && e.Action != "" && effect.Known(e.Kind)
}

// applicable are the effects of a cell that can be applied.
func applicable(c event.Cell) (effects []catalog.Effect) {
	for _, e := range c.Effects {
		if canApply(e) {
			effects = append(effects, e.Effect)
		}
	}
	return effects
}

// toApply is the cell whose effects are to be applied: the last that has some, or that of the number in arg.
func (sh *Shell) toApply(arg string) (c event.Cell, err error) {
	cells, err := sh.effectCells("effects apply", arg)
	if err != nil {
		return c, err
	}
	for _, c := range slices.Backward(cells) {
		if len(applicable(c)) > 0 {
			return c, nil
		}
	}
	return c, errors.New("effects apply: none that is recorded can be applied; /effects lists them")
}

func applyEffects(ctx context.Context, sh *Shell, cell *event.Cell, arg string) error {
	c, err := sh.toApply(arg)
	if err != nil {
		return err
	}
	what := fmt.Sprintf("effects of [%d]", c.N)
	sh.say(event.Notice, "%s: %s", what, text.SanitizeLine(effect.Titles(applicable(c))))
	o, err := sh.options.Session.ApplyRecorded(ctx, cell.N, what, applicable(c))
	cell.Source = "-- " + what
	if o != nil && len(o.Applied) > 0 {
		sh.markApplied(c.N, o.Run)
	}
	err = sh.ran(cell, o, err)
	if o != nil && len(o.RejectedEffects) > 0 && len(o.RejectedEffects) < len(applicable(c)) {
		sh.say(event.Warning, "%s", event.AllOrNone)
	}
	return err
}

// markApplied notes that the effects of a cell are applied, by a run.
func (sh *Shell) markApplied(n int, run string) {
	sh.mu.Lock()
	defer sh.mu.Unlock()
	for i, c := range sh.cells {
		if c.N != n {
			continue
		}
		c.Effects = slices.Clone(c.Effects)
		for j, e := range c.Effects {
			if canApply(e) {
				c.Effects[j].State, c.Effects[j].Reason, c.Effects[j].Run = trace.EffectApplied, "", run
			}
		}
		sh.cells[i] = c
	}
}

func allowEffects(_ context.Context, sh *Shell, _ *event.Cell, arg string) error {
	words := strings.Fields(strings.ReplaceAll(arg, ",", " "))
	if len(words) == 0 {
		sh.say(event.Plain, "%s", sh.effectsAllowed(sh.Cells()))
		return nil
	}
	if len(words) == 1 && words[0] == "none" {
		sh.options.Session.SetApplyEffects(nil)
		sh.say(event.Notice, "effects are recorded, not applied, from the next run on")
		return nil
	}
	patterns, err := effect.ParseKinds(words)
	if err != nil {
		return fmt.Errorf("effects allow: %w", err)
	}
	sh.options.Session.SetApplyEffects(patterns)
	sh.say(event.Notice, "applied after each run, from the next one on: %s", patternsText(patterns))
	return nil
}

// effectWords offers the cells with effects.
func effectWords(sh *Shell, _ string) []Completion {
	var items []Completion
	for _, c := range slices.Backward(sh.Cells()) {
		if len(c.Effects) > 0 {
			items = append(items, Completion{Text: fmt.Sprint(c.N), Detail: event.EffectsText(c.Effects)})
		}
	}
	return items
}

func effectKindWords(*Shell, string) []Completion {
	items := []Completion{{Text: "none", Detail: "record only"}, {Text: "state.*", Detail: "operations on the state"}}
	for _, kind := range effect.Kinds() {
		items = append(items, Completion{Text: kind})
	}
	return items
}
