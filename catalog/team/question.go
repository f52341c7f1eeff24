package team

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"almanac/catalog/search/spelling"
	"almanac/catalog/team/bus"
	"almanac/catalog/text"
)

// This file is questions between sessions. The truth about one is a value in a bucket, which is changed only from what
// it was; mail tells of it. So an answer that was taken is there, however its mail fares.

// A question is gone questionTime after its last change.
const (
	questionTime  = 30 * 24 * time.Hour
	questionBytes = 64 << 20
	maxAsked      = MaxText / 2 // a question with its context, in bytes; what enriches it takes the rest
	maxEnrichment = 4 << 10
	maxOwn        = 50 // unanswered questions of one agent
	maxHops       = 8
	maxReplies    = 20
)

// A Query is a question, or a request for a review, as the team knows it.
type Query struct {
	// ID begins with the name of the agent that asks.
	ID   string    `json:"query_id"`
	Kind Kind      `json:"kind"`
	From string    `json:"from"`
	To   string    `json:"to,omitempty"` // empty: everybody
	Text string    `json:"question"`
	At   time.Time `json:"at"`
	// Context is what one has to know for it; may be empty.
	Context string `json:"context,omitempty"`
	// Enrichment is what the keepers hold about it; may be empty.
	Enrichment string  `json:"enrichment,omitempty"`
	Hops       []Hop   `json:"forwarded,omitempty"`
	Answers    []Reply `json:"answers,omitempty"`
}

// A Hop is one forwarding of a question.
type Hop struct {
	By   string `json:"by"`
	To   string `json:"to,omitempty"` // empty: everybody
	Text string `json:"enrichment,omitempty"`
}

// A Reply is an answer to a question.
type Reply struct {
	From string    `json:"from"`
	Text string    `json:"answer"`
	At   time.Time `json:"at"`
}

// asked says whether the agent was asked, by name or as one of all.
func (q *Query) asked(name string) bool {
	to := func(to string) bool { return to == name || to == "" }
	return q.From != name && (to(q.To) || slices.ContainsFunc(q.Hops, func(h Hop) bool { return to(h.To) }))
}

// before says whether the question was put to all before the agent was in the team, and not to it by name.
func (q *Query) before(name string, since time.Time) bool {
	named := q.To == name || slices.ContainsFunc(q.Hops, func(h Hop) bool { return h.To == name || h.To == "" })
	return !named && q.At.Before(since)
}

// toAll says whether everybody was asked.
func (q *Query) toAll() bool {
	return q.To == "" || slices.ContainsFunc(q.Hops, func(h Hop) bool { return h.To == "" })
}

// answeredBy says whether the agent has answered.
func (q *Query) answeredBy(name string) bool {
	return slices.ContainsFunc(q.Answers, func(r Reply) bool { return r.From == name })
}

// closed says why the question takes no answer of an agent that was asked; empty while it takes one.
func (q *Query) closed(name string) string {
	switch {
	case q.answeredBy(name):
		return "answered by you"
	case len(q.Answers) > 0 && !q.toAll():
		return "answered by " + q.Answers[0].From
	case len(q.Answers) >= maxReplies:
		return fmt.Sprintf("answered by %d agents, no more are taken", len(q.Answers))
	}
	return ""
}

// Letter is the question as it is sent to those who are asked: behind what one has to know for it.
func (q *Query) Letter() string {
	said := q.Text
	if q.Context != "" {
		said = "Context: " + q.Context + "\n\n" + said
	}
	if q.Enrichment != "" {
		said += "\n\nWhat the keepers of the team hold about it:\n" + q.Enrichment
	}
	for _, h := range q.Hops {
		if h.Text != "" {
			said += "\n\n" + h.By + " adds: " + h.Text
		}
	}
	return text.ClipBytes(said, MaxText)
}

// topic is the question in short where its letter does not begin with it.
func (q *Query) topic() string {
	if q.Context == "" {
		return ""
	}
	return text.LineBytes(q.Text, maxTopic)
}

