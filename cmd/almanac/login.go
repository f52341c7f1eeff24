// This file is almanac login and almanac logout.

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"almanac/catalog/search/spelling"
	"almanac/catalog/source"
	"almanac/catalog/subprocess"
	"almanac/catalog/text"
	"almanac/catalog/web"
	"almanac/catalog/web/login"
)

// loginsDir is the folder of the logins.
func (cli *commandLine) loginsDir() string { return filepath.Join(cli.dataDir(), "logins") }

// newLogins are the logins of this machine.
func (cli *commandLine) newLogins() *login.Store {
	s := login.NewStore(cli.loginsDir(), web.LoginKeyring())
	cli.credentials.keep(s)
	return s
}

type loginCommand struct {
	Name    string   `arg:"" optional:"" help:"The source, as NAME= calls it. Without one the logins are listed."`
	Device  bool     `help:"Log in by a code that is typed in a browser on any machine."`
	Scope   []string `placeholder:"SCOPE" help:"What to ask for, in place of what the server wants. Repeatable."`
	Browser bool     `default:"true" negatable:"" help:"Open the address in a browser."`
	Status  bool     `help:"Only say whether there is a login, and until when."`
}

// loginTime bounds how long a person has.
const loginTime = 10 * time.Minute

// Run logs in to the server of a source.
func (c loginCommand) Run(ctx context.Context, cli *commandLine, p *program) error {
	if c.Name == "" || c.Status {
		return c.status(cli, p)
	}
	way, err := cli.loginWay(c.Name)
	if err != nil {
		return misconfigured(err)
	}
	target, err := way.Target(ctx)
	if err != nil {
		return misconfigured(fmt.Errorf("%s: %w", c.Name, err))
	}
	o := login.Options{Device: c.Device, Scopes: c.Scope, Show: func(address, code string) {
		fmt.Fprintf(p.stderr, "Log in to %s at\n\n  %s\n\n", c.Name, text.SanitizeLine(address))
		if code != "" {
			fmt.Fprintf(p.stderr, "with the code  %s\n\n", text.LineBytes(code, 40))
		}
		fmt.Fprintln(p.stderr, "Waiting for the browser; Ctrl+C ends it.")
	}}
	if t := cli.config.source(c.Name); t != nil {
		o.Client = t.client()
	}
	if c.Browser {
		o.Open = browse
	}
	ctx, cancel := context.WithTimeoutCause(ctx, loginTime, errors.New("nobody logged in within "+text.Span(loginTime)))
	defer cancel()
	got, err := cli.logins.Login(ctx, c.Name, target, o)
	if err != nil {
		return err
	}
	fmt.Fprintf(p.stdout, "%s: logged in at %s\n", c.Name, text.SanitizeLine(got.Issuer))
	if len(got.Scopes) > 0 {
		fmt.Fprintf(p.stdout, "  it may      %s\n", text.LineBytes(strings.Join(got.Scopes, " "), 400))
	}
	fmt.Fprintf(p.stdout, "  sent to     %s\n", strings.Join(got.Origins, ", "))
	for _, s := range cli.logins.List(c.Name) {
		if cli.logins.File(s.Login) == cli.logins.File(got) {
			fmt.Fprintf(p.stdout, "  it holds    %s\n", heldFor(s, time.Now()))
		}
	}
	if got.InKeyring {
		fmt.Fprintln(p.stdout, "  kept in     the system keyring")
	} else {
		fmt.Fprintf(p.stdout, "  kept in     %s\n              a file that you alone can read (mode 600): "+
			"there is no system keyring, or it does not take the tokens\n", cli.logins.File(got))
	}
	return nil
}

// status lists logins. It fails if one has ended, or if the source has none.
func (c loginCommand) status(cli *commandLine, p *program) error {
	all := cli.logins.List(c.Name)
	if len(all) == 0 {
		if c.Name == "" {
			fmt.Fprintln(p.stdout, "no logins: almanac login NAME makes one")
			return nil
		}
		return &login.NeededError{Source: c.Name, Reason: "no login"}
	}
	wrong := false
	for _, s := range all {
		check := loginCheck(s, time.Now())
		wrong = wrong || check.State == checkFailed
		fmt.Fprintf(p.stdout, "%s: %s\n", strings.TrimPrefix(check.Name, "login "), text.SanitizeLine(check.Text))
		if check.Remedy != "" {
			fmt.Fprintf(p.stdout, "  %s\n", check.Remedy)
		}
	}
	if wrong {
		return &exitError{Code: exitFailed}
	}
	return nil
}

