package main

import (
	"bytes"
	"testing"
	"time"

	"github.com/creack/pty"
)

// TestTypeAheadIsNoAnswer types before and while a question comes up: only what is typed after it answers it.
func TestTypeAheadIsNoAnswer(t *testing.T) {
	for _, c := range []struct {
		before, after string
		want          bool
	}{{"y\n", "n\n", false}, {"y", "\n", false}, {"yes\ny\ny\n", "\n", false}, {"n\n", "y\n", true}} {
		person, terminal, err := pty.Open()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := person.WriteString(c.before); err != nil {
			t.Fatal(err)
		}
		time.Sleep(50 * time.Millisecond) // until the terminal has it
		answer := make(chan bool, 1)
		var told bytes.Buffer
		go func() { answer <- (&program{stdin: terminal, stderr: &told}).agrees("Sure? ") }()
		time.Sleep(2 * answerGrace)
		if _, err := person.WriteString(c.after); err != nil {
			t.Fatal(err)
		}
		if got := <-answer; got != c.want {
			t.Errorf("%q before and %q after the question: %t\n%s", c.before, c.after, got, told.String())
		}
		_, _ = person.Close(), terminal.Close()
	}
}
