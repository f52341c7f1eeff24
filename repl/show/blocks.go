package show

// This file cuts streamed Markdown into blocks, so that what is finished can be shown for good while the rest grows.

import "strings"

// An open block that grows beyond these bounds is cut, or it would be drawn again for each word.
const (
	openLines = 40
	openBytes = 8 << 10
	// proseLines bounds a paragraph whose marks are not closed at a line's end. One whose marks are is cut at each: line
	// breaks are kept, and the less is open, the less is drawn again.
	proseLines = 6
)

// A Block is a piece of Markdown that can be drawn by itself.
type Block struct {
	Text string
	// Joined is true when it goes on from the block before, without a blank line between them.
	Joined bool
}

// Blocks takes Markdown in pieces and gives it back in blocks. The zero Blocks is empty and ready.
type Blocks struct {
	rest   strings.Builder // whole lines of the open block, then the unfinished line
	line   int             // where the unfinished line begins in it
	lines  int
	fence  string // the fence of the open code block with its info: "```lua"; empty outside
	joined bool   // the open block goes on from a cut one
	waits  bool   // a blank line followed a list, which may go on behind it
}

// Push adds a piece and returns the blocks that it finishes, each without the blank lines around it.
func (b *Blocks) Push(text string) []Block {
	var done []Block
	for text != "" {
		line, rest, whole := strings.Cut(text, "\n")
		b.rest.WriteString(line)
		if !whole {
			if b.rest.Len() > openBytes {
				done = append(done, b.cut()...)
			}
			break
		}
		text = rest
		b.rest.WriteByte('\n')
		done = append(done, b.ended()...)
	}
	return done
}

// ended looks at the line that was just completed.
func (b *Blocks) ended() []Block {
	all := b.rest.String()
	line := strings.TrimRight(all[b.line:], "\r\n")
	trimmed := strings.TrimLeft(line, " ")
	mark := fenceOf(trimmed)
	if b.waits && trimmed != "" {
		b.waits = false
		if !strings.HasPrefix(line, "  ") && !strings.HasPrefix(line, "\t") {
			done := b.take(b.line)
			b.rest.WriteString(line + "\n")
			return append(done, b.ended()...)
		}
	}
	switch {
	case b.fence != "" && mark != "" && mark[0] == b.fence[0] && len(mark) >= len(fenceOf(b.fence)) &&
		strings.TrimSpace(trimmed) == mark:
		b.fence = ""
		return b.take(len(all))
	case b.fence != "":
	case mark != "":
		// A fence ends a paragraph.
		done := b.take(b.line)
		b.rest.WriteString(line + "\n")
		b.fence, b.line, b.lines = trimmed, b.rest.Len(), 1
		return done
	case trimmed == "" && isItem(all):
		b.waits = true
	case strings.TrimSpace(line) == "":
		return b.take(len(all))
	}
	b.line = b.rest.Len()
	b.lines++
	if b.lines == 2 && isProse(all) && isUnderline(line) {
		return b.take(len(all))
	}
	if b.lines == 1 && !b.joined && isProse(all) && b.rest.Len() <= openBytes {
		return nil // the next line may make a heading of it
	}
	if b.lines > openLines || b.rest.Len() > openBytes || isProse(all) && (b.lines >= proseLines || isClosed(all)) {
		return b.cut()
	}
	return nil
}

// isItem tells whether text begins with a list's marker.
func isItem(text string) bool {
	text = strings.TrimLeft(text, " ")
	rest := strings.TrimLeft(text, "0123456789")
	if len(rest) < len(text) {
		return len(rest) > 1 && (rest[0] == '.' || rest[0] == ')') && rest[1] == ' '
	}
	return len(rest) > 1 && strings.ContainsRune("-*+", rune(rest[0])) && rest[1] == ' '
}

// isClosed tells whether the marks for code, weight and links in text are in pairs.
func isClosed(text string) bool {
	even := func(mark string) bool { return strings.Count(text, mark)%2 == 0 }
	single := strings.Count(text, "*") - 2*strings.Count(text, "**")
	return even("`") && even("**") && single%2 == 0 && even("__") && strings.Count(text, "[") == strings.Count(text, "]")
}

// isUnderline tells whether a line makes a heading of the one above it.
func isUnderline(line string) bool {
	line = strings.TrimRight(line, " ")
	return line != "" && (strings.Trim(line, "=") == "" || strings.Trim(line, "-") == "")
}

// isProse tells whether text begins as a paragraph of words does.
func isProse(text string) bool {
	first, _, _ := strings.Cut(text, "\n")
	return !isItem(text) && !strings.Contains(first, "|") && !strings.ContainsRune(" \t>#`~|=-", rune(text[0]))
}

// fenceOf is the run of back quotes or tildes that opens or closes a code block; empty when the line has none.
func fenceOf(line string) string {
	for _, c := range []string{"`", "~"} {
		run := line[:len(line)-len(strings.TrimLeft(line, c))]
		if len(run) >= 3 && (c == "~" || !strings.Contains(line[len(run):], "`")) {
			return run
		}
	}
	return ""
}

// take ends the block in front of offset end; what is behind is dropped.
func (b *Blocks) take(end int) []Block {
	block := strings.Trim(b.rest.String()[:end], "\n")
	b.rest.Reset()
	joined := b.joined
	b.line, b.lines, b.waits, b.joined = 0, 0, false, false
	if strings.TrimSpace(block) == "" {
		return nil
	}
	return []Block{{block, joined}}
}

// cut ends a block that has grown too long; a code block goes on in the next one.
func (b *Blocks) cut() []Block {
	fence := b.fence
	if fence != "" {
		b.rest.WriteString("\n" + fenceOf(fence))
	}
	done := b.take(b.rest.Len())
	b.joined = true
	if fence != "" {
		b.rest.WriteString(fence + "\n")
		b.line = b.rest.Len()
	}
	return done
}

// Rest returns the open block.
func (b *Blocks) Rest() Block {
	return Block{strings.Trim(b.rest.String(), "\n"), b.joined}
}

// Flush returns the open block and empties the buffer.
func (b *Blocks) Flush() Block {
	rest := b.Rest()
	*b = Blocks{}
	return rest
}

// A LineBuffer turns text that comes in pieces into whole lines. The zero LineBuffer is empty and ready.
type LineBuffer struct {
	rest []byte
}

// Push adds a piece and returns the lines that it completes, without their newlines, as they came: not sanitized.
func (b *LineBuffer) Push(text string) []string {
	var lines []string
	for {
		line, more, ok := strings.Cut(text, "\n")
		if !ok {
			b.rest = append(b.rest, text...)
			return lines
		}
		lines = append(lines, string(b.rest)+line)
		b.rest = b.rest[:0]
		text = more
	}
}

// Rest returns the unfinished line.
func (b *LineBuffer) Rest() string {
	return string(b.rest)
}

// Flush returns the unfinished line and empties the buffer.
func (b *LineBuffer) Flush() string {
	s := string(b.rest)
	b.rest = b.rest[:0]
	return s
}
