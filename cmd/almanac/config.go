// This file reads the configuration from files, the environment and the command line, in order of precedence.

package main

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"
	"github.com/adrg/xdg"
	"github.com/alecthomas/kong"

	"almanac/catalog/search/spelling"
	"almanac/session/policy"
	"almanac/ui"
)

// A setting is one configurable value. Each is also a flag, hidden or not.
type setting struct {
	key  string // "base_url", "limits.calls"
	env  string // "ALMANAC_BASE_URL"
	flag *kong.Flag
}

// A configFile is one parsed file. The zero configFile sets nothing.
type configFile struct {
	path   string
	text   []byte
	values map[string]configValue
	keys   map[string][]string    // the table of key bindings
	looks  map[string]configValue // the theme table, by role
	grants []policy.Grant         // only in the user's file
	rules  []policy.Rule          // those of a project only make the policy stricter
	models []modelTable           // only in the user's file, in its order
	roles  []roleTable            // by name
	// sources are the [sources.NAME] tables, by name.
	sources []sourceTable
}

// A configValue is a string or a list of strings, and its line.
type configValue struct {
	text string
	list []string
	many bool
	line int
}

func (v configValue) String() string {
	if !v.many {
		return v.text
	}
	return strings.Join(v.list, ", ")
}

// A config is the whole configuration. Precedence: command line, environment, the project's file, the user's file.
type config struct {
	settings      []setting
	user, project configFile
	// unapproved are the keys of the project's file that are ignored until the person approves them.
	unapproved []string
	// alone says that the session is in no team.
	alone bool
}

// settingsOf lists the settings: the program's flags, and of the terminal's flags those that set its look.
func settingsOf(model *kong.Application) []setting {
	var all []setting
	add := func(flags []*kong.Flag, names ...string) {
		for _, f := range flags {
			if f.Name == "help" || len(names) > 0 && !slices.Contains(names, f.Name) {
				continue
			}
			key := strings.ReplaceAll(f.Name, "-", "_")
			if table := strings.TrimSuffix(f.Tag.Prefix, "-"); table != "" {
				key = table + "." + strings.TrimPrefix(key, table+"_")
			}
			key = cmp.Or(f.Tag.Get("key"), key)
			all = append(all, setting{key, "ALMANAC_" + strings.ToUpper(strings.ReplaceAll(f.Name, "-", "_")), f})
		}
	}
	add(model.Flags)
	for _, node := range model.Children {
		if node.Name == "repl" {
			add(node.Flags, "plain", "ascii", "color")
		}
	}
	return all
}

// userConfigPath is the path of the user's file.
func userConfigPath() string {
	return cmp.Or(os.Getenv("ALMANAC_CONFIG"), filepath.Join(xdg.ConfigHome, "almanac", "config.toml"))
}

// readConfig reads the user's file and the project's. With an error it still returns what it could read.
func readConfig(model *kong.Application) (*config, error) {
	c := &config{settings: settingsOf(model)}
	var err error
	if c.user, err = c.readFile(userConfigPath()); err != nil {
		return c, err
	}
	dir, err := os.Getwd()
	if err != nil {
		return c, nil
	}
	path := projectFile(dir, projectConfig)
	if path == "" {
		return c, nil
	}
	if c.project, err = c.readFile(path); err != nil {
		return c, err
	}
	if len(c.project.grants) > 0 {
		c.project.grants = nil
		return c, fmt.Errorf("configuration %s: grants: not allowed in a project's file: move them to your own", path)
	}
	if len(c.project.models) > 0 {
		c.project.models = nil
		return c, fmt.Errorf("configuration %s: models: not allowed in a project's file: move them to your own; "+
			"a project may name one with model = \"NAME\"", path)
	}
	for key, v := range c.project.values {
		if strings.HasPrefix(key, "nats.") || strings.HasPrefix(key, "host.") ||
			strings.HasPrefix(key, sourcesKey) && !strings.HasSuffix(key, ".reads") && !strings.HasSuffix(key, ".trust_hints") {
			delete(c.project.values, key)
			return c, fmt.Errorf("configuration %s: line %d: %s: not allowed in a project's file: move it to your own",
				path, v.line, key)
		}
	}
	if v, set := c.project.values[policyFileKey]; set {
		rules, err := readPolicyFile(filepath.Join(filepath.Dir(path), v.text))
		if err != nil {
			return c, fmt.Errorf("configuration %s: line %d: %w", path, v.line, err)
		}
		c.project.rules = append(rules, c.project.rules...)
	}
	if wants := c.loosens(); len(wants) > 0 && !approved(c.project) {
		c.unapproved = wants
	}
	return c, nil
}

func (c *config) readFile(path string) (configFile, error) {
	text, err := readRegular(path)
	if errors.Is(err, fs.ErrNotExist) {
		return configFile{}, nil
	}
	if err != nil {
		return configFile{}, fmt.Errorf("configuration: %w", err)
	}
	f, err := c.parse(path, text)
	if err != nil {
		return configFile{}, fmt.Errorf("configuration %s: %w", path, err)
	}
	return f, nil
}

