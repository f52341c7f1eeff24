package syntax

import "fmt"

// An Error is a mistake in a text, and its place.
type Error struct {
	Pos Pos
	// Message has no position in it: "unexpected 'end'".
	Message string
	// Hint says what to do; may be empty.
	Hint string
	// Incomplete is true if the text is valid as far as it goes, so that more input could complete it.
	Incomplete bool
}

// Error returns the message behind its line.
func (e *Error) Error() string {
	return fmt.Sprintf("line %d: %s", e.Pos.Line, e.Message)
}
