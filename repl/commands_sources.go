package repl

// This file holds the command that looks at the sources of the catalog.

import (
	"context"
	"errors"
	"strings"

	"almanac/catalog/source"
	"almanac/repl/event"
	"almanac/repl/input"
)

// someSkips is how many remarks of a kind /sources NAME lists.
const someSkips = 40

func sources(_ context.Context, sh *Shell, _ *event.Cell, arg string) error {
	l := sh.options.Sources
	if l == nil {
		return errors.New("sources: not available in this session")
	}
	verb, name := input.CutWord(arg)
	switch {
	case arg == "":
		lines := make([]string, 0, 4)
		for _, s := range l.Status() {
			lines = append(lines, s.Line())
		}
		sh.say(event.Plain, "%s", strings.Join(lines, "\n"))
		return nil
	case verb == "accept" && name != "":
		change, err := l.Accept(name)
		if err != nil {
			return err
		}
		var b strings.Builder
		if err := change.WriteChange(&b, someSkips); err != nil {
			return err
		}
		sh.say(event.Notice, "%s: accepted %d new, %d changed, %d removed\n%s", name, len(change.Added), len(change.Changed),
			len(change.Removed), b.String())
		return nil
	case verb == "refresh" && name != "":
		if err := l.Refresh(name); err != nil {
			return err
		}
		sh.say(event.Notice, "%s: refreshing; the current catalog stays in use", name)
		return nil
	}
	all := l.Status()
	i, err := source.Find(sourceNames(all), arg)
	if err != nil {
		return &UsageError{usage: "/sources [NAME | accept NAME | refresh NAME]", message: err.Error()}
	}
	var b strings.Builder
	if err := all[i].WriteReport(&b, someSkips); err != nil {
		return err
	}
	sh.say(event.Plain, "%s", strings.TrimSuffix(b.String(), "\n"))
	return nil
}

func sourceNames(all []source.Status) []string {
	names := make([]string, 0, len(all))
	for _, s := range all {
		names = append(names, s.Name)
	}
	return names
}

func sourceWords(sh *Shell, arg string) []Completion {
	if sh.options.Sources == nil {
		return nil
	}
	var items []Completion
	for _, s := range sh.options.Sources.Status() {
		items = append(items, Completion{Text: s.Name, Detail: string(s.State)})
	}
	if strings.ContainsAny(arg, " \t\n") {
		return items
	}
	return append(items, fixedWords("accept", "accept new and changed actions", "refresh", "refresh it")(sh, arg)...)
}
