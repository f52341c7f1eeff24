// This file checks what the program needs beside its sources: for almanac doctor.

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"almanac/catalog/team"
	"almanac/catalog/text"
	"almanac/catalog/web"
	"almanac/llm"
)

// A check is one thing that was looked at.
type check struct {
	Name string `json:"name"`
	// State is ok, note for what is missing but not needed, or failed.
	State  string `json:"state"`
	Text   string `json:"text"`
	Remedy string `json:"remedy,omitempty"`
}

// The states.
const (
	checkOK     = "ok"
	checkNote   = "note"
	checkFailed = "failed"
)

// checks looks at everything but the sources. It ends with ctx.
func (cli *commandLine) checks(ctx context.Context, p *program) []check {
	checks := []check{
		{"version", checkOK,
			fmt.Sprintf("almanac %s, %s, %s/%s", version, runtime.Version(), runtime.GOOS, runtime.GOARCH), ""},
		cli.checkConfig(), cli.checkData(),
	}
	checks = append(checks, cli.checkModels(ctx)...)
	checks = append(checks, cli.checkLogins()...)
	checks = append(checks, cli.checkKeys()...)
	if cli.Team != "" || cli.NATS != "" {
		checks = append(checks, cli.checkTeam(ctx))
	}
	return append(checks, checkClipboard(), checkTerminal(p))
}

func (cli *commandLine) checkConfig() check {
	c := check{Name: "configuration", State: checkOK, Text: cli.config.user.path}
	if _, err := os.Stat(c.Text); err != nil {
		c.State, c.Text, c.Remedy = checkNote, "no file, all values are defaults", "almanac config init writes one"
	}
	if idle := slices.Concat(cli.unused, cli.idleTables); len(idle) > 0 {
		c.State, c.Text, c.Remedy = checkNote, strings.Join(idle, "; "), "take the keys out, or name another source so"
	}
	return c
}

// probeSize is how much is written to tell whether there is space.
const probeSize = 1 << 20

func (cli *commandLine) checkData() check {
	dir := cli.dataDir()
	c := check{Name: "data folder", State: checkOK, Text: dir + ", writable"}
	err := os.MkdirAll(dir, 0o700)
	if err == nil {
		var f *os.File
		if f, err = os.CreateTemp(dir, ".doctor-*"); err == nil {
			_, err = f.Write(bytes.Repeat([]byte{1}, probeSize))
			err = errors.Join(err, f.Close(), os.Remove(f.Name()))
		}
	}
	if err != nil {
		c.State, c.Text = checkFailed, err.Error()
		c.Remedy = "make the folder writable, free some space, or name another with --data"
	}
	return c
}

// checkModels asks the server of the model that is asked first, which must work, and those of the others.
func (cli *commandLine) checkModels(ctx context.Context) []check {
	all, err := cli.models()
	switch {
	case errors.Is(err, errNoModel):
		return []check{{
			Name: "model", State: checkNote, Text: "none is configured; everything else works without",
			Remedy: "set OPENAI_API_KEY, or --base-url to an OpenAI-compatible server",
		}}
	case err != nil:
		return []check{{"model", checkFailed, err.Error(), "choose another with --model"}}
	}
	targets := append([]llm.Target{all.first}, slices.DeleteFunc(slices.Clone(all.named), func(t llm.Target) bool {
		return t.Name == all.first.Name
	})...)
	checks := make([]check, len(targets))
	var asking sync.WaitGroup
	for i, t := range targets {
		asking.Go(func() {
			checks[i] = checkModel(ctx, t)
			if i > 0 {
				checks[i].Name += " " + t.Name
			}
			if i > 0 && checks[i].State == checkFailed {
				checks[i].State = checkNote
			}
		})
	}
	asking.Wait()
	return checks
}

