package catalog

// This file is about effects: what an action would like changed beyond the data that it returns.

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"

	"almanac/catalog/text"
	"almanac/catalog/unknown"
)

// An Effect records a change that an action requests. It is applied only where the session allows its kind.
type Effect struct {
	// Kind is what should happen, spelled like an id: "state.set".
	Kind   string `json:"kind"`
	Target string `json:"target,omitempty"`
	Value  any    `json:"value,omitempty"`
}

// Title names the effect in a line: "state.set count".
func (e Effect) Title() string {
	if e.Target == "" {
		return e.Kind
	}
	return e.Kind + " " + e.Target
}

// A RejectedEffect is one that is not kept, with the reason: its form is wrong, or it may not happen.
type RejectedEffect struct {
	Effect Effect `json:"effect"`
	Reason string `json:"reason"`
}

// WithEffects is a result of Func with effects beside its data. The schema and the data are those of T.
type WithEffects[T any] struct {
	Data    T
	Effects []Effect
}

func (w WithEffects[T]) parts() (any, []Effect) { return w.Data, w.Effects }

func (WithEffects[T]) output(id string) *Schema { return outputOf[T](id) }

// Emitted fills in the effects that the entry declares. One that the call has not the parts for is among the rejected,
// each with the reason.
func (e *Entry) Emitted(args map[string]any, result any) (effects []Effect, rejected []RejectedEffect) {
	for _, declared := range e.Effects {
		effect, err := declared.filled(args, result)
		if err != nil {
			rejected = append(rejected, RejectedEffect{declared, err.Error()})
			continue
		}
		effects = append(effects, effect)
	}
	return effects, rejected
}

func (e Effect) filled(args map[string]any, result any) (Effect, error) {
	value, err := filled(e.Value, args, result)
	if err != nil {
		return e, err
	}
	target, err := substitutedName(e.Target, partsOf(args, result))
	if err != nil {
		return e, err
	}
	e.Value = value
	switch target := target.(type) {
	case nil:
		e.Target = ""
	case string:
		e.Target = target
	case int64, float64, bool, unknown.Value:
		e.Target = fmt.Sprint(target)
	default:
		return e, fmt.Errorf("its target %s is no text", text.LineBytes(e.Target, 80))
	}
	return e, nil
}

// ReadEffects reads effects that come as data, a list of tables of kind, target and value, from a program that is not
// ours. What is not of that form is among the rejected.
func ReadEffects(data any) (effects []Effect, rejected []RejectedEffect) {
	list, ok := data.([]any)
	if !ok {
		return nil, []RejectedEffect{{Reason: fmt.Sprintf("want a list of effects, got %s", describeValue(data))}}
	}
	for i, item := range list {
		effect, err := readEffect(item)
		if err != nil {
			rejected = append(rejected, RejectedEffect{effect, fmt.Sprintf("effect %d: %v", i+1, err)})
			continue
		}
		effects = append(effects, effect)
	}
	return effects, rejected
}

func readEffect(item any) (e Effect, err error) {
	table, ok := item.(map[string]any)
	if !ok {
		return e, fmt.Errorf("want a table of kind, target and value, got %s", describeValue(item))
	}
	for _, name := range slices.Sorted(maps.Keys(table)) {
		ok := true
		switch v := table[name]; name {
		case "kind":
			e.Kind, ok = v.(string)
		case "target":
			e.Target, ok = v.(string)
		case "value":
			e.Value = v
		default:
			err = cmp.Or(err, fmt.Errorf("unknown key %s", text.LineBytes(name, 40)))
		}
		if !ok {
			err = cmp.Or(err, fmt.Errorf("%s: want a text, got %s", name, describeValue(table[name])))
		}
	}
	return e, err
}

// Validate says what is wrong with an effect as declared.
func (e Effect) Validate() error {
	if _, err := json.Marshal(e.Value); err != nil {
		return fmt.Errorf("value: %w", err)
	}
	none := func(*part) (any, error) { return nil, nil }
	_, err := substitutedName(e.Target, none)
	if err == nil {
		_, err = substituted(e.Value, none)
	}
	return err
}

// CheckEffects says which of the declared effects no call of e can have.
func (e *Entry) CheckEffects() error {
	var wrong []error
	for _, declared := range e.Effects {
		_, err := substitutedName(declared.Target, typesOf(e))
		if err == nil {
			_, err = foreseen(declared.Value, e)
		}
		if err != nil {
			wrong = append(wrong, fmt.Errorf("effect %s: %w", declared.Kind, err))
		}
	}
	return errors.Join(wrong...)
}
