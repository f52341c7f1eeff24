// Package grpc turns the methods of gRPC services into actions.
//
//	Kind      a server that describes itself, or files that describe it, as a source
//	api       one server: reads the descriptions, keeps the connection
//	loader    makes an entry of each method
//	caller    calls one method: one message, or a stream of them, as plain data
//
// Descriptions come from the server's reflection, from .proto files or from a descriptor set. Messages are dynamic: no
// code is generated. A description is foreign data: its texts are cut and cleaned, and a method that is not clearly a
// read counts as a mutation.
//
// Start at api.load.
package grpc

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/url"
	"path/filepath"
	"strings"
	"sync"
	"time"

	rpc "google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"

	"almanac/catalog"
	"almanac/catalog/secret"
	"almanac/catalog/source"
	"almanac/catalog/verb"
	"almanac/catalog/web"
)

// An api is one server. It is safe for concurrent use.
type api struct {
	// Site is the server's. It is read from the address of a server with reflection, or a file: .proto, or a descriptor
	// set (.protoset, .pb, .binpb). Its headers are metadata.
	web.Site
	name    string
	auth    [][]web.Auth
	address string // host:port; empty where none is known
	plain   bool   // without TLS
	wrong   error  // why the address is of no use

	mu   sync.Mutex
	conn *rpc.ClientConn
}

// newAPI returns an api. Nothing is read yet.
func newAPI(s web.Site) *api {
	a := &api{Site: s, name: cmp.Or(s.Name, nameOf(s.From))}
	server := s.Base
	if server == "" && !isFile(s.From) {
		server = s.From
	}
	a.address, a.plain, a.wrong = target(server)
	a.auth = s.Token(a.name)
	return a
}

// isFile reports whether a source is read from a file.
func isFile(from string) bool {
	switch filepath.Ext(from) {
	case ".proto", ".protoset", ".pb", ".binpb":
		return !strings.Contains(from, "://")
	}
	return false
}

// target reads an address: HOST:PORT and https://HOST:PORT with TLS, http://HOST:PORT without.
func target(server string) (address string, plain bool, err error) {
	if server == "" {
		return "", false, nil
	}
	written := server
	if !strings.Contains(server, "://") {
		server = "https://" + server
	}
	u, err := url.Parse(server)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" || strings.Trim(u.Path, "/") != "" ||
		u.User != nil {
		shown, _ := secret.Address(written)
		return "", false, fmt.Errorf("server %q: want HOST:PORT, or http://HOST:PORT without TLS", line(shown, 200))
	}
	plain = u.Scheme == "http"
	port := u.Port()
	if port == "" {
		port = "443"
		if plain {
			port = "80"
		}
	}
	return net.JoinHostPort(u.Hostname(), port), plain, nil
}

// url is the server's address with its scheme.
func (a *api) url() string {
	if a.plain {
		return "http://" + a.address
	}
	return "https://" + a.address
}

// nameOf is what a source without a name is called: after its file, or the host of its address.
func nameOf(from string) string {
	name := strings.TrimSuffix(filepath.Base(from), filepath.Ext(from))
	if !isFile(from) {
		address, _, _ := target(from)
		host, _, _ := net.SplitHostPort(address)
		labels := strings.Split(host, ".")
		if name = labels[max(0, len(labels)-2)]; net.ParseIP(host) != nil {
			name = ""
		}
	}
	return cmp.Or(verb.Segment(name), "grpc")
}

// load reads the descriptions and makes an entry of each method.
func (a *api) load(ctx context.Context, _ func(source.Reading)) (catalog.Batch, error) {
	if a.wrong != nil {
		return catalog.Batch{}, a.wrong
	}
	services, lost, err := a.services(ctx)
	if err != nil {
		return catalog.Batch{}, err
	}
	l := loader{api: a, types: typesOf(a, services)}
	l.batch.Mended = lost
	return l.load(ctx, services)
}

const (
	// maxMessage bounds a message that is received, in bytes.
	maxMessage = 16 << 20
	// connectWait bounds one attempt to reach the server.
	connectWait = 10 * time.Second
)

// connection is the connection to the server. It is made once, and again by itself when it is lost.
func (a *api) connection() (*rpc.ClientConn, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.conn != nil {
		return a.conn, nil
	}
	if a.address == "" {
		return nil, errors.New("the descriptions name no server: set one with --base NAME=HOST:PORT")
	}
	trust, err := a.Access.Certificate.TLS()
	if err != nil {
		return nil, err
	}
	if trust == nil {
		trust = &tls.Config{MinVersion: tls.VersionTLS12}
	}
	transport := credentials.NewTLS(trust)
	if a.plain {
		transport = insecure.NewCredentials()
	}
	conn, err := rpc.NewClient("dns:///"+a.address, rpc.WithTransportCredentials(transport), rpc.WithUserAgent("almanac"),
		rpc.WithDefaultCallOptions(rpc.MaxCallRecvMsgSize(maxMessage)), rpc.WithDisableServiceConfig(),
		rpc.WithDisableRetry(),
		rpc.WithConnectParams(rpc.ConnectParams{MinConnectTimeout: connectWait}))
	if err != nil {
		return nil, fmt.Errorf("server %s: %w", a.address, err)
	}
	a.conn = conn
	return conn, nil
}

// Health says why actions cannot be called now.
func (a *api) Health() error {
	if a.address == "" {
		_, err := a.connection()
		return err
	}
	return nil
}

// Close ends the connection.
func (a *api) Close() error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.conn == nil {
		return nil
	}
	err := a.conn.Close()
	a.conn = nil
	return err
}
