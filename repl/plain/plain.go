// Package plain is the line mode: the REPL for terminals that cannot move a cursor, screen readers, and pipes. It
// prints lines and nothing else: no escape, no carriage return, no animation. Start at Run.
package plain

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"
	"unicode/utf8"

	"almanac/catalog/text"
	"almanac/repl"
	"almanac/repl/event"
	"almanac/repl/input"
	"almanac/repl/show"
	"almanac/session"
	"almanac/session/vm"
)

// Options configure Run. The zero value prints tables of any width and heeds no interrupts but ctx.
type Options struct {
	// Render says how events become text. NoEcho is set: the terminal echoes what is typed.
	Render event.RenderOptions
	// Width fits tables; zero means no limit.
	Width int
	// Interrupt carries the presses of Ctrl+C. The first stops what runs, or drops the unfinished input, or asks for
	// another to leave.
	Interrupt <-chan os.Signal
	// Greeting is printed first; may be empty.
	Greeting string
	// Questions is where prompts and questions go while what is printed is not seen; nil means with all else.
	Questions io.Writer
	// Failed is told the error of each input that failed. It may be nil.
	Failed func(error)
	// Grace is how soon after a question a line does not answer it: it was typed before. Zero for what nobody types.
	Grace time.Duration
	// NoPrompt prints no prompts, and not which globals changed: the input is a pipe.
	NoPrompt bool
}

// maxInput is how long one typed line may be.
const maxInput = 4 << 20

// Run takes inputs from in and prints what they come to, until in ends, the person leaves, or ctx is done. The
// error is that of in or out, or ctx's. It starts one goroutine at a time, for the running input. Several Run may
// follow each other on one Typing, each goes on where the last one left.
func Run(ctx context.Context, sh *repl.Shell, in *Typing, out io.Writer, o Options) error {
	o.Render.NoEcho = true
	o.Render.NoChanges = o.Render.NoChanges || o.NoPrompt
	p := &plain{sh: sh, out: out, o: o, lines: in.lines}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	if o.Greeting != "" {
		p.print(o.Greeting + "\n")
	}
	if !o.NoPrompt {
		for _, l := range sh.EarlierLines(o.Render) {
			p.print(l.String() + "\n")
		}
	}
	return p.loop(ctx)
}

// A Typing is lines that somebody types, read one ahead.
type Typing struct {
	lines chan typedLine
	done  chan struct{}
}

// Read starts the one goroutine that reads in. It ends when Close was called and in gives a line or its end.
func Read(in io.Reader) *Typing {
	t := &Typing{lines: make(chan typedLine), done: make(chan struct{})}
	go t.read(in)
	return t
}

// Close ends the reading; it must be called once, when nobody takes lines any more.
func (t *Typing) Close() { close(t.done) }

type typedLine struct {
	text string
	err  error
}

// A plain is one run of the line mode. It belongs to Run's goroutine.
type plain struct {
	sh      *repl.Shell
	out     io.Writer
	o       Options
	lines   chan typedLine
	ahead   []typedLine // typed while a question came up
	err     error       // of out
	ended   error       // of the input at hand
	calls   event.CallFold
	running bool // an input is being handled
	// open is true while the last thing printed did not end its line.
	open bool
	// held is what arrived while a line was open.
	held []event.Event
	// half holds the bytes of a character that has not come whole.
	half string
	// read gives one line, where lines are not read ahead; reading is true while it is under way.
	read    func() (string, error)
	reading bool
}

func (t *Typing) read(in io.Reader) {
	scanner := bufio.NewScanner(in)
	scanner.Buffer(make([]byte, 0, 64<<10), maxInput)
	send := func(l typedLine) bool {
		select {
		case t.lines <- l:
			return true
		case <-t.done:
			return false
		}
	}
	for scanner.Scan() {
		if !send(typedLine{text: scanner.Text()}) {
			return
		}
	}
	err := scanner.Err()
	if err == nil {
		err = io.EOF
	}
	// A question that waits takes the first of these; the loop needs one, too.
	for send(typedLine{err: err}) {
	}
}

func (p *plain) loop(ctx context.Context) error {
	var b strings.Builder
	armed, quiet := false, false
	for p.err == nil {
		if !quiet {
			p.prompt(b.Len() > 0)
		}
		quiet = false
		lines, kept := p.lines, len(p.ahead) > 0
		if kept {
			first := make(chan typedLine, 1)
			first <- p.ahead[0]
			lines = first
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-p.sh.Feed().Wake():
			events := p.sh.Feed().Take()
			quiet = len(events) == 0
			p.show(ctx, func() {}, events)
		case <-p.o.Interrupt:
			if armed {
				return nil
			}
			p.endLine()
			if armed = b.Len() == 0; armed {
				p.print("press Ctrl+C again to exit\n")
			}
			b.Reset()
		case l := <-lines:
			if kept { // not before: whatever else comes first must not lose it
				p.ahead = p.ahead[1:]
			}
			armed, p.open = false, false // Enter ended the prompt's line
			if l.err != nil {
				return p.atEnd(ctx, b.String(), l.err)
			}
			if b.Len() > 0 {
				b.WriteByte('\n')
			}
			b.WriteString(l.text)
			if p.sh.Submit(b.String()) == input.Incomplete {
				continue
			}
			text := b.String()
			b.Reset()
			if p.run(ctx, text) == repl.Quit {
				return p.err
			}
		}
	}
	return p.err
}

