package team

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base32"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"almanac/catalog/team/bus"
	"almanac/catalog/text"
)

// This file is tasks as they are kept: a record for each in a bucket, changed only where nobody else has changed it in
// the meantime. The queue (queue.go) holds ids alone and may be wrong in any way: what it says is checked here.

// A Task is a piece of work that a session of the team may take. Its texts are data, whoever wrote them.
type Task struct {
	ID    string    `json:"id"`
	Title string    `json:"title"`
	Text  string    `json:"text,omitempty"`
	State TaskState `json:"state"`
	// Key is what its creator told it apart by; may be empty.
	Key string `json:"key,omitempty"`
	// To is the agent or the role that it is for; empty for anybody.
	To string `json:"to,omitempty"`
	// After are the ids of the tasks that have to be finished before it.
	After []string `json:"after,omitempty"`
	// WaitsFor are those of them that are not finished, of an open task. It is found out when the task is read.
	WaitsFor []string  `json:"waits_for,omitempty"`
	By       string    `json:"by"`
	At       time.Time `json:"at"`
	// Holder is who has it, or had it when it ended; until when, unless it is renewed.
	Holder string    `json:"holder,omitempty"`
	Until  time.Time `json:"until,omitzero"`
	// Tries is how often it was taken, of Most.
	Tries int `json:"tries"`
	Most  int `json:"most"`
	// Result is of a finished task; Reason is why the last try failed, or why there will be none.
	Result string    `json:"result,omitempty"`
	Reason string    `json:"reason,omitempty"`
	Ended  time.Time `json:"ended,omitzero"`
}

// A TaskState says how far a task is.
type TaskState string

// The states. A task that is Finished, Dead (it failed too often) or Dropped (by its creator) never changes again.
const (
	Open     TaskState = "open"
	Taken    TaskState = "taken"
	Finished TaskState = "finished"
	Dead     TaskState = "dead"
	Dropped  TaskState = "dropped"
)

// Over says whether nobody will work on the task again.
func (t *Task) Over() bool { return t.State != Open && t.State != Taken }

// Bounds of a task.
const (
	maxTitle  = 200
	maxKey    = 200
	maxAfter  = 32
	maxTries  = 10
	someTries = 3
	taskTime  = 30 * 24 * time.Hour
	taskBytes = 256 << 20
)

// A record is a Task as it is kept.
type record struct {
	Task
	// Origin tells the call that created it from another one with its key, Lease the call that took it from others.
	Origin   string
	Instance string   `json:",omitempty"` // of the session that has it
	Lease    string   `json:",omitempty"`
	Resumed  int      `json:",omitempty"` // how often a session of its holder's name went on with the try
	Next     []string `json:",omitempty"` // tasks that are after it
	Told     bool     `json:",omitempty"` // its creator knows its end
}

// A board is the tasks of a team as one session sees them.
type board struct {
	t      *Team
	leases *leases
	queue  queue
	// resumed is a task that Resume took back, until take has told of it; nil for none.
	resumed atomic.Pointer[string]
}

func (b *board) records(ctx context.Context) (jetstream.KeyValue, error) {
	return b.t.bucket(ctx, "tasks", jetstream.KeyValueConfig{TTL: taskTime, MaxBytes: taskBytes, MaxValueSize: maxItem})
}

// newID is the id of a task: made of its key, so that there is one of each, or random.
func newID(key string) string {
	if key == "" {
		return "t-" + strings.ToLower(rand.Text()[:8])
	}
	sum := sha256.Sum256([]byte(key))
	return "t-" + strings.ToLower(base32.StdEncoding.EncodeToString(sum[:10]))
}

// read fetches a record, and the revision to change it at.
func (b *board) read(ctx context.Context, id string) (r record, revision uint64, err error) {
	kv, err := b.records(ctx)
	if err != nil {
		return r, 0, err
	}
	if CheckName(id) != nil {
		return r, 0, &noTaskError{id}
	}
	entry, err := kv.Get(ctx, id)
	if errors.Is(err, jetstream.ErrKeyNotFound) {
		return r, 0, &noTaskError{id}
	}
	if err != nil {
		return r, 0, err
	}
	r, err = readRecord(entry)
	return r, entry.Revision(), err
}

// A noTaskError says that there is no task of the id.
type noTaskError struct{ id string }

func (e *noTaskError) Error() string {
	return fmt.Sprintf("task %s: there is none in this team: see peer.task.list", text.LineBytes(e.id, bus.MaxName))
}

func isNone(err error) bool {
	none := (*noTaskError)(nil)
	return errors.As(err, &none)
}

// errUnreadable is wrapped by the errors of what is no record.
var errUnreadable = errors.New("not a task")