// clean makes harmless what another session wrote.
func (q *Query) clean() {
	words := func(s string, most int) string { return text.ClipBytes(text.Clean(s), most) }
	q.Text, q.Context = words(q.Text, maxAsked), words(q.Context, maxAsked)
	q.Enrichment = words(q.Enrichment, maxEnrichment)
	q.From, q.To = text.LineBytes(q.From, bus.MaxName), text.LineBytes(q.To, bus.MaxName)
	for i := range q.Hops {
		h := &q.Hops[i]
		h.By, h.To = text.LineBytes(h.By, bus.MaxName), text.LineBytes(h.To, bus.MaxName)
		h.Text = words(h.Text, maxEnrichment)
	}
	for i := range q.Answers {
		a := &q.Answers[i]
		a.From, a.Text = text.LineBytes(a.From, bus.MaxName), words(a.Text, MaxText)
	}
}

// questions is the bucket of the questions.
func (t *Team) questions(ctx context.Context) (jetstream.KeyValue, error) {
	return t.bucket(ctx, "questions", jetstream.KeyValueConfig{
		TTL: questionTime, MaxBytes: questionBytes, MaxValueSize: 4 * maxItem,
	})
}

// checkAsked bounds and cleans a question that is to be asked.
func (t *Team) checkAsked(q *Query) error {
	if err := t.checkTo(q.To); err != nil {
		return err
	}
	q.Text, q.Context = t.redact(text.Clean(q.Text)), t.redact(text.Clean(q.Context))
	q.Enrichment = text.ClipBytes(t.redact(text.Clean(q.Enrichment)), maxEnrichment)
	if n := len(q.Text) + len(q.Context); n > maxAsked {
		return fmt.Errorf("%s of %s with its context: offload the rest with context.offload",
			q.Kind, text.Excess(n, maxAsked))
	}
	return nil
}

// Ask asks the agent q.To, or everybody, and returns at once; answers come as items. Only Kind, To, Text, Context and
// Enrichment of q count.
func (t *Team) Ask(ctx context.Context, q Query) (id string, err error) {
	if err := t.checkAsked(&q); err != nil {
		return "", err
	}
	q.From, q.At = t.Agent(), time.Now().UTC().Truncate(time.Millisecond)
	if err := t.room(ctx, q.From); err != nil {
		return "", err
	}
	q.ID = q.From + "." + strings.ToLower(rand.Text()[:8])
	raw, err := json.Marshal(q)
	if err != nil {
		return "", err
	}
	kv, err := t.questions(ctx)
	if err != nil {
		return "", err
	}
	err = t.try(ctx, func(ctx context.Context) error {
		_, err := kv.Create(ctx, q.ID, raw)
		if errors.Is(err, jetstream.ErrKeyExists) {
			return nil // by an attempt whose answer was lost: the id is random
		}
		return err
	})
	if isFull(err) {
		return "", fmt.Errorf("the questions of team %s are full (%s): wait until some are %d days old",
			t.options.Team, text.Bytes(questionBytes), int(questionTime.Hours()/24))
	}
	if err != nil {
		return "", err
	}
	if err = t.Send(ctx, Item{Kind: q.Kind, To: q.To, Topic: q.topic(), Text: q.Letter(), Query: q.ID}); err != nil {
		return "", errors.Join(err, kv.Purge(ctx, q.ID)) // nobody was asked
	}
	return q.ID, nil
}

// room makes room for one more question of the agent: the oldest that have an answer go.
func (t *Team) room(ctx context.Context, from string) error {
	all, err := t.queries(ctx, from+".*")
	if err != nil || len(all) < maxOwn {
		return err
	}
	answered := slices.DeleteFunc(all, func(q Query) bool { return len(q.Answers) == 0 })
	if len(answered) == 0 {
		return fmt.Errorf("%d questions of yours have no answer: wait for some of them, or withdraw one with peer.withdraw; see peer.questions",
			maxOwn)
	}
	kv, err := t.questions(ctx)
	if err != nil {
		return err
	}
	return t.try(ctx, func(ctx context.Context) error { return kv.Purge(ctx, answered[0].ID) })
}

// queries are the questions whose ids match the pattern, oldest first.
func (t *Team) queries(ctx context.Context, pattern string) ([]Query, error) {
	kv, err := t.questions(ctx)
	if err != nil {
		return nil, err
	}
	var all []Query
	err = t.try(ctx, func(ctx context.Context) error {
		all = nil
		return eachValue(ctx, kv, []string{pattern}, func(entry jetstream.KeyValueEntry) {
			if q, err := readQuery(entry); err == nil {
				all = append(all, q)
			}
		})
	})
	slices.SortStableFunc(all, func(a, b Query) int { return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.ID, b.ID)) })
	return all, err
}