// atEnd runs what is left when the input ended, so that an unfinished script tells its error.
func (p *plain) atEnd(ctx context.Context, rest string, err error) error {
	p.print("\n") // no Enter ended the prompt's line
	if strings.TrimSpace(rest) != "" {
		p.run(ctx, rest)
	}
	p.endLine()
	if errors.Is(err, io.EOF) {
		return p.err
	}
	return fmt.Errorf("input: %w", err)
}

func (p *plain) prompt(more bool) {
	if p.o.NoPrompt {
		return
	}
	p.endLine()
	defer p.questions()()
	if more {
		p.print(p.o.Render.Marks().More + " ")
		return
	}
	p.print(event.PromptText(p.sh.Mode(), p.o.Render))
}

// questions prints to where questions go until what it returns is called.
func (p *plain) questions() func() {
	if p.o.Questions == nil {
		return func() {}
	}
	out := p.out
	p.out = p.o.Questions
	return func() { p.out, p.open = out, false }
}

// run handles one input on a goroutine of its own and prints its events as they come.
func (p *plain) run(ctx context.Context, text string) repl.Status {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	p.running = true
	defer func() { p.running = false }()
	done := make(chan repl.Status, 1)
	go func() { done <- p.sh.Handle(ctx, text) }()
	feed := p.sh.Feed()
	for {
		select {
		case <-feed.Wake():
			p.show(ctx, cancel, feed.Take())
		case <-p.o.Interrupt:
			cancel()
		case status := <-done:
			p.show(ctx, cancel, feed.Take())
			p.show(ctx, cancel, []event.Event{{}}) // lets out the calls that wait
			p.flush()
			if status == repl.Failed && p.o.Failed != nil {
				p.o.Failed(p.ended)
			}
			return status
		}
	}
}

func (p *plain) show(ctx context.Context, cancel func(), events []event.Event) {
	var ordered []event.Event
	for _, e := range events {
		ordered = append(ordered, p.calls.Push(e)...)
	}
	for _, e := range ordered {
		switch e.Kind {
		case event.Printed, event.Spoke:
			// Shown as it comes: a person waits for a slow script's output.
			text := text.Sanitize(p.whole(e.Text))
			if e.Kind == event.Printed && e.Author == session.Model {
				text = p.margin(text)
			}
			if e.Stream == vm.Logs {
				text = "log: " + strings.TrimSuffix(strings.ReplaceAll(text, "\n", "\nlog: "), "log: ")
			}
			p.print(text)
			p.letOut()
			continue
		case event.Arrived:
			if p.open && p.running {
				p.held = append(p.held, e)
				continue
			}
		case event.Ended:
			p.ended = e.Err
		case event.Asked:
			p.flush()
			p.ask(ctx, cancel, e)
			continue
		}
		p.flush()
		p.printLines(event.Lines(e, p.o.Width, p.o.Render))
	}
}

// margin puts a mark before each line of what a model's script prints: it may look like a line of the program's own.
func (p *plain) margin(text string) string {
	mark := p.o.Render.Marks().Quote + " "
	body, ended := strings.CutSuffix(text, "\n")
	body = strings.ReplaceAll(body, "\n", "\n"+mark)
	if !p.open && text != "" {
		body = mark + body
	}
	if ended {
		body += "\n"
	}
	return body
}

// whole returns text with the bytes that were held back before it, and holds back those of a last character that is
// not all there.
func (p *plain) whole(text string) string {
	text = p.half + text
	p.half = ""
	for n := 1; n < utf8.UTFMax && n <= len(text); n++ {
		b := text[len(text)-n]
		if utf8.RuneStart(b) {
			if b >= utf8.RuneSelf && !utf8.FullRuneInString(text[len(text)-n:]) {
				p.half = text[len(text)-n:]
				return text[:len(text)-n]
			}
			break
		}
	}
	return text
}

func (p *plain) printLines(lines []show.Line) {
	if len(lines) == 0 {
		return
	}
	p.endLine()
	var b strings.Builder
	for _, l := range lines {
		b.WriteString(l.String())
		b.WriteByte('\n')
	}
	p.print(b.String())
}

// flush ends what was printed in pieces, and prints what arrived meanwhile.
func (p *plain) flush() {
	if p.half != "" {
		p.print(text.Sanitize(p.half))
		p.half = ""
	}
	p.endLine()
	p.letOut()
}

// letOut prints what arrived while a line was open, once it has ended.
func (p *plain) letOut() {
	if p.open || p.half != "" {
		return
	}
	held := p.held
	p.held = nil
	for _, e := range held {
		p.printLines(event.Lines(e, p.o.Width, p.o.Render))
	}
}

func (p *plain) endLine() {
	if p.open {
		p.print("\n")
	}
}

func (p *plain) print(text string) {
	if text == "" || p.err != nil {
		return
	}
	_, p.err = io.WriteString(p.out, text)
	p.open = !strings.HasSuffix(text, "\n")
}
