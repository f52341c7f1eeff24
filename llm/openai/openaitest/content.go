package openaitest

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"
)

// A content is a text, or parts of one as lines; a picture is [TYPE, N bytes].
type content string

// UnmarshalJSON reads the parts of both interfaces.
func (c *content) UnmarshalJSON(raw []byte) error {
	var text *string
	if json.Unmarshal(raw, &text) == nil {
		if text != nil {
			*c = content(*text)
		}
		return nil
	}
	var parts []struct {
		Text  string          `json:"text"`
		Image json.RawMessage `json:"image_url"`
	}
	if err := json.Unmarshal(raw, &parts); err != nil {
		return err
	}
	var lines []string
	for _, p := range parts {
		if p.Image == nil {
			lines = append(lines, p.Text)
			continue
		}
		var inner struct{ URL string }
		if json.Unmarshal(p.Image, &inner) != nil {
			if err := json.Unmarshal(p.Image, &inner.URL); err != nil {
				return err
			}
		}
		kind, encoded, _ := strings.Cut(strings.TrimPrefix(inner.URL, "data:"), ";base64,")
		data, err := base64.StdEncoding.DecodeString(encoded)
		if err != nil {
			return fmt.Errorf("picture: %w", err)
		}
		lines = append(lines, fmt.Sprintf("[%s, %d bytes]", kind, len(data)))
	}
	*c = content(strings.Join(lines, "\n"))
	return nil
}
