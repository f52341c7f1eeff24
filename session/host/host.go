package host

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/nats-io/nats.go/micro"

	"almanac/catalog"
	"almanac/catalog/remote"
	"almanac/catalog/task"
	"almanac/catalog/team/bus"
	"almanac/session"
)

// Options say how a host is run.
type Options struct {
	// Name is what callers call the hosts that serve the same catalog: nats:NAME.
	Name string
	// Version is the program's.
	Version string
	// Trust lists what is taken from callers, of remote.ContextNames; nil means agent_name, session_id and messages.
	Trust []string
	// Parallel is how many calls run at a time; others wait. Zero means 64.
	Parallel int
	// Logf is told of what is worth a line; nil tells nobody. It must be safe for concurrent use.
	Logf func(format string, args ...any)
}

// maxWaiting is how many calls a host has at a time, with those that wait; more are sent elsewhere.
const maxWaiting = 1000

// A Host serves a session's actions. Safe for concurrent use.
type Host struct {
	options  Options
	session  *session.Session
	bus      *bus.Bus
	instance string
	service  micro.Service
	own      []*nats.Subscription // of this host alone, until its last call has ended
	keys     jetstream.KeyValue
	results  jetstream.ObjectStore

	room  chan struct{} // holds a place for each call that runs
	calls sync.WaitGroup

	announced chan struct{} // has a signal when a host of the name has said that it serves something
	comparing sync.WaitGroup
	compared  context.CancelFunc // ends the comparing

	mu      sync.Mutex
	running map[string]*running // by the name of the attempt
	closing bool
	stats   stats

	building sync.Mutex // held while the catalog is written; taken before mu
	served   *catalog.View
	outline  remote.Outline
	pages    [][]byte
}

// A running call.
type running struct {
	key    string
	cancel context.CancelCauseFunc
}

// stats are what a host says of itself and its calls beside what every micro service says.
type stats struct {
	remote.Serving
	Running int           `json:"running"`
	Calls   int           `json:"calls"`
	Errors  int           `json:"errors"`
	Took    time.Duration `json:"took"`
	// FromKeys counts the calls that an earlier one with the same key answered.
	FromKeys int `json:"from_keys"`
}

// How long a host that starts waits for a bus that another program takes over meanwhile, and how long one attempt may
// take: an answer is lost with the program that had the bus.
const (
	patience    = 30 * time.Second
	attemptTime = 3 * time.Second
)

// Start serves what s sees until Close. The bus has to have JetStream. ctx bounds the start alone.
func Start(ctx context.Context, b *bus.Bus, s *session.Session, o Options) (*Host, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for {
		attempt, end := context.WithTimeout(ctx, attemptTime)
		h, err := start(attempt, b, s, o)
		end()
		if !bus.IsLost(err) || task.Sleep(ctx, 100*time.Millisecond) != nil {
			return h, err
		}
	}
}

// start is an attempt to start.
func start(ctx context.Context, b *bus.Bus, s *session.Session, o Options) (_ *Host, err error) {
	if err := errors.Join(bus.CheckName("host", o.Name), remote.CheckTrust(o.Trust)); err != nil {
		return nil, err
	}
	if o.Trust == nil {
		o.Trust = []string{"agent_name", "session_id", "messages"}
	}
	o.Parallel = cmp.Or(o.Parallel, 64)
	h := &Host{
		options: o, session: s, bus: b, instance: strings.ToLower(rand.Text()), running: map[string]*running{},
		room: make(chan struct{}, o.Parallel), announced: make(chan struct{}, 1),
	}
	if err := h.open(ctx); err != nil {
		return nil, fmt.Errorf("host %s: %w", o.Name, err)
	}
	defer func() {
		if err != nil {
			h.stop()
		}
	}()
	if err := h.build(); err != nil {
		return nil, fmt.Errorf("host %s: %w", o.Name, err)
	}
	if err := h.listen(); err != nil {
		return nil, fmt.Errorf("host %s: %w", o.Name, err)
	}
	running, stop := context.WithCancel(context.Background())
	h.compared = stop
	h.comparing.Go(func() { h.compare(running) })
	if err = errors.Join(h.announce(), b.Flush()); err != nil {
		return nil, err
	}
	return h, nil
}

