// Package team is what sessions share on a bus: peers, messages, questions, keepers, claims and tasks.
//
//	Options  who joins which team
//	Team     a session's membership
//	Item     something that arrived
//	Peer     a session that is in the team now
//	Entries  the actions over it: context.*, peer.*, agent.*
//
// Everything that it keeps on the server is named after the team, so that a server can keep teams apart: streams and
// buckets begin with almanac_TEAM_, subjects with almanac.TEAM.
//
// Start at Join.
package team

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"almanac/catalog"
	"almanac/catalog/task"
	"almanac/catalog/team/bus"
	"almanac/catalog/team/keeper"
)

// Options say who joins.
type Options struct {
	// Team and Agent are names of letters a to z, digits, _ and -, 32 at most. Agent is what the session would like to be
	// called: another live one of the name makes it NAME-2.
	Team, Agent string
	// Roles are those that the session has at first, Parent the agent that started it; both may be empty.
	Roles  []string
	Parent string
	// Dir is the folder that relative paths of claims are of, and Root the one that claims are kept relative to, so that
	// they hold in another copy of it, too; without Root they are kept absolute. Without Dir paths stay as they are.
	Dir, Root string
	// Repository names that of Root, in any copy of it: claims of files in others are apart. Empty: it is not known, and
	// claims in any are in the way.
	Repository string
	// Spawn starts an agent, which is called name, and returns as soon as it runs. Nil: there is no way to.
	Spawn func(ctx context.Context, r SpawnRequest) (name string, err error)
	// Arrived is told of each unread item, also of those that wait from before, in their order and from a goroutine of the
	// Team; that may be before Join has returned. Nil: they are only kept.
	Arrived func(Item)
	// Redact takes secrets out of whatever leaves the session; nil: there are none.
	Redact func(string) string
	// Summarise has a model answer a question from passages, as keeper.SummaryPrompt and keeper.Ask say; an empty answer
	// means that there is no model. Nil: there is none.
	Summarise func(ctx context.Context, question string, passages []keeper.Passage) (string, error)

	clock     func() time.Time // nil: the machine's
	leaseTime time.Duration    // zero: leaseTime
}

// A Team is a session's membership. Safe for concurrent use.
type Team struct {
	options  Options
	bus      *bus.Bus
	instance string // tells this membership from an earlier one of the name

	peers   jetstream.KeyValue
	marks   jetstream.KeyValue
	mail    jetstream.Stream
	subs    []*nats.Subscription // tell that mail is on its way
	keepers *keeper.Store

	leaseTime time.Duration
	leases    *leases
	board     *board
	book      *book

	// enrich says what the keepers hold about a question, and which do: Enrich, but in tests.
	enrich func(ctx context.Context, question string) (passages string, keepers []string)

	stop context.CancelFunc
	done sync.WaitGroup
	kick chan struct{} // presence or the read mark has changed
	took chan struct{} // tasks were taken or ended
	post chan struct{} // mail is on its way
	news chan struct{} // an item came

	marking sync.Mutex // held while the mark is written

	mu    sync.Mutex
	me    seat
	place uint64 // the revision of me on the server
	roles []string
	inbox inbox
	stores
}

// stores are the buckets that have been opened when they were first needed.
type stores struct {
	buckets map[string]jetstream.KeyValue
}

// Join makes the session a member. The caller closes the Team, and then the bus. ctx bounds the joining alone.
func Join(ctx context.Context, b *bus.Bus, o Options) (_ *Team, err error) {
	if err := errors.Join(CheckName(o.Team), CheckAgent(o.Agent)); err != nil {
		return nil, err
	}
	t := &Team{
		options: o, bus: b, instance: rand.Text(), kick: make(chan struct{}, 1), news: make(chan struct{}, 1),
		post: make(chan struct{}, 1), took: make(chan struct{}, 1), roles: o.Roles,
		stores: stores{buckets: map[string]jetstream.KeyValue{}},
	}
	t.openWork()
	running, stop := context.WithCancel(context.Background())
	t.stop = stop
	defer func() {
		if err != nil {
			err = errors.Join(fmt.Errorf("team %s: %w", o.Team, err), t.Close())
		}
	}()
	if t.peers, err = t.bucket(ctx, "peers", jetstream.KeyValueConfig{TTL: presenceTTL, MaxBytes: 1 << 20}); err != nil {
		return nil, err
	}
	if err := t.takeName(ctx); err != nil {
		return nil, err
	}
	if err := t.openMail(ctx); err != nil {
		return nil, err
	}
	t.keepers, t.enrich = t.newKeepers(), t.Enrich
	t.done.Go(func() { t.keepers.Follow(running) })
	t.done.Go(func() { t.stay(running) })
	t.done.Go(func() { t.tell(running) })
	t.done.Go(func() { t.collect(running) })
	t.done.Go(func() { t.leases.keep(running) })
	return t, nil
}

