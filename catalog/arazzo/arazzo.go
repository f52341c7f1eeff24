// Package arazzo turns the workflows of an Arazzo document into composed actions: 1.0, as JSON or YAML.
//
//	Kind      a document as a source; the documents that it names are opened beside it
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
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"almanac/catalog"
	"almanac/catalog/lua"
	"almanac/catalog/openapi"
	"almanac/catalog/regular"
	"almanac/catalog/source"
	"almanac/catalog/text"
	"almanac/catalog/tree"
	"almanac/catalog/verb"
)

//go:embed runtime.lua
var runtime string

const (
	// maxDocument bounds a document, in bytes, maxWorkflows how many of it are read, and maxDocuments what it names.
	maxDocument  = 16 << 20
	maxWorkflows = 500
	maxDocuments = 20
)

// Kind is arazzo:FILE, and a file recognised by its key. documents opens the OpenAPI documents that it names.
func Kind(documents source.Kind) source.Kind {
	return source.Kind{
		Prefix: "arazzo", Forms: []string{"arazzo:FILE"}, About: "workflows over OpenAPI documents",
		TopKeys: []string{"arazzo"}, Beside: true,
		Named: func(r source.Ref) string { return nameOf(r.Rest) },
		Open: func(r source.Ref, h source.Host) ([]source.Source, []catalog.Skip, error) {
			s := &flows{file: r.Rest, source: r.As("arazzo:" + r.Rest), name: cmp.Or(r.Name, nameOf(r.Rest))}
			all := []source.Source{{
				Name: s.source, Overlays: true, Load: s.load, Watch: source.WatchFile(r.Rest, 0),
			}}
			root, err := s.read()
			if err != nil {
				return all, nil, nil // loading tells it
			}
			for _, d := range s.documents(root) {
				opened, _, err := documents.Open(source.Ref{Spec: "openapi:" + d.address, Rest: d.address}, h)
				if err != nil {
					return nil, nil, err
				}
				for i := range opened {
					opened[i].Beside = true
				}
				all = append(all, opened...)
			}
			return all, nil, nil
		},
	}
}

// nameOf is what the ids of a document begin with: its file, without what such files are called.
func nameOf(file string) string {
	name, _, _ := strings.Cut(filepath.Base(file), ".")
	return cmp.Or(strings.Trim(verb.Segment(name), "_"), "workflows")
}

// flows is one document as a source.
type flows struct{ file, source, name string }

// A described is a sourceDescription of an OpenAPI document: its name, and its absolute path or URL.
type described struct{ name, address string }

func (s *flows) read() (*tree.Node, error) {
	raw, err := regular.Read(s.file, maxDocument)
	if err != nil {
		return nil, err
	}
	root, err := tree.Parse(bytes.TrimSpace(raw))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.file, err)
	}
	if v := root.Get("arazzo").Scalar(); !strings.HasPrefix(v, "1.0") {
		return nil, fmt.Errorf("%s: arazzo: want version 1.0, got %q", s.file, text.LineBytes(v, 20))
	}
	return root, nil
}

// documents are the OpenAPI documents that a document names. A relative one starts at the document's folder.
func (s *flows) documents(root *tree.Node) (all []described) {
	for _, item := range root.Get("sourceDescriptions").Items() {
		address := item.Get("url").Str()
		if kind := item.Get("type").Str(); kind != "" && kind != "openapi" || address == "" || len(all) == maxDocuments {
			continue
		}
		if !strings.Contains(address, "://") {
			if !filepath.IsAbs(address) {
				address = filepath.Join(filepath.Dir(s.file), filepath.FromSlash(address))
			}
		} else if !strings.HasPrefix(address, "https://") && !strings.HasPrefix(address, "http://") {
			continue
		}
		all = append(all, described{item.Get("name").Str(), address})
	}
	return all
}

// load makes an entry of each workflow. Its body is written by the overlay, which knows the operations.
func (s *flows) load(context.Context, func(source.Reading)) (catalog.Batch, error) {
	root, err := s.read()
	if err != nil {
		return catalog.Batch{}, err
	}
	items := root.Get("workflows").Items()
	if len(items) == 0 {
		return catalog.Batch{}, fmt.Errorf("%s: no workflows in it", s.file)
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
	docs := s.documents(root)
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
