package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"almanac/catalog"
	"almanac/catalog/manifest"
	"almanac/catalog/search/spelling"
	"almanac/catalog/text"
	"almanac/llm"
	"almanac/llm/eval"
	"almanac/llm/replay"
	"almanac/llm/scripted"
)

// tasksCommand has a model do tasks, with the three tools and with a tool for each action.
type tasksCommand struct {
	Names []string `arg:"" optional:"" name:"task" help:"Only these tasks. Default: all."`

	Tasks       string        `placeholder:"DIR" help:"Tasks of your own, *.txtar. Default: those on the demo that come with the program."`
	Size        []int         `placeholder:"N" help:"Actions in the catalog: the demo cut to N or padded to N. Repeatable. Default: the demo as it is."`
	Arm         []string      `enum:"layer,direct" default:"layer,direct" help:"layer (three tools) or direct (a tool for each action). Default: both."`
	Pad         string        `placeholder:"FILE" help:"Pad with the actions of FILE.jsonl[.gz]. Default: made-up ones."`
	Scripted    bool          `help:"Use the scripted agent: fixed rules, no model, no network. Default where no model is configured."`
	Record      string        `placeholder:"DIR" help:"Record each conversation as a cassette."`
	Replay      string        `placeholder:"DIR" help:"Answer from cassettes in place of a model."`
	Transcripts string        `placeholder:"DIR" help:"Write each conversation as text."`
	Turns       int           `default:"20" help:"Completions that a prompt may take."`
	Time        time.Duration `default:"5m" help:"Time that a task may take."`
	DirectTools int           `default:"${direct}" help:"Most tools that the model's server takes; 0 for any number."`
	Each        bool          `help:"Also print a line for each task."`
	JSON        bool          `help:"Print JSON."`
}

// defaultWindow is how many tokens a model is taken to read where nothing says so.
const defaultWindow = 128_000

// Run measures size by size and prints what was measured, also after an interrupt.
func (c tasksCommand) Run(ctx context.Context, cli *commandLine, p *program) error {
	tasks, err := c.open()
	if err != nil {
		return misconfigured(err)
	}
	if err := c.check(); err != nil {
		return misconfigured(err)
	}
	report := &eval.Report{}
	err = c.measure(ctx, cli, p, tasks, report)
	report.Stopped = len(report.Results) < report.Planned
	if c.JSON {
		return errors.Join(err, p.printJSON(report))
	}
	if len(report.Totals) > 0 || ctx.Err() != nil {
		report.WriteTable(p.stdout, c.Each)
	}
	return err
}

// Help is what the flags do not say.
func (c tasksCommand) Help() string {
	return "Each task has a policy of its own and says what is approved: --policy and --allow count for nothing here."
}

// check refuses flags that would fail, or mean something else, once tasks run.
func (c tasksCommand) check() error {
	for _, size := range c.Size {
		if size < 1 {
			return fmt.Errorf("--size %d: want 1 or more; without it the demo is as it is", size)
		}
	}
	switch {
	case c.Turns < 1:
		return fmt.Errorf("--turns %d: want 1 or more", c.Turns)
	case c.Time <= 0:
		return fmt.Errorf("--time %s: want more than nothing, such as 5m", c.Time)
	case c.DirectTools < 0:
		return fmt.Errorf("--direct-tools %d: want 0 or more", c.DirectTools)
	}
	for _, folder := range []struct{ flag, dir string }{{"transcripts", c.Transcripts}, {"record", c.Record}} {
		if folder.dir == "" {
			continue
		}
		if err := os.MkdirAll(folder.dir, 0o700); err != nil {
			return fmt.Errorf("--%s: %w", folder.flag, err)
		}
		probe, err := os.MkdirTemp(folder.dir, ".probe-")
		if err != nil {
			return fmt.Errorf("--%s %s: cannot be written: %w", folder.flag, folder.dir, err)
		}
		if err := os.Remove(probe); err != nil {
			return fmt.Errorf("--%s: %w", folder.flag, err)
		}
	}
	if c.Replay != "" {
		if stat, err := os.Stat(c.Replay); err != nil || !stat.IsDir() {
			return fmt.Errorf("--replay %s: not a folder of cassettes", c.Replay)
		}
	}
	return nil
}

