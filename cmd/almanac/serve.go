package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"almanac/catalog"
	"almanac/catalog/source"
	"almanac/session"
	"almanac/session/gateway"
	"almanac/session/policy"
	"almanac/session/trace"
)

type serveCommand struct {
	HTTP       string        `placeholder:"ADDR" help:"Serve over HTTP at this address, such as :8080 (127.0.0.1 unless a host is named), at /mcp. Default: one client over standard input and output."`
	Clients    string        `placeholder:"FILE" help:"Who may connect, each with a token, a view, a policy and a budget: a TOML file."`
	As         string        `placeholder:"NAME" help:"The client of --clients that standard input and output belongs to."`
	TokenEnv   *string       `placeholder:"NAME" help:"The variable that holds the token of HTTP clients, at least 16 bytes, in place of ALMANAC_SERVE_TOKEN. It has to be set. Without --clients only."`
	Persistent bool          `help:"Keep globals from one execute to the next. Default: every script runs in an empty machine."`
	Page       int           `default:"8000" help:"How many tokens one answer may have before it is parted into pages."`
	Sessions   int           `default:"32" help:"How many Lua sessions there may be at a time; one more ends the one that is idle for longest."`
	Idle       time.Duration `default:"30m" help:"After how long without a request an HTTP client is taken for gone."`
	Host       []string      `placeholder:"NAME" help:"A host name by which HTTP clients may call the server."`
	Origin     []string      `placeholder:"URL" help:"A web page that may call the server, as https://example.com."`
}

// Run serves until the input ends or a signal comes. Standard output has the protocol and nothing else.
func (c serveCommand) Run(ctx context.Context, cli *commandLine, p *program) error {
	clients, err := c.clients()
	if err != nil {
		return misconfigured(err)
	}
	s := &serving{cli: cli}
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
	if s.feed, err = cli.feed(ctx); err != nil {
		return err
	}
	defer s.feed.loader.Close()
	g, err := gateway.New(gateway.Options{
		Version: version, Prefix: cli.Prefix, Persistent: c.Persistent, Page: c.Page, Sessions: c.Sessions, Idle: c.Idle,
		Policy: gateway.Policy{Mode: mode, Allow: allow}, View: s.view, Open: s.open, Secrets: cli.credentials.filter,
		Log: func(format string, args ...any) { fmt.Fprintf(p.stderr, format+"\n", args...) },
	})
	if err != nil {
		return err
	}
	defer g.Close()
	defer s.follow(ctx, g)()
	if c.HTTP == "" {
		return g.ServeStdio(ctx, clients[0], p.stdin, p.stdout)
	}
	l, err := net.Listen("tcp", address(c.HTTP))
	if err != nil {
		return misconfigured(err)
	}
	defer l.Close()
	ready := func() { fmt.Fprintf(p.stderr, "serving http://%s%s\n", l.Addr(), gateway.Path) }
	err = g.Serve(ctx, l, gateway.HTTPOptions{Clients: clients, Hosts: c.Host, Origins: c.Origin, Ready: ready})
	if errors.Is(err, gateway.ErrOpen) {
		return misconfigured(fmt.Errorf("--http %s: %w (%s, or token_env in --clients)", c.HTTP, err, serveToken))
	}
	if errors.Is(err, gateway.ErrAnybody) {
		return misconfigured(fmt.Errorf("clients %s: %w", c.Clients, err))
	}
	return err
}

// address is where to listen; without a host it is the loopback interface.
func address(text string) string {
	if !strings.Contains(text, ":") {
		text = ":" + text
	}
	if strings.HasPrefix(text, ":") {
		return "127.0.0.1" + text
	}
	return text
}

// clients are those who may connect: of the file, or one with the token of the environment, or anybody.
func (c serveCommand) clients() ([]gateway.Client, error) {
	if c.As != "" && c.HTTP != "" {
		return nil, errors.New("--as is for standard input and output: over HTTP the token says who a client is")
	}
	if c.Clients == "" {
		if c.As != "" {
			return nil, errors.New("--as names a client of a file: give --clients")
		}
		return c.only()
	}
	if c.TokenEnv != nil {
		return nil, errors.New("--token-env is for one token without --clients: there each client has token_env of its own")
	}
	clients, err := gateway.ReadClients(c.Clients, os.LookupEnv)
	if err != nil || c.HTTP != "" {
		return clients, err
	}
	i := slices.IndexFunc(clients, func(one gateway.Client) bool { return one.Name == c.As })
	if i < 0 {
		return nil, fmt.Errorf("clients %s: no client %q: over standard input and output say --as NAME", c.Clients, c.As)
	}
	return clients[i : i+1], nil
}

