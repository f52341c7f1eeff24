// This file is almanac init: almanac serve as a server of another program, and that program's servers behind it.

package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rogpeppe/go-internal/diff"

	"almanac/catalog/mcp"
	"almanac/catalog/text"
	"almanac/cmd/almanac/clients"
)

type initCommand struct {
	Client  string   `arg:"" placeholder:"CLIENT" help:"The program: claude, claude-desktop, cursor, codex, vscode or opencode."`
	Args    []string `arg:"" optional:"" passthrough:"" help:"Behind --: flags for almanac serve, such as --policy readonly."`
	Move    bool     `help:"Move the servers that are in the file behind almanac serve."`
	Keep    []string `placeholder:"NAME" help:"With --move, a server that stays. Repeatable."`
	Project bool     `help:"Change the project's file in this folder instead of your own."`
	Name    string   `default:"almanac" placeholder:"NAME" help:"What the program is to call the server."`
	Undo    bool     `help:"Take the server out again, and put back what --move has moved."`
	Yes     bool     `help:"Write without asking."`
}

// A moved is the file of servers that init has moved: what almanac serve reads, and how each was written.
type moved struct {
	Servers map[string]json.RawMessage `json:"mcpServers"`
	// From is the client's file, and Entries are its entries as they were written there.
	From    string            `json:"from"`
	Entries map[string]string `json:"entries"`
}

// Run shows the change and writes it once the person agrees.
func (c initCommand) Run(cli *commandLine, p *program) error {
	client, known := clients.Find(c.Client)
	if !known {
		var names []string
		for _, other := range clients.All() {
			names = append(names, other.Name)
		}
		return usage("%s: no client of that name: want %s", text.Sanitize(c.Client), strings.Join(names, ", "))
	}
	if err := c.placed(cli); err != nil {
		return err
	}
	e, err := c.open(client)
	if err != nil {
		return misconfigured(err)
	}
	if c.Undo {
		err = e.undo(c.Name)
	} else {
		err = e.connect(c, cli, p)
	}
	if err != nil {
		return misconfigured(fmt.Errorf("%s: not changed: %w", e.path, err))
	}
	return e.offer(c, p)
}

// placed fails for a flag that almanac serve has a use for and init has none: it would be lost, and a policy with it.
func (c initCommand) placed(cli *commandLine) error {
	if c.Name == "" {
		return usage("--name: want a name")
	}
	own := []string{"catalog", "move", "keep", "project", "name", "undo", "yes"}
	for _, flag := range slices.Sorted(maps.Keys(cli.origins)) {
		if !slices.Contains(own, flag) {
			return usage("--%s: init has no use for it; if it is for almanac serve, write it at the end, behind --", flag)
		}
	}
	return nil
}

// startable fails where the client could not start almanac with these arguments and speak to it.
func startable(args []string, p *program) error {
	quiet := *p
	quiet.stdout, quiet.stderr = &output{w: io.Discard, secrets: p.credentials.filter.Stream()}, io.Discard
	cli := &commandLine{}
	helped := false
	parser, err := newParser(cli, &quiet, func(int) { helped = true })
	if err != nil {
		return err
	}
	switch _, err := parser.Parse(args); {
	case helped:
		return errors.New("the client is to start almanac serve, which would print help only")
	case err != nil:
		return fmt.Errorf("almanac serve would not take these flags: %w", err)
	case cli.Serve.HTTP != "":
		return errors.New("--http: the client speaks to what it starts over standard input and output")
	}
	for _, text := range cli.Catalog {
		if err := kinds().Check(text); err != nil {
			return err
		}
	}
	return nil
}

// An initEdit is what becomes of a client's file and of the file of moved servers.
type initEdit struct {
	client  clients.Client
	project string
	// path is the client's file; before and after are its text.
	path          string
	before, after clients.File
	// store is the file of moved servers, and keeps what it is to hold.
	store string
	keeps moved
	notes []string
}

func (c initCommand) open(client clients.Client) (e *initEdit, err error) {
	e = &initEdit{client: client}
	if c.Project {
		if e.project, err = os.Getwd(); err != nil {
			return nil, err
		}
	}
	if e.path, err = client.Path(e.project); err != nil {
		return nil, err
	}
	if real, err := filepath.EvalSymlinks(e.path); err == nil {
		e.path = real
	}
	e.store = filepath.Join(filepath.Dir(userConfigPath()), "servers", client.Name+".json")
	if c.Project {
		e.store = filepath.Join(e.project, ".almanac-servers.json")
	}
	if e.before, err = client.Open(e.path); err != nil {
		return nil, err
	}
	e.after = e.before
	e.keeps = moved{Servers: map[string]json.RawMessage{}, Entries: map[string]string{}}
	content, err := readRegular(e.store)
	if err == nil {
		err = json.Unmarshal(content, &e.keeps)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s: %w", e.store, err)
	}
	e.keeps.From = e.path
	return e, nil
}

// connect puts almanac serve into the file.
func (e *initEdit) connect(c initCommand, cli *commandLine, p *program) error {
	if c.Move {
		if err := e.move(c); err != nil {
			return err
		}
	}
	if slices.Contains(e.after.Names(), c.Name) {
		if !e.own(c.Name) {
			return fmt.Errorf("a server of another program is called %s there: choose another --name", c.Name)
		}
		var err error
		if e.after, _, err = e.after.Without(c.Name); err != nil {
			return err
		}
	}
	command, err := os.Executable()
	if err != nil {
		return err
	}
	if c.Project {
		command = "almanac"
	}
	args := e.args(c, cli)
	if err := startable(args, p); err != nil {
		return err
	}
	e.after, err = e.after.With(c.Name, clients.Server{Command: command, Args: args})
	return err
}

