// Package session is the Lua world that a developer and a model share over a view of a catalog.
//
//	Session   globals that live from run to run, the view, the policy, and the one door to every action
//	Script    source with its author; what it may call is decided call by call
//	Outcome   what a run came to: values, printed text, calls, effects, changed globals
//	Answer    what a query came to: a plan of ids and its text
//	Request   what a person is asked before a mutation; Approval is the answer
//
// Start at New, then Session.Run. Every call of an action, whoever asks, goes through run.call in door.go.
package session
