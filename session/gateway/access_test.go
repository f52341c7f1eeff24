package gateway

import (
	"context"
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/MicahParks/jwkset"
	"github.com/golang-jwt/jwt/v5"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"almanac/catalog"
	"almanac/session/gateway/oauth"
)

// An issuer is an authorisation server: its metadata, its keys, and tokens that it signs.
type issuer struct {
	*httptest.Server
	t       *testing.T
	fetched atomic.Int32 // how often its keys were read
	down    atomic.Bool
	slow    atomic.Bool

	mu   sync.Mutex
	keys map[string]crypto.Signer
}

func newIssuer(t *testing.T) *issuer {
	i := &issuer{t: t, keys: map[string]crypto.Signer{}}
	i.rotate("one")
	mux := http.NewServeMux()
	mux.HandleFunc("/.well-known/oauth-authorization-server", func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprintf(w, `{"issuer": %q, "jwks_uri": %q}`, i.URL, i.URL+"/keys")
	})
	mux.HandleFunc("/keys", func(w http.ResponseWriter, r *http.Request) {
		i.fetched.Add(1)
		if i.down.Load() {
			http.Error(w, "down", http.StatusServiceUnavailable)
			return
		}
		if i.slow.Load() {
			time.Sleep(100 * time.Millisecond)
		}
		i.mu.Lock()
		defer i.mu.Unlock()
		set := jwkset.NewMemoryStorage()
		for kid, key := range i.keys {
			jwk, err := jwkset.NewJWKFromKey(key.Public(), jwkset.JWKOptions{Metadata: jwkset.JWKMetadataOptions{KID: kid}})
			if err != nil {
				t.Error(err)
			}
			_ = set.KeyWrite(r.Context(), jwk)
		}
		text, err := set.JSONPublic(r.Context())
		if err != nil {
			t.Error(err)
		}
		_, _ = w.Write(text)
	})
	i.Server = httptest.NewServer(mux)
	t.Cleanup(i.Close)
	return i
}

// rotate replaces all keys by a new one.
func (i *issuer) rotate(kid string) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		i.t.Fatal(err)
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	i.keys = map[string]crypto.Signer{kid: key}
}

const resource = "https://gateway.example.com/mcp"

// claims are those of a good token.
func (i *issuer) claims(change jwt.MapClaims) jwt.MapClaims {
	all := jwt.MapClaims{
		"iss": i.URL, "aud": resource, "sub": "u1", "email": "ann@example.com", "scope": "crm:read openid",
		"iat": time.Now().Unix(), "exp": time.Now().Add(time.Hour).Unix(),
	}
	for name, value := range change {
		if all[name] = value; value == nil {
			delete(all, name)
		}
	}
	return all
}

func (i *issuer) sign(kid string, change jwt.MapClaims) string {
	i.mu.Lock()
	key := i.keys[kid]
	i.mu.Unlock()
	return signed(i.t, jwt.SigningMethodES256, key, map[string]any{"kid": kid}, i.claims(change))
}

