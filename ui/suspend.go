package ui

import (
	"errors"
	"io"

	tea "charm.land/bubbletea/v2"
)

// This file hands the terminal back to the shell that started the program, and takes it again when the shell lets the
// program go on.

type (
	// suspendMsg says that somebody asked for it from outside, with SIGTSTP.
	suspendMsg struct{}
	// continuedMsg says that the program goes on after a stop that it was not told of, with SIGSTOP.
	continuedMsg struct{}
	// resumedMsg says that the terminal is the program's again.
	resumedMsg struct{ err error }
)

// errNoJobControl says that there is nobody who could let a stopped program go on.
var errNoJobControl = errors.New("Ctrl+Z: not started from a shell with job control")

// A pause is what runs while the terminal is lent to the shell.
type pause func() error

func (p pause) Run() error          { return p() }
func (p pause) SetStdin(io.Reader)  {}
func (p pause) SetStdout(io.Writer) {}
func (p pause) SetStderr(io.Writer) {}

// suspend stops the program until the shell lets it go on.
func (m *model) suspend() tea.Cmd { return m.away(m.stop) }

// stopping is stop with what is done before and after it.
func stopping(before func() func(), stop func() error) func() error {
	if before == nil {
		return stop
	}
	return func() error {
		defer before()()
		return stop()
	}
}

// away gives the terminal back as it was, runs f, and takes it again.
func (m *model) away(f func() error) tea.Cmd {
	if m.lend == nil || m.leaving {
		return nil
	}
	return tea.Sequence(m.lent(), tea.Exec(pause(f), func(err error) tea.Msg { return resumedMsg{err} }))
}

// lent is a command that gives the terminal away.
func (m *model) lent() tea.Cmd {
	quiet := m.quiet()
	return func() tea.Msg {
		if m.lend(); quiet != "" {
			_, _ = m.out.WriteString(quiet)
		}
		return nil
	}
}

// resumed tells why the program did not stop, if it did not.
func (m *model) resumed(err error) {
	if err != nil {
		m.notice = err.Error()
	}
}
