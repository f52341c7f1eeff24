package team

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"almanac/catalog"
	"almanac/catalog/search"
	"almanac/catalog/team/keeper"
	"almanac/catalog/text"
)

// This file is the keepers of the team: parts of conversations that its sessions keep for one another, and the actions
// that keep and find them.

const (
	// syncTime is how long an action waits for what the server has when the session has just begun.
	syncTime = 2 * time.Second
	// summaryTime is how long a model may take to sum up what was found.
	summaryTime = 30 * time.Second
	// mostListed is how many keepers are listed, and mostFound how many hits; so many unless more are asked for.
	mostListed = 200
	mostFound  = 50
	found      = 10
	// hitText is how many characters a hit shows of its passage.
	hitText = 600
)

// newKeepers are the keepers of the team, which are read once someone calls Follow.
func (t *Team) newKeepers() *keeper.Store {
	return keeper.NewStore(func(ctx context.Context) (jetstream.KeyValue, error) {
		return t.bucket(ctx, "keepers", keeper.Bucket())
	})
}

// Keepers are what the team keeps, the newest first. Their messages must not be changed.
func (t *Team) Keepers(ctx context.Context) []*keeper.Keeper {
	t.synced(ctx)
	return t.keepers.Keepers()
}

// Keeper is the keeper of an id.
func (t *Team) Keeper(ctx context.Context, id string) (*keeper.Keeper, error) {
	t.synced(ctx)
	k, ok := t.keepers.Keeper(id)
	if !ok {
		return nil, t.keepers.Unknown(id)
	}
	return k, nil
}

// Enrich is what the keepers hold that may answer a question, in at most 2,000 characters, and their ids; empty where
// they hold nothing. It asks no model.
func (t *Team) Enrich(ctx context.Context, question string) (passages string, keepers []string) {
	t.synced(ctx)
	return t.keepers.Enrich(question)
}

// synced waits until what the server has was read, and tells whether it was.
func (t *Team) synced(ctx context.Context) bool {
	ctx, cancel := context.WithTimeout(ctx, syncTime)
	defer cancel()
	return t.keepers.Wait(ctx)
}

// A offload is what a keeper is made of.
type offload struct {
	Topic        string           `json:"topic"`
	MessageCount int              `json:"message_count"`
	Messages     []keeper.Message `json:"messages"` // the host fills them in
}

// offloadInput leaves out what the host fills in.
const offloadInput = `{"type": "object", "required": ["topic"], "properties": {
"topic": {"type": "string", "minLength": 1, "maxLength": 120, "description": "What the messages are about, in a few words"},
"message_count": {"type": "integer", "minimum": 1, "maximum": 10000,
 "description": "How many of the last messages to keep; left out: those on the topic, from where the conversation turned to it to where it left it"}}}`

// An offloaded says what became of an offload.
type offloaded struct {
	Result   string `json:"result" jsonschema:"What was kept, in a sentence"`
	KeeperID string `json:"keeper_id"`
	Topic    string `json:"topic"`
	First    int    `json:"first" jsonschema:"Number of the first message that was kept, from 1"`
	Last     int    `json:"last"`
	Of       int    `json:"of" jsonschema:"How many messages the conversation has"`
	Bytes    int    `json:"bytes"`
	// Dropped are the ids of keepers that went for it.
	Dropped []string `json:"dropped,omitempty" jsonschema:"Keepers that went because there were too many: the oldest"`
}

type retrieve struct {
	Query    string `json:"query" jsonschema:"A question, or keywords"`
	KeeperID string `json:"keeper_id,omitempty" jsonschema:"Look only in this keeper"`
	Mode     string `json:"mode,omitempty" jsonschema:"smart answers with the best passages, raw with the whole messages that match; left out: smart for a question, raw for keywords"`
}

// A retrieved is an answer from the keepers.
type retrieved struct {
	Result string `json:"result"`
	Mode   string `json:"mode"`
	Found  bool   `json:"found"`
}

type searching struct {
	Query string `json:"query" jsonschema:"A question, or keywords"`
	Limit int    `json:"limit,omitempty" jsonschema:"Most hits, 50 at most; left out: 10"`
}

// A hit is a passage that search found.
type hit struct {
	KeeperID string  `json:"keeper_id"`
	Topic    string  `json:"topic"`
	From     string  `json:"from" jsonschema:"Agent that kept it"`
	Message  int     `json:"message" jsonschema:"Number of its first message"`
	Passage  string  `json:"passage"`
	Score    float64 `json:"score"`
}

type listing struct {
	Topic string `json:"topic,omitempty" jsonschema:"Only keepers whose topic has one of these words"`
}