func signed(t *testing.T, method jwt.SigningMethod, key any, header map[string]any, claims jwt.MapClaims) string {
	t.Helper()
	token := jwt.NewWithClaims(method, claims)
	for name, value := range header {
		token.Header[name] = value
	}
	text, err := token.SignedString(key)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// knock sends a request with the token and returns the status, the challenge and the body.
func knock(t *testing.T, url, token string) (status int, challenge, body string) {
	t.Helper()
	r, _ := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},`+
			`"clientInfo":{"name":"t","version":"1"}}}`))
	r.Header = http.Header{"Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"}}
	answer, err := (&http.Client{Transport: bearer(token)}).Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer.StatusCode, answer.Header.Get("WWW-Authenticate"), strings.TrimSpace(string(text))
}

// withIssuer serves readers and writers of the issuer's tokens beside one client with a token of its own.
func withIssuer(t *testing.T, i *issuer) (url string, b *bench, roster Roster) {
	b = newBench(t, Options{})
	roster = Roster{
		OAuth: &oauth.Options{Issuer: i.URL, Resource: resource, ActorClaim: "email"},
		Clients: []Client{
			with(t, tokenA, Client{Name: "static"}),
			{Name: "readers", Access: &Access{Scopes: []string{"crm:read"}},
				Rules: catalog.Rules{Operations: []catalog.Operation{catalog.Read}}},
			{Name: "writers", Access: &Access{
				Scopes: []string{"crm:read", "crm:write"}, Claims: map[string][]string{"groups": {"sales", "admin"}},
			}},
			{Name: "one", Access: &Access{Scopes: []string{"a"}}},
			{Name: "two", Access: &Access{Scopes: []string{"b"}}},
		},
	}
	return serveHTTP(t, b, HTTPOptions{Roster: roster}), b, roster
}

// What is unsure about a token is a no, which tells the client where to get a good one.
func TestAccessTokens(t *testing.T) {
	i := newIssuer(t)
	url, _, _ := withIssuer(t, i)
	now := time.Now()
	other, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	public, err := x509.MarshalPKIXPublicKey(i.keys["one"].Public())
	if err != nil {
		t.Fatal(err)
	}
	secret := pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: public})
	one := map[string]any{"kid": "one"}
	tampered := func() string {
		parts := strings.Split(i.sign("one", nil), ".")
		more := strings.Split(i.sign("one", jwt.MapClaims{"scope": "crm:read crm:write"}), ".")
		return parts[0] + "." + more[1] + "." + parts[2]
	}
	for _, c := range []struct {
		name, token string
		status      int
		says        string
	}{
		{"good", i.sign("one", nil), 200, ""},
		{"good, audience in a list", i.sign("one", jwt.MapClaims{"aud": []string{"x", resource}}), 200, ""},
		{"static", tokenA, 200, ""},
		{"none", "", 401, "no bearer token"},
		{"no JWT", "abc", 401, "invalid token"},
		{"wrong issuer", i.sign("one", jwt.MapClaims{"iss": "https://evil.example.com"}), 401, "another issuer"},
		{"no issuer", i.sign("one", jwt.MapClaims{"iss": nil}), 401, "another issuer"},
		{"wrong audience", i.sign("one", jwt.MapClaims{"aud": "https://other.example.com"}), 401, "another audience"},
		{"no audience", i.sign("one", jwt.MapClaims{"aud": nil}), 401, "lacks an expiry or an audience"},
		{"expired", i.sign("one", jwt.MapClaims{"exp": now.Add(-time.Minute).Unix()}), 401, "expired"},
		{"expires in the far future", i.sign("one", jwt.MapClaims{"exp": 1e30}), 200, ""},
		{"expired long ago", i.sign("one", jwt.MapClaims{"exp": -1e30}), 401, "expired"},
		{"valid in the far future", i.sign("one", jwt.MapClaims{"nbf": 1e30}), 401, "not valid yet"},
		{"from the far future", i.sign("one", jwt.MapClaims{"iat": 1e30}), 401, "future"},
		{"an expiry that is no number", i.sign("one", jwt.MapClaims{"exp": "never"}), 401, "not valid"},
		{"no expiry", i.sign("one", jwt.MapClaims{"exp": nil}), 401, "lacks an expiry"},
		{"not yet valid", i.sign("one", jwt.MapClaims{"nbf": now.Add(time.Minute).Unix()}), 401, "not valid yet"},
		{"from the future", i.sign("one", jwt.MapClaims{"iat": now.Add(time.Minute).Unix()}), 401, "future"},
		{"unknown kid", signed(t, jwt.SigningMethodES256, i.keys["one"], map[string]any{"kid": "x"}, i.claims(nil)), 401,
			"no key of the issuer"},
		{"another's key", signed(t, jwt.SigningMethodRS256, other, one, i.claims(nil)), 401, "signature"},
		{"alg none", signed(t, jwt.SigningMethodNone, jwt.UnsafeAllowNoneSignatureType, one, i.claims(nil)), 401,
			"signature"},
		{"alg HS256 with the public key", signed(t, jwt.SigningMethodHS256, secret, one, i.claims(nil)), 401, "signature"},
		{"tampered", tampered(), 401, "signature"},
		{"crit", signed(t, jwt.SigningMethodES256, i.keys["one"], map[string]any{"kid": "one", "crit": []string{"b64"}},
			i.claims(nil)), 401, "crit"},
		{"an identity token's kind", signed(t, jwt.SigningMethodES256, i.keys["one"],
			map[string]any{"kid": "one", "typ": "logout+jwt"}, i.claims(nil)), 401, "another kind"},
		{"bound to a key", i.sign("one", jwt.MapClaims{"cnf": map[string]string{"jkt": "x"}}), 401, "bound to a key"},
		{"nobody", i.sign("one", jwt.MapClaims{"sub": nil}), 401, "whom it is about"},
		{"no actor", i.sign("one", jwt.MapClaims{"email": nil}), 401, `"email"`},
		{"scope without a view", i.sign("one", jwt.MapClaims{"scope": "openid"}), 403, "see nothing here"},
		{"scope that only begins like one", i.sign("one", jwt.MapClaims{"scope": "crm:reader"}), 403, "see nothing here"},
		{"two clients alike", i.sign("one", jwt.MapClaims{"scope": "a b"}), 403, "one and two alike"},
	} {
		status, challenge, body := knock(t, url, c.token)
		if status != c.status || !strings.Contains(body, c.says) {
			t.Errorf("%s: %d %s", c.name, status, body)
		}
		where := `resource_metadata="https://gateway.example.com/.well-known/oauth-protected-resource/mcp"`
		if status != 200 && !strings.Contains(challenge, where) {
			t.Errorf("%s: %s", c.name, challenge)
		}
		if status == 403 && !strings.Contains(challenge, `error="insufficient_scope", scope="a b crm:read crm:write"`) {
			t.Errorf("%s: %s", c.name, challenge)
		}
	}
	if n := i.fetched.Load(); n > 3 {
		t.Errorf("the keys were read %d times", n)
	}
}

// Each person is somebody of their own: an actor, a session that no other can use.
func TestPeople(t *testing.T) {
	i := newIssuer(t)
	url, b, roster := withIssuer(t, i)
	reader, err := dialHTTP(t, url, i.sign("one", nil), nil)
	if err != nil {
		t.Fatal(err)
	}
	token := i.sign("one", jwt.MapClaims{
		"sub": "u2", "email": "bob@example.com", "scope": "crm:read crm:write", "groups": []string{"x", "sales"},
	})
	writer, err := dialHTTP(t, url, token, nil)
	if err != nil {
		t.Fatal(err)
	}
	buy := func() string {
		call(t, writer, "describe", map[string]any{"ids": []string{"shop.buy"}})
		return textOf(call(t, writer, "execute", script(`return shop.buy{id="x"}`)))
	}
	if got := textOf(call(t, reader, "execute", script(`return call("shop.buy", {id="x"})`))); !strings.Contains(got,
		"shop.buy: no such action") {
		t.Error(got)
	}
	if got := buy(); strings.Contains(got, "no such action") {
		t.Error(got)
	}
	again := i.sign("one", jwt.MapClaims{"sub": "u1", "email": "ann@example.com"})
	for _, c := range []struct {
		token  string
		status int
	}{{again, 200}, {token, 403}, {tokenA, 403}, {i.sign("one", jwt.MapClaims{"sub": "u3"}), 403}} {
		r, _ := http.NewRequest(http.MethodPost, url, strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`))
		r.Header = http.Header{
			"Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"},
			"Authorization": {"Bearer " + c.token}, "Mcp-Session-Id": {reader.ID()},
		}
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		answer.Body.Close()
		if answer.StatusCode != c.status {
			t.Errorf("session of another: %d, want %d", answer.StatusCode, c.status)
		}
	}
	roster.Clients = roster.Clients[:2] // no writers any more
	if err := b.SetRoster(roster); err != nil {
		t.Fatal(err)
	}
	if _, err := writer.ListTools(t.Context(), nil); err == nil {
		t.Error("its client is gone, and the connection works")
	}
	if status, _, _ := knock(t, url, token); status != 200 { // a reader by now
		t.Error(status)
	}
	roster.OAuth = nil
	if err := b.SetRoster(roster); err != nil {
		t.Fatal(err)
	}
	if status, _, _ := knock(t, url, token); status != 401 {
		t.Error(status)
	}
	if status, _, _ := knock(t, url, tokenA); status != 200 {
		t.Error(status)
	}
}

