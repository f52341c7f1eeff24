package team

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"almanac/catalog/task"
	"almanac/catalog/text"
)

// This file sends items, and keeps those that came until they have been read.

// A sender may have maxFromOne items at each recipient; a further one is refused, and nobody else's go. Of those that
// were read the last keptRead stay.
const (
	maxFromOne = 100
	keptRead   = 20
	mailTime   = 30 * 24 * time.Hour
	mailBytes  = 64 << 20
)

// everybody is the recipient of what is for the whole team. It is no name of an agent.
const everybody = "ALL"

// An inbox is what has come, and what of it has been read. Team.mu guards it.
type inbox struct {
	items   []received        // in their order
	seen    map[string]uint64 // by recipient, the name or everybody: the last place that was looked at
	due     int               // messages that are on their way into the stream
	skipped int
	mark    mark
	unsaved bool     // the mark on the server is older
	earlier []string // tasks that an earlier session of the name held, until Resume
}

// received is an item with its place in the stream. It has come once it has a number.
type received struct {
	Item
	seq     uint64
	subject string
	told    bool // to Options.Arrived
}

func (t *Team) mailSubject(to, from string) string {
	return "almanac." + t.options.Team + ".mail." + to + "." + from
}

// openMail opens the mail of the team and reads what waits.
func (t *Team) openMail(ctx context.Context) (err error) {
	if t.marks, err = t.bucket(ctx, "marks", jetstream.KeyValueConfig{MaxBytes: 4 << 20}); err != nil {
		return err
	}
	t.mail, err = t.stream(ctx, "mail", jetstream.StreamConfig{
		Subjects: []string{t.mailSubject("*", "*")}, MaxAge: mailTime, MaxBytes: mailBytes, MaxMsgSize: maxItem,
		Discard: jetstream.DiscardNew, DiscardNewPerSubject: true, MaxMsgsPerSubject: maxFromOne,
	})
	if err != nil {
		return err
	}
	return t.follow(ctx)
}

// follow reads the mail of the agent's name, and waits for what is there.
func (t *Team) follow(ctx context.Context) error {
	if err := t.readMark(ctx); err != nil {
		return err
	}
	var subs []*nats.Subscription
	for _, to := range []string{t.Agent(), everybody} {
		sub, err := t.bus.Conn().Subscribe(t.mailSubject(to, "*"), func(*nats.Msg) {
			t.mu.Lock()
			t.inbox.due++
			t.mu.Unlock()
			signal(t.post)
		})
		if err != nil {
			return fmt.Errorf("mail: %w", err)
		}
		subs = append(subs, sub)
	}
	for _, old := range t.subs {
		_ = old.Unsubscribe() // the connection may be gone, and with it the subscription
	}
	t.subs = subs
	if err := t.fetch(ctx); err != nil {
		return fmt.Errorf("mail: %w", err)
	}
	return nil
}

// collection is how often the mail is looked at when nothing says that some has come, as after a lost connection.
// longestPost is the last pause in waiting for what is on its way.
const (
	collection  = 2 * time.Second
	longestPost = 200 * time.Millisecond
)

// collect fetches the mail when some has come, until ctx is done. It asks the stream and has no consumer there,
// which would have to be made again, in its time, whenever the connection was lost.
func (t *Team) collect(ctx context.Context) {
	tick := time.NewTicker(collection)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		case <-t.post:
		}
		// A message is on its way to the stream when it comes here. One that the stream refuses never gets there.
		for pause := time.Millisecond; ; pause *= 2 {
			attempt, cancel := context.WithTimeout(ctx, attemptTime)
			err := t.fetch(attempt)
			cancel()
			t.mu.Lock()
			if pause > longestPost {
				t.inbox.due = 0
			}
			due := t.inbox.due
			t.mu.Unlock()
			if err != nil || due == 0 || task.Sleep(ctx, pause) != nil {
				break
			}
		}
	}
}

