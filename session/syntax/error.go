package syntax

import (
	"fmt"
	"strings"
)

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

const excerptWidth = 100 // bytes of a source line that an excerpt shows

// excerpt returns the line of src where the error is and below it a caret under the place, in two lines without a
// final line break. A line of more than 100 bytes is cut around the place. It is empty when src has no such place.
func (e *Error) excerpt(src string) string {
	if e.Pos.Offset > len(src) || e.Pos.Line == 0 {
		return ""
	}
	from := lineStart(src, e.Pos.Offset)
	to := from + strings.IndexAny(src[from:]+"\n", "\r\n")
	at := min(e.Pos.Offset, to)
	head, tail := "", ""
	if at-from > excerptWidth*3/4 {
		from, head = runeStart(src, at-excerptWidth/2), "..."
	}
	if to-from > excerptWidth {
		to, tail = runeStart(src, max(at, from+excerptWidth)), "..."
	}
	var b strings.Builder
	b.WriteString(head + src[from:to] + tail + "\n" + strings.Repeat(" ", len(head)))
	for _, r := range src[from:at] {
		if r == '\t' {
			b.WriteByte('\t')
		} else {
			b.WriteByte(' ')
		}
	}
	b.WriteByte('^')
	return b.String()
}

// runeStart moves offset back to the first byte of the UTF-8 character it is in.
func runeStart(src string, offset int) int {
	for i := 0; i < 3 && offset > 0 && offset < len(src) && src[offset]&0xC0 == 0x80; i++ {
		offset--
	}
	return offset
}