// A kept is a keeper in a list.
type kept struct {
	KeeperID string `json:"keeper_id"`
	Topic    string `json:"topic"`
	From     string `json:"from" jsonschema:"Agent that kept it"`
	At       string `json:"at"`
	Messages int    `json:"messages"`
	Bytes    int    `json:"bytes"`
}

// keeperEntries are the actions over keepers.
func (t *Team) keeperEntries() []catalog.Entry {
	return []catalog.Entry{
		catalog.Func(t.entry(catalog.Entry{
			ID: "context.offload", Title: "Keep a part of the conversation",
			Description: "Keep a part of this conversation for the whole team under a topic, where every agent finds it. " +
				"The conversation stays as it is.",
			Aliases:  []string{"context_offload", "spawn_keeper", "remember this conversation", "save context for the team"},
			Entities: []string{"keeper", "conversation"}, Mutates: true, Strict: true,
			Input: catalog.MustSchema(offloadInput), Inject: []catalog.Injection{{Field: "messages", From: "transcript"}},
			Examples: []string{`context.offload{topic = "refund rules"}`}, Preview: t.previewOffload,
		}), func(ctx context.Context, in offload, _ catalog.Context) (offloaded, error) { return t.offload(ctx, in) }),
		catalog.Func(t.entry(catalog.Entry{
			ID: "context.retrieve", Title: "Ask what the team keeps",
			Description: "Answer a question, or find keywords, from the conversations that the team keeps.",
			Aliases:     []string{"context_retrieve", "recall earlier conversation", "ask the keepers"},
			Entities:    []string{"keeper", "passage"}, Strict: true, Timeout: syncTime + summaryTime + 10*time.Second,
			Examples: []string{`context.retrieve{query = "How long may a customer ask for a refund?"}`},
		}), func(ctx context.Context, in retrieve, _ catalog.Context) (retrieved, error) {
			return t.retrieve(ctx, in)
		}),
		catalog.Func(t.entry(catalog.Entry{
			ID: "context.search", Title: "Search what the team keeps",
			Description: "Find passages of the conversations that the team keeps, the best first.",
			Aliases:     []string{"context_search", "search earlier conversations"},
			Entities:    []string{"keeper", "passage"}, Strict: true,
			Examples: []string{`context.search{query = "refund deadline", limit = 5}`},
		}), func(ctx context.Context, in searching, _ catalog.Context) ([]hit, error) {
			return t.searchKeepers(ctx, in)
		}),
		catalog.Func(t.entry(catalog.Entry{
			ID: "context.keepers", Title: "List what the team keeps",
			Description: "List the conversations that the team keeps, the newest first: topic, who kept it, when, how much.",
			Aliases:     []string{"context_keepers", "list keepers"},
			Entities:    []string{"keeper"}, Strict: true, Examples: []string{`context.keepers()`},
		}), func(ctx context.Context, in listing, _ catalog.Context) ([]kept, error) {
			return t.listKeepers(ctx, in), nil
		}),
	}
}

// part is what of the messages is to be kept: from one up to, but not including, another.
func (in *offload) part() (from, to int, err error) {
	topic := text.OneLine(in.Topic)
	switch {
	case topic == "":
		return 0, 0, &catalog.ArgError{Field: "topic", Want: "a few words", Got: "nothing"}
	case len(in.Messages) == 0:
		return 0, 0, errors.New("context.offload: this session has no conversation to keep a part of")
	}
	from, to = keeper.Part(in.Messages, topic, in.MessageCount)
	return from, to, nil
}

// previewOffload shows how what would be kept begins and ends.
func (t *Team) previewOffload(_ context.Context, call catalog.Call) (string, error) {
	var in offload
	raw, err := json.Marshal(call.Args)
	if err == nil {
		err = json.Unmarshal(raw, &in)
	}
	if err != nil {
		return "", err
	}
	from, to, err := in.part()
	if err != nil {
		return "", err
	}
	line := func(i int) string {
		return fmt.Sprintf("\n%d %s: %s", i+1, in.Messages[i].Role, text.LineRunes(t.redact(in.Messages[i].Text), 100))
	}
	said := fmt.Sprintf("keeps messages %d to %d of %d for team %s:%s", from+1, to, len(in.Messages), t.options.Team,
		line(from))
	if to > from+2 {
		said += "\n…"
	}
	if to > from+1 {
		said += line(to - 1)
	}
	return said, nil
}

