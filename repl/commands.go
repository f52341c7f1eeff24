package repl

// This file is the table of slash commands: lookup, help and suggestions. The commands are in the commands_ files.

import (
	"almanac/catalog/search/spelling"
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"almanac/catalog/text/cells"
	"almanac/repl/event"
	"almanac/repl/input"
)

// A command is one row of the table.
type command struct {
	// name is the canonical name without the slash; it may be two words: "lua reset".
	name    string
	aliases []string
	// args shows the arguments: "[CODE]".
	args  string
	brief string
	// action is what a key can be bound to that does the same; empty when there is none.
	action string
	// more is what /help NAME adds; may be empty.
	more string
	// group heads it in the list; commands of the group "more" share the last line.
	group string
	// numbered commands run scripts and are cells.
	numbered bool
	// numberedFor tells it of an argument, for a command of which only some uses run scripts; nil where numbered does.
	numberedFor func(sh *Shell, arg string) bool
	// aside commands only look, or decide what a run may do: they may run while another input does; see Shell.Aside.
	aside bool
	// where tells whether help lists it; nil lists it always.
	where func(sh *Shell) bool
	// lua picks the source out of an argument that holds some, so that Enter knows when it is complete; nil for
	// commands without.
	lua func(arg string) (source string, ok bool)
	// words are what an argument may be completed to, by what the argument is; nil for nothing.
	words func(sh *Shell, arg string) []Completion
	// run does it. A UsageError is answered with the usage.
	run func(ctx context.Context, sh *Shell, c *event.Cell, arg string) error
}

func (c command) usage() string {
	if c.args == "" {
		return "/" + c.name
	}
	return "/" + c.name + " " + c.args
}

// do runs the command. What follows one that takes nothing is a mistake rather than nothing.
func (c command) do(ctx context.Context, sh *Shell, cell *event.Cell, arg string) error {
	if c.args == "" && arg != "" {
		return &UsageError{usage: "/" + c.name, message: fmt.Sprintf("/%s takes no argument, got %s", c.name, quoteWord(arg))}
	}
	return c.run(ctx, sh, cell, arg)
}

// A UsageError reports an invalid command or argument.
type UsageError struct {
	usage, message string
}

func (e *UsageError) Error() string {
	switch {
	case e.usage == "":
		return e.message
	case e.message == "":
		return "usage: " + e.usage
	}
	return e.message + "\nusage: " + e.usage
}

// The groups, in the order they are listed.
const (
	groupLua     = "Lua"
	groupCatalog = "Catalog"
	groupLook    = "Look"
	groupModel   = "Model and policy"
	groupMore    = "More"
)

func allCommands() []command {
	all := slices.Concat(luaCommands(), planCommands(), undoCommands(), catalogCommands(), lookCommands(),
		effectCommands(), directiveCommands(), modelCommands(), roleCommands(), teamCommands(), sessionCommands(),
		shellCommands())
	slices.SortStableFunc(all, func(a, b command) int { return groupRank(a) - groupRank(b) })
	return all
}

// groupRank puts what every screen can spare last.
func groupRank(c command) int {
	if c.group == groupMore {
		return 1
	}
	return 0
}

// command finds the command that an input names, by its longest name, and its argument.
func (sh *Shell) command(in input.Input) (command, string, bool) {
	first, rest := input.CutWord(in.Text)
	if c, ok := sh.named(in.Name + " " + first); ok && first != "" {
		return c, rest, true
	}
	c, ok := sh.named(in.Name)
	return c, in.Text, ok
}

func (sh *Shell) named(name string) (command, bool) {
	for _, c := range sh.commands {
		if c.name == name || slices.Contains(c.aliases, name) {
			return c, true
		}
	}
	return command{}, false
}

// brief is what a command does, with the key that does the same where one is bound.
func (sh *Shell) brief(c command) string {
	sh.mu.Lock()
	keys := sh.keys
	sh.mu.Unlock()
	if keys == nil || c.action == "" {
		return c.brief
	}
	if key := keys(c.action); key != "" {
		return c.brief + " (" + key + ")"
	}
	return c.brief
}

// SetKeys tells the shell which key does an action of the screen, as a person reads it: "F4"; empty when none does.
// keys must be safe for concurrent use. Without it help names no keys.
func (sh *Shell) SetKeys(keys func(action string) string) {
	sh.mu.Lock()
	defer sh.mu.Unlock()
	sh.keys = keys
}

// SetKeyHelp gives the shell the keys of the screen, for /help keys. Without them the screen has none.
func (sh *Shell) SetKeyHelp(lines []HelpLine) {
	sh.mu.Lock()
	defer sh.mu.Unlock()
	sh.keyHelp = lines
}

// keysText is what /help keys prints.
func (sh *Shell) keysText() string {
	sh.mu.Lock()
	lines := sh.keyHelp
	sh.mu.Unlock()
	if len(lines) == 0 {
		return "no keys in line mode: use commands; Ctrl+C stops the run"
	}
	var b strings.Builder
	for _, l := range lines {
		fmt.Fprintf(&b, "%-24s %s\n", l.Usage, l.Text)
	}
	return b.String() + "to change them, edit [keys] in the configuration; /config init lists all"
}

// A HelpLine is one row of help.
type HelpLine struct {
	Group, Usage, Text string
}

