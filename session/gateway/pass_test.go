package gateway

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"almanac/catalog"
)

// library is a catalog of two sources that have a prompt and a resource of the same name and address.
func library(names ...string) *catalog.View {
	var entries []catalog.Entry
	text := func(words string) map[string]any { return map[string]any{"kind": "text", "text": words} }
	for _, name := range names {
		entries = append(entries,
			catalog.Entry{ID: name + ".prompts.get", Description: "Get a prompt.", Source: name,
				Input: catalog.MustSchema(`{"type":"object"}`),
				Prompts: []catalog.Prompt{{Name: "greet me", Description: "Greets.",
					Arguments: []catalog.PromptArgument{{Name: "who", Required: true}}}},
				Action: func(ctx context.Context, c catalog.Call) (catalog.Result, error) {
					if !catalog.Verbatim(ctx) {
						return catalog.Result{}, fmt.Errorf("not verbatim")
					}
					who := c.Args["arguments"].(map[string]any)["who"]
					return catalog.Result{Data: map[string]any{"description": "d", "messages": []any{
						map[string]any{"role": "user", "content": text(fmt.Sprintf("%s greets %v", name, who))}}}}, nil
				}},
			catalog.Entry{ID: name + ".resources.read", Description: "Read a resource.", Source: name,
				Input: catalog.MustSchema(`{"type":"object"}`),
				Resource: &catalog.Resource{URI: "{+uri}", Name: name, Template: true,
					Args: func(uri string) (map[string]any, bool) { return map[string]any{"uri": uri}, true }},
				Action: func(_ context.Context, c catalog.Call) (catalog.Result, error) {
					if c.Args["uri"] == "none" {
						return catalog.Result{Note: "not found"}, nil
					}
					part := text(name + ` has {"a": 1}`)
					part["uri"], part["mime_type"] = c.Args["uri"], "text/plain"
					return catalog.Result{Data: part}, nil
				}},
			catalog.Entry{ID: name + ".resources.notes", Description: "Read the notes.", Source: name,
				Resource: &catalog.Resource{URI: "file:///notes", Name: "notes", MIME: "text/plain",
					Args: func(uri string) (map[string]any, bool) { return map[string]any{}, uri == "file:///notes" }},
				Action: func(context.Context, catalog.Call) (catalog.Result, error) {
					return catalog.Result{Data: text("the notes of " + name)}, nil
				}})
	}
	all, _ := catalog.New(entries, catalog.Options{})
	return all.View()
}

// Prompts and resources of two sources are kept apart, go no further than the view, and their lists change with the
// catalog.
func TestPassedOn(t *testing.T) {
	for _, version := range []string{withHandshake, noHandshake} {
		t.Run(version, func(t *testing.T) { testPassedOn(t, version) })
	}
}

func testPassedOn(t *testing.T, version string) {
	b := newBench(t, Options{})
	b.version, b.view = version, library("one", "two", "secret")
	changed := make(chan string, 10)
	o := &sdk.ClientOptions{}
	if version == withHandshake {
		o.PromptListChangedHandler = func(context.Context, *sdk.PromptListChangedRequest) { changed <- "prompts" }
		o.ResourceListChangedHandler = func(context.Context, *sdk.ResourceListChangedRequest) { changed <- "resources" }
	}
	cs := b.dial(t, Client{Name: "c", Rules: catalog.Rules{DeniedNamespaces: []string{"secret"}}}, o)
	told := func() {
		t.Helper()
		for left := map[string]bool{"prompts": true, "resources": true}; len(left) > 0 && version == withHandshake; {
			select {
			case kind := <-changed:
				delete(left, kind)
			case <-time.After(10 * time.Second):
				t.Fatalf("not told of %v", left)
			}
		}
	}
	names := func() string {
		var all []string
		for p, err := range cs.Prompts(t.Context(), nil) {
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, p.Name)
		}
		for r, err := range cs.Resources(t.Context(), nil) {
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, r.URI)
		}
		for r, err := range cs.ResourceTemplates(t.Context(), nil) {
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, r.URITemplate)
		}
		slices.Sort(all)
		return strings.Join(all, " ")
	}
	want := "almanac://one/file:///notes almanac://one/{+uri} almanac://two/file:///notes almanac://two/{+uri} " +
		"one.greet me two.greet me"
	if got := names(); got != want {
		t.Fatalf("got  %s\nwant %s", got, want)
	}
	prompt, err := cs.GetPrompt(t.Context(),
		&sdk.GetPromptParams{Name: "two.greet me", Arguments: map[string]string{"who": "Ann"}})
	if err != nil || prompt.Messages[0].Content.(*sdk.TextContent).Text != "two greets Ann" {
		t.Errorf("%+v, %v", prompt, err)
	}
	for uri, want := range map[string]string{
		"almanac://two/file:///notes":    "the notes of two",
		"almanac://one/x:/a%20b?q=1#f":   `one has {"a": 1}`,
		"almanac://one/none":             "esource not found",
		"almanac://secret/file:///notes": "esource not found",
	} {
		r, err := cs.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: uri})
		got := fmt.Sprint(err)
		if err == nil {
			got = r.Contents[0].Text
			if r.Contents[0].URI != uri {
				t.Errorf("%s has the address %s", uri, r.Contents[0].URI)
			}
		}
		if !strings.Contains(got, want) {
			t.Errorf("%s: got %s, want %s", uri, got, want)
		}
	}
	told() // the first list has brought them in
	b.view = library("two", "secret")
	b.Renew(t.Context())
	if got := names(); got != "almanac://two/file:///notes almanac://two/{+uri} two.greet me" {
		t.Errorf("afterwards: %s", got)
	}
	told()
}