// A keyError is an error in a key of a configuration file.
type keyError struct {
	Line         int // 0 when not known
	Key, Message string
	hint         string
}

func (e *keyError) Error() string {
	at := ""
	if e.Line > 0 {
		at = fmt.Sprintf("line %d: ", e.Line)
	}
	return at + e.Key + ": " + e.Message
}

func (e *keyError) Hint() string { return e.hint }

func (c *config) parse(path string, text []byte) (configFile, error) {
	f := configFile{
		path: path, text: text, values: map[string]configValue{}, keys: map[string][]string{},
		looks: map[string]configValue{},
	}
	var tree map[string]any
	if _, err := toml.Decode(string(text), &tree); err != nil {
		var bad toml.ParseError
		if errors.As(err, &bad) {
			return f, fmt.Errorf("line %d: %s", bad.Position.Line, bad.Message)
		}
		return f, err
	}
	lines := keyLines(string(text))
	var errs []*keyError
	if err := f.takeRules(tree); err != nil {
		errs = append(errs, err)
	}
	take := func(key string, value any) {
		if err := c.take(&f, key, value, lines[key]); err != nil {
			errs = append(errs, err)
		}
	}
	for key, value := range tree {
		if key == "grants" {
			if err := f.takeGrants(value); err != nil {
				errs = append(errs, err)
			}
			continue
		}
		if key == "models" {
			errs = append(errs, f.takeModels(value, lines)...)
			continue
		}
		if key == "roles" {
			errs = append(errs, f.takeRoles(value, lines)...)
			continue
		}
		if key == "sources" {
			errs = append(errs, f.takeSources(value, lines)...)
			continue
		}
		table, isTable := value.(map[string]any)
		if key == "permissions" || key == "policy" && isTable { // takeRules has read the rules
			if mode, set := table["mode"]; set && key == "policy" {
				if err := c.take(&f, key, mode, lines["policy.mode"]); err != nil {
					errs = append(errs, err)
				}
			}
			continue
		}
		if !isTable {
			take(key, value)
			continue
		}
		for below, value := range table {
			take(key+"."+below, value)
		}
		tables := []string{"limits", "ui", "context", "keys", "theme", "team", "nats", "host"}
		if len(table) == 0 && !slices.Contains(tables, key) {
			take(key, value)
		}
	}
	if err := checkBindings(f.keys, lines); err != nil {
		errs = append(errs, err)
	}
	if len(errs) == 0 {
		return f, nil
	}
	slices.SortFunc(errs, func(a, b *keyError) int { return cmp.Or(a.Line-b.Line, strings.Compare(a.Key, b.Key)) })
	return f, errs[0]
}

// secretKey matches names that people give to credentials.
var secretKey = regexp.MustCompile(`(?i)(api_?key|token|secret|password|passwd|credential|authorization)`)

func (c *config) take(f *configFile, key string, value any, line int) *keyError {
	bad := func(hint, format string, args ...any) *keyError {
		return &keyError{Line: line, Key: key, Message: fmt.Sprintf(format, args...), hint: hint}
	}
	if action, ok := strings.CutPrefix(key, "keys."); ok {
		list, isList := texts(value)
		if text, isText := value.(string); isText {
			list, isList = []string{text}, true
		}
		if !isList {
			return bad("", "want a key or a list of keys, like [\"ctrl+r\"]; [] unbinds the action")
		}
		f.keys[action] = list
		return nil
	}
	if role, ok := strings.CutPrefix(key, "theme."); ok {
		text, isText := value.(string)
		if !isText {
			return bad("", "want a string, like \"bold cyan\" or \"#ff8700\"")
		}
		if err := ui.CheckLook(role, text); err != nil {
			return bad("", "%v", err)
		}
		f.looks[role] = configValue{text: text, line: line}
		return nil
	}
	s, known := c.setting(key)
	if !known && strings.HasPrefix(key, "nats.") && secretKey.MatchString(key) {
		return bad("a user and a password are part of url, nats://USER:PASSWORD@HOST; credentials names a file", "unknown key")
	}
	if !known && secretKey.MatchString(key) {
		return bad("set OPENAI_API_KEY or ALMANAC_API_KEY in the environment, or keep the credential in the system's keyring",
			"secrets do not belong in this file")
	}
	if !known {
		return bad("almanac config lists the keys", "unknown key%s", c.near(key))
	}
	v := configValue{line: line}
	if v.list, v.many = texts(value); !v.many {
		_, isText := value.(string)
		if s.flag.Target.Kind() == reflect.String && !isText {
			return bad("", "want a string, in quotes")
		}
		switch value.(type) {
		case string, int64, float64, bool:
			v.text = fmt.Sprint(value)
		default:
			return bad("", "want a string, a number, true or false")
		}
	}
	if v.many != s.flag.IsSlice() {
		if v.many {
			return bad("", "want one value, not a list")
		}
		v.list, v.many = []string{v.text}, true
	}
	if s.flag.IsBool() && v.text != "true" && v.text != "false" {
		return bad("", "want true or false")
	}
	if key == "ui.theme" {
		if _, err := ui.NewTheme(v.text, nil); err != nil {
			return bad("", "%v", err)
		}
	}
	if message := fits(s, v); message != "" {
		return bad("", "%s", message)
	}
	if enum := s.flag.EnumSlice(); s.flag.Enum != "" && !slices.Contains(enum, v.text) {
		return bad("", "%q: want one of %s", v.text, strings.Trim(strings.Join(enum, ", "), ", "))
	}
	f.values[key] = v
	return nil
}

