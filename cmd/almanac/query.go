package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"almanac/catalog"
	"almanac/session"
	"almanac/session/policy"
	"almanac/session/trace"
)

// mostHits is the most actions one answer may list.
const mostHits = 100

type queryCommand struct {
	Words  []string `arg:"" optional:"" help:"What the action should do."`
	Script string   `placeholder:"FILE" help:"Run a query script instead of a word search; - reads standard input."`
	Limit  int      `placeholder:"N" help:"Maximum actions to list, up to 100. Default: as many as fit a short answer; 20 in JSON."`
	JSON   bool     `help:"Print JSON."`
}

// Run searches the catalog and prints one line per action.
func (c queryCommand) Run(ctx context.Context, cli *commandLine, p *program) error {
	switch {
	case c.Script != "" && len(c.Words) > 0:
		return usage("give words or --script, not both")
	case c.Script != "":
		return c.runScript(ctx, cli, p)
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
	if !c.JSON {
		fmt.Fprintln(p.stdout, strings.TrimRight(view.FormatSet(set, mostHits), "\n"))
	} else if err := printHits(p, view, set); err != nil {
		return err
	}
	if set.Len() == 0 {
		return &exitError{Code: exitFailed}
	}
	return nil
}

// runScript prints what a query script returns: a plan or set as lines, or all ids as JSON.
func (c queryCommand) runScript(ctx context.Context, cli *commandLine, p *program) error {
	source, err := p.readFile(c.Script)
	if err != nil {
		return usage("%v", err)
	}
	w, err := cli.wire(ctx, appOptions{front: trace.FrontScript, policy: policy.ReadOnly})
	if err != nil {
		return err
	}
	defer w.Close()
	answer, err := w.session.Query(ctx, session.Script{Source: source, Name: c.Script, Author: session.User})
	if err != nil {
		return err
	}
	fmt.Fprint(p.stderr, answer.Outcome.Stdout)
	p.printErrors(answer.Outcome)
	if answer.Outcome.Err != nil {
		return outcomeError(answer.Outcome)
	}
	if c.JSON {
		return p.printJSON(answer.Plan)
	}
	fmt.Fprintln(p.stdout, strings.TrimRight(answer.Text, "\n"))
	return nil
}

func printHits(p *program, view *catalog.View, set catalog.Set) error {
	type hit struct {
		ID    string  `json:"id"`
		Score float64 `json:"score"`
		Line  string  `json:"line"`
	}
	answer := struct {
		Total int   `json:"total"`
		Hits  []hit `json:"hits"`
	}{Total: set.Total(), Hits: []hit{}}
	for _, h := range set.Hits() {
		answer.Hits = append(answer.Hits, hit{h.ID, h.Score, view.Line(h.ID)})
	}
	return p.printJSON(answer)
}

type describeCommand struct {
	IDs   []string `arg:"" name:"id" help:"Action ids."`
	JSON  bool     `help:"Print JSON Schemas."`
	Full  bool     `help:"Include every nested field."`
	LuaLS bool     `name:"luals" help:"Print annotations for the Lua language server."`
}

// Run prints the specification of each id.
func (c describeCommand) Run(ctx context.Context, cli *commandLine, p *program) error {
	view, done, err := cli.viewOnly(ctx)
	if err != nil {
		return err
	}
	defer done()
	detail := catalog.Brief
	switch {
	case c.JSON:
		detail = catalog.JSON
	case c.LuaLS:
		detail = catalog.LuaLS
	case c.Full:
		detail = catalog.Full
	}
	for i, id := range c.IDs {
		spec, err := view.Describe(id, detail)
		if seen := view.Why(id); err != nil && seen.State == "hidden" {
			return fmt.Errorf("%s: hidden by %s", id, seen.Rule)
		}
		if err != nil {
			return err
		}
		if i > 0 && !c.JSON {
			fmt.Fprintln(p.stdout)
		}
		fmt.Fprintln(p.stdout, strings.TrimRight(spec.Text, "\n"))
	}
	return nil
}

// viewOnly opens the catalog without a session.
func (cli *commandLine) viewOnly(ctx context.Context) (*catalog.View, func() error, error) {
	w := &app{}
	view, err := cli.openView(ctx, w, false)
	if err != nil {
		w.Close()
		return nil, nil, err
	}
	return view, w.Close, nil
}

func (p *program) printJSON(v any) error {
	enc := json.NewEncoder(p.stdout)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}
