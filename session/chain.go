package session

// This file tells chain, before it calls anything, what each of its calls takes from the result of the one before it.

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"almanac/catalog"
	"almanac/session/kernel"
	"almanac/session/trace"
	"almanac/session/vm"
)

// chain answers call.chain. Each step has an id and its arguments, which are missing where a function of the script
// makes them. The answer has by step the names of the other arguments, and the name of a lone value.
func (r *run) chain(a *arguments, in *composition) (any, error) {
	steps, _ := a.at(0).([]any)
	view, answers := r.session.View(), make([]any, len(steps))
	var prev *catalog.Entry
	for i, item := range steps {
		step, _ := item.(map[string]any)
		id, _ := step["id"].(string)
		next, err := r.lookup(view, id, in, &trace.Call{})
		if err != nil {
			return nil, inStep(i, err)
		}
		var names []string
		answer := map[string]any{}
		if given, ok := step["args"].(map[string]any); ok {
			req := kernel.CallRequest{ID: id, Args: given}
			named(view, &req)
			if _, alone := lone(given); alone {
				answer["name"] = slices.Collect(maps.Keys(req.Args))[0]
			}
			if err = checkAlone(next, req.Args); err == nil {
				names, err = catalog.Chained(prev, next, req.Args)
			}
			if err != nil {
				wrong := &vm.HostError{Code: CodeBadArgument, Message: err.Error()}
				var bad *catalog.ArgError
				if errors.As(err, &bad) {
					wrong.Hint = bad.Hint
				}
				return nil, inStep(i, wrong)
			}
		}
		answer["takes"] = texts(names)
		answers[i], prev = answer, next
	}
	return answers, nil
}

// inStep is an error of step i with its number; one that ends the run stays as it is.
func inStep(i int, err error) error {
	var host *vm.HostError
	if !errors.As(err, &host) || host.Fatal {
		return err
	}
	numbered := *host
	numbered.Message = fmt.Sprintf("chain: step %d: %s", i+1, host.Message)
	return &numbered
}
