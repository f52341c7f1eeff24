package main

// This file takes in what changes while the gateway serves: its clients and its certificate.

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"sync"
	"sync/atomic"
	"syscall"

	"almanac/catalog/source"
	"almanac/catalog/text"
	"almanac/session/gateway"
)

// A certificate is that of HTTPS, as it was read last.
type certificate struct {
	cert, key string
	now       atomic.Pointer[tls.Certificate]
}

// certificate is the one of the flags; nil where there is none.
func (c serveCommand) certificate() (*certificate, error) {
	switch {
	case c.TLSCert == "" && c.TLSKey == "":
		return nil, nil
	case c.TLSCert == "" || c.TLSKey == "":
		return nil, errors.New("--tls-cert and --tls-key: give both or neither")
	case c.HTTP == "":
		return nil, errors.New("--tls-cert: needs --http")
	}
	made := &certificate{cert: c.TLSCert, key: c.TLSKey}
	_, err := made.read()
	return made, err
}

// read reads it again and reports whether it is another one.
func (c *certificate) read() (other bool, err error) {
	pair, err := tls.LoadX509KeyPair(c.cert, c.key)
	if err != nil {
		return false, fmt.Errorf("--tls-cert %s: %w", c.cert, err)
	}
	before := c.now.Swap(&pair)
	return before == nil || !slices.EqualFunc(before.Certificate, pair.Certificate, bytes.Equal), nil
}

func (c *certificate) config() *tls.Config {
	return &tls.Config{
		MinVersion:     tls.VersionTLS12,
		GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) { return c.now.Load(), nil },
	}
}

// reload reads clients and certificate again when a file of theirs changes, and on SIGHUP, until stop, and opens the
// audit log again. What cannot be read leaves what was there.
func (s *served) reload(ctx context.Context, c serveCommand, g *gateway.Gateway, cert *certificate,
	w *watched) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	again := make(chan os.Signal, 1)
	signal.Notify(again, syscall.SIGHUP)
	changed := func() {
		select {
		case again <- syscall.SIGHUP:
		default:
		}
	}
	var wait sync.WaitGroup
	var files []string
	if c.Clients != "" {
		files = append(files, c.Clients)
	}
	if cert != nil {
		files = append(files, cert.cert, cert.key)
	}
	for _, file := range files {
		watch := source.WatchFile(file, 0)
		wait.Go(func() { watch(ctx, changed) })
	}
	wait.Go(func() {
		for {
			select {
			case <-again:
				s.readAgain(c, g, cert)
				if err := w.reopen(); err != nil {
					s.note("reload: %v: the file stays as it was", err)
				}
			case <-ctx.Done():
				return
			}
		}
	})
	return func() {
		signal.Stop(again)
		cancel()
		wait.Wait()
	}
}

func (s *served) readAgain(c serveCommand, g *gateway.Gateway, cert *certificate) {
	if c.Clients != "" {
		roster, err := c.roster(s.cli)
		if err == nil {
			err = c.explained(g.SetRoster(roster))
		}
		if err != nil {
			s.note("reload: %v: clients stay as they were", err)
		} else {
			s.note("reload: %s", text.Count(len(roster.Clients), "client"))
			s.warn(roster.Clients)
		}
	}
	if cert != nil {
		if other, err := cert.read(); err != nil {
			s.note("reload: %v: the certificate stays as it was", err)
		} else if other {
			s.note("reload: certificate read")
		}
	}
}
