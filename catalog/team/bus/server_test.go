package bus_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"

	"almanac/catalog"
	"almanac/catalog/team"
	"almanac/catalog/team/bus"
	"almanac/session"
	"almanac/session/host"
)

// This file joins real servers by their URL: with TLS, accounts, permissions, and wrongly.

// run starts a server on a free port of the loopback interface, or on the one that o names.
func run(t *testing.T, o *server.Options) *server.Server {
	t.Helper()
	o.Host, o.NoLog, o.NoSigs, o.LogFile = "127.0.0.1", true, true, ""
	if o.Port == 0 || o.Port == server.DEFAULT_PORT {
		o.Port = server.RANDOM_PORT
	}
	s, err := server.NewServer(o)
	if err != nil {
		t.Fatal(err)
	}
	s.Start()
	if !s.ReadyForConnections(10 * time.Second) {
		t.Fatal("the server does not start")
	}
	t.Cleanup(func() {
		s.Shutdown()
		s.WaitForShutdown()
	})
	return s
}

// address is where a server listens, with the scheme, and the user if there is one.
func address(s *server.Server, scheme string) string { return scheme + s.Addr().String() }

// certificates writes ca.pem, server.pem, server.key, client.pem and client.key to the folder.
func certificates(t *testing.T, dir string) {
	t.Helper()
	var ca *x509.Certificate
	var caKey *ecdsa.PrivateKey
	for i, name := range []string{"ca", "server", "client"} {
		key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
		if err != nil {
			t.Fatal(err)
		}
		c := &x509.Certificate{
			SerialNumber: big.NewInt(int64(i + 1)), Subject: pkix.Name{CommonName: name},
			NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
			IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: i == 0, BasicConstraintsValid: true,
			KeyUsage:    x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
			ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
		}
		if i == 0 {
			ca, caKey = c, key
		}
		raw, err := x509.CreateCertificate(rand.Reader, c, ca, &key.PublicKey, caKey)
		if err != nil {
			t.Fatal(err)
		}
		secret, err := x509.MarshalPKCS8PrivateKey(key)
		if err != nil {
			t.Fatal(err)
		}
		for file, block := range map[string]*pem.Block{
			name + ".pem": {Type: "CERTIFICATE", Bytes: raw}, name + ".key": {Type: "PRIVATE KEY", Bytes: secret},
		} {
			if err := os.WriteFile(filepath.Join(dir, file), pem.EncodeToMemory(block), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// documented starts the server of docs/team.md and returns its options for clients.
func documented(t *testing.T) (url func(user string) bus.Options) {
	t.Helper()
	page, err := os.ReadFile("../../../docs/team.md")
	if err != nil {
		t.Fatal(err)
	}
	config := regexp.MustCompile("(?s)```\n(# team.conf.*?)```").FindSubmatch(page)
	if config == nil {
		t.Fatal("docs/team.md has no team.conf")
	}
	t.Chdir(t.TempDir())
	certificates(t, ".")
	for _, user := range []string{"SHOP_ANN", "SHOP_BOB", "DEPOT_EVE"} {
		t.Setenv(user, "pass-"+strings.ToLower(user[strings.Index(user, "_")+1:]))
	}
	if err := os.WriteFile("team.conf", config[1], 0o600); err != nil {
		t.Fatal(err)
	}
	o, err := server.ProcessConfigFile("team.conf")
	if err != nil {
		t.Fatal(err)
	}
	s := run(t, o)
	return func(user string) bus.Options {
		return bus.Options{
			URL: address(s, "tls://"+user+":pass-"+user+"@"), CA: "ca.pem", Cert: "client.pem", Key: "client.key",
		}
	}
}

func open(t *testing.T, o bus.Options) *bus.Bus {
	t.Helper()
	b, err := bus.Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { b.Close() })
	return b
}

// join joins the team and returns a function that calls an action of it.
func join(t *testing.T, b *bus.Bus, name string) (*team.Team, func(id string, args map[string]any) map[string]any) {
	t.Helper()
	joined, err := team.Join(t.Context(), b, team.Options{Team: "shop", Agent: name})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { joined.Close() })
	return joined, func(id string, args map[string]any) map[string]any {
		t.Helper()
		for _, e := range joined.Entries() {
			if e.ID != id {
				continue
			}
			checked, err := e.Input.Check(args)
			if err != nil {
				t.Fatal(id, err)
			}
			host := catalog.Context{Messages: []catalog.Message{{Role: "user", Text: "the queue of billing is red"}}}
			for _, in := range e.Inject {
				checked[in.Field], _ = host.Value(in.From)
			}
			r, err := e.Action(t.Context(), catalog.Call{ID: id, Args: checked, Context: host})
			if err != nil {
				t.Fatal(id, err)
			}
			m, _ := r.Data.(map[string]any)
			return m
		}
		t.Fatalf("no action %s", id)
		return nil
	}
}

// On the documented server a team can do all that it needs, and nothing to another team.
func TestSharedServer(t *testing.T) {
	client := documented(t)
	annBus, bobBus, eveBus := open(t, client("ann")), open(t, client("bob")), open(t, client("eve"))
	heard := make(chan string, 100)
	hear := func(m *nats.Msg) { heard <- m.Subject + " " + string(m.Data) }
	if _, err := eveBus.Conn().Subscribe(">", hear); err != nil {
		t.Fatal(err)
	}
	ann, annCall := join(t, annBus, "ann")
	bob, bobCall := join(t, bobBus, "bob")

	annCall("peer.message", map[string]any{"to": "bob", "content": "SECRET of shop"})
	id := annCall("peer.ask", map[string]any{"question": "SECRET queue?", "target": "bob"})["query_id"]
	bobCall("peer.answer", map[string]any{"query_id": id, "answer": "SECRET red"})
	annCall("context.offload", map[string]any{"topic": "SECRET queue"})
	annCall("peer.task.create", map[string]any{"title": "SECRET task", "to": "bob"})
	task, _ := bobCall("peer.task.take", map[string]any{})["id"].(string)
	bobCall("peer.task.finish", map[string]any{"id": task, "result": "SECRET done"})
	annCall("peer.claim", map[string]any{"name": "SECRET notes"})
	annCall("peer.release", map[string]any{"name": "SECRET notes"})
	waitFor(t, func() bool { return len(bob.Unread()) >= 2 && len(ann.Unread()) >= 2 })

	// Eve says that she is of the team shop; her account has another one.
	eve, eveCall := join(t, eveBus, "ann")
	if eve.Agent() != "ann" || len(eve.Unread()) != 0 || len(eve.Inbox(0)) != 0 {
		t.Errorf("eve is %s and has %v", eve.Agent(), eve.Inbox(0))
	}
	eveCall("peer.message", map[string]any{"to": "bob", "content": "FORGED"})
	if asked, own, err := eve.Queries(t.Context()); err != nil || len(asked)+len(own) != 0 {
		t.Error(asked, own, err)
	}
	found := eveCall("context.retrieve", map[string]any{"query": "SECRET queue"})
	if strings.Contains(fmt.Sprint(found), "red") {
		t.Error(found)
	}
	for name := range eveBus.JetStream().StreamNames(t.Context()).Name() {
		s, err := eveBus.JetStream().Stream(t.Context(), name)
		if err != nil {
			t.Fatal(err)
		}
		for n := s.CachedInfo().State.FirstSeq; n <= s.CachedInfo().State.LastSeq; n++ {
			if m, err := s.GetMsg(t.Context(), n); err == nil && strings.Contains(string(m.Data), "SECRET") {
				t.Errorf("%s has %s", name, m.Data)
			}
		}
	}
	for _, i := range bob.Inbox(0) {
		if i.Text == "FORGED" {
			t.Error("bob has what eve sent")
		}
	}
	if err := eveBus.Conn().Flush(); err != nil {
		t.Fatal(err)
	}
	for len(heard) > 0 {
		if said := <-heard; strings.Contains(said, "SECRET") {
			t.Error("eve hears ", said)
		}
	}
	// Members can be action hosts, and the second of a name finds what the first one made.
	none, _ := catalog.New(nil, catalog.Options{})
	offered, err := session.New(none.View(), session.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { offered.Close() })
	for _, b := range []*bus.Bus{annBus, bobBus} {
		h, err := host.Start(t.Context(), b, offered, host.Options{Name: "office"})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { h.Close(context.WithoutCancel(t.Context())) })
	}
	// A member cannot delete what the team keeps.
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	if err := bobBus.JetStream().DeleteStream(ctx, "almanac_shop_mail"); err == nil {
		t.Error("bob has deleted the mail")
	}
	if _, err := annBus.JetStream().Stream(t.Context(), "almanac_shop_mail"); err != nil {
		t.Error(err)
	}
}

func waitFor(t *testing.T, done func() bool) {
	t.Helper()
	for !done() {
		select {
		case <-t.Context().Done():
			t.Fatal("it does not come")
		case <-time.After(5 * time.Millisecond):
		}
	}
}
