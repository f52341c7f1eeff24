package event

import (
	"fmt"

	"almanac/catalog/text"
)

// This file says what became of a copy.

// CopyEvents tell what became of a Copied event to who knows no way of its own to copy: the text itself is among them
// where it was not copied.
func CopyEvents(e Event) []Event {
	if e.Err == nil {
		return []Event{{Kind: Said, Level: Notice, Text: CopyText(e)}}
	}
	return []Event{{Kind: Said, Level: Warning, Text: CopyText(e)}, {Kind: Said, Text: e.Text}}
}

// CopyText says in a line what became of a Copied event.
func CopyText(e Event) string {
	if e.Err != nil {
		return fmt.Sprintf("could not copy (%v): text printed below", e.Err)
	}
	return fmt.Sprintf("copied %s via %s", text.Bytes(int64(len(e.Text))), e.Tool)
}
