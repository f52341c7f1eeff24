// This file is almanac config: every value and where it comes from, the template file, and approval of a project's
// file.

package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/alecthomas/kong"

	"almanac/catalog/secret"
	"almanac/catalog/text"
	"almanac/repl/show"
	"almanac/ui"
)

type configCommand struct {
	Show    configShow    `cmd:"" default:"1" help:"Show every value and where it comes from (default)."`
	Init    configInit    `cmd:"" help:"Create a file with every key and its default, commented out. An existing file is kept."`
	Approve configApprove `cmd:"" help:"Approve the project's file in its current form."`
	Path    configPath    `cmd:"" help:"Print the path of the user's file."`
}

type (
	configShow    struct{}
	configInit    struct{}
	configApprove struct{}
	configPath    struct{}
)

// A configured is one row of almanac config.
type configured struct {
	Key   string `json:"key"`
	Value string `json:"value"`
	From  string `json:"from"`
}

// shownValues are the values of a setting without the secrets that may be in addresses and commands.
func shownValues(key string, values ...string) string {
	var all []string
	for _, value := range values {
		if key == "catalog" {
			value = kinds().Shown(value)
		} else {
			value, _ = secret.Address(value)
		}
		all = append(all, value)
	}
	return strings.Join(all, ", ")
}

// shownValue is the value of a setting as a file or the environment has it, without secrets.
func (s setting) shownValue(v configValue) string {
	switch {
	case v.many:
		return shownValues(s.key, v.list...)
	case s.flag.IsSlice():
		return shownValues(s.key, kong.SplitEscaped(v.text, s.flag.Tag.Sep)...)
	}
	return shownValues(s.key, v.text)
}

// configured lists every value and where it comes from, without secrets.
func (cli *commandLine) configured() []configured {
	var rows []configured
	for _, s := range cli.config.settings {
		row := configured{s.key, s.flag.Default, "default"}
		if s.flag.IsBool() {
			row.Value = cmp.Or(s.flag.Default, "false")
		}
		if v, origin, found := cli.config.from(s); found {
			row.Value, row.From = s.shownValue(v), origin
		}
		if cli.origins[s.flag.Name] {
			list, many := s.flag.Target.Interface().([]string)
			if !many {
				list = []string{fmt.Sprint(s.flag.Target.Interface())}
			}
			row.Value, row.From = shownValues(s.key, list...), "--"+s.flag.Name
		}
		rows = append(rows, row)
	}
	bindings := cli.config.bindings()
	for _, action := range slices.Sorted(maps.Keys(bindings)) {
		from := cli.config.user.path
		if _, own := cli.config.project.keys[action]; own {
			from = cli.config.project.path
		}
		rows = append(rows, configured{"keys." + action, strings.Join(bindings[action], ", "), from})
	}
	for _, f := range []configFile{cli.config.user, cli.config.project} {
		for _, rule := range f.rules {
			rows = append(rows, configured{"rules", rule.Words(), rule.Place})
		}
	}
	rows = append(rows, slices.Concat(cli.config.user.roleRows(), cli.config.project.roleRows())...)
	rows = append(rows, slices.Concat(cli.config.user.sourceRows(), cli.config.project.sourceRows())...)
	for _, g := range cli.config.user.grants {
		rows = append(rows, configured{"grants", g.String(), g.By})
	}
	rows = append(rows, cli.config.user.modelRows()...)
	looks := cli.config.looks()
	for _, role := range slices.Sorted(maps.Keys(looks)) {
		f := cli.config.user
		if _, own := cli.config.project.looks[role]; own {
			f = cli.config.project
		}
		rows = append(rows, configured{"theme." + role, looks[role], at(f, f.looks[role])})
	}
	return rows
}

// configText is the configuration as a table.
func (cli *commandLine) configText() string {
	rows := [][]string{}
	for _, c := range cli.configured() {
		rows = append(rows, []string{c.Key, strconv.Quote(c.Value), c.From})
	}
	text := show.Columns(rows)
	if len(cli.config.unapproved) > 0 {
		text += fmt.Sprintf("\n%s: ignored until you approve them (almanac config approve):\n%s",
			cli.config.project.path, strings.TrimRight(cli.config.wants(shownValues), "\n"))
	}
	return text
}