func checkModel(ctx context.Context, t llm.Target) check {
	c := check{Name: "model", State: checkFailed}
	key, server := "check ALMANAC_API_KEY or OPENAI_API_KEY", "check --base-url, and that the server runs"
	if t.Name != "" {
		key, server = "almanac config shows where its key is read", "check its base_url, and that the server runs"
	}
	models, err := t.Models(ctx)
	var failed *llm.Error
	switch {
	case err != nil && errors.As(err, &failed) && failed.Kind == llm.BadKey:
		c.Text, c.Remedy = err.Error(), key
	case err != nil:
		c.Text, c.Remedy = err.Error(), server
	case len(models) > 0 && !slices.ContainsFunc(models, func(m llm.Model) bool { return m.Name == t.Model }):
		c.State = checkNote
		c.Text = fmt.Sprintf("the server answers, but has no %s among %s", t.Model, text.Count(len(models), "model"))
		c.Remedy = "almanac models lists them"
	default:
		c.State, c.Text = checkOK, t.Model+": the server answers"
	}
	return c
}

// checkKeys looks for the keys of AWS that requests of sources are signed with.
func (cli *commandLine) checkKeys() (all []check) {
	for _, t := range cli.config.user.sources {
		if !t.access.Signs() {
			continue
		}
		v := web.NewVault(os.Getenv, web.Keyring)
		v.From(t.access.Secrets)
		c := check{Name: "aws " + t.name, State: checkOK}
		from, until, err := t.access.Keys(v)
		c.Text = "keys of " + text.LineBytes(from, 100)
		if !until.IsZero() {
			c.Text += ", which end in " + about(time.Until(until))
		}
		if err != nil {
			c.State, c.Text = checkFailed, strings.TrimPrefix(err.Error(), "aws: ")
			c.Remedy = "calls of " + t.name + " fail until it has keys"
			if _, opened := cli.usable[t.name]; !opened {
				c.State = checkNote
			}
		}
		all = append(all, c)
	}
	return all
}

// checkTeam asks the bus for an answer and, with a team, who is in it. It does not join.
func (cli *commandLine) checkTeam(ctx context.Context) check {
	c := check{Name: "team", State: checkFailed, Remedy: "check [nats] in the configuration, and that the server runs"}
	if cli.NATS == "" {
		c.Remedy = "end the program that holds the bus, or let it go on; its number stands in " +
			filepath.Join(cli.dataDir(), "bus", "lock")
	}
	b, err := cli.bus.open(ctx)
	if err != nil {
		c.Text = err.Error()
		return c
	}
	if _, err := b.JetStream().AccountInfo(ctx); err != nil {
		c.Text, c.Remedy = "JetStream: "+err.Error(), "turn JetStream on at the server, for the account too"
		return c
	}
	c.State, c.Remedy, c.Text = checkOK, "", "the bus answers, with JetStream"
	if damaged := cli.bus.damaged(); damaged != "" {
		c.State, c.Text = checkNote, c.Text+"; "+damaged
	}
	if cli.Team == "" {
		return c
	}
	here, err := team.Present(ctx, b, cli.Team)
	if err != nil {
		c.State, c.Text = checkFailed, fmt.Sprintf("team %s: %v", cli.Team, err)
		return c
	}
	c.Text += fmt.Sprintf("; team %s: %s now", cli.Team, text.Count(here, "session"))
	return c
}

func checkClipboard() check {
	if there := copyRoutes(); len(there) > 0 {
		return check{Name: "clipboard", State: checkOK, Text: there[0].via}
	}
	return check{"clipboard", checkNote, "no program: /copy asks the terminal, or prints",
		"install wl-copy, xclip or xsel, or use tmux"}
}

func checkTerminal(p *program) check {
	if !isTerminal(p) {
		return check{"terminal", checkNote, "not a terminal with cursor movement: line mode",
			"run it in a terminal, with TERM set"}
	}
	return check{Name: "terminal", State: checkOK, Text: fmt.Sprintf("%s, %d columns", os.Getenv("TERM"), p.width())}
}

// print prints the checks, each with what to do.
func printChecks(p *program, checks []check) {
	for _, c := range checks {
		fmt.Fprintf(p.stdout, "%-6s  %s: %s\n", c.State, c.Name, text.SanitizeLine(c.Text))
		if c.Remedy != "" {
			fmt.Fprintf(p.stdout, "        %s\n", c.Remedy)
		}
	}
}

// doctorTime bounds what the doctor waits for a source, and doctorModelTime for the model's server.
const (
	doctorTime      = 40 * time.Second
	doctorModelTime = 5 * time.Second
)
