// Package bus is a connection to NATS with JetStream: to a server or cluster by its URL, or to the server that the
// programs of one user on one machine share.
//
//	Options  where to connect
//	Bus      the connection
//	State    news of it
//
// The shared server runs in the program that needed it first, which holds a lock in the folder of its data. It listens
// on no network: others reach it by a Unix socket in a folder that only their user can enter. When its program ends, be
// it killed, the next one that connects takes the lock and goes on with the same data (shared.go).
//
// Start at Open.
package bus

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// Options say where to connect.
type Options struct {
	// URL is the address of a server, or of several of a cluster, separated by commas. Empty shares the server of this
	// machine, which the first program that opens it runs.
	URL string
	// Credentials is a file of NATS credentials; CA a file of certificates that the server's is checked with; Cert and Key
	// are files of the client's own certificate. Each may be empty. They count with a URL only.
	Credentials, CA, Cert, Key string
	// Dir is the folder of the shared server's data; it is created for its user alone.
	Dir string
	// Name is what the server calls the connection; may be empty.
	Name string
	// State is told when the connection is lost for longer than a moment, when it is back, and of damaged data; from
	// goroutines of the Bus, one after the other. Nil: nobody is.
	State func(State)
}

// A State is news of the connection.
type State struct {
	Connected bool
	// Damage says that something that was kept is lost.
	Damage bool
	// Text is a line for the person.
	Text string
}

// MaxName is how long a name may be.
const MaxName = 32

// CheckName says why a team, an agent or a host, which is what, cannot have the name: it is a part of subjects.
func CheckName(what, name string) error {
	if name == "" || len(name) > MaxName || strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789_-") != "" {
		return fmt.Errorf("%s %.100q: want 1 to %d of a to z, 0 to 9, _ and -", what, name, MaxName)
	}
	return nil
}

// A Bus is a connection. It reconnects by itself until it is closed. What is sent while it is lost is refused, never
// sent later. Safe for concurrent use.
type Bus struct {
	options Options
	conn    *nats.Conn
	stream  jetstream.JetStream
	shared  *shared // nil with a URL

	mu     sync.Mutex
	lost   *time.Timer // tells of the loss; nil while connected
	told   bool        // of the loss
	closed bool
	remark string // the last one told
}

// connectTime is how long one server may take to connect to, answerTime how long it and JetStream may take to answer.
const (
	connectTime = 3 * time.Second
	answerTime  = 5 * time.Second
)

// pings is how often the server is asked whether it is there: a program that hangs keeps its connections. Three without
// an answer are a lost connection.
func (o Options) pings() time.Duration {
	if o.URL == "" {
		return time.Second
	}
	return 2 * time.Second
}

// Open connects. ctx bounds the connecting alone.
func Open(ctx context.Context, o Options) (_ *Bus, err error) {
	b := &Bus{options: o}
	defer func() {
		if err != nil {
			err = errors.Join(err, b.Close())
		}
	}()
	options := []nats.Option{
		nats.Name(o.Name), nats.MaxReconnects(-1), nats.ReconnectBufSize(-1), nats.IgnoreAuthErrorAbort(),
		nats.PingInterval(o.pings()), nats.MaxPingsOutstanding(2), nats.Timeout(connectTime),
		nats.CustomReconnectDelay(b.delay), nats.NoCallbacksAfterClientClose(),
		nats.DisconnectErrHandler(func(*nats.Conn, error) { b.wasLost() }),
		nats.ReconnectHandler(func(*nats.Conn) { b.wasFound() }),
		nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) { b.remarkOn(err) }),
	}
	if o.URL == "" {
		if b.shared, err = newShared(o.Dir, b.damaged); err != nil {
			return nil, err
		}
		if b.conn, err = b.shared.join(ctx, append(options, nats.InProcessServer(b.shared))); err != nil {
			return nil, fmt.Errorf("team bus in %s: %w", o.Dir, err)
		}
	} else if b.conn, err = b.join(ctx, options); err != nil {
		return nil, err
	}
	if b.stream, err = jetstream.New(b.conn); err != nil {
		return nil, fmt.Errorf("%s: %w", b.where(), err)
	}
	if o.URL == "" {
		return b, nil
	}
	ctx, cancel := context.WithTimeout(ctx, answerTime)
	defer cancel()
	if _, err := b.stream.AccountInfo(ctx); err != nil {
		return nil, fmt.Errorf("%s: %w", b.where(), jetStreamError(err))
	}
	return b, nil
}

