package manifest

// This file reads manifests, which declare actions and describe those of other sources further.

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"almanac/catalog"
	"almanac/catalog/database"
	"almanac/catalog/regular"
	"almanac/catalog/source"
	"almanac/catalog/text"
	"almanac/catalog/tree"
	"almanac/catalog/verb"
	"almanac/session/effect"
)

// maxManifest is the largest manifest that is read, in bytes.
const maxManifest = 16 << 20

// version is the value of the key that makes a file a manifest, almanac.
const version = 1

// options say how a manifest is read. The zero value is ready to use.
type options struct {
	// Name replaces the manifest's own name at the beginning of its ids. May be empty.
	Name string
	// Outside is what its actions reach; nil reaches nothing that needs a credential.
	Outside *outside
	// Every is how often the file is checked for changes; zero means every second.
	Every time.Duration
}

// asSource returns a manifest as a source, named as the person wrote it. A manifest belongs to the person, like the
// command line: nothing in it needs approval, and its overlays apply to all sources.
func asSource(named, file string, o options) source.Source {
	out := o.Outside
	if out == nil {
		out = &outside{}
	}
	return source.Source{
		Name: named, Secrets: out.secrets, Own: true, Overlays: true, Health: out.health,
		Load: func(ctx context.Context, _ func(source.Reading)) (catalog.Batch, error) {
			text, err := textOf(file)
			if err != nil {
				return catalog.Batch{}, err
			}
			out.forget()
			batch, err := readManifest(text, file, o.Name, out)
			used := map[string]bool{}
			for i := range batch.Entries {
				used[batch.Entries[i].ID] = true
			}
			out.check(ctx, len(batch.Entries), used)
			return batch, err
		},
		Watch: source.WatchFile(file, o.Every),
		Close: out.close,
	}
}

// textOf is the text of a manifest, or the beginning of one that is too large.
func textOf(file string) ([]byte, error) {
	f, err := regular.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, maxManifest+1))
}

// A document is a manifest as written.
type document struct {
	Almanac     yaml.Node `yaml:"almanac"`
	Name        string    `yaml:"name"`
	Description string    `yaml:"description"`
	Databases   yaml.Node `yaml:"databases"`
	Actions     yaml.Node `yaml:"actions"`
	Overlays    yaml.Node `yaml:"overlays"`
}

// A reading is a manifest being turned into entries.
type reading struct {
	file      string
	prefix    string
	outside   *outside
	databases map[string]*database.Database
	batch     catalog.Batch
}

// readManifest reads a manifest into a batch. A mistake in an action costs that action only; an error means that
// nothing in the manifest can be used.
func readManifest(text []byte, file, name string, out *outside) (catalog.Batch, error) {
	if len(text) > maxManifest {
		return catalog.Batch{}, fmt.Errorf("%s: larger than %d MB", file, maxManifest>>20)
	}
	if strings.HasSuffix(file, ".json") {
		// In JSON a tab is space between tokens; YAML does not allow it there.
		text = bytes.ReplaceAll(text, []byte("\t"), []byte(" "))
	}
	var root yaml.Node
	if err := yaml.Unmarshal(text, &root); err != nil {
		return catalog.Batch{}, fmt.Errorf("%s: %s", file, strings.TrimPrefix(err.Error(), "yaml: "))
	}
	r := &reading{file: file, outside: out}
	if len(root.Content) == 0 {
		return catalog.Batch{}, fmt.Errorf("%s: the manifest is empty", file)
	}
	if err := r.document(&root, name); err != nil {
		return catalog.Batch{}, fmt.Errorf("%s:%d: %w", file, lineOf(err, &root), err)
	}
	return r.batch, nil
}

