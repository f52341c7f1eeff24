package openapi

// This file turns a document's operations into entries.

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"almanac/catalog"
	"almanac/catalog/secret"
	"almanac/catalog/source"
	"almanac/catalog/text"
	"almanac/catalog/tree"
	"almanac/catalog/web"
)

// A loader reads one document once.
type loader struct {
	d        *document
	o        options
	name     string
	servers  servers
	progress func(source.Reading)
	// health is why the first operation that cannot be called is blocked.
	health  error
	blocked []string
	batch   catalog.Batch
}

func (l *loader) load(ctx context.Context) (catalog.Batch, *web.Client, error) {
	ops, skipped, found := l.d.operations(l.o.Source)
	l.batch.Skipped, l.batch.Found = skipped, found
	for _, op := range ops {
		op.name = nameOf(op, first(op.tags, ""))
	}
	assign(ops, l.name)
	slices.SortFunc(ops, func(a, b *operation) int { return strings.Compare(a.id, b.id) })
	patterns, keys := map[string]bool{}, l.d.keys()
	out := &outputs{d: l.d, patterns: patterns, known: map[*tree.Node]*catalog.Schema{}, told: map[*tree.Node][]string{}}
	bound := &binding{bound: make(chan struct{})}
	defer close(bound.bound)
	for i, op := range ops {
		if ctx.Err() != nil {
			return catalog.Batch{}, nil, context.Cause(ctx)
		}
		e, call, err := l.entry(op, out, patterns, keys, bound)
		if err != nil {
			l.batch.Skipped = append(l.batch.Skipped, catalog.Skip{ID: op.id, Source: l.o.Source, Reason: err.Error()})
			continue
		}
		l.batch.Entries = append(l.batch.Entries, e)
		if op.id != op.wanted {
			l.batch.Renamed = append(l.batch.Renamed, catalog.Skip{
				ID: op.id, Source: l.o.Source, Reason: fmt.Sprintf("%s is taken (%s %s)", op.wanted, strings.ToUpper(op.method),
					text.LineBytes(op.path, 100)),
			})
		}
		op.release()
		call.paging = pagingOf(op)
		if l.progress != nil && i%100 == 0 {
			l.progress(source.Reading{Found: i + 1, Percent: parsed + (100-parsed)*i/len(ops), Entries: l.batch.Entries})
		}
	}
	client, err := web.New(web.Options{Origins: l.servers.all, Vault: l.o.Vault, MaxBody: l.o.MaxBody})
	if err != nil {
		return catalog.Batch{}, nil, err
	}
	bound.client = client
	if l.health != nil && len(l.blocked) < len(l.batch.Entries) {
		l.health = &source.PartlyError{Blocked: l.blocked, All: len(l.batch.Entries), Err: l.health}
	}
	return l.batch, client, nil
}

// entry makes one entry.
func (l *loader) entry(op *operation, out *outputs, patterns, keys map[string]bool,
	bound *binding) (catalog.Entry, *caller, error) {
	e := catalog.Entry{
		ID: op.id, Title: op.title(), Description: op.describe(), Source: l.o.Source, Entities: entities(op),
	}
	if err := catalog.CheckID(e.ID); err != nil {
		return e, nil, err
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
		return e, nil, fmt.Errorf("its arguments: %w", err)
	}
	var more []string
	e.Output, more = out.output(op)
	for _, reason := range slices.Concat(mended, more) {
		l.batch.Mended = append(l.batch.Mended, catalog.Skip{ID: e.ID, Source: l.o.Source, Reason: reason})
	}
	base, err := l.servers.of(op)
	call := &caller{binding: bound, op: op, read: !e.Mutates, base: base, broken: err}
	var from *url.URL
	if err == nil {
		from, _ = url.Parse(base)
		shown, _ := secret.Address(base)
		e.Target = strings.ToUpper(op.method) + " " + shown + op.path
	}
	call.auth = l.d.auth(op, from, l.o, l.name)
	l.o.Vault.Expect(call.auth)
	reason := err
	if wanted := l.o.Vault.Wanted(call.auth); err == nil && len(wanted) > 0 {
		reason = errors.New("no credential: set it in the environment or the system keyring as " + strings.Join(wanted, ", "))
	}
	if reason != nil {
		l.blocked = append(l.blocked, e.ID)
		l.health = cmp.Or(l.health, reason)
	}
	e.Examples = l.example(op, e.Input)
	e.Action, e.Paged, e.SendsKey = call.run, true, true
	e.Title, e.Description = strings.Clone(e.Title), strings.Clone(e.Description)
	for i := range e.Tags {
		e.Tags[i] = strings.Clone(e.Tags[i])
	}
	return e, call, nil
}
