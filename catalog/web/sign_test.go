package web

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"almanac/catalog"
	"almanac/internal/awstest"
)

// TestSigned: each request is signed as it is sent, a second attempt and one that is redirected on the same server
// anew; another server gets nothing of it. What answers repeat of it is taken out.
func TestSigned(t *testing.T) {
	var seen string
	other := serve(t, func(w http.ResponseWriter, r *http.Request) {
		for name := range r.Header {
			if strings.HasPrefix(name, "X-Amz") || name == "Authorization" {
				seen += name
			}
		}
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w, `{"here": "other"}`)
	})
	var busy atomic.Bool
	account := awstest.Account{ID: "AKIDEXAMPLE", Secret: "secret-of-tests", Token: "token-of-tests", Region: "eu-west-1",
		Service: "execute-api"}
	s := awstest.New(account, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if busy.Swap(false) {
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		switch r.URL.Path {
		case "/moved":
			http.Redirect(w, r, "/orders?x=1&x=%2F", http.StatusTemporaryRedirect)
			return
		case "/away":
			http.Redirect(w, r, other.URL+"/x", http.StatusFound)
			return
		case "/made":
			http.Redirect(w, r, "/orders", http.StatusSeeOther)
			return
		}
		body, _ := io.ReadAll(r.Body)
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("X-Echo", r.Header.Get("Authorization"))
		_ = json.NewEncoder(w).Encode(map[string]any{"method": r.Method, "path": r.URL.String(), "body": string(body),
			"sent": fmt.Sprint(r.Header)})
	}))
	t.Cleanup(s.Close)
	env := map[string]string{"AWS_ACCESS_KEY_ID": account.ID, "AWS_SECRET_ACCESS_KEY": account.Secret,
		"AWS_SESSION_TOKEN": account.Token, "AWS_CONFIG_FILE": "/nowhere", "AWS_SHARED_CREDENTIALS_FILE": "/nowhere"}
	v := NewVault(func(name string) string { return env[name] }, nil)
	access := Access{Auth: []Auth{{Kind: SigV4, AWS: AWS{Region: account.Region, Service: account.Service}}},
		Header: map[string]string{"X-Team": "tea  rooms"}, Query: map[string]string{"v": "a b"}}
	c := client(t, Options{Vault: v, Access: access}, s.Server, other)

	do := func(method, path, body string) string {
		t.Helper()
		r := Request{Method: method, URL: s.URL + path, Header: http.Header{"Content-Type": {"application/json"}}}
		if body != "" {
			r.Body = []byte(body)
		}
		answer, err := c.Do(t.Context(), r)
		if err != nil {
			return err.Error()
		}
		data := answer.Data.(map[string]any)
		got := fmt.Sprint(data["method"], " ", data["path"], " ", data["body"], data["here"])
		said := fmt.Sprint(data["sent"], answer.Header.Get("X-Echo"))
		for _, secret := range []string{account.Secret, account.Token, account.ID} {
			if strings.Contains(said, secret) {
				t.Errorf("%s: %s is in %s", path, secret, said)
			}
		}
		if data["here"] == nil && strings.Count(said, "Signature=[redacted]") != 2 {
			t.Errorf("%s: a signature is left in %s", path, said)
		}
		return got
	}
	for _, one := range []struct{ method, path, body, want string }{
		{"GET", "/orders/a%2Fb?q=tea;x&q=%C3%A4", "", "GET /orders/a%2Fb?q=tea%3Bx&q=%C3%A4&v=a%20b "},
		{"POST", "/orders", `{"sku": "tea"}`, `POST /orders?v=a%20b {"sku": "tea"}`},
		{"GET", "/moved", "", "GET /orders?x=1&x=%2F "},
		{"GET", "/moved", "text", "GET /orders?x=1&x=%2F text"},
		{"POST", "/made", "{}", "GET /orders "},
		{"GET", "/away", "", "<nil> <nil> <nil>other"},
	} {
		if got := do(one.method, one.path, one.body); strings.TrimSuffix(got, "<nil>") != one.want {
			t.Errorf("%s %s: got %q, want %q", one.method, one.path, got, one.want)
		}
	}
	if seen != "" {
		t.Errorf("another server got %s", seen)
	}

	busy.Store(true)
	_, refused := s.Count()
	noSleep := func(context.Context, time.Duration) error { return nil }
	err := catalog.Retry{}.Do(t.Context(), noSleep, func(ctx context.Context) error {
		_, err := c.Do(ctx, Request{Method: http.MethodGet, URL: s.URL + "/orders"})
		return err
	})
	if _, after := s.Count(); err != nil || after != refused {
		t.Errorf("the second attempt: %v, %d refused", err, after-refused)
	}

	account.Secret = "another-secret"
	s.Change(account)
	const hint = "403 Forbidden: the request signature we calculated does not match the signature you provided; it was " +
		"signed with the keys of AWS_ACCESS_KEY_ID: check what they may do, the region and the service"
	if got := do("GET", "/orders", ""); got != hint {
		t.Errorf("got %q", got)
	}
	env["AWS_SECRET_ACCESS_KEY"] = ""
	if got := do("GET", "/orders", ""); got != "aws: AWS_ACCESS_KEY_ID is set, and AWS_SECRET_ACCESS_KEY is not" {
		t.Errorf("got %q", got)
	}
}
