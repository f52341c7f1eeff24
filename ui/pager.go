package ui

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"almanac/catalog/text"
	"almanac/repl/event"
	"almanac/repl/show"
)

// This file holds the pager: /transcript, which is what the log tells of this session and of those that it goes on
// from, and /less. Its lines are made beside the loop, anew for each width.

type pager struct {
	m     *model
	title string
	load  func(width int, o event.RenderOptions) ([]show.Line, error)
	lines []string // as wide as made
	made  int
	busy  bool
	err   error
	from  int // the first line that is shown
	page  int
	// words are what / looks for; typed tells that they are being typed.
	words string
	typed bool
}

func newTranscriptPane(m *model) (*pager, tea.Cmd) {
	p := &pager{m: m, title: "Transcript", load: m.shell.Transcript, from: 1 << 30}
	return p, p.read()
}

// newPager pages through what an Opened event holds.
func newPager(m *model, e event.Event) (*pager, tea.Cmd) {
	p := &pager{m: m, title: "Pager " + m.theme.glyphs.rule + " " + text.SanitizeLine(e.Words)}
	p.load = func(width int, o event.RenderOptions) ([]show.Line, error) {
		return event.InsideLines(e, width, o), nil
	}
	return p, p.read()
}

// newOriginPane pages through where the value of a variable is from.
func newOriginPane(m *model, name string) (*pager, tea.Cmd) {
	p := &pager{m: m, title: "Why " + m.theme.glyphs.rule + " " + text.SanitizeLine(name)}
	p.load = func(width int, _ event.RenderOptions) ([]show.Line, error) {
		told, err := m.shell.Origin(name)
		return show.Wrap(show.Lines(show.Text, "", told), width), err
	}
	return p, p.read()
}

// paneMargin is what the frame of an overlay takes of the width.
const paneMargin = 4

// read brings the lines up to the width of the window.
func (p *pager) read() tea.Cmd {
	width := max(p.m.width-paneMargin, 8)
	if p.busy || p.made == width {
		return nil
	}
	p.busy = true
	load, o := p.load, p.m.render()
	return func() tea.Msg {
		read, err := load(width, o)
		return paneMsg(func() tea.Cmd {
			var lines []string
			for _, l := range p.m.styled(read) {
				lines = append(lines, pieces(l, width)...)
			}
			if old := len(p.lines); old > 0 { // as far down as before
				p.from = p.from * len(lines) / old
			}
			p.busy, p.made, p.lines, p.err = false, width, lines, err
			return p.read()
		})
	}
}

func (p *pager) head() (title, note string) {
	title = p.title
	if p.typed || p.words != "" {
		title += " " + p.m.theme.glyphs.rule + " search: " + p.words
	}
	if n := len(p.lines); n > 0 {
		note = fmt.Sprintf("%s of %s lines", grouped(min(p.from+p.page, n)), grouped(n))
	}
	return title, note
}

func (p *pager) rows(_, height int) []string {
	p.page = max(height, 1)
	switch {
	case p.err != nil:
		return []string{p.m.theme.bad.Render(text.SanitizeLine(p.err.Error()))}
	case p.made == 0:
		return []string{p.m.theme.dim.Render("reading" + p.m.theme.glyphs.more)}
	case len(p.lines) == 0:
		return []string{p.m.theme.dim.Render("nothing here yet")}
	}
	p.from = min(max(p.from, 0), max(len(p.lines)-height, 0))
	return p.lines[p.from:min(p.from+height, len(p.lines))]
}

func (p *pager) key(name, text string) tea.Cmd {
	if p.typed {
		switch {
		case name == "enter" || name == "kpenter":
			p.typed = false
			p.find(p.from, 1)
		case typeInto(&p.words, name, text):
		}
		return p.read()
	}
	switch name {
	case "/":
		p.typed, p.words = true, ""
	case "n":
		p.find(p.from+1, 1)
	case "N", "p":
		p.find(p.from-1, -1)
	case "up", "k", "ctrl+p":
		p.from--
	case "down", "j", "ctrl+n":
		p.from++
	case "pgup", "b":
		p.from -= p.page
	case "pgdown", "space", " ":
		p.from += p.page
	case "home", "g":
		p.from = 0
	case "end", "G":
		p.from = len(p.lines)
	case "q":
		return p.m.paneKey(p, "esc", "")
	}
	return p.read()
}

// find puts the next line with the words at the top, going by steps from line at.
func (p *pager) find(at, step int) {
	words := strings.ToLower(p.words)
	for i := at; words != "" && i >= 0 && i < len(p.lines); i += step {
		if strings.Contains(strings.ToLower(ansi.Strip(p.lines[i])), words) {
			p.from = i
			return
		}
	}
	if words != "" {
		p.m.notice = "no more matches for " + p.words
	}
}

func (p *pager) hints() []string {
	if p.typed {
		return []string{"Enter search"}
	}
	return []string{"Up Down", "PgUp PgDn", "g start, G end", "/ search", "n next, N previous", "q back"}
}
func (p *pager) typing() bool { return p.typed }

func (p *pager) escape() bool {
	was := p.typed
	p.typed = false
	return was
}
