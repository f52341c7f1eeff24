package tools

// This file runs what the model wrote, a script or a plan, or previews it.

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"almanac/catalog"
	"almanac/session"
	"almanac/session/steps"
)

func (t toolset) execute(ctx context.Context, raw json.RawMessage) (Reply, error) {
	script := session.Script{Author: session.Model, Cell: t.options.cell()}
	var plan json.RawMessage
	var preview bool
	arguments := []argument{
		{name: "script", text: &script.Source}, {name: "plan", raw: &plan}, {name: "actions", list: &script.Actions},
		{name: "preview", flag: &preview},
	}
	if !t.options.Isolated {
		arguments = append(arguments, argument{name: "fresh", flag: &script.Fresh})
	}
	tool := t.options.name("execute")
	if err := decode(tool, raw, arguments); err != nil {
		return Reply{}, err
	}
	script.Fresh = script.Fresh || t.options.Isolated
	script.Source = unfenced(script.Source)
	var stepOf []int
	switch written := strings.TrimSpace(script.Source) != ""; {
	case written && plan != nil:
		return Reply{}, malformed(tool, "script and plan: give one of them")
	case !written && plan == nil:
		return Reply{}, malformed(tool, "argument script is missing: Lua source as a string, or a plan instead")
	case plan != nil:
		var err error
		if script.Source, stepOf, err = t.planned(ctx, plan, script); err != nil {
			return Reply{}, fmt.Errorf("%s: %w", tool, err)
		}
	}
	if preview {
		out, err := t.session.Preview(ctx, script)
		if err != nil {
			return Reply{}, hinted(err)
		}
		return t.outcomeReply(inSteps(toModel(t.describeCalled(ctx, out)), stepOf), ""), nil
	}
	kept := ""
	if !script.Fresh {
		kept = keptName(script.Cell)
		script.Keep = []string{kept}
		if t.options.Kept != nil {
			kept = t.options.Kept()
			script.Keep = append(script.Keep, kept)
		}
	}
	out, err := t.session.Run(ctx, script)
	if err != nil {
		return Reply{}, hinted(err)
	}
	return t.outcomeReply(inSteps(toModel(t.describeCalled(ctx, out)), stepOf), kept), nil
}

// planned is the Lua of a plan that has been checked, with the step of each of its lines. An error has the
// specifications of the actions in it that were not described: then they may be called.
func (t toolset) planned(ctx context.Context, raw json.RawMessage, script session.Script) (string, []int, error) {
	plan, err := steps.Read(raw)
	if err != nil {
		return "", nil, err
	}
	described := t.session.Described()
	scope := steps.Scope{View: t.session.View(), Described: func(id string) bool {
		return slices.Contains(script.Actions, id) || slices.Contains(described, id)
	}}
	if !script.Fresh {
		scope.Globals = []string{}
		for _, g := range t.session.Globals() {
			scope.Globals = append(scope.Globals, g.Name)
		}
	}
	err = plan.Check(scope)
	var wrong *steps.Error
	if errors.As(err, &wrong) && len(wrong.Undescribed) > 0 {
		ids := distinct(wrong.Undescribed)
		most := t.session.Budget(session.Model).Described
		specs, failed := t.session.Describe(ctx, ids[:min(len(ids), most)], catalog.Brief)
		if failed == nil {
			err = fmt.Errorf("%w\ndescribed now:\n%s", err, specsText(specs))
		}
	}
	if err != nil {
		return "", nil, err
	}
	source, stepOf := plan.Lua()
	return source, stepOf, nil
}

// inSteps is the outcome of a plan with the step that failed in its error.
func inSteps(out *session.Outcome, stepOf []int) *session.Outcome {
	if e := out.Err; e != nil && e.Line > 0 && e.Line <= len(stepOf) {
		fault := *e
		fault.Message = fmt.Sprintf("step %d: %s", stepOf[e.Line-1], e.Message)
		out.Err = &fault
	}
	return out
}
