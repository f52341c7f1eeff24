// This file is the program's connection to NATS, and a session's membership of its team.

package main

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"

	"almanac/catalog"
	"almanac/catalog/source"
	"almanac/catalog/task"
	"almanac/catalog/team"
	"almanac/catalog/team/bus"
	"almanac/catalog/team/keeper"
	"almanac/catalog/text"
	"almanac/llm"
)

// natsFlags say how to connect to a server of the person's own.
type natsFlags struct {
	Credentials string `hidden:"" placeholder:"FILE" help:"File of NATS credentials for the server of --nats."`
	CA          string `name:"ca" hidden:"" placeholder:"FILE" help:"Certificates that the certificate of the server of --nats is checked with."`
	Cert        string `hidden:"" placeholder:"FILE" help:"The program's own certificate for the server of --nats."`
	Key         string `hidden:"" placeholder:"FILE" help:"The key of nats.cert."`
}

// A sharedBus is the program's one connection to NATS, opened when it is first needed.
type sharedBus struct {
	options func() bus.Options
	mu      sync.Mutex
	bus     *bus.Bus

	told    sync.Mutex // guards what follows; the Bus holds locks of its own while it tells
	last    bus.State
	tell    func(bus.State) // the session's; nil for none
	damages []bus.State     // of which nobody has been told
}

// state keeps and passes on news of the connection.
func (b *sharedBus) state(s bus.State) {
	b.told.Lock()
	defer b.told.Unlock()
	b.last = s
	switch {
	case b.tell != nil:
		b.tell(s)
	case s.Damage:
		b.damages = append(b.damages, s)
	}
}

// follow has tell told of news of the connection from now on, and of damage that was found before; nil ends that.
func (b *sharedBus) follow(tell func(bus.State)) {
	b.told.Lock()
	defer b.told.Unlock()
	b.tell = tell
	if tell == nil {
		return
	}
	for _, s := range b.damages {
		tell(s)
	}
	b.damages = nil
}

// damaged says what was found damaged when this program began to run the server; empty for nothing.
func (b *sharedBus) damaged() string {
	b.told.Lock()
	defer b.told.Unlock()
	var lines []string
	for _, s := range b.damages {
		lines = append(lines, s.Text)
	}
	return strings.Join(lines, "; ")
}

// lost says what is wrong with a connection that was lost; empty while there is one.
func (b *sharedBus) lost() string {
	b.told.Lock()
	defer b.told.Unlock()
	if b.last.Connected {
		return ""
	}
	return b.last.Text
}

// bus is the connection that all of the program shares; dispatch closes it.
func (cli *commandLine) newBus() *sharedBus {
	return &sharedBus{options: func() bus.Options {
		o := cli.NATSFiles
		return bus.Options{
			URL: cli.NATS, Credentials: o.Credentials, CA: o.CA, Cert: o.Cert, Key: o.Key,
			Dir: filepath.Join(cli.dataDir(), "bus"), Name: "almanac",
		}
	}}
}

// open connects, unless that has been done.
func (b *sharedBus) open(ctx context.Context) (*bus.Bus, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.bus != nil {
		return b.bus, nil
	}
	o := b.options()
	o.State = b.state
	opened, err := bus.Open(ctx, o)
	if err == nil {
		b.bus = opened
	}
	return b.bus, err
}

// handOver has another program run the shared server until goesOn is called.
func (b *sharedBus) handOver() (goesOn func()) {
	b.mu.Lock()
	opened := b.bus
	b.mu.Unlock()
	if opened == nil {
		return func() {}
	}
	_ = opened.Rest() // what cannot be closed is not kept open either
	return func() { _ = opened.Wake() }
}

// Conn is the connection for sources and hosts on the bus.
func (b *sharedBus) Conn(ctx context.Context) (*nats.Conn, error) {
	opened, err := b.open(ctx)
	if err != nil {
		return nil, err
	}
	return opened.Conn(), nil
}

// Close ends the connection.
func (b *sharedBus) Close() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.bus == nil {
		return nil
	}
	return b.bus.Close()
}

// tellUnused tells of options of a team that do nothing.
func (cli *commandLine) tellUnused(command string) error {
	onBus := func(text string) bool {
		_, spec := source.Split(text)
		return strings.HasPrefix(spec, "nats:")
	}
	switch {
	case cli.Team != "" || looksOnly(command):
	case cli.origins["team"] && cli.config.names(teamKey): // --team "" is in none
	case cli.origins["team"]:
		return usage("--team: empty: want the name of a team, or no --team")
	case cli.origins["nats"] && !strings.HasPrefix(command, "host") && !slices.ContainsFunc(cli.Catalog, onBus):
		fmt.Fprintln(cli.stderr, "--nats: nothing uses it: there is neither a team (--team NAME) nor a source on the bus "+
			"(--catalog nats:NAME)")
	}
	return nil
}

