// This file writes the manual page from the model of the command line, as --help does.

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

// exitStatus explains the exit codes in the manual.
var exitStatus = []struct {
	code int
	text string
}{
	{exitOK, "Success."},
	{exitFailed, "A script or the model failed."},
	{exitUsage, "Invalid command line or unknown command."},
	{exitConfig, "Missing or invalid configuration or credentials."},
	{exitDenied, "An approval was required or denied."},
	{exitLimit, "A limit was reached."},
	{exitHungUp, "Ended by SIGHUP (terminal closed)."},
	{exitInterrupt, "Ended by SIGINT."},
	{exitTerminated, "Ended by SIGTERM."},
}

// manualPage is the page in man(7) macros.
func manualPage(app *kong.Application) string {
	var b strings.Builder
	fmt.Fprintf(&b, ".TH ALMANAC 1 \"\" \"almanac %s\"\n.SH NAME\nalmanac \\- one Lua session for you and a language model over a large catalog of actions\n", version)
	b.WriteString(".SH SYNOPSIS\n.B almanac\n[\\fIoptions\\fR] [\\fIcommand\\fR]\n.SH DESCRIPTION\n" +
		roff(app.Help) + "\n")
	b.WriteString(".PP\nThe environment variable of an option is ALMANAC_ and its name in capitals. " +
		"Precedence: flags, environment, the project's file, the user's file.\n")
	b.WriteString(".SH OPTIONS\n")
	for _, f := range app.Flags {
		manFlag(&b, f)
	}
	b.WriteString(".SH COMMANDS\n")
	manCommands(&b, app.Node)
	b.WriteString(".SH KEYS\nActions of the terminal and their keys; [keys] in the configuration changes them.\n")
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
The user's configuration; almanac config init creates it.
.TP
.I .almanac.toml
A project's configuration.
.TP
.I $XDG_DATA_HOME/almanac/sessions
Session logs.
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

// roff escapes text so that nothing in it is a request.
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
