package mcp

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"almanac/catalog"
	"almanac/catalog/source"
	"almanac/catalog/verb"
)

const (
	// maxListed is how many tools, and how many resources, of one server are read.
	maxListed = 100_000
	// maxIdle is how many pages in a row may have nothing new.
	maxIdle = 20
	// maxDescription is how much of a description is kept, in bytes.
	maxDescription = 4 << 10
)

// A reading reads a server's lists once.
type reading struct {
	source    *serverSource
	session   *sdk.ClientSession
	progress  func(source.Reading)
	known     map[string]int // how often something was listed, by its kind and name
	tools     []*sdk.Tool
	prompts   []*sdk.Prompt
	resources []*sdk.Resource
	templates []*sdk.ResourceTemplate
	skipped   []catalog.Skip
	mended    []catalog.Skip
	found     int
}

// read requests all lists that the server declares.
func (r *reading) read(ctx context.Context) error {
	r.known = map[string]int{}
	has := r.session.InitializeResult().Capabilities
	if has == nil {
		has = &sdk.ServerCapabilities{}
	}
	if has.Tools != nil {
		err := r.pages("tools", func(cursor string) (string, int, error) {
			page, err := r.session.ListTools(ctx, &sdk.ListToolsParams{Cursor: cursor})
			if err != nil {
				return "", 0, err
			}
			return page.NextCursor, add(r, &r.tools, page.Tools, "tool", func(t *sdk.Tool) string { return t.Name }), nil
		})
		if err != nil {
			return err
		}
	}
	if has.Prompts != nil {
		err := r.pages("prompts", func(cursor string) (string, int, error) {
			page, err := r.session.ListPrompts(ctx, &sdk.ListPromptsParams{Cursor: cursor})
			if err != nil {
				return "", 0, err
			}
			return page.NextCursor, add(r, &r.prompts, page.Prompts, "prompt", func(p *sdk.Prompt) string { return p.Name }), nil
		})
		if err != nil {
			return err
		}
	}
	if has.Resources == nil {
		return nil
	}
	err := r.pages("resources", func(cursor string) (string, int, error) {
		page, err := r.session.ListResources(ctx, &sdk.ListResourcesParams{Cursor: cursor})
		if err != nil {
			return "", 0, err
		}
		return page.NextCursor, add(r, &r.resources, page.Resources, "", func(x *sdk.Resource) string { return x.URI }), nil
	})
	if err != nil {
		return err
	}
	return r.pages("resources/templates", func(cursor string) (string, int, error) {
		page, err := r.session.ListResourceTemplates(ctx, &sdk.ListResourceTemplatesParams{Cursor: cursor})
		if err != nil && strings.Contains(err.Error(), "ethod not found") {
			return "", 0, nil // templates are optional, but cannot be declared missing
		}
		if err != nil {
			return "", 0, err
		}
		return page.NextCursor, add(r, &r.templates, page.ResourceTemplates, "",
			func(x *sdk.ResourceTemplate) string { return x.URITemplate }), nil
	})
}

// add appends the items of a page that have a name which no other has, and returns how many. Of a kind that has a noun
// the others are reported.
func add[T any](r *reading, all *[]*T, page []*T, noun string, name func(*T) string) (fresh int) {
	for _, item := range page {
		id, why := "?", "a "+noun+" without a name, or with a value of a wrong type"
		if item != nil && name(item) != "" {
			id, why = name(item), "listed twice under this name"
			key := fmt.Sprintf("%T %s", item, id)
			if r.known[key]++; r.known[key] == 1 {
				*all = append(*all, item)
				fresh++
				continue
			}
			if r.known[key] > 2 {
				continue
			}
		}
		if noun != "" {
			r.skipped = append(r.skipped, catalog.Skip{ID: clean(id, 200), Source: r.source.name(), Reason: why})
		}
	}
	return fresh
}

// pages follows the cursors of one list to its end. One that does not end is cut, which is reported. page returns how
// many of its items are new.
func (r *reading) pages(list string, page func(cursor string) (next string, n int, err error)) error {
	seen := map[string]bool{}
	count, idle := 0, 0
	for cursor := ""; ; {
		next, n, err := page(cursor)
		if err != nil {
			return fmt.Errorf("%s/list: %w", list, err)
		}
		count += n
		r.found += n
		r.progress(source.Reading{Found: r.found})
		if idle++; n > 0 {
			idle = 0
		}
		why := ""
		switch {
		case next == "":
			return nil
		case seen[next]:
			why = "the server keeps returning the same page"
		case idle >= maxIdle:
			why = fmt.Sprintf("the last %d pages had nothing new, and the server offers more", idle)
		case count >= maxListed:
			why = fmt.Sprintf("more than %d", maxListed)
		}
		if why != "" {
			r.skipped = append(r.skipped, catalog.Skip{ID: list + "/list", Source: r.source.name(),
				Reason: "not read to its end: " + why})
			return nil
		}
		seen[next] = true
		cursor = next
	}
}

