package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"almanac/session/gateway"
)

// authority is an issuer with one key to verify with, and one for encryption.
func authority(t *testing.T) string {
	var at string
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/.well-known/openid-configuration":
			fmt.Fprintf(w, `{"issuer": %q, "jwks_uri": %q}`, at, at+"/keys")
		case "/keys":
			const key = `{"kty": "OKP", "crv": "Ed25519", "kid": "%s", "use": "%s",
				"x": "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}`
			fmt.Fprintf(w, `{"keys": [`+key+","+key+`]}`, "one", "sig", "two", "enc")
		default:
			http.NotFound(w, r)
		}
	}))
	t.Cleanup(s.Close)
	at = s.URL
	return at
}

// TestDoctorServe shows what the doctor says of each thing that almanac serve needs, and that it leaves nothing behind.
func TestDoctorServe(t *testing.T) {
	dir := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	signed := func(name string, left time.Duration) []string {
		c := &certificate{cert: filepath.Join(dir, name), key: filepath.Join(dir, name+".key")}
		selfSigned(t, c, 1, left)
		return []string{"--http", ":0", "--tls-cert", c.cert, "--tls-key", c.key}
	}
	readable := signed("readable", 99*24*time.Hour)
	if err := os.Chmod(readable[5], 0o644); err != nil {
		t.Fatal(err)
	}
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	answers := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != gateway.HealthPath && r.URL.Path != "/v1/traces" {
			http.Error(w, "not here", http.StatusBadRequest)
		}
	}))
	defer answers.Close()
	go func() { // one that is no gateway
		for {
			conn, err := taken.Accept()
			if err != nil {
				return
			}
			conn.Close()
		}
	}()
	people := "[oauth]\nissuer = %q\nresource = \"https://example.com/mcp\"\n%s\n[client.people]\nscopes = [\"x\"]\n"
	const token = "[client.ann]\ntoken_sha256 = \"9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08\"\n"
	issuer := authority(t)
	files := 0
	clients := func(text string) []string {
		files++
		return []string{"--http", ":0", "--clients", file(fmt.Sprintf("clients%d.toml", files), text)}
	}
	for _, c := range []struct {
		args               []string
		check, state, text string
	}{
		{nil, "serve clients", checkOK, "whoever starts it"},
		{[]string{"--http", ":0"}, "serve clients", checkOK, "every program on this machine"},
		{[]string{"--http", "0.0.0.0:0"}, "serve clients", checkFailed, "every client needs a token"},
		{clients(token), "serve clients", checkOK, "1 client"},
		{clients(token + "namespaces = [\"b\"]\n"), "serve clients", checkNote, "not in the catalog"},
		{clients(token + "expires = 2020-01-01T00:00:00Z\n"), "serve client ann", checkFailed, "all its tokens have expired"},
		{clients(token + "expires = " + time.Now().UTC().Add(time.Hour).Format(time.RFC3339)), "serve client ann", checkNote,
			"a token expires"},
		{clients(fmt.Sprintf(people, issuer, "")), "serve issuer", checkOK, "1 key for signatures"},
		{clients(fmt.Sprintf(people, issuer, `algorithms = ["ES256"]`)), "serve issuer", checkFailed, "none for ES256"},
		{clients(fmt.Sprintf(people, issuer+"/other", "")), "serve issuer", checkFailed, "404 Not Found"},
		{[]string{"--http", ":0"}, "serve address", checkOK, "is free"},
		{[]string{"--http", "99999"}, "serve address", checkFailed, "invalid port"},
		{[]string{"--http", taken.Addr().String()}, "serve address", checkFailed, "address already in use"},
		{[]string{"--http", answers.Listener.Addr().String()}, "serve address", checkNote, "as a gateway does"},
		{signed("good", 99*24*time.Hour), "serve certificate", checkOK, "for localhost, until"},
		{signed("soon", time.Hour), "serve certificate", checkNote, "until"},
		{signed("over", -time.Hour), "serve certificate", checkFailed, "it expired"},
		{append(signed("named", 99*24*time.Hour), "--host", "gw.example.com"), "serve certificate", checkFailed,
			"not gw.example.com"},
		{readable, "serve certificate", checkNote, "can be read by others"},
		{[]string{"--http", ":0", "--tls-cert", file("x.pem", "x"), "--tls-key", file("y.pem", "y")}, "serve certificate",
			checkFailed, "failed to find any PEM data"},
		{[]string{"--audit", filepath.Join(dir, "audit.jsonl")}, "serve audit", checkOK, "writable"},
		{[]string{"--audit", filepath.Join(dir, "none", "audit.jsonl")}, "serve audit", checkFailed, "no such file"},
		{[]string{"--audit", dir}, "serve audit", checkFailed, "is a directory"},
		{[]string{"--metrics"}, "serve metrics and status", checkFailed, "need --http"},
		{append(clients(token), "--status"), "serve metrics and status", checkNote, "no client may see them"},
		{append(clients(token+"monitor = true\n"), "--metrics"), "serve metrics and status", checkOK, "for ann"},
		{nil, "serve OTLP traces", checkOK, "the collector takes them"},
		{nil, "serve OTLP metrics", checkFailed, "not here"},
	} {
		t.Run(c.check+" "+c.text, func(t *testing.T) {
			before, err := os.ReadDir(dir)
			if err != nil {
				t.Fatal(err)
			}
			for name, value := range map[string]string{
				"ALMANAC_DATA": t.TempDir(), "ALMANAC_CONFIG": os.DevNull, "OTEL_EXPORTER_OTLP_ENDPOINT": answers.URL,
			} {
				t.Setenv(name, value)
			}
			var out, errs bytes.Buffer
			args := []string{"--output", "json", "--catalog", file("one.jsonl", `{"id":"a.b"}`), "doctor", "serve"}
			code := run(append(args, c.args...), strings.NewReader(""), &out, &errs)
			var got struct{ Checks []check }
			if err := json.Unmarshal(out.Bytes(), &got); err != nil {
				t.Fatalf("%v: %s%s", err, out.String(), errs.String())
			}
			found, told := false, map[string]string{}
			for _, one := range got.Checks {
				if by := told[one.Text]; by != "" && one.State == checkFailed && !strings.Contains(by, "OTLP") {
					t.Errorf("%s and %s say the same: %s", by, one.Name, one.Text)
				}
				told[one.Text] = one.Name
				is := one.Name == c.check && one.State == c.state && strings.Contains(one.Text, c.text)
				if found = found || is; is && (one.Remedy == "") != (one.State == checkOK) {
					t.Errorf("remedy %q of %s", one.Remedy, one.State)
				}
			}
			if !found || code != exitFailed { // the collector refuses metrics
				t.Errorf("exit %d, no %s %s %q in %s", code, c.state, c.check, c.text, out.String())
			}
			after, err := os.ReadDir(dir)
			if err != nil || len(after) > len(before)+1 { // one.jsonl
				t.Errorf("left %v: %v", after, err)
			}
		})
	}
}
