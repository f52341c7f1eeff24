package ui

import (
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"almanac/catalog/text"
	"almanac/repl/event"
	"almanac/repl/show"
	"almanac/session/trace"
)

// This file takes events from the feed. Whole lines go to the scroll at once; the unfinished last line of what is
// being printed or said stays in the live region until its end comes.

// A livetext is the unfinished line of the running cell.
type livetext struct {
	buffer show.LineBuffer
	// spoken is the model's Markdown; said tells that a block of the same answer is out, so that the next one keeps a
	// distance.
	spoken show.Blocks
	said   bool
	// held are lines of finished blocks, shown above the open one until there are enough of them to be printed: each print
	// has the whole region written anew.
	held []string
	// shown is the open block as it was drawn last, and when.
	shown   string
	shownAt time.Time
	// event is the event that the text belongs to, without its text; its Kind is zero when there is none.
	event event.Event
}

// pull takes all events that wait.
func (m *model) pull() tea.Cmd {
	var cmds []tea.Cmd
	for _, e := range m.feed.Take() {
		if e.Kind == event.Called && e.Call != nil && m.work != nil {
			m.work.called++
		}
		for _, e := range m.calls.Push(e) {
			cmds = append(cmds, m.event(e))
		}
	}
	m.standing()
	if p, ok := m.overlay().(*catalogPane); ok {
		cmds = append(cmds, p.renew())
	}
	return tea.Batch(cmds...)
}

// standing looks at the facts of the status row again.
func (m *model) standing() {
	if s := m.shell.StatusLine(); s != m.status {
		m.status = s
		m.version++
	}
}

func (m *model) event(e event.Event) tea.Cmd {
	switch e.Kind {
	case event.Retrying:
		return nil // the region counts down
	case event.Printed, event.Spoke:
		if m.work != nil {
			m.work.speaking = e.Kind == event.Spoke
			m.work.received += len(e.Text)
		}
		m.output(e)
		return nil
	}
	m.tellUnseen()
	m.version++
	// What belongs to no cell comes between the lines of the one that runs, and ends none.
	aside := e.Cell == 0 && m.live.event.Cell != 0
	if !aside {
		m.scroll.append(m.finish()...)
	}
	switch e.Kind {
	case event.Asked:
		if m.work == nil || m.work.stopped || m.leaving {
			newAsking(e, m.render(), m.now(), m.typed).refuse("interrupted")
			return nil
		}
		a := newAsking(e, m.render(), m.now(), m.typed)
		a.base = len(m.panes)
		if m.asks = append(m.asks, a); len(m.asks) == 1 {
			m.menu, m.search, m.rewind, m.help, m.space.focus = nil, nil, nil, nil, 0
		}
		return m.call()
	case event.Cleared:
		return m.clear()
	case event.Recalled:
		m.past = nil
		if m.edit.text == "" {
			m.edit.set(cleanPaste(e.Text))
			m.vi.begin(&m.edit)
		}
		return nil
	case event.Drafted:
		if e.Inline && m.edit.text != "" {
			break // what is being typed stays
		}
		m.past = nil
		m.edit.set(cleanPaste(e.Text))
		if e.Inline {
			return nil
		}
		return m.openEditor()
	case event.Opened:
		return m.opened(e)
	case event.Themed:
		return m.themed(e.Text)
	case event.Copied:
		return m.copied(e)
	}
	m.heed(e)
	if m.work != nil && !aside {
		m.work.speaking = false
	}
	m.scroll.append(m.lines(e)...)
	if e.Kind == event.Found {
		m.offer(e.Hits)
	}
	return nil
}

// lastLines is how many lines of a run are shown that come after it was stopped: it may have a last word, but who
// stopped it does not want to wait for all that it had to say.
const lastLines = 50

