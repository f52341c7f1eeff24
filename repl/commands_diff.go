package repl

// This file is /diff: how a run changed the globals, from the states that are kept of before and after it.

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"almanac/catalog/lua"
	"almanac/catalog/text"
	"almanac/catalog/text/cells"
	"almanac/repl/event"
	"almanac/session"
	"almanac/session/vm"
)

func diffCommand() command {
	return command{
		name: "diff", args: "[N]", group: groupMore, run: diff, words: cellWords,
		brief: "how cell N, or the last one, changed globals", action: "diff",
		more: "Each global with its old and its new value, by the paths inside of tables that differ.\n" +
			"It needs the states of before and after the cell, of which the last 50 are kept.",
	}
}

func diff(ctx context.Context, sh *Shell, _ *event.Cell, arg string) error {
	n := 0
	if arg != "" {
		var call int
		var err error
		if n, call, err = cellNumber(arg); err != nil || call > 0 {
			return &UsageError{usage: "/diff [N]", message: fmt.Sprintf("%q: want a cell (7)", arg)}
		}
	}
	p, diffs, err := sh.options.Session.Diff(ctx, n)
	if err != nil {
		return fmt.Errorf("diff: %w", err)
	}
	diffs = slices.DeleteFunc(diffs, func(d session.Difference) bool { return event.IsResult(d.Name) })
	if len(diffs) == 0 {
		return errors.New("diff: the globals have the values that they had before")
	}
	sh.say(event.Plain, "%s", differencesText(p, diffs))
	return nil
}

// differencesText is one line for each place that differs.
func differencesText(p session.Point, diffs []session.Difference) string {
	var rows [][2]string
	width, places, more := 0, 0, false
	add := func(name, what string) {
		rows = append(rows, [2]string{cells.Clip(text.SanitizeLine(name), maxDiffName, "…"), what})
		width = max(width, cells.Width(rows[len(rows)-1][0]))
	}
	for _, d := range diffs {
		places += max(len(d.At), 1)
		switch {
		case d.At != nil:
			for _, at := range d.At {
				if at.Want == "" && at.Got == "" { // there are more
					add(at.Path, "")
					places, more = places-1, true
					continue
				}
				add(at.Path, at.Want+" -> "+at.Got)
			}
		case d.Was == nil:
			add(d.Name, "new: "+diffValue(d.Is))
		case d.Is == nil:
			add(d.Name, "removed, was "+diffValue(d.Was))
		case d.Was.Type == "function" && d.Is.Type == "function":
			add(d.Name, "set again, a function")
		default:
			add(d.Name, diffValue(d.Was)+" -> "+diffValue(d.Is))
		}
	}
	by := p.What
	if len(p.Runs) > 0 {
		by = fmt.Sprintf("%s, %s", p.Runs[0].Label, p.Runs[0].Author)
	}
	said := text.Count(len(diffs), "global")
	switch {
	case more:
		said += " in more than " + text.Count(places, "place")
	case places > len(diffs):
		said += " in " + text.Count(places, "place")
	}
	lines := []string{by + ": " + said}
	for _, row := range rows {
		pad := strings.Repeat(" ", width-cells.Width(row[0]))
		lines = append(lines, strings.TrimRight("  "+row[0]+pad+"  "+text.SanitizeLine(row[1]), " "))
	}
	return strings.Join(lines, "\n")
}

// What a line of a diff shows of a name and of a value, in cells.
const (
	maxDiffName  = 60
	maxDiffValue = 120
)

func diffValue(v *vm.Value) string {
	if v.Whole {
		return text.SanitizeLine(lua.Literal(v.Data, lua.Options{Tight: true, Limit: maxDiffValue}))
	}
	return cells.Clip(text.SanitizeLine(strings.Join(strings.Fields(v.Repr), " ")), maxDiffValue, "…")
}
