package ui

import (
	"fmt"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"almanac/repl/event"
	"almanac/session/vm"
)

// A countingPane counts how often it is drawn.
type countingPane struct{ drawn, keys int }

func (p *countingPane) head() (title, note string) { return "Counted", "" }
func (p *countingPane) rows(_, _ int) []string {
	p.drawn++
	return []string{fmt.Sprint(p.keys)}
}
func (p *countingPane) key(string, string) tea.Cmd { p.keys++; return nil }
func (p *countingPane) hints() []string            { return nil }
func (p *countingPane) escape() bool               { return false }
func (p *countingPane) typing() bool               { return false }

// A pane is drawn anew when what it may show has changed, and not for ticks, streamed text or the input.
func TestPanesAreDrawnWhenTheyChange(t *testing.T) {
	s := spaciously(t, 120, 30)
	p := &countingPane{}
	s.space.panes[0] = p
	s.View()
	s.pass(time.Second)
	for _, c := range []struct {
		name string
		play func()
		want int
	}{
		{"a tick", func() { s.pass(time.Second) }, 0},
		{"typing", func() { s.keys("x", "y", "backspace") }, 0},
		{"streamed text", func() {
			s.emit(event.Event{Kind: event.Printed, Cell: 1, Stream: vm.Stdout, Text: "a line\nhalf"})
			s.emit(event.Event{Kind: event.Spoke, Cell: 1, Text: "words"})
		}, 0},
		{"an event", func() { s.emit(event.Event{Kind: event.Ended, Cell: 1}) }, 1},
		{"a key of its own", func() { s.keys("f2"); s.paneKeys("j") }, 1},
		{"another size", func() { s.send(tea.WindowSizeMsg{Width: 130, Height: 36}) }, 1},
		{"another theme", func() { s.emit(event.Event{Kind: event.Themed, Text: "dark"}) }, 1},
	} {
		before := p.drawn
		c.play()
		s.pass(time.Second)
		if got := p.drawn - before; got != c.want {
			t.Errorf("%s: drawn %d times, want %d", c.name, got, c.want)
		}
	}
}

// Whatever happens, a kept drawing is what would be drawn anew.
func TestDrawingsAreFresh(t *testing.T) {
	for _, scene := range paneScenes {
		sh := lived(t)
		s := screenOf(t, sh, 130, 40)
		s.space.on = true
		scene.play(s)
		for i, step := range []func(){
			func() { s.paneKeys("down") },
			func() { sh.Handle(t.Context(), "fresh = crm.note.list_05()"); s.pass(time.Second) },
			func() { s.keys("esc"); s.pass(time.Second) },
			func() { s.keys("f3"); s.paneKeys("down") },
			func() { sh.Handle(t.Context(), "/lua reset"); s.pass(time.Second) },
			func() { sh.Handle(t.Context(), "/policy readonly"); s.pass(time.Second) },
			func() { sh.Handle(t.Context(), "/preview fresh = 2"); s.pass(time.Second) },
			func() { s.keys("f10") },
		} {
			step()
			kept := s.View().Content
			s.version++
			s.stale = true
			if fresh := s.View().Content; fresh != kept {
				t.Errorf("%s, step %d: kept\n%s\nfresh\n%s", scene.name, i+1, kept, fresh)
			}
		}
	}
}