// batch turns what was read into entries, in the order of their ids.
func (r *reading) batch() catalog.Batch {
	b := catalog.Batch{}
	names := naming{source: r.source.name(), prefix: r.source.server.Name + ".", taken: map[string]bool{}}
	slices.SortStableFunc(r.tools, func(a, b *sdk.Tool) int { return cmp.Compare(a.Name, b.Name) })
	titles := make([]string, 0, len(r.tools))
	for _, t := range r.tools {
		titles = append(titles, t.Name)
	}
	ids, renamed := names.assign(titles)
	for i, t := range r.tools {
		b.Entries = append(b.Entries, r.tool(ids[i], t))
	}
	b.Renamed = renamed
	entries, renamed := r.resourceEntries(&names)
	b.Entries = append(b.Entries, entries...)
	b.Renamed = append(b.Renamed, renamed...)
	b.Entries = append(b.Entries, r.promptEntries(&names)...)
	if guide, _, _ := r.guide(); guide != "" {
		for i := range b.Entries {
			b.Entries[i].Guide = guide
		}
		b.Notes = append(b.Notes, catalog.Skip{Reason: "the server says: " + guide})
	}
	slices.SortFunc(b.Entries, func(x, y catalog.Entry) int { return cmp.Compare(x.ID, y.ID) })
	products := r.products()
	for i := range b.Entries {
		b.Entries[i].Products = products
		b.Entries[i].Timeout = r.source.options.Access.Timeout
	}
	b.Skipped, b.Mended = r.skipped, r.mended
	b.Found = len(b.Entries) + len(b.Skipped)
	return b
}

// products are what the server calls itself, without the words that every server has.
func (r *reading) products() (names []string) {
	info := r.session.InitializeResult().ServerInfo
	if info == nil {
		return nil
	}
	for _, name := range []string{info.Title, info.Name} {
		words := slices.DeleteFunc(verb.Words(clean(name, 60)), func(word string) bool {
			return strings.Contains(" mcp server the a an api ", " "+word+" ")
		})
		if name = strings.Join(words, " "); name != "" && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// tool makes the entry of a tool.
func (r *reading) tool(id string, t *sdk.Tool) catalog.Entry {
	e := catalog.Entry{
		ID: id, Title: clean(cmp.Or(t.Title, annotated(t).Title), 200), Description: r.description(id, t.Description),
		Source: r.source.name(), Input: r.schema(id, "input", t.InputSchema), Output: r.schema(id, "output", t.OutputSchema),
	}
	if e.Input == nil {
		e.Input = catalog.MustSchema(`{"type":"object"}`)
	}
	if e.Description == "" {
		e.Description = made(t.Name, e.Input)
	}
	if last := id[strings.LastIndexByte(id, '.')+1:]; t.Name != last {
		e.Aliases = []string{clean(t.Name, 200)}
	}
	does, doubtful := effects(t, r.source.options.TrustHints)
	if doubtful {
		r.mend(id, "it says that it only reads, its name and description do not: it counts as a write "+
			"(trust_hints = true in [sources."+r.source.server.Name+"] believes it)")
	}
	e.Mutates, e.Operation, e.Risk = does.Mutates, does.Operation, does.Risk
	e.Action = r.source.call(t.Name, !e.Mutates)
	return e
}

func annotated(t *sdk.Tool) sdk.ToolAnnotations {
	if t.Annotations == nil {
		return sdk.ToolAnnotations{}
	}
	return *t.Annotations
}

// effects infers what a tool does from its server's hints and its name. Only a tool that is declared read-only, not
// declared destructive, and not named like a mutation counts as a read; of a server that is not trusted only where its
// name or description says so too. doubtful tells that they do not.
func effects(t *sdk.Tool, trusted bool) (does verb.Effect, doubtful bool) {
	a := annotated(t)
	destroys := a.DestructiveHint != nil && *a.DestructiveHint
	promised := a.ReadOnlyHint && !destroys
	hints := verb.Hints{ReadOnly: promised, Names: []string{t.Name}, Text: t.Description}
	does = verb.Infer(hints)
	if promised && !does.Mutates && !trusted && !hints.SaysRead() {
		promised, doubtful = false, true
	}
	if !does.Mutates && !promised {
		does = verb.Effect{Operation: catalog.Update, Mutates: true, Risk: catalog.Medium}
	}
	if destroys {
		does.Risk = catalog.High
	}
	return does, doubtful
}

func (r *reading) description(id, text string) string {
	short := clean(text, maxDescription)
	if len(text) > maxDescription {
		r.mend(id, fmt.Sprintf("its description of %d bytes was cut", len(text)))
	}
	return short
}

func (r *reading) mend(id, reason string) {
	r.mended = append(r.mended, catalog.Skip{ID: id, Source: r.source.name(), Reason: reason})
}

// schema reads a schema of a tool; nil if it has none, or one that says nothing of use. What is left out is reported.
func (r *reading) schema(id, what string, given any) *catalog.Schema {
	if given == nil {
		return nil
	}
	text, err := json.Marshal(given)
	if err == nil {
		var s *catalog.Schema
		if s, err = catalog.ParseSchema(text); err == nil {
			err = s.Usable()
		}
		if err == nil {
			return s
		}
		mended, lost := catalog.MendedSchema(text)
		if mended != nil && len(lost) > 0 {
			r.mend(id, fmt.Sprintf("its %s schema was left open at %s", what, clean(strings.Join(lost, "; "), 300)))
			return mended
		}
	}
	r.mend(id, fmt.Sprintf("its %s schema was dropped: %s", what, clean(err.Error(), 200)))
	return nil
}

var errInput = errors.New("the tool asks for more input, which is not supported here")
