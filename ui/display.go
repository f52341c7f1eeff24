package ui

import (
	"fmt"
	"io"
	"math"
	"strconv"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
)

// This file holds the display, which alone writes to the terminal while the screen is shown. Bubble Tea's renderer is
// not used: it prints lines by inserting them above rows that it counts on to be where they were, and loses some when
// the window was resized and the program has not heard of it. What is written instead is in redraw.go.

// A picture is what the terminal is to show.
type picture struct {
	rows []string
	// cursor is where the cursor is in the rows; nil hides it.
	cursor *point
	// alt says that the rows are those of the alternate screen; else they are the live region below the transcript.
	alt bool
	// width and height are those of the window that the rows were drawn for.
	width, height int
	// busy says that lines are coming. The terminal's cursor then waits in front of the region, where no resize can
	// misplace it, and the cursor of the input is drawn.
	busy bool
}

// How often a picture is written: at most 30 times a second, and 10 times for a while after one took long.
const (
	slowWrite = 50 * time.Millisecond
	slowPace  = 100 * time.Millisecond
	slowSpell = 2 * time.Second
)

// calmTime is how long the window must have had a size for the terminal to have broken its rows for it: tmux breaks
// them up to a quarter of a second before it tells of the last of several sizes.
const calmTime = 300 * time.Millisecond

// askAgain is how long a picture for another size waits for the right one before the size is told once more.
const askAgain = 50 * time.Millisecond

// A display writes pictures, and lines above them. Its methods may be called from any goroutine and do not wait for the
// terminal, but for Pause and Close.
type display struct {
	out io.Writer
	// size asks the terminal for the size to draw for, as windowSize has it; nil when it cannot be asked.
	size func() (width, height int, err error)
	// tell gives the loop a message.
	tell func(tea.Msg)
	// reflows says that the terminal breaks rows anew for a narrower window.
	reflows bool

	wake, quit, ended chan struct{}

	mu     sync.Mutex
	want   picture
	lines  []string // to be printed above it
	told   string   // sequences to be written before it
	fresh  bool     // want or lines were not written yet
	paused bool

	// painting is held while something is written; it guards the rest.
	painting sync.Mutex
	drawn    drawn
	began    bool // the modes of the terminal are set
	wrote    time.Time
	slow     time.Time // until when pictures are written seldom
	// other is the size of the window if that differs from the drawn one, and since when it has it.
	other [2]int
	since time.Time
}

// newDisplay returns a display that runs until Close.
func newDisplay(out io.Writer, size func() (int, int, error), reflows bool, tell func(tea.Msg)) *display {
	d := &display{out: out, size: size, tell: tell, reflows: reflows,
		wake: make(chan struct{}, 1), quit: make(chan struct{}), ended: make(chan struct{})}
	go d.run()
	return d
}

// show has lines printed and then the picture shown, in one write if the terminal keeps up; a picture that was not
// written yet is forgotten. A printedMsg tells that the lines are out. Lines must not be given while the picture before
// was on the alternate screen.
func (d *display) show(p picture, lines []string) {
	d.mu.Lock()
	d.want, d.fresh = p, true
	d.lines = append(d.lines, lines...)
	d.mu.Unlock()
	d.nudge()
}

// Tell has a sequence written that moves nothing and shows nothing.
func (d *display) Tell(sequence string) {
	d.mu.Lock()
	d.told, d.fresh = d.told+sequence, true
	d.mu.Unlock()
	d.nudge()
}

// repaint has everything written anew.
func (d *display) repaint() {
	d.painting.Lock()
	d.drawn.known = false
	d.painting.Unlock()
	d.mu.Lock()
	d.fresh = true
	d.mu.Unlock()
	d.nudge()
}

// pause gives the terminal to another program until resume: the region is erased and the modes are those from before.
func (d *display) pause() {
	d.mu.Lock()
	d.paused = true
	d.mu.Unlock()
	d.painting.Lock()
	defer d.painting.Unlock()
	d.leave()
}

// resume takes the terminal back after pause.
func (d *display) resume() {
	d.mu.Lock()
	d.paused, d.fresh = false, true
	d.mu.Unlock()
	d.nudge()
}

// close erases the region, gives the terminal its modes back and ends the display. It waits for a terminal that takes
// nothing for at most grace, and leaves it as it is then.
func (d *display) close(grace time.Duration) {
	close(d.quit)
	select {
	case <-d.ended:
	case <-time.After(grace):
	}
}

// leave erases the region and resets the modes. The caller holds painting.
func (d *display) leave() {
	if !d.began {
		return
	}
	// An error will come back with what is written next, if anything is.
	_, _ = io.WriteString(d.out, d.drawn.clear()+modesOff)
	d.began = false
}

func (d *display) nudge() {
	select {
	case d.wake <- struct{}{}:
	default:
	}
}

