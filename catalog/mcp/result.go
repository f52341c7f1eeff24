package mcp

import (
	"cmp"
	"context"
	"encoding/json"
	"math"
	"reflect"
	"slices"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"almanac/catalog"
)

// The notes of a result.
const (
	noteParsed = "parsed from text"
	noteEmpty  = "no content"
	noteBinary = "has images, sounds or files"
)

// contents converts an answer to plain data: the structured content if there is one, else the single block's value, or
// the list of the blocks' values.
func (s *serverSource) contents(ctx context.Context, answer *sdk.CallToolResult) (data any, note string) {
	if answer.StructuredContent != nil {
		data := exact(answer)
		beside := slices.DeleteFunc(slices.Clone(answer.Content), func(c sdk.Content) bool {
			_, ok := c.(*sdk.TextContent)
			return ok
		})
		if len(beside) == 0 {
			return data, ""
		}
		if table, ok := data.(map[string]any); ok && table["content"] == nil { // such as a picture of the data
			more, note := s.blocks(ctx, beside)
			if _, ok := more.([]any); !ok {
				more = []any{more}
			}
			table["content"] = more
			return table, note
		}
		return data, "content beside the structured content was left out"
	}
	return s.blocks(ctx, answer.Content)
}

func (s *serverSource) blocks(ctx context.Context, list []sdk.Content) (data any, note string) {
	values := make([]any, 0, len(list))
	for _, c := range list {
		value, why := s.block(ctx, c)
		values = append(values, value)
		note = cmp.Or(why, note)
	}
	switch len(values) {
	case 0:
		return nil, noteEmpty
	case 1:
		return values[0], note
	}
	return values, note
}

// block is the value of one block.
func (s *serverSource) block(ctx context.Context, c sdk.Content) (value any, note string) {
	switch c := c.(type) {
	case *sdk.TextContent:
		if catalog.Verbatim(ctx) {
			return map[string]any{"kind": "text", "text": c.Text}, ""
		}
		return textValue(c.Text)
	case *sdk.ImageContent:
		return s.options.Media.Put("image", clean(c.MIMEType, 100), c.Data), noteBinary
	case *sdk.AudioContent:
		return s.options.Media.Put("audio", clean(c.MIMEType, 100), c.Data), noteBinary
	case *sdk.EmbeddedResource:
		if c.Resource == nil {
			return nil, noteEmpty
		}
		return s.resource(ctx, c.Resource)
	case *sdk.ResourceLink:
		link := map[string]any{"kind": "link", "uri": c.URI, "name": c.Name}
		for key, text := range map[string]string{"mime_type": c.MIMEType, "description": c.Description, "title": c.Title} {
			if text != "" {
				link[key] = text
			}
		}
		return link, ""
	}
	return map[string]any{"kind": "unknown"}, "content of an unknown kind"
}

// resource is the value of a resource: its text, parsed if it is JSON, or the table of its bytes.
func (s *serverSource) resource(ctx context.Context, r *sdk.ResourceContents) (value any, note string) {
	if r.Blob != nil {
		kind := "file"
		for _, media := range []string{"image", "audio"} {
			if strings.HasPrefix(r.MIMEType, media+"/") {
				kind = media
			}
		}
		table := s.options.Media.Put(kind, clean(r.MIMEType, 100), r.Blob)
		table["uri"] = r.URI
		return table, noteBinary
	}
	if catalog.Verbatim(ctx) {
		return map[string]any{"kind": "text", "text": r.Text, "uri": r.URI, "mime_type": clean(r.MIMEType, 100)}, ""
	}
	return textValue(r.Text)
}

// textValue is the value of a text: parsed if it is a JSON object or list, else the text itself. A lone number or word
// stays text, so that a tool's result does not change its type when its text happens to look like JSON.
func textValue(s string) (value any, note string) {
	trimmed := strings.TrimSpace(s)
	if strings.HasPrefix(trimmed, "{") || strings.HasPrefix(trimmed, "[") {
		if v, err := catalog.ParseJSON([]byte(trimmed)); err == nil {
			return v, noteParsed
		}
	}
	return s, ""
}

// exact is the structured content. The library reads its numbers as floats; servers send the same as text, from which
// integers beyond 2^53 are read exactly.
func exact(answer *sdk.CallToolResult) any {
	for _, c := range answer.Content {
		t, ok := c.(*sdk.TextContent)
		if !ok {
			continue
		}
		var loose any
		if json.Unmarshal([]byte(t.Text), &loose) != nil || !reflect.DeepEqual(loose, answer.StructuredContent) {
			continue
		}
		if v, err := catalog.ParseJSON([]byte(t.Text)); err == nil {
			return v
		}
	}
	return whole(answer.StructuredContent)
}

// whole converts floats with integer values to integers.
func whole(data any) any {
	return catalog.Copied(data, func(f float64) any {
		if f == float64(int64(f)) && f > -1<<53 && f < 1<<53 {
			return int64(f)
		}
		return f
	})
}

// inexact says why an effect with a rounded number is rejected.
const inexact = "a whole number beyond 2^53 is not read exactly from _meta: send it as a text"

// rounded reports whether a whole number in the value may not be the one that was sent.
func rounded(v any) bool {
	switch v := v.(type) {
	case float64:
		return v == math.Trunc(v)
	case []any:
		return slices.ContainsFunc(v, rounded)
	case map[string]any:
		for _, item := range v {
			if rounded(item) {
				return true
			}
		}
	}
	return false
}

// errorText is the error message of a failed tool.
func errorText(answer *sdk.CallToolResult) string {
	var parts []string
	for _, c := range answer.Content {
		if t, ok := c.(*sdk.TextContent); ok && strings.TrimSpace(t.Text) != "" {
			parts = append(parts, strings.TrimSpace(t.Text))
		}
	}
	if len(parts) == 0 && answer.StructuredContent != nil {
		raw, _ := json.Marshal(answer.StructuredContent)
		parts = append(parts, string(raw))
	}
	return cmp.Or(clean(strings.Join(parts, "\n"), 2<<10), "the tool failed without a message")
}
