// This file writes the manual page from the same source as --help: the model of the command line.

package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/alecthomas/kong"

	"almanac/ui"
)

type manCommand struct{}

// Run prints the page.
func (manCommand) Run(app *kong.Kong, p *program) error {
	_, err := io.WriteString(p.stdout, manualPage(app.Model))
	return err
}

// exitStatus is what the exit codes mean, in the words of the manual.
var exitStatus = []struct {
	code int
	text string
}{
	{exitOK, "It went well."},
	{exitFailed, "The script or the model failed."},
	{exitUsage, "The command line is wrong, or a command is unknown."},
	{exitConfig, "Configuration or credentials are missing or wrong."},
	{exitDenied, "An approval was needed, or was denied."},
	{exitLimit, "A limit was hit."},
	{exitHungUp, "Ended by SIGHUP: the terminal is gone."},
	{exitInterrupt, "Ended by SIGINT."},
	{exitTerminated, "Ended by SIGTERM."},
}

// manualPage is the page in the macros of man(7).
func manualPage(app *kong.Application) string {
	var b strings.Builder
	fmt.Fprintf(&b, ".TH ALMANAC 1 \"\" \"almanac %s\"\n.SH NAME\nalmanac \\- one Lua session for you and a language model over a large catalog of actions\n", version)
	b.WriteString(".SH SYNOPSIS\n.B almanac\n[\\fIoptions\\fR] [\\fIcommand\\fR]\n.SH DESCRIPTION\n" + roff(app.Help) + "\n")
	b.WriteString(".PP\nThe environment has an option as ALMANAC_ and its name in capitals. A flag counts before the environment, that before the file of a project, that before the user's.\n")
	b.WriteString(".SH OPTIONS\n")
	for _, f := range app.Flags {
		manFlag(&b, f)
	}
	b.WriteString(".SH COMMANDS\n")
	manCommands(&b, app.Node)
	b.WriteString(".SH KEYS\nThe actions of the terminal and their keys; [keys] in the configuration binds others.\n")
	for _, k := range ui.Bindings() {
		fmt.Fprintf(&b, ".TP\n\\fB%s\\fR  %s\n%s\n", roff(k.Action), roff(strings.Join(bindingKeys(k), ", ")), roff(k.Does))
	}
	b.WriteString(".SH EXIT STATUS\n")
	for _, e := range exitStatus {
		fmt.Fprintf(&b, ".TP\n.B %d\n%s\n", e.code, roff(e.text))
	}
	b.WriteString(`.SH FILES
.TP
.I $XDG_CONFIG_HOME/almanac/config.toml
The user's configuration; almanac config init writes one.
.TP
.I .almanac.toml
The configuration of a project.
.TP
.I $XDG_DATA_HOME/almanac/sessions
The logs of all sessions.
`)
	return b.String()
}

func manCommands(b *strings.Builder, node *kong.Node) {
	for _, c := range node.Children {
		if c.Hidden {
			continue
		}
		fmt.Fprintf(b, ".SS %s\n%s\n", roff(strings.TrimPrefix(c.Path(), "almanac ")+argsOf(c)), roff(c.Help))
		for _, a := range c.Positional {
			fmt.Fprintf(b, ".TP\n.I %s\n%s\n", roff(strings.ToUpper(a.Name)), roff(a.Help))
		}
		for _, f := range c.Flags {
			manFlag(b, f)
		}
		manCommands(b, c)
	}
}

func argsOf(c *kong.Node) string {
	text := ""
	for _, a := range c.Positional {
		name := strings.ToUpper(a.Name)
		if a.IsSlice() {
			name += "..."
		}
		if !a.Required {
			name = "[" + name + "]"
		}
		text += " " + name
	}
	return text
}

func manFlag(b *strings.Builder, f *kong.Flag) {
	if f.Hidden {
		return
	}
	name := "\\fB\\-\\-" + roff(f.Name) + "\\fR"
	if f.Short != 0 {
		name = "\\fB\\-" + string(f.Short) + "\\fR, " + name
	}
	if !f.IsBool() {
		value := f.PlaceHolder
		if value == "" {
			value = strings.ToUpper(f.Name)
		}
		name += "=\\fI" + roff(value) + "\\fR"
	}
	fmt.Fprintf(b, ".TP\n%s\n%s", name, roff(f.Help))
	if f.Default != "" {
		fmt.Fprintf(b, " Default: %s.", roff(f.Default))
	}
	b.WriteString("\n")
}

// roff is text as a page may hold it: nothing in it is a request.
func roff(text string) string {
	text = strings.ReplaceAll(strings.TrimSpace(text), `\`, `\e`)
	lines := strings.Split(strings.ReplaceAll(text, "-", `\-`), "\n")
	for i, line := range lines {
		if strings.HasPrefix(line, ".") || strings.HasPrefix(line, "'") {
			lines[i] = `\&` + line
		}
	}
	return strings.Join(lines, "\n")
}
