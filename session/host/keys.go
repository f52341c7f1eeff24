package host

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"almanac/catalog/remote"
	"almanac/catalog/task"
	"almanac/catalog/team/bus"
	"almanac/session"
)

// This file makes mutations once: what came of each key is kept on the server, for all hosts of the name.

// A record is what is kept of a key.
type record struct {
	// Of is a digest of the call, By the host that makes it.
	Of string `json:"of"`
	By string `json:"by"`
	// Answer is what it came to; nil while it is under way, or when its host went away.
	Answer *remote.Answer `json:"answer,omitempty"`
}

// keyOf is where a key is kept.
func keyOf(r remote.Request) string {
	if r.Key == "" {
		return ""
	}
	sum := sha256.Sum256([]byte(r.Key))
	return hex.EncodeToString(sum[:16])
}

// digest tells calls apart that must not share a key.
func digest(r remote.Request) string {
	sum := sha256.Sum256(encoded([]any{r.ID, r.Args, r.Context}))
	return hex.EncodeToString(sum[:16])
}

// keptWait is how long the server is waited for when the outcome of a call is written: it may be starting again.
const keptWait = time.Minute

// keyed makes a mutation, unless its key is known: then the answer is that of the call that was made, once it has
// ended. again tells that the action itself knows a key again: what a host that went away has begun can be made anew.
func (h *Host) keyed(ctx context.Context, r remote.Request, again bool, do func() *remote.Answer) *remote.Answer {
	key, mine := keyOf(r), record{Of: digest(r), By: h.instance}
	revision, known, failure := h.claim(ctx, key, mine, again)
	if failure != nil {
		return &remote.Answer{Error: failure}
	}
	if known != nil {
		h.mu.Lock()
		h.stats.FromKeys++
		h.mu.Unlock()
		return known
	}
	a := do()
	late, cancel := context.WithTimeout(context.WithoutCancel(ctx), keptWait)
	defer cancel()
	if f := a.Error; f != nil && f.Transient { // another attempt is welcome, here or elsewhere
		if err := h.keys.Delete(late, key, jetstream.LastRevision(revision)); err != nil {
			h.logf("%s: its key could not be freed: %v", r.ID, err)
		}
		return a
	}
	mine.Answer = a
	data, err := json.Marshal(mine)
	if err == nil && len(data) > remote.MaxMessage {
		if _, err = h.results.PutBytes(late, key, encoded(a)); err == nil {
			mine.Answer = &remote.Answer{Object: key, Kept: true}
			a = mine.Answer
			data, err = json.Marshal(mine)
		}
	}
	if err == nil {
		_, err = h.keys.Update(late, key, data, revision)
	}
	for bus.IsGone(err) && task.Sleep(late, retryEvery) == nil {
		_, err = h.keys.Update(late, key, data, revision)
	}
	if err != nil {
		h.logf("%s: what came of its key could not be kept: %v", r.ID, err)
	}
	return a
}

// encoded is what is kept or asked, as JSON: texts, and data that was JSON before.
func encoded(what any) []byte {
	data, _ := json.Marshal(what)
	return data
}

// claim makes the key this host's. known is the answer of a call with the key that has ended.
func (h *Host) claim(ctx context.Context, key string, mine record, again bool) (revision uint64, known *remote.Answer,
	failure *remote.Failure) {
	data := encoded(mine)
	for {
		revision, err := h.keys.Create(ctx, key, data)
		if err == nil {
			return revision, nil, nil
		}
		if !errors.Is(err, jetstream.ErrKeyExists) {
			return 0, nil, h.notMade(err)
		}
		known, revision, done, failure := h.other(ctx, key, mine, again)
		if done {
			return revision, known, failure
		}
		if err := task.Sleep(ctx, retryEvery); err != nil {
			return 0, nil, &remote.Failure{
				Message: "another host still makes this call", Code: remote.CodeUncertain,
			}
		}
	}
}

// retryEvery is how often a host looks what became of a call that another makes.
const retryEvery = 100 * time.Millisecond

func (h *Host) notMade(err error) *remote.Failure {
	return &remote.Failure{
		Message: "not made: its key could not be kept: " + h.bus.Plain(err).Error(),
		Code:    session.CodeFailed, Transient: true,
	}
}

// other looks what became of a call with the key; done is false while it is under way.
func (h *Host) other(ctx context.Context, key string, mine record, again bool) (known *remote.Answer, revision uint64,
	done bool, failure *remote.Failure) {
	entry, rec, err := h.kept(ctx, key)
	switch {
	case errors.Is(err, jetstream.ErrKeyNotFound):
		return nil, 0, false, nil // it was freed
	case err != nil:
		return nil, 0, true, h.notMade(err)
	case rec.Of != mine.Of:
		return nil, 0, true, &remote.Failure{
			Message: "not made: its idempotency key was used for another call", Code: session.CodeBadArgument,
		}
	case rec.Answer != nil:
		return rec.Answer, 0, true, nil
	}
	if h.runs(ctx, rec.By, key) {
		return nil, 0, false, nil
	}
	now, rec, err := h.kept(ctx, key) // it may have ended meanwhile
	switch {
	case err != nil || rec.Answer != nil || now.Revision() != entry.Revision():
		return nil, 0, false, nil
	case !again:
		return nil, 0, true, &remote.Failure{
			Message: "it may or may not have happened: the host that made it, or its connection, went away",
			Code:    remote.CodeUncertain,
			Hint:    "look whether it has before you call again",
		}
	}
	revision, err = h.keys.Update(ctx, key, encoded(mine), entry.Revision())
	return nil, revision, err == nil, nil
}

func (h *Host) kept(ctx context.Context, key string) (jetstream.KeyValueEntry, record, error) {
	var rec record
	entry, err := h.keys.Get(ctx, key)
	if err == nil {
		err = json.Unmarshal(entry.Value(), &rec)
	}
	return entry, rec, err
}

// runs asks a host whether it makes the call with the key. One that does not answer at all may still make it, so it is
// asked again; one whose subscription is gone does not.
func (h *Host) runs(ctx context.Context, instance, key string) bool {
	if instance == h.instance {
		h.mu.Lock()
		defer h.mu.Unlock()
		n := 0
		for _, r := range h.running {
			if r.key == key {
				n++
			}
		}
		return n > 1 // one of them asks
	}
	question := encoded(remote.Ask{Key: key})
	for range 3 {
		soon, cancel := context.WithTimeout(ctx, time.Second)
		m, err := h.bus.Conn().RequestWithContext(soon, remote.InstanceSubject(h.options.Name, instance, remote.AskSubject),
			question)
		cancel()
		var state remote.State
		switch {
		case errors.Is(err, nats.ErrNoResponders):
			return false
		case err == nil && json.Unmarshal(m.Data, &state) == nil:
			return state.Running
		case bus.IsGone(err): // nobody could be asked
			return true
		}
	}
	return ctx.Err() != nil
}
