package main

import (
	"context"
	"fmt"
	"io"
	"strings"

	"almanac/catalog"
	"almanac/catalog/eval"
	"almanac/catalog/manifest"
	"almanac/catalog/search"
)

type evalCommand struct {
	Discovery discoveryCommand `cmd:"" help:"Measure search on folders of actions.jsonl[.gz] and queries.jsonl[.gz]. --catalog searches another catalog."`
	Tasks     tasksCommand     `cmd:"" help:"Measure how a model does tasks: with the three tools, and with a tool for each action. Tokens, turns, success, mistakes, time."`
}

type discoveryCommand struct {
	Dirs    []string `arg:"" name:"dir" help:"Folders of requests with known answers."`
	JSON    bool     `help:"Print JSON."`
	History bool     `help:"Requests whose ids are the same up to the last colon are steps of one task: what answered the earlier ones counts as just used."`
	Answers bool     `help:"Also measure the answers as a model reads them: tokens, and the wanted actions that they name, with and without suppliers."`
	Misses  int      `placeholder:"N" help:"Show the N worst requests of each set and what outranked their answers."`
	Without []string `placeholder:"FEATURE" help:"Turn off ranking features (ablation): ${features}."`
}

// Run prints one line per set, and the average.
func (c discoveryCommand) Run(ctx context.Context, cli *commandLine, p *program) error {
	type result struct {
		eval.Score
		Misses  []eval.Miss    `json:"misses,omitempty"`
		Answers []eval.Answers `json:"answers,omitempty"`
	}
	var results []result
	var scores []eval.Score
	var view *catalog.View
	open := ""
	for _, dir := range c.Dirs {
		set, err := eval.OpenSet(dir)
		if err != nil {
			return misconfigured(err)
		}
		if c.History && set.Tasks() == 0 {
			fmt.Fprintf(cli.stderr, "%s: no request follows another of one task: --history changes nothing\n", dir)
		}
		files := cli.Catalog
		if len(files) == 0 {
			files = []string{set.Catalog}
		}
		if key := strings.Join(files, "\n"); view == nil || key != open {
			if view, err = c.view(ctx, cli, files); err != nil {
				return misconfigured(err)
			}
			open = key
		}
		score, misses, err := eval.Discovery(ctx, view, set, c.Misses)
		if err != nil {
			return err
		}
		one := result{Score: score, Misses: misses}
		if c.Answers {
			if one.Answers, err = eval.MeasureAnswers(ctx, view, set); err != nil {
				return err
			}
		}
		results, scores = append(results, one), append(scores, score)
		if !c.JSON {
			if len(results) == 1 {
				fmt.Fprintf(p.stdout, "%-18s %8s %8s %6s %6s %6s %6s %6s %6s %8s %8s\n",
					"set", "actions", "queries", "R@1", "R@5", "R@10", "R@20", "NDCG", "COMP", "p50 us", "p99 us")
			}
			printScore(p.stdout, score)
			printAnswers(p.stdout, one.Answers)
			printMisses(p.stdout, misses)
		}
	}
	macro := eval.Average(scores)
	if c.JSON {
		return p.printJSON(map[string]any{"sets": results, "macro": macro})
	}
	printScore(p.stdout, macro)
	return nil
}

// view opens files of actions as one catalog.
func (c discoveryCommand) view(ctx context.Context, cli *commandLine, files []string) (*catalog.View, error) {
	var entries []catalog.Entry
	for _, file := range files {
		read, report, err := manifest.ReadFile(ctx, file)
		if err != nil {
			return nil, err
		}
		cli.tell("skipped", report.Skipped)
		cli.tell("changed", report.Mended)
		entries = append(entries, read...)
	}
	o := catalog.Options{}
	for _, name := range c.Without {
		feature, err := search.ParseFeature(name)
		if err != nil {
			return nil, err
		}
		o.Without = append(o.Without, feature)
	}
	all, report := catalog.New(entries, o)
	cli.tell("skipped", report.Skipped)
	return all.View(), nil
}

func printScore(w io.Writer, s eval.Score) {
	number := func(n int) string {
		if n == 0 {
			return ""
		}
		return fmt.Sprint(n)
	}
	fmt.Fprintf(w, "%-18s %8s %8s %6.1f %6.1f %6.1f %6.1f %6.1f %6.1f %8.0f %8.0f",
		s.Set, number(s.Actions), number(s.Queries),
		100*s.Recall1, 100*s.Recall5, 100*s.Recall10, 100*s.Recall20, 100*s.NDCG10, 100*s.Complete10, s.P50, s.P99)
	if s.Unknown > 0 {
		fmt.Fprintf(w, "  %d gold ids are not in the catalog", s.Unknown)
	}
	fmt.Fprintln(w)
}

func printAnswers(w io.Writer, answers []eval.Answers) {
	for _, a := range answers {
		fmt.Fprintf(w, "  answers, %-22s %5.1f tokens (p95 %d), %4.1f actions, %4.2f suppliers; of the wanted %5.1f %% named, %5.1f %% complete",
			a.Way+":", a.Tokens, a.P95, a.Actions, a.Suppliers, 100*a.Recall, 100*a.Complete)
		if a.Found > 0 {
			fmt.Fprintf(w, "; %d of %d that hits alone lack", a.Found, a.Missing)
		}
		fmt.Fprintln(w)
	}
}

func printMisses(w io.Writer, misses []eval.Miss) {
	for _, m := range misses {
		fmt.Fprintf(w, "\n  %s: NDCG %.2f: %q\n    want %s\n    got  %s\n", m.Query.ID, m.NDCG, m.Query.Text,
			strings.Join(m.Query.Gold, ", "), strings.Join(m.Top, ", "))
		for _, why := range m.Why {
			fmt.Fprintf(w, "    %s\n", strings.ReplaceAll(why, "\n", "\n    "))
		}
	}
	if len(misses) > 0 {
		fmt.Fprintln(w)
	}
}
