package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"almanac/catalog"
	"almanac/catalog/source"
	"almanac/catalog/team"
	"almanac/repl/records"
	"almanac/session"
	"almanac/session/policy"
	"almanac/session/trace"
	"almanac/session/vm"
)

// mostHits is the most actions one answer may list.
const mostHits = 100

type queryCommand struct {
	Words  []string `arg:"" optional:"" help:"What the action should do."`
	Script string   `placeholder:"FILE" help:"Run a query script instead of a word search; - reads standard input."`
	Limit  int      `placeholder:"N" help:"Maximum actions to list, up to 100. Default: as many as fit a short answer; 20 in JSON."`
	JSON   bool     `help:"Print JSON, as --output json does."`
}

// Run searches the catalog and prints one line per action.
func (c queryCommand) Run(ctx context.Context, cli *commandLine, p *program) error {
	format, err := cli.format(valueFormats...)
	if c.JSON {
		format, err, cli.Output = "json", nil, "json"
	}
	switch {
	case err != nil:
		return err
	case c.Script != "" && len(c.Words) > 0:
		return usage("give words or --script, not both")
	case c.Script != "":
		return c.runScript(ctx, cli, p, format)
	case len(c.Words) == 0:
		return usage("nothing to search for: want almanac query WORDS, or --script FILE")
	}
	if c.Limit < 0 || c.Limit > mostHits {
		return usage("--limit %d: want 1 to %d", c.Limit, mostHits)
	}
	view, done, err := cli.viewOnly(ctx)
	if err != nil {
		return err
	}
	defer done()
	set, err := view.Search(strings.Join(c.Words, " "), catalog.SearchOptions{Limit: c.Limit})
	if err != nil {
		return err
	}
	switch format {
	case "text", "raw":
		fmt.Fprintln(p.stdout, strings.TrimRight(view.FormatSet(set, mostHits), "\n"))
	case "jsonl":
		for _, hit := range view.PlainHits(set.Hits()) {
			err = errors.Join(err, records.WriteJSON(p.stdout, hit, false))
		}
	default:
		found := []vm.Value{{Catalog: view.PlainSet(set)}}
		err = records.WriteValues(p.stdout.shown(), found, records.Encoding(format), p.width())
	}
	if err != nil {
		return err
	}
	if set.Len() == 0 {
		return &exitError{Code: exitFailed}
	}
	return nil
}

// runScript prints what a query script returns.
func (c queryCommand) runScript(ctx context.Context, cli *commandLine, p *program, format string) error {
	source, err := p.readFile(c.Script)
	if err != nil {
		return usage("%v", err)
	}
	w, err := cli.wire(ctx, appOptions{front: trace.FrontScript, policy: policy.ReadOnly, alone: true})
	if err != nil {
		return err
	}
	defer w.Close()
	answer, err := w.session.Query(ctx, session.Script{Source: source, Name: c.Script, Author: session.User})
	if err != nil {
		return err
	}
	out := answer.Outcome
	fmt.Fprint(p.stderr, out.Stdout)
	out.Stdout = ""
	if format != "text" {
		err = p.printOutcome(out, format)
	} else if p.printErrors(out); out.Err == nil {
		fmt.Fprintln(p.stdout, strings.TrimRight(answer.Text, "\n"))
	}
	return errors.Join(err, outcomeError(out))
}

type describeCommand struct {
	IDs   []string `arg:"" name:"id" help:"Action ids."`
	JSON  bool     `help:"Print JSON with the schemas, as --output json does: an object, or a list of several."`
	Full  bool     `help:"Include every nested field."`
	LuaLS bool     `name:"luals" help:"Print annotations for the Lua language server."`
}

// Run prints the specification of each id.
func (c describeCommand) Run(ctx context.Context, cli *commandLine, p *program) error {
	format, err := cli.format("json", "jsonl")
	if c.JSON {
		format, err, cli.Output = "json", nil, "json"
	}
	if err != nil {
		return err
	}
	view, done, err := cli.viewOnly(ctx)
	if err != nil {
		return err
	}
	defer done()
	detail := catalog.Brief
	switch {
	case format != "text":
		detail = catalog.JSON
	case c.LuaLS:
		detail = catalog.LuaLS
	case c.Full:
		detail = catalog.Full
	}
	specs := make([]json.RawMessage, 0, len(c.IDs))
	for i, id := range c.IDs {
		spec, err := view.Describe(id, detail)
		if seen := view.Why(id); err != nil && seen.State == "hidden" {
			return fmt.Errorf("%s: hidden by %s", id, seen.Rule)
		}
		if err != nil {
			return err
		}
		if specs = append(specs, json.RawMessage(spec.Text)); format != "text" {
			continue
		}
		if i > 0 {
			fmt.Fprintln(p.stdout)
		}
		fmt.Fprintln(p.stdout, strings.TrimRight(spec.Text, "\n"))
	}
	switch {
	case format == "json" && len(specs) == 1:
		return p.printJSON(specs[0])
	case format == "json":
		return p.printJSON(specs)
	case format == "jsonl":
		for _, spec := range specs {
			err = errors.Join(err, records.WriteJSON(p.stdout, spec, false))
		}
	}
	return err
}

// viewOnly opens the catalog without a session.
func (cli *commandLine) viewOnly(ctx context.Context) (*catalog.View, func() error, error) {
	w := &app{}
	var more []source.Source
	if cli.Team != "" {
		more = append(more, teamActions(team.Entries(cli.Team))) // to be looked at, by a program that does not join
	}
	view, err := cli.openView(ctx, w, false, more...)
	if err != nil {
		w.Close()
		return nil, nil, err
	}
	return view, w.Close, nil
}

func (p *program) printJSON(v any) error { return records.WriteJSON(p.stdout, v, true) }
