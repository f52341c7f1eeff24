package bus_test

import (
	"fmt"
	"io"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/jwt/v2"
	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nkeys"

	"almanac/catalog/team"
	"almanac/catalog/team/bus"
)

// What is wrong with a server, its address or what it wants is said, with what to do.
func TestJoinWrongly(t *testing.T) {
	dir := t.TempDir()
	certificates(t, dir)
	file := func(name string) string { return filepath.Join(dir, name) }
	if err := os.WriteFile(file("words.txt"), []byte("no credentials\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	tls, err := server.GenTLSConfig(&server.TLSConfigOpts{
		CertFile: file("server.pem"), KeyFile: file("server.key"), CaFile: file("ca.pem"), Verify: true,
	})
	if err != nil {
		t.Fatal(err)
	}
	strict := run(t, &server.Options{
		TLSConfig: tls, TLSVerify: true, TLSTimeout: 5, Username: "ann", Password: "pw",
		JetStream: true, StoreDir: t.TempDir(),
	})
	bare := run(t, &server.Options{})
	nobody, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	nobody.Close()
	closed := nobody.Addr().String()
	at := strict.Addr().String()
	for _, c := range []struct {
		o    bus.Options
		want string
	}{
		{bus.Options{URL: "nats://" + closed}, "nats://CLOSED: dial tcp CLOSED: connect: connection refused: " +
			"no server listens there: start it, or mend the address"},
		{bus.Options{URL: "nats://ann:pw@" + closed + "," + closed}, "nats://CLOSED,CLOSED: dial tcp CLOSED: connect: " +
			"connection refused: no server listens there: start it, or mend the address"},
		{bus.Options{URL: "http://" + closed}, `nats "http://CLOSED": want nats:// or tls:// in front, not http://`},
		{bus.Options{URL: "nats://"}, `nats "nats://": not an address: want nats://HOST:PORT or tls://HOST:PORT, ` +
			"several separated by commas"},
		{bus.Options{URL: "tls://" + at, CA: file("none.pem")}, "nats: ca: open DIR/none.pem: no such file or directory"},
		{bus.Options{URL: "tls://" + at, Cert: file("client.pem")},
			"nats: a client certificate is two files: set both cert and key"},
		{bus.Options{URL: "tls://" + at, CA: file("words.txt")},
			`nats tls://STRICT: nats: failed to parse root certificate from "DIR/words.txt"`},
		{bus.Options{
			URL: "tls://" + at, CA: file("ca.pem"), Cert: file("client.pem"), Key: file("client.key"),
			Credentials: file("words.txt"),
		}, `nats tls://STRICT: error signing nonce: unable to extract key pair from file "DIR/words.txt": ` +
			"nkeys: no nkey seed found: want a file as nsc writes it, with a token and a seed"},
		{bus.Options{URL: "tls://" + at}, "nats tls://STRICT: nats: tls error: tls: failed to verify certificate: " +
			"x509: certificate signed by unknown authority: " +
			"name the file of the authority that signed it with ca in [nats]"},
		{bus.Options{URL: "tls://" + at, CA: file("ca.pem")}, "nats tls://STRICT: ...: " +
			"the server wants a certificate of the client: set cert and key in [nats]"},
		{bus.Options{URL: "tls://ann:no@" + at, CA: file("ca.pem"), Cert: file("client.pem"), Key: file("client.key")},
			"nats tls://STRICT: nats: Authorization Violation: " +
				"the server does not accept who this is: set credentials in [nats], or mend the user in the URL"},
		{bus.Options{URL: "tls://" + bare.Addr().String()}, "nats tls://BARE: nats: secure connection not available: " +
			"the server has no TLS: connect with nats://, or have it use TLS"},
		{bus.Options{URL: "nats://" + bare.Addr().String()}, "nats://BARE: has no JetStream: " +
			"start the server with -js, or with jetstream {} in its configuration"},
		{bus.Options{
			URL: closed + ",tls://ann:pw@" + at, CA: file("ca.pem"), Cert: file("client.pem"), Key: file("client.key"),
		}, "<nil>"},
	} {
		b, err := bus.Open(t.Context(), c.o)
		got := strings.NewReplacer(dir, "DIR", closed, "CLOSED", at, "STRICT", bare.Addr().String(), "BARE").
			Replace(fmt.Sprint(err))
		if before, after, _ := strings.Cut(c.want, "..."); got != c.want &&
			(after == "" || !strings.HasPrefix(got, before) || !strings.HasSuffix(got, after)) {
			t.Errorf("%+v:\n\t%s\nwant\t%s", c.o, got, c.want)
		}
		if err == nil {
			b.Close()
		}
	}
}

