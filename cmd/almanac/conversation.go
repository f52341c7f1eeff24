// This file reads the conversation of an earlier session from its log.

package main

import (
	"encoding/json"

	"almanac/llm"
	"almanac/llm/tools"
	"almanac/repl/transcript"
	"almanac/session"
	"almanac/session/trace"
)

// saidBefore is the recorded conversation since it was last cleared. A call in which the program ended is answered by
// what the log has of it.
func saidBefore(records []trace.Record) []llm.Message {
	var messages []llm.Message
	var open []llm.ToolCall // of the last assistant message, not answered
	since := 0              // where the records of the first of them begin
	end := func(at int) {
		for i, call := range open {
			answer := tools.NotReached // calls are made in order
			if i == 0 {
				answer = unended(records[since:at])
			}
			messages = append(messages, llm.Message{Role: llm.ToolRole, CallID: call.ID, Text: answer})
		}
		open = nil
	}
	for i, r := range records {
		switch r.Kind {
		case trace.KindForget:
			messages, open = nil, nil
		case trace.KindMessage:
			var m llm.Message
			if json.Unmarshal(r.Message, &m) != nil {
				continue
			}
			if m.Role != llm.ToolRole {
				end(i)
			}
			messages = append(messages, m)
			switch {
			case m.Role == llm.Assistant:
				open, since = m.Calls, i
			case m.Role == llm.ToolRole && len(open) > 0 && open[0].ID == m.CallID:
				open, since = open[1:], i
			}
		case trace.KindSession:
			end(i)
		}
	}
	end(len(records))
	return messages
}

// unended answers a call by what the records have of its scripts.
func unended(records []trace.Record) string {
	var ended, begun []trace.Call
	for _, r := range transcript.RunsOf(records, session.Model) {
		ended, begun = append(ended, r.Calls...), append(begun, r.Begun...)
	}
	return tools.Unended(ended, begun)
}
