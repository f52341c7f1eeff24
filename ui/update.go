package ui

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"almanac/catalog/task"
	"almanac/repl"
	"almanac/repl/event"
)

// This file holds Update: what each message does to the model. Who sends what:
//
//	Bubble Tea   keys, pastes, window sizes
//	the worker   doneMsg, when its input was handled
//	the feed     wokenMsg, when nothing runs and an event came
//	the tick     tickMsg, 30 times a second while something runs
//	the display  printedMsg, when a chunk is in the scrollback; a window size that Bubble Tea has not told of
//	Run          stopMsg, on a signal or when its context ends

type (
	doneMsg  struct{ status repl.Status }
	wokenMsg struct{}
	tickMsg  struct{}
	stopMsg  struct{ err error }
	// leaveMsg ends the wait for a worker that does not stop, or for an answer of the terminal's.
	leaveMsg struct{}
	// disarmMsg takes the notice of an armed exit off the screen.
	disarmMsg struct{}
)

// Update handles every message. It returns the next command and marks the frame for drawing.
func (m *model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	m.stale = true
	cmd := m.take(msg)
	m.closeAnswered()
	m.print()
	return m, tea.Batch(cmd, m.tick(), m.listen(), m.depart())
}

func (m *model) take(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		return m.resize(msg.Width, msg.Height)
	case tea.KeyPressMsg:
		return m.press(msg)
	case tea.FocusMsg:
		m.look(focused)
	case tea.BlurMsg:
		m.look(unfocused)
	case tea.BackgroundColorMsg:
		m.background(msg.Color)
	case tea.PasteMsg:
		return m.paste(msg.Content)
	case tickMsg:
		m.ticking = false
		m.countSilence()
		return m.pull()
	case wokenMsg:
		m.waiting = false
		return m.pull()
	case printedMsg:
		m.scroll.printed(msg.slow)
	case doneMsg:
		return m.done(msg.status)
	case heldMsg:
		return m.endHold(msg.hold)
	case paneMsg:
		m.version++
		return msg()
	case completedMsg:
		return m.completed(msg)
	case editedMsg:
		m.edited(msg)
	case suspendMsg:
		return m.suspend()
	case continuedMsg:
		return m.away(func() error { return nil })
	case resumedMsg:
		m.resumed(msg.err)
	case disarmMsg:
		if !m.armed.IsZero() && !m.now().Before(m.armed) {
			m.disarm()
		}
	case stopMsg:
		m.err = msg.err
		return m.leave()
	case leaveMsg:
		m.work = nil
	default:
		m.stale = false
	}
	return nil
}

func (m *model) resize(width, height int) tea.Cmd {
	if m.width != 0 && (width != m.width || height != m.height) {
		m.menu = nil
		if len(m.asks) > 0 { // what is read changes its place
			held := m.asks[0].held
			m.asks[0].rise(m.now(), m.typed)
			m.asks[0].held = held // of what was there before
		}
	}
	m.width, m.height = width, height
	if p, ok := m.overlay().(*pager); ok {
		return p.read()
	}
	return nil
}

// tick asks for the next look at the feed while something runs. When nothing runs there is no tick, and an idle screen
// writes nothing.
func (m *model) tick() tea.Cmd {
	if m.ticking || m.work == nil {
		return nil
	}
	m.ticking = true
	return tea.Tick(frameTime, func(time.Time) tea.Msg { return tickMsg{} })
}

// print takes the next finished lines for the display, unless some are on their way.
func (m *model) print() {
	m.printCut()
	m.scroll.away = m.help != nil || m.overlay() != nil || m.spacious()
	m.chunk = append(m.chunk, m.scroll.next()...)
}

// submit starts a worker for line, or queues it behind the one that runs.
func (m *model) submit(line string) tea.Cmd {
	in := queued{line, m.shell.Mode()}
	if m.work != nil {
		m.queue = append(m.queue, in)
		return nil
	}
	return m.start(in)
}

// start starts a worker; nothing else runs.
func (m *model) start(in queued) tea.Cmd {
	line := in.line
	ctx, cancel := context.WithCancel(m.ctx)
	m.work = &work{line: line, cancel: cancel, started: m.now()}
	m.version++ // the preview pane tells that it runs
	handle, feed := m.handle, m.feed
	m.workers.Add(1)
	return func() tea.Msg {
		defer m.workers.Done()
		defer cancel()
		return doneMsg{guard(ctx, func(ctx context.Context) repl.Status { return handle(ctx, in.mode, line) }, feed)}
	}
}