// readQuery reads a value of the bucket, which may be anything.
func readQuery(entry jetstream.KeyValueEntry) (q Query, err error) {
	if err := json.Unmarshal(entry.Value(), &q); err != nil {
		return q, fmt.Errorf("query %s: %w", entry.Key(), err)
	}
	q.ID = entry.Key()
	if from, _, _ := strings.Cut(q.ID, "."); from != q.From || q.Kind != Question && q.Kind != Review {
		return q, fmt.Errorf("query %s: is no question", q.ID)
	}
	q.clean()
	return q, nil
}

// Queries are the unanswered questions that this session was asked, and all that it has asked, oldest first.
func (t *Team) Queries(ctx context.Context) (asked, own []Query, err error) {
	all, err := t.queries(ctx, ">")
	name := t.Agent()
	t.mu.Lock()
	since := t.inbox.mark.Since
	t.mu.Unlock()
	for _, q := range all {
		switch {
		case q.From == name:
			own = append(own, q)
		case q.asked(name) && q.closed(name) == "" && !q.before(name, since):
			asked = append(asked, q)
		}
	}
	return asked, own, err
}

// query fetches a question.
func (t *Team) query(ctx context.Context, id string) (q Query, revision uint64, err error) {
	kv, err := t.questions(ctx)
	if err != nil {
		return q, 0, err
	}
	from, rest, _ := strings.Cut(id, ".")
	if CheckName(from) != nil || CheckName(rest) != nil {
		return q, 0, t.unknown(ctx, id)
	}
	entry, err := kv.Get(ctx, id)
	if errors.Is(err, jetstream.ErrKeyNotFound) {
		return q, 0, t.unknown(ctx, id)
	}
	if err != nil {
		return q, 0, err
	}
	q, err = readQuery(entry)
	return q, entry.Revision(), err
}

// A noQueryError says that there is no question of an id.
type noQueryError struct{ said string }

func (e *noQueryError) Error() string { return e.said }

// unknown is the error of an id that no question has.
func (t *Team) unknown(ctx context.Context, id string) error {
	asked, own, _ := t.Queries(ctx) // without them there is no hint
	var ids []string
	for _, q := range slices.Concat(asked, own) {
		ids = append(ids, q.ID)
	}
	hint := "see peer.questions"
	if near := spelling.Nearest(id, ids); near != "" {
		hint = "did you mean " + near + "?"
	}
	return &noQueryError{fmt.Sprintf("query %.80q: no such question, or it is older than %d days: %s", id,
		int(questionTime.Hours()/24), hint)}
}

// change changes a question; see changed.
func (t *Team) change(ctx context.Context, id string, f func(q *Query) error) (Query, error) {
	return changed(ctx, t, place[Query]{t.questions, t.query}, id, f)
}

// Answer answers a question that this session was asked. The answer is the server's when it returns nil; told is false
// if its mail could not be delivered: the asker then finds it only among its questions.
func (t *Team) Answer(ctx context.Context, id, answer string) (q Query, told bool, err error) {
	name := t.Agent()
	reply := Reply{From: name, Text: t.redact(text.Clean(answer)), At: time.Now().UTC().Truncate(time.Millisecond)}
	if len(reply.Text) > MaxText {
		return q, false, fmt.Errorf("answer of %s: offload the rest with context.offload",
			text.Excess(len(reply.Text), MaxText))
	}
	q, err = t.change(ctx, id, func(q *Query) error {
		switch {
		case slices.Contains(q.Answers, reply):
			return errSame
		case q.From == name:
			return fmt.Errorf("query %s: is your own question: those who were asked answer it", id)
		case !q.asked(name):
			return fmt.Errorf("query %s: was asked of %s, only they can answer: write to %s with peer.message", id,
				strings.Join(q.names(), ", "), q.From)
		case q.closed(name) != "":
			return closedError(id, q.closed(name), q.From)
		}
		q.Answers = append(q.Answers, reply)
		return nil
	})
	if err != nil {
		return q, false, err
	}
	t.readQuestion(id)
	item := Item{Kind: Answer, To: q.From, Topic: text.FirstSentence(q.Text), Text: reply.Text, Query: id}
	return q, t.Send(ctx, item) == nil, nil
}

