// Package team is what sessions share on a bus: peers, messages, questions, keepers, claims and tasks.
//
//	Options  who joins which team
//	Team     a session's membership
//	Item     something that arrived
//	Entries  the actions over it: context.*, peer.*, agent.*
//
// Everything that it keeps on the server is named after the team, so that a server can keep teams apart: streams and
// buckets begin with almanac_TEAM_, subjects with almanac.TEAM.
//
// Start at Join.
package team

import (
	"context"
	"fmt"
	"strings"
	"time"

	"almanac/catalog"
	"almanac/catalog/team/bus"
)

// Options say who joins.
type Options struct {
	// Team and Agent are names of letters a to z, digits, _ and -, 32 at most. Agent is what the session would like to be
	// called: another live one of the name makes it NAME-2.
	Team, Agent string
	// Role is the role that the session has; may be empty.
	Role string
	// Arrived is told of each item that arrives, also of those that wait from before, in their order and from a goroutine
	// of the Team. Nil: they are only kept.
	Arrived func(Item)
	// Redact takes secrets out of whatever leaves the session; nil: there are none.
	Redact func(string) string
}

// A Kind says what an Item is.
type Kind string

// The kinds.
const (
	Message  Kind = "message"
	Question Kind = "question"
	Answer   Kind = "answer"
	Review   Kind = "review"
	Assigned Kind = "task"
	Result   Kind = "result"
)

// An Item is something that another session sent. Its texts are data, whoever wrote them.
type Item struct {
	ID   string
	Kind Kind
	// From is the agent that sent it, To the one that it is for; empty for everybody in the team.
	From, To string
	// Topic is what it is about in a few words; may be empty.
	Topic string
	Text  string
	// Query is the id of the question, of a Question or an Answer.
	Query string `json:",omitempty"`
	At    time.Time
}

// A Team is a session's membership. Safe for concurrent use.
type Team struct {
	options Options
	bus     *bus.Bus
}

// Join makes the session a member. The caller closes the Team, and then the bus.
func Join(ctx context.Context, b *bus.Bus, o Options) (*Team, error) {
	for _, name := range []string{o.Team, o.Agent} {
		if err := CheckName(name); err != nil {
			return nil, err
		}
	}
	return &Team{options: o, bus: b}, nil
}

// maxName is how long a name of a team or an agent may be.
const maxName = 32

// CheckName says why a team or an agent cannot have the name.
func CheckName(name string) error {
	if name == "" || len(name) > maxName || strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789_-") != "" {
		return fmt.Errorf("name %q: want 1 to %d of a to z, 0 to 9, _ and -", name, maxName)
	}
	return nil
}

// Agent is the name that the session has in the team.
func (t *Team) Agent() string { return t.options.Agent }

// Entries are the actions of the team.
func (t *Team) Entries() []catalog.Entry { return nil }

// Close leaves the team. What was sent stays.
func (t *Team) Close() error { return nil }
