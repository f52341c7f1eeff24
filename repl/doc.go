// Package repl is the REPL without a screen: it routes what a person types, runs it, and tells what happened as events.
//
//	Shell     one person's REPL over one session: Handle runs an input, Submit says whether it is complete
//	Options   what a shell needs, and where its events go: an event.Feed
//	Past      the session that this one goes on from
//
// Start at Shell.Handle, then input.Parse. One goroutine at a time runs Handle; everything else may be called meanwhile.
package repl
