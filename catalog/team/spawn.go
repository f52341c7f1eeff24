package team

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"almanac/catalog"
	"almanac/catalog/team/bus"
	"almanac/catalog/text"
)

// This file is the action that starts another agent. How is for the program to say: see Options.Spawn.

// A SpawnRequest says what a new agent is for, and what it may do. It may do less than the session that asks, never
// more.
type SpawnRequest struct {
	Prompt string `json:"prompt" jsonschema:"What the agent is to do; it knows nothing else of this conversation"`
	Role   string `json:"role,omitempty" jsonschema:"Role of the configuration that it works in"`
	// Actions and ReadOnly narrow its view beyond the caller's. Empty Actions that are not nil leave the team's alone.
	Actions  []string `json:"actions,omitzero" jsonschema:"Only these actions: ids or patterns such as crm.*; an empty list: none but the team's"`
	ReadOnly bool     `json:"read_only,omitempty" jsonschema:"Only actions that change nothing"`
	// Calls and Mutations bound each of its runs, Seconds its whole life; nil leaves them to the caller's.
	Calls     *int `json:"calls,omitempty" jsonschema:"Action calls in one of its runs, 1 or more"`
	Mutations *int `json:"mutations,omitempty" jsonschema:"Writes in one of its runs; with 0 it only reads"`
	Seconds   *int `json:"seconds,omitempty" jsonschema:"Seconds until it is stopped, 1 to 600; default 600"`
	// Idle is how long it stays after its prompt to answer questions, where its role lets it.
	Idle int `json:"idle_seconds,omitempty" jsonschema:"Seconds that it stays after its prompt, to answer questions; default 0"`
}

// maxSeconds is how long an agent lives that another session started.
const maxSeconds = 600

// MaxPrompt is how long the prompt of a spawned agent may be, in bytes.
const MaxPrompt = 64 << 10

// check says what is wrong with a request, whoever serves it.
func (r SpawnRequest) check() error {
	switch {
	case strings.TrimSpace(r.Prompt) == "":
		return errors.New("prompt: empty: say what the agent is to do")
	case len(r.Prompt) > MaxPrompt:
		return fmt.Errorf("prompt of %s", text.Excess(len(r.Prompt), MaxPrompt))
	case r.Idle < 0:
		return errors.New("idle_seconds: want 0 or more")
	case r.Mutations != nil && *r.Mutations < 0:
		return errors.New("mutations: want 0 or more")
	case r.Calls != nil && *r.Calls < 1:
		return errors.New("calls: want 1 or more")
	case r.Seconds != nil && (*r.Seconds < 1 || *r.Seconds > maxSeconds):
		return fmt.Errorf("seconds %d: want 1 to %d", *r.Seconds, maxSeconds)
	}
	return nil
}

// words describe the agent for who is asked about it.
func (r SpawnRequest) words() string {
	said := []string{"start an agent"}
	if r.Role != "" {
		said[0] += " in the role " + text.LineBytes(r.Role, bus.MaxName)
	}
	switch {
	case len(r.Actions) > 0:
		said = append(said, "that sees only "+text.LineBytes(strings.Join(r.Actions, ", "), maxTopic))
	case r.Actions != nil:
		said = append(said, "that sees only the team's actions")
	}
	if r.ReadOnly || r.Mutations != nil && *r.Mutations == 0 {
		said = append(said, "that only reads")
	}
	return strings.Join(said, ", ") + "; it may do no more than this session, and nobody is asked:\n" + text.Clean(r.Prompt)
}

// spawnTime is how long starting an agent may take.
const spawnTime = 30 * time.Second

// agentEntries are the actions over agents.
func (t *Team) agentEntries() []catalog.Entry {
	type spawned struct {
		Agent  string `json:"agent" jsonschema:"Name of the agent"`
		Result string `json:"result" jsonschema:"What was done, in a sentence"`
	}
	e := catalog.Func(t.entry(catalog.Entry{
		ID: "agent.spawn", Title: "Start an agent",
		Description: "Start another agent on a task of its own and go on: its result comes as a message. It sees and may do " +
			"no more than this session, and nobody can be asked about what it does.",
		Aliases:  []string{"sub_agent", "spawn agent", "delegate a task to a new agent", "start a helper"},
		Entities: []string{"agent"}, Mutates: true, Timeout: spawnTime,
		Examples: []string{`agent.spawn{role = "reviewer", prompt = "list refunds over 500 without a reason"}`},
	}), func(ctx context.Context, in SpawnRequest, _ catalog.Context) (spawned, error) {
		if err := in.check(); err != nil {
			return spawned{}, err
		}
		if t.options.Spawn == nil {
			return spawned{}, errors.New("agents cannot be started from here")
		}
		in.Prompt = t.redact(in.Prompt)
		name, err := t.options.Spawn(ctx, in)
		if err != nil {
			return spawned{}, err
		}
		return spawned{name, name + " works on it; its result comes as a message"}, nil
	})
	e.Preview = func(_ context.Context, call catalog.Call) (string, error) {
		var in SpawnRequest
		raw, err := json.Marshal(call.Args)
		if err == nil {
			err = errors.Join(json.Unmarshal(raw, &in), in.check())
		}
		return in.words(), err
	}
	return []catalog.Entry{e}
}
