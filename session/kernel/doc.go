// Package kernel runs the Lua machine in a child process of the same program, so that no script can crash the program
// or read its memory.
//
//	Main     call it first in main: in a kernel process it serves until the pipe closes, elsewhere it returns false
//	Pool     keeps a spare kernel process ready
//	Kernel   one child with one machine: Run, Keys, Look, Globals, Snapshot, Restore
//	Host     what the parent does for a running script
//	Lost     the error of a kernel that can no longer be used
//
// The child starts with an empty environment, closes every descriptor but its three pipes, limits its own memory and
// drops every privilege it can before it reads its first byte (confine, in the sys files). It knows action names and
// nothing else: a call is a frame to the parent, which decides.
//
// The protocol is strictly request and response. The parent sends one request, then answers the child's requests (call,
// op, write) until the reply comes; only an interrupt comes unasked. So one goroutine, the caller's, reads a kernel's
// pipe at a time, and a kernel that sends an unexpected frame is ended.
//
// Start with Kernel.Run for the parent and child.run for the child; wire.go holds the frames.
package kernel