func (r *reading) document(root *yaml.Node, name string) error {
	var doc document
	if err := decode(root.Content[0], "manifest", &doc); err != nil {
		return err
	}
	if doc.Almanac.Value != fmt.Sprint(version) {
		return tree.FaultAt(&doc.Almanac, "almanac: want the version, %d, got %s", version, clip(doc.Almanac.Value))
	}
	if name == "" {
		name = doc.Name
	}
	if name != "" {
		if err := catalog.CheckID(name); err != nil {
			return fmt.Errorf("name: %w", err)
		}
		r.prefix = name + "."
	}
	if err := r.readDatabases(&doc.Databases); err != nil {
		return err
	}
	actions, err := mapping(&doc.Actions, "actions")
	if err != nil {
		return err
	}
	for _, m := range actions {
		r.action(m)
	}
	slices.SortStableFunc(r.batch.Entries, func(a, b catalog.Entry) int { return strings.Compare(a.ID, b.ID) })
	r.batch.Found = len(actions)
	r.batch.Overlay, err = r.overlays(&doc.Overlays)
	return err
}

// readDatabases reads the names of databases: addresses, and paths of SQLite files, of which relative ones start at the
// manifest's folder.
func (r *reading) readDatabases(n *yaml.Node) error {
	members, err := mapping(n, "databases")
	if err != nil {
		return err
	}
	r.databases = map[string]*database.Database{}
	for _, m := range members {
		var path string
		if err := m.value.Decode(&path); err != nil || path == "" {
			return tree.FaultAt(m.value, "databases: %s: want the path of a file, or an address: postgres://..., mysql://...",
				m.name)
		}
		path = strings.TrimPrefix(path, "sqlite:")
		if !database.Is(path) && !filepath.IsAbs(path) {
			path = filepath.Join(filepath.Dir(r.file), path)
		}
		if r.databases[m.name], err = r.outside.get(m.name, path); err != nil {
			return tree.FaultAt(m.value, "databases: %s: %v", m.name, err)
		}
	}
	return nil
}

func (r *reading) place(line int) string { return fmt.Sprintf("%s:%d", r.file, line) }

// action adds the entry of one declaration, or the reason why it is skipped.
func (r *reading) action(m member) {
	id := r.prefix + m.name
	e, err := r.entry(id, m.value)
	if err != nil {
		r.batch.Skipped = append(r.batch.Skipped, catalog.Skip{ID: id, Source: r.place(lineOf(err, m.key)),
			Reason: err.Error()})
		return
	}
	r.batch.Entries = append(r.batch.Entries, e)
}

// properties are the keys that declarations and overlays share.
type properties struct {
	Operation string            `yaml:"operation"`
	Mutates   *bool             `yaml:"mutates"`
	Risk      string            `yaml:"risk"`
	Category  string            `yaml:"category"`
	Version   string            `yaml:"version"`
	Strict    *bool             `yaml:"strict"`
	Entities  []string          `yaml:"entities"`
	Tags      []string          `yaml:"tags"`
	Aliases   []string          `yaml:"aliases"`
	Examples  []string          `yaml:"examples"`
	Timeout   string            `yaml:"timeout"`
	Context   map[string]string `yaml:"context"`
	// Compensate is the action that undoes a call, and its arguments.
	Compensate yaml.Node `yaml:"compensate"`
	// Effects are what a result carries beside its data.
	Effects yaml.Node `yaml:"effects"`
	// Retry and Idempotency say whether and how often a call is tried; Before and After are expressions of Lua.
	Retry       yaml.Node `yaml:"retry"`
	Idempotency yaml.Node `yaml:"idempotency"`
	Before      yaml.Node `yaml:"before"`
	After       yaml.Node `yaml:"after"`
}

func (p *properties) read() (risk catalog.Risk, timeout time.Duration, inject []catalog.Injection, err error) {
	if risk, err = riskOf(p.Risk); err != nil {
		return "", 0, nil, err
	}
	if timeout, err = timeoutOf(p.Timeout); err != nil {
		return "", 0, nil, err
	}
	inject, err = injectionsOf(p.Context)
	return risk, timeout, inject, err
}

