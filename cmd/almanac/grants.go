// This file reads grants from the command line and the configuration, and keeps grants in the user's file: each as its
// own table at the end, so that the rest of the file is not touched.

package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"almanac/catalog"
	"almanac/session/policy"
)

// policy is the policy of the command line and the configuration. An --allow that matches no action is an error, unless
// the catalog is still loading.
func (cli *commandLine) policy(mode policy.Mode, view *catalog.View, growing bool) (policy.Policy, error) {
	if cli.Policy != "" {
		var err error
		if mode, err = policy.ParseMode(cli.Policy); err != nil {
			return policy.Policy{}, usage("%v", err)
		}
	}
	p := policy.Policy{Mode: mode, Named: cli.Policy != "", Tighter: cli.config.project.rules}
	var err error
	if p.Rules, err = cli.rules(); err != nil {
		return policy.Policy{}, misconfigured(err)
	}
	if _, err := policy.Idle(slices.Concat(p.Rules, p.Tighter), view); err != nil && !growing {
		return policy.Policy{}, misconfigured(err)
	}
	if p.Roles, err = cli.rolePolicies(view, growing); err != nil {
		return policy.Policy{}, misconfigured(err)
	}
	if cli.spawned != nil {
		bound, err := cli.spawned.policy()
		p.Mode, p.Named, p.Grants = bound.Mode, bound.Named, bound.Grants
		return p, misconfiguredIf(err)
	}
	if cli.agent {
		if p.Grants, err = cli.agentGrants(); err != nil {
			return policy.Policy{}, misconfigured(err)
		}
	}
	from, term := cli.allowedBy()
	allowed, err := policy.ParseGrants(cli.Allow, from)
	if err != nil {
		return policy.Policy{}, misconfigured(err)
	}
	for _, g := range allowed {
		g.For, g.At = term, time.Now()
		if term != policy.Always { // what is kept may be for another catalog, and waits
			if g, err = g.Fits(view); err != nil && !growing {
				return policy.Policy{}, misconfigured(fmt.Errorf("%s: %w", from, err))
			}
		}
		p.Grants = append(p.Grants, g)
	}
	p.Grants = append(p.Grants, cli.config.user.grants...)
	return p, nil
}

// idle are warnings of rules that can match no call, and of grants that were given at the start and let nothing
// through: those in the allow list of a file, which may be for another catalog, and those of --allow that came before
// the catalog.
func idle(p policy.Policy, view *catalog.View) []string {
	all, _ := policy.Idle(slices.Concat(p.Rules, p.Tighter), view)
	for _, g := range p.Grants {
		if g.Early && g.Seen == nil && g.Waits != "" {
			from := g.By + ": allow"
			if g.By == "--allow" {
				from = g.By
			}
			all = append(all, fmt.Sprintf("%s %s: %s", from, g, g.Waits))
		}
	}
	return all
}

// allowedBy says where the --allow list comes from, and how long it lasts.
func (cli *commandLine) allowedBy() (string, policy.Term) {
	s, _ := cli.config.setting("allow")
	_, origin, found := cli.config.from(s)
	switch {
	case cli.origins["allow"] || !found:
		return "--allow", policy.ForSession
	case origin == s.env:
		return origin, policy.ForSession
	}
	return origin, policy.Always
}

// grantLine matches the header of a kept grant.
var grantLine = regexp.MustCompile(`^\s*\[\[\s*grants\s*\]\]`)

// takeGrants reads the kept grants of a file.
func (f *configFile) takeGrants(value any) *keyError {
	var lines []int
	for i, line := range strings.Split(string(f.text), "\n") {
		if grantLine.MatchString(line) {
			lines = append(lines, i+1)
		}
	}
	tables, ok := value.([]map[string]any)
	if !ok || len(lines) != len(tables) {
		return &keyError{
			Key: "grants", Message: "want [[grants]] tables with allow and given", hint: "/policy allow writes them",
		}
	}
	for i, table := range tables {
		g, err := keptGrant(table)
		if err != nil {
			return &keyError{Line: lines[i], Key: "grants", Message: err.Error()}
		}
		g.By, g.For, g.Early = fmt.Sprintf("%s:%d", f.path, lines[i]), policy.Always, true
		f.grants = append(f.grants, g)
	}
	return nil
}