// run writes what Show asks for, no faster than the pace.
func (d *display) run() {
	defer close(d.ended)
	defer func() {
		d.painting.Lock()
		d.leave()
		d.painting.Unlock()
	}()
	for {
		select {
		case <-d.wake:
		case <-d.quit:
			return
		}
		for again := time.Duration(0); ; {
			again = max(again, time.Until(d.next()))
			if again > 0 {
				select {
				case <-time.After(again):
				case <-d.quit:
					return
				}
			}
			var told []tea.Msg
			told, again = d.paint()
			for _, msg := range told {
				d.tell(msg)
			}
			if again == 0 {
				break
			}
		}
	}
}

// next is when the next picture may be written.
func (d *display) next() time.Time {
	d.painting.Lock()
	defer d.painting.Unlock()
	if time.Now().Before(d.slow) {
		return d.wrote.Add(slowPace)
	}
	return d.wrote.Add(frameTime)
}

// paint writes what is wanted. It returns what the loop should know, and how long to wait before it is called again; 0
// means until the next nudge.
func (d *display) paint() (told []tea.Msg, again time.Duration) {
	d.painting.Lock()
	defer d.painting.Unlock()
	d.mu.Lock()
	p, lines, before, ready := d.want, d.lines, d.told, d.fresh && !d.paused
	d.mu.Unlock()
	if !ready || p.width < 1 {
		return nil, 0
	}
	now := time.Now()
	if width, height, ok := d.resized(p); ok {
		return []tea.Msg{tea.WindowSizeMsg{Width: width, Height: height}}, askAgain
	}
	broken, wait := d.settled(p, now)
	if wait > 0 {
		return nil, wait
	}
	if p.alt && d.drawn.alt {
		lines = nil // they wait
	}
	out := before + d.drawn.change(p, lines, broken, now.Sub(d.since) < calmTime)
	if !d.began {
		out, d.began = modesOn+out, true
	}
	var err error
	if out != "" {
		_, err = io.WriteString(d.out, out)
		d.wrote = time.Now()
		if d.wrote.Sub(now) > slowWrite {
			d.slow = d.wrote.Add(slowSpell)
		}
	}
	d.mu.Lock()
	d.lines = d.lines[len(lines):]
	if len(d.lines) == 0 {
		d.lines = nil
	}
	d.told = d.told[len(before):]
	d.fresh = d.told != "" || len(d.lines) > 0 || !d.want.equal(p)
	d.mu.Unlock()
	if err != nil {
		told = append(told, stopMsg{fmt.Errorf("screen: %w", err)})
	}
	if len(lines) > 0 {
		told = append(told, printedMsg{slow: d.wrote.Before(d.slow)})
	}
	return told, 0
}

// resized says whether the window has another size than the picture, and which. A picture for another size would be
// torn, and the loop may hear of the new one late. The caller holds painting.
func (d *display) resized(p picture) (width, height int, ok bool) {
	if d.size == nil {
		return 0, 0, false
	}
	width, height, err := d.size()
	if err != nil {
		return 0, 0, false
	}
	if size := [2]int{width, height}; size != d.other {
		d.other, d.since = size, time.Now()
	}
	return width, height, width != p.width || height != p.height
}

// windowSize is the size to draw for where the terminal tells width and height: those that are 0, as of a terminal that
// knows none (a serial line, or one that nobody has set yet), are what COLUMNS and LINES say, or else 80 and 24.
func windowSize(width, height int, getenv func(string) string) (int, int) {
	known := func(told int, name string, usual int) int {
		if told > 0 {
			return told
		}
		if n, err := strconv.Atoi(getenv(name)); err == nil && 0 < n && n <= math.MaxUint16 {
			return n
		}
		return usual
	}
	return known(width, "COLUMNS", 80), known(height, "LINES", 24)
}

// settled says how many rows more than it has the region takes above the cursor, because a narrower window has broken
// some, and how long to wait before that is sure. The caller holds painting.
func (d *display) settled(p picture, now time.Time) (broken int, wait time.Duration) {
	r := &d.drawn
	if !d.reflows || !r.known || r.alt || p.width >= r.width {
		return 0, 0
	}
	broken = brokenRows(r.rows, r.at, p.width)
	if broken == 0 {
		return 0, 0
	}
	if d.since.Sub(d.wrote) < calmTime {
		// Nobody knows whether the last write came before the rows were broken. Too few leave a row standing, too many
		// would take a line of the transcript.
		return 0, 0
	}
	return broken, max(calmTime-now.Sub(d.since), 0)
}

// What is set while the screen is shown: bracketed paste, keys told apart, and to be told of the focus; and that
// characters of several code points have the width that catalog/text/cells gives them, where the terminal has a choice.
const (
	modesOn = ansi.SetModeBracketedPaste + ansi.SetModeFocusEvent + ansi.SetModeUnicodeCore +
		ansi.SetModifyOtherKeys2 + keysApart
	modesOff = keysBefore + ansi.ResetModifyOtherKeys + ansi.ResetModeUnicodeCore + ansi.ResetModeFocusEvent +
		ansi.ResetModeBracketedPaste

	// The protocol of kitty that tells Esc from what begins with it, which each of the terminal's two screens has for
	// itself.
	keysApart  = "\x1b[>1u"
	keysBefore = "\x1b[<1u"
)
