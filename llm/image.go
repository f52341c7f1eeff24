package llm

import (
	"slices"

	"almanac/catalog/media"
)

// This file shows the model the pictures that results name.

// An Image is a picture of a tool's answer.
type Image struct {
	// Handle is what the answer calls it.
	Handle string
	// MIME is image/png, image/jpeg, image/gif or image/webp.
	MIME string
	// Read gets the bytes, at most MaxImage.
	Read func() ([]byte, error)
}

const (
	// MaxImage is the size of the largest picture that a model is shown, in bytes.
	MaxImage = 5 << 20
	// mostImages is how many pictures a request has, the newest.
	mostImages = 4
	// imageTokens is what a picture counts: about what a large one takes at OpenAI, Anthropic and Google.
	imageTokens = 1600
)

// illustrate adds to the answers of tools the pictures that they name, if the model sees any. Each is in the request
// once, where it was named last.
func (c *Conversation) illustrate(ms []Message) {
	if c.options.Media == "" || !c.Target().Images {
		return
	}
	var shown []string
	for i, m := range slices.Backward(ms) {
		if m.Role != ToolRole {
			continue
		}
		for _, handle := range media.Handles(m.Text) {
			mime := media.ImageType(handle)
			if len(shown) == mostImages || mime == "" || slices.Contains(shown, handle) ||
				c.options.Media.Size(handle) > MaxImage {
				continue
			}
			shown = append(shown, handle)
			ms[i].Images = append(ms[i].Images, Image{Handle: handle, MIME: mime, Read: func() ([]byte, error) {
				return c.options.Media.Get(handle)
			}})
		}
	}
}
