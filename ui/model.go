package ui

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"
	"golang.org/x/term"

	"almanac/catalog/text"
	"almanac/repl"
	"almanac/repl/event"
	"almanac/repl/input"
)

// This file holds the model, which is all state of the screen, and Run, which wires it to a terminal.

// Options say what Run reads and writes and how it looks. The zero value is the terminal of the process, in colour.
type Options struct {
	// In and Out are the terminal; nil means os.Stdin and os.Stdout.
	In, Out *os.File
	// NoColor leaves all colours and weights out, whatever the theme; ASCII keeps to signs that every terminal has.
	NoColor, ASCII bool
	// Theme says how each role looks.
	Theme Theme
	// Fullscreen asks for the workspace, in windows of 120 columns and 30 rows or more.
	Fullscreen bool
	// NoAltScreen prints lists in the place of panes and leaves the alternate screen alone, help apart.
	NoAltScreen bool
	// Title tells in the window's title what happens, Progress in the terminal's progress bar (OSC 9;4); Bell rings when a
	// question waits and the window is not known to have the keyboard. Notify calls the person to a question in a window
	// that is known not to have it, by bell, notification (OSC 9) and title.
	Title, Progress, Bell, Notify bool
	// Thousands separates the digits of numbers in tables; see show.Options.
	Thousands bool
	// NoGhost suggests nothing of the history behind the cursor.
	NoGhost bool
	// Vi edits the input with vi keys instead of those of Emacs.
	Vi bool
	// Keys are the keys of actions that replace those that the actions have by themselves; an empty list leaves none. The
	// actions are those of the configuration: submit, newline, catalog and so on.
	Keys map[string][]string
	// Stopping is called before the program stops for its shell, and what it returns when it goes on. Nil: nothing is.
	Stopping func() (goesOn func())
	// Intro is printed above the first prompt, one line each, and below it the last cells of an earlier session.
	Intro []string
}

// A Signaled error says that a signal ended Run. The terminal has been restored.
type Signaled struct{ Signal os.Signal }

func (e *Signaled) Error() string { return fmt.Sprintf("screen: ended by signal %v", e.Signal) }

// frameTime is the shortest time between two frames, and between two looks at the feed while something runs.
const frameTime = 33 * time.Millisecond

// graceTime is how long Run waits for an interrupted worker before it leaves without it.
const graceTime = 2 * time.Second

// Run shows the shell until the person leaves, ctx is done, or a signal asks the program to end. It returns nil when
// the person left, the cause of ctx, or a *Signaled. Run owns the terminal meanwhile; nobody else may write to it.
func Run(ctx context.Context, sh *repl.Shell, o Options) error {
	if o.In == nil {
		o.In = os.Stdin
	}
	if o.Out == nil {
		o.Out = os.Stdout
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	m := newModel(ctx, sh, o)
	m.supportsOSC52 = supportsOSC52(os.Getenv("TERM"))
	size := func() (width, height int, err error) {
		width, height, err = term.GetSize(int(o.Out.Fd()))
		width, height = windowSize(width, height, os.Getenv)
		return width, height, err
	}
	width, _, _ := size()
	for _, line := range o.Intro {
		if _, err := fmt.Fprintln(o.Out, ansi.Wordwrap(text.SanitizeLine(line), width, "")); err != nil {
			return fmt.Errorf("screen: %w", err)
		}
	}
	for _, line := range m.styled(sh.EarlierLines(m.render())) {
		if _, err := fmt.Fprintln(o.Out, ansi.Wrap(line, width, "")); err != nil {
			return fmt.Errorf("screen: %w", err)
		}
	}
	// Bubble Tea's renderer has nothing to draw: it looks once a second, the least that can be asked of it, and knows
	// the colours, or it would ask the terminal.
	l := &loop{model: m}
	program := tea.NewProgram(l, tea.WithInput(newKeyboard(o.In)),
		tea.WithOutput(silent{o.Out}), tea.WithoutSignalHandler(),
		tea.WithColorProfile(colorprofile.ANSI), tea.WithFPS(1))
	l.display = newDisplay(o.Out, size, reflows(os.Getenv), program.Send)
	l.display.drawn.repeats = repeats(os.Getenv)
	m.in, m.out = o.In, o.Out

	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP)
	defer signal.Stop(signals)
	shell := job{signals}
	shell.Heed()
	m.stop, l.back = stopping(o.Stopping, shell.Stop), shell.Heed
	m.lend = func() {
		shell.Ignore()
		l.display.pause()
	}
	ended := make(chan struct{})
	var watcher sync.WaitGroup
	watcher.Go(func() {
		for {
			select {
			case s := <-signals:
				if msg := shell.message(s); msg != nil {
					program.Send(msg)
					continue
				}
				program.Send(stopMsg{&Signaled{Signal: s}})
			case <-ctx.Done():
				program.Send(stopMsg{context.Cause(ctx)})
			case <-ended:
			}
			return
		}
	})
	_, err := program.Run()
	l.display.close(graceTime)
	if quiet := m.quiet(); quiet != "" {
		_, _ = o.Out.WriteString(quiet) // a terminal that takes nothing any more shows nothing, either
	}
	close(ended)
	cancel()
	watcher.Wait()
	m.wait(graceTime)
	if err != nil {
		return fmt.Errorf("screen: %w", err)
	}
	return m.err
}