// jetStreamError says what to do about a server whose JetStream does not answer.
func jetStreamError(err error) error {
	switch {
	case errors.Is(err, jetstream.ErrJetStreamNotEnabled):
		return errors.New("has no JetStream: start the server with -js, or with jetstream {} in its configuration")
	case errors.Is(err, jetstream.ErrJetStreamNotEnabledForAccount):
		return errors.New("has no JetStream for this account: allow it in the server's configuration")
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, nats.ErrTimeout):
		return errors.New("JetStream does not answer: may this user publish to $JS.API.INFO and subscribe to _INBOX.>?")
	}
	return err
}

// About says which bus it is; of a shared one also who runs it, and the folder of its data.
func (b *Bus) About() (about, dir string) {
	if b.shared == nil {
		return b.where() + ", server " + b.conn.ConnectedServerName(), ""
	}
	about = "the bus of this user on this machine"
	switch pid := b.shared.holder(); pid {
	case 0:
	case os.Getpid():
		about += ", run by this program"
	default:
		about += fmt.Sprintf(", run by process %d", pid)
	}
	return about, b.options.Dir
}

// where names the bus for messages. An address is shown without a password in it.
func (b *Bus) where() string {
	if b.options.URL == "" {
		return "team bus"
	}
	if where := shown(b.options.URL); strings.HasPrefix(where, "nats://") {
		return where
	}
	return "nats " + shown(b.options.URL)
}

// ErrLost is wrapped by the errors of what was asked while there was no connection.
var ErrLost = errors.New("connection lost")

// Plain is err, or one that wraps ErrLost where that is the reason: the client library speaks of a full buffer then, or
// of an answer that did not come.
func (b *Bus) Plain(err error) error {
	late := errors.Is(err, context.DeadlineExceeded) || errors.Is(err, nats.ErrTimeout)
	if IsGone(err) || late && !b.conn.IsConnected() {
		if full := b.room(); full != nil {
			return fmt.Errorf("%s: %w: %w", b.where(), ErrLost, full)
		}
		return fmt.Errorf("%s: %w", b.where(), ErrLost)
	}
	return err
}

// IsGone tells whether err means that nothing could be sent, because there was no connection.
func IsGone(err error) bool {
	return errors.Is(err, ErrLost) || errors.Is(err, nats.ErrReconnectBufExceeded) ||
		errors.Is(err, nats.ErrDisconnected) || errors.Is(err, nats.ErrConnectionReconnecting)
}

// IsLost says whether err means that no server answered.
func IsLost(err error) bool {
	if IsGone(err) {
		return true
	}
	for _, lost := range []error{
		context.DeadlineExceeded, nats.ErrTimeout, nats.ErrNoResponders, jetstream.ErrNoStreamResponse,
	} {
		if errors.Is(err, lost) {
			return true
		}
	}
	// A cluster that elects a leader says so, to a watcher of a bucket in an error of the client's older form; one that
	// has not decided about an earlier attempt, too.
	code := jetstream.ErrorCode(0)
	if refused := (*jetstream.APIError)(nil); errors.As(err, &refused) {
		code = refused.ErrorCode
	} else if older := (*nats.APIError)(nil); errors.As(err, &older) {
		code = jetstream.ErrorCode(older.ErrorCode)
	}
	const notAvailable, notLeader, inProcess = 10008, 10009, 10158
	return slices.Contains([]jetstream.ErrorCode{notAvailable, notLeader, inProcess}, code)
}

// Flush returns when the server has taken in what was said before: subscriptions and messages. An error may be ErrLost.
func (b *Bus) Flush() error {
	err := b.conn.FlushTimeout(answerTime)
	if errors.Is(err, nats.ErrConnectionClosed) && !b.conn.IsClosed() {
		err = ErrLost // the client library calls it closed when it is lost meanwhile
	}
	return b.Plain(err)
}

// Conn is the connection.
func (b *Bus) Conn() *nats.Conn { return b.conn }

// JetStream is what the server keeps.
func (b *Bus) JetStream() jetstream.JetStream { return b.stream }