// Run prints the configuration.
func (configShow) Run(cli *commandLine, p *program) error {
	if cli.Output != "text" {
		return p.printJSON(cli.configured())
	}
	_, err := fmt.Fprintln(p.stdout, text.Sanitize(cli.configText()))
	return err
}

// Run prints the path of the user's file.
func (configPath) Run(p *program) error {
	_, err := fmt.Fprintln(p.stdout, userConfigPath())
	return err
}

// Run approves the project's file.
func (configApprove) Run(cli *commandLine, p *program) error {
	c := cli.config
	approvedNotes, err := cli.approveNotes(p)
	switch {
	case err != nil:
		return misconfigured(err)
	case c.project.path == "" && approvedNotes:
		return nil
	case c.project.path == "":
		return usage("no %s found", projectConfig)
	}
	if len(c.unapproved) == 0 {
		if !approvedNotes {
			fmt.Fprintf(p.stderr, "%s: nothing to approve\n", c.project.path)
		}
		return nil
	}
	wants := c.wants(nil)
	if err := c.approve(); err != nil {
		return misconfigured(err)
	}
	_, err = fmt.Fprintf(p.stdout, "%s: approved:\n%s", c.project.path, wants)
	return err
}

// Run creates the user's file.
func (configInit) Run(cli *commandLine, p *program) error {
	path, err := cli.initConfig()
	if err != nil {
		return misconfigured(err)
	}
	_, err = fmt.Fprintln(p.stdout, path)
	return err
}

// initConfig creates the user's file with all keys commented out and returns its path. An existing file is kept.
func (cli *commandLine) initConfig() (path string, err error) {
	path = userConfigPath()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return path, fmt.Errorf("configuration: %w", err)
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if errors.Is(err, os.ErrExist) {
		return path, fmt.Errorf("%s: file exists; not changed", path)
	}
	if err != nil {
		return path, fmt.Errorf("configuration: %w", err)
	}
	_, err = io.WriteString(f, cli.config.template())
	if err = errors.Join(err, f.Close()); err != nil {
		return path, fmt.Errorf("configuration: %w", errors.Join(err, os.Remove(path)))
	}
	return path, nil
}

// template is a file with every key and its default, commented out.
func (c *config) template() string {
	var b strings.Builder
	b.WriteString(`# Almanac configuration. Precedence: flags, environment (ALMANAC_MODEL and so on), a project's .almanac.toml, this file.
# Keep credentials out of this file: set OPENAI_API_KEY in the environment.
`)
	table := ""
	byTable := func(a, b setting) int { return strings.Compare(tableOf(a.key), tableOf(b.key)) }
	for _, s := range slices.SortedStableFunc(slices.Values(c.settings), byTable) {
		if t := tableOf(s.key); t != table {
			table = t
			fmt.Fprintf(&b, "\n[%s]\n", table)
		}
		name := strings.TrimPrefix(s.key, table+".")
		fmt.Fprintf(&b, "\n# %s\n# %s = %s\n", strings.ReplaceAll(s.flag.Help, "\n", " "), name, tomlValue(s))
	}
	b.WriteString(modelsTemplate)
	b.WriteString(rolesTemplate)
	b.WriteString(bindingsTemplate())
	fmt.Fprintf(&b, `
# Style of each role: %s.
# A colour (red, bright-blue, #ff8700), attributes (bold, faint, italic, underline, reverse), both, or "plain".
[theme]
# keyword = "bold magenta"
`, strings.Join(ui.RoleNames(), ", "))
	return b.String()
}

func tableOf(key string) string {
	table, _, dotted := strings.Cut(key, ".")
	if !dotted {
		return ""
	}
	return table
}

func tomlValue(s setting) string {
	switch s.flag.Target.Interface().(type) {
	case bool:
		return cmp.Or(s.flag.Default, "false")
	case int:
		return cmp.Or(s.flag.Default, "0")
	case []string:
		return "[]"
	}
	return strconv.Quote(s.flag.Default)
}
