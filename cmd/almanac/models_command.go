// This file is almanac models: what the servers of the configured models have.

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"almanac/catalog/text"
	"almanac/llm"
	"almanac/repl/show"
)

type modelsCommand struct {
	Name string `arg:"" optional:"" help:"Ask only the server of this model."`
	JSON bool   `help:"Print JSON, as --output json does."`
}

// modelsTime bounds one server's list, and the command that prints its key.
const modelsTime = 15 * time.Second

// A serverList is what one server has.
type serverList struct {
	Server string `json:"server"`
	// Names are the configured models at this server.
	Names  []configuredModel `json:"configured"`
	Models []listedModel     `json:"models"`
	Error  string            `json:"error,omitempty"`
	err    error
}

type configuredModel struct {
	Name  string `json:"name"`
	Model string `json:"model"`
}

type listedModel struct {
	Name   string `json:"name"`
	Window int    `json:"window,omitempty"`
}

// Run asks the servers and prints what they list. It fails if one does not answer.
func (c modelsCommand) Run(ctx context.Context, cli *commandLine, p *program) error {
	format, err := cli.format("json")
	if err != nil {
		return err
	}
	m, err := cli.models()
	if err != nil && len(m.named) == 0 {
		return misconfigured(err)
	}
	targets := m.named
	if m.server.Provider != nil {
		targets = append(slices.Clip(targets), m.server)
	}
	if c.Name != "" {
		t, err := cli.namedTarget(m, c.Name)
		if err != nil {
			return misconfigured(err)
		}
		targets = []llm.Target{t}
	}
	lists := askServers(ctx, targets)
	if c.JSON || format == "json" {
		err = p.printJSON(lists)
	} else {
		err = printModels(p.stdout, lists)
	}
	if err != nil {
		return err
	}
	for _, l := range lists {
		if l.err != nil {
			return failedInput(l.err)
		}
	}
	return nil
}

// askServers asks each server once for each of its keys, all at the same time.
func askServers(ctx context.Context, targets []llm.Target) []*serverList {
	lists, at := []*serverList{}, map[string]*serverList{}
	var asking sync.WaitGroup
	for _, t := range targets {
		server := fmt.Sprint(t.Server, t.Provider.(*server).key)
		l := at[server]
		if l == nil {
			l = &serverList{Server: t.Server, Names: []configuredModel{}, Models: []listedModel{}}
			lists, at[server] = append(lists, l), l
			asking.Go(func() { l.ask(ctx, t) })
		}
		if t.Name != "" {
			l.Names = append(l.Names, configuredModel{t.Name, t.Model})
		}
	}
	asking.Wait()
	return lists
}

func (l *serverList) ask(ctx context.Context, t llm.Target) {
	ctx, cancel := context.WithTimeoutCause(ctx, modelsTime, errors.New("no answer within "+text.Span(modelsTime)))
	defer cancel()
	models, err := t.Models(ctx)
	if err != nil && ctx.Err() != nil {
		err = fmt.Errorf("%s: %w", t.Server, context.Cause(ctx))
	}
	if l.err = err; err != nil {
		l.Error = err.Error()
	}
	for _, m := range models {
		l.Models = append(l.Models, listedModel{m.Name, m.Window})
	}
}

// printModels prints each server with its models; those that have a name of their own say so.
func printModels(out io.Writer, lists []*serverList) error {
	var b strings.Builder
	for _, l := range lists {
		called := map[string][]string{}
		for _, c := range l.Names {
			called[c.Model] = append(called[c.Model], c.Name)
		}
		if l.err != nil {
			fmt.Fprintf(&b, "%s\n", l.Error)
			continue
		}
		fmt.Fprintf(&b, "%s: %s\n", l.Server, text.Count(len(l.Models), "model"))
		rows := [][]string{}
		for _, m := range l.Models {
			window := "-"
			if m.Window > 0 {
				window = text.Thousands(fmt.Sprint(m.Window)) + " tokens"
			}
			rows = append(rows, []string{"  " + m.Name, window, strings.Join(called[m.Name], ", ")})
			delete(called, m.Name)
		}
		for _, c := range l.Names {
			if called[c.Model] != nil {
				rows = append(rows, []string{"  " + c.Model, "not listed", c.Name})
			}
		}
		if len(rows) > 0 {
			fmt.Fprintln(&b, show.Columns(rows))
		}
	}
	_, err := io.WriteString(out, text.Sanitize(b.String()))
	return err
}