// A model is all state of the screen. It belongs to the Bubble Tea loop; the worker touches none of it.
type model struct {
	ctx     context.Context
	shell   *repl.Shell
	handle  func(ctx context.Context, mode input.Mode, line string) repl.Status
	feed    *event.Feed
	history *input.History
	theme   theme
	looks   Theme                       // what theme was made of
	colors  func() colorprofile.Profile // what the terminal has; asked when it matters
	answers bool                        // the terminal may tell its background
	asked   time.Time                   // when it was asked for that, zero once it has told
	ground  string                      // the theme that can be read on it, darkTheme or lightTheme; empty while unknown
	ascii   bool
	now     func() time.Time
	workers sync.WaitGroup

	width, height int
	status        repl.Standing

	edit   editor
	vi     vi
	folds  folds
	past   *past // not nil while Up and Down walk through the history
	ghost  ghost
	erased string     // what Ctrl+C cleared last, for Up
	menu   *menu      // not nil while completions are offered
	rewind *rewinding // not nil while Esc Esc chooses a prompt
	search *search    // not nil while Ctrl+R searches
	help   *helpPage
	panes  []pane    // open overlays, the last on the screen
	asks   []*asking // the first is on the screen

	scroll scroll
	chunk  []string     // lines that the display is to print with the next picture
	lend   func()       // gives the terminal, in and out, to another program
	stop   func() error // stops the program until its shell lets it go on
	in     *os.File
	out    *os.File
	live   livetext
	calls  event.CallFold
	work   *work
	queue  []queued
	space  workspace
	flat   bool // no alternate screen
	// supportsOSC52 says that the terminal may copy by OSC 52; see copied.
	supportsOSC52 bool
	keys          bindings
	// first is the key of a pair that waits for the second; escaped is when Esc did nothing.
	first   string
	escaped time.Time
	// verbose shows calls with arguments and results, and scripts whole.
	verbose bool
	// title, progress, bell, notify and thousands are as in Options.
	title, progress, bell, notify, thousands bool
	told                                     signals
	// focus is that of the window; calling is true while a question waits to which the person was called.
	focus   focus
	calling bool
	passing func(sequence string) string // see passing
	// version counts what may change what a pane shows: its keys, what it asked for, events that are more than text, facts
	// of the status row. drawn is the overlay as it was drawn last.
	version int
	drawn   drawnPane
	// previewed is what the last preview came to; nil before one.
	previewed *previewed

	armed   time.Time // until when a second Ctrl+C or Ctrl+D leaves
	notice  string
	ticking bool // a tick is on its way
	waiting bool // a wait for the feed is on its way
	leaving bool
	left    bool // the quit command was given
	err     error

	stale   bool
	painted painting
	signed  signature
	frame   frame
	typed   time.Time // when the last key came
	burst   burst
	// orphaned is true when a question went while somebody typed at it.
	orphaned bool
}

// A queued input waits for its turn in the mode that it was typed in.
type queued struct {
	line string
	mode input.Mode
}

