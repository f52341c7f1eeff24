package remote

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/nats-io/nats.go"

	"almanac/catalog"
	"almanac/catalog/regular"
	"almanac/catalog/source"
	"almanac/catalog/task"
	"almanac/catalog/team/bus"
)

// This file reads the catalog of the hosts of a name, keeps it in a file for when none answers, and follows changes.

// How often a caller asks for the fingerprint beside being told of changes, and while no host answers.
const (
	lookEvery = 30 * time.Second
	downEvery = 2 * time.Second
)

// hosts are the action hosts of a name. Safe for concurrent use.
type hosts struct {
	name, prefix, source string
	// file keeps the pages that were read last; empty keeps none.
	file    string
	connect Connect

	mu          sync.Mutex
	caller      *caller       // nil before the bus is needed
	fingerprint string        // of what load gave last
	down        error         // why no host answers; nil when one does, or none was asked
	differing   error         // that hosts serve different catalogs
	look        chan struct{} // has room for one: a call came to something that health does not say
}

func newHosts(name, prefix, source string, connect Connect) *hosts {
	return &hosts{name: name, prefix: prefix, source: source, connect: connect, look: make(chan struct{}, 1)}
}

// open connects to the bus when it is first needed.
func (s *hosts) open(ctx context.Context) (*caller, error) {
	b, err := s.connect(ctx)
	if err != nil {
		return nil, fmt.Errorf("host %s: %w", s.name, err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.caller == nil {
		s.caller, err = newCaller(s.name, b)
	}
	return s.caller, err
}

// call makes one attempt of a call.
func (s *hosts) call(ctx context.Context, r Request, mutates bool) (catalog.Result, error) {
	c, err := s.open(ctx)
	if err != nil {
		return catalog.Result{}, &catalog.Transient{Err: err}
	}
	result, err := c.call(ctx, r, mutates)
	if (errors.Is(err, errNobody) || errors.Is(err, bus.ErrLost)) != (s.health() != nil) {
		select {
		case s.look <- struct{}{}:
		default:
		}
	}
	return result, err
}

// health says why the actions cannot be called now.
func (s *hosts) health() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.down
}

// wrong is the health of the source.
func (s *hosts) wrong() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.down != nil {
		return s.down
	}
	return source.NewWarning(s.differing)
}

// compare looks whether all hosts serve the same, and returns true if that is news.
func (s *hosts) compare(ctx context.Context) bool {
	c, err := s.open(ctx)
	if err != nil {
		return false
	}
	all, err := AllServing(ctx, c.bus.Conn(), s.name)
	if err != nil {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	before := s.differing
	s.differing = Differing(s.name, all)
	return fmt.Sprint(before) != fmt.Sprint(s.differing)
}

// Close ends the subscription. The bus belongs to who gave it.
func (s *hosts) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.caller != nil {
		s.caller.close()
	}
	return nil
}

