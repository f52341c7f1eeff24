package openapi

// This file turns a document's operations into entries.

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"

	"almanac/catalog"
	"almanac/catalog/secret"
	"almanac/catalog/source"
	"almanac/catalog/text"
	"almanac/catalog/tree"
	"almanac/catalog/web"
	"almanac/catalog/web/login"
)

// A loader reads one document once.
type loader struct {
	d        *document
	o        options
	name     string
	servers  servers
	progress func(source.Reading)
	kept     kept
	products []string // what the document says that it is about
	batch    catalog.Batch
}

// load makes the entries, whose actions wait for bind.
func (l *loader) load(ctx context.Context, bind *binding) error {
	ops, skipped, found := l.d.operations(l.o.Source)
	l.batch.Skipped, l.batch.Found = skipped, found
	habit := habitOf(ops, l.name)
	for _, product := range []string{titleName(l.d.root.At("info", "title").Str()), fileName(l.o.From)} {
		if product != "" && product != l.name {
			l.products = append(l.products, strings.Clone(product))
		}
	}
	for _, op := range ops {
		op.name = habit.nameOf(op, first(op.tags, ""))
	}
	assign(ops, l.name)
	slices.SortFunc(ops, func(a, b *operation) int { return strings.Compare(a.id, b.id) })
	patterns, keys := map[string]bool{}, l.d.keys()
	for _, place := range l.o.Access.Places() {
		keys[place] = true
	}
	out := &outputs{d: l.d, patterns: patterns, known: map[*tree.Node]*catalog.Schema{}, told: map[*tree.Node][]string{}}
	l.kept = kept{Name: l.name, Keys: slices.Sorted(maps.Keys(keys)), Notes: slices.Clone(l.d.notes)}
	for i, op := range ops {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		e, err := l.entry(op, out, patterns, keys)
		if err != nil {
			l.batch.Skipped = append(l.batch.Skipped, catalog.Skip{ID: op.id, Source: l.o.Source, Reason: err.Error()})
			continue
		}
		bind.attach(&e)
		l.batch.Entries = append(l.batch.Entries, e)
		if op.id != op.wanted {
			l.batch.Renamed = append(l.batch.Renamed, catalog.Skip{
				ID: op.id, Source: l.o.Source, Reason: fmt.Sprintf("%s is taken (%s %s)", op.wanted, strings.ToUpper(op.method),
					text.LineBytes(op.path, 100)),
			})
		}
		if l.progress != nil && i%100 == 0 {
			made := l.batch.Entries // the caller may ask for them while they are linked
			l.progress(source.Reading{Found: i + 1, Percent: parsed + (100-parsed)*i/len(ops),
				Entries: func() []catalog.Entry { return made }})
		}
	}
	l.link(ops)
	l.unsupported()
	if l.d.others != nil {
		l.kept.Files = l.d.others.files
	}
	var t login.Target
	l.kept.Logins = l.d.asks(&t) != ""
	l.batch.Attach = bind.attach
	var err error
	l.batch.Kept, err = json.Marshal(l.kept)
	return err
}

// link adds to the entries what their links say. Readers of a part may have the entries as they were.
func (l *loader) link(ops []*operation) {
	links, byID := newLinker(l.d, ops), map[string]*operation{}
	for _, op := range ops {
		byID[op.id] = op
	}
	l.batch.Entries = slices.Clone(l.batch.Entries)
	made := map[string]bool{}
	for i := range l.batch.Entries {
		made[l.batch.Entries[i].ID] = true
	}
	for i := range l.batch.Entries {
		e := &l.batch.Entries[i]
		supplies, lost := links.supplies(byID[e.ID])
		e.Supplies = slices.DeleteFunc(supplies, func(s catalog.Supply) bool { return !made[s.ID] })
		for _, reason := range lost {
			l.batch.Mended = append(l.batch.Mended, catalog.Skip{ID: e.ID, Source: l.o.Source, Reason: reason})
		}
	}
}

var errNoCredential = errors.New("no credential")

// unused notes the variables that look like credentials of the source and that no operation uses.
func (a *api) unused(name string, used map[string]bool) (notes []catalog.Skip) {
	for _, what := range []string{"TOKEN", "KEY", "USER", "PASSWORD", "CLIENT_ID", "CLIENT_SECRET"} {
		if variable := web.EnvName(name, what); !used[variable] && a.o.Vault.InEnvironment(variable) {
			notes = append(notes, catalog.Skip{ID: variable, Source: a.o.Source, Reason: "it is set, and " +
				"no action uses it: the document asks for no such credential; [sources." + name +
				"] in the configuration can send it"})
		}
	}
	return notes
}

// unsupported notes the schemes that no credential can be given for.
func (l *loader) unsupported() {
	l.d.schemes().Each(func(name string, n *tree.Node) {
		n = l.d.soft(n)
		kind := n.Get("type").Str()
		if kind == "http" {
			kind = strings.ToLower(n.Get("scheme").Str())
		}
		reason := ""
		switch {
		case kind == "digest":
			reason = "digest is not supported: actions that need it are called without"
		case kind == "mutualTLS" && l.o.Access.Certificate.Cert == "":
			reason = "mutual TLS: set cert and key in [sources." + l.name + "]"
		default:
			return
		}
		l.kept.Notes = append(l.kept.Notes, catalog.Skip{
			ID: text.LineBytes(name, 60), Source: l.o.Source, Reason: reason})
	})
}

// entry makes one entry.
func (l *loader) entry(op *operation, out *outputs, patterns, keys map[string]bool) (catalog.Entry, error) {
	e := catalog.Entry{
		ID: op.id, Title: op.title(), Source: l.o.Source, Entities: entities(op), Products: l.products,
	}
	if err := catalog.CheckID(e.ID); err != nil {
		return e, err
	}
	for _, tag := range op.tags {
		if tag = text.LineBytes(tag, 60); tag != "" && len(e.Tags) < 8 {
			e.Tags = append(e.Tags, tag)
		}
	}
	commands, free := l.d.commands(op)
	effects(op, commands, free, &e)
	var mended []string
	var err error
	if e.Input, mended, err = l.d.input(op, patterns, keys); err != nil {
		return e, fmt.Errorf("its arguments: %w", err)
	}
	e.Description = op.describe(e.Input)
	var more []string
	e.Output, more = out.output(op)
	for _, reason := range slices.Concat(mended, more) {
		l.batch.Mended = append(l.batch.Mended, catalog.Skip{ID: e.ID, Source: l.o.Source, Reason: reason})
	}
	g := group{}
	g.Server, g.Broken = l.servers.find(op)
	base, err := l.servers.at(g.Server, g.Broken)
	var from *url.URL
	if err == nil {
		from, _ = url.Parse(base)
		shown, _ := secret.Address(base)
		e.Target = strings.ToUpper(op.method) + " " + shown + op.path
	}
	g.Auth = l.d.auth(op, from, l.o, l.name)
	e.Timeout = l.o.Access.Timeout
	e.Examples = l.example(op, e.Input)
	e.Paged, e.SendsKey = true, true
	e.Title, e.Description = strings.Clone(e.Title), strings.Clone(e.Description)
	for i := range e.Tags {
		e.Tags[i] = strings.Clone(e.Tags[i])
	}
	made, err := json.Marshal(recipe{op.method, op.path, op.operationID, op.plan, !e.Mutates, l.kept.group(g, e.ID)})
	e.Recipe = string(made)
	return e, err
}