// Withdraw takes back a question of this session, with the answers that it has.
func (t *Team) Withdraw(ctx context.Context, id string) (Query, error) {
	q, _, err := t.query(ctx, id)
	if err == nil && q.From != t.Agent() {
		err = fmt.Errorf("query %s: is of %s, who alone can withdraw it", id, q.From)
	}
	if err != nil {
		return q, err
	}
	kv, err := t.questions(ctx)
	if err != nil {
		return q, err
	}
	return q, t.try(ctx, func(ctx context.Context) error { return kv.Purge(ctx, id) })
}

// closedError says why a question takes no answer, and what there is to do instead.
func closedError(id, why, from string) error {
	return fmt.Errorf("query %s: %s: write to %s with peer.message if there is more to say", id, why, from)
}

// Current are items as they stand now: of questions that were closed meanwhile they say so. Where the server does not
// answer soon they stand as they came.
func (t *Team) Current(ctx context.Context, items ...Item) []Item {
	ctx, cancel := context.WithTimeout(ctx, currentTime)
	defer cancel()
	items = slices.Clone(items)
	for i := range items {
		if !items[i].WantsAnswer() || ctx.Err() != nil {
			continue
		}
		q, _, err := t.query(ctx, items[i].Query)
		if none := (*noQueryError)(nil); errors.As(err, &none) {
			items[i].Closed = "withdrawn, or closed long ago"
		} else if err == nil {
			items[i].Closed = q.closed(t.Agent())
		}
	}
	return items
}

// currentTime is how long the server may take to say how questions stand.
const currentTime = 2 * time.Second

// readQuestion marks as read what asks a question that this session has dealt with.
func (t *Team) readQuestion(id string) {
	var ids []string
	for _, i := range t.Pending() {
		if i.asks() && i.Query == id {
			ids = append(ids, i.ID)
		}
	}
	t.Read(ids...)
}

// names are those who were asked, by name.
func (q *Query) names() []string {
	all := []string{q.To}
	for _, h := range q.Hops {
		all = append(all, h.To)
	}
	return slices.Compact(all)
}

// Forward passes a question on, to an agent or with an empty name to everybody, with what this session adds to it. Who
// was asked may do it, and who has asked.
func (t *Team) Forward(ctx context.Context, id, to, enrichment string) (Query, error) {
	name := t.Agent()
	if to != "" {
		if err := CheckName(to); err != nil {
			return Query{}, err
		}
	}
	hop := Hop{By: name, To: to, Text: t.redact(text.Clean(enrichment))}
	if len(hop.Text) > maxEnrichment {
		return Query{}, fmt.Errorf("enrichment of %s",
			text.Excess(len(hop.Text), maxEnrichment))
	}
	q, err := t.change(ctx, id, func(q *Query) error {
		switch {
		case slices.Contains(q.Hops, hop):
			return errSame
		case q.From != name && !q.asked(name):
			return fmt.Errorf("query %s: was asked of %s, only they can forward it: ask with peer.ask", id,
				strings.Join(q.names(), ", "))
		case to == name || to == q.From:
			return fmt.Errorf("query %s: %s knows of it: want somebody else, peer.discover lists who is there", id, to)
		case q.toAll():
			return fmt.Errorf("query %s: everybody has been asked: answer it with peer.answer, or wait for the others", id)
		case to != "" && q.asked(to):
			return fmt.Errorf("query %s: %s has been asked: want somebody else, or everybody, without target", id, to)
		case len(q.Answers) > 0:
			return closedError(id, q.closed(name), q.Answers[0].From)
		case len(q.Hops) == maxHops:
			return fmt.Errorf("query %s: was forwarded %d times: answer it with peer.answer, or tell %s with peer.message "+
				"that nobody here knows", id, maxHops, q.From)
		}
		q.Hops = append(q.Hops, hop)
		return nil
	})
	if err != nil {
		return q, err
	}
	t.readQuestion(id)
	item := Item{Kind: q.Kind, To: to, Topic: q.topic(), Text: q.Letter(), Query: id}
	return q, t.Send(ctx, item)
}