// A work is the input that runs now.
type work struct {
	line    string
	cancel  context.CancelFunc
	started time.Time
	// stopped is true once the person asked it to stop.
	stopped bool
	// unseen counts the lines that were printed and are not shown, because it was stopped; more is how many of those
	// that still come are.
	unseen, more int
	// tallest is how many rows the unfinished text has taken; the region keeps them until the end, so that the input
	// stays where it is.
	tallest int
	// speaking is true while the model's words come in.
	speaking bool
	// called counts the calls that ended, received the bytes of text that came in.
	called, received int
	// second is the time at which receivedAt was last asked for another one, and receivedThen what had come in by then.
	second       time.Duration
	receivedThen int
	// previewing is true for a preview that F5 began.
	previewing bool
}

// receivedAt is how much text had come in when it was asked for that second first.
func (w *work) receivedAt(second time.Duration) int {
	if second != w.second {
		w.second, w.receivedThen = second, w.received
	}
	return w.receivedThen
}

func newModel(ctx context.Context, sh *repl.Shell, o Options) *model {
	m := &model{
		ctx: ctx, shell: sh, handle: sh.HandleIn, feed: sh.Feed(), history: sh.History(),
		theme: newTheme(!o.NoColor, o.ASCII), ascii: o.ASCII, now: time.Now, stale: true, flat: o.NoAltScreen,
		keys: newBindings(o.Keys), title: o.Title, progress: o.Progress, bell: o.Bell, notify: o.Notify,
		thousands: o.Thousands, ghost: ghost{off: o.NoGhost},
	}
	m.passing = passing(os.Getenv)
	keys := m.keys
	sh.SetKeys(func(action string) string { return keys.shown(0, action) })
	m.edit.folds = &m.folds
	m.vi = newVi(m, o.Vi)
	sh.SetKeyHelp(append(m.keyHelp(), viHelp(m.vi.on)...))
	m.space = workspace{on: o.Fullscreen && !o.NoAltScreen,
		panes: [3]pane{&variablesPane{m: m}, &tracePane{m: m}, &previewPane{m: m}}}
	m.scroll.keep = m.space.keep
	if m.space.on {
		m.scroll.most = transcriptLines
	}
	m.colors = sync.OnceValue(func() colorprofile.Profile { return terminalColors(o.Out, os.Environ()) })
	m.answers = answers(os.Getenv)
	m.wear(o.Theme)
	for _, line := range o.Intro {
		m.space.keep([]string{text.SanitizeLine(line)})
	}
	m.space.keep(m.styled(sh.EarlierLines(m.render())))
	return m
}

// terminalColors is which colours the terminal says that it has. Whether to use any is asked elsewhere.
func terminalColors(out io.Writer, environ []string) colorprofile.Profile {
	environ = slices.DeleteFunc(environ, func(v string) bool { return strings.HasPrefix(v, "NO_COLOR=") })
	p := colorprofile.Detect(out, environ)
	if slices.Contains(environ, "TERM=xterm") &&
		slices.ContainsFunc(environ, func(v string) bool { return strings.HasPrefix(v, "XTERM_VERSION=") }) {
		p = max(p, colorprofile.ANSI256) // xterm itself, which tells by this name that it has sixteen
	}
	return p
}

// wait waits until the workers have ended, for at most d.
func (m *model) wait(d time.Duration) {
	ended := make(chan struct{})
	go func() {
		m.workers.Wait()
		close(ended)
	}()
	select {
	case <-ended:
	case <-time.After(d):
	}
}

// Init begins to listen to the feed.
func (m *model) Init() tea.Cmd {
	m.status = m.shell.StatusLine()
	return tea.Batch(m.listen(), m.askBackground())
}

// listen waits for the feed when nothing runs; while something runs the tick looks at it.
func (m *model) listen() tea.Cmd {
	if m.waiting || m.work != nil {
		return nil
	}
	m.waiting = true
	ctx, wake := m.ctx, m.feed.Wake()
	return func() tea.Msg {
		select {
		case <-wake:
			return wokenMsg{}
		case <-ctx.Done():
			return nil
		}
	}
}

// errLost says that the worker panicked.
var errLost = errors.New("the program made a mistake while it ran this input")
