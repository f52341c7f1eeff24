// Package kernel runs the Lua machine in a child process of the same program, so that no script can take down or look
// into the program that shows it.
//
//	Main     call it first in main: in a kernel child it serves until the pipe closes, elsewhere it returns false
//	Pool     keeps one kernel started ahead of need
//	Kernel   one child with one machine: Run, Keys, Look, Globals, Snapshot, Restore
//	Host     what the parent does for a running script
//	Lost     the error after which a kernel is of no more use
//
// The child starts with an empty environment, closes every descriptor but its three pipes, limits its own memory and
// gives up every right it can before it reads its first byte (confine, in the sys files). It knows names of actions
// and nothing else: a call is a frame to the parent, which decides.
//
// The two sides take turns. The parent sends one request and then answers what the child asks (call, op, write) until
// the reply comes; an interrupt is the only frame that comes unasked. So one goroutine, the caller's, reads a kernel's
// pipe at a time, and a kernel that says anything out of turn is ended.
//
// Start with Kernel.Run for the parent and child.run for the child; wire.go holds the frames.
package kernel
