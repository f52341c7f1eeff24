package llm_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"almanac/catalog/media"
	"almanac/llm"
	"almanac/llm/openai"
	"almanac/llm/openai/openaitest"
)

// A model that sees pictures is shown those that answers name, over both interfaces; another one reads their handles.
func TestPictures(t *testing.T) {
	folder := media.Folder(t.TempDir())
	var named []string
	for i := range 6 {
		named = append(named, fmt.Sprint(folder.Put("image", "image/png", []byte(strings.Repeat("p", i+1)))["handle"]))
	}
	sound := fmt.Sprint(folder.Put("audio", "audio/wav", []byte("sound"))["handle"])
	large := fmt.Sprint(folder.Put("image", "image/png", make([]byte, llm.MaxImage+1))["handle"])
	gone := "media:00000000000000000000000000000000.png"
	all := strings.Join(append(named, sound, large, gone, named[5]), " ")
	for _, test := range []struct {
		api, answer string
		images      bool
		want        string
	}{
		{openai.ChatAPI, "it has " + named[2], false, ""},
		{openai.ChatAPI, "it has " + named[2], true, "3"},
		{openai.ResponsesAPI, "it has " + named[2], true, "3"},
		{openai.ChatAPI, "no picture", true, ""},
		{openai.ChatAPI, all, true, "1 2 3 4"},
	} {
		name := fmt.Sprintf("%s %v %.12s", test.api, test.images, test.answer)
		calls := []openaitest.Call{{Name: "look", Args: "{}"}}
		s := openaitest.New(openaitest.Reply{Calls: calls}, openaitest.Reply{Text: "seen"})
		defer s.Close()
		look := llm.Tool{Name: "look", Schema: json.RawMessage(`{"type":"object"}`),
			Run: func(context.Context, json.RawMessage) (llm.Answer, error) { return llm.Answer{Text: test.answer}, nil }}
		c := llm.NewConversation(llm.Options{
			Target: llm.Target{Model: "m", Images: test.images,
				Provider: openai.New(openai.Options{BaseURL: s.URL(), API: test.api})},
			Tools: func() []llm.Tool { return []llm.Tool{look} }, Media: folder,
		})
		if _, err := c.Send(t.Context(), "look"); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		requests := s.Requests()
		var got []string
		for _, m := range requests[len(requests)-1].Messages {
			for line := range strings.Lines(m.Content) {
				var n int
				if _, err := fmt.Sscanf(line, "[image/png, %d bytes]", &n); err == nil {
					got = append(got, fmt.Sprint(n))
				}
			}
		}
		if strings.Join(got, " ") != test.want {
			t.Errorf("%s: pictures of %q bytes, want %q", name, got, test.want)
		}
	}
}