// own reports whether the server called name is almanac serve.
func (e *initEdit) own(name string) bool {
	entry, err := e.before.Server(name)
	var s clients.Server // of almanac serve nothing needs translation
	if err != nil || json.Unmarshal(entry, &s) != nil || len(s.Args) == 0 || s.Args[0] != "serve" {
		return false
	}
	self, err := os.Executable()
	return err == nil && s.Command == self || strings.HasPrefix(filepath.Base(s.Command), "almanac")
}

// args are those of almanac serve: the catalogs of this command line, and those of the configuration where a catalog is
// named at all, since naming one takes their place; the moved servers; the rest as it was given.
func (e *initEdit) args(c initCommand, cli *commandLine) []string {
	args := []string{"serve"}
	catalogs := cli.Catalog
	if len(e.keeps.Servers) > 0 {
		file := e.store
		if c.Project {
			file = filepath.Base(file)
		}
		catalogs = append(slices.Clone(catalogs), "mcp:"+file)
	} else if !cli.origins["catalog"] {
		catalogs = nil
	}
	here, err := os.Getwd()
	if len(cli.Catalog)+len(e.keeps.Servers) == 0 {
		e.notes = append(e.notes, "no catalog is configured: the server has the demo's actions; name yours with --catalog, or --move")
	}
	for _, name := range catalogs {
		if err == nil && !c.Project {
			name = kinds().Beside(here, name)
		}
		args = append(args, "--catalog", name)
	}
	return append(args, slices.DeleteFunc(slices.Clone(c.Args), func(arg string) bool { return arg == "--" })...)
}

// move takes the servers out of the file that almanac can start.
func (e *initEdit) move(c initCommand) error {
	for _, name := range c.Keep {
		if !slices.Contains(e.before.Names(), name) {
			return fmt.Errorf("--keep %s: no such server: %s", name, strings.Join(e.before.Names(), ", "))
		}
	}
	for _, name := range e.before.Names() {
		if slices.Contains(c.Keep, name) || e.own(name) {
			continue
		}
		entry, err := e.before.Server(name)
		if err == nil {
			err = mcp.Movable(name, entry)
		}
		if _, there := e.keeps.Servers[name]; err == nil && there {
			err = fmt.Errorf("%s has a server of that name", e.store)
		}
		if err != nil {
			e.notes = append(e.notes, fmt.Sprintf("%s stays: %v", name, err))
			continue
		}
		var taken string
		if e.after, taken, err = e.after.Without(name); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		e.keeps.Servers[name], e.keeps.Entries[name] = entry, taken
		e.notes = append(e.notes, fmt.Sprintf("%s goes to %s", name, e.store))
	}
	if c.Project && len(e.keeps.Servers) > 0 {
		e.notes = append(e.notes, filepath.Base(e.store)+" may hold credentials: name it in .gitignore")
	}
	return nil
}

// undo takes almanac serve out and puts the moved servers back.
func (e *initEdit) undo(name string) (err error) {
	there := slices.Contains(e.after.Names(), name)
	if there && !e.own(name) {
		return fmt.Errorf("%s is a server of another program there", name)
	}
	if there {
		if e.after, _, err = e.after.Without(name); err != nil {
			return err
		}
	}
	for _, name := range slices.Sorted(maps.Keys(e.keeps.Entries)) {
		if slices.Contains(e.after.Names(), name) {
			e.notes = append(e.notes, fmt.Sprintf("%s stays in %s: the file has another server of that name", name, e.store))
			continue
		}
		if e.after, err = e.after.Again(name, e.keeps.Entries[name]); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		delete(e.keeps.Entries, name)
		delete(e.keeps.Servers, name)
		e.notes = append(e.notes, name+" is back")
	}
	return nil
}

// offer shows the change, asks, and writes.
func (e *initEdit) offer(c initCommand, p *program) error {
	if e.after.Text == e.before.Text {
		_, err := fmt.Fprintf(p.stdout, "%s: nothing to change\n", e.path)
		return err
	}
	shown := string(diff.Diff(e.path, []byte(e.before.Text), e.path, []byte(e.after.Text)))
	_, shown, _ = strings.Cut(shown, "\n")
	fmt.Fprint(p.stdout, text.Sanitize(e.after.Hide(e.before.Hide(shown))))
	for _, note := range e.notes {
		fmt.Fprintln(p.stdout, text.Sanitize(note))
	}
	switch {
	case c.Yes:
	case !typed(p.stdin):
		return usage("%s: not changed: there is no terminal to ask at; --yes writes it", e.path)
	case !p.agrees("Write it? [y/N] "):
		_, err := fmt.Fprintln(p.stdout, "not changed")
		return err
	}
	if err := e.write(c.Undo); err != nil {
		return misconfigured(err)
	}
	_, err := fmt.Fprintf(p.stdout, "%s: written; start %s again\n", e.path, e.client.Title)
	return err
}

// write replaces both files: that which gets servers before that which loses them.
func (e *initEdit) write(undo bool) error {
	if now, err := e.client.Open(e.path); err != nil || now.Text != e.before.Text {
		return fmt.Errorf("%s: not changed: something else has changed it in the meantime; try again", e.path)
	}
	steps := []func() error{e.writeStore, func() error { return replaceFile(e.path, e.after.Text) }}
	if undo {
		slices.Reverse(steps)
	}
	for _, step := range steps {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// writeStore writes the moved servers, or removes their file where none is left.
func (e *initEdit) writeStore() error {
	if len(e.keeps.Entries) > 0 {
		keeps, err := json.MarshalIndent(e.keeps, "", "  ")
		if err != nil {
			return err
		}
		return replaceFile(e.store, string(keeps)+"\n")
	}
	if err := os.Remove(e.store); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
