package plain

// This file puts questions and reads typed answers.

import (
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"almanac/catalog/text"
	"almanac/repl/event"
	"almanac/repl/input"
	"almanac/repl/show"
	"almanac/session"
)

// An answer is what a person typed to a question.
type answer int

// The answers. The zero Answer is none: ask again.
const (
	again answer = iota
	yes
	always
	no
	edit
	script
	details
)

// parseAnswer reads a typed answer: one word alone, whatever its case, as a line that begins like one may be anything.
// Only a refusal may go on, with the reason to tell: "n wrong customer", "no, wrong customer".
func parseAnswer(text string) (a answer, reason string) {
	word, rest := input.CutWord(strings.TrimSpace(text))
	bare := strings.TrimRight(word, ",:;")
	switch strings.ToLower(bare) {
	case "n", "no", "deny":
		if rest = strings.TrimSpace(rest); rest == "" || len(bare) == 1 || bare != word {
			return no, rest
		}
	}
	if rest != "" {
		return again, ""
	}
	return map[string]answer{"y": yes, "yes": yes, "a": always, "session": always, "e": edit, "edit": edit,
		"v": script, "script": script, "?": details}[strings.ToLower(word)], ""
}

// ask puts the question and waits for a typed answer. The end of the input, an interrupt and the end of ctx deny; an
// interrupt stops the run, too.
func (p *plain) ask(ctx context.Context, cancel func(), e event.Event) {
	defer p.questions()()
	p.printLines(event.AskLines(e, p.o.Width, p.o.Render))
	switch q := e.Question(p.o.Render); {
	case q.Over != nil:
		e.Ask.Answer <- p.goOn(ctx, cancel, q)
	case q.Inquiry != nil:
		e.Ask.Answer <- p.answerServer(ctx, cancel, q)
	case q.Batch != nil:
		e.Ask.Answer <- p.answerBatch(ctx, cancel, q)
	default:
		e.Ask.Answer <- p.answer(ctx, cancel, q)
	}
}

// An Asker puts the questions of a program that reads nothing else: a script or a prompt that runs alone.
type Asker struct{ plain plain }

// NewAsker returns one that writes to out. read waits for one line and is called only while a question is open; what a
// question did not wait for is left to others. A read that is under way when a context ends is waited for by the next
// question.
func NewAsker(read func() (string, error), out io.Writer, o Options) *Asker {
	return &Asker{plain{out: out, o: o, lines: make(chan typedLine, 1), read: read}}
}

// Ask puts the question and waits for the answer, or for ctx, which refuses. One question at a time.
func (a *Asker) Ask(ctx context.Context, r session.Request) session.Approval {
	ask := &event.Ask{Request: r, Answer: make(chan session.Approval, 1)}
	a.plain.ask(ctx, func() {}, event.Event{Ask: ask})
	return <-ask.Answer
}

// goOn reads whether a run goes on: anything but a yes ends it.
func (p *plain) goOn(ctx context.Context, cancel func(), q show.Question) session.Approval {
	for {
		typed, err := p.reply(ctx, cancel, "y goes on, v shows the script, anything else ends the run: ")
		answer, _ := parseAnswer(typed)
		switch {
		case err != nil:
			p.print("ended: no answer\n")
		case answer == yes:
			return session.Approval{Verdict: session.Once}
		case answer == script:
			p.printLines(show.Wrap(q.ScriptLines(p.o.Render.Marks()), p.o.Width))
			continue
		}
		return session.Approval{}
	}
}

// answerServer reads what a server gets: a yes, to the form as it is or filled in, or a no. Words that are neither are
// no answer.
func (p *plain) answerServer(ctx context.Context, cancel func(), q show.Question) session.Approval {
	form := q.NewForm()
	keys := "y/n, v for the script: "
	if form != nil {
		keys = "y/e/n, v for the script: "
	}
	for {
		typed, err := p.reply(ctx, cancel, keys)
		if err != nil {
			p.print("declined: no answer\n")
			return session.Approval{Reason: "no answer"}
		}
		answer, reason := parseAnswer(serverWord(typed))
		switch {
		case answer == yes && q.Unready() != nil:
			p.print(text.Sanitize(q.Unready().Error()) + ": fill it in with e\n")
		case answer == yes && form != nil:
			return session.Approval{Verdict: session.Once, Args: form.Values()}
		case answer == yes:
			return session.Approval{Verdict: session.Once}
		case answer == edit && form != nil:
			form = q.NewForm()
			if !p.fill(ctx, cancel, form) {
				p.print("declined\n")
				return session.Approval{}
			}
			q = q.With(form.Values())
			p.print("this is sent:\n")
			p.printLines(show.Wrap(q.ArgLines(max(p.o.Width-1, 0)), p.o.Width))
		case answer == script:
			p.printLines(show.Wrap(q.ScriptLines(p.o.Render.Marks()), p.o.Width))
		case answer == no:
			return session.Approval{Reason: reason}
		default:
			p.print("not an answer: type y, n, v" + map[bool]string{true: " or e"}[form != nil] + " alone\n")
		}
	}
}