// Replicated does f with the number of copies that a new stream should have: three in a cluster that has them.
func (b *Bus) Replicated(f func(replicas int) error) error {
	if b.conn.ConnectedClusterName() != "" {
		if err := f(3); err == nil || !isScarce(err) {
			return tooSmall(err)
		}
	}
	return tooSmall(f(1))
}

// tooSmall says what to do where the account may not keep what is to be reserved for it.
func tooSmall(err error) error {
	const insufficient = 10047
	var refused *jetstream.APIError
	if errors.As(err, &refused) && refused.ErrorCode == insufficient {
		return fmt.Errorf("%w: raise max_file of the account, or of jetstream, on the server", err)
	}
	return err
}

// isScarce says whether err means that there are not as many servers as copies are wanted.
func isScarce(err error) bool {
	const noPeers, noReplicas = 10005, 10074
	var refused *jetstream.APIError
	return errors.As(err, &refused) && (refused.ErrorCode == noPeers || refused.ErrorCode == noReplicas)
}

// Close ends the connection, and the shared server if it runs here. What was acknowledged stays on disk.
func (b *Bus) Close() error {
	b.mu.Lock()
	b.closed = true
	if b.lost != nil {
		b.lost.Stop()
	}
	b.mu.Unlock()
	if b.conn != nil {
		b.conn.Close()
	}
	if b.shared != nil {
		return b.shared.close()
	}
	return nil
}

// Rest gives the shared server, if it runs here, to another program, before this one is stopped: one that is stopped
// keeps it from all. It does not run here again until Wake.
func (b *Bus) Rest() error {
	if b.shared == nil {
		return nil
	}
	return b.shared.rest(true)
}

// Wake ends Rest.
func (b *Bus) Wake() error {
	if b.shared == nil {
		return nil
	}
	return b.shared.rest(false)
}

// moment is how long a connection may be lost before the person is told: the next program takes the shared server over
// within it.
const moment = time.Second

// delay is the pause before the attempt to reconnect.
func (b *Bus) delay(attempts int) time.Duration {
	pause := 30 * time.Millisecond
	switch {
	case b.shared == nil:
		pause = min(100*time.Millisecond<<min(attempts, 4), time.Second)
	case b.Stuck():
		pause = time.Second
	}
	return pause/2 + rand.N(pause)
}

// wasLost starts the clock at whose end the person is told.
func (b *Bus) wasLost() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed || b.lost != nil {
		return
	}
	b.lost = time.AfterFunc(moment, func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		if b.lost == nil || b.closed {
			return
		}
		b.told = true
		why := "connection lost: trying to reconnect"
		if full := b.room(); full != nil {
			why = full.Error()
		} else if b.shared != nil {
			why = cmp.Or(b.shared.stopped(), why)
		}
		b.say(State{Text: b.where() + ": " + why + "; what was acknowledged is kept there"})
	})
}

// wasFound tells that the connection is back, if it was said that it is not.
func (b *Bus) wasFound() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.lost != nil {
		b.lost.Stop()
		b.lost = nil
	}
	if b.told {
		b.told = false
		b.say(State{Connected: true, Text: b.where() + ": connected again"})
	}
}

// remarkOn tells what the server forbids, such as a subject; the same only once. The rest of what it says is about the
// connection, whose loss is told.
func (b *Bus) remarkOn(err error) {
	if !errors.Is(err, nats.ErrPermissionViolation) && !errors.Is(err, nats.ErrAuthorization) &&
		!errors.Is(err, nats.ErrAuthExpired) && !errors.Is(err, nats.ErrAuthRevoked) {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	line := strings.TrimPrefix(err.Error(), "nats: ")
	if b.closed || line == b.remark {
		return
	}
	b.remark = line
	b.say(State{Connected: true, Text: b.where() + ": " + line})
}

// damaged tells of data that could not be read.
func (b *Bus) damaged(stream string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.say(State{Connected: true, Damage: true, Text: fmt.Sprintf(
		"%s: data of %s in %s was damaged: what cannot be read is lost, the rest is there", b.where(), stream, b.options.Dir)})
}

// say tells; mu is held, so that one is told after the other.
func (b *Bus) say(s State) {
	if b.options.State != nil {
		b.options.State(s)
	}
}
