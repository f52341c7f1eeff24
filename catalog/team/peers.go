package team

import (
	"context"
	"fmt"
	"slices"

	"almanac/catalog"
	"almanac/catalog/search/spelling"
	"almanac/catalog/text"
)

// This file is the actions that find peers and write to them.

// A sent is what an action says that sends something.
type sent struct {
	Result string `json:"result" jsonschema:"What was done, in a sentence"`
}

// peerEntries are the actions over peers and messages.
func (t *Team) peerEntries() []catalog.Entry {
	type message struct {
		To      string `json:"to,omitempty" jsonschema:"Name of the agent; left out: everybody in the team"`
		Content string `json:"content" jsonschema:"The message"`
		Topic   string `json:"topic,omitempty" jsonschema:"What it is about, in a few words"`
	}
	type discover struct {
		Role string `json:"role,omitempty" jsonschema:"Only agents with this role"`
	}
	return []catalog.Entry{
		catalog.Func(t.entry(catalog.Entry{
			ID: "peer.message", Title: "Write to a peer",
			Description: "Send a message to another agent of the team, or to everybody. It is read at that agent's next turn.",
			Aliases:     []string{"peer_message", "tell a colleague", "send a message to an agent", "broadcast to the team"},
			Entities:    []string{"peer", "message"}, Mutates: true,
			Examples: []string{`peer.message{to = "ann", content = "the migration is done"}`},
			Preview: func(ctx context.Context, call catalog.Call) (string, error) {
				in, err := catalog.Arguments[message](call)
				if err == nil {
					err = t.checkTo(in.To)
				}
				if err != nil {
					return "", err
				}
				return t.sends(ctx, "writes to ", in.To, in.Content), nil
			},
		}), func(ctx context.Context, in message, _ catalog.Context) (sent, error) {
			item := Item{Kind: Message, To: in.To, Topic: in.Topic, Text: in.Content}
			if err := t.Send(ctx, item); err != nil {
				return sent{}, err
			}
			return sent{"sent to " + t.recipient(ctx, in.To)}, nil
		}),
		catalog.Func(t.entry(catalog.Entry{
			ID: "peer.discover", Title: "Who is in the team",
			Description: "List the agents that are in the team now, with their roles and what they are doing.",
			Aliases:     []string{"peer_discovery", "list agents", "who is there", "team members"},
			Entities:    []string{"peer"}, Examples: []string{`peer.discover{role = "reviewer"}`},
		}), func(ctx context.Context, in discover, _ catalog.Context) ([]Peer, error) {
			all, err := t.Peers(ctx)
			all = slices.DeleteFunc(all, func(p Peer) bool { return in.Role != "" && !p.has(in.Role) })
			return append([]Peer{}, all...), err
		}),
	}
}

// entry fills in what all actions of the team have in common.
func (t *Team) entry(e catalog.Entry) catalog.Entry {
	e.Risk, e.Operation, e.Tags, e.Category = catalog.Low, catalog.Read, []string{"team"}, "team"
	if e.Mutates {
		e.Operation = catalog.Create
	}
	e.Source, e.Target = "team", "team "+t.options.Team
	return e
}

// notEmpty has an action refuse words and recipients that are given and empty: to write to nobody is not to write to
// all.
func notEmpty(e catalog.Entry) catalog.Entry {
	check := func(call catalog.Call) error {
		for _, field := range []string{"to", "target", "content", "question", "what", "answer", "title"} {
			if said, ok := call.Args[field].(string); ok && text.OneLine(said) == "" {
				want := "some text"
				if field == "to" || field == "target" {
					want = "a name, or leave it out for everybody"
				}
				return &catalog.ArgError{Field: field, Want: want, Got: "nothing"}
			}
		}
		return nil
	}
	action, preview := e.Action, e.Preview
	e.Action = func(ctx context.Context, call catalog.Call) (catalog.Result, error) {
		if err := check(call); err != nil {
			return catalog.Result{}, err
		}
		return action(ctx, call)
	}
	if preview != nil {
		e.Preview = func(ctx context.Context, call catalog.Call) (string, error) {
			if err := check(call); err != nil {
				return "", err
			}
			return preview(ctx, call)
		}
	}
	return e
}

// sends says what an action sends to whom; may be nobody's name for everybody.
func (t *Team) sends(ctx context.Context, verb, to, words string) string {
	return verb + t.recipient(ctx, to) + ":\n" + quoted(text.Clean(t.redact(words)))
}

// recipient says who gets what was sent to a name, and what if nobody has it now.
func (t *Team) recipient(ctx context.Context, to string) string {
	peers, err := t.Peers(ctx)
	if err != nil {
		return to
	}
	var names []string
	for _, p := range peers {
		if p.Name == to {
			return to
		}
		if !p.You {
			names = append(names, p.Name)
		}
	}
	if to == "" {
		return "everybody: " + text.Count(len(names), "other agent") + " now"
	}
	kept := fmt.Sprintf("%s, who is not in the team now: it is kept for that name for %d days", to, int(mailTime.Hours()/24))
	if near := spelling.Nearest(to, names); near != "" {
		kept += "; did you mean " + near + "?"
	}
	return kept
}
