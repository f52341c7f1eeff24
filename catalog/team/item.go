package team

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"almanac/catalog/text"
)

// This file is the form of what sessions send each other.

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
	Context  Kind = "context"
)

// isKnown says whether this program knows the kind.
func (k Kind) isKnown() bool {
	return slices.Contains([]Kind{Message, Question, Answer, Review, Assigned, Result, Context}, k)
}

// An Item is something that another session sent. Its texts are data, whoever wrote them: bounded, and without what a
// terminal would obey.
type Item struct {
	// ID is unique in the team, Number in the inbox that it came to; an item that is sent has neither.
	ID     string `json:"id"`
	Number int    `json:"number,omitempty"`
	Kind   Kind   `json:"kind"`
	// From is the agent that sent it, To the one that it is for; empty for everybody in the team.
	From string `json:"from"`
	To   string `json:"to"`
	// Topic is what it is about in a few words, of a question that comes behind its context the question; may be empty.
	Topic string `json:"topic"`
	Text  string `json:"text"`
	// Query is the id of the question, of a Question or an Answer.
	Query string    `json:"query,omitempty"`
	At    time.Time `json:"at"`
	// Closed says why a question takes no answer any more; empty while it takes one, and until Current has looked.
	Closed string `json:"closed,omitempty"`
	// Seen says that the person has opened it, of what the model has not read.
	Seen bool `json:"seen,omitempty"`
}

// asks says whether the item wants an answer.
func (i Item) asks() bool { return i.Kind == Question || i.Kind == Review }

// WantsAnswer says whether the item can be answered by its Query.
func (i Item) WantsAnswer() bool { return i.Query != "" && i.Kind != Answer && i.Closed == "" }

// How long the texts of an item may be, in bytes, and an item as a whole.
const (
	MaxText  = 16 << 10
	maxTopic = 200
	maxQuery = 64
	maxItem  = 128 << 10 // JSON may write a byte as six
)

// A letter is an item on the bus. Who sent it to whom is in its subject, when in what the server notes.
type letter struct {
	Kind  Kind   `json:"kind"`
	Topic string `json:"topic,omitempty"`
	Text  string `json:"text"`
	Query string `json:"query,omitempty"`
}

// write is the item as it is sent.
func (i Item) write() ([]byte, error) {
	if len(i.Text) > MaxText {
		return nil, fmt.Errorf("%s: text of %s: say the main points, and offload the rest with context.offload",
			i.Kind, text.Excess(len(i.Text), MaxText))
	}
	return json.Marshal(letter{i.Kind, text.LineBytes(i.Topic, maxTopic), text.Clean(i.Text), i.Query})
}

// readItem reads what another session sent, which may be anything.
func readItem(raw []byte) (Item, error) {
	if len(raw) > maxItem {
		return Item{}, fmt.Errorf("item of %s", text.Bytes(int64(len(raw))))
	}
	var l letter
	if err := json.Unmarshal(raw, &l); err != nil {
		return Item{}, err
	}
	if !l.Kind.isKnown() || len(l.Text) > MaxText || len(l.Query) > maxQuery {
		return Item{}, errors.New("kind, text or query of an item of another form")
	}
	return Item{
		Kind: l.Kind, Topic: text.LineBytes(l.Topic, maxTopic), Text: text.Clean(l.Text), Query: text.OneLine(l.Query),
	}, nil
}
