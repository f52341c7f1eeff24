package repl

// This file holds the commands about plans, in which previews end: running a script under one, and listing them.

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"almanac/catalog/lua"
	"almanac/catalog/pattern"
	"almanac/catalog/text"
	"almanac/catalog/text/cells"
	"almanac/repl/event"
	"almanac/repl/input"
	"almanac/session"
	"almanac/session/trace"
)

const (
	applyUsage = "/apply [N] [--loose-reads [PATTERN,...]]"
	looseReads = "--loose-reads"
)

func planCommands() []command {
	return []command{
		{
			name: "apply", args: "[N] [--loose-reads]", group: groupMore, numbered: true, run: apply, words: planWords,
			brief: "run the last preview's script, or plan N, exactly as planned",
			more: applyUsage + "\n" +
				"The script is stopped before a write that the plan does not have, or has with\n" +
				"other arguments or in another order, and where a read before the first write\n" +
				"returns something else than in the preview; --loose-reads lets reads differ: all,\n" +
				"or those of actions that match a pattern. Writes of the plan are not asked about\n" +
				"again, except those with arguments that only another write gives; what the policy\n" +
				"denies stays denied. Applied again, a plan is previewed again, for a new one.",
		},
		{
			name: "plans", args: "[N]", group: groupMore, run: listPlans, words: planWords,
			brief: "the plans of earlier previews, or plan N in full",
		},
	}
}

func planWords(sh *Shell, _ string) []Completion {
	var items []Completion
	for _, p := range slices.Backward(sh.options.Session.Plans()) {
		items = append(items, Completion{Text: strconv.Itoa(p.N), Detail: planTitle(p) + "  " + planSource(p)})
	}
	return items
}

// planTitle is who made a plan where, and what it is in a few words.
func planTitle(p session.Plan) string {
	title := string(p.Script.Author)
	if p.Script.Cell > 0 {
		title = fmt.Sprintf("[%d] %s", p.Script.Cell, title)
	}
	title += ": " + p.Text
	if p.Applied != "" {
		title += "; applied by " + p.Applied
	}
	return text.SanitizeLine(title)
}

// planSource is the beginning of a plan's script on one line.
func planSource(p session.Plan) string {
	return text.SanitizeLine(cells.Clip(strings.Join(strings.Fields(p.Script.Source), " "), 70, "…"))
}

// cutApply reads what /apply got; n is zero where no plan is named.
func cutApply(arg string) (n int, loose []pattern.Pattern, err error) {
	first, rest := input.CutWord(arg)
	if first != "" && first != looseReads {
		if n, err = strconv.Atoi(first); err != nil || n < 1 {
			return 0, nil, &UsageError{usage: applyUsage, message: fmt.Sprintf("/apply: N is the number of a plan, got %s",
				quoteWord(first))}
		}
		first, rest = input.CutWord(rest)
	}
	switch {
	case first == "" && rest == "":
		return n, nil, nil
	case first != looseReads:
		return 0, nil, &UsageError{usage: applyUsage}
	case rest == "":
		return n, []pattern.Pattern{pattern.All()}, nil
	}
	loose, err = pattern.ParseAll(strings.FieldsFunc(rest, func(r rune) bool { return r == ',' || r == ' ' }))
	if err != nil {
		return 0, nil, fmt.Errorf("%s: %w", looseReads, err)
	}
	return n, loose, nil
}

func apply(ctx context.Context, sh *Shell, c *event.Cell, arg string) error {
	s := sh.options.Session
	n, loose, err := cutApply(arg)
	if err != nil {
		return err
	}
	if n == 0 {
		n = s.LastPlan()
	}
	plans := s.Plans()
	i := slices.IndexFunc(plans, func(p session.Plan) bool { return p.N == n })
	switch {
	case n == 0 && len(plans) > 0:
		return errors.New("apply: the last preview ended in no plan; /plans lists those of earlier ones")
	case n == 0:
		return errors.New("apply: there is no plan yet; /preview CODE makes one")
	case i >= 0 && plans[i].Applied != "":
		sh.say(event.Warning, "plan %d was applied by %s and is not applied again; this is what it would do now",
			n, plans[i].Applied)
		return sh.previewScript(ctx, c, plans[i].Script)
	}
	if i >= 0 {
		c.Source = plans[i].Script.Source
	}
	o, err := s.Apply(ctx, n, session.Apply{
		Loose: loose, Name: cellName(c.N), Cell: c.N, Keep: []string{"_", fmt.Sprintf("_%d", c.N)},
	})
	c.Replay = err == nil && o.Err == nil && i >= 0 && !plans[i].Script.Fresh
	return sh.ran(c, o, err)
}

func listPlans(_ context.Context, sh *Shell, _ *event.Cell, arg string) error {
	plans := sh.options.Session.Plans()
	if len(plans) == 0 {
		sh.say(event.Notice, "no plans yet; /preview CODE makes one")
		return nil
	}
	if arg != "" {
		n, err := strconv.Atoi(arg)
		i := slices.IndexFunc(plans, func(p session.Plan) bool { return p.N == n })
		switch {
		case err != nil:
			return &UsageError{usage: "/plans [N]"}
		case i < 0:
			return fmt.Errorf("plans: there is no plan %d; /plans lists them", n)
		}
		sh.say(event.Plain, "%s", planText(plans[i]))
		return nil
	}
	var lines []string
	for _, p := range plans {
		lines = append(lines, fmt.Sprintf("plan %d  %s", p.N, planTitle(p)), "  "+planSource(p))
	}
	sh.say(event.Plain, "%s", strings.Join(lines, "\n"))
	return nil
}

// planText is a plan in full.
func planText(p session.Plan) string {
	var b strings.Builder
	fmt.Fprintf(&b, "plan %d: %s", p.N, p.Text)
	if p.Applied != "" {
		fmt.Fprintf(&b, "; applied by %s", p.Applied)
	}
	line := func(what string, c trace.Call, note string) {
		fmt.Fprintf(&b, "\n  %s %s%s", what, text.SanitizeLine(c.ID+lua.Literal(c.Args, lua.Options{Tight: true})), note)
	}
	for _, read := range p.Reads {
		if !read.After {
			line("read ", read.Call, "  "+read.Digest[:8])
		}
	}
	for _, c := range p.Writes {
		line("write", c, "")
	}
	for _, read := range p.Reads {
		if read.After {
			line("read ", read.Call, "  after a write: not compared")
		}
	}
	for _, source := range strings.Split(strings.TrimRight(p.Script.Source, "\n"), "\n") {
		b.WriteString("\n  | " + text.Sanitize(source))
	}
	return b.String()
}
