package mcp

// This file makes read actions of a server's prompts and of its instructions. Both are data for whoever asks for them.

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"almanac/catalog"
)

// maxInstructions is how much of a server's instructions is kept, maxGuide how much of them goes with its actions, in
// bytes.
const maxInstructions, maxGuide = 16 << 10, 600

// guide is the beginning of the server's instructions, on one line. whole is all of them, cut is set where that is
// more.
func (r *reading) guide() (guide, whole string, cut bool) {
	whole = clean(strings.TrimSpace(r.session.InitializeResult().Instructions), maxInstructions)
	line := strings.Join(strings.Fields(whole), " ")
	guide = clean(line, maxGuide)
	return guide, whole, guide != line
}

// promptEntries makes NAME.prompts.list, NAME.prompts.get, and NAME.instructions for instructions that are longer than
// what goes with every action, where the server has what they read.
func (r *reading) promptEntries(names *naming) (entries []catalog.Entry) {
	add := func(id, description, input string, action catalog.Action) {
		if id = names.prefix + id; names.taken[id] {
			r.skipped = append(r.skipped, catalog.Skip{ID: id, Source: r.source.name(), Reason: "a tool has the name"})
			return
		}
		names.taken[id] = true
		entries = append(entries, catalog.Entry{
			ID: id, Description: description, Operation: catalog.Read, Risk: catalog.Low, Source: r.source.name(),
			Input: catalog.MustSchema(input), Action: action,
		})
	}
	server := r.source.server.Name
	if _, text, cut := r.guide(); cut {
		add("instructions", "Read what the server "+server+" says about how it is to be used.",
			`{"type":"object","additionalProperties":false}`,
			func(context.Context, catalog.Call) (catalog.Result, error) { return catalog.Result{Data: text}, nil })
	}
	if len(r.prompts) == 0 {
		return entries
	}
	list, titles := make([]any, len(r.prompts)), make([]string, len(r.prompts))
	prompts := make([]catalog.Prompt, len(r.prompts))
	for i, p := range r.prompts {
		arguments := []any{}
		prompts[i] = catalog.Prompt{
			Name: p.Name, Title: clean(p.Title, 200), Description: clean(p.Description, maxDescription),
		}
		for _, a := range p.Arguments {
			if a != nil {
				arguments = append(arguments, map[string]any{"name": clean(a.Name, 200),
					"description": clean(a.Description, maxDescription), "required": a.Required})
				prompts[i].Arguments = append(prompts[i].Arguments, catalog.PromptArgument{Name: clean(a.Name, 200),
					Description: clean(a.Description, maxDescription), Required: a.Required})
			}
		}
		titles[i] = clean(p.Name, 200)
		list[i] = map[string]any{"name": p.Name, "title": clean(p.Title, 200),
			"description": clean(p.Description, maxDescription), "arguments": arguments}
	}
	add("prompts.list", "List the prompts of the server "+server+": "+clean(strings.Join(titles, ", "), 300)+".",
		`{"type":"object","additionalProperties":false}`,
		func(context.Context, catalog.Call) (catalog.Result, error) { return catalog.Result{Data: list}, nil })
	known, _ := json.Marshal(titles)
	add("prompts.get", "Get the messages of a prompt of the server "+server+", filled in with the arguments.",
		`{"type":"object","properties":{"name":{"type":"string","enum":`+string(known)+`},`+
			`"arguments":{"type":"object","additionalProperties":{"type":"string"}}},"required":["name"],`+
			`"additionalProperties":false}`, r.source.prompt)
	if last := len(entries) - 1; strings.HasSuffix(entries[last].ID, "prompts.get") {
		entries[last].Prompts = prompts
	}
	return entries
}

// prompt is the action of prompts.get.
func (s *serverSource) prompt(ctx context.Context, c catalog.Call) (catalog.Result, error) {
	params := &sdk.GetPromptParams{Arguments: map[string]string{}}
	params.Name, _ = c.Args["name"].(string)
	if given, ok := c.Args["arguments"].(map[string]any); ok {
		for name, value := range given {
			params.Arguments[name] = fmt.Sprint(value)
		}
	}
	conn, err := s.link.get(ctx)
	if err != nil {
		return catalog.Result{}, hinted(err)
	}
	on, _, stop := conn.begin(ctx, "", nil)
	defer stop()
	answer, err := conn.session.GetPrompt(on, params)
	switch {
	case err != nil:
		return catalog.Result{}, s.failed(ctx, on, conn, err)
	case answer.NeedsInput():
		return catalog.Result{}, errInput
	}
	conn.answered("")
	messages, note := make([]any, len(answer.Messages)), ""
	for i, m := range answer.Messages {
		if m == nil || m.Content == nil {
			return catalog.Result{}, errors.New("the server answered with an empty message")
		}
		var content any
		content, note = s.block(ctx, m.Content)
		messages[i] = map[string]any{"role": string(m.Role), "content": content}
	}
	return catalog.Result{Data: map[string]any{"description": clean(answer.Description, maxDescription),
		"messages": messages}, Note: note}, nil
}
