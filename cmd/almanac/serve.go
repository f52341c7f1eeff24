package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"almanac/catalog"
	"almanac/catalog/media"
	"almanac/catalog/pattern"
	"almanac/catalog/secret"
	"almanac/catalog/source"
	"almanac/catalog/text"
	"almanac/session"
	"almanac/session/gateway"
	"almanac/session/kernel"
	"almanac/session/policy"
	"almanac/session/trace"
)

type serveCommand struct {
	HTTP       string        `placeholder:"ADDR" help:"Serve over HTTP at ADDR, such as :8080 (127.0.0.1 unless a host is given), path /mcp. Default: one client over stdio."`
	Clients    string        `placeholder:"FILE" help:"TOML file of clients that may connect, with the token, view, policy and budget of each."`
	As         string        `placeholder:"NAME" help:"Serve stdio as this client of --clients."`
	TokenEnv   *string       `placeholder:"NAME" help:"Environment variable with the HTTP token (at least 16 bytes), instead of ALMANAC_SERVE_TOKEN. Must be set. Not with --clients."`
	Tools      []string      `default:"query,describe,execute" enum:"query,describe,execute,call" placeholder:"NAME" help:"Tools to offer: query, describe, execute, and call, which calls one action by its id, for models that write no Lua."`
	Expose     []string      `placeholder:"ID" help:"Actions to offer as tools of their own, by id or pattern."`
	About      string        `placeholder:"TEXT" help:"What the catalog is for, in a sentence, for the models of clients."`
	Persistent bool          `help:"Keep globals between execute calls. Default: each script runs in a fresh Lua state."`
	Page       int           `default:"8000" help:"Split answers of more tokens than this into pages."`
	Sessions   int           `default:"1024" help:"Maximum Lua sessions; another one closes the longest idle."`
	Running    int           `default:"32" help:"Maximum scripts and calls running at a time; others wait for their turn."`
	Rate       int           `placeholder:"N" help:"Maximum tool calls of a client in a minute. Default: no limit."`
	Idle       time.Duration `default:"30m" help:"Close idle HTTP sessions after this long."`
	Drain      time.Duration `default:"10s" help:"Let running calls end for this long after SIGTERM, or the end of standard input."`
	Metrics    bool          `help:"Answer Prometheus at /metrics, for clients with monitor = true. Needs --http."`
	Status     bool          `help:"Show a status page at /status, to clients with monitor = true. Needs --http."`
	Audit      string        `placeholder:"FILE" help:"Append what clients do to FILE as lines of JSON; - is standard output (with --http). SIGHUP opens it again."`
	TLSCert    string        `placeholder:"FILE" help:"Serve HTTPS with this certificate (PEM, with its chain). Needs --tls-key."`
	TLSKey     string        `placeholder:"FILE" help:"Private key of --tls-cert."`
	Host       []string      `placeholder:"NAME" help:"Host name that HTTP clients may use for the server."`
	Origin     []string      `placeholder:"URL" help:"Web origin that may call the server, such as https://example.com."`
}

