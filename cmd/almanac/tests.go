package main

// This file runs the recorded tests of saved actions.

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"almanac/catalog"
	"almanac/catalog/manifest"
	"almanac/catalog/search/spelling"
	"almanac/catalog/text"
	"almanac/session/saved"
)

type testCommand struct {
	Names []string `arg:"" optional:"" name:"name" help:"Actions to test, with or without mine. in front. Default: all."`
	Dir   string   `placeholder:"DIR" help:"Folder of actions. Default: that of /save."`
	JSON  bool     `help:"Print JSON."`
}

// A testReport is what the tests of one action came to.
type testReport struct {
	ID    string `json:"id"`
	File  string `json:"file"`
	Tests int    `json:"tests"`
	Calls int    `json:"calls"`
	OK    bool   `json:"ok"`
	// Differs are the lines of a diff, of all tests.
	Differs []string `json:"differs"`
	// Changed are used actions that are not what they were.
	Changed []string `json:"changed"`
}

// Run replays the tests of saved actions: what they call answers as it did in the recorded run.
func (c testCommand) Run(ctx context.Context, cli *commandLine, p *program) error {
	format, err := cli.format("json")
	if err != nil {
		return err
	}
	if c.Dir == "" {
		c.Dir = cli.actionsDir()
	}
	all, broken, err := manifest.ReadTests(ctx, c.Dir)
	if err != nil {
		return misconfigured(err)
	}
	if len(c.Names) > 0 {
		if all, err = c.named(all); err != nil {
			return err
		}
		broken = nil
	}
	w := &app{}
	defer w.Close()
	view, err := cli.openView(ctx, w, false)
	if err != nil {
		return err
	}
	reports, failed := []testReport{}, len(broken) > 0
	for _, t := range all {
		r, err := testAction(ctx, t, view)
		if err != nil {
			return err
		}
		failed = failed || !r.OK
		reports = append(reports, r)
		if !c.JSON && format != "json" {
			r.print(p.stdout)
		}
	}
	if c.JSON || format == "json" {
		err = p.printJSON(map[string]any{"actions": reports, "broken": remarks(broken)})
	} else {
		printBroken(p.stdout, broken)
		printSum(p.stdout, reports, c.Dir)
	}
	if err == nil && failed {
		return &exitError{Code: exitFailed}
	}
	return err
}

// named picks the actions with the names that were given.
func (c testCommand) named(all []manifest.Tested) (some []manifest.Tested, err error) {
	ids := make([]string, 0, len(all))
	for _, t := range all {
		ids = append(ids, t.Entry.ID)
	}
	for _, name := range c.Names {
		i := max(slices.Index(ids, name), slices.Index(ids, ownActions+"."+name))
		if i >= 0 {
			some = append(some, all[i])
			continue
		}
		near := spelling.Nearest(name, ids)
		if near == "" {
			near = spelling.Nearest(ownActions+"."+name, ids)
		}
		switch {
		case near != "":
			return nil, usage("test %s: no such action in %s: did you mean %s?", name, c.Dir, near)
		case len(ids) == 0:
			return nil, usage("test %s: no actions in %s; /save NAME in a session makes one", name, c.Dir)
		}
		return nil, usage("test %s: no such action in %s: it has %s", name, c.Dir,
			text.LineBytes(strings.Join(ids, ", "), 300))
	}
	return some, nil
}

func testAction(ctx context.Context, t manifest.Tested, view *catalog.View) (testReport, error) {
	r := testReport{
		ID: t.Entry.ID, File: t.File, Tests: len(t.Tests), OK: true, Differs: []string{}, Changed: view.Stale(&t.Entry),
	}
	if r.Changed == nil {
		r.Changed = []string{}
	}
	if t.Err == nil && len(t.Tests) > 0 && t.Entry.Lua == "" {
		t.Err = fmt.Errorf("%s: %s: only actions in Lua have tests", t.File, t.Entry.ID)
	}
	if t.Err != nil {
		r.OK, r.Differs = false, []string{t.Err.Error()}
		return r, nil
	}
	for i, test := range t.Tests {
		got, failed, err := saved.Replay(ctx, &t.Entry, test, view)
		if err != nil {
			return r, err
		}
		lines := saved.Compare(test, got)
		if failed != nil {
			lines = append(lines, "error: "+failed.Error())
		}
		if len(lines) > 0 {
			r.OK = false
			r.Differs = append(append(r.Differs, fmt.Sprintf("test %d", i+1)), lines...)
		}
		r.Calls += len(test.Calls)
	}
	return r, nil
}

func (r testReport) print(w io.Writer) {
	state := "ok"
	switch {
	case !r.OK:
		state = "failed"
	case r.Tests == 0:
		state = "no test"
	}
	fmt.Fprintf(w, "%-8s %s: %s, %s\n", state, r.ID, text.Count(r.Tests, "test"), text.Count(r.Calls, "call"))
	for _, line := range r.Changed {
		fmt.Fprintf(w, "         %s\n", text.SanitizeLine(line))
	}
	for _, line := range r.Differs {
		fmt.Fprintf(w, "         %s\n", text.SanitizeLine(line))
	}
}

func printBroken(w io.Writer, broken []catalog.Skip) {
	for _, s := range broken {
		fmt.Fprintf(w, "%-8s %s: %s\n", "broken", s.Source, text.SanitizeLine(s.Reason))
	}
}

func printSum(w io.Writer, reports []testReport, dir string) {
	if len(reports) == 0 {
		fmt.Fprintf(w, "no actions in %s; /save NAME in a session makes one\n", dir)
		return
	}
	ok, none, changed := 0, 0, 0
	for _, r := range reports {
		switch {
		case r.OK && r.Tests == 0:
			none++
		case r.OK:
			ok++
		}
		if len(r.Changed) > 0 {
			changed++
		}
	}
	fmt.Fprintf(w, "%d ok, %d failed", ok, len(reports)-ok-none)
	if none > 0 {
		fmt.Fprintf(w, ", %d without tests", none)
	}
	if changed > 0 {
		fmt.Fprintf(w, "; %d with changes in what is used", changed)
	}
	fmt.Fprintln(w)
}