func texts(value any) ([]string, bool) {
	items, ok := value.([]any)
	list := make([]string, 0, len(items))
	for _, item := range items {
		text, isText := item.(string)
		if !isText {
			return nil, false
		}
		list = append(list, text)
	}
	return list, ok
}

func (c *config) setting(key string) (setting, bool) {
	for _, s := range c.settings {
		if s.key == key {
			return s, true
		}
	}
	return setting{}, false
}

// near suggests a key for an unknown one.
func (c *config) near(key string) string {
	var names []string
	of := map[string]string{}
	for _, s := range c.settings {
		for _, n := range []string{s.key, s.key[strings.LastIndexByte(s.key, '.')+1:]} {
			names, of[n] = append(names, n), s.key
		}
	}
	near := spelling.Nearest(strings.ReplaceAll(key, "-", "_"), names)
	if near == "" {
		return ""
	}
	return ": did you mean " + of[near] + "?"
}

var (
	tableLine = regexp.MustCompile(`^\s*\[\s*([A-Za-z0-9_.-]+|models\s*\.\s*["'][^"']+["'])\s*\]`)
	keyLine   = regexp.MustCompile(`^\s*"?([A-Za-z0-9_.-]+)"?\s*=`)
)

// quotes are taken out of the names of tables.
var quotes = strings.NewReplacer(`"`, "", "'", "", " ", "")

// keyLines finds the line of each key. It may mistake a line of a multi-line string for a key, which only affects
// messages.
func keyLines(text string) map[string]int {
	lines, table := map[string]int{}, ""
	for i, line := range strings.Split(text, "\n") {
		if m := tableLine.FindStringSubmatch(line); m != nil {
			name := quotes.Replace(m[1])
			table = name + "."
			lines[name] = i + 1
		} else if m := keyLine.FindStringSubmatch(line); m != nil && lines[table+m[1]] == 0 {
			lines[table+m[1]] = i + 1
		}
	}
	return lines
}

// names tells whether a file or the environment sets a key.
func (c *config) names(key string) bool {
	s, _ := c.setting(key)
	_, _, found := c.from(s)
	return found
}

// from finds the value of a setting that is not on the command line, and its origin.
func (c *config) from(s setting) (v configValue, origin string, found bool) {
	if text := os.Getenv(s.env); text != "" {
		return configValue{text: text}, s.env, true
	}
	if v, ok := c.project.values[s.key]; ok && s.key != policyFileKey && !slices.Contains(c.unapproved, s.key) {
		return v, at(c.project, v), true
	}
	if v, ok := c.user.values[s.key]; ok {
		return v, at(c.user, v), true
	}
	return configValue{}, "", false
}

func at(f configFile, v configValue) string {
	if v.line == 0 {
		return f.path
	}
	return fmt.Sprintf("%s:%d", f.path, v.line)
}

// bindings are the key bindings; the project's file takes precedence over the user's.
func (c *config) bindings() map[string][]string {
	all := map[string][]string{}
	for _, f := range []configFile{c.user, c.project} {
		for action, keys := range f.keys {
			all[action] = keys
		}
	}
	return all
}

// looks are the styles by role; the project's file takes precedence over the user's.
func (c *config) looks() map[string]string {
	all := map[string]string{}
	for _, f := range []configFile{c.user, c.project} {
		for role, v := range f.looks {
			all[role] = v.text
		}
	}
	return all
}

// namesFile tells that the value of a key is a file, which lies beside the configuration file unless it is absolute.
func namesFile(key string) bool {
	return key == "view" || key == policyFileKey || strings.HasPrefix(key, "nats.") && key != "nats.url"
}

// Validate implements kong.Resolver.
func (c *config) Validate(*kong.Application) error { return nil }

// Resolve implements kong.Resolver: it supplies the flags that are not on the command line.
func (c *config) Resolve(_ *kong.Context, _ *kong.Path, flag *kong.Flag) (any, error) {
	for _, s := range c.settings {
		if s.flag.Name != flag.Name {
			continue
		}
		v, origin, found := c.from(s)
		switch {
		case !found:
			return nil, nil
		case v.many:
			dir := filepath.Dir(c.user.path)
			if strings.HasPrefix(origin, c.project.path) && c.project.path != "" {
				dir = filepath.Dir(c.project.path)
			}
			list := make([]any, len(v.list))
			for i, text := range v.list {
				list[i] = text
				if s.key == "catalog" {
					list[i] = kinds().Beside(dir, text)
				}
			}
			return list, nil
		case namesFile(s.key) && v.text != "" && origin != s.env && !filepath.IsAbs(v.text):
			return filepath.Join(filepath.Dir(origin), v.text), nil
		}
		return v.text, nil
	}
	return nil, nil
}