// Run serves until the input ends or a signal arrives. Standard output carries the protocol and nothing else.
func (c serveCommand) Run(ctx context.Context, cli *commandLine, p *program) error {
	if err := c.bounded(); err != nil {
		return err
	}
	roster, err := c.roster(cli)
	if err != nil {
		return misconfigured(err)
	}
	certificate, err := c.certificate()
	if err != nil {
		return misconfigured(err)
	}
	if cli.Team != "" {
		fmt.Fprintf(p.stderr, "team %s: almanac serve does not join: its clients would share one name and inbox\n", cli.Team)
	}
	s := &served{cli: cli, clients: roster.Clients, expose: c.Expose}
	mode := policy.Mode("")
	if cli.Policy != "" {
		if mode, err = policy.ParseMode(cli.Policy); err != nil {
			return usage("%v", err)
		}
	}
	allow, err := policy.ParseGrants(cli.Allow, "--allow")
	if err != nil {
		return misconfigured(err)
	}
	rules, err := cli.rules()
	if err != nil {
		return misconfigured(err)
	}
	s.rules = slices.Concat(rules, cli.config.project.rules)
	if s.feed, err = cli.feed(ctx, source.Options{}); err != nil {
		return err
	}
	defer s.feed.loader.Close()
	bounds, err := cli.rolePolicies(s.feed.loader.View(), true)
	if err != nil {
		return misconfigured(err)
	}
	expose, err := pattern.ParseAll(c.Expose)
	if err != nil {
		return usage("--expose: %v", err)
	}
	watched, err := c.watch(ctx, p, s)
	if err != nil {
		return misconfigured(err)
	}
	defer watched.close()
	s.pool = session.NewPool(session.Options{Kernel: kernel.Options{Spares: 2, Logf: s.note}})
	defer s.pool.Close()
	g, err := gateway.New(gateway.Options{
		Version: version, Prefix: cli.Prefix, Persistent: c.Persistent, Page: c.Page, Sessions: c.Sessions, Idle: c.Idle,
		Running: c.Running, Rate: c.Rate, Drain: c.Drain, Tools: c.Tools, Expose: expose,
		About: text.OneLine(c.About),
		Policy: gateway.Policy{
			Mode: mode, Allow: allow, Rules: rules, Tighter: cli.config.project.rules, Roles: bounds,
		}, View: s.view, Open: s.open, Secrets: cli.credentials.filter, Media: media.In(cli.dataDir()),
		Observe: watched.observe(), Status: c.Status, Log: s.note,
	})
	if err != nil {
		return err
	}
	defer g.Close()
	watched.gateway.Store(g)
	defer s.follow(ctx, g)()
	if c.HTTP == "" {
		return g.ServeStdio(ctx, roster.Clients[0], p.stdin, p.stdout)
	}
	l, err := net.Listen("tcp", address(c.HTTP))
	if err != nil {
		return misconfigured(fmt.Errorf("--http %s: %w", c.HTTP, err))
	}
	defer l.Close()
	o := gateway.HTTPOptions{Roster: roster, Hosts: c.Host, Origins: c.Origin, Loading: s.feed.loader.Loading,
		Metrics: watched.handler(), Sources: watched.sources}
	scheme := "http"
	if certificate != nil {
		scheme, o.TLS = "https", certificate.config()
	}
	o.Ready = func() { fmt.Fprintf(p.stderr, "serving %s://%s%s\n", scheme, l.Addr(), gateway.Path) }
	defer s.reload(ctx, c, g, certificate, watched)()
	return c.explained(g.Serve(ctx, l, o))
}

const aboutBytes = 300

// bounded fails where a bound is none.
func (c serveCommand) bounded() error {
	for _, bound := range []struct {
		flag string
		is   int
	}{{"sessions", c.Sessions}, {"running", c.Running}, {"page", c.Page}, {"idle", int(c.Idle)}} {
		if bound.is < 1 {
			return usage("--%s: want more than 0; without it the default holds", bound.flag)
		}
	}
	if c.Rate < 0 || c.Drain < 0 {
		return usage("--rate and --drain: want 0 or more")
	}
	if n := len(c.About); n > aboutBytes {
		return usage("--about: %d bytes: at most %d, since clients read it with each request", n, aboutBytes)
	}
	return nil
}

// explained adds to an error of the gateway what on the command line it is about.
func (c serveCommand) explained(err error) error {
	if errors.Is(err, gateway.ErrOpen) {
		return misconfigured(fmt.Errorf("--http %s: %w (%s, or token_env in --clients)", c.HTTP, err, serveToken))
	}
	if errors.Is(err, gateway.ErrAnybody) {
		return misconfigured(fmt.Errorf("clients %s: %w", c.Clients, err))
	}
	return err
}

// address is where to listen: the loopback interface unless a host is given.
func address(text string) string {
	if !strings.Contains(text, ":") {
		text = ":" + text
	}
	if strings.HasPrefix(text, ":") {
		return "127.0.0.1" + text
	}
	return text
}

