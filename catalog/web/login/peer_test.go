package login

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"
)

// TestPeer logs in to oidc-provider, an authorisation server of others (make peers-login): with its registration, PKCE,
// resource indicators, rotated refresh tokens, device flow and revocation.
func TestPeer(t *testing.T) {
	dir := os.Getenv("ALMANAC_PEERS")
	if dir == "" {
		t.Skip("make peers-login runs it")
	}
	cmd := exec.Command("node", filepath.Join(dir, "server.mjs"))
	cmd.Dir = dir
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	var at struct{ Issuer, Resource string }
	lines := bufio.NewScanner(out)
	for lines.Scan() && json.Unmarshal(lines.Bytes(), &at) != nil {
	}
	if at.Issuer == "" {
		t.Fatal("it did not start")
	}
	go func() { _, _ = io.Copy(io.Discard, out) }()
	for _, device := range []bool{false, true} {
		t.Run(fmt.Sprint("device ", device), func(t *testing.T) {
			logs := t.TempDir()
			o := Options{Device: device, Open: func(address string) error { return person(t, address) }}
			at := Target{Resource: at.Resource, Probes: []Probe{{Body: "{}"}}}
			l, err := NewStore(logs, Keyring{}).Login(t.Context(), "peer", at, o)
			if err != nil {
				t.Fatal(err)
			}
			if !strings.HasPrefix(strings.Join(l.Scopes, " "), "read") || l.Expires.IsZero() {
				t.Errorf("got %+v", l)
			}
			store := NewStore(logs, Keyring{})
			first := ""
			for round := range 3 {
				var all sync.WaitGroup
				for range 5 {
					all.Go(func() {
						status, body, err := get(t, NewStore(logs, Keyring{}).Of("peer"), at.Resource)
						if status != 200 || err != nil {
							t.Errorf("round %d: %d %q, %v", round, status, body, err)
						}
					})
				}
				all.Wait()
				token := ""
				if kept, err := store.read(l.id()); err == nil {
					token = kept.Tokens.Access
				}
				if token == "" || token == first {
					t.Errorf("round %d: the token is the one before", round)
				}
				first = token
				time.Sleep(2100 * time.Millisecond)
			}
			if _, err := store.Logout(t.Context(), "peer"); err != nil {
				t.Error(err)
			}
			if status, _, _ := get(t, store.Of("peer"), at.Resource); status != 401 {
				t.Errorf("after the logout: %d", status)
			}
		})
	}
}

var (
	formAction = regexp.MustCompile(`<form[^>]* action="([^"]*)"`)
	formInput  = regexp.MustCompile(`<input[^>]* name="([^"]+)"[^>]*?(?: value="([^"]*)")?[^>]*>`)
)

// person fills in every form that comes, in a browser with cookies, until there is none.
func person(t *testing.T, address string) error {
	jar, err := cookiejar.New(nil)
	if err != nil {
		return err
	}
	c := &http.Client{Jar: jar, Timeout: 20 * time.Second}
	res, err := c.Get(address)
	for range 10 {
		if err != nil {
			return err
		}
		page, _ := io.ReadAll(res.Body)
		res.Body.Close()
		action := formAction.FindSubmatch(page)
		if action == nil {
			return nil
		}
		to, err2 := res.Request.URL.Parse(strings.ReplaceAll(string(action[1]), "&amp;", "&"))
		if err2 != nil {
			return err2
		}
		form := url.Values{}
		for _, input := range formInput.FindAllSubmatch(page, -1) {
			form.Set(string(input[1]), string(input[2]))
		}
		form.Del("abort")
		if form.Has("login") {
			form.Set("login", "ann")
		}
		res, err = c.PostForm(to.String(), form)
	}
	t.Errorf("ten forms, and no end")
	return err
}