// open reads the tasks.
func (c tasksCommand) open() (tasks []eval.Task, err error) {
	if c.Tasks == "" {
		tasks, err = eval.BuiltIn()
	} else {
		tasks, err = eval.Open(c.Tasks)
	}
	if err != nil || len(c.Names) == 0 {
		return tasks, err
	}
	var names []string
	for _, t := range tasks {
		names = append(names, t.Name)
	}
	for _, name := range c.Names {
		if !slices.Contains(names, name) {
			near := ""
			if best := spelling.Nearest(name, names); best != "" {
				near = ": did you mean " + best + "?"
			}
			return nil, fmt.Errorf("task %q: unknown%s", name, near)
		}
	}
	return slices.DeleteFunc(tasks, func(t eval.Task) bool { return !slices.Contains(c.Names, t.Name) }), nil
}

// measure fills in the report as far as it comes.
func (c tasksCommand) measure(ctx context.Context, cli *commandLine, p *program, tasks []eval.Task,
	report *eval.Report) error {
	sizes := c.Size
	if len(sizes) == 0 {
		sizes = []int{0}
	}
	padding, err := c.padding(ctx, cli, slices.Max(sizes))
	if err != nil {
		return misconfigured(err)
	}
	target, note, err := c.target(cli)
	if err != nil {
		return misconfigured(err)
	}
	report.Model, report.Note = target.String(), note
	for _, arm := range eval.Arms() {
		if slices.Contains(c.Arm, string(arm)) {
			report.Planned += len(sizes) * len(tasks)
		}
	}
	var faults []error
	for _, size := range sizes {
		b, closing, err := c.bench(ctx, cli, tasks, size, padding)
		if err != nil {
			return misconfigured(err)
		}
		unfit := ""
		if slices.Contains(c.Arm, string(eval.Direct)) {
			unfit = b.Fits(c.DirectTools, cmp.Or(target.Window, defaultWindow))
		}
		if unfit != "" {
			report.Planned -= len(tasks)
		}
		for _, arm := range eval.Arms() {
			switch {
			case err != nil || !slices.Contains(c.Arm, string(arm)):
			case arm == eval.Direct && unfit != "":
				report.Add(eval.Total{Arm: arm, Size: b.Len(), Unfit: unfit}, nil)
			default:
				err = c.measureArm(ctx, cli, p, b, arm, tasks, target, report)
			}
		}
		if err := errors.Join(err, closing()); err != nil {
			faults = append(faults, err)
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	return errors.Join(faults...)
}

// padding reads or makes up actions for the largest size.
func (c tasksCommand) padding(ctx context.Context, cli *commandLine, size int) ([]catalog.Entry, error) {
	if c.Pad == "" {
		return eval.Padding(size)
	}
	entries, report, err := manifest.ReadFile(ctx, c.Pad)
	if err != nil {
		return nil, err
	}
	cli.tell("skipped", report.Skipped)
	return entries, nil
}

// bench is the demo of a size, or the catalog of the command line, and what closes it.
func (c tasksCommand) bench(ctx context.Context, cli *commandLine, tasks []eval.Task, size int,
	padding []catalog.Entry) (*eval.Bench, func() error, error) {
	if len(cli.Catalog) == 0 {
		b, err := eval.NewBench(ctx, "", size, padding)
		if err != nil {
			return nil, nil, err
		}
		if err = b.Check(tasks); err == nil && cli.View != "" {
			err = narrow(b, cli.View)
		}
		if err != nil {
			return nil, nil, errors.Join(err, b.Close())
		}
		return b, b.Close, nil
	}
	if size != 0 {
		return nil, nil, errors.New("--size: is for the demo, without --catalog")
	}
	for _, t := range tasks {
		if t.ReadsDatabase() {
			return nil, nil, fmt.Errorf("task %s: rows and changes are of the demo, without --catalog", t.Name)
		}
	}
	w := &app{}
	view, err := cli.openView(ctx, w, false)
	if err != nil {
		return nil, nil, errors.Join(err, w.Close())
	}
	b := eval.BenchOn(view)
	if err := b.Check(tasks); err != nil {
		return nil, nil, errors.Join(err, w.Close())
	}
	return b, w.Close, nil
}

// narrow limits what tasks on the demo see by a file of rules.
func narrow(b *eval.Bench, file string) error {
	rules, err := readRules(file)
	if err != nil {
		return err
	}
	return b.Narrow(rules)
}

// measureArm runs the tasks in one arm at one size.
func (c tasksCommand) measureArm(ctx context.Context, cli *commandLine, p *program, b *eval.Bench, arm eval.Arm,
	tasks []eval.Task, target llm.Target, report *eval.Report) error {
	var results []eval.Result
	var failed error
	for i := range tasks {
		r, err := c.runTask(ctx, cli, b, arm, &tasks[i], target)
		if err == nil && ctx.Err() == nil {
			results = append(results, r)
			fmt.Fprintln(p.stderr, progress(r, i+1, len(tasks)))
			if r.Err != nil {
				failed = fmt.Errorf("task %s: not measured to its end: %w", r.Task, r.Err)
			}
			err = c.keep(r)
		}
		if err != nil || ctx.Err() != nil {
			failed = errors.Join(failed, err)
			break
		}
	}
	if len(results) > 0 {
		report.Add(eval.Sum(arm, b.Len(), results), results)
	}
	return failed
}

func progress(r eval.Result, n, of int) string {
	done := "not done"
	if r.OK {
		done = "done"
	}
	return fmt.Sprintf("%s %s %d/%d %s: %s, %s, %s tokens", text.Count(r.Size, "action"), r.Arm, n, of, r.Task, done,
		text.Count(r.Turns, "turn"), text.Thousands(strconv.Itoa(r.Input+r.Output)))
}

// runTask runs one task with what answers: the model, the agent, or a cassette.
func (c tasksCommand) runTask(ctx context.Context, cli *commandLine, b *eval.Bench, arm eval.Arm, t *eval.Task,
	target llm.Target) (_ eval.Result, err error) {
	cassette := filepath.Join(strconv.Itoa(b.Len()), string(arm), t.Name+".jsonl")
	switch {
	case c.Replay != "":
		if target.Provider, err = replay.Play(filepath.Join(c.Replay, cassette)); err != nil {
			return eval.Result{}, err
		}
	case target.Provider == nil:
		agent := &scripted.Agent{}
		defer func() { err = errors.Join(err, agent.Close()) }()
		target.Provider = agent
	}
	if c.Record != "" {
		file := filepath.Join(c.Record, cassette)
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			return eval.Result{}, err
		}
		if err := os.Remove(file); err != nil && !errors.Is(err, os.ErrNotExist) {
			return eval.Result{}, err
		}
		recorder, err := replay.Record(target.Provider, file)
		if err != nil {
			return eval.Result{}, err
		}
		defer recorder.Close()
		target.Provider = recorder
	}
	return b.Run(ctx, t, arm, eval.Options{Target: target, Turns: c.Turns, Time: c.Time, Prefix: cli.Prefix})
}

// target is who does the tasks, and what to say of it. Without a Provider each task has one of its own.
func (c tasksCommand) target(cli *commandLine) (t llm.Target, note string, err error) {
	if !c.Scripted && c.Replay == "" {
		models, err := cli.models()
		if !errors.Is(err, errNoModel) && (err != nil || models.first.Provider != nil) {
			return models.first, "", err
		}
	}
	t = llm.Target{Model: scripted.Name, Window: cmp.Or(cli.ContextWindow, defaultWindow)}
	if c.Replay != "" {
		t.Model = "replay"
		return t, "Replayed from " + c.Replay + ".", nil
	}
	return t, "The scripted agent: fixed rules, no model. It compares tokens, turns and safety; what it gets done says nothing " +
		"of a model.", nil
}

// keep writes the transcript.
func (c tasksCommand) keep(r eval.Result) error {
	if c.Transcripts == "" {
		return nil
	}
	file := filepath.Join(c.Transcripts, strconv.Itoa(r.Size), string(r.Arm), r.Task+".md")
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return err
	}
	return os.WriteFile(file, []byte(r.Transcript), 0o600)
}