// roster is who may connect: those in the file, one with the environment's token, or anybody.
func (c serveCommand) roster(cli *commandLine) (gateway.Roster, error) {
	if c.As != "" && c.HTTP != "" {
		return gateway.Roster{}, errors.New("--as is for stdio: over HTTP the token identifies the client")
	}
	if c.Clients == "" {
		if c.As != "" {
			return gateway.Roster{}, errors.New("--as: needs --clients")
		}
		clients, err := c.only()
		return gateway.Roster{Clients: clients}, err
	}
	if c.TokenEnv != nil {
		return gateway.Roster{}, errors.New("--token-env: not with --clients, where each client has its own token_env")
	}
	lookup := os.LookupEnv
	if c.HTTP == "" { // nobody shows a token, and one client's variable is not there for another
		lookup = func(string) (string, bool) { return rand.Text(), true }
	}
	roster, err := gateway.ReadClients(c.Clients, lookup)
	if err == nil {
		err = cli.takeRoles(roster.Clients)
	}
	if err != nil || c.HTTP != "" {
		return roster, err
	}
	i := slices.IndexFunc(roster.Clients, func(one gateway.Client) bool { return one.Name == c.As })
	if i < 0 {
		return roster, fmt.Errorf("clients %s: no client %q: over stdio choose one with --as NAME", c.Clients, c.As)
	}
	roster.Clients = roster.Clients[i : i+1]
	return roster, nil
}

// takeRoles gives clients the roles that they name.
func (cli *commandLine) takeRoles(clients []gateway.Client) error {
	for i := range clients {
		one := &clients[i]
		for _, name := range one.RoleNames {
			r, err := cli.config.role(name)
			if err != nil {
				return fmt.Errorf("client.%s: %w", one.Name, err)
			}
			whole, err := r.whole()
			if err != nil {
				return fmt.Errorf("client.%s: %w", one.Name, err)
			}
			one.Roles = append(one.Roles, whole)
		}
	}
	return nil
}

// serveToken is the environment variable with the HTTP token, unless --token-env names another.
const serveToken = "ALMANAC_SERVE_TOKEN"

// only is the client without a file. An empty --token-env variable is an error: naming it was not meant to let
// everybody in.
func (c serveCommand) only() ([]gateway.Client, error) {
	name := serveToken
	if c.TokenEnv != nil {
		name = *c.TokenEnv
	}
	if err := secret.CheckVariable(name); err != nil && name != "" {
		return nil, fmt.Errorf("--token-env: %w", err)
	}
	token, set := os.LookupEnv(name)
	switch {
	case c.TokenEnv != nil && token == "":
		return nil, fmt.Errorf("--token-env %s: variable is unset or empty: it must hold the token", name)
	case c.HTTP == "" || !set:
		return []gateway.Client{{}}, nil
	}
	one, err := gateway.Client{Name: "token"}.WithToken(token)
	if err != nil {
		return nil,
			fmt.Errorf("%s: %w: create one with openssl rand -hex 32, or unset it to admit every local program", name, err)
	}
	return []gateway.Client{one}, nil
}

// A served supplies the gateway with views and sessions.
type served struct {
	cli  *commandLine
	mu   sync.Mutex // guards the feed's view, and told
	feed *catalogUpdater
	// rules are those of the policy, and told is set when what is idle in them was said.
	rules []policy.Rule
	told  bool
	pool  *kernel.Pool // of all sessions
	// clients are those of now, and misfits the warnings about what they name and the catalog does not have, as told last.
	clients []gateway.Client
	misfits []string
	// expose are the patterns of --expose.
	expose []string
}

// note writes a line for whoever runs the gateway.
func (s *served) note(format string, args ...any) {
	fmt.Fprintln(s.cli.stderr, text.SanitizeLine(fmt.Sprintf(format, args...)))
}

// firstWait is how long a client's first call waits for sources that are still loading.
const firstWait = 45 * time.Second

