// Package arazzo turns the workflows of an Arazzo document into composed actions: 1.0, as JSON or YAML.
//
//	Kind      a document as a source; the documents that it names are sources beside it
//	compiler  reads a workflow into data, in which all expressions have been parsed
//	criteria  conditions, regular expressions and JSONPath
//	resolve   finds the operations among the entries of all sources, and writes the bodies
//
// The body of a workflow is Lua that is the same for all, with the workflow as a table in front of it. So each step
// takes the call path: view, policy, approval, trace. What is not known of a document fails with its place, and costs
// the workflow.
//
// Start at Kind and source.load.
package arazzo

import (
	"bytes"
	"cmp"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"almanac/catalog"
	"almanac/catalog/lua"
	"almanac/catalog/openapi"
	"almanac/catalog/regular"
	"almanac/catalog/secret"
	"almanac/catalog/source"
	"almanac/catalog/text"
	"almanac/catalog/tree"
	"almanac/catalog/verb"
	"almanac/catalog/web"
)

//go:embed runtime.lua
var runtime string

const (
	// maxDocument bounds a document, in bytes, maxWorkflows how many of it are read, and maxDocuments what it names.
	maxDocument  = 16 << 20
	maxWorkflows = 500
	maxDocuments = 20
)

// needTime bounds the fetching of a document at an address, when the documents that it names are looked for.
const needTime = 10 * time.Second

// Kind is arazzo:FILE-or-URL, and a file recognised by its key. The OpenAPI documents that it names are sources of
// their own.
func Kind() source.Kind {
	return source.Kind{
		Prefix: "arazzo", Forms: []string{"arazzo:FILE-or-URL"}, About: "workflows over OpenAPI documents",
		TopKeys: []string{"arazzo"}, Beside: true,
		Named: func(r source.Ref) string { return nameOf(r.Rest) },
		Needs: func(r source.Ref, h source.Host) (all []string) {
			ctx, cancel := context.WithTimeout(context.Background(), needTime)
			defer cancel()
			s := newFlows(r, h)
			root, err := s.read(ctx)
			if err != nil {
				return nil // loading tells it
			}
			documents, _ := s.documents(root)
			for _, d := range documents {
				all = append(all, "openapi:"+d.address)
			}
			return all
		},
		Open: func(r source.Ref, h source.Host) ([]source.Source, []catalog.Skip, error) {
			s := newFlows(r, h)
			made := source.Source{Name: s.source, Overlays: true, Load: s.load}
			if !isAddress(s.file) {
				made.Watch = source.WatchFile(s.file, 0)
			}
			return []source.Source{made}, nil, nil
		},
	}
}

// newFlows is the document of a source. At an address it may name servers of its own origin, and those that the
// configuration allows it.
func newFlows(r source.Ref, h source.Host) *flows {
	s := &flows{file: r.Rest, name: cmp.Or(r.Name, nameOf(r.Rest))}
	s.source, _ = secret.Place(r.As("arazzo:" + r.Rest))
	if isAddress(s.file) && h.Access != nil {
		s.allow = h.Access(r.Name, "allow").Allow
	}
	return s
}

// isAddress tells an address of the web from a file.
func isAddress(file string) bool {
	return strings.HasPrefix(file, "https://") || strings.HasPrefix(file, "http://")
}

// nameOf is what the ids of a document begin with: its file, without what such files are called.
func nameOf(file string) string {
	if u, err := url.Parse(file); err == nil && u.Host != "" {
		file = u.Path
	}
	name, _, _ := strings.Cut(filepath.Base(filepath.ToSlash(file)), ".")
	return cmp.Or(strings.Trim(verb.Segment(name), "_"), "workflows")
}

// flows is one document as a source.
type flows struct {
	file, source, name string
	allow              []string
}

// A described is a sourceDescription of an OpenAPI document: its name, and its absolute path or URL.
type described struct{ name, address string }

func (s *flows) read(ctx context.Context) (*tree.Node, error) {
	raw, shown, err := []byte(nil), source.Address(s.source), error(nil)
	if isAddress(s.file) {
		raw, err = openapi.Fetch(ctx, s.file, maxDocument, nil)
	} else {
		raw, err = regular.Read(s.file, maxDocument)
		shown = s.file
	}
	if err != nil {
		return nil, err
	}
	root, err := tree.Parse(bytes.TrimSpace(raw))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", shown, err)
	}
	if v := root.Get("arazzo").Scalar(); !strings.HasPrefix(v, "1.0") {
		return nil, fmt.Errorf("%s: arazzo: want version 1.0, got %q", shown, text.LineBytes(v, 20))
	}
	return root, nil
}

