package ui

import (
	"time"

	tea "charm.land/bubbletea/v2"
)

// This file tells a paste from typing where neither the terminal does nor the keyboard: an Enter behind a paste, or
// behind a key, as fast as nobody types waits for what follows.

// A burst is what is known of keys that follow each other fast. The zero burst is ready.
type burst struct {
	// quick is true while the key in hand came within burstTime of the one before.
	quick bool
	// held is true while an Enter waits for the key that makes it a newline.
	held bool
	// holds counts the Enters that waited, so that the timer of one does not end the wait of another.
	holds int
	// pasted is true once an Enter of the burst was a newline: then all of it is a paste.
	pasted bool
}

// heldMsg ends the wait of an Enter.
type heldMsg struct{ hold int }

// follow takes the next key: it decides about an Enter that waits. The key has not been looked at yet.
func (m *model) follow(typed time.Time, text, name string) tea.Cmd {
	b := &m.burst
	b.quick = m.typed.Sub(typed) < burstTime
	if !b.quick {
		b.pasted = false
	}
	if !b.held {
		return nil
	}
	b.held = false
	if b.quick && (text != "" || name == "enter" || name == "tab") {
		b.pasted = true
		m.edit.insert("\n")
		return nil
	}
	return m.enter()
}

// enterKey is Enter in the input: at once, or after burstTime where it may be part of a paste.
func (m *model) enterKey() tea.Cmd {
	b := &m.burst
	if !b.quick || m.edit.text == "" {
		return m.enter()
	}
	b.held = true
	b.holds++
	hold := b.holds
	return tea.Tick(burstTime, func(time.Time) tea.Msg { return heldMsg{hold} })
}

// endHold runs the input after an Enter that no key followed, unless it ended a paste: that runs nothing.
func (m *model) endHold(hold int) tea.Cmd {
	b := &m.burst
	if !b.held || hold != b.holds {
		return nil
	}
	b.held = false
	if b.pasted {
		m.edit.insert("\n")
		return nil
	}
	return m.enter()
}
