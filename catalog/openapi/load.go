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
	"almanac/catalog/web/login"
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
	lacks   *url.URL        // the server of that action, where a credential is missing
	used    map[string]bool // the names that credentials are looked up by
	wanted  []string        // those of them that have no value, of any action
	blocked []string
	batch   catalog.Batch
}

func (l *loader) load(ctx context.Context) (catalog.Batch, *web.Client, error) {
	ops, skipped, found := l.d.operations(l.o.Source)
	l.batch.Skipped, l.batch.Found = skipped, found
	habit := habitOf(ops, l.name)
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
	l.used = map[string]bool{}
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
	client, err := web.New(web.Options{Origins: l.servers.all, Vault: l.o.Vault, Access: l.o.Access, MaxBody: l.o.MaxBody})
	if err != nil {
		return catalog.Batch{}, nil, err
	}
	bound.client = client
	if l.health == errNoCredential {
		l.health = errors.New("no credential: set it in the environment or the system keyring as " +
			strings.Join(l.wanted, ", ") + l.orLogin())
	}
	l.unused()
	if l.health != nil && len(l.blocked) < len(l.batch.Entries) {
		l.health = &source.PartlyError{Blocked: l.blocked, All: len(l.batch.Entries), Err: l.health}
	}
	return l.batch, client, nil
}

// orLogin adds that one may log in, where the document says who gives tokens.
func (l *loader) orLogin() string {
	var t login.Target
	if source := l.o.Access.Login.Source(); source != "" && l.d.asks(&t) != "" {
		return "; or run almanac login " + source
	}
	return ""
}

var errNoCredential = errors.New("no credential")

// unused notes the variables that look like credentials of the source and that no operation uses, and the schemes that
// no credential can be given for.
func (l *loader) unused() {
	for _, what := range []string{"TOKEN", "KEY", "USER", "PASSWORD", "CLIENT_ID", "CLIENT_SECRET"} {
		if name := web.EnvName(l.name, what); !l.used[name] && l.o.Vault.InEnvironment(name) {
			l.batch.Notes = append(l.batch.Notes, catalog.Skip{ID: name, Source: l.o.Source, Reason: "it is set, and " +
				"no action uses it: the document asks for no such credential; [sources." + l.name +
				"] in the configuration can send it"})
		}
	}
	l.d.schemes().Each(func(name string, n *tree.Node) {
		n = l.d.soft(n)
		kind := n.Get("type").Str()
		if kind == "http" {
			kind = strings.ToLower(n.Get("scheme").Str())
		}
		if kind == "digest" || kind == "mutualTLS" {
			l.batch.Notes = append(l.batch.Notes, catalog.Skip{ID: text.LineBytes(name, 60), Source: l.o.Source,
				Reason: kind + " is not supported: actions that need it are called without"})
		}
	})
}

// entry makes one entry.
func (l *loader) entry(op *operation, out *outputs, patterns, keys map[string]bool,
	bound *binding) (catalog.Entry, *caller, error) {
	e := catalog.Entry{
		ID: op.id, Title: op.title(), Source: l.o.Source, Entities: entities(op),
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
	e.Description = op.describe(e.Input)
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
	effective := l.o.Access.At(from).Over(call.auth)
	e.Timeout = l.o.Access.Timeout
	l.o.Vault.Expect(effective)
	for _, all := range effective {
		for _, a := range all {
			for _, name := range a.Names {
				l.used[name] = true
			}
		}
	}
	reason := err
	if wanted := l.o.Vault.Wanted(effective); err == nil && len(wanted) > 0 {
		for _, name := range wanted {
			if !slices.Contains(l.wanted, name) {
				l.wanted = append(l.wanted, name)
			}
		}
		reason = errNoCredential
		if l.health == nil {
			l.lacks = from
		}
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