// fetch takes in what the stream has for the name and for everybody.
func (t *Team) fetch(ctx context.Context) error {
	defer t.number()
	for _, to := range []string{t.Agent(), everybody} {
		for {
			t.mu.Lock()
			seen := t.inbox.seen[to]
			t.mu.Unlock()
			m, err := t.mail.GetMsg(ctx, seen+1, jetstream.WithGetMsgSubject(t.mailSubject(to, "*")))
			if errors.Is(err, jetstream.ErrMsgNotFound) {
				break
			}
			if err != nil {
				return err
			}
			t.receive(to, m)
		}
	}
	return nil
}

// receive takes in a message of the stream, which may be anything.
func (t *Team) receive(to string, m *jetstream.RawStreamMsg) {
	item, err := readItem(m.Data)
	names := strings.Split(m.Subject, ".") // almanac TEAM mail TO FROM
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.me.Name != to && to != everybody || m.Sequence <= t.inbox.seen[to] {
		return // the session had that name before
	}
	t.inbox.seen[to] = m.Sequence
	t.inbox.due = max(t.inbox.due-1, 0)
	if err != nil || len(names) != 5 || CheckName(names[4]) != nil {
		t.inbox.skipped++
		return
	}
	item.To, item.From = names[3], names[4]
	switch own := item.From == t.me.Name || item.asks() && strings.HasPrefix(item.Query, t.me.Name+"."); {
	case item.To == everybody && own: // from here, if another has passed it on
		return
	case item.To == everybody:
		item.To = ""
	}
	item.ID, item.At = strconv.FormatUint(m.Sequence, 10), m.Time
	at := len(t.inbox.items)
	for at > 0 && t.inbox.items[at-1].seq > m.Sequence {
		at--
	}
	t.inbox.items = slices.Insert(t.inbox.items, at, received{Item: item, seq: m.Sequence, subject: m.Subject})
}

// number gives what has come its number: the one that it had before, or the next.
func (t *Team) number() {
	t.mu.Lock()
	defer t.mu.Unlock()
	m := &t.inbox.mark
	for i := range t.inbox.items {
		r := &t.inbox.items[i]
		if r.Number > 0 {
			continue
		}
		at := slices.Index(m.Numbers, r.seq)
		if at < 0 {
			at, m.Numbers = len(m.Numbers), append(m.Numbers, r.seq)
		}
		r.Number = m.Before + at + 1
		signal(t.news)
	}
}

// tell hands what is unread to Options.Arrived, until ctx is done.
func (t *Team) tell(ctx context.Context) {
	for {
		t.mu.Lock()
		var items []Item
		for i := range t.inbox.items {
			r := &t.inbox.items[i]
			if !r.told && r.Number > 0 && !t.inbox.mark.has(r.seq) && !t.inbox.mark.hasSeen(r.seq) {
				items = append(items, r.Item)
			}
			r.told = r.told || r.Number > 0
		}
		t.mu.Unlock()
		for _, item := range items {
			if t.options.Arrived != nil && ctx.Err() == nil {
				t.options.Arrived(item)
			}
		}
		select {
		case <-ctx.Done():
			return
		case <-t.news:
		}
	}
}

// Unread are the items that neither Read nor Seen was told of, oldest first.
func (t *Team) Unread() []Item {
	return slices.DeleteFunc(t.Pending(), func(i Item) bool { return i.Seen })
}

// Pending are the items that Read was not told of, oldest first.
func (t *Team) Pending() []Item {
	t.mu.Lock()
	defer t.mu.Unlock()
	var items []Item
	for _, r := range t.inbox.items {
		if r.Number > 0 && !t.inbox.mark.has(r.seq) {
			r.Seen = t.inbox.mark.hasSeen(r.seq)
			items = append(items, r.Item)
		}
	}
	return items
}

// Inbox is the last items, read ones too, newest first: limit at most, all for 0.
func (t *Team) Inbox(limit int) []Item {
	t.mu.Lock()
	defer t.mu.Unlock()
	var items []Item
	for _, r := range slices.Backward(t.inbox.items) {
		if r.Number == 0 {
			continue
		}
		if items = append(items, r.Item); len(items) == limit {
			break
		}
	}
	return items
}