// keptGrant reads one [[grants]] table. Without a source it covers nothing, and waits.
func keptGrant(table map[string]any) (policy.Grant, error) {
	text, _ := table["allow"].(string)
	given, isTime := table["given"].(time.Time)
	sources, isList := texts(table["source"])
	action, isText := table["action"].(string)
	for key := range table {
		if key != "allow" && !(key == "given" && isTime) && !(key == "source" && isList) && !(key == "action" && isText) {
			return policy.Grant{},
				errors.New("want allow = \"ID\", given = TIME, source = [\"NAME\"] and action = \"FINGERPRINT\", nothing else")
		}
	}
	g, err := policy.ParseGrant(text)
	g.At, g.Seen = given.Local(), &policy.Seen{Sources: sources, Action: action}
	return g, err
}

// watchGrants returns a function that says why a grant that was read from a configuration file does not count any more:
// it is not there now, or the file cannot be read. The files are read again when they have changed.
func (cli *commandLine) watchGrants() func(policy.Grant) error {
	user, project := watchedFile{path: userConfigPath()}, watchedFile{path: cli.config.project.path}
	var mu sync.Mutex
	return func(g policy.Grant) error {
		mu.Lock()
		defer mu.Unlock()
		w := &user
		if project.path != "" && strings.HasPrefix(g.By+":", project.path+":") {
			w = &project
		}
		if err := w.read(cli.config); err != nil {
			return err
		}
		if w == &project && !approved(w.file) {
			return fmt.Errorf("%s has changed; approve it with almanac config approve", w.path)
		}
		allowed, err := policy.ParseGrants(w.file.values["allow"].list, w.path)
		if err != nil {
			return err
		}
		if !slices.ContainsFunc(append(allowed, w.file.grants...), func(kept policy.Grant) bool { return same(kept, g) }) {
			return fmt.Errorf("no longer in %s", w.path)
		}
		return nil
	}
}

func same(a, b policy.Grant) bool { return a.String() == b.String() && a.Seen.Equal(b.Seen) }

// A watchedFile is a configuration file that other programs may change.
type watchedFile struct {
	path string
	info fs.FileInfo
	file configFile
	err  error
}

// read reads the file again if it is another one than before.
func (w *watchedFile) read(c *config) error {
	info, err := os.Stat(w.path)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("no longer in %s", w.path)
	} else if err != nil {
		return fmt.Errorf("configuration: %w", err)
	}
	unchanged := w.info != nil && os.SameFile(w.info, info) &&
		w.info.ModTime().Equal(info.ModTime()) && w.info.Size() == info.Size()
	if !unchanged {
		w.info = info
		w.file, w.err = c.readFile(w.path)
	}
	return w.err
}

// keepGrant appends a grant to the user's file and returns a message with the text and the path.
func (cli *commandLine) keepGrant(g policy.Grant) (told string, err error) {
	table := fmt.Sprintf("[[grants]]\nallow = %s\ngiven = %s\n", tomlString(g.String()),
		time.Now().UTC().Format(time.RFC3339))
	if seen := g.Seen; seen != nil {
		var sources []string
		for _, name := range seen.Sources {
			sources = append(sources, tomlString(name))
		}
		table += fmt.Sprintf("source = [%s]\n", strings.Join(sources, ", "))
		if seen.Action != "" {
			table += fmt.Sprintf("action = %s\n", tomlString(seen.Action))
		}
	}
	path, err := cli.config.rewrite(func(text string) (string, error) {
		if text != "" {
			text = strings.TrimRight(text, "\n") + "\n\n"
		}
		return text + table, nil
	})
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("written to %s:\n%s", path, strings.TrimRight(table, "\n")), nil
}