// serveToken is the variable with the token of all HTTP clients, unless --token-env names another.
const serveToken = "ALMANAC_SERVE_TOKEN"

// only is the client where no file names any. A variable that was named and has nothing is an error: who named it did
// not mean to let everybody in.
func (c serveCommand) only() ([]gateway.Client, error) {
	name := serveToken
	if c.TokenEnv != nil {
		name = *c.TokenEnv
	}
	token, set := os.LookupEnv(name)
	switch {
	case c.TokenEnv != nil && token == "":
		return nil, fmt.Errorf("--token-env %s: the variable is not set, or empty: it must hold the token", name)
	case c.HTTP == "" || !set:
		return []gateway.Client{{}}, nil
	}
	one, err := gateway.Client{Name: "token"}.WithToken(token)
	if err != nil {
		return nil, fmt.Errorf("%s: %w: openssl rand -hex 32 makes one; unset it to let every program of this machine in", name, err)
	}
	return []gateway.Client{one}, nil
}

// A serving gives the gateway what it serves.
type serving struct {
	cli  *commandLine
	mu   sync.Mutex // guards the feed's view
	feed *feeding
}

// firstWait is how long a client's first call waits for sources that are still being read.
const firstWait = 45 * time.Second

func (s *serving) view(ctx context.Context) (*catalog.View, bool, error) {
	soon, cancel := context.WithTimeout(ctx, firstWait)
	defer cancel()
	_ = s.feed.loader.Wait(soon) // what is there is shown
	if err := ctx.Err(); err != nil {
		return nil, false, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	view, err := s.feed.view()
	if err == nil && view.Len() == 0 {
		err = s.why()
	}
	failed := slices.ContainsFunc(s.feed.loader.Status(), func(one source.Status) bool { return one.State == source.Failed })
	return view, failed || s.feed.loader.Loading(), err
}

// why says what keeps the catalog empty; nil when its sources are just that.
func (s *serving) why() error {
	var errs []error
	for _, one := range s.feed.loader.Status() {
		switch {
		case one.Err != nil:
			errs = append(errs, fmt.Errorf("%s: %w", one.Name, one.Err))
		case one.State == source.Loading:
			errs = append(errs, fmt.Errorf("%s: still being read: call again", one.Name))
		}
	}
	return errors.Join(errs...)
}

// open makes the session of a client, with a log of its own.
func (s *serving) open(o gateway.Opening) (*session.Session, func() error, error) {
	now := time.Now()
	id := session.NewID(now)
	log, err := trace.CreateLog(filepath.Join(s.cli.dataDir(), "sessions", now.Format("2006/01/02"), id+".jsonl"), s.cli.credentials.filter)
	if err != nil {
		return nil, nil, err
	}
	dir, _ := os.Getwd()
	err = log.Append(trace.Record{Time: now, Kind: trace.KindSession, Text: strings.TrimSpace("serves " + o.Client + " " + o.Program), About: &trace.About{
		ID: id, Version: version, Actor: o.View.Actor(), Tenant: o.View.Tenant(), Sources: s.cli.shownSources(), Dir: dir, Front: trace.FrontServe,
	}})
	var made *session.Session
	if err == nil {
		options := session.Options{
			ID: id, Policy: o.Policy, Budget: o.Budget, Approve: o.Approve, Record: log.Append,
			Secrets: s.cli.credentials.filter,
			Context: catalog.Context{Actor: os.Getenv("USER"), Workspace: s.cli.workspaceDir()},
		}
		options.Kernel.Logf = func(format string, args ...any) {
			_ = log.Append(trace.Record{Time: time.Now(), Kind: trace.KindNote, Text: fmt.Sprintf(format, args...)})
		}
		made, err = session.New(o.View, options)
	}
	if err != nil {
		return nil, nil, errors.Join(err, log.Close())
	}
	return made, log.Close, nil
}

// follow gives the sessions whatever the sources come to hold, and tells their news on standard error. stop ends it.
func (s *serving) follow(ctx context.Context, g *gateway.Gateway) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	var wait sync.WaitGroup
	wait.Go(func() {
		for {
			select {
			case <-s.feed.changed:
				for _, one := range s.feed.news() {
					fmt.Fprintln(s.cli.stderr, one.Line())
				}
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