// settleTime is how long after a change of one host the others of the name may have changed, too.
const settleTime = 500 * time.Millisecond

// compare says so where hosts of the name serve something else, whenever one has announced what it serves.
func (h *Host) compare(ctx context.Context) {
	told := ""
	for {
		select {
		case <-h.announced:
		case <-ctx.Done():
			return
		}
		if task.Sleep(ctx, settleTime) != nil {
			return
		}
		all, err := remote.AllServing(ctx, h.bus.Conn(), h.options.Name)
		differing := remote.Differing(h.options.Name, all)
		if err != nil || differing == nil || differing.Error() == told {
			continue
		}
		told = differing.Error()
		h.logf("WARNING: %s", strings.TrimPrefix(told, "host "+h.options.Name+": "))
	}
}

// open makes what the hosts of the name keep on the server.
func (h *Host) open(ctx context.Context) (err error) {
	h.keys, err = h.bus.Bucket(ctx, jetstream.KeyValueConfig{
		Bucket: remote.Bucket(h.options.Name, "keys"), Description: "mutations by their idempotency keys",
		TTL: remote.KeysKept,
	})
	if err != nil {
		return err
	}
	h.results, err = h.bus.Objects(ctx, jetstream.ObjectStoreConfig{
		Bucket: remote.Bucket(h.options.Name, "results"), Description: "results too large for a message",
		TTL: remote.KeysKept,
	})
	return err
}

// versions are those that micro services may have.
var versions = regexp.MustCompile(`^[0-9]+\.[0-9]+\.[0-9]+(-[0-9A-Za-z.-]+)?$`)

// listen begins to take what callers say.
func (h *Host) listen() (err error) {
	name := h.options.Name
	version := strings.TrimPrefix(h.options.Version, "v")
	if !versions.MatchString(version) {
		version = "0.0.0"
	}
	for subject, f := range map[string]nats.MsgHandler{
		remote.InstanceSubject(name, h.instance, remote.PageSubject): h.page,
		remote.InstanceSubject(name, h.instance, remote.AskSubject):  h.ask,
		remote.Subject(name, remote.CancelSubject):                   h.cancel,
		remote.Subject(name, remote.ChangedSubject): func(*nats.Msg) {
			select {
			case h.announced <- struct{}{}:
			default:
			}
		},
	} {
		sub, err := h.bus.Conn().Subscribe(subject, f)
		if err != nil {
			return err
		}
		h.own = append(h.own, sub)
	}
	h.service, err = micro.AddService(h.bus.Conn(), micro.Config{
		Name: remote.Service(name), Version: version, Description: "Actions of Almanac: --catalog nats:" + name,
		QueueGroup: remote.Queue, Metadata: map[string]string{"host": name, "instance": h.instance},
		StatsHandler: func(*micro.Endpoint) any { return h.now() },
	})
	if err != nil {
		return err
	}
	return errors.Join(
		h.service.AddEndpoint("catalog", micro.HandlerFunc(func(r micro.Request) { _ = r.RespondJSON(h.current()) }),
			micro.WithEndpointSubject(remote.Subject(name, remote.OutlineSubject))),
		h.service.AddEndpoint("call", micro.HandlerFunc(h.take),
			micro.WithEndpointSubject(remote.Subject(name, remote.CallSubject))))
}

// now is what the host has done so far.
func (h *Host) now() stats {
	h.mu.Lock()
	defer h.mu.Unlock()
	s := h.stats
	s.Running = len(h.running)
	s.Serving = remote.Serving{Instance: h.instance, Catalog: h.outline.Fingerprint, Actions: h.outline.Entries}
	return s
}

func (h *Host) logf(format string, args ...any) {
	if h.options.Logf != nil {
		h.options.Logf(format, args...)
	}
}

// current is what the host serves.
func (h *Host) current() remote.Outline {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.outline
}

