// This file asks the person at the terminal of a program that runs one script or prompt: on standard error, with the
// answers from standard input. Where either is no terminal, nobody is asked.

package main

import (
	"io"
	"os"
	"time"

	"golang.org/x/term"

	"almanac/repl/event"
	"almanac/repl/plain"
	"almanac/session/policy"
)

// answerGrace is the time in which nobody can have read a question and typed an answer.
const answerGrace = 300 * time.Millisecond

// asker returns what asks, or nil, and the policy where nobody chose one: a pipe answers no question.
func (p *program) asker() (*plain.Asker, policy.Mode) {
	out := terminalOf(p.stderr)
	if !typed(p.stdin) || out == nil {
		return nil, policy.ReadOnly
	}
	read := func() (string, error) {
		dropTyped(p.stdin)
		return typedLine(p)
	}
	o := plain.Options{Width: columns(out), Render: event.RenderOptions{NoEcho: true}, Grace: answerGrace}
	return plain.NewAsker(read, p.stderr, o), policy.Ask
}

// terminalOf is the terminal that w writes to; nil if it is not one.
func terminalOf(w io.Writer) *os.File {
	switch inner := w.(type) {
	case *cleaned:
		return terminalOf(inner.w)
	case *output:
		return terminalOf(inner.w)
	case *os.File:
		if term.IsTerminal(int(inner.Fd())) {
			return inner
		}
	}
	return nil
}

// columns is the width of a terminal, 0 if it is not known.
func columns(out *os.File) int {
	width, _, err := term.GetSize(int(out.Fd()))
	if err != nil {
		return 0
	}
	return width
}
