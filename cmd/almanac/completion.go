// This file completes command lines for bash, zsh and fish. The shell scripts only pass the words on and show the
// answers, so that the commands are known in one place.

package main

import (
	"bufio"
	"embed"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"almanac/catalog/text"
	"almanac/catalog/web/login"
	"almanac/cmd/almanac/clients"
	"almanac/repl"
	"almanac/session/trace"
)

//go:embed completion/*
var completionScripts embed.FS

type completionCommand struct {
	Shell string `arg:"" enum:"bash,zsh,fish" help:"bash, zsh or fish."`
}

// Run prints the script for the shell.
func (c completionCommand) Run(p *program) error {
	text, err := completionScripts.ReadFile("completion/almanac." + c.Shell)
	if err != nil {
		return err
	}
	_, err = p.stdout.Write(text)
	return err
}

// completeWord is the hidden command that the shell scripts call.
const completeWord = "__complete"

// complete prints the completions of the last word, one per line: the word, a tab and its meaning. With none, the shell
// offers files.
func complete(words []string, p *program) error {
	cli := &commandLine{stderr: p.stderr, origins: map[string]bool{}}
	parser, err := newParser(cli, p, func(int) {})
	if err != nil {
		return err
	}
	cli.config, _ = readConfig(parser.Model) // for the data directory; errors are reported elsewhere
	out := bufio.NewWriter(p.stdout)
	for _, c := range (&completer{cli, parser.Model}).complete(words) {
		fmt.Fprintf(out, "%s\t%s\n", text.SanitizeLine(c.Text), text.SanitizeLine(c.Detail))
	}
	return out.Flush()
}

// settle applies the words before the last, and the configuration, to the command line. Errors are reported when the
// command runs.
func (cli *commandLine) settle(words []string) {
	quiet := &program{stdout: &output{w: io.Discard}, stderr: io.Discard}
	parser, err := newParser(cli, quiet, func(int) {})
	if err != nil || kong.Resolvers(cli.config).Apply(parser) != nil {
		return
	}
	_, _ = parser.Parse(words)
}

type completer struct {
	cli   *commandLine
	model *kong.Application
}

// complete returns the completions of the last word.
func (c *completer) complete(words []string) []repl.Completion {
	if len(words) == 0 {
		words = []string{""}
	}
	last := words[len(words)-1]
	before := slices.DeleteFunc(slices.Clone(words[:len(words)-1]), func(w string) bool { return w == "=" })
	if last == "=" { // bash splits at it
		last = ""
	}
	node, flag, given := c.walk(before)
	if flag != nil {
		c.cli.settle(before[:len(before)-1])
		return matching(c.values(flag.Value, flag.Name, last), last, "")
	}
	c.cli.settle(before)
	if name, value, ok := strings.Cut(last, "="); ok && strings.HasPrefix(name, "--") {
		if f := findFlag(c.flags(node), name); f != nil {
			return matching(c.values(f.Value, f.Name, value), value, name+"=")
		}
		return nil
	}
	if strings.HasPrefix(last, "-") {
		var items []repl.Completion
		for _, f := range c.flags(node) {
			if !f.Hidden {
				items = append(items, repl.Completion{
					Text: "--" + f.Name, Detail: strings.TrimSuffix(text.FirstSentence(f.Help), "."),
				})
			}
		}
		return matching(items, last, "")
	}
	var items []repl.Completion
	for _, child := range node.Children {
		if !child.Hidden && given == 0 {
			items = append(items, repl.Completion{
				Text: child.Name, Detail: strings.TrimSuffix(text.FirstSentence(child.Help), "."),
			})
		}
	}
	if args := c.positional(node); given < len(args) || len(args) > 0 && args[len(args)-1].IsCumulative() {
		items = append(items, c.values(args[min(given, len(args)-1)], node.Name, last)...)
	}
	return matching(items, last, "")
}

// walk follows the given words to a command, the number of its arguments, and a flag that still needs its value.
func (c *completer) walk(words []string) (node *kong.Node, waiting *kong.Flag, given int) {
	node = c.model.Node
	for _, w := range words {
		switch {
		case waiting != nil:
			waiting = nil
		case strings.HasPrefix(w, "-"):
			if f := findFlag(c.flags(node), w); f != nil && !f.IsBool() {
				waiting = f
			}
		default:
			i := slices.IndexFunc(node.Children, func(n *kong.Node) bool { return n.Name == w })
			if i < 0 {
				given++
				continue
			}
			node, given = node.Children[i], 0
		}
	}
	return node, waiting, given
}

// flags are those allowed after node: its own, its ancestors' and its default command's.
func (c *completer) flags(node *kong.Node) []*kong.Flag {
	var all []*kong.Flag
	for n := node; n != nil; n = n.Parent {
		all = append(all, n.Flags...)
	}
	if node.DefaultCmd != nil {
		all = append(all, node.DefaultCmd.Flags...)
	}
	return all
}

func (c *completer) positional(node *kong.Node) []*kong.Value {
	if len(node.Positional) == 0 && node.DefaultCmd != nil {
		return node.DefaultCmd.Positional
	}
	return node.Positional
}

func findFlag(flags []*kong.Flag, word string) *kong.Flag {
	for _, f := range flags {
		if word == "--"+f.Name || f.Short != 0 && word == "-"+string(f.Short) {
			return f
		}
	}
	return nil
}

// shownIDs is how many sessions are offered.
const shownIDs = 20

// values are the values of a flag or argument that begin with prefix; none if the shell should offer files.
func (c *completer) values(v *kong.Value, of, prefix string) []repl.Completion {
	var items []repl.Completion
	for _, word := range v.EnumSlice() {
		if v.Enum != "" && word != "" {
			items = append(items, repl.Completion{Text: word})
		}
	}
	switch of {
	case "resume", "show", "replay":
		if v.Name != "resume" && v.Name != "id" {
			break
		}
		sessions, _ := c.cli.archive().List(trace.Filter{})
		for _, s := range sessions[:min(len(sessions), shownIDs)] {
			items = append(items, repl.Completion{Text: s.ID, Detail: strings.TrimSpace(s.Name + " " + s.First)})
		}
	case "describe", "allow":
		items = append(items, c.cli.idWords(prefix, of == "allow")...)
	case "model", "models":
		for _, t := range c.cli.config.user.models {
			items = append(items, repl.Completion{Text: t.name, Detail: t.model})
		}
	case "login":
		ways, _ := c.cli.ways()
		for _, way := range ways {
			items = append(items, repl.Completion{Text: way.Name})
		}
	case "logout":
		for _, s := range login.NewStore(c.cli.loginsDir(), login.Keyring{}).List("") {
			items = append(items, repl.Completion{Text: s.Source})
		}
	case "role", "roles":
		for _, r := range c.cli.config.roles() {
			items = append(items, repl.Completion{Text: r.name, Detail: r.description()})
		}
	case "init":
		for _, client := range clients.All() {
			items = append(items, repl.Completion{Text: client.Name, Detail: client.Title})
		}
	case "catalog":
		for _, k := range kinds() {
			switch {
			case k.Alone:
				items = append(items, repl.Completion{Text: k.Prefix, Detail: k.About})
			case k.Prefix != "":
				items = append(items, repl.Completion{Text: k.Prefix + ":", Detail: k.About})
			}
		}
	}
	return items
}

func matching(items []repl.Completion, prefix, head string) []repl.Completion {
	var fit []repl.Completion
	for _, i := range items {
		if strings.HasPrefix(i.Text, prefix) {
			i.Text = head + i.Text
			fit = append(fit, i)
		}
	}
	return fit
}