// serverWord is what people type to a server, in the words of other answers.
func serverWord(typed string) string {
	switch strings.ToLower(strings.TrimSpace(typed)) {
	case "send", "send this", "accept", "ok":
		return "y"
	case "fill", "fill in":
		return "e"
	case "decline", "cancel":
		return "n"
	}
	return typed
}

// fill asks for the fields of a form, one after another. False declines: "cancel" alone, or no more input.
func (p *plain) fill(ctx context.Context, cancel func(), form *show.Form) bool {
	p.print("an empty line takes what is said, < goes back, cancel alone declines\n")
	for !form.Done() {
		p.print(form.Prompt() + "\n")
		p.printLines(show.Wrap(form.Lines(), p.o.Width))
		typed, err := p.reply(ctx, cancel, "> ")
		switch {
		case err != nil || strings.TrimSpace(typed) == "cancel":
			return false
		case strings.TrimSpace(typed) == "<":
			form.Back()
			continue
		}
		if err := form.Take(typed); err != nil {
			p.print(text.Sanitize(err.Error()) + "\n")
		}
	}
	return true
}

// answer reads lines until one is an answer.
func (p *plain) answer(ctx context.Context, cancel func(), q show.Question) session.Approval {
	for {
		typed, err := p.reply(ctx, cancel, "y/a/e/n, n with a reason, v for the script, ? for details: ")
		if err != nil {
			p.print("denied: no answer\n")
			return session.Approval{Reason: "no answer"}
		}
		answer, reason := parseAnswer(typed)
		switch answer {
		case yes:
			return session.Approval{Verdict: session.Once}
		case always:
			if a, ok := p.scope(ctx, cancel, q); ok {
				return a
			}
		case no:
			return session.Approval{Reason: reason}
		case edit:
			if args := p.args(ctx, cancel, q.ReadArgs); args != nil {
				return session.Approval{Verdict: session.Once, Args: args}
			}
		case script:
			p.printLines(show.Wrap(q.ScriptLines(p.o.Render.Marks()), p.o.Width))
		case details:
			p.printLines(event.AskDetails(q, p.o.Width, p.o.Render))
		default:
			p.print("not an answer: type y, a, e, n, v or ? alone\n")
		}
	}
}

// args asks for the arguments of a call; nil goes back.
func (p *plain) args(ctx context.Context, cancel func(), read func(string) (map[string]any, error)) map[string]any {
	typed, err := p.reply(ctx, cancel, "arguments: ")
	if err != nil || strings.TrimSpace(typed) == "" {
		return nil
	}
	args, err := read(typed)
	if err != nil {
		p.print(text.Sanitize(err.Error()) + "\n")
		return nil
	}
	return args
}

// scope reads which calls a grant for the session covers. Anything but the number of one goes back.
func (p *plain) scope(ctx context.Context, cancel func(), q show.Question) (session.Approval, bool) {
	scopes := q.Scopes()
	lines := q.ScopeLines(0)
	if p.read != nil { // there is no prompt for a command
		lines[len(lines)-1] = show.Dim.Line("--allow, or allow in your configuration, grants in advance")
	}
	p.printLines(show.Wrap(lines, p.o.Width))
	typed, err := p.reply(ctx, cancel, fmt.Sprintf("1 to %d, anything else goes back: ", len(scopes)))
	n, bad := strconv.Atoi(strings.TrimSpace(typed))
	if err == nil && bad == nil && 1 <= n && n <= len(scopes) {
		if !q.Wide(scopes[n-1]) {
			return scopes[n-1].Approval(), true
		}
		typed, err := p.reply(ctx, cancel,
			q.RiskText(p.o.Render.Marks())+": type session to allow "+q.ID+" for this whole session: ")
		if err == nil && strings.TrimSpace(typed) == "session" {
			return scopes[n-1].Approval(), true
		}
	}
	p.print("no answer: the question is still open\n")
	return session.Approval{}, false
}

// reply prints a prompt and waits for a line that was typed after it. What comes within the grace of the prompt was
// typed before it could be read, or pasted: it is the next input, and so is what follows it as soon.
func (p *plain) reply(ctx context.Context, cancel func(), prompt string) (string, error) {
	p.print(prompt)
	asked := time.Now()
	for {
		if p.read != nil && !p.reading {
			p.reading = true
			go func() {
				text, err := p.read()
				p.lines <- typedLine{text, err}
			}()
		}
		select {
		case l := <-p.lines:
			p.reading = false
			p.open = l.err != nil
			if l.err != nil {
				p.endLine()
				return "", l.err
			}
			if time.Since(asked) >= p.o.Grace {
				return l.text, nil
			}
			asked = time.Now()
			said := "that was typed before the question, and does not count\n"
			if p.read == nil {
				p.ahead = append(p.ahead, l)
				said = "typed before the question, kept for later: " + text.SanitizeLine(l.text) + "\n"
			}
			p.print(said + prompt)
		case <-p.o.Interrupt:
			p.open = true
			p.endLine()
			cancel()
			return "", context.Canceled
		case <-ctx.Done():
			p.open = true
			p.endLine()
			return "", ctx.Err()
		}
	}
}
