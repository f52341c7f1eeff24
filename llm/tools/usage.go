package tools

import (
	"time"

	"almanac/llm"
	"almanac/session"
	"almanac/session/trace"
)

// This file is what running a tool takes.

// timing begins to measure; the function that it returns adds the times since to a usage that has the calls.
func timing(s *session.Session) func(llm.Usage) llm.Usage {
	began, waited := time.Now(), s.Waited()
	return func(u llm.Usage) llm.Usage {
		u.Waited = s.Waited() - waited
		worked := max(time.Since(began)-u.Waited, 0)
		u.Actions = min(u.Actions, worked) // those that ran side by side took longer than the script
		u.Lua = worked - u.Actions
		return u
	}
}

// callUsage counts the calls of a script that reached their action. What a composed action calls is not counted apart.
func callUsage(calls []trace.Call) (u llm.Usage) {
	for _, c := range calls {
		if c.Depth == 0 && (c.Verdict == trace.OK || c.Verdict == trace.Failed) {
			u.Calls++
			u.Actions += c.Took
		}
	}
	return u
}
