// Package session is the Lua session that a developer and a model share, over a view of a catalog.
//
//	Session     globals that live from run to run, the view, the policy, and the call path to every action
//	Script      source with its author; what it may call is decided call by call
//	Outcome     the outcome of a run: values, printed text, calls, effects, changed globals
//	Answer      the outcome of a query: a plan of ids and its text
//	Invocation  one call by a Go program, which no script makes
//	Request     what a person is asked before a mutation; Approval is the answer
//
// Start at New, then Session.Run, or Session.Call for one action without Lua. Every call of an action goes through
// run.call in call.go.
package session