func (t *Team) offload(ctx context.Context, in offload) (offloaded, error) {
	from, to, err := in.part()
	if err != nil {
		return offloaded{}, err
	}
	k := keeper.Keeper{Topic: text.OneLine(in.Topic), From: t.Agent()}
	for _, m := range in.Messages[from:to] {
		m.Text = t.redact(m.Text)
		k.Messages = append(k.Messages, m)
	}
	k.Topic = t.redact(k.Topic)
	var made *keeper.Keeper
	var gone []*keeper.Keeper
	err = t.try(ctx, func(ctx context.Context) (err error) {
		made, gone, err = t.keepers.Put(ctx, k)
		return err
	})
	if err != nil {
		return offloaded{}, err
	}
	first := to - len(made.Messages) + 1
	out := offloaded{
		KeeperID: made.ID, Topic: made.Topic, First: first, Last: to, Of: len(in.Messages), Bytes: made.Size(),
	}
	out.Result = fmt.Sprintf("keeper %s holds messages %d to %d of %d, %s, for the team; the conversation stays as it is",
		made.ID, first, to, out.Of, text.Bytes(int64(out.Bytes)))
	if first > from+1 {
		out.Result += fmt.Sprintf("; messages %d to %d were left out: a keeper holds %s", from+1, first-1,
			text.Bytes(keeper.MaxText))
	}
	for _, old := range gone {
		out.Dropped = append(out.Dropped, old.ID)
	}
	if len(gone) > 0 {
		out.Result += fmt.Sprintf("; gone for it, because a team keeps at most %d and %s: %s", keeper.MaxKeepers,
			text.Bytes(keeper.MaxTotal), text.ClipRunes(strings.Join(out.Dropped, ", "), 300))
	}
	return out, nil
}

func (t *Team) retrieve(ctx context.Context, in retrieve) (retrieved, error) {
	mode, err := keeper.ParseMode(in.Mode, in.Query)
	if err != nil {
		return retrieved{}, &catalog.ArgError{Field: "mode", Want: "smart or raw", Got: text.LineRunes(in.Mode, 40)}
	}
	if in.KeeperID != "" {
		if _, err := t.Keeper(ctx, in.KeeperID); err != nil {
			return retrieved{}, err
		}
	}
	out := retrieved{Mode: string(mode), Found: true}
	note := ""
	if !t.synced(ctx) {
		note = "\n\n(not all is here yet: the team's server has not answered)"
	}
	if mode == keeper.Raw {
		out.Result = t.keepers.Raw(in.Query, in.KeeperID)
	} else if best := t.keepers.Best(in.Query, in.KeeperID); len(best) > 0 {
		out.Result = t.smart(ctx, in, best)
	}
	if out.Result == "" {
		out.Found, out.Result = false, t.keepers.Nothing(in.Query)
	}
	out.Result += note
	return out, nil
}

// smart answers a question from passages: with a summary that cites them where a model makes one, and otherwise with
// the passages.
func (t *Team) smart(ctx context.Context, in retrieve, best []keeper.Passage) string {
	passages := keeper.Show(best, in.KeeperID)
	if t.options.Summarise == nil {
		return passages
	}
	limited, cancel := context.WithTimeout(ctx, summaryTime)
	defer cancel()
	written, err := t.options.Summarise(limited, in.Query, best)
	switch summary, ok := keeper.Summary(written, best); {
	case err != nil:
		return keeper.Noted("no summary: "+text.LineRunes(err.Error(), 200), passages)
	case strings.TrimSpace(written) == "":
		return passages // there is no model
	case !ok:
		return keeper.Noted("no summary: the model's cited none of the passages", passages)
	default:
		return summary
	}
}

func (t *Team) searchKeepers(ctx context.Context, in searching) ([]hit, error) {
	if in.Limit < 0 || in.Limit > mostFound {
		return nil, &catalog.ArgError{Field: "limit", Want: fmt.Sprintf("1 to %d", mostFound), Got: fmt.Sprint(in.Limit)}
	}
	if in.Limit == 0 {
		in.Limit = found
	}
	t.synced(ctx)
	hits, _ := t.keepers.Find(in.Query, "", in.Limit)
	all := make([]hit, len(hits))
	for i, h := range hits {
		all[i] = hit{
			KeeperID: h.Keeper, Topic: h.Topic, From: h.From, Message: h.First,
			Passage: text.ClipRunes(h.Text(), hitText), Score: math.Round(100*h.Score) / 100,
		}
	}
	return all, nil
}

func (t *Team) listKeepers(ctx context.Context, in listing) []kept {
	words := search.Stems(in.Topic)
	all := []kept{}
	for _, k := range t.Keepers(ctx) {
		if len(all) == mostListed || in.Topic != "" && !keeper.Has(k.Topic, words) {
			continue
		}
		all = append(all, kept{k.ID, k.Topic, k.From, k.At.UTC().Format(time.RFC3339), len(k.Messages), k.Size()})
	}
	return all
}
