// Package bus is a connection to NATS with JetStream: to a server or cluster by its URL, or to the server that the
// programs of one user on one machine share.
//
//	Options  where to connect
//	Bus      the connection
//
// Start at Open.
package bus

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/nats-io/nats-server/v2/server"
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
}

// startTime is how long the shared server may take to start.
const startTime = 10 * time.Second

// A Bus is a connection. It reconnects by itself until it is closed. Safe for concurrent use.
type Bus struct {
	conn   *nats.Conn
	stream jetstream.JetStream
	shared *server.Server // runs in this program; nil if another or a URL has it
}

// Open connects. ctx bounds the connecting alone.
func Open(ctx context.Context, o Options) (_ *Bus, err error) {
	b := &Bus{}
	defer func() {
		if err != nil {
			err = errors.Join(err, b.Close())
		}
	}()
	options := []nats.Option{nats.Name(o.Name), nats.MaxReconnects(-1), nats.RetryOnFailedConnect(false)}
	if o.URL == "" {
		if b.shared, err = start(o.Dir); err != nil {
			return nil, err
		}
		options = append(options, nats.InProcessServer(b.shared))
	}
	for _, file := range []struct {
		name   string
		option func() nats.Option
	}{
		{o.Credentials, func() nats.Option { return nats.UserCredentials(o.Credentials) }},
		{o.CA, func() nats.Option { return nats.RootCAs(o.CA) }},
		{o.Cert, func() nats.Option { return nats.ClientCert(o.Cert, o.Key) }},
	} {
		if file.name != "" {
			options = append(options, file.option())
		}
	}
	if b.conn, err = nats.Connect(o.URL, options...); err != nil {
		return nil, fmt.Errorf("nats %s: %w", o.URL, err)
	}
	if b.stream, err = jetstream.New(b.conn); err != nil {
		return nil, fmt.Errorf("nats: %w", err)
	}
	return b, nil
}

// start runs the shared server on the data in dir. It listens nowhere.
func start(dir string) (*server.Server, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("team bus: %w", err)
	}
	s, err := server.NewServer(&server.Options{
		DontListen: true, JetStream: true, StoreDir: filepath.Join(dir, "jetstream"), NoSigs: true, NoLog: true,
	})
	if err != nil {
		return nil, fmt.Errorf("team bus: %w", err)
	}
	s.Start()
	if !s.ReadyForConnections(startTime) {
		s.Shutdown()
		return nil, fmt.Errorf("team bus: not ready after %v", startTime)
	}
	return s, nil
}

// Conn is the connection.
func (b *Bus) Conn() *nats.Conn { return b.conn }

// JetStream is what the server keeps.
func (b *Bus) JetStream() jetstream.JetStream { return b.stream }

// Replicated does f with the number of copies that a new stream should have: three in a cluster that has them.
func (b *Bus) Replicated(f func(replicas int) error) error {
	if b.conn.ConnectedClusterName() != "" {
		if err := f(3); err == nil || !isScarce(err) {
			return err
		}
	}
	return f(1)
}

// isScarce says whether err means that there are not as many servers as copies are wanted.
func isScarce(err error) bool {
	const noPeers, noReplicas = 10005, 10074
	var refused *jetstream.APIError
	return errors.As(err, &refused) && (refused.ErrorCode == noPeers || refused.ErrorCode == noReplicas)
}

// Close ends the connection, and the shared server if it runs here. What was acknowledged stays on disk.
func (b *Bus) Close() error {
	if b.conn != nil {
		b.conn.Close()
	}
	if b.shared != nil {
		b.shared.Shutdown()
		b.shared.WaitForShutdown()
	}
	return nil
}
