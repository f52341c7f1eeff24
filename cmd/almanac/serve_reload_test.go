package main

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"almanac/catalog"
	"almanac/catalog/source"
	"almanac/session"
	"almanac/session/gateway"
)

// selfSigned writes a certificate for localhost, of that serial number and good for so long, and its key.
func selfSigned(t *testing.T, c *certificate, serial int64, left time.Duration) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	about := &x509.Certificate{SerialNumber: big.NewInt(serial), NotAfter: time.Now().Add(left),
		DNSNames: []string{"localhost"}}
	cert, err := x509.CreateCertificate(rand.Reader, about, about, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	private, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	for file, block := range map[string]*pem.Block{
		c.cert: {Type: "CERTIFICATE", Bytes: cert}, c.key: {Type: "EC PRIVATE KEY", Bytes: private},
	} {
		if err := os.WriteFile(file, pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// Clients and certificate are read again; what cannot be read leaves what was there, and is told.
func TestServeReload(t *testing.T) {
	dir := t.TempDir()
	c := serveCommand{Clients: filepath.Join(dir, "clients.toml"), HTTP: "127.0.0.1:0",
		TLSCert: filepath.Join(dir, "cert.pem"), TLSKey: filepath.Join(dir, "key.pem")}
	selfSigned(t, &certificate{cert: c.TLSCert, key: c.TLSKey}, 1, time.Hour)
	cert, err := c.certificate()
	if err != nil {
		t.Fatal(err)
	}
	clients := func(text string) {
		if err := os.WriteFile(c.Clients, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	one := "[client.a]\ntoken_sha256 = \"" + strings.Repeat("ab", 32) + "\"\n"
	clients(one)
	g, err := gateway.New(gateway.Options{
		View: func(context.Context) (*catalog.View, bool, error) { return nil, false, errors.New("none") },
		Open: func(gateway.Opening) (*session.Session, func() error, error) { return nil, nil, errors.New("none") },
	})
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	var told bytes.Buffer
	s := &served{cli: &commandLine{stderr: &told}}
	serial := int64(1)
	for _, step := range []struct {
		text, want string
		serial     int64
	}{
		{one + "[client.b]\ntoken_sha256 = \"" + strings.Repeat("cd", 32) + "\"\n",
			"reload: 2 clients\nreload: certificate read\n", 2},
		{one, "reload: 1 client\n", 2},
		{"[client.a]\n", "reload: --http 127.0.0.1:0: every client needs a token outside the loopback interface", 3},
		{"[klient.a]\n", "klient.a: unknown key: clients stay as they were\n", 4},
	} {
		told.Reset()
		clients(step.text)
		if step.serial != serial {
			selfSigned(t, cert, step.serial, time.Hour)
			serial = step.serial
		}
		s.readAgain(c, g, cert)
		if !strings.Contains(told.String(), step.want) || step.text == one && told.String() != step.want {
			t.Errorf("%s\ngot  %s\nwant %s", step.text, told.String(), step.want)
		}
		pair := cert.now.Load()
		leaf, err := x509.ParseCertificate(pair.Certificate[0])
		if err != nil || leaf.SerialNumber.Int64() != step.serial {
			t.Errorf("certificate %v, want %d", leaf.SerialNumber, step.serial)
		}
	}
	told.Reset()
	if err := os.WriteFile(c.TLSCert, []byte("no"), 0o600); err != nil {
		t.Fatal(err)
	}
	s.readAgain(c, g, cert)
	if !strings.Contains(told.String(), "the certificate stays as it was") || cert.now.Load() == nil {
		t.Errorf("got %s", told.String())
	}
	for want, wrong := range map[string]serveCommand{
		"--tls-cert and --tls-key: give both or neither": {TLSCert: "x", HTTP: ":0"},
		"--tls-cert: needs --http":                       {TLSCert: "x", TLSKey: "y"},
	} {
		if _, err := wrong.certificate(); err == nil || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// What clients and the view name and the catalog does not have is told once the sources are read, though one of them
// failed, and again only what a reload adds.
func TestServeWarns(t *testing.T) {
	entries := []catalog.Entry{{ID: "shop.item.list"}, {ID: "shop.item.remove", Operation: catalog.Delete, Mutates: true}}
	loader, err := source.Start(t.Context(), []source.Source{
		{Name: "shop", Load: func(context.Context, func(source.Reading)) (catalog.Batch, error) {
			return catalog.Batch{Entries: entries, Found: 2}, nil
		}},
		{Name: "gone", Load: func(context.Context, func(source.Reading)) (catalog.Batch, error) {
			return catalog.Batch{}, errors.New("gone")
		}},
	}, source.Options{})
	if err == nil {
		err = loader.Wait(t.Context())
	}
	if err != nil {
		t.Fatal(err)
	}
	defer loader.Close()
	var told bytes.Buffer
	s := &served{cli: &commandLine{stderr: &told}, expose: []string{"nope.*", "shop.*"},
		feed: &catalogUpdater{loader: loader,
			rules: []catalog.Rules{{Name: "view v.toml", DeniedNamespaces: []string{"shp"}}}}}
	c := serveCommand{Clients: filepath.Join(t.TempDir(), "clients.toml"), HTTP: "127.0.0.1:0"}
	g, err := gateway.New(gateway.Options{
		View: func(context.Context) (*catalog.View, bool, error) { return loader.View(), true, nil },
		Open: func(gateway.Opening) (*session.Session, func() error, error) { return nil, nil, errors.New("none") },
	})
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	client := "[client.a]\ntoken_sha256 = \"" + strings.Repeat("ab", 32) + "\"\n"
	const view = "warning: view v.toml: namespace \"shp\": not in the catalog; did you mean shop?\n"
	for _, step := range []struct{ text, want string }{
		{`denied_ids = ["shop.item.remve", "shop.*"]
allow = ["shop.item.remov"]`, "reload: 1 client\n" + view + "warning: --expose nope.*: no such action\n" +
			"warning: client a: denied id: shop.item.remve: no such action; did you mean shop.item.remove?\n" +
			"warning: client a: allow: grant: shop.item.remov: no such action\n"},
		{`denied_ids = ["shop.item.remve"]`, "reload: 1 client\n"},
		{`denied_ids = ["shop.item.remove"]`, "reload: 1 client\n"},
		{`operations = ["raed"]
denied_operations = ["delte"]
namespaces = ["nope"]`, `reload: 1 client
warning: client a: namespace "nope": not in the catalog
warning: client a: operation "raed": not in the catalog, which has delete, read; did you mean read?
warning: client a: operation "delte": not in the catalog, which has delete, read; did you mean delete?
`},
	} {
		told.Reset()
		if err := os.WriteFile(c.Clients, []byte(client+step.text), 0o600); err != nil {
			t.Fatal(err)
		}
		s.readAgain(c, g, nil)
		if told.String() != step.want {
			t.Errorf("%s\ngot\n%s\nwant\n%s", step.text, told.String(), step.want)
		}
	}
}
