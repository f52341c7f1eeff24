package tools

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"almanac/catalog"
	"almanac/catalog/unknown"
	"almanac/llm"
	"almanac/session"
	"almanac/session/vm"
)

// This file calls one action without Lua, for models that write none: the tool that takes any id, and actions that are
// tools of their own. The call path is that of a call in a script.

const callOneText = `Call one action by its id, as query and describe show it, with its arguments as JSON. preview: true only shows what it would change.`

const (
	callOneSchema = `{"type":"object","properties":{"id":{"type":"string"},"args":{"type":"object"},` +
		`"preview":{"type":"boolean"}},"required":["id"],"additionalProperties":false}`
	callOneOutput = `{"type":"object","properties":{"ok":{"type":"boolean"},"result":{},` +
		`"preview":{"type":"string","description":"what the call would change"},` + effectsOutput + `,` + errorOutput + `,` +
		pageOutput + `},"required":["ok"]}`
)

// Caller is the tool that calls one action by its id.
func Caller(o Options) Tool {
	name := o.name("call")
	return Tool{name, o.text(callOneText), json.RawMessage(callOneSchema), json.RawMessage(callOneOutput), llm.PartExecute,
		func(ctx context.Context, s *session.Session, raw json.RawMessage) (Reply, error) {
			var id string
			var args json.RawMessage
			var preview bool
			if err := decode(name, raw, []argument{
				{name: "id", required: true, text: &id}, {name: "args", raw: &args}, {name: "preview", flag: &preview},
			}); err != nil {
				return Reply{}, err
			}
			return o.invoke(ctx, s, name, id, args, preview)
		}}
}

// Own is the tool that is the action t.
func Own(o Options, t catalog.Tool) Tool {
	return Tool{t.Name, t.Description, t.Input, nil, llm.PartExecute,
		func(ctx context.Context, s *session.Session, raw json.RawMessage) (Reply, error) {
			return o.invoke(ctx, s, t.Name, t.ID, raw, false)
		}}
}

// invoke makes one call and answers with its result.
func (o Options) invoke(ctx context.Context, s *session.Session, tool, id string, raw json.RawMessage, preview bool) (
	Reply, error) {
	args := map[string]any{}
	if len(raw) > 0 {
		var err error
		if args, err = plainArgs(raw); err != nil {
			return Reply{}, malformed(tool, "the arguments of the action are not an object")
		}
	}
	timed := timing(s)
	result, err := s.Call(ctx, session.Invocation{ID: strings.TrimSpace(id), Args: args, DryRun: preview})
	if err != nil {
		return failedCall(err)
	}
	data := map[string]any{"ok": true, "result": unknown.Plain(result.Data)}
	encoded, err := json.Marshal(data["result"])
	if err != nil {
		return Reply{}, fmt.Errorf("%s: the result is not JSON: %w", id, err)
	}
	text := capped(string(encoded), o.room(maxValues))
	if said, isText := result.Data.(string); isText {
		text = capped(said, o.room(maxValues))
	}
	if preview {
		data["preview"] = result.Note
		text = strings.TrimSpace("preview: nothing was changed\n" + result.Note)
	}
	if effects := (&session.Outcome{Effects: result.Effects}).EffectStates(); len(effects) > 0 {
		data["effects"] = effects
	}
	return Reply{Text: text, Data: data, Usage: timed(llm.Usage{})}, nil
}

// failedCall is the answer to a call that was refused or failed.
func failedCall(err error) (Reply, error) {
	var host *vm.HostError
	if !errors.As(err, &host) {
		return Reply{}, err
	}
	message := host.Message
	if host.Code == session.CodeRefused {
		message = deniedByPerson(message)
	}
	fault := map[string]any{"kind": host.Code, "message": capped(message, 4<<10)}
	text := fmt.Sprintf("error (%s): %s", host.Code, capped(message, 4<<10))
	if host.Hint != "" {
		fault["hint"] = host.Hint
		text += "\nhint: " + host.Hint
	}
	return Reply{Text: text, Data: map[string]any{"ok": false, "error": fault}, Failed: true}, nil
}