// A declared is an action as written in a manifest.
type declared struct {
	properties
	Title       string    `yaml:"title"`
	Description string    `yaml:"description"`
	Input       yaml.Node `yaml:"input"`
	Output      yaml.Node `yaml:"output"`
	HTTP        yaml.Node `yaml:"http"`
	MCP         yaml.Node `yaml:"mcp"`
	SQL         yaml.Node `yaml:"sql"`
	Lua         yaml.Node `yaml:"lua"`
	Data        yaml.Node `yaml:"data"`
	// Of actions that /save wrote: what Lua calls, recorded runs, and the plan that Lua was made from.
	Uses  yaml.Node `yaml:"uses"`
	Tests yaml.Node `yaml:"tests"`
	Plan  yaml.Node `yaml:"plan"`
}

// entry makes an entry of a declaration.
func (r *reading) entry(id string, n *yaml.Node) (catalog.Entry, error) {
	if err := catalog.CheckID(id); err != nil {
		return catalog.Entry{}, err
	}
	var d declared
	if err := decode(n, "action", &d); err != nil {
		return catalog.Entry{}, err
	}
	e := catalog.Entry{
		ID: id, Title: d.Title, Description: text.HeadBytes(d.Description, maxDescription), Entities: d.Entities,
		Tags: d.Tags, Category: d.Category, Version: d.Version, Strict: d.Strict != nil && *d.Strict,
		Aliases: d.Aliases, Examples: d.Examples, Operation: catalog.Operation(strings.ToLower(d.Operation)),
	}
	var err error
	if e.Risk, e.Timeout, e.Inject, err = d.read(); err != nil {
		return e, err
	}
	if e.Input, err = inputOf(&d.Input); err != nil {
		return e, err
	}
	if e.Output, err = schemaOf(&d.Output, "output"); err != nil {
		return e, err
	}
	for _, in := range e.Inject {
		if isInput(&e, in.Field) {
			return e, fmt.Errorf("context: %s is also an input: a caller may not send what the host fills in", in.Field)
		}
	}
	if e.Compensate, err = compensationOf(&d.Compensate); err != nil {
		return e, err
	}
	if e.Effects, err = effectsOf(&d.Effects); err != nil {
		return e, err
	}
	if err := e.CheckEffects(); err != nil {
		return e, tree.FaultAt(&d.Effects, "%v", err)
	}
	if e.Uses, err = usesOf(&d.Uses); err != nil {
		return e, err
	}
	how, err := r.conduct(&d.properties)
	if err != nil {
		return e, err
	}
	e.Retry, e.Key, e.Hooks = how.retry, how.key, how.hooks
	if err := r.handler(&e, &d); err != nil {
		return e, err
	}
	if err := checkConduct(&e, &d); err != nil {
		return e, err
	}
	if e.Mutates {
		byName(&e, d.Risk != "")
	}
	return e, nil
}

// byName infers the operation of a mutation from the verb in its name, if it is unknown. A risk declared in the
// manifest stays; one inferred from a method or a statement can be raised but not lowered.
func byName(e *catalog.Entry, said bool) {
	does := verb.Infer(verb.Hints{Names: []string{e.ID}})
	if e.Operation == "" {
		e.Operation = catalog.Update
		if does.Mutates {
			e.Operation = does.Operation
		}
	}
	if !said && (does.Risk == catalog.High || e.Operation == catalog.Delete) {
		e.Risk = catalog.High
	}
}

// handler sets the entry's action, and whether it mutates.
func (r *reading) handler(e *catalog.Entry, d *declared) error {
	var kinds []string
	for _, kind := range []struct {
		name string
		node *yaml.Node
	}{{"data", &d.Data}, {"http", &d.HTTP}, {"lua", &d.Lua}, {"mcp", &d.MCP}, {"sql", &d.SQL}} {
		if !kind.node.IsZero() {
			kinds = append(kinds, kind.name)
		}
	}
	if len(kinds) != 1 {
		return fmt.Errorf("want one of data, http, lua, mcp and sql, got %d", len(kinds))
	}
	if e.Mutates = d.Mutates != nil && *d.Mutates; e.Mutates && kinds[0] == "data" {
		return tree.FaultAt(&d.Data, "data: it writes nothing: leave mutates out")
	}
	switch kinds[0] {
	case "data":
		return canned(e, &d.Data)
	case "lua":
		return composed(e, &d.Lua)
	case "http":
		return r.outside.request(e, &d.HTTP, d.Mutates)
	case "mcp":
		return r.outside.tool(e, &d.MCP, d.Mutates)
	}
	return r.statement(e, &d.SQL)
}

