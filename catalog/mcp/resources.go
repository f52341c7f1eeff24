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
	"github.com/yosida95/uritemplate/v3"

	"almanac/catalog"
)

// readerName is the last part of the id of the action that reads any resource.
const readerName = "read"

// resourceEntries makes a read action of every resource and every template, and one that reads any address, since tools
// may return links to resources. A server that lists neither has none.
func (r *reading) resourceEntries(names *naming) (entries []catalog.Entry, renamed []catalog.Skip) {
	has := r.session.InitializeResult().Capabilities
	if has == nil || has.Resources == nil || len(r.resources)+len(r.templates) == 0 {
		return nil, nil
	}
	below := naming{source: names.source, prefix: names.prefix + "resources.", flat: true, taken: names.taken}
	reader := below.prefix + readerName
	if below.taken[reader] {
		// The tool was there first: the reader takes another name, and says so.
		for below.taken[reader] {
			reader += "_"
		}
		renamed = append(renamed, catalog.Skip{ID: reader, Source: names.source,
			Reason: "the reader of resources: a tool has the id " + below.prefix + readerName})
	}
	below.taken[reader] = true
	entries = append(entries, r.reader(reader))
	slices.SortStableFunc(r.resources, func(a, b *sdk.Resource) int { return cmp.Compare(a.URI, b.URI) })
	slices.SortStableFunc(r.templates, func(a, b *sdk.ResourceTemplate) int {
		return cmp.Compare(a.URITemplate, b.URITemplate)
	})

	titles := make([]string, 0, len(r.resources)+len(r.templates))
	for _, x := range r.resources {
		titles = append(titles, cmp.Or(x.Name, x.URI))
	}
	for _, x := range r.templates {
		titles = append(titles, cmp.Or(x.Name, x.URITemplate))
	}
	ids, more := below.assign(titles)
	renamed = append(renamed, more...)
	for i, x := range r.resources {
		e := r.resourceEntry(ids[i], x.Title, cmp.Or(x.Description, "Read the resource "+cmp.Or(x.Name, x.URI)+"."))
		e.Aliases = []string{clean(x.URI, 200)}
		uri := x.URI
		e.Resource = listed(x.URI, x.Name, x.Title, x.Description, x.MIMEType)
		e.Resource.Args = func(asked string) (map[string]any, bool) { return map[string]any{}, asked == uri }
		e.Action = r.source.readAction(func(map[string]any) (string, error) { return uri, nil })
		entries = append(entries, e)
	}
	for i, x := range r.templates {
		t, err := uritemplate.New(x.URITemplate)
		if err != nil {
			r.skipped = append(r.skipped, catalog.Skip{ID: ids[len(r.resources)+i], Source: r.source.name(),
				Reason: "the URI template cannot be read: " + clean(err.Error(), 200)})
			continue
		}
		e := r.resourceEntry(ids[len(r.resources)+i], x.Title, cmp.Or(x.Description, "Read a resource by "+x.URITemplate+"."))
		e.Resource = listed(x.URITemplate, x.Name, x.Title, x.Description, x.MIMEType)
		e.Resource.Template, e.Resource.Args = true, templateArgs(t)
		e.Input, e.Aliases = templateInput(t), []string{clean(x.URITemplate, 200)}
		e.Action = r.source.readAction(func(args map[string]any) (string, error) { return expandTemplate(t, args) })
		entries = append(entries, e)
	}
	return entries, renamed
}

// listed is a resource as the server lists it.
func listed(uri, name, title, description, mime string) *catalog.Resource {
	return &catalog.Resource{
		URI: uri, Name: clean(cmp.Or(name, uri), 200), Title: clean(title, 200),
		Description: clean(description, maxDescription), MIME: clean(mime, 100),
	}
}

