// Package repl is the REPL without a screen: it routes what a person types, runs it, and tells what happened as events.
//
//	Shell     one person's REPL over one session: Handle runs an input, Submit says whether it is complete
//	Feed      the ordered, bounded way from the worker to whatever shows the events; also asks for approvals
//	Event     one thing that happened; Lines turns it into text with roles, for any screen or none
//
// Start at Shell.Handle, then input.Parse. One goroutine at a time runs Handle; everything else may be called meanwhile.
package repl
