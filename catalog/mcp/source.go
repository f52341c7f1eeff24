package mcp

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"almanac/catalog"
	"almanac/catalog/media"
	"almanac/catalog/source"
	"almanac/catalog/web"
)

// options bound what a Source waits for. The zero value is ready to use.
type options struct {
	// Start is how long a server may take to start and complete the handshake; default 30 s, since npx may download it
	// first.
	Start time.Duration
	// Ping is how long a server may take to answer a ping after a call has timed out; default 5 s.
	Ping time.Duration
	// Hung is how long a call may take when one before it has just run out of its whole time; default 10 s.
	Hung time.Duration
	// Pause is the time before the n-th attempt in a row, from 1; nil doubles from 500 ms to a minute.
	Pause func(n int) time.Duration
	// Version is the version of this program as servers are told.
	Version string
	// Depth is how many almanacs are above this one, as read by the function Depth; servers are told one more.
	Depth int
	// Media keeps the images, sounds and files of results.
	Media media.Folder
	// TrustHints tells that what the server says of its tools is believed: readOnlyHint.
	TrustHints bool
	// Modern speaks modernVersion first, and oldVersion where the server refuses that; else it is the other way round.
	Modern bool
	// Roots are folders that the server is told of, where it asks; none: it is told that there are no roots.
	Roots []string
	// Vault looks up the credentials that the configuration names; nil has none. Access is what it says of requests.
	Vault  *web.Vault
	Access web.Access
}

func (o options) withDefaults() options {
	if o.Start == 0 {
		o.Start = 30 * time.Second
	}
	if o.Ping == 0 {
		o.Ping = 5 * time.Second
	}
	if o.Hung == 0 {
		o.Hung = 10 * time.Second
	}
	return o
}

func (o options) pause(n int) time.Duration {
	if o.Pause != nil {
		return o.Pause(n)
	}
	return min(firstPause<<min(n-1, 10), lastPause)
}

// A serverSource provides the actions of one server. It is safe for concurrent use.
type serverSource struct {
	server  endpoint
	options options
	link    *link

	mu       sync.Mutex
	watchers map[chan struct{}]bool
}

// newSource returns a source over the server. Nothing is started before the first Load or call. The error is an
// errNested where this program is a server itself and would start another of its kind.
func newSource(s endpoint, o options) (*serverSource, error) {
	if err := s.check(); err != nil {
		return nil, err
	}
	if err := s.nested(o.Depth); err != nil {
		return nil, err
	}
	s.depth = o.Depth
	src := &serverSource{server: s, options: o, watchers: map[chan struct{}]bool{}}
	src.link = newLink(s, o.withDefaults(), src.changed)
	return src, nil
}

// name is the source as the person wrote it.
func (s *serverSource) name() string { return s.server.Source }

// secrets are values that must never be shown.
func (s *serverSource) secrets() []string {
	return slices.Concat(s.server.Secrets, s.options.Vault.Secrets())
}

// health says why the actions cannot be called now; nil when they can, or when the server was not needed yet.
func (s *serverSource) health() error {
	s.link.mu.Lock()
	defer s.link.mu.Unlock()
	if s.link.err == nil {
		return nil
	}
	return s.link.down(s.link.err, s.link.again)
}

// Close ends the server and everything it started. Actions answer with a *downError from then on.
func (s *serverSource) Close() error {
	s.link.close()
	return nil
}

// watch calls changed when the server says that its tools or resources changed, and when it is back after it was away.
// Notices that come close together are one. It returns when ctx is done.
func (s *serverSource) watch(ctx context.Context, changed func()) {
	notice := make(chan struct{}, 1)
	s.mu.Lock()
	s.watchers[notice] = true
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.watchers, notice)
	}()
	for {
		select {
		case <-notice:
		case <-ctx.Done():
			return
		}
		timer := time.NewTimer(settle)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return
		}
		select {
		case <-notice:
		default:
		}
		changed()
	}
}

// settle is how long notifications are collected before they are passed on.
const settle = 200 * time.Millisecond

// changed notifies the watchers.
func (s *serverSource) changed() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for notice := range s.watchers {
		select {
		case notice <- struct{}{}:
		default:
		}
	}
}

// load reads what the server offers. progress, which may be nil, is told how many were found so far. The error is a
// *downError while the server is away; a list that cannot be read fails the whole reading, so that a part is never
// taken for all.
func (s *serverSource) load(ctx context.Context, progress func(source.Reading)) (catalog.Batch, error) {
	c, err := s.link.get(ctx)
	var down *downError
	if errors.As(err, &down) {
		// The report of this reading is kept; the time of the next attempt is in Health.
		return catalog.Batch{}, &downError{Server: down.Server, Reason: down.Reason, Needed: down.Needed}
	}
	if err != nil {
		return catalog.Batch{}, err
	}
	if progress == nil {
		progress = func(source.Reading) {}
	}
	r := reading{source: s, session: c.session, progress: progress}
	if err := r.read(ctx); err != nil {
		return catalog.Batch{}, s.failed(ctx, ctx, c, err)
	}
	return r.batch(), nil
}
