package bus

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/nats-io/nats.go"
)

// This file connects to a server or cluster by its URL, and says what to do where that fails.

// join connects to the servers of the URL.
func (b *Bus) join(ctx context.Context, options []nats.Option) (*nats.Conn, error) {
	o := b.options
	for address := range strings.SplitSeq(o.URL, ",") {
		if err := checkURL(strings.TrimSpace(address)); err != nil {
			return nil, err
		}
	}
	if (o.Cert == "") != (o.Key == "") {
		return nil, errors.New("nats: a client certificate is two files: set both cert and key")
	}
	for _, file := range []struct {
		what, name string
		option     func() nats.Option
	}{
		{"credentials", o.Credentials, func() nats.Option { return nats.UserCredentials(o.Credentials) }},
		{"ca", o.CA, func() nats.Option { return nats.RootCAs(o.CA) }},
		{"cert", o.Cert, func() nats.Option { return nats.ClientCert(o.Cert, o.Key) }},
		{"key", o.Key, nil},
	} {
		if file.name == "" {
			continue
		}
		f, err := os.Open(file.name)
		if err != nil {
			return nil, fmt.Errorf("nats: %s: %w", file.what, err)
		}
		f.Close()
		if file.option != nil {
			options = append(options, file.option())
		}
	}
	d := &dialer{ctx: ctx}
	conn, err := nats.Connect(o.URL, append(options, nats.SetCustomDialer(d))...)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", b.where(), d.why(err))
	}
	d.opened()
	return conn, nil
}

// checkURL says what is wrong with the address of a server.
func checkURL(address string) error {
	whole := address
	if !strings.Contains(address, "://") {
		whole = "nats://" + address
	}
	u, err := url.Parse(whole)
	if err != nil || u.Host == "" {
		return fmt.Errorf("nats %.100q: not an address: want nats://HOST:PORT or tls://HOST:PORT, several separated by commas",
			shown(address))
	}
	switch u.Scheme {
	case "nats", "tls", "ws", "wss":
		return nil
	}
	return fmt.Errorf("nats %.100q: want nats:// or tls:// in front, not %s://", shown(address), u.Scheme)
}

// shown is a list of addresses without the passwords in them.
func shown(addresses string) string {
	var all []string
	for address := range strings.SplitSeq(addresses, ",") {
		if at := strings.LastIndex(address, "@"); at >= 0 {
			scheme, _, found := strings.Cut(address, "://")
			if address = address[at+1:]; found {
				address = scheme + "://" + address
			}
		}
		all = append(all, address)
	}
	return strings.Join(all, ",")
}

// A dialer remembers why a connection could not be made, which the client library does not tell.
type dialer struct {
	mu   sync.Mutex
	ctx  context.Context // while the bus is opened; then nil
	last error
}

// Dial connects to a server.
func (d *dialer) Dial(network, address string) (net.Conn, error) {
	d.mu.Lock()
	ctx := d.ctx
	d.mu.Unlock()
	if ctx == nil {
		ctx = context.Background()
	}
	ctx, cancel := context.WithTimeout(ctx, connectTime)
	defer cancel()
	conn, err := (&net.Dialer{KeepAlive: 15 * time.Second}).DialContext(ctx, network, address)
	d.mu.Lock()
	defer d.mu.Unlock()
	d.last = err
	return conn, err
}

// opened ends the time in which dialing is bounded by the context of Open.
func (d *dialer) opened() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.ctx = nil
}

// why is the reason of an error of the client library, with what to do about it.
func (d *dialer) why(err error) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if errors.Is(err, nats.ErrNoServers) && d.last != nil {
		err = d.last
	}
	var unknownHost *net.DNSError
	hint, said := "", err.Error()
	switch {
	case errors.Is(err, syscall.ECONNREFUSED):
		hint = "no server listens there: start it, or mend the address"
	case errors.As(err, &unknownHost):
		hint = "mend the name of the host"
	case errors.As(err, &x509.UnknownAuthorityError{}):
		hint = "name the file of the authority that signed it with ca in [nats]"
	case errors.As(err, &x509.HostnameError{}):
		hint = "connect by a name that the server's certificate has"
	case strings.Contains(said, "certificate required"), strings.Contains(said, "after TLS handshake"):
		hint = "the server wants a certificate of the client: set cert and key in [nats]"
	case errors.Is(err, nats.ErrSecureConnWanted), errors.Is(err, nats.ErrSecureConnRequired):
		hint = "the server has no TLS: connect with nats://, or have it use TLS"
	case strings.Contains(said, "nkeys:"), strings.Contains(said, "unable to extract key pair"):
		hint = "want a file as nsc writes it, with a token and a seed"
	case errors.Is(err, nats.ErrAuthorization), errors.Is(err, nats.ErrAuthExpired):
		hint = "the server does not accept who this is: set credentials in [nats], or mend the user in the URL"
	case errors.Is(err, nats.ErrTimeout), errors.Is(err, context.DeadlineExceeded):
		hint = "nothing that speaks NATS answers there: check the address and the firewall"
	case errors.Is(err, nats.ErrNoServers):
		hint = "none of them answers as a NATS server"
	}
	if hint == "" {
		return err
	}
	return fmt.Errorf("%w: %s", err, hint)
}