// Serving says in a few words what the host serves.
func (h *Host) Serving() (entries int, fingerprint string) {
	o := h.current()
	return o.Entries, o.Fingerprint
}

// Changed tells the host that its session may see something else. It tells callers if that is so.
func (h *Host) Changed() error {
	before := h.current().Fingerprint
	if err := h.build(); err != nil {
		return err
	}
	now := h.current().Fingerprint
	if now == before {
		return nil
	}
	return h.announce()
}

// announce tells callers and the other hosts of the name what this one serves.
func (h *Host) announce() error {
	now := h.current().Fingerprint
	return h.bus.Conn().Publish(remote.Subject(h.options.Name, remote.ChangedSubject), []byte(now))
}

// build writes the catalog, unless it is that of the view already.
func (h *Host) build() error {
	h.building.Lock()
	defer h.building.Unlock()
	view := h.session.View()
	if view == h.served {
		return nil
	}
	clean := func(line json.RawMessage) json.RawMessage { return session.Clean(h.session, line) }
	pages, o, left, err := remote.Pages(view.Entries(), clean)
	if err != nil {
		return err
	}
	for _, id := range left {
		h.logf("%s: not served: its description is too long", id)
	}
	o.Instance, o.Version = h.instance, h.options.Version
	h.mu.Lock()
	defer h.mu.Unlock()
	h.served, h.outline, h.pages = view, o, pages
	return nil
}

// page answers with a page of the catalog, or with nothing where the question is about another catalog.
func (h *Host) page(m *nats.Msg) {
	var p remote.Page
	var data []byte
	if json.Unmarshal(m.Data, &p) == nil {
		h.mu.Lock()
		if p.Fingerprint == h.outline.Fingerprint && p.N >= 0 && p.N < len(h.pages) {
			data = h.pages[p.N]
		}
		h.mu.Unlock()
	}
	_ = m.Respond(data)
}

// ask says whether a call runs here.
func (h *Host) ask(m *nats.Msg) {
	var q remote.Ask
	state := remote.State{}
	if json.Unmarshal(m.Data, &q) == nil {
		h.mu.Lock()
		state.Running = h.running[q.Call] != nil
		for _, r := range h.running {
			state.Running = state.Running || q.Key != "" && r.key == q.Key
		}
		h.mu.Unlock()
	}
	data, _ := json.Marshal(state)
	_ = m.Respond(data)
}

// errCancelled is why a call ends whose caller does not wait any more.
var errCancelled = errors.New("the caller has cancelled the call")

func (h *Host) cancel(m *nats.Msg) {
	var c remote.Cancel
	if json.Unmarshal(m.Data, &c) != nil {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if r := h.running[c.Call]; r != nil {
		r.cancel(errCancelled)
	}
}

// Close takes no more calls and returns when those under way have ended; when ctx is done it cancels them. The bus and
// the session belong to who gave them.
func (h *Host) Close(ctx context.Context) error {
	h.mu.Lock()
	h.closing = true
	h.mu.Unlock()
	err := errors.Join(h.service.Stop(), h.flush()) // what came before is sent elsewhere
	ended := make(chan struct{})
	go func() {
		h.calls.Wait()
		close(ended)
	}()
	select {
	case <-ended:
	case <-ctx.Done():
		h.mu.Lock()
		for _, r := range h.running {
			r.cancel(errClosing)
		}
		h.mu.Unlock()
		<-ended
	}
	h.stop()
	return errors.Join(err, h.flush())
}

// flush returns when the server has taken in what was said; a bus that is lost or closed hears nothing of it any more.
func (h *Host) flush() error {
	err := h.bus.Flush()
	if bus.IsLost(err) || errors.Is(err, nats.ErrConnectionClosed) {
		return nil
	}
	return err
}

// stop ends the subscriptions. Those of a closed bus have ended.
func (h *Host) stop() {
	if h.compared != nil {
		h.compared()
		h.comparing.Wait()
	}
	if h.service != nil {
		_ = h.service.Stop()
	}
	for _, sub := range h.own {
		_ = sub.Unsubscribe()
	}
}