// A file of credentials, as an operator's tools write it, joins the account that it is for.
func TestCredentials(t *testing.T) {
	key := func(make func() (nkeys.KeyPair, error)) (nkeys.KeyPair, string) {
		pair, err := make()
		if err != nil {
			t.Fatal(err)
		}
		public, err := pair.PublicKey()
		if err != nil {
			t.Fatal(err)
		}
		return pair, public
	}
	operator, operatorID := key(nkeys.CreateOperator)
	account, accountID := key(nkeys.CreateAccount)
	system, systemID := key(nkeys.CreateAccount)
	user, userID := key(nkeys.CreateUser)
	resolver := &server.MemAccResolver{}
	for id, signer := range map[string]nkeys.KeyPair{accountID: account, systemID: system} {
		claims := jwt.NewAccountClaims(id)
		if signer == account {
			claims.Limits.JetStreamLimits = jwt.JetStreamLimits{DiskStorage: 1 << 30, Streams: -1, Consumer: -1}
		}
		token, err := claims.Encode(operator)
		if err != nil {
			t.Fatal(err)
		}
		if err := resolver.Store(id, token); err != nil {
			t.Fatal(err)
		}
	}
	token, err := jwt.NewUserClaims(userID).Encode(account)
	if err != nil {
		t.Fatal(err)
	}
	seed, err := user.Seed()
	if err != nil {
		t.Fatal(err)
	}
	creds, err := jwt.FormatUserConfig(token, seed)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "ann.creds")
	if err := os.WriteFile(file, creds, 0o600); err != nil {
		t.Fatal(err)
	}
	s := run(t, &server.Options{
		TrustedOperators: []*jwt.OperatorClaims{jwt.NewOperatorClaims(operatorID)}, AccountResolver: resolver,
		SystemAccount: systemID, JetStream: true, StoreDir: t.TempDir(),
	})
	b := open(t, bus.Options{URL: address(s, "nats://"), Credentials: file})
	join(t, b, "ann")
}

// A server that goes is told in a line, and its return in another, however many attempts there were.
func TestStates(t *testing.T) {
	o := &server.Options{JetStream: true, StoreDir: t.TempDir()}
	s := run(t, o)
	u, err := url.Parse(address(s, "nats://"))
	if err != nil {
		t.Fatal(err)
	}
	states := make(chan bus.State, 100)
	b := open(t, bus.Options{URL: u.String(), State: func(s bus.State) { states <- s }})
	joined, _ := join(t, b, "ann")
	s.Shutdown()
	s.WaitForShutdown()
	lost := <-states
	if err := b.Conn().Publish("x", nil); err == nil {
		t.Error("what is sent now would be sent later")
	}
	again := *o
	if _, err := fmt.Sscan(u.Port(), &again.Port); err != nil {
		t.Fatal(err)
	}
	run(t, &again)
	found := <-states
	for got, want := range map[string]string{
		lost.Text:  u.String() + ": connection lost: trying to reconnect; what was acknowledged is kept there",
		found.Text: u.String() + ": connected again",
	} {
		if got != want {
			t.Errorf("%s\nwant %s", got, want)
		}
	}
	if err := joined.Send(t.Context(), team.Item{Kind: team.Message, To: "bob", Text: "still here"}); err != nil {
		t.Error(err)
	}
	if len(states) > 0 {
		t.Error(<-states)
	}
}

// A connection that is lost while the server is waited for is one that comes back, other than one that was closed.
func TestFlushLost(t *testing.T) {
	s := run(t, &server.Options{JetStream: true, StoreDir: t.TempDir()})
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	var mute atomic.Bool
	go func() {
		for {
			client, err := l.Accept()
			if err != nil {
				return
			}
			server, err := net.Dial("tcp", s.Addr().String())
			if err != nil {
				client.Close()
				continue
			}
			go func() {
				defer client.Close()
				defer server.Close()
				asked := make([]byte, 4096)
				for n, err := 0, error(nil); err == nil; _, err = server.Write(asked[:n]) {
					if n, err = client.Read(asked); err == nil && mute.CompareAndSwap(true, false) {
						return // what was asked is never answered
					}
				}
			}()
			go func() { _, _ = io.Copy(client, server) }()
		}
	}()
	b := open(t, bus.Options{URL: "nats://" + l.Addr().String()})
	mute.Store(true)
	if err := b.Flush(); !bus.IsLost(err) {
		t.Error(err)
	}
	for end := time.Now().Add(20 * time.Second); b.Flush() != nil && time.Now().Before(end); {
		time.Sleep(10 * time.Millisecond)
	}
	if err := b.Flush(); err != nil {
		t.Error(err)
	}
	if err := b.Close(); err != nil {
		t.Error(err)
	}
	if err := b.Flush(); err == nil || bus.IsLost(err) {
		t.Error(err)
	}
}
