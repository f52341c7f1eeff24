package main

import (
	"context"
	"errors"
	"fmt"

	"almanac/catalog"
	"almanac/catalog/source"
)

type doctorCommand struct {
	Accept string `placeholder:"SOURCE" help:"Accept the new and changed actions of SOURCE."`
	All    bool   `help:"List every skipped, renamed or mended entry, not only the first of each."`
	JSON   bool   `help:"Print JSON."`
}

// doctorSome is how many remarks of a kind are listed without --all.
const doctorSome = 10

// Run reports on every source. It fails if one cannot be read.
func (c doctorCommand) Run(ctx context.Context, cli *commandLine, p *program) error {
	f, err := cli.feed(ctx)
	if err != nil {
		return err
	}
	defer f.loader.Close()
	if err := f.loader.Wait(ctx); err != nil {
		return err
	}
	if c.Accept != "" {
		change, err := f.loader.Accept(c.Accept)
		if err != nil {
			return misconfigured(err)
		}
		fmt.Fprintf(p.stdout, "%s: accepted %d new, %d changed, %d removed\n", c.Accept, len(change.Added), len(change.Changed), len(change.Removed))
		return change.WriteChange(p.stdout, c.some())
	}
	all := append(f.loader.Status(), cli.leftOut...)
	if c.JSON {
		err = p.printJSON(reportsOf(all))
	} else {
		err = c.print(p, all)
	}
	if err != nil {
		return err
	}
	for _, s := range all {
		var partly *source.PartlyError
		if s.Err != nil || s.Health != nil && !errors.As(s.Health, &partly) {
			return &exitError{Code: exitFailed}
		}
	}
	return nil
}

// some is how many of a kind are listed; zero means all.
func (c doctorCommand) some() int {
	if c.All {
		return 0
	}
	return doctorSome
}

func (c doctorCommand) print(p *program, all []source.Status) error {
	for _, s := range all {
		if err := s.WriteReport(p.stdout, c.some()); err != nil {
			return err
		}
	}
	return nil
}

// A sourceReport is a source's status as JSON.
type sourceReport struct {
	Name    string        `json:"name"`
	State   source.State  `json:"state"`
	Found   int           `json:"found"`
	Loaded  int           `json:"loaded"`
	Skipped []remark      `json:"skipped"`
	Renamed []remark      `json:"renamed"`
	Mended  []remark      `json:"mended"`
	Overlay []remark      `json:"overlay"`
	Change  source.Change `json:"change"`
	TookMS  int64         `json:"took_ms"`
	Error   string        `json:"error,omitempty"`
	Health  string        `json:"health,omitempty"`
}

// A remark is a catalog.Skip as JSON.
type remark struct {
	ID     string `json:"id,omitempty"`
	Place  string `json:"place,omitempty"`
	Reason string `json:"reason"`
}

func reportsOf(all []source.Status) []sourceReport {
	text := func(err error) string {
		if err == nil {
			return ""
		}
		return err.Error()
	}
	reports := []sourceReport{}
	for _, s := range all {
		reports = append(reports, sourceReport{
			Name: s.Name, State: s.State, Found: s.Found, Loaded: s.Loaded, Skipped: remarks(s.Skipped),
			Renamed: remarks(s.Renamed), Mended: remarks(s.Mended), Overlay: remarks(s.Overlay), Change: s.Change, TookMS: s.Took.Milliseconds(),
			Error: text(s.Err), Health: text(s.Health),
		})
	}
	return reports
}

func remarks(skips []catalog.Skip) []remark {
	out := []remark{}
	for _, k := range skips {
		out = append(out, remark{k.ID, k.Source, k.Reason})
	}
	return out
}