// A stream ends with its token, though nobody asks again.
func TestStreamEnds(t *testing.T) {
	i := newIssuer(t)
	url, _, _ := withIssuer(t, i)
	token := i.sign("one", jwt.MapClaims{"exp": time.Now().Add(-28 * time.Second).Unix()}) // clocks may differ by 30 s
	cs, err := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(),
		&sdk.StreamableClientTransport{Endpoint: url, DisableStandaloneSSE: true,
			HTTPClient: &http.Client{Transport: bearer(i.sign("one", nil))}},
		&sdk.ClientSessionOptions{ProtocolVersion: withHandshake})
	if err != nil {
		t.Fatal(err)
	}
	defer cs.Close()
	r, _ := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	r.Header = http.Header{"Accept": {"text/event-stream"}, "Authorization": {"Bearer " + token},
		"Mcp-Session-Id": {cs.ID()}}
	started := time.Now()
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	_, _ = io.Copy(io.Discard, answer.Body)
	if took := time.Since(started); answer.StatusCode != 200 || took > 20*time.Second {
		t.Errorf("%s, which ended after %s", answer.Status, took)
	}
}

// Keys are read when the first token comes, again for one that is not known, and not more often than that.
func TestKeys(t *testing.T) {
	i := newIssuer(t)
	i.down.Store(true)
	url, _, _ := withIssuer(t, i)
	for range 20 {
		if status, _, body := knock(t, url, i.sign("one", nil)); status != 401 || !strings.Contains(body, "try again later") {
			t.Fatal(status, body)
		}
	}
	if n := i.fetched.Load(); n != 1 {
		t.Errorf("%d requests to an issuer that is down", n)
	}
	if testing.Short() {
		return
	}
	i.down.Store(false)
	eventually(t, func() bool { status, _, _ := knock(t, url, i.sign("one", nil)); return status == 200 })
	before := i.fetched.Load()
	i.slow.Store(true) // as over a network
	i.rotate("two")
	old := signed(t, jwt.SigningMethodES256, i.keys["two"], map[string]any{"kid": "one"}, i.claims(nil))
	if status, _, _ := knock(t, url, i.sign("two", nil)); status != 200 {
		t.Error("a new key was not read:", status)
	}
	if status, _, _ := knock(t, url, old); status != 401 {
		t.Error("an old key is still good:", status)
	}
	for range 50 {
		knock(t, url, signed(t, jwt.SigningMethodES256, i.keys["two"], map[string]any{"kid": rand.Text()}, i.claims(nil)))
	}
	if n := i.fetched.Load() - before; n > 2 {
		t.Errorf("%d requests for keys that do not exist", n)
	}
}

