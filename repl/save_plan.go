package repl

// This file finds the plan that a script of the model's was made from.

import (
	"encoding/json"

	"almanac/llm"
	"almanac/session/steps"
	"almanac/session/trace"
)

// planOf is the plan of the conversation that reads source as Lua; nil where the model wrote it as Lua, or the person
// did.
func (sh *Shell) planOf(source string) json.RawMessage {
	log, err := sh.log()
	if err != nil {
		return nil
	}
	for _, r := range log {
		var m llm.Message
		if r.Kind != trace.KindMessage || json.Unmarshal(r.Message, &m) != nil {
			continue
		}
		for _, call := range m.Calls {
			var args struct {
				Plan json.RawMessage `json:"plan"`
			}
			if json.Unmarshal(call.Args, &args) != nil || args.Plan == nil {
				continue
			}
			if read, err := steps.Translate(args.Plan); err == nil && read == source {
				return args.Plan
			}
		}
	}
	return nil
}
