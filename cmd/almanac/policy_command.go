package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"almanac/catalog"
	"almanac/catalog/text"
	"almanac/repl"
	"almanac/session"
	"almanac/session/policy"
)

// A policyCommand looks at the policy; nothing is called.
type policyCommand struct {
	List  policyList  `cmd:"" default:"1" help:"List the rules in their order, and how many actions each is for (default)."`
	Check policyCheck `cmd:"" help:"Say what happens to a call, and which rule decides. Exit code: 0 allowed, 4 asked about or denied."`
}

type policyList struct{}

// A listedRule is one line of almanac policy list in JSON.
type listedRule struct {
	Rule    string `json:"rule"`
	Says    string `json:"says"`
	Reason  string `json:"reason,omitempty"`
	Project bool   `json:"project,omitempty"`
	Actions int    `json:"actions"`
	Warning string `json:"warning,omitempty"`
}

// Run lists the rules.
func (policyList) Run(ctx context.Context, cli *commandLine, p *program) error {
	format, err := cli.format("json")
	if err != nil {
		return err
	}
	rules, err := cli.rules()
	if err != nil {
		return misconfigured(err)
	}
	view, done, err := cli.viewOnly(ctx)
	if err != nil {
		return err
	}
	defer done()
	all := make([]listedRule, 0, len(rules))
	var said strings.Builder
	for i, rule := range append(rules, cli.config.project.rules...) {
		n, warning := rule.Reach(view)
		all = append(all, listedRule{
			Rule: rule.String(), Says: rule.Words(), Reason: rule.Reason, Project: i >= len(rules), Actions: n, Warning: warning,
		})
		if i == len(rules) {
			said.WriteString("of the project, which only make it stricter:\n")
		}
		fmt.Fprintf(&said, "%s\n     %s\n", repl.RuleText(rule), warningOr(warning, text.Count(n, "action")))
	}
	if format == "json" {
		return p.printJSON(all)
	}
	if len(all) == 0 {
		said.WriteString("no rules: see docs/configuration.md\n")
	}
	_, err = fmt.Fprint(p.stdout, said.String())
	return err
}

func warningOr(warning, otherwise string) string {
	if warning != "" {
		return "warning: " + warning
	}
	return otherwise
}

type policyCheck struct {
	ID     string   `arg:"" help:"Action id."`
	Args   []string `arg:"" optional:"" help:"Its arguments: one JSON object, or NAME=VALUE for each."`
	Actor  string   `placeholder:"NAME" help:"Who calls, where the view does not say."`
	Tenant string   `placeholder:"NAME" help:"For whom, where the view does not say."`
}

// A checkedCall is what almanac policy check prints in JSON.
type checkedCall struct {
	ID      string         `json:"id"`
	Args    map[string]any `json:"args"`
	Verdict policy.Verdict `json:"verdict"`
	Rule    string         `json:"rule"`
	Reason  string         `json:"reason,omitempty"`
	Note    string         `json:"note,omitempty"`
}

// Run says what the policy decides about a call.
func (c policyCheck) Run(ctx context.Context, cli *commandLine, p *program) error {
	format, err := cli.format("json")
	if err != nil {
		return err
	}
	given, texts, err := readArgs(c.Args)
	if err != nil {
		return usage("%v", err)
	}
	view, done, err := cli.viewOnly(ctx)
	if err != nil {
		return err
	}
	defer done()
	if view, err = view.Narrow(catalog.Rules{Actor: c.Actor, Tenant: c.Tenant}); err != nil {
		return usage("%v", err)
	}
	decided, err := cli.policy(policy.Ask, view, false)
	if err != nil {
		return err
	}
	entry, err := view.Resolve(c.ID)
	if err != nil {
		if seen := view.Why(c.ID); seen.State == "hidden" {
			return fmt.Errorf("%s: hidden by %s", c.ID, seen.Rule)
		}
		return err
	}
	args, err := fitted(entry.Input, given, texts)
	if err != nil {
		return usage("%s: %v", entry.ID, err)
	}
	host := cli.hostContext()
	host.Actor, host.Tenant = cmp.Or(view.Actor(), host.Actor), view.Tenant()
	d := decided.Settle(view).Decide(session.Requested(entry, args, host))
	var note string
	if h := entry.Hooks; h != nil && len(h.Before)+len(h.Checked) > 0 {
		note = "before hooks are not run; they may change this"
	}
	if format == "json" {
		err = p.printJSON(checkedCall{entry.ID, args, d.Verdict, d.Rule, d.Why(), note})
	} else {
		said := fmt.Sprintf("%s: %s: %s", entry.ID, d.Verdict, d.Rule)
		for _, more := range []string{d.Why(), note} {
			if more != "" {
				said += "\n" + more
			}
		}
		_, err = fmt.Fprintln(p.stdout, text.Sanitize(said))
	}
	if err == nil && d.Verdict != policy.Allow {
		err = &exitError{Code: exitDenied}
	}
	return err
}

// readArgs reads arguments as a shell gives them: one JSON object, or NAME=VALUE for each, where a value that is not
// JSON is a text. The others have what they are as texts, too.
func readArgs(words []string) (args map[string]any, texts map[string]string, err error) {
	args, texts = map[string]any{}, map[string]string{}
	if len(words) == 1 && strings.HasPrefix(strings.TrimSpace(words[0]), "{") {
		if err := json.Unmarshal([]byte(words[0]), &args); err != nil {
			return nil, nil, fmt.Errorf("arguments: %w", err)
		}
		return args, nil, nil
	}
	for _, word := range words {
		name, value, found := strings.Cut(word, "=")
		if !found || name == "" {
			return nil, nil, errors.New("arguments: " + word + ": want NAME=VALUE for each, or one JSON object")
		}
		var v any
		if json.Unmarshal([]byte(value), &v) == nil {
			texts[name] = value
		} else {
			v = value
		}
		args[name] = v
	}
	return args, texts, nil
}

// fitted checks arguments; one that does not fit as JSON is taken as the text that it was.
func fitted(input *catalog.Schema, given map[string]any, texts map[string]string) (map[string]any, error) {
	for {
		args, err := input.Check(given)
		var wrong *catalog.ArgError
		if !errors.As(err, &wrong) {
			return args, err
		}
		name := wrong.Field
		if end := strings.IndexAny(name, ".["); end > 0 {
			name = name[:end]
		}
		value, ok := texts[name]
		if !ok {
			return nil, err
		}
		delete(texts, name)
		given[name] = value
	}
}
