package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	gophers "github.com/graph-gophers/graphql-go"
	"github.com/graph-gophers/graphql-go/relay"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/rogpeppe/go-internal/testscript"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	health "google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/reflection"
	"google.golang.org/grpc/status"

	"almanac/internal/awstest"
	"almanac/internal/oauthtest"
)

// browser is the browser of the scripts: a person who agrees at once.
func browser() {
	if err := oauthtest.Browse(os.Args[len(os.Args)-1]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// guarded is what the server of the scripts protects: an MCP server whose tool says the token it was called with, and
// an HTTP API that does the same.
func guarded() http.Handler {
	mux := http.NewServeMux()
	server := sdk.NewServer(&sdk.Implementation{Name: "vault", Version: "1"}, nil)
	sdk.AddTool(server, &sdk.Tool{Name: "whoami", Description: "Says the token."},
		func(_ context.Context, r *sdk.CallToolRequest, _ struct{}) (*sdk.CallToolResult, map[string]any, error) {
			return nil, map[string]any{"scope": r.Extra.Header.Get("Scope"), "sent": r.Extra.Header.Get("Authorization")}, nil
		})
	mux.Handle("/mcp", sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return server }, nil))
	graph := gophers.MustParseSchema(`type Query { whoami: String! }`, &queries{})
	mux.Handle("/graphql", &relay.Handler{Schema: graph})
	calls := grpc.NewServer()
	health.RegisterHealthServer(calls, &healthy{})
	reflection.Register(calls)
	mux.HandleFunc("/pets", func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(map[string]any{"method": r.Method, "sent": r.Header.Get("Authorization"),
			"body": string(body), "query": r.URL.RawQuery})
	})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.Header.Get("Content-Type"), "application/grpc") {
			calls.ServeHTTP(w, r)
			return
		}
		mux.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), scopeKey{}, r.Header.Get("Scope"))))
	})
}

// scopeKey is the context key of the scope of the token that a request came with.
type scopeKey struct{}

type queries struct{}

func (*queries) Whoami(ctx context.Context) string { return fmt.Sprint(ctx.Value(scopeKey{})) }

// healthy says the token that it was called with, as a server that refuses it might.
type healthy struct {
	health.UnimplementedHealthServer
}

func (*healthy) Check(ctx context.Context, r *health.HealthCheckRequest) (*health.HealthCheckResponse, error) {
	if r.Service == "echo" {
		meta, _ := metadata.FromIncomingContext(ctx)
		return nil, status.Error(codes.NotFound, fmt.Sprint(meta.Get("authorization")))
	}
	return &health.HealthCheckResponse{Status: health.HealthCheckResponse_SERVING}, nil
}

func (*healthy) Watch(_ *health.HealthCheckRequest, s health.Health_WatchServer) error {
	for range 2 {
		if err := s.Send(&health.HealthCheckResponse{Status: health.HealthCheckResponse_SERVING}); err != nil {
			return err
		}
	}
	return nil
}

// protects starts an authorisation server and a server that wants its tokens: protects [SECONDS|whole]. MCP, AUTH and
// API are their addresses, which also stand in the files of the script for AUTH_ADDRESS and API_ADDRESS, and GRPC the
// latter without its scheme; tokens hold for an hour, or for SECONDS, and for /mcp, or for the whole server. At
// its end no file of the script may have a secret, but for those of logins, and no refresh token may have been used
// twice.
func protects(ts *testscript.TestScript, neg bool, args []string) {
	o := oauthtest.Options{}
	if len(args) == 1 && args[0] == "whole" {
		o.Whole = true
	} else if len(args) == 1 {
		d, err := time.ParseDuration(args[0] + "s")
		ts.Check(err)
		o.Lifetime = d
	}
	s := oauthtest.New(o, guarded())
	ts.Setenv("MCP", s.Resource.URL+"/mcp")
	ts.Setenv("API", s.Resource.URL)
	ts.Setenv("GRPC", strings.TrimPrefix(s.Resource.URL, "http://"))
	ts.Setenv("AUTH", s.URL)
	ts.Setenv("BROWSER", "browser")
	addresses(ts, "API_ADDRESS", s.Resource.URL, "AUTH_ADDRESS", s.URL)
	work := ts.Getenv("WORK")
	ts.Defer(func() {
		s.Close()
		if n := s.Count("reused"); n > 0 {
			ts.Logf("%d refresh tokens were used twice", n)
			panic("a refresh token was used twice")
		}
		for path, secret := range leftIn(work, s.Given()) {
			panic(fmt.Sprintf("%s has the secret %s", path, secret))
		}
	})
}

// addresses writes addresses into the files of a script, in place of the names before them.
func addresses(ts *testscript.TestScript, pairs ...string) {
	files, err := filepath.Glob(filepath.Join(ts.Getenv("WORK"), "[a-z]*.*"))
	ts.Check(err)
	for _, file := range files {
		ts.Check(os.WriteFile(file, []byte(strings.NewReplacer(pairs...).Replace(ts.ReadFile(file))), 0o600))
	}
}

// signs starts a server that wants requests signed for execute-api in eu-west-1: signs ID SECRET TOKEN. API is its
// address, which also stands in the files of the script for API_ADDRESS. At its end no file that the program wrote may
// have the secret or the token.
func signs(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: signs ID SECRET TOKEN")
	}
	s := awstest.New(awstest.Account{ID: args[0], Secret: args[1], Token: args[2], Region: "eu-west-1",
		Service: "execute-api"}, guarded())
	ts.Setenv("API", s.URL)
	addresses(ts, "API_ADDRESS", s.URL)
	ts.Defer(func() {
		s.Close()
		for path, secret := range leftIn(ts.Getenv("ALMANAC_DATA"), args[1:]) {
			panic(fmt.Sprintf("%s has the secret %s", path, secret))
		}
	})
}

// leftIn finds the files that have a secret, but for those of logins.
func leftIn(dir string, secrets []string) map[string]string {
	found := map[string]string{}
	_ = filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() || strings.Contains(path, "logins") {
			return nil
		}
		text, _ := os.ReadFile(path)
		for _, secret := range secrets {
			if strings.Contains(string(text), secret) && secret != "client-secret-1" {
				found[path] = secret
			}
		}
		return nil
	})
	return found
}

func TestLeftIn(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "log"), []byte("a tok-1 b"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := leftIn(dir, []string{"tok-1", "tok-2"}); len(got) != 1 {
		t.Errorf("got %v", got)
	}
}
