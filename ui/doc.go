// Package ui draws the shell in a terminal and takes its keys; what lines mean is the business of package repl.
//
//	Run       the interactive screen, until the person leaves
//	Options   what Run reads and writes, and how it looks
//	Signaled  the error of a Run that a signal ended
//
// The screen is inline: finished lines go to the terminal's own scrollback, and only a live region at the bottom is
// redrawn. One model holds all state of the screen and belongs to the Bubble Tea loop. At most one worker goroutine
// runs beside it, for the submitted input; the two meet in event.Feed. What the model shows goes to the display, which
// has a goroutine of its own and is the only one that writes to the terminal.
//
// Start at Run, then model.Update; redraw.go says how lines reach the scrollback.
package ui
