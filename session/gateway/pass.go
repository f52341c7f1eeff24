package gateway

// This file passes prompts and resources of sources on to clients, as far as their views go. To get one is a call of
// the action that gets it: it takes the same call path.

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"reflect"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"almanac/catalog"
	"almanac/catalog/media"
	"almanac/catalog/secret"
	"almanac/llm/tools"
	"almanac/session"
)

// resourceScheme begins the address of a resource that is passed on: almanac://SOURCE/ADDRESS, so that two sources may
// have the same address.
const resourceScheme = "almanac://"

// mostPassed bounds how many prompts, and how many resources, a client is offered.
const mostPassed = 1000

// passed are the prompts and resources that a client is offered.
type passed struct {
	prompts   map[string]passedPrompt
	resources map[string]passedResource // templates too
}

type passedPrompt struct {
	id     string // of the action that gets it
	prompt catalog.Prompt
}

type passedResource struct {
	id, prefix string // of the action that reads it, and what stands before its address
	resource   *catalog.Resource
}

// passing are the prompts and resources of a view. Those without a name or an address that can be passed on are left
// out.
func (g *Gateway) passing(view *catalog.View) *passed {
	p := &passed{prompts: map[string]passedPrompt{}, resources: map[string]passedResource{}}
	cut := false
	for e := range view.Entries() {
		id := e.ID
		if e.Action == nil || e.Prompts == nil && e.Resource == nil {
			continue
		}
		source, _, _ := strings.Cut(id, ".")
		for _, prompt := range e.Prompts {
			if cut = cut || len(p.prompts) == mostPassed; !cut {
				p.prompts[source+"."+prompt.Name] = passedPrompt{id, prompt}
			}
		}
		if e.Resource == nil {
			continue
		}
		prefix := resourceScheme + source + "/"
		address := prefix + e.Resource.URI
		if _, err := url.Parse(address); err != nil && !e.Resource.Template {
			continue // the SDK takes none that it cannot parse
		}
		if cut = cut || len(p.resources) == mostPassed; !cut {
			p.resources[address] = passedResource{id, prefix, e.Resource}
		}
	}
	if cut {
		g.options.Log("more than %d prompts or resources: the others are not passed on", mostPassed)
	}
	return p
}

// pass offers a client the prompts and resources of its view: the first time, and again where the catalog or the client
// has changed. A client that has never asked for any is not told of changes.
func (g *Gateway) pass(ctx context.Context, m *member, again bool) {
	m.exposing.Lock()
	defer m.exposing.Unlock()
	if (m.passed == nil) == again {
		return
	}
	g.mu.Lock()
	c := m.client
	g.mu.Unlock()
	view, err := g.view(ctx, c)
	before := m.passed
	now := &passed{}
	switch {
	case err == nil:
		now = g.passing(view)
	case before == nil || ctx.Err() != nil:
		return
	}
	if before == nil {
		before = &passed{}
	}
	for _, server := range []*sdk.Server{m.server, m.stateless} {
		if server != nil {
			g.passPrompts(server, m, before.prompts, now.prompts)
			g.passResources(server, m, before.resources, now.resources)
		}
	}
	m.passed = now
}

func (g *Gateway) passPrompts(server *sdk.Server, m *member, before, now map[string]passedPrompt) {
	for name := range before {
		if _, ok := now[name]; !ok {
			server.RemovePrompts(name)
		}
	}
	for name, p := range now {
		if reflect.DeepEqual(before[name], p) {
			continue
		}
		shown := &sdk.Prompt{Name: name, Title: p.prompt.Title, Description: p.prompt.Description}
		for _, a := range p.prompt.Arguments {
			shown.Arguments = append(shown.Arguments,
				&sdk.PromptArgument{Name: a.Name, Description: a.Description, Required: a.Required})
		}
		server.AddPrompt(shown, func(ctx context.Context, r *sdk.GetPromptRequest) (*sdk.GetPromptResult, error) {
			given := map[string]any{}
			for name, value := range r.Params.Arguments {
				given[name] = value
			}
			data, err := g.fetched(ctx, m, p.id, map[string]any{"name": p.prompt.Name, "arguments": given},
				asCall(r.Session, r.Extra, r.Params.Meta))
			if err != nil {
				return nil, err
			}
			return g.promptOf(data)
		})
	}
}

func (g *Gateway) passResources(server *sdk.Server, m *member, before, now map[string]passedResource) {
	same := func(a, b passedResource) bool {
		if a.id != b.id || a.resource == nil || b.resource == nil {
			return false
		}
		x, y := *a.resource, *b.resource
		x.Args, y.Args = nil, nil
		return reflect.DeepEqual(x, y)
	}
	for address, r := range before {
		switch _, ok := now[address]; {
		case ok:
		case r.resource.Template:
			server.RemoveResourceTemplates(address)
		default:
			server.RemoveResources(address)
		}
	}
	for address, p := range now {
		if same(before[address], p) {
			continue
		}
		x := p.resource
		read := func(ctx context.Context, r *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
			args, ok := x.Args(strings.TrimPrefix(r.Params.URI, p.prefix))
			if !ok {
				return nil, sdk.ResourceNotFoundError(r.Params.URI)
			}
			data, err := g.fetched(ctx, m, p.id, args, asCall(r.Session, r.Extra, r.Params.Meta))
			if err != nil {
				return nil, err
			}
			return g.contentsOf(data, r.Params.URI, p.prefix)
		}
		if x.Template {
			server.AddResourceTemplate(&sdk.ResourceTemplate{
				URITemplate: address, Name: x.Name, Title: x.Title, Description: x.Description, MIMEType: x.MIME}, read)
			continue
		}
		server.AddResource(&sdk.Resource{
			URI: address, Name: x.Name, Title: x.Title, Description: x.Description, MIMEType: x.MIME}, read)
	}
}

