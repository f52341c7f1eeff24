package main

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"almanac/catalog"
	"almanac/catalog/source"
)

type doctorCommand struct {
	Accept string `placeholder:"SOURCE" help:"Accept the new and changed actions of SOURCE."`
	All    bool   `help:"List every skipped, renamed or mended entry, not only the first of each."`
	JSON   bool   `help:"Print JSON, as --output json does."`

	Here  doctorHere  `cmd:"" default:"1" help:"Check sources, model server, configuration and terminal, with remedies (default)."`
	Serve doctorServe `cmd:"" help:"Check what almanac serve with these flags needs, too: address, clients, issuer, certificate, files, collectors. Serves nothing."`
}

type doctorHere struct{}

// Run reports on every source and on what else the program needs.
func (doctorHere) Run(ctx context.Context, cli *commandLine, p *program) error {
	return cli.Doctor.report(ctx, cli, p, nil)
}

// doctorSome is how many remarks of a kind are listed without --all.
const doctorSome = 10

// report reports on every source, on what else the program needs, and on what more looks at, which may be nil. It fails
// if something does not work.
func (c doctorCommand) report(ctx context.Context, cli *commandLine, p *program,
	more func(context.Context, *catalogUpdater) []check) error {
	format, err := cli.format("json")
	if err != nil {
		return err
	}
	f, err := cli.feed(ctx, source.Options{})
	if err != nil {
		return err
	}
	defer f.loader.Close()
	soon, cancel := context.WithTimeout(ctx, doctorTime)
	defer cancel()
	if err := f.loader.Wait(soon); err != nil && ctx.Err() != nil {
		return err
	}
	if c.Accept != "" {
		change, err := f.loader.Accept(c.Accept)
		if err != nil {
			return misconfigured(err)
		}
		fmt.Fprintf(p.stdout, "%s: accepted %d new, %d changed, %d removed\n", c.Accept, len(change.Added),
			len(change.Changed), len(change.Removed))
		return change.WriteChange(p.stdout, c.some())
	}
	all := append(f.loader.Status(), cli.leftOut...)
	asked, stop := context.WithTimeout(ctx, doctorModelTime)
	defer stop()
	checks := cli.checks(asked, p)
	if more != nil {
		checks = append(checks, more(ctx, f)...)
	}
	if c.JSON || format == "json" {
		err = p.printJSON(struct {
			Checks  []check        `json:"checks"`
			Sources []sourceReport `json:"sources"`
		}{checks, reportsOf(all)})
	} else if err = c.print(p, all); err == nil {
		printChecks(p, checks)
	}
	if err != nil {
		return err
	}
	if slices.ContainsFunc(checks, func(c check) bool { return c.State == checkFailed }) {
		return &exitError{Code: exitFailed}
	}
	for _, s := range all {
		var partly *source.PartlyError
		if s.State == source.Loading || s.Err != nil || s.Health != nil && !errors.As(s.Health, &partly) {
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
	Name     string        `json:"name"`
	State    source.State  `json:"state"`
	Found    int           `json:"found"`
	Loaded   int           `json:"loaded"`
	Skipped  []remark      `json:"skipped"`
	Renamed  []remark      `json:"renamed"`
	Mended   []remark      `json:"mended"`
	Overlay  []remark      `json:"overlay"`
	Unusable []remark      `json:"unusable"`
	Stale    []remark      `json:"stale"`
	Notes    []remark      `json:"notes"`
	Change   source.Change `json:"change"`
	TookMS   int64         `json:"took_ms"`
	Error    string        `json:"error,omitempty"`
	Health   string        `json:"health,omitempty"`
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
			Renamed: remarks(s.Renamed), Mended: remarks(s.Mended), Overlay: remarks(s.Overlay),
			Unusable: remarks(s.Unusable), Stale: remarks(s.Stale),
			Notes: remarks(s.Notes), Change: s.Change,
			TookMS: s.Took.Milliseconds(), Error: text(s.Err), Health: text(s.Health),
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