// agentName is what the session would like to be called in its team.
func (cli *commandLine) agentName() string {
	if cli.Context.AgentName != "" || cli.Team == "" {
		return cli.Context.AgentName
	}
	letters := func(r rune) rune {
		if strings.ContainsRune("abcdefghijklmnopqrstuvwxyz0123456789_-", r) {
			return r
		}
		return '-'
	}
	name := strings.Trim(strings.Map(letters, strings.ToLower(loginName())), "-")
	if team.CheckName(name) == nil && team.CheckAgent(name) != nil {
		return "user-" + name
	}
	for name != "" && team.CheckName(name) != nil { // too long
		name = name[:len(name)-1]
	}
	return cmp.Or(name, "agent")
}

// tellName tells of a login name that is another one in the team.
func (cli *commandLine) tellName(name string) {
	login := loginName()
	if cli.Context.AgentName != "" || name == strings.ToLower(login) {
		return
	}
	fmt.Fprintf(cli.stderr, "team %s: %s is %s there: a name has only a to z, 0 to 9, _ and -; "+
		"--context-agent-name NAME, or agent_name in [context], is another one\n", cli.Team, cmp.Or(text.SanitizeLine(login), "you"), name)
}

// A member is a session's membership of its team. It joins in the background and tries again until it is closed.
type member struct {
	options team.Options
	bus     *sharedBus
	stop    context.CancelFunc
	done    chan struct{} // closed when nothing is tried any more
	tried   chan struct{} // closed when the first attempt has ended
	in      chan struct{} // closed when the session has joined
	arrived arrivals
	resumes bool // it goes on with the tasks of an earlier session of its name

	// model sums up what keepers hold; nil while there is none.
	model atomic.Pointer[llm.Conversation]

	mu      sync.Mutex
	team    *team.Team
	entries []catalog.Entry // the team's, once the session has joined
	err     error           // why the last attempt failed
	roles   []string        // the session's
}

// Between attempts to join passes a second at first, and five at most.
const (
	firstRejoin = time.Second
	lastRejoin  = 5 * time.Second
	// joinTime bounds one attempt: a request is lost where the program that holds the bus has just ended.
	joinTime = 5 * time.Second
)

// join makes the session a member of the configured team, in the background; nil where there is none. The caller closes
// the result.
func (cli *commandLine) join(ctx context.Context, w *app) (*member, error) {
	if cli.Team == "" {
		return nil, nil
	}
	dir, _ := os.Getwd()
	m := &member{
		options: team.Options{
			Team: cli.Team, Agent: cli.agentName(), Redact: cli.credentials.filter.Text,
			Dir: dir, Root: cmp.Or(workTree(dir), cli.projectDir()), Repository: repository(workTree(dir)),
		},
		bus: cli.bus, done: make(chan struct{}), tried: make(chan struct{}), in: make(chan struct{}),
	}
	m.arrived.came = make(chan struct{}, 1)
	m.options.Arrived = m.arrived.put
	m.options.Summarise = m.summarise
	m.resumes = w.feed != nil
	starts := cli.newSpawner(w)
	w.closers = append(w.closers, starts.Close)
	m.options.Spawn = starts.spawn
	all, _ := cli.roles() // as the feed reads them
	for _, r := range all {
		m.roles = append(m.roles, r.name)
	}
	if cli.spawned != nil {
		m.options.Parent = cli.spawned.Parent
	}
	if err := team.CheckAgent(m.options.Agent); err != nil {
		return nil, misconfigured(fmt.Errorf("context.agent_name: %w", err))
	}
	cli.tellName(m.options.Agent)
	ctx, m.stop = context.WithCancel(ctx)
	go m.keepTrying(ctx)
	return m, nil
}

// keepTrying joins.
func (m *member) keepTrying(ctx context.Context) {
	defer close(m.done)
	for wait := firstRejoin; ; wait = min(2*wait, lastRejoin) {
		first := wait == firstRejoin
		joined, err := m.attempt(ctx)
		m.mu.Lock()
		m.team, m.err = joined, err
		if err == nil {
			m.entries = joined.Entries()
			joined.SetRoles(m.roles)
			close(m.in)
		}
		m.mu.Unlock()
		if first {
			close(m.tried)
		}
		if err == nil || task.Sleep(ctx, wait) != nil {
			return
		}
	}
}

func (m *member) attempt(ctx context.Context) (*team.Team, error) {
	b, err := m.bus.open(ctx)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, joinTime)
	defer cancel()
	o := m.options
	m.mu.Lock()
	o.Roles = m.roles
	m.mu.Unlock()
	t, err := team.Join(ctx, b, o)
	if err == nil && m.resumes {
		_ = t.Resume(ctx) // peer.task.take has what could not be taken back
	}
	return t, err
}

