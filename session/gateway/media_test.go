package gateway

import (
	"encoding/json"
	"fmt"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"almanac/catalog/media"
)

// What an answer names by handle goes with it, and nothing else does.
func TestAttached(t *testing.T) {
	folder := media.In(t.TempDir())
	g := &Gateway{options: Options{Media: folder}}
	data, _ := json.Marshal(map[string]any{"values": []any{
		map[string]any{"shot": folder.Put("image", "image/png", []byte("12345"))},
		folder.Put("audio", "audio/wav", []byte("123")), folder.Put("file", "application/pdf", []byte("1")),
		map[string]any{"kind": "image", "handle": "media:../../etc/passwd"},
		folder.Put("image", "image/png", make([]byte, mostAttachedBytes)),
	}})
	got := ""
	for _, c := range g.attached(json.RawMessage(data)) {
		switch c := c.(type) {
		case *sdk.ImageContent:
			got += fmt.Sprintf("image %s %s; ", c.MIMEType, c.Data)
		case *sdk.AudioContent:
			got += fmt.Sprintf("audio %s %s; ", c.MIMEType, c.Data)
		case *sdk.EmbeddedResource:
			got += fmt.Sprintf("file %s %s; ", c.Resource.MIMEType, c.Resource.Blob)
		}
	}
	if want := "image image/png 12345; audio audio/wav 123; file application/pdf 1; "; got != want {
		t.Errorf("got %s", got)
	}
	if more := g.attached(map[string]any{"ok": true}); more != nil {
		t.Errorf("%v", more)
	}
}
