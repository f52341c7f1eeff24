// Package repl is the REPL without a screen: it routes input, runs it, and reports events.
//
//	Shell     one person's REPL over one session: Handle runs an input, Submit says whether it is complete
//	Options   what a shell needs, and where its events go: an event.Feed
//
// Start at Shell.Handle, then input.Parse. One goroutine at a time runs Handle; everything else may be called
// meanwhile.
package repl