// output shows running text, as long as somebody wants to see it.
func (m *model) output(e event.Event) {
	w := m.work
	if w == nil || !w.stopped || e.Kind == event.Spoke || m.scroll.away {
		m.scroll.appendOutput(m.stream(e)...)
		return
	}
	lines := strings.SplitAfter(e.Text, "\n")
	if w.unseen == 0 && len(lines) <= w.more {
		w.more -= len(lines)
		m.scroll.append(m.stream(e)...)
		return
	}
	w.unseen += strings.Count(e.Text, "\n")
}

// tellUnseen says how much of what a stopped run printed is not shown.
func (m *model) tellUnseen() {
	w := m.work
	if w == nil || w.unseen == 0 {
		return
	}
	m.scroll.append(m.theme.dim.Render(fmt.Sprintf("%s %s lines of output not shown after the stop",
		m.theme.glyphs.more, grouped(w.unseen))))
	w.unseen, w.more = 0, 0
	m.live.buffer.Flush() // the line that was begun is one of them
}

// opened shows what a command asked to look at.
func (m *model) opened(e event.Event) tea.Cmd {
	if m.flat {
		m.scroll.append(m.lines(e)...)
		return nil
	}
	var p pane
	var cmd tea.Cmd
	switch e.Pane {
	case event.ValuePane:
		p, cmd = newValuePane(m, e.Path)
	case event.PagerPane:
		p, cmd = newPager(m, e)
	case event.SessionsPane:
		p, cmd = newSessionsPane(m, trace.Filter{Words: e.Words, Interactive: e.Interactive})
	default:
		return m.openPane(e.Pane)
	}
	m.show(p)
	return cmd
}

// stream adds a piece of running text and returns the lines that it completes.
func (m *model) stream(e event.Event) []string {
	var out []string
	l := &m.live
	if l.event.Kind != e.Kind || l.event.Stream != e.Stream || l.event.Cell != e.Cell {
		out = m.finish()
		l.event = e
		l.event.Text = ""
	}
	if e.Kind == event.Spoke {
		for _, block := range l.spoken.Push(e.Text) {
			l.held = append(l.held, m.blockLines(block)...)
		}
		if len(l.held) >= max(m.liveRoom()-4, 1) {
			out, l.held = append(out, l.held...), nil
		}
		return out
	}
	done := l.buffer.Push(e.Text)
	if len(done) > 0 {
		e.Text = strings.Join(done, "\n")
		out = append(out, m.lines(e)...)
	}
	return out
}

// finish ends the unfinished line and returns it.
func (m *model) finish() []string {
	l := &m.live
	if block := l.spoken.Flush(); block.Text != "" || len(l.held) > 0 {
		out := l.held
		if block.Text != "" {
			out = append(out, m.blockLines(block)...)
		}
		l.event, l.said, l.held, l.shown, l.shownAt = event.Event{}, false, nil, "", time.Time{}
		return out
	}
	l.said = false
	text := l.buffer.Flush()
	e := l.event
	l.event = event.Event{}
	if text == "" {
		return nil
	}
	e.Text = text
	return m.lines(e)
}

// blockLines draws a finished block of the model's Markdown, with a blank line after the one before.
func (m *model) blockLines(block show.Block) []string {
	var out []string
	if m.live.said && !block.Joined {
		out = append(out, "")
	}
	m.live.said = true
	return append(out, m.markdown(block.Text)...)
}

// spokenMargin is how far the model's words stand in.
const spokenMargin = 2

func (m *model) markdown(block string) []string {
	var out []string
	for _, l := range show.MarkdownLines(block, m.lineWidth()-spokenMargin, m.render().Options) {
		out = append(out, strings.Repeat(" ", spokenMargin)+m.theme.line(l))
	}
	return out
}

// The open block is drawn again when it has grown by so much, or so long after it was drawn last: every drawing costs
// more than the word that it shows.
const (
	paceBytes = 96
	paceTime  = 1200 * time.Millisecond
)