func riskOf(text string) (catalog.Risk, error) {
	switch risk := catalog.Risk(strings.ToLower(text)); risk {
	case "", catalog.Low, catalog.Medium, catalog.High:
		return risk, nil
	}
	return "", fmt.Errorf("risk: want low, medium or high, got %s", clip(text))
}

// maxTimeout is the longest timeout that an action may ask for.
const maxTimeout = time.Hour

func timeoutOf(given string) (time.Duration, error) {
	if given == "" {
		return 0, nil
	}
	d, err := time.ParseDuration(given)
	if err != nil || d <= 0 || d > maxTimeout {
		return 0, fmt.Errorf("timeout: want a time such as 30s or 2m, at most %s, got %s", text.Span(maxTimeout), clip(given))
	}
	return d, nil
}

// injectionsOf reads the arguments that the host fills in, sorted by name.
func injectionsOf(context map[string]string) ([]catalog.Injection, error) {
	var all []catalog.Injection
	for field, from := range context {
		from, optional := strings.CutSuffix(from, "?")
		if !catalog.IsContextName(from) {
			return nil, fmt.Errorf("context: %s: unknown host value %s: use %s, or set.NAME", field, clip(from),
				strings.Join(catalog.ContextNames(), ", "))
		}
		all = append(all, catalog.Injection{Field: field, From: from, Optional: optional})
	}
	slices.SortFunc(all, func(a, b catalog.Injection) int { return strings.Compare(a.Field, b.Field) })
	return all, nil
}

// compensationOf reads the call that undoes one; nil without one.
func compensationOf(n *yaml.Node) (*catalog.Compensation, error) {
	var d struct {
		Action string    `yaml:"action"`
		Args   yaml.Node `yaml:"args"`
	}
	if n.IsZero() || n.Tag == "!!null" {
		return nil, nil
	}
	if err := decode(n, "compensate", &d); err != nil {
		return nil, err
	}
	if d.Action == "" {
		return nil, tree.FaultAt(n, "compensate: action is missing: want the id of the action that undoes a call")
	}
	c := &catalog.Compensation{ID: d.Action}
	if _, err := mapping(&d.Args, "compensate: args"); err != nil {
		return nil, err
	}
	if !d.Args.IsZero() {
		args, err := treeOf(&d.Args)
		if err != nil {
			return nil, err
		}
		c.Args, _ = args.Plain().(map[string]any)
	}
	if err := c.Validate(); err != nil {
		return nil, tree.FaultAt(n, "compensate: %v", err)
	}
	return c, nil
}

// effectsOf reads the effects that an action declares.
func effectsOf(n *yaml.Node) (effects []catalog.Effect, err error) {
	if n.IsZero() || n.Tag == "!!null" {
		return nil, nil
	}
	if n = followed(n); n.Kind != yaml.SequenceNode {
		return nil, tree.FaultAt(n, "effects: want a list of {kind, target, value}, got %s", kindOf(n))
	}
	for _, item := range n.Content {
		var d struct {
			Kind   string    `yaml:"kind"`
			Target string    `yaml:"target"`
			Value  yaml.Node `yaml:"value"`
		}
		if err := decode(item, "effects", &d); err != nil {
			return nil, err
		}
		e := catalog.Effect{Kind: d.Kind, Target: d.Target}
		if !d.Value.IsZero() {
			value, err := treeOf(&d.Value)
			if err != nil {
				return nil, err
			}
			e.Value = value.Plain()
		}
		if err := errors.Join(effect.CheckKind(e.Kind), e.Validate()); err != nil {
			return nil, tree.FaultAt(item, "effects: %v", err)
		}
		effects = append(effects, e)
	}
	return effects, nil
}