// templateArgs reads the variables of a template off an address.
func templateArgs(t *uritemplate.Template) func(string) (map[string]any, bool) {
	return func(uri string) (map[string]any, bool) {
		values := t.Match(uri)
		if values == nil {
			return nil, false
		}
		args := map[string]any{}
		for _, name := range t.Varnames() {
			args[name] = values.Get(name).String()
		}
		again, err := expandTemplate(t, args)
		return args, err == nil && again == uri
	}
}

func (r *reading) resourceEntry(id, title, description string) catalog.Entry {
	return catalog.Entry{
		ID: id, Title: clean(title, 200), Description: r.description(id, description), Operation: catalog.Read,
		Risk: catalog.Low, Tags: []string{"resource"}, Source: r.source.name(),
	}
}

func (r *reading) reader(id string) catalog.Entry {
	e := r.resourceEntry(id, "", "Read a resource of the server "+r.source.server.Name+
		" by its address, such as one that a tool answered with.")
	e.Input = catalog.MustSchema(
		`{"type":"object","properties":{"uri":{"type":"string","description":"the address of the resource"}},"required":["uri"],"additionalProperties":false}`)
	e.Action = r.source.readAction(func(args map[string]any) (string, error) {
		uri, _ := args["uri"].(string)
		return uri, nil
	})
	e.Resource = listed("{+uri}", r.source.server.Name, "", e.Description, "")
	e.Resource.Template = true
	e.Resource.Args = func(uri string) (map[string]any, bool) { return map[string]any{"uri": uri}, uri != "" }
	return e
}

// templateInput is a schema with the template's variables, all of them required strings.
func templateInput(t *uritemplate.Template) *catalog.Schema {
	properties := map[string]any{}
	names := t.Varnames()
	for _, name := range names {
		properties[name] = map[string]any{"type": "string"}
	}
	text, err := json.Marshal(map[string]any{"type": "object", "properties": properties, "required": names,
		"additionalProperties": false})
	if err != nil {
		return catalog.MustSchema(`{"type":"object"}`)
	}
	return catalog.MustSchema(string(text))
}

func expandTemplate(t *uritemplate.Template, args map[string]any) (string, error) {
	values := uritemplate.Values{}
	for name, value := range args {
		values.Set(name, uritemplate.String(fmt.Sprint(value)))
	}
	return t.Expand(values)
}

// readAction reads the resource whose address the arguments give. A missing resource gives no data.
func (s *serverSource) readAction(address func(args map[string]any) (string, error)) catalog.Action {
	return func(ctx context.Context, c catalog.Call) (catalog.Result, error) {
		uri, err := address(c.Args)
		if err != nil {
			return catalog.Result{}, err
		}
		conn, err := s.link.get(ctx)
		if err != nil {
			return catalog.Result{}, hinted(err)
		}
		on, _, stop := conn.begin(ctx, "", nil)
		defer stop()
		answer, err := conn.session.ReadResource(on, &sdk.ReadResourceParams{URI: uri})
		if err != nil {
			if text := strings.ToLower(err.Error()); ctx.Err() == nil && strings.Contains(text, "resource") &&
				strings.Contains(text, "not found") {
				return catalog.Result{Note: "not found"}, nil
			}
			return catalog.Result{}, s.failed(ctx, on, conn, err)
		}
		conn.answered("")
		if answer.NeedsInput() {
			return catalog.Result{}, errInput
		}
		values, note := make([]any, 0, len(answer.Contents)), ""
		for _, part := range answer.Contents {
			if part == nil {
				return catalog.Result{}, errors.New("the server answered with an empty part")
			}
			value, why := s.resource(ctx, part)
			values, note = append(values, value), cmp.Or(why, note)
		}
		switch len(values) {
		case 0:
			return catalog.Result{Note: noteEmpty}, nil
		case 1:
			if !catalog.Verbatim(ctx) {
				return catalog.Result{Data: values[0], Note: note}, nil
			}
		}
		return catalog.Result{Data: values, Note: note}, nil
	}
}