// Skipped counts what came and could not be read: sent by a program of another form, or by no program of ours.
func (t *Team) Skipped() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.inbox.skipped
}

// Seen marks items as opened by the person, as Read does.
func (t *Team) Seen(ids ...string) {
	t.mu.Lock()
	in := &t.inbox
	for _, r := range in.items {
		if slices.Contains(ids, r.ID) && !in.mark.has(r.seq) && !in.mark.hasSeen(r.seq) {
			in.mark.Seen = append(in.mark.Seen, r.seq)
			in.unsaved = true
		}
	}
	t.mu.Unlock()
	signal(t.kick)
}

// Read marks items as dealt with, here and, soon after, on the server: a program that is killed in between has them
// again.
func (t *Team) Read(ids ...string) {
	t.mu.Lock()
	in := &t.inbox
	for _, r := range in.items {
		if slices.Contains(ids, r.ID) && !in.mark.has(r.seq) {
			in.mark.Also = append(in.mark.Also, r.seq)
			in.unsaved = true
		}
	}
	for _, r := range in.items { // what was read without a gap needs no list
		if !in.mark.has(r.seq) {
			break
		}
		in.mark.UpTo = max(in.mark.UpTo, r.seq)
	}
	in.mark.Also = slices.DeleteFunc(in.mark.Also, func(seq uint64) bool { return seq <= in.mark.UpTo })
	in.mark.Seen = slices.DeleteFunc(in.mark.Seen, in.mark.has)
	t.mu.Unlock()
	signal(t.kick)
}

// Send sends an item: to the agent To, whether or not it is there now, or to everybody. It is the server's when Send
// returns nil.
func (t *Team) Send(ctx context.Context, item Item) error {
	if err := t.checkTo(item.To); err != nil {
		return err
	}
	return t.send(ctx, t.Agent(), cmp.Or(item.To, everybody), rand.Text(), item)
}

// checkTo says why nothing can be sent to a name; empty is everybody.
func (t *Team) checkTo(to string) error {
	switch {
	case to == "":
		return nil
	case to == t.Agent():
		return fmt.Errorf("%s: this session has that name itself: peer.discover lists the others", to)
	}
	return CheckAgent(to)
}

// Report sends this session an item in the name of an agent that it has started, and that has ended without.
func (t *Team) Report(ctx context.Context, agent string, item Item) error {
	if err := CheckName(agent); err != nil {
		return err
	}
	return t.send(ctx, agent, t.Agent(), rand.Text(), item)
}

// send sends an item. The server takes one of an id, however often it is sent.
func (t *Team) send(ctx context.Context, from, to, id string, item Item) error {
	item.Topic, item.Text = t.redact(item.Topic), t.redact(item.Text)
	raw, err := item.write()
	if err != nil {
		return err
	}
	subject := t.mailSubject(to, from)
	return t.try(ctx, func(ctx context.Context) error {
		_, err := t.bus.JetStream().Publish(ctx, subject, raw, jetstream.WithMsgID(id))
		if !isFull(err) {
			return err
		}
		if strings.Contains(err.Error(), "per subject") {
			if to != everybody {
				return fmt.Errorf("%s: %d items of yours are there and most of them unread: wait until it has read some", to, maxFromOne)
			}
			// The sender's own oldest make room; each has had its time.
			if err := t.mail.Purge(ctx, jetstream.WithPurgeSubject(subject), jetstream.WithPurgeKeep(maxFromOne/2)); err != nil {
				return err
			}
			_, err = t.bus.JetStream().Publish(ctx, subject, raw, jetstream.WithMsgID(id))
			return err
		}
		return fmt.Errorf("the mail of team %s is full (%s): wait until some of it has been read or is %d days old",
			t.options.Team, text.Bytes(mailBytes), int(mailTime.Hours()/24))
	})
}

// isFull says whether err means that a stream takes no more.
func isFull(err error) bool {
	var refused *jetstream.APIError
	const storeFailed = 10077
	return errors.As(err, &refused) && refused.ErrorCode == storeFailed
}