// Help lists the prefixes and commands whose usage, group or text contains all words of filter, whatever their case;
// an empty filter lists all.
func (sh *Shell) Help(filter string) []HelpLine {
	rows := []HelpLine{
		{"Input", "CODE", "run Lua; the value is shown and kept in _ and _n"},
		{"Input", "?WORDS", "ask the model; in ask mode just WORDS"},
		{"Input", "!CODE", "run Lua from ask mode"},
		{"Input", "NAME? NAME??", "describe an action or a global; ?? in full"},
	}
	if sh.Mode() == input.AskMode {
		rows = []HelpLine{
			{"Input", "WORDS", "ask the model"},
			{"Input", "!CODE", "run Lua; the value is shown and kept in _ and _n"},
			{"Input", "ID? ID??", "describe an action; ?? in full"},
		}
	}
	for _, c := range sh.commands {
		if c.where != nil && filter == "" && !c.where(sh) {
			continue
		}
		rows = append(rows, HelpLine{c.group, c.usage(), sh.brief(c)})
	}
	want := strings.Fields(strings.ToLower(filter))
	return slices.DeleteFunc(rows, func(l HelpLine) bool {
		text := strings.ToLower(l.Group + " " + l.Usage + " " + l.Text)
		return slices.ContainsFunc(want, func(w string) bool { return !strings.Contains(text, w) })
	})
}

// commandName is the one or two words of a usage before its arguments.
var commandName = regexp.MustCompile(`^/[a-z]+( [a-z]+)?`)

// helpText is Help as it is printed. Without a filter it has to fit a small screen, so the group "more" becomes one
// paragraph of names.
func (sh *Shell) helpText(filter string) string {
	lines := sh.Help(filter)
	var b strings.Builder
	var more []string
	for _, l := range lines {
		if filter == "" && l.Group == groupMore {
			name := commandName.FindString(l.Usage)
			first, _, longer := strings.Cut(strings.TrimPrefix(name, "/"), " ")
			if _, known := sh.named(first); name != "/help" && (!longer || !known) { // else /help of the first word tells of it
				more = append(more, name)
			}
			continue
		}
		fmt.Fprintf(&b, "%-30s %s\n", l.Usage, l.Text)
	}
	if len(more) > 0 {
		b.WriteString(fill("also:", append(more, "/help NAME")))
	}
	return strings.TrimRight(b.String(), "\n")
}

func help(_ context.Context, sh *Shell, _ *event.Cell, arg string) error {
	name := strings.TrimPrefix(strings.Join(strings.Fields(arg), " "), "/")
	if c, ok := sh.named(name); ok && name != "" {
		text := fmt.Sprintf("%s\n  %s", c.usage(), sh.brief(c))
		if c.more != "" {
			text += "\n" + indent(c.more, "  ")
		}
		if len(c.aliases) > 0 {
			text += "\n  also: /" + strings.Join(c.aliases, ", /")
		}
		sh.say(event.Plain, "%s", text)
		return nil
	}
	if name == "keys" || name == "key" {
		sh.say(event.Plain, "%s", sh.keysText())
		return nil
	}
	text := sh.helpText(name)
	if text == "" {
		return fmt.Errorf("help %q: nothing found%s", name, sh.meant(name))
	}
	sh.say(event.Plain, "%s", text)
	return nil
}

// unknownCommand answers with the nearest command.
func (sh *Shell) unknownCommand(in input.Input) error {
	name := in.Name
	for _, c := range sh.commands {
		if strings.HasPrefix(c.name, name+" ") {
			first, _ := input.CutWord(in.Text)
			return &UsageError{usage: sh.family(name), message: strings.TrimSpace("/" + name + ": unknown " + quoteWord(first))}
		}
	}
	return &UsageError{message: fmt.Sprintf("unknown command /%s%s", name, sh.meant(name))}
}

func quoteWord(w string) string {
	if w == "" {
		return "word"
	}
	return fmt.Sprintf("%q", w)
}

// family lists the commands whose first word is name.
func (sh *Shell) family(name string) string {
	var all []string
	for _, c := range sh.commands {
		if strings.HasPrefix(c.name, name+" ") {
			all = append(all, c.usage())
		}
	}
	return strings.Join(all, " | ")
}

// meant names the command nearest to name, or says where to look.
func (sh *Shell) meant(name string) string {
	var names []string
	of := map[string]string{}
	for _, c := range sh.commands {
		for _, n := range append([]string{c.name, strings.ReplaceAll(c.name, " ", "")}, c.aliases...) {
			names, of[n] = append(names, n), c.name
		}
	}
	for _, n := range names {
		if len(name) > 1 && strings.HasPrefix(n, name) {
			return ": did you mean /" + of[n] + "?"
		}
	}
	if near := spelling.Nearest(name, names); near != "" {
		return ": did you mean /" + of[near] + "?"
	}
	return ": /help lists them"
}

// fill puts words on lines that fit a small screen.
func fill(line string, words []string) string {
	const width = 78
	var b strings.Builder
	for _, w := range words {
		if cells.Width(line)+1+cells.Width(w) > width {
			b.WriteString(line + "\n")
			line = " "
		}
		line += " " + w
	}
	b.WriteString(line)
	return b.String()
}

// indent puts prefix before every line of s.
func indent(s, prefix string) string {
	return prefix + strings.ReplaceAll(s, "\n", "\n"+prefix)
}

// wholeLua takes a command's whole argument for source.
func wholeLua(arg string) (string, bool) { return arg, true }
