// Package ui is the terminal front end: it draws the shell and reads its keys. Package repl decides what lines mean.
//
//	Run       the interactive screen, until the person leaves
//	Options   streams, looks and keys of Run
//	Signaled  the error of a Run ended by a signal
//
// The screen is inline: finished lines go to the terminal's own scrollback, and only a live region at the bottom is
// redrawn. One model holds all screen state and belongs to the Bubble Tea loop. At most one worker goroutine runs
// beside it, for the submitted input; they communicate through event.Feed. The display writes to the terminal, and
// nothing else does; it has its own goroutine.
//
// Start at Run, then model.Update; redraw.go says how lines reach the scrollback.
package ui
