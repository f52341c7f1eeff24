package web

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestMutualTLS calls a server that wants a certificate of its own authority and has one of it.
func TestMutualTLS(t *testing.T) {
	dir := t.TempDir()
	authority, authorityKey := issued(t, dir, "ca", nil, nil)
	issued(t, dir, "server", authority, authorityKey)
	issued(t, dir, "ann", authority, authorityKey)
	issued(t, dir, "mallory", nil, nil)
	file := func(name string) string { return filepath.Join(dir, name+".pem") }
	pair, err := tls.LoadX509KeyPair(file("server"), file("server.key"))
	if err != nil {
		t.Fatal(err)
	}
	known := x509.NewCertPool()
	known.AddCert(authority)
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, "hello ", r.TLS.PeerCertificates[0].Subject.CommonName)
	}))
	server.TLS = &tls.Config{Certificates: []tls.Certificate{pair}, ClientCAs: known,
		ClientAuth: tls.RequireAndVerifyClientCert}
	server.StartTLS()
	defer server.Close()
	for _, c := range []struct {
		name string
		with Certificate
		want string
	}{
		{"both", Certificate{file("ann"), file("ann.key"), file("ca")}, "hello ann"},
		{"none shown", Certificate{CA: file("ca")}, "certificate required"},
		{"of somebody else", Certificate{file("mallory"), file("mallory.key"), file("ca")}, "tls: "},
		{"the server is not believed", Certificate{file("ann"), file("ann.key"), ""}, "signed by unknown authority"},
		{"no key", Certificate{Cert: file("ann")}, "cert and key go together"},
		{"another's key", Certificate{file("ann"), file("mallory.key"), ""}, "private key does not match"},
		{"no file", Certificate{CA: file("none")}, "no such file"},
		{"no certificate", Certificate{CA: file("ann.key")}, "no certificate in it"},
	} {
		client, err := New(Options{Origins: []string{server.URL}, Access: Access{Certificate: c.with}})
		got := ""
		if err == nil {
			var answer Answer
			answer, err = client.Do(t.Context(), Request{Method: http.MethodGet, URL: server.URL})
			got, _ = answer.Data.(string)
		}
		if err != nil {
			got = err.Error()
		}
		if !strings.Contains(got, c.want) {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
}

// issued writes a certificate of name and its key; by itself where there is no authority.
func issued(t *testing.T, dir, name string, by *x509.Certificate, byKey *ecdsa.PrivateKey) (
	*x509.Certificate, *ecdsa.PrivateKey) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	made := &x509.Certificate{
		SerialNumber: big.NewInt(time.Now().UnixNano()), Subject: pkix.Name{CommonName: name},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), IsCA: by == nil,
		BasicConstraintsValid: true, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		KeyUsage:    x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth, x509.ExtKeyUsageServerAuth},
	}
	if by == nil {
		by, byKey = made, key
	}
	der, err := x509.CreateCertificate(rand.Reader, made, by, &key.PublicKey, byKey)
	if err != nil {
		t.Fatal(err)
	}
	keyDER, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	for file, block := range map[string]*pem.Block{
		name: {Type: "CERTIFICATE", Bytes: der}, name + ".key": {Type: "PRIVATE KEY", Bytes: keyDER},
	} {
		if err := os.WriteFile(filepath.Join(dir, file+".pem"), pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	cert, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	return cert, key
}