// heldFor says how long a login holds.
func heldFor(s login.Status, now time.Time) string {
	switch {
	case s.Renews && s.Expires.IsZero():
		return "until the server ends it"
	case s.Renews && now.After(s.Expires):
		return "and is renewed with the next call"
	case s.Renews:
		return "and renews itself, next in " + about(s.Expires.Sub(now))
	case s.Expires.IsZero():
		return "until the server ends it; it does not renew itself"
	}
	return "for " + about(s.Expires.Sub(now)) + "; it does not renew itself"
}

// about is a time as people say it: seconds only where there are few.
func about(d time.Duration) string {
	if d > 2*time.Minute {
		d = d.Round(time.Minute)
	}
	return text.Span(d.Round(time.Second))
}

// loginCheck is a login for the doctor.
func loginCheck(s login.Status, now time.Time) check {
	c := check{Name: "login " + s.Source, State: checkFailed, Remedy: "almanac login " + s.Source + " logs in again"}
	switch {
	case s.Err != nil:
		c.Text = s.Err.Error()
		var needed *login.NeededError
		if errors.As(s.Err, &needed) {
			c.Text = needed.Reason
		}
		return c
	case s.Ended != "":
		c.Text = "it has ended (" + s.Ended + ")"
	case !s.Renews && !s.Expires.IsZero() && now.After(s.Expires):
		c.Text = "it ended " + s.Expires.Local().Format("2006-01-02 15:04")
	default:
		c.State, c.Remedy = checkOK, ""
		c.Text = "it holds " + heldFor(s, now)
	}
	where := "in the system keyring"
	if !s.InKeyring {
		where = "in a file of mode 600"
	}
	c.Text = fmt.Sprintf("for %s, by %s: %s; kept %s", strings.Join(s.Origins, ", "), s.Issuer, c.Text, where)
	return c
}

// checkLogins looks at all logins.
func (cli *commandLine) checkLogins() (all []check) {
	for _, s := range cli.logins.List("") {
		c := loginCheck(s, time.Now())
		named := func(spec string) bool {
			name, _ := source.Split(spec)
			return name == s.Source
		}
		if c.State == checkFailed && cli.config.source(s.Source) == nil && !slices.ContainsFunc(cli.sourceNames(), named) {
			c.State, c.Remedy = checkNote, "almanac logout "+s.Source+" forgets it"
		}
		all = append(all, c)
	}
	return all
}

// ways are how one logs in to the sources.
func (cli *commandLine) ways() ([]*login.Way, error) {
	sources, err := cli.sources()
	if err != nil {
		return nil, err
	}
	var all []*login.Way
	for _, s := range sources {
		if s.Login != nil {
			all = append(all, s.Login)
		}
	}
	return all, nil
}

// loginWay is how one logs in to a source.
func (cli *commandLine) loginWay(name string) (*login.Way, error) {
	all, err := cli.ways()
	if err != nil {
		return nil, err
	}
	var names []string
	for _, way := range all {
		if way.Name == name {
			return way, nil
		}
		names = append(names, way.Name)
	}
	hint := "name a source of the catalog that can have one: --catalog " + name + "=mcp+http:URL, or catalog in the " +
		"configuration"
	if near := spelling.Nearest(name, names); near != "" {
		hint = "did you mean " + near
	} else if len(names) > 0 {
		hint = "there " + text.Plural(len(names), "is ", "are ") + strings.Join(names, ", ")
	}
	return nil, fmt.Errorf("login %s: no such source that one can log in to: %s", name, hint)
}

type logoutCommand struct {
	Name string `arg:"" help:"The source, as NAME= calls it."`
}

// Run forgets the logins of a source.
func (c logoutCommand) Run(ctx context.Context, cli *commandLine, p *program) error {
	n, err := cli.logins.Logout(ctx, c.Name)
	if err != nil {
		return err
	}
	if n == 0 {
		return fmt.Errorf("logout %s: there is no login", c.Name)
	}
	fmt.Fprintf(p.stdout, "%s: logged out\n", c.Name)
	return nil
}

// browse opens an address in the browser of the environment, or of the system.
func browse(address string) error {
	words := strings.Fields(filepath.SplitList(os.Getenv("BROWSER") + string(filepath.ListSeparator))[0])
	if len(words) == 0 {
		switch runtime.GOOS {
		case "darwin":
			words = []string{"open"}
		case "windows":
			words = []string{"rundll32", "url.dll,FileProtocolHandler"}
		default:
			words = []string{"xdg-open"}
		}
	}
	if i := slices.Index(words, "%s"); i >= 0 {
		words[i] = address
	} else {
		words = append(words, address)
	}
	cmd := exec.Command(words[0], words[1:]...)
	subprocess.Apart(cmd) // Ctrl+C in the terminal is not for it
	if err := cmd.Start(); err != nil {
		return err
	}
	go func() { _ = cmd.Wait() }() // ends with the program that opens it
	return nil
}