func eventually(t *testing.T, done func() bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	for !done() {
		select {
		case <-ctx.Done():
			t.Fatal("it did not come to pass")
		case <-time.After(100 * time.Millisecond):
		}
	}
}

// The metadata tell clients where to get a token.
func TestMetadata(t *testing.T) {
	i := newIssuer(t)
	url, _, _ := withIssuer(t, i)
	base := strings.TrimSuffix(url, Path)
	for path, status := range map[string]int{
		MetadataPath: 200, MetadataPath + "/mcp": 200, MetadataPath + "/other": 404,
	} {
		answer, err := http.Get(base + path)
		if err != nil {
			t.Fatal(err)
		}
		var about map[string]any
		err = json.NewDecoder(answer.Body).Decode(&about)
		answer.Body.Close()
		if answer.StatusCode != status {
			t.Errorf("%s: %d", path, answer.StatusCode)
		}
		if status == 200 && (err != nil || about["resource"] != resource ||
			fmt.Sprint(about["authorization_servers"]) != "["+i.URL+"]" ||
			fmt.Sprint(about["scopes_supported"]) != "[a b crm:read crm:write]") {
			t.Errorf("%s: %v %v", path, about, err)
		}
	}
}

// A table that lets in more or less than was meant is an error.
func TestOAuthTable(t *testing.T) {
	const oauthOf = "[oauth]\nissuer = \"https://login.example.com\"\nresource = \"https://g.example.com/mcp\"\n"
	for _, c := range []struct{ text, want string }{
		{oauthOf + "[client.a]\nscopes = [\"x\"]\nclaims = {team = \"a\", groups = [\"b\", \"c\"]}", ""},
		{"[client.a]\nscopes = [\"x\"]", "client.a: scopes and claims need an [oauth] table"},
		{oauthOf + "[client.a]\ntoken_env = \"T\"", "oauth: no client has scopes or claims"},
		{oauthOf + "[client.a]\nscopes = []", "client.a.scopes: the list is empty"},
		{oauthOf + "[client.a]\nclaims = {team = []}", "client.a: claims.team: the list is empty"},
		{oauthOf + "[client.a]\nclaims = {team = 1}", "client.a: claims.team: want a text"},
		{oauthOf + "algorithms = [\"HS256\"]\n[client.a]\nscopes = [\"x\"]", "oauth.algorithms: HS256: not one"},
		{oauthOf + "algorithms = [\"none\"]\n[client.a]\nscopes = [\"x\"]", "oauth.algorithms: none: not one"},
		{strings.Replace(oauthOf, "https://login", "http://login", 1) + "[client.a]\nscopes = [\"x\"]", "want https"},
		{oauthOf + "secret = \"x\"\n[client.a]\nscopes = [\"x\"]", "oauth.secret: unknown key"},
	} {
		roster, err := parseClients(c.text, func(string) (string, bool) { return tokenA, true })
		if c.want == "" && (err != nil || roster.OAuth == nil || roster.Clients[0].anybody()) ||
			c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: %v, want %s", c.text, err, c.want)
		}
	}
}