func (s *served) view(ctx context.Context) (*catalog.View, bool, error) {
	soon, cancel := context.WithTimeout(ctx, firstWait)
	defer cancel()
	_ = s.feed.loader.Wait(soon) // after that, what has loaded is shown
	if err := ctx.Err(); err != nil {
		return nil, false, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	view, err := s.feed.view()
	if err == nil && view.Len() == 0 {
		err = s.why()
	}
	if err == nil && !s.feed.loader.Loading() {
		err = s.fits(view)
	}
	isFailed := func(one source.Status) bool { return one.State == source.Failed }
	failed := slices.ContainsFunc(s.feed.loader.Status(), isFailed)
	return view, failed || s.feed.loader.Loading(), err
}

// fits warns once of rules that can match no call of the catalog; one that is misspelt is an error each time.
func (s *served) fits(view *catalog.View) error {
	warnings, err := policy.Idle(s.rules, view)
	if err == nil && !s.told {
		for _, line := range warnings {
			fmt.Fprintln(s.cli.stderr, "warning: "+text.SanitizeLine(line))
		}
	}
	s.told = s.told || err == nil
	return err
}

// warn tells what the clients, the view file and the roles name and the catalog does not have, once all sources have
// been read: each once, until it is mended.
func (s *served) warn(clients []gateway.Client) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if clients != nil {
		s.clients = clients
	}
	if s.feed == nil || s.feed.loader.Loading() {
		return
	}
	before := s.misfits
	s.misfits = nil
	for _, err := range s.misfitting() {
		line := err.Error()
		if s.misfits = append(s.misfits, line); !slices.Contains(before, line) {
			s.note("warning: %s", line)
		}
	}
}

// misfitting are what the clients, the view file, the roles and --expose name and the catalog does not have.
func (s *served) misfitting() []error {
	all := s.feed.misfits()
	for _, one := range s.expose {
		if len(s.feed.loader.View().Misfits(catalog.Rules{IDs: []string{one}})) > 0 {
			all = append(all, fmt.Errorf("--expose %s: no such action", one))
		}
	}
	for _, one := range s.clients {
		all = append(all, one.Misfits(s.feed.loader.View())...)
	}
	return all
}

// why explains an empty catalog; nil if its sources are simply empty.
func (s *served) why() error {
	var errs []error
	for _, one := range s.feed.loader.Status() {
		switch {
		case one.Err != nil:
			errs = append(errs, fmt.Errorf("%s: %w", one.Name, one.Err))
		case one.State == source.Loading:
			errs = append(errs, fmt.Errorf("%s: still loading: call again", one.Name))
		}
	}
	return errors.Join(errs...)
}

// open creates a client's session, with its own log.
func (s *served) open(o gateway.Opening) (*session.Session, func() error, error) {
	about := trace.About{Front: trace.FrontServe}
	log, err := s.cli.openLog(o.View, strings.TrimSpace("serves "+o.Client+" "+o.Program), about)
	if err != nil {
		return nil, nil, err
	}
	made, err := session.New(o.View,
		s.cli.session(log, session.Options{
			Policy: o.Policy, Budget: o.Budget, Context: o.Context, Approve: o.Approve, Notify: o.Notify,
			Isolated: o.Isolated, Authorize: o.Authorize, Roles: o.Roles, Observe: o.Observe,
			Pool: s.pool, Inquire: o.Inquire, Client: o.Client,
		}))
	if err != nil {
		return nil, nil, errors.Join(err, log.Close())
	}
	return made, log.Close, nil
}

// follow pushes new source contents to the sessions and reports source news on standard error, until stop.
func (s *served) follow(ctx context.Context, g *gateway.Gateway) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	var wait sync.WaitGroup
	wait.Go(func() {
		for {
			select {
			case <-s.feed.changed:
				for _, one := range s.feed.news() {
					fmt.Fprintln(s.cli.stderr, one.Line())
				}
				s.warn(nil)
				g.Renew(ctx)
			case <-ctx.Done():
				return
			}
		}
	})
	return func() {
		cancel()
		wait.Wait()
	}
}