// guard runs handle and turns a panic into an event: a panic that left this goroutine would leave the terminal raw.
func guard(ctx context.Context, handle func(context.Context) repl.Status, feed *event.Feed) (s repl.Status) {
	s = repl.Failed
	err := task.Guard("the program", func() error {
		s = handle(ctx)
		return nil
	})
	if caught := new(task.PanicError); errors.As(err, &caught) {
		feed.Emit(event.Event{
			Kind: event.Said, Level: event.Failure, Text: fmt.Sprintf("%v: %v\n%s", errLost, caught.Value, caught.Stack),
		})
	}
	return s
}

// done ends the work and starts what was queued.
func (m *model) done(s repl.Status) tea.Cmd {
	stopped := m.work != nil && m.work.stopped
	cmds := []tea.Cmd{m.pull()}
	for _, e := range m.calls.Flush() {
		cmds = append(cmds, m.event(e))
	}
	cmd := tea.Batch(cmds...)
	m.work = nil
	m.orphaned = len(m.asks) > 0 && m.now().Sub(m.typed) < quietTime
	m.asks = nil
	m.version++
	m.scroll.append(m.finish()...)
	m.standing()
	if s == repl.Quit {
		return tea.Batch(cmd, m.leave())
	}
	if m.leaving || len(m.queue) == 0 {
		return cmd
	}
	if stopped {
		m.unqueue()
		return cmd
	}
	next := m.queue[0]
	m.queue = m.queue[1:]
	return tea.Batch(cmd, m.start(next))
}

// unqueue gives queued inputs back for editing: after an interrupt nobody wants them to run by themselves. Those that
// were typed in another mode than the last of them are in the history: together they would be read in one mode.
func (m *model) unqueue() {
	if len(m.queue) == 0 {
		m.notice = "nothing queued"
		return
	}
	text, mode := m.edit.text, m.queue[len(m.queue)-1].mode
	if text == "" && mode != m.shell.Mode() {
		m.shell.SetMode(mode)
		m.status = m.shell.StatusLine()
	}
	kept := 0
	for _, in := range slices.Backward(m.queue) {
		if in.mode != m.shell.Mode() {
			kept++
			continue
		}
		if text != "" {
			text = "\n" + text
		}
		text = in.line + text
	}
	for _, in := range m.queue {
		if in.mode == m.shell.Mode() {
			continue
		}
		if err := m.history.Add(m.shell.Session().Redact(in.line), in.mode); err != nil {
			m.notice = err.Error()
		}
	}
	if kept > 0 {
		m.notice = fmt.Sprintf("%d queued in %s mode: Up brings back", kept, 1-m.shell.Mode())
	}
	m.queue = nil
	m.edit.set(text)
}

// lendQueue is the queue for /queue, which runs before this returns to the loop.
func (m *model) lendQueue() repl.Queue {
	q := repl.Queue{Drop: func(n int) { m.queue = slices.Delete(m.queue, n, n+1) }}
	for _, in := range m.queue {
		q.Lines = append(q.Lines, in.mode.String()+" "+m.theme.glyphs.prompt+" "+in.line)
	}
	q.Edit = func(n int) {
		in := m.queue[n]
		q.Drop(n)
		m.shell.SetMode(in.mode)
		m.status = m.shell.StatusLine()
		m.edit.set(in.line)
	}
	return q
}

// interrupt stops what runs. The worker ends by itself a moment later.
func (m *model) interrupt() {
	if m.work == nil {
		return
	}
	if !m.work.stopped {
		m.work.stopped, m.work.more = true, lastLines
		if !m.scroll.away {
			m.work.unseen = m.scroll.dropOutput()
		}
	}
	m.work.cancel()
	for _, a := range m.asks {
		a.refuse("interrupted")
	}
	m.asks = nil
}

// leave begins the end: no more input, what is known is printed, then the live region goes.
func (m *model) leave() tea.Cmd {
	if m.leaving {
		return nil
	}
	m.leaving = true
	m.disarm()
	m.help, m.menu, m.search, m.rewind, m.queue, m.panes = nil, nil, nil, nil, nil, nil
	if m.work == nil {
		return nil
	}
	m.interrupt()
	return tea.Tick(graceTime, func(time.Time) tea.Msg { return leaveMsg{} })
}

// depart gives the quit command once nothing is left to print.
func (m *model) depart() tea.Cmd {
	if !m.leaving || m.left || m.work != nil || m.scroll.pending() {
		return nil
	}
	if wait := m.unanswered(); wait > 0 {
		return tea.Tick(wait, func(time.Time) tea.Msg { return leaveMsg{} })
	}
	m.left = true
	return tea.Quit
}
