package catalog

// This file makes of a call that was made the one that takes it back, where the action declares one.

import (
	"encoding/json"
	"errors"
	"fmt"

	"almanac/catalog/lua"
)

// A Compensation says which call takes back what a call of an action did, as far as anything can: voiding what was
// created, giving back what was taken.
type Compensation struct {
	// ID is the action that does it.
	ID string
	// Args are its arguments. A text in them may stand for a part of the call: "$args.customer_id" for an argument,
	// "$result.lines[1].id" for what came back, "-$args.change" for the negative of a number. What the call has not makes
	// the compensation impossible; with "?" behind it, the argument is left out. "$$" begins a text with a dollar sign.
	// In the midst of a text stands "${result.id}".
	Args map[string]any
}

// For is the compensating call for one that was made with args and gave result. The error says what it lacks.
func (c *Compensation) For(args map[string]any, result any) (Call, error) {
	made, err := filled(c.Args, args, result)
	if err != nil {
		return Call{}, fmt.Errorf("%s: %w", c.ID, err)
	}
	table, _ := made.(map[string]any)
	if table == nil {
		table = map[string]any{}
	}
	return Call{ID: c.ID, Args: table}, nil
}

// Check says what is wrong with the compensation that e declares, where target is the entry of its action, or nil if
// there is none. It cannot know what a call will have.
func (c *Compensation) Check(e, target *Entry) error {
	args, err := foreseen(c.Args, e)
	switch {
	case !e.Mutates:
		return errors.New("it writes nothing that could be taken back")
	case err != nil:
		return err
	case target == nil:
		return fmt.Errorf("no action %s", c.ID)
	case !target.Mutates:
		return fmt.Errorf("%s writes nothing", c.ID)
	}
	table, _ := args.(map[string]any)
	if _, err = target.Input.Check(table); err != nil {
		return fmt.Errorf("%s: %w", c.ID, err)
	}
	return nil
}

// Uncompensated lists by source the entries whose compensation names an action or arguments that are not there. Of a
// catalog that was opened it lists none.
func (c *Catalog) Uncompensated() map[string][]Skip {
	wrong := map[string][]Skip{}
	for _, doc := range c.compensated {
		e := c.peek(doc)
		var target *Entry
		if at := c.find(e.Compensate.ID); at >= 0 {
			target = c.peek(at)
		}
		err := e.Compensate.Check(e, target)
		if err == nil {
			continue
		}
		reason := err.Error()
		if target == nil {
			if near := c.View().nearIDs(e.Compensate.ID, 1); len(near) > 0 {
				reason += ": did you mean " + near[0] + "?"
			}
		}
		wrong[e.Source] = append(wrong[e.Source], Skip{ID: e.ID, Reason: reason})
	}
	return wrong
}

// Validate says what is wrong with the id, or with the form of the arguments.
func (c *Compensation) Validate() error {
	if err := CheckID(c.ID); err != nil {
		return err
	}
	if _, err := json.Marshal(c.Args); err != nil {
		return err
	}
	_, err := substituted(c.Args, func(*part) (any, error) { return nil, nil })
	return err
}

// written is the compensation as a call in Lua, with paths in the places of what a call will have.
func (c *Compensation) written() string {
	if c == nil {
		return ""
	}
	args, err := substituted(c.Args, func(r *part) (any, error) {
		sign := ""
		if r.negative {
			sign = "-"
		}
		return lua.Raw(sign + r.Lua()), nil
	})
	if err != nil {
		return c.ID
	}
	return lua.Call(c.ID, lua.Literal(args, lua.Options{Tight: true}))
}
