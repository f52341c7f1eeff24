// Package vm sandboxes one Lua state: it takes source text and returns values, printed text and errors. No script can
// hang it, crash it, or reach anything that its Host does not provide.
//
//	Machine    one Lua state with its globals; Run, Interrupt, Close
//	Limits     what one run may use
//	Script     one piece of source
//	Host       what the machine asks of the outside: action calls, catalog primitives, a place to print
//	Tape       what a run read of the clock and the like, for another run to read again
//	Reply      what a run came to: Values, Error, Globals, Diff
//	HostError  how the outside says no
//	Compiled   a prelude that was compiled once by Compile, for many machines
//	Snapshot   the globals as bytes, for Restore in another machine
//
// It is the only importer of github.com/Shopify/go-lua. The engine is used as published and mended from outside:
// source goes through session/syntax first, and nearly all library functions are replaced by those in this package,
// one library a file.
//
// # The design
//
// A Machine is the world of a session: its globals, and behind them the sealed libraries and the prelude. Each run and
// each coroutine has an engine state of its own over that world, which is thrown away: a state only gets slower. A run
// goes one way: syntax.Normalize, the engine's parser, the code under the hook, then what came of it as data. Every
// value that leaves goes through values.go or repr.go, every error through errors.go, every step of a library function
// through Machine.work.
//
// # What is here, and why it stays
//
// The engine is used as published, since a patched copy would be ours to keep for ever. What it gets wrong costs:
//
//	engine, snapshot_closure, calls   mirrors of the engine's values, functions and calls, checked when a machine is
//	                                  made: its public API cannot list a table in linear time, make a closure, or see
//	                                  how deep calls nest. All that depends on how it is built inside is in these files
//	budget, protect                   how a script is stopped; a pcall in a loop outlives any single panic
//	sparse                            by_id[row.id] = row costs the engine seconds at 20,000 keys
//	exact, operators, number          integers beyond 2^53, as ids are, and the operators that the engine lacks
//	explain, bytecode, near           which value of a line was nil, where it stands, and what was meant: the engine
//	                                  names any variable that holds an equal value. An instruction is read in one place,
//	                                  spotAt, in the words of syntax.Uses
//	string, pattern, format, table,   nearly the whole library: the engine's loses bytes, trusts __len, cannot be
//	math, os, base, iterate           interrupted, and says "bad argument #1 to '?'"
//	snapshot_*                        globals outlive a kernel process that died; nothing else can write down closures
//	compiled                          saves each kernel the some 5 ms that parsing the prelude takes; it is the only way
//	                                  to make a machine with a prelude
//	json                              reads text straight into tables: an interrupt is seen, and memory is bounded
//	tape                               another run of a script, for a replay, can be made to read the same
//	coroutine, parallel               the engine has no coroutines; workers are coroutines whose calls do not wait
//	look, rows, repr, globals, values values for people, for models, for grids and as data
//
// Start at Machine.Run, then budget.go for how a script is stopped and engine.go for how values are read.
package vm
