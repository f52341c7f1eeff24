package session

// This file tells chain, before it calls anything, what each of its calls takes from the result of the one before it.

import (
	"errors"
	"fmt"

	"almanac/catalog"
	"almanac/session/trace"
	"almanac/session/vm"
)

// chain answers call.chain. Each step has an id and its arguments, which are missing where a function of the script
// makes them. The answer has the names of the other arguments by step.
func (r *run) chain(a *arguments, in *composition) (any, error) {
	steps, _ := a.at(0).([]any)
	view, takes := r.session.View(), make([]any, len(steps))
	var prev *catalog.Entry
	for i, item := range steps {
		step, _ := item.(map[string]any)
		id, _ := step["id"].(string)
		next, err := r.lookup(view, id, in, &trace.Call{})
		if err != nil {
			return nil, err
		}
		var names []string
		if given, ok := step["args"].(map[string]any); ok {
			if names, err = catalog.Chained(prev, next, given); err != nil {
				wrong := &vm.HostError{Code: CodeBadArgument, Message: fmt.Sprintf("chain: step %d: %v", i+1, err)}
				var bad *catalog.ArgError
				if errors.As(err, &bad) {
					wrong.Hint = bad.Hint
				}
				return nil, wrong
			}
		}
		takes[i], prev = texts(names), next
	}
	return takes, nil
}