// asCall is a request as that of a tool, which calls are made of.
func asCall(ss *sdk.ServerSession, extra *sdk.RequestExtra, meta sdk.Meta) *sdk.CallToolRequest {
	return &sdk.CallToolRequest{Session: ss, Extra: extra, Params: &sdk.CallToolParamsRaw{Meta: meta}}
}

// fetched calls an action for its data alone, as the client's call.
func (g *Gateway) fetched(ctx context.Context, m *member, id string, args map[string]any, r *sdk.CallToolRequest) (
	any, error) {
	var data any
	var failed error
	answer, err := g.serve(ctx, m, offered{name: id, alone: true,
		run: func(ctx context.Context, s *session.Session, _ json.RawMessage) (tools.Reply, error) {
			result, err := s.Call(catalog.WithVerbatim(ctx), session.Invocation{ID: id, Args: args})
			data, failed = result.Data, err
			return tools.Reply{}, nil
		}}, r)
	switch {
	case err != nil:
		return nil, err
	case failed != nil:
		return nil, errors.New(g.options.Secrets.Now().Text(failed.Error()))
	case answer.IsError:
		text, _ := answer.Content[0].(*sdk.TextContent)
		return nil, errors.New(strings.TrimPrefix(text.Text, "error: "))
	case answer.InputRequests != nil:
		return nil, fmt.Errorf("%s: it asks the person, which only calls of tools can", id)
	}
	return secret.Clean(g.options.Secrets.Now(), data), nil
}

// promptOf is a prompt as its action returns it.
func (g *Gateway) promptOf(data any) (*sdk.GetPromptResult, error) {
	table, _ := data.(map[string]any)
	messages, _ := table["messages"].([]any)
	result := &sdk.GetPromptResult{Messages: []*sdk.PromptMessage{}}
	result.Description, _ = table["description"].(string)
	for _, item := range messages {
		message, _ := item.(map[string]any)
		role, _ := message["role"].(string)
		content, err := g.contentOf(message["content"])
		if err != nil {
			return nil, err
		}
		result.Messages = append(result.Messages, &sdk.PromptMessage{Role: sdk.Role(role), Content: content})
	}
	return result, nil
}

// contentOf is one part of a prompt.
func (g *Gateway) contentOf(v any) (sdk.Content, error) {
	part, _ := v.(map[string]any)
	word := func(key string) string { s, _ := part[key].(string); return s }
	switch {
	case word("kind") == "link":
		return &sdk.ResourceLink{URI: word("uri"), Name: word("name"), Title: word("title"),
			Description: word("description"), MIMEType: word("mime_type")}, nil
	case word("kind") == "text" && word("uri") != "":
		return &sdk.EmbeddedResource{Resource: &sdk.ResourceContents{
			URI: word("uri"), MIMEType: word("mime_type"), Text: word("text")}}, nil
	case word("kind") == "text":
		return &sdk.TextContent{Text: word("text")}, nil
	}
	a, ok := media.Of(v)
	if !ok {
		return nil, fmt.Errorf("a part of kind %q cannot be passed on", word("kind"))
	}
	content, err := g.options.Media.Get(a.Handle)
	switch {
	case err != nil:
		return nil, err
	case a.Kind == "image":
		return &sdk.ImageContent{MIMEType: a.MIME, Data: content}, nil
	case a.Kind == "audio":
		return &sdk.AudioContent{MIMEType: a.MIME, Data: content}, nil
	}
	return &sdk.EmbeddedResource{Resource: &sdk.ResourceContents{
		URI: cmp.Or(word("uri"), a.Handle), MIMEType: a.MIME, Blob: content}}, nil
}

// contentsOf are the parts of a resource as its action returns them; nil is none.
func (g *Gateway) contentsOf(data any, asked, prefix string) (*sdk.ReadResourceResult, error) {
	if data == nil {
		return nil, sdk.ResourceNotFoundError(asked)
	}
	parts, ok := data.([]any)
	if !ok {
		parts = []any{data}
	}
	result := &sdk.ReadResourceResult{}
	for _, v := range parts {
		part, _ := v.(map[string]any)
		c := &sdk.ResourceContents{URI: asked}
		if own, _ := part["uri"].(string); own != "" {
			c.URI = prefix + own
		}
		c.MIMEType, _ = part["mime_type"].(string)
		if a, ok := media.Of(v); ok {
			content, err := g.options.Media.Get(a.Handle)
			if err != nil {
				return nil, err
			}
			c.Blob = content
		} else {
			c.Text, _ = part["text"].(string)
		}
		result.Contents = append(result.Contents, c)
	}
	return result, nil
}