// tellRoles tells the team which roles the session has now.
func (w *app) tellRoles() {
	if w.member == nil {
		return
	}
	var names []string
	for _, r := range w.session.Roles() {
		names = append(names, r.Name)
	}
	m := w.member
	m.mu.Lock()
	defer m.mu.Unlock()
	m.roles = names
	if m.team != nil {
		m.team.SetRoles(names)
	}
}

// wait returns when the session has joined, or the first attempt has failed.
func (m *member) wait(ctx context.Context) {
	if m == nil {
		return
	}
	select {
	case <-m.tried:
	case <-ctx.Done():
	}
}

// settled returns true when the session has joined, and false when ctx is done first.
func (m *member) settled(ctx context.Context) bool {
	select {
	case <-m.in:
		return true
	case <-ctx.Done():
		return false
	}
}

// An arrivals is what has arrived and nobody was told of. came has a signal when there is something.
type arrivals struct {
	mu    sync.Mutex
	items []team.Item
	came  chan struct{}

	showing sync.Mutex // held while an item is shown
	shown   map[string]bool
}

// once calls show with an item, unless it was called with that before. When it returns the item has been shown.
func (a *arrivals) once(item team.Item, show func(team.Item)) {
	a.showing.Lock()
	defer a.showing.Unlock()
	if a.shown[item.ID] {
		return
	}
	if a.shown == nil {
		a.shown = map[string]bool{}
	}
	a.shown[item.ID] = true
	show(item)
}

func (a *arrivals) put(item team.Item) {
	a.mu.Lock()
	a.items = append(a.items, item)
	a.mu.Unlock()
	select {
	case a.came <- struct{}{}:
	default:
	}
}

func (a *arrivals) take() []team.Item {
	a.mu.Lock()
	defer a.mu.Unlock()
	items := a.items
	a.items = nil
	return items
}

// joined is the membership; the error says why there is none.
func (m *member) joined() (*team.Team, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	switch {
	case m.team != nil:
		if lost := m.bus.lost(); lost != "" {
			return m.team, fmt.Errorf("team %s: not connected: %s: try again once it is back", m.options.Team, lost)
		}
		return m.team, nil
	case m.err != nil:
		return nil, fmt.Errorf("team %s: not connected: %w", m.options.Team, m.err)
	}
	return nil, fmt.Errorf("team %s: still connecting: try again", m.options.Team)
}

// summarise has the session's model answer a question from passages of keepers; the answer is empty without a model.
func (m *member) summarise(ctx context.Context, question string, passages []keeper.Passage) (string, error) {
	model := m.model.Load()
	if model == nil || model.Target().Provider == nil {
		return "", nil
	}
	return model.Ask(ctx, keeper.SummaryPrompt, keeper.Ask(question, passages))
}

// Close leaves the team.
func (m *member) Close() error {
	m.stop()
	<-m.done
	if m.team == nil {
		return nil
	}
	return m.team.Close()
}

// source holds the team's actions. They are there before the session has joined; calls fail until then.
func (m *member) source() source.Source {
	entries := team.Entries(m.options.Team)
	for i, e := range entries {
		of := func(ctx context.Context) (*catalog.Entry, error) {
			m.wait(ctx)
			if _, err := m.joined(); err != nil {
				return nil, err
			}
			return &m.entries[i], nil
		}
		entries[i].Action = func(ctx context.Context, c catalog.Call) (catalog.Result, error) {
			now, err := of(ctx)
			if err != nil {
				return catalog.Result{}, err
			}
			return now.Action(ctx, c)
		}
		if e.Preview != nil {
			entries[i].Preview = func(ctx context.Context, c catalog.Call) (string, error) {
				now, err := of(ctx)
				if err != nil {
					return "", err
				}
				return now.Preview(ctx, c)
			}
		}
	}
	s := teamActions(entries)
	s.Health = func() error {
		select {
		case <-m.tried:
			_, err := m.joined()
			return err
		default: // a moment yet
			return nil
		}
	}
	return s
}

// teamActions is the source of a team's actions. No other source may have any in their namespaces: what is granted for
// them is for nothing else.
func teamActions(entries []catalog.Entry) source.Source {
	var namespaces []string
	for _, e := range entries {
		if namespace, _, _ := strings.Cut(e.ID, "."); !slices.Contains(namespaces, namespace) {
			namespaces = append(namespaces, namespace)
		}
	}
	return source.Source{
		Name: teamSource, Own: true, Optional: true, Reserves: namespaces,
		Load: func(context.Context, func(source.Reading)) (catalog.Batch, error) {
			return catalog.Batch{Entries: entries, Found: len(entries)}, nil
		},
	}
}

// joinTeam makes w's session a member of the configured team, where there is one; whole waits for the first attempt.
func (cli *commandLine) joinTeam(ctx context.Context, w *app, whole bool) error {
	m, err := cli.join(ctx, w)
	if m == nil || err != nil {
		return err
	}
	w.member = m
	w.closers = append(w.closers, m.Close)
	if whole {
		m.wait(ctx)
	}
	return nil
}
