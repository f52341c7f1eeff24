// This file reads the rules of the policy: from --policy-file, the user's configuration, and a project's.

package main

import (
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"

	"github.com/BurntSushi/toml"

	"almanac/catalog"
	"almanac/catalog/search/spelling"
	"almanac/catalog/text"
	"almanac/session/policy"
)

// policyFileKey is the setting that names a file of rules. A project's adds to the user's and never replaces it.
const policyFileKey = "policy_file"

// rules are those of the user: of --policy-file, then of the configuration.
func (cli *commandLine) rules() ([]policy.Rule, error) {
	if cli.PolicyFile == "" {
		return cli.config.user.rules, nil
	}
	rules, err := readPolicyFile(cli.PolicyFile)
	return append(rules, cli.config.user.rules...), err
}

// namesOwn tells whether a rule names an operation of a source's own: what is no word of the catalog must not open
// what the rule closes, so that the session waits for the sources.
func (cli *commandLine) namesOwn() bool {
	rules, _ := cli.rules()
	return slices.ContainsFunc(slices.Concat(rules, cli.config.project.rules), policy.Rule.NamesOwn)
}

// tellIdleRules warns on standard error of rules that can match no call.
func (cli *commandLine) tellIdleRules(p policy.Policy, view *catalog.View) {
	warnings, _ := policy.Idle(slices.Concat(p.Rules, p.Tighter), view)
	for _, line := range warnings {
		fmt.Fprintln(cli.stderr, "warning: "+text.SanitizeLine(line))
	}
}

// readPolicyFile reads a file of rules. One without a rule is an error: somebody relies on it.
func readPolicyFile(path string) ([]policy.Rule, error) {
	content, err := readRegular(path)
	if err != nil {
		return nil, fmt.Errorf("policy file: %w", err)
	}
	fail := func(err error) ([]policy.Rule, error) { return nil, fmt.Errorf("policy file %s: %w", path, err) }
	var tree map[string]any
	if _, err := toml.Decode(string(content), &tree); err != nil {
		var bad toml.ParseError
		if errors.As(err, &bad) {
			return fail(fmt.Errorf("line %d: %s", bad.Position.Line, bad.Message))
		}
		return fail(err)
	}
	tables := []string{"policy", "permissions"}
	lines := keyLines(string(content))
	for _, key := range slices.Sorted(maps.Keys(tree)) {
		if !slices.Contains(tables, key) {
			hint := ""
			if near := spelling.Nearest(key, tables); near != "" {
				hint = ": did you mean " + near + "?"
			}
			return fail(&policy.RuleError{Line: lines[key], Key: key,
				Message: "unknown key" + hint + "; want [[policy.rule]] and [permissions.ACTOR] tables"})
		}
	}
	section, isTable := tree["policy"].(map[string]any)
	if !isTable && tree["policy"] != nil || section["mode"] != nil {
		return fail(errors.New("policy: want [[policy.rule]] tables alone: the mode is policy = \"ask\" in the " +
			"configuration, or --policy ask"))
	}
	f := configFile{path: path, text: content}
	if err := f.takeRules(tree); err != nil {
		return fail(err)
	}
	if len(f.rules) == 0 {
		return fail(errors.New("no rules in it: want [[policy.rule]] or [permissions.ACTOR] tables"))
	}
	return f.rules, nil
}

// takeRules reads the tables of rules. Beside them [policy] may have the mode, as policy = "ask" cannot stand there.
func (f *configFile) takeRules(tree map[string]any) *keyError {
	section, _ := tree["policy"].(map[string]any)
	for _, key := range slices.Sorted(maps.Keys(section)) {
		if key != "rule" && key != "mode" {
			return &keyError{Line: keyLines(string(f.text))["policy."+key], Key: "policy." + key,
				Message: "unknown key; want mode, and rules as [[policy.rule]] tables"}
		}
	}
	rules, err := policy.ReadRules(section["rule"], tree["permissions"], string(f.text), filepath.Base(f.path))
	var bad *policy.RuleError
	if errors.As(err, &bad) {
		return &keyError{Line: bad.Line, Key: bad.Key, Message: bad.Message}
	}
	f.rules = rules
	return nil
}
