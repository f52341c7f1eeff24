package mcp

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"almanac/catalog/web"
	"almanac/catalog/web/login"
	"almanac/internal/oauthtest"
)

// A server that wants a login is down until somebody logs in, in another program; then it is read by itself. A token
// that is refused in the middle is renewed, without a call that is made twice, and one that cannot be is an error with
// what to do.
func TestLogin(t *testing.T) {
	calls := 0
	server := sdk.NewServer(&sdk.Implementation{Name: "x", Version: "1"}, nil)
	sdk.AddTool(server, &sdk.Tool{Name: "add"},
		func(context.Context, *sdk.CallToolRequest, struct{}) (*sdk.CallToolResult, any, error) {
			calls++
			return nil, nil, nil
		})
	handler := sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return server }, nil)
	s := oauthtest.New(oauthtest.Options{}, handler)
	t.Cleanup(s.Close)
	dir := t.TempDir()
	at := endpoint{Name: "x", URL: s.Resource.URL + "/mcp"}
	src := open(t, at, options{Vault: web.NewVault(nil, nil),
		Access: web.Access{Login: login.NewStore(dir, login.Keyring{}).Of("x")}})
	_, err := src.load(t.Context(), nil)
	var down *downError
	if !errors.As(err, &down) || err.Error() != "mcp server x: it wants a login: run almanac login x in a terminal" {
		t.Fatalf("got %v", err)
	}
	target := login.Target{Resource: at.URL, Probes: probes()}
	logIn := func() {
		t.Helper()
		other := login.NewStore(dir, login.Keyring{})
		if _, err := other.Login(t.Context(), "x", target, login.Options{Open: oauthtest.Browse}); err != nil {
			t.Fatal(err)
		}
	}
	logIn()
	eventually(t, "it is there", func() bool {
		_, err := src.load(t.Context(), nil)
		return err == nil
	})
	entries := load(t, src)
	for round := range 2 {
		if _, err := call(t.Context(), entries["x.add"], nil); err != nil || calls != round+1 {
			t.Errorf("round %d: %v, %d calls", round, err, calls)
		}
		s.Revoke(false)
	}
	s.Revoke(true)
	const want = "its login has ended (invalid_grant): run almanac login x in a terminal"
	for range 2 {
		_, err := call(t.Context(), entries["x.add"], nil)
		if err == nil || !strings.Contains(err.Error(), want) || calls != 2 {
			t.Errorf("got %v, %d calls", err, calls)
		}
	}
	logIn()
	eventually(t, "it is there again", func() bool {
		_, err := call(t.Context(), entries["x.add"], nil)
		return err == nil
	})
	if calls != 3 {
		t.Errorf("%d calls", calls)
	}
}