// dropGrant removes a kept grant from the user's file and returns a message that says so, or where else the grant is.
func (cli *commandLine) dropGrant(g policy.Grant) (told string, err error) {
	path, err := cli.config.rewrite(func(text string) (string, error) {
		f, err := cli.config.parse(userConfigPath(), []byte(text))
		if err != nil {
			return "", err
		}
		at := slices.IndexFunc(f.grants, func(kept policy.Grant) bool { return same(kept, g) })
		if at < 0 {
			return "", fs.ErrNotExist
		}
		return withoutTable(text, at), nil
	})
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Sprintf("%s still grants it at the next start", g.By), nil
	}
	if err != nil {
		return "", err
	}
	return "removed from " + path, nil
}

// withoutTable removes the at-th kept grant from the text: its header and keys. Comments stay.
func withoutTable(text string, at int) string {
	var kept []string
	head, inside := -1, false
	for _, line := range strings.Split(text, "\n") {
		switch {
		case grantLine.MatchString(line):
			head++
			inside = head == at
		case strings.HasPrefix(strings.TrimSpace(line), "["):
			inside = false
		}
		if inside && (grantLine.MatchString(line) || keyLine.MatchString(line)) {
			continue
		}
		kept = append(kept, line)
	}
	return strings.TrimRight(strings.Join(kept, "\n"), "\n") + "\n"
}

// rewrite changes the text of the user's file, which need not exist. It fails without a change if the result cannot be
// parsed or differs in anything but grants.
func (c *config) rewrite(change func(text string) (string, error)) (path string, err error) {
	path = userConfigPath()
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	if project, err := filepath.EvalSymlinks(c.project.path); err == nil && project == path {
		return path, fmt.Errorf("%s: a project's file cannot keep grants", path)
	}
	before, err := readRegular(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return path, fmt.Errorf("configuration: %w", err)
	}
	was, err := c.parse(path, before)
	if err != nil {
		return path, fmt.Errorf("%s: not changed: %w", path, err)
	}
	text, err := change(string(before))
	if err != nil {
		return path, err
	}
	is, err := c.parse(path, []byte(text))
	if err != nil || !sameSettings(was, is) || max(len(was.grants)-len(is.grants), len(is.grants)-len(was.grants)) != 1 {
		return path, fmt.Errorf("%s: not changed: the edit would change other settings; edit it by hand", path)
	}
	return path, replaceFile(path, text)
}

func sameSettings(a, b configFile) bool {
	return fmt.Sprint(a.settings()) == fmt.Sprint(b.settings())
}

// settings are the file's settings without the grants and line numbers, as text.
func (f configFile) settings() map[string]string {
	all := map[string]string{}
	for key, v := range f.values {
		all[key] = fmt.Sprintf("%q %q", v.text, v.list)
	}
	for _, rule := range f.rules {
		all[rule.Name+" "+rule.Words()] = rule.Reason
	}
	for key, v := range f.looks {
		all["theme."+key] = v.text
	}
	for key, v := range f.keys {
		all["keys."+key] = fmt.Sprintf("%q", v)
	}
	for _, t := range f.models {
		for key, v := range t.values {
			all["models."+t.name+"."+key] = fmt.Sprintf("%q %q", v.text, v.list)
		}
	}
	return all
}

// replaceFile replaces the file atomically. Errors name it.
func replaceFile(path, text string) error {
	mode := fs.FileMode(0o600)
	if info, err := os.Stat(path); err == nil {
		mode = info.Mode().Perm()
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	file, err := os.CreateTemp(filepath.Dir(path), ".config-*")
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	_, err = file.WriteString(text)
	if err = errors.Join(err, file.Chmod(mode), file.Close()); err == nil {
		err = os.Rename(file.Name(), path)
	}
	if err != nil {
		os.Remove(file.Name())
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

// tomlString quotes a string, literally if nothing in it needs an escape.
func tomlString(s string) string {
	control := func(r rune) bool { return r < ' ' || r == 0x7f }
	if !strings.ContainsAny(s, `'\`) && strconv.Quote(s) != `"`+s+`"` && !strings.ContainsFunc(s, control) {
		return "'" + s + "'"
	}
	return strconv.Quote(s)
}