// paced is the open block as it is to be drawn now.
func (l *livetext) paced(block string, now time.Time) string {
	if !strings.HasPrefix(block, l.shown) || len(block)-len(l.shown) >= paceBytes || now.Sub(l.shownAt) >= paceTime {
		l.shown, l.shownAt = block, now
	}
	return l.shown
}

// tail draws the end of the unfinished line in at most room rows.
func (l *livetext) tail(m *model, room int) []string {
	if block := l.spoken.Rest(); (block.Text != "" || len(l.held) > 0) && room > 0 {
		lines := slices.Clone(l.held)
		if text := l.paced(block.Text, m.now()); text != "" {
			if l.said && !block.Joined {
				lines = append(lines, "")
			}
			lines = append(lines, m.markdown(text)...)
		}
		var rows []string
		for _, line := range lines {
			rows = append(rows, pieces(line, m.width-1)...)
		}
		return rows[max(len(rows)-room, 0):]
	}
	text := l.buffer.Rest()
	if text == "" || room < 1 {
		return nil
	}
	// Only the end can be seen; a line may be as long as the output limit.
	if cut := len(text) - room*m.width*utf8.UTFMax; cut > 0 {
		for cut < len(text) && !utf8.RuneStart(text[cut]) {
			cut++
		}
		text = text[cut:]
	}
	e := l.event
	e.Text = text
	var rows []string
	for _, line := range m.lines(e) {
		rows = append(rows, pieces(line, m.width-1)...)
	}
	return rows[max(len(rows)-room, 0):]
}

func (m *model) thinks() bool {
	bytes, _ := m.feed.Thinking()
	return bytes > 0
}

// thinkingRows draws the model's reasoning while it comes in: its length and its last whole line, or with verbose on as
// much of its end as there is room for. None where the model does not think.
func (m *model) thinkingRows(room int) []string {
	bytes, end := m.feed.Thinking()
	if bytes == 0 {
		return nil
	}
	long := text.Bytes(int64(bytes))
	if m.verbose {
		e := event.Event{Kind: event.Thought, Text: end, Full: true}
		if cut := bytes - len(end); cut > 0 {
			e.Text = m.theme.glyphs.more + end
		}
		rows := m.lines(e)
		return rows[max(len(rows)-room, 0):]
	}
	row := "  " + m.theme.glyphs.dot + " thinking, " + long
	if last := lastSentence(end); last != "" {
		row += ": " + text.SanitizeLine(last)
	}
	return []string{m.theme.dim.Render(ansi.Truncate(row, m.width-1, m.theme.glyphs.more))}
}

// lastSentence is the last sentence or line of a text that has come whole.
func lastSentence(s string) string {
	lines := strings.Split(strings.NewReplacer(". ", ".\n", "! ", "!\n", "? ", "?\n").Replace(s), "\n")
	for _, line := range slices.Backward(lines[:len(lines)-1]) {
		if line = strings.TrimSpace(line); line != "" {
			return line
		}
	}
	return ""
}

// clear empties the window. What was on it goes to the scrollback: blank lines push it out.
func (m *model) clear() tea.Cmd {
	m.scroll.append(make([]string, max(m.height, 0))...)
	return nil
}

// lineWidth is how wide the lines of the transcript are.
func (m *model) lineWidth() int {
	switch {
	case m.spacious() && !m.space.hidden:
		return m.width - columnWidth - 5 - m.domainWidth()
	case m.spacious():
		return m.width - 4
	}
	return m.width - 1
}

// lines draws an event as finished lines.
func (m *model) lines(e event.Event) []string {
	var out []string
	for _, line := range event.Lines(e, m.lineWidth(), m.render()) {
		out = append(out, m.theme.line(line))
	}
	return out
}

func (m *model) render() event.RenderOptions {
	return event.RenderOptions{
		Options: show.Options{ASCII: m.ascii, Thousands: m.thousands}, Verbose: m.verbose, ArgOrder: m.shell.ArgOrder,
	}
}
