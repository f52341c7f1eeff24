// Package trace keeps what a session did: every prompt, run, call and outcome as one line of JSON in an append-only
// log.
//
//	Record   one line: a kind and the fields that belong to it
//	Call     one use of an action as the log keeps it
//	Outcome  how a run ended
//	Log      a file that is being written; each record is on disk before Append returns
//	Archive  the folder of all logs: lists them, finds one, and reads a Thread of sessions that go on from each other
//	State    the Lua state beside a log, for whoever goes on from it
//
// Start at CreateLog to write and at Read to read.
package trace
