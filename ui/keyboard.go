package ui

import (
	"os"
	"time"

	"github.com/charmbracelet/x/ansi"
)

// This file keeps a paste whose end was lost from swallowing all keys that follow.

// pasteTime is how long a paste may stand still before it is at its end.
const pasteTime = time.Second

// A pasteEnd reads the terminal and writes the mark of a paste's end where it does not come within pasteTime.
type pasteEnd struct {
	*os.File
	// more waits until there is more to read, for at most d.
	more func(d time.Duration) bool
	// inside is true within a paste; mark is the beginning of a mark that the last read ended with.
	inside bool
	mark   string
}

// Read reads what the terminal has. Within a paste it waits for what follows, and ends the paste if nothing does.
func (p *pasteEnd) Read(b []byte) (int, error) {
	const spare = len(ansi.BracketedPasteEnd)
	if len(b) <= spare {
		return p.File.Read(b)
	}
	n, err := p.File.Read(b[:len(b)-spare])
	p.look(b[:n])
	if p.inside && err == nil && !p.more(pasteTime) {
		n += copy(b[n:], ansi.BracketedPasteEnd)
		p.inside, p.mark = false, ""
	}
	return n, err
}

// look follows the marks in what was read. Each is looked for letter by letter: a read may end within one.
func (p *pasteEnd) look(b []byte) {
	for _, c := range b {
		want := ansi.BracketedPasteStart
		if p.inside {
			want = ansi.BracketedPasteEnd
		}
		switch {
		case c == want[len(p.mark)]:
			p.mark = want[:len(p.mark)+1]
		case c == want[0]:
			p.mark = want[:1]
		default:
			p.mark = ""
		}
		if p.mark == want {
			p.inside, p.mark = !p.inside, ""
		}
	}
}
