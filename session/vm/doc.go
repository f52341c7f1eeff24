// Package vm puts one Lua state in a box: it takes source text and gives back values, printed text and errors, and no
// script can hang it, crash it, or reach anything that its Host does not hand in.
//
//	Machine    one Lua state with its globals; Run, Interrupt, Close
//	Limits     what one run may use
//	Script     one piece of source
//	Host       what the machine asks of the outside: action calls, catalog primitives, a place to print
//	Reply      what a run came to: Values, Error, Globals, Diff
//	HostError  how the outside says no
//	Compiled   a prelude that was compiled once, for many machines: Compile, NewCompiled
//	Snapshot   the globals as bytes, for Restore in another machine
//
// It is the only importer of github.com/Shopify/go-lua. The engine is used as published and mended from outside:
// source goes through session/syntax first, and nearly all library functions are replaced by those in this package,
// one library a file. engine.go holds everything that depends on how the engine is built inside.
//
// Start at Machine.Run, then budget.go for how a script is stopped and engine.go for how values are read.
package vm