// documents are the OpenAPI documents that a document names, and those that it may not name. A relative one starts at
// the document's folder.
func (s *flows) documents(root *tree.Node) (all []described, refused []catalog.Skip) {
	for _, item := range root.Get("sourceDescriptions").Items() {
		name, at := item.Get("name").Str(), item.Get("url").Str()
		if kind := item.Get("type").Str(); kind != "" && kind != "openapi" || at == "" || len(all) == maxDocuments {
			continue
		}
		at, err := s.at(at)
		if err != nil {
			refused = append(refused, catalog.Skip{ID: "sourceDescriptions." + text.LineBytes(name, 60), Source: s.source,
				Reason: err.Error()})
			continue
		}
		all = append(all, described{name, at})
	}
	return all, refused
}

// at is the place of a document that the document names.
func (s *flows) at(named string) (string, error) {
	if isAddress(s.file) {
		own, err := url.Parse(s.file)
		if err != nil {
			return "", errors.New("the address of the document is invalid")
		}
		u, err := own.Parse(named)
		if err != nil || !isAddress(u.String()) {
			return "", errors.New("not an address that can be read")
		}
		reach, err := web.New(web.Options{Origins: []string{s.file}, Access: web.Access{Allow: s.allow}})
		if err != nil {
			return "", err
		}
		there, err := web.New(web.Options{Origins: []string{u.String()}})
		if err != nil {
			return "", err
		}
		if reach.Covers(there) != nil {
			return "", fmt.Errorf("it is not read: %s is another server; allow in [sources.NAME] of the configuration names "+
				"further servers", text.LineBytes(u.Host, 100))
		}
		return u.String(), nil
	}
	switch {
	case isAddress(named):
	case strings.Contains(named, "://"):
		return "", errors.New("neither a file nor an http address")
	case !filepath.IsAbs(named):
		named = filepath.Join(filepath.Dir(s.file), filepath.FromSlash(named))
	}
	return named, nil
}

// load makes an entry of each workflow. Its body is written by the overlay, which knows the operations.
func (s *flows) load(ctx context.Context, _ func(source.Reading)) (catalog.Batch, error) {
	root, err := s.read(ctx)
	if err != nil {
		return catalog.Batch{}, err
	}
	items := root.Get("workflows").Items()
	if len(items) == 0 {
		return catalog.Batch{}, errors.New("no workflows in it")
	}
	b := catalog.Batch{Found: len(items)}
	skip := func(id string, err error) {
		b.Skipped = append(b.Skipped, catalog.Skip{ID: text.LineBytes(id, 100), Source: s.source, Reason: err.Error()})
	}
	var names []string
	ids, taken := map[string]string{}, map[string]bool{}
	for i, item := range items {
		name := item.Get("workflowId").Str()
		id := s.name + "." + strings.Trim(verb.Segment(name), "_")
		switch {
		case i >= maxWorkflows:
			skip(name, fmt.Errorf("more than %d workflows", maxWorkflows))
		case !idForm.MatchString(name) || catalog.CheckID(id) != nil || strings.HasSuffix(id, "."):
			skip(name, fault(fmt.Sprintf("workflows[%d].workflowId", i), "want letters, digits, _ and -"))
		case ids[name] != "" || taken[id]:
			skip(name, fault(fmt.Sprintf("workflows[%d].workflowId", i), "another has this id"))
		default:
			names, ids[name], taken[id] = append(names, name), id, true
		}
	}
	docs, refused := s.documents(root)
	b.Mended = refused
	r := &resolver{flows: s, documents: docs, ids: ids, byID: map[string]workflow{}}
	for i, item := range items {
		name := item.Get("workflowId").Str()
		if i >= maxWorkflows || ids[name] == "" || r.byID[ids[name]].name != "" {
			continue
		}
		c := &compiler{root: root, workflows: names}
		for _, d := range docs {
			c.documents = append(c.documents, d.name)
		}
		w, err := c.workflow(item, "workflows."+name)
		var e catalog.Entry
		if err == nil {
			w.id = ids[name]
			e, err = s.entry(root, item, w)
		}
		if err != nil {
			skip(ids[name], err)
			continue
		}
		r.byID[w.id] = w
		b.Entries = append(b.Entries, e)
	}
	slices.SortFunc(b.Entries, func(x, y catalog.Entry) int { return strings.Compare(x.ID, y.ID) })
	b.Overlay = r.overlay
	return b, nil
}