// CheckName says why a team or an agent cannot have the name.
func CheckName(name string) error { return bus.CheckName("name", name) }

// CheckAgent says why an agent cannot have the name: CheckName, and words that stand for somebody else.
func CheckAgent(name string) error {
	if slices.Contains([]string{"all", "everybody", "nobody", "system", "you"}, name) {
		return fmt.Errorf("name %s: it would be taken for somebody else: want another, left out it is everybody", name)
	}
	return CheckName(name)
}

// Agent is the name that the session has in the team.
func (t *Team) Agent() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.me.Name
}

// Name is the name of the team.
func (t *Team) Name() string { return t.options.Team }

// About says which bus the team is on, and the folder of its data if that is on this machine.
func (t *Team) About() (about, dir string) { return t.bus.About() }

// Entries are the actions of the team.
func (t *Team) Entries() []catalog.Entry {
	all := slices.Concat(t.peerEntries(), t.questionEntries(), t.keeperEntries(), t.taskEntries(), t.claimEntries(),
		t.agentEntries())
	for i := range all {
		if strings.HasPrefix(all[i].ID, "peer.") {
			all[i] = notEmpty(all[i])
		}
	}
	return all
}

// Entries are the actions of a team as Team.Entries lists them, for a catalog that is built before the session has
// joined. They cannot be called.
func Entries(team string) []catalog.Entry { return (&Team{options: Options{Team: team}}).Entries() }

// closeTime is how long leaving may take.
const closeTime = 2 * time.Second

// Close leaves the team. What was sent stays.
func (t *Team) Close() error {
	t.stop()
	t.done.Wait()
	for _, sub := range t.subs {
		_ = sub.Unsubscribe() // the connection may be gone
	}
	ctx, cancel := context.WithTimeout(context.Background(), closeTime)
	defer cancel()
	return errors.Join(t.leases.release(ctx), t.writeMark(ctx), t.leave(ctx))
}

// onServer is the name of a stream or bucket of the team.
func (t *Team) onServer(name string) string { return "almanac_" + t.options.Team + "_" + name }

// bucket opens a bucket of the team, which is created with the configuration if it is not there. It is opened once.
func (t *Team) bucket(ctx context.Context, name string, c jetstream.KeyValueConfig) (jetstream.KeyValue, error) {
	t.mu.Lock()
	kv := t.buckets[name]
	t.mu.Unlock()
	if kv != nil {
		return kv, nil
	}
	c.Bucket = t.onServer(name)
	err := t.try(ctx, func(ctx context.Context) (err error) {
		kv, err = t.bus.Bucket(ctx, c)
		return err
	})
	if err != nil {
		return nil, err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.buckets[name] = kv
	return kv, nil
}

// stream opens a stream of the team, which is created with the configuration if it is not there.
func (t *Team) stream(ctx context.Context, name string, c jetstream.StreamConfig) (s jetstream.Stream, err error) {
	c.Name = t.onServer(name)
	err = t.try(ctx, func(ctx context.Context) (err error) {
		s, err = t.bus.JetStream().Stream(ctx, c.Name)
		if !errors.Is(err, jetstream.ErrStreamNotFound) {
			return err
		}
		return t.bus.Replicated(func(replicas int) (err error) {
			c.Replicas = replicas
			s, err = t.bus.JetStream().CreateStream(ctx, c)
			return err
		})
	})
	if err != nil {
		return nil, fmt.Errorf("stream %s: %w", c.Name, err)
	}
	return s, nil
}

// One attempt of something on the server, and how long it is tried while the connection is lost or another program
// takes the bus over.
const (
	attemptTime = 3 * time.Second
	patience    = 15 * time.Second
)

// try does f until the server answers, again at once when the connection it was asked on is lost. f must be safe to do
// twice: an attempt without an answer may have been done.
func (t *Team) try(ctx context.Context, f func(ctx context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for {
		attempt, end := context.WithTimeout(ctx, attemptTime)
		lost := t.bus.Conn().StatusChanged(nats.RECONNECTING)
		watched := make(chan struct{})
		go func() {
			defer close(watched)
			if _, ok := <-lost; ok {
				end() // no answer can come any more
			}
		}()
		err := f(attempt)
		gone := ctx.Err() == nil && errors.Is(attempt.Err(), context.Canceled)
		t.bus.Conn().RemoveStatusListener(lost)
		<-watched
		end()
		if !bus.IsLost(err) && (err == nil || !gone) {
			return err
		}
		if t.bus.Stuck() || task.Sleep(ctx, 100*time.Millisecond) != nil {
			return fmt.Errorf("no answer from the bus, it is not known whether it was done: %w", t.bus.Plain(err))
		}
	}
}

// signal wakes whoever waits for c.
func signal(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}
