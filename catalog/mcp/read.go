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
	// maxDescription is how much of a description is kept, in bytes.
	maxDescription = 4 << 10
)

// A reading reads a server's lists once.
type reading struct {
	source    *serverSource
	session   *sdk.ClientSession
	progress  func(source.Reading)
	tools     []*sdk.Tool
	resources []*sdk.Resource
	templates []*sdk.ResourceTemplate
	skipped   []catalog.Skip
	mended    []catalog.Skip
	found     int
}

// read requests all lists that the server declares.
func (r *reading) read(ctx context.Context) error {
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
			for _, t := range page.Tools {
				if t == nil || t.Name == "" {
					r.skipped = append(r.skipped, catalog.Skip{ID: "?", Source: r.source.name(), Reason: "a tool without a name"})
					continue
				}
				r.tools = append(r.tools, t)
			}
			return page.NextCursor, len(page.Tools), nil
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
		r.resources = append(r.resources, slices.DeleteFunc(page.Resources, func(x *sdk.Resource) bool {
			return x == nil || x.URI == ""
		})...)
		return page.NextCursor, len(page.Resources), nil
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
		r.templates = append(r.templates, slices.DeleteFunc(page.ResourceTemplates, func(x *sdk.ResourceTemplate) bool {
			return x == nil || x.URITemplate == ""
		})...)
		return page.NextCursor, len(page.ResourceTemplates), nil
	})
}

// pages follows the cursors of one list to its end.
func (r *reading) pages(list string, page func(cursor string) (next string, n int, err error)) error {
	seen := map[string]bool{}
	count := 0
	for cursor := ""; ; {
		next, n, err := page(cursor)
		if err != nil {
			return fmt.Errorf("%s/list: %w", list, err)
		}
		count += n
		r.found += n
		r.progress(source.Reading{Found: r.found})
		switch {
		case next == "":
			return nil
		case seen[next]:
			return fmt.Errorf("%s/list: the server keeps returning the same page", list)
		case count > maxListed:
			return fmt.Errorf("%s/list: more than %d", list, maxListed)
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
	r.tools = slices.CompactFunc(r.tools, func(a, b *sdk.Tool) bool {
		if a.Name == b.Name {
			r.skipped = append(r.skipped, catalog.Skip{ID: b.Name, Source: r.source.name(),
				Reason: "listed twice under this name"})
		}
		return a.Name == b.Name
	})
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
	slices.SortFunc(b.Entries, func(x, y catalog.Entry) int { return cmp.Compare(x.ID, y.ID) })
	b.Skipped, b.Mended = r.skipped, r.mended
	b.Found = len(b.Entries) + len(b.Skipped)
	return b
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
	if last := id[strings.LastIndexByte(id, '.')+1:]; t.Name != last {
		e.Aliases = []string{clean(t.Name, 200)}
	}
	does := effects(t)
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
// declared destructive, and not named like a mutation counts as a read.
func effects(t *sdk.Tool) verb.Effect {
	a := annotated(t)
	destroys := a.DestructiveHint != nil && *a.DestructiveHint
	promised := a.ReadOnlyHint && !destroys
	does := verb.Infer(verb.Hints{ReadOnly: promised, Names: []string{t.Name}, Text: t.Description})
	if !does.Mutates && !promised {
		does = verb.Effect{Operation: catalog.Update, Mutates: true, Risk: catalog.Medium}
	}
	if destroys {
		does.Risk = catalog.High
	}
	return does
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

// schema reads a schema of a tool; nil if it has none, or an invalid one, which is reported.
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
	}
	r.mend(id, fmt.Sprintf("its %s schema was dropped: %s", what, clean(err.Error(), 200)))
	return nil
}

var errInput = errors.New("the tool asks for more input, which is not supported here")
