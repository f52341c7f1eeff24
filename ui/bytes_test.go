package ui

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/colorprofile"
	"github.com/google/go-cmp/cmp"

	"almanac/llm"
	"almanac/repl/event"
)

// longAnswer is an answer of 1,000 tokens, of which four and a half letters are one, as in English prose.
func longAnswer() string {
	words := strings.SplitAfter("The three largest invoices of **Acme Corp** are not paid yet, and the oldest of them has been "+
		"`overdue` for more than a month, which is longer than they were ever late. ", " ")
	var b strings.Builder
	for i := 0; b.Len() < 4500; i++ {
		b.WriteString(words[i%len(words)])
		switch {
		case i%180 == 179:
			b.WriteString("\n\n```lua\nlocal n = 1\nreturn n\n```\n\n- one\n- two\n\n")
		case i%45 == 44:
			b.WriteString("\n\n")
		}
	}
	return b.String()
}

// TestStreamedBytes bounds what is written to the terminal for an answer, however small its chunks and whatever the
// pace, and shows that the terminal then has it whole.
func TestStreamedBytes(t *testing.T) {
	answer := longAnswer()
	for i, c := range []struct {
		chunks, perSecond int
		repeats           bool
		most              int
	}{
		{1300, 100, false, 20_000}, {1300, 25, false, 20_000}, {1300, 25, true, 20_000}, {100, 10, false, 20_000},
		{5000, 400, true, 20_000},
		{1300, 12, false, 20_000}, // nearly two minutes, in which the row above tells the time
	} {
		if testing.Short() && i%3 > 0 {
			continue // one goroutine: make test counts them all
		}
		t.Run(fmt.Sprintf("%d chunks, %d a second, repeats %v", c.chunks, c.perSecond, c.repeats), func(t *testing.T) {
			s := colorful(t, Theme{name: darkTheme}, colorprofile.TrueColor, 100, 30)
			s.keys("f()", "enter")
			d := drawn{repeats: c.repeats}
			term := newEmulator(100, 30)
			wrote := 0
			var all []string
			draw := func() {
				out := d.change(s.model.picture(), s.printed, 0, false)
				all, s.printed = append(all, s.printed...), nil
				wrote += len(out)
				term.Write([]byte(out))
			}
			draw()
			wrote = 0
			for i := range c.chunks {
				s.observe(llm.Event{Kind: llm.Delta, Text: answer[len(answer)*i/c.chunks : len(answer)*(i+1)/c.chunks]})
				for pause := time.Second / time.Duration(c.perSecond); pause > 0; pause -= frameTime {
					s.pass(min(pause, frameTime))
					draw()
				}
			}
			if t.Logf("%d bytes of text, %d written", len(answer), wrote); wrote > c.most {
				t.Errorf("%d bytes written for 1,000 tokens", wrote)
			}
			s.emit(event.Event{Kind: event.Ended})
			draw()
			want := newEmulator(100, 30)
			want.Write([]byte((&drawn{}).change(s.model.picture(), all, 0, false)))
			if diff := cmp.Diff(want.lines(), term.lines()); diff != "" {
				t.Errorf("the terminal shows (-want +got)\n%s", diff)
			}
			if text := strings.Join(all, " "); strings.Count(text, "oldest") != strings.Count(answer, "oldest") {
				t.Errorf("the transcript lacks text:\n%s", text)
			}
		})
	}
}
