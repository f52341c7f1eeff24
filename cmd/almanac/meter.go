// This file reads from a session's log what the session has cost.

package main

import (
	"encoding/json"

	"almanac/llm"
	"almanac/session/trace"
)

// A sessionCost is what a session has cost, with those that it goes on from.
type sessionCost struct {
	trace.Summary
	Usage llm.Usage `json:"usage"`
	// Prompts are the parts of it, by cell.
	Prompts []promptCost `json:"prompts"`
}

type promptCost struct {
	Cell  int       `json:"cell"`
	Usage llm.Usage `json:"usage"`
}

func costOf(t trace.Thread) sessionCost {
	cost := sessionCost{Summary: t.Summary, Usage: usageBefore(t.Records), Prompts: []promptCost{}}
	for i, r := range t.Records {
		switch n := len(cost.Prompts); {
		case r.Kind == trace.KindPrompt:
			cost.Prompts = append(cost.Prompts, promptCost{Cell: r.Cell})
		case r.Kind == trace.KindUsage && n > 0:
			last := &cost.Prompts[n-1].Usage
			*last = last.Add(usageBefore(t.Records[i : i+1]))
		}
	}
	return cost
}

// usageBefore is what the recorded conversations have cost.
func usageBefore(records []trace.Record) (sum llm.Usage) {
	for _, r := range records {
		var u llm.Usage
		if r.Kind == trace.KindUsage && json.Unmarshal(r.Usage, &u) == nil {
			sum = sum.Add(u)
		}
	}
	return sum
}
