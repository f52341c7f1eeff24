// Package eval measures how well a model does tasks on a catalog: with the three tools, and with a tool for each
// action.
//
//	Task, BuiltIn, Open  something to do, and what must be true afterwards
//	Bench                the catalog of a size that tasks run on, with a database of its own for each run
//	Bench.Run            has a model do a task, and checks what came of it
//	Tally, Total         what that took: tokens, turns, calls, mistakes, time
//
// A task is a txtar file. Its first lines are a title and headers:
//
//	kind: change             groups tasks in reports
//	policy: ask              ask, readonly (the default) or session
//	approve: crm.lead.*      what the person agrees to when asked; no to everything else
//	hide: billing.refund.*   actions that cannot be seen
//	actions: crm.lead.get    those that the task needs
//	also: crm.lead.list      others that are no mistake
//	forbid: crm.lead.delete  must not even be tried
//	tried: crm.lead.get      must have been called, whatever came of it
//
// Its sections are prompt, solution.lua (what a person would run) and the checks: facts (a line each, in what calls
// returned to the model), derived (in what its last script returned, or in its last words), rows (queries of the
// database, each followed by its rows as "> a | b") and changes (tables with numbers of rows that are new and gone).
// Tables that are not listed must be as before.
//
// Start at Bench.Run.
package eval