// entry is that of a workflow as far as its document tells: until its operations are known it counts as a write that
// fails.
func (s *flows) entry(root, n *tree.Node, w workflow) (catalog.Entry, error) {
	var says []string
	for _, part := range []string{"summary", "description"} {
		if line := text.Clean(n.Get(part).Str()); line != "" && !slices.Contains(says, line) {
			says = append(says, strings.TrimRight(line, ". ")+".")
		}
	}
	var steps []string
	for _, st := range w.steps {
		steps = append(steps, st.id)
	}
	says = append(says, "Steps: "+text.LineBytes(strings.Join(steps, ", "), 500)+".")
	e := catalog.Entry{ID: w.id, Title: text.LineBytes(n.Get("summary").Str(), 120), Source: s.source,
		Description: strings.Join(says, " "), Operation: catalog.Update, Mutates: true, Risk: catalog.Medium,
		Lua: `error("the operations of the workflow are not known", 0)` + "\n--" + lua.Literal(w.data(nil), lua.Options{})}
	inputs, err := schemaOf(root, n.Get("inputs"))
	if err != nil {
		return e, fault("workflows."+w.name+".inputs", "%v", err)
	}
	if e.Input, err = catalog.ParseSchema(inputs); err == nil {
		err = e.Input.Usable()
	}
	if err != nil {
		return e, fault("workflows."+w.name+".inputs", "%v", err)
	}
	return e, nil
}

// schemaOf is the schema of inputs, with those of the components that it refers to.
func schemaOf(root, n *tree.Node) ([]byte, error) {
	const components = "#/components/inputs/"
	if n == nil {
		return []byte(`{"type":"object","properties":{}}`), nil
	}
	for hops := 0; strings.HasPrefix(n.Get("$ref").Str(), components); hops++ {
		if n = root.At("components", "inputs", strings.TrimPrefix(n.Get("$ref").Str(), components)); n == nil || hops > 10 {
			return nil, fmt.Errorf("its $ref leads to nothing under components.inputs")
		}
	}
	if !n.Is(tree.Object) {
		return nil, fmt.Errorf("want a schema of an object")
	}
	whole := &tree.Node{Kind: tree.Object, Names: slices.Clone(n.Names), Values: slices.Clone(n.Values)}
	if defs := root.At("components", "inputs"); defs.Is(tree.Object) && n.Get("$defs") == nil {
		whole.Names, whole.Values = append(whole.Names, "$defs"), append(whole.Values, defs)
	}
	if n.Get("type") == nil {
		whole.Names = append(whole.Names, "type")
		whole.Values = append(whole.Values, &tree.Node{Kind: tree.Text, Text: "object"})
	}
	return bytes.ReplaceAll(whole.AppendJSON(nil), []byte(`"`+components), []byte(`"#/$defs/`)), nil
}

// data is the workflow as its body reads it. calls says what each step calls; nil leaves the names of the document.
func (w workflow) data(calls []called) map[string]any {
	steps := []any{}
	for i, s := range w.steps {
		d := map[string]any{"id": s.id, "action": s.calls.String()}
		parameters := []any{}
		for k, p := range s.parameters {
			argument := p.in + " " + p.name
			if calls != nil {
				argument = calls[i].arguments[k]
			}
			parameters = append(parameters, map[string]any{"argument": argument, "value": p.value})
		}
		d["parameters"] = parameters
		if s.body != nil {
			d["body"] = s.body
		}
		if len(s.replacements) > 0 {
			d["replacements"] = s.replacements
		}
		for name, part := range s.rest {
			d[name] = part
		}
		if calls != nil {
			d["action"] = calls[i].id
			if s.body != nil {
				whole, fields, open, _ := calls[i].operation.Body()
				if whole != "" {
					d["whole"] = whole
				}
				names := map[string]any{}
				for name, argument := range fields {
					names[name] = argument
				}
				d["fields"], d["open"] = names, open
			}
		}
		steps = append(steps, d)
	}
	return map[string]any{"id": w.name, "most": mostDone, "steps": steps, "outputs": w.outputs}
}

// A called is what a step calls.
type called struct {
	id        string
	entry     *catalog.Entry
	operation openapi.Operation
	arguments []string // of the step's parameters
}