// outline asks a host what it serves, and takes in whether one answers.
func (s *hosts) outline(ctx context.Context) (o Outline, err error) {
	c, err := s.open(ctx)
	if err == nil {
		err = c.bus.Plain(request(ctx, c.bus.Conn(), Subject(s.name, OutlineSubject), struct{}{}, &o))
		switch {
		case errors.Is(err, nats.ErrNoResponders), errors.Is(err, context.DeadlineExceeded), errors.Is(err, nats.ErrTimeout):
			err = fmt.Errorf("host %s: no host answers", s.name)
		case err != nil:
			err = fmt.Errorf("host %s: %w", s.name, err)
		case o.Pages < 0 || o.Pages > maxPages || o.Entries > maxEntries || bus.CheckName("host", o.Instance) != nil:
			err = fmt.Errorf("host %s: its catalog is too large or not one", s.name)
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if ctx.Err() == nil {
		s.down = err
	}
	return o, err
}

// load reads the catalog of a host, or the one that was read last where no host answers.
func (s *hosts) load(ctx context.Context, progress func(source.Reading)) (catalog.Batch, error) {
	kept, keptPages, none := s.recall()
	o, err := s.outline(ctx)
	if err != nil {
		if none != nil {
			return catalog.Batch{}, err
		}
		return s.take(kept, keptPages)
	}
	if none == nil && kept.Fingerprint == o.Fingerprint {
		if batch, err := s.take(kept, keptPages); err == nil {
			return batch, nil
		}
	}
	pages, err := s.fetch(ctx, o, progress)
	if err != nil {
		return catalog.Batch{}, err
	}
	batch, err := s.take(o, pages)
	if err == nil {
		_ = s.remember(o, pages) // without it the next start reads the host
	}
	return batch, err
}

// take makes a batch of pages, whose fingerprint is from now on the known one.
func (s *hosts) take(o Outline, pages [][]byte) (catalog.Batch, error) {
	batch, err := s.read(o, pages)
	if err != nil {
		return batch, fmt.Errorf("host %s: %w", s.name, err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.fingerprint = o.Fingerprint
	return batch, nil
}

// fetch reads the pages of the host that gave the outline, some at a time.
func (s *hosts) fetch(ctx context.Context, o Outline, progress func(source.Reading)) ([][]byte, error) {
	c, err := s.open(ctx)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	pages := make([][]byte, o.Pages)
	var all sync.WaitGroup
	var mu sync.Mutex
	read := 0
	next := make(chan int)
	for range min(4, o.Pages) {
		all.Go(func() {
			for n := range next {
				page, err := s.page(ctx, c, o, n)
				if err != nil {
					cancel(err)
					continue
				}
				mu.Lock()
				pages[n] = page
				read++
				progress(source.Reading{Found: o.Entries * read / o.Pages, Percent: source.Percent(int64(read), int64(o.Pages))})
				mu.Unlock()
			}
		})
	}
	for n := range pages {
		if ctx.Err() != nil {
			break
		}
		next <- n
	}
	close(next)
	all.Wait()
	return pages, context.Cause(ctx)
}

// page reads one page.
func (s *hosts) page(ctx context.Context, c *caller, o Outline, n int) ([]byte, error) {
	ask, err := json.Marshal(Page{Fingerprint: o.Fingerprint, N: n})
	if err != nil {
		return nil, err
	}
	slow, cancel := context.WithTimeout(ctx, 10*askTime)
	defer cancel()
	m, err := c.bus.Conn().RequestWithContext(slow, InstanceSubject(s.name, o.Instance, PageSubject), ask)
	switch {
	case err != nil:
		return nil, fmt.Errorf("host %s: page %d of its catalog: %w", s.name, n+1, c.bus.Plain(err))
	case len(m.Data) == 0:
		return nil, fmt.Errorf("host %s: its catalog changed while it was read", s.name)
	}
	return m.Data, nil
}

// watch calls changed when a host serves something else than load gave last, and when one is back.
func (s *hosts) watch(ctx context.Context, changed func()) {
	news := make(chan *nats.Msg, 1)
	var heard *nats.Subscription
	for {
		if s.compare(ctx) {
			changed()
		}
		if heard == nil {
			if c, err := s.open(ctx); err == nil {
				heard, _ = c.bus.Conn().ChanSubscribe(Subject(s.name, ChangedSubject), news)
			}
			if heard != nil {
				defer heard.Unsubscribe()
			}
		}
		wait := lookEvery
		if s.health() != nil || heard == nil {
			wait = downEvery
		}
		timer := time.NewTimer(wait)
		select {
		case <-news:
		case <-s.look:
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return
		}
		timer.Stop()
		before := s.health()
		o, err := s.outline(ctx)
		s.mu.Lock()
		other := err == nil && o.Fingerprint != s.fingerprint
		s.mu.Unlock()
		if other || (before == nil) != (err == nil) {
			changed()
		}
		if other && task.Sleep(ctx, time.Second) != nil { // it is being read
			return
		}
	}
}

// maxFile is how large the kept pages may be.
const maxFile = 1 << 30

// remember keeps the pages for a start at which no host answers: a line with the outline, a line with their sizes, and
// they themselves.
func (s *hosts) remember(o Outline, pages [][]byte) error {
	if s.file == "" {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(s.file), 0o700); err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(s.file), ".new-*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	sizes := make([]int, len(pages))
	for i, page := range pages {
		sizes[i] = len(page)
	}
	to := json.NewEncoder(f)
	errs := []error{to.Encode(keptPages{o, sizes})}
	for _, page := range pages {
		_, err := f.Write(page)
		errs = append(errs, err)
	}
	if err := errors.Join(append(errs, f.Close())...); err != nil {
		return err
	}
	return os.Rename(f.Name(), s.file)
}

// keptPages is the first line of a file of pages.
type keptPages struct {
	Outline Outline `json:"outline"`
	Sizes   []int   `json:"sizes"`
}

// recall reads what remember kept.
func (s *hosts) recall() (o Outline, pages [][]byte, err error) {
	f, err := regular.Open(s.file)
	if err != nil {
		return o, nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxFile))
	if err != nil {
		return o, nil, err
	}
	var head keptPages
	from := json.NewDecoder(bytes.NewReader(data))
	if err := from.Decode(&head); err != nil {
		return o, nil, err
	}
	rest := data[min(from.InputOffset()+1, int64(len(data))):] // behind the line
	for _, size := range head.Sizes {
		if size < 0 || size > len(rest) {
			return o, nil, fmt.Errorf("%s: damaged", s.file)
		}
		pages, rest = append(pages, rest[:size]), rest[size:]
	}
	return head.Outline, pages, nil
}
