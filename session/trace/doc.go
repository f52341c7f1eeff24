// Package trace keeps what a session did: every prompt, run, call and outcome as one line of JSON in an append-only
// log.
//
//	Record   one line: a kind and the fields that belong to it
//	Call     one call of an action as logged
//	Outcome  how a run ended
//	Log      an open log file; each record is on disk before Append returns
//	Archive  the folder of all logs: lists them, finds one, and reads a Thread of sessions that continue each other
//	Pack     whole results and arguments, which a log keeps beside itself
//	State    the Lua state beside a log, for a session that continues it
//
// Start at CreateLog to write and at Read to read.
package trace