// readRecord reads what is in the bucket, which may be anything.
func readRecord(entry jetstream.KeyValueEntry) (r record, err error) {
	raw := entry.Value()
	if len(raw) > maxItem {
		return r, fmt.Errorf("task %s: %w: %s", entry.Key(), errUnreadable, text.Bytes(int64(len(raw))))
	}
	if err := json.Unmarshal(raw, &r); err != nil {
		return r, fmt.Errorf("task %s: %w: %w", entry.Key(), errUnreadable, err)
	}
	r.ID, r.WaitsFor = entry.Key(), nil
	if r.State == Open { // whoever had it has it no more
		r.Holder, r.Until = "", time.Time{}
	}
	r.Title, r.Key = text.LineBytes(r.Title, maxTitle), text.LineBytes(r.Key, maxKey)
	r.Text, r.Result = text.ClipBytes(text.Clean(r.Text), MaxText), text.ClipBytes(text.Clean(r.Result), MaxText)
	r.Reason = text.LineBytes(r.Reason, maxReason)
	r.By, r.To, r.Holder = text.OneLine(r.By), text.OneLine(r.To), text.OneLine(r.Holder)
	return r, nil
}

// change changes a record; see changed.
func (b *board) change(ctx context.Context, id string, f func(*record) error) (record, error) {
	return changed(ctx, b.t, place[record]{b.records, b.read}, id, f)
}

// create keeps a new task and puts it into the queue. If there is one of its key, that is returned and made is false.
func (b *board) create(ctx context.Context, task Task) (r record, made bool, err error) {
	if err := b.checkNew(ctx, &task); err != nil {
		return r, false, err
	}
	r = record{Task: task, Origin: rand.Text()}
	r.State, r.By, r.At = Open, b.t.Agent(), b.t.now().UTC()
	r.ID = newID(r.Key)
	if err := b.list(ctx, &r); err != nil {
		return r, false, err
	}
	err = b.t.try(ctx, func(ctx context.Context) error {
		made = true
		raw, err := json.Marshal(r)
		if err != nil {
			return err
		}
		kv, err := b.records(ctx)
		if err != nil {
			return err
		}
		_, err = kv.Create(ctx, r.ID, raw)
		if !errors.Is(err, jetstream.ErrKeyExists) {
			return err
		}
		there, _, err := b.read(ctx, r.ID)
		switch {
		case isNone(err):
			return nats.ErrTimeout // this server of a cluster does not have it yet
		case err != nil:
			return err
		case there.Origin == r.Origin: // an attempt without an answer
			return nil
		case r.Key == "" || there.Key != r.Key:
			return fmt.Errorf("task %s: another one has this id: create it again", r.ID)
		}
		made, r = false, there
		return nil
	})
	if err != nil {
		return r, false, err
	}
	// The rest is done for a task that was there, too: who created it may have ended here.
	for _, id := range r.After {
		_, err := b.change(ctx, id, func(before *record) error {
			if before.Over() || slices.Contains(before.Next, r.ID) {
				return errSame
			}
			before.Next = append(before.Next, r.ID)
			return nil
		})
		if err != nil && !isNone(err) {
			return r, made, err
		}
	}
	if r.State == Open {
		r, err = b.offer(ctx, r.ID)
	}
	return r, made, err
}

// checkNew bounds and cleans a task that is to be created.
func (b *board) checkNew(ctx context.Context, task *Task) error {
	clean := func(s string) string { return text.Clean(b.t.redact(s)) }
	task.Title, task.Text = text.OneLine(clean(task.Title)), clean(task.Text)
	task.Key = text.OneLine(clean(task.Key))
	switch {
	case strings.TrimSpace(task.Title) == "":
		return errors.New("title: want a few words about what there is to do")
	case len(task.Title) > maxTitle:
		return fmt.Errorf("title of %s: put the rest into text", text.Excess(len(task.Title), maxTitle))
	case len(task.Text) > MaxText:
		return fmt.Errorf("text of %s: write the rest into a file, or offload it with context.offload",
			text.Excess(len(task.Text), MaxText))
	case len(task.Key) > maxKey:
		return fmt.Errorf("key of %d bytes: want at most %d", len(task.Key), maxKey)
	case len(task.After) > maxAfter:
		return fmt.Errorf("after %d tasks: want at most %d", len(task.After), maxAfter)
	}
	if task.To != "" {
		if err := CheckName(task.To); err != nil {
			return err
		}
	}
	if task.Most < 1 || task.Most > maxTries {
		return fmt.Errorf("tries %d: want 1 to %d", task.Most, maxTries)
	}
	task.After = slices.Compact(slices.Sorted(slices.Values(task.After)))
	for _, id := range task.After {
		if _, _, err := b.read(ctx, id); err != nil {
			return fmt.Errorf("after: %w", err)
		}
	}
	return nil
}
