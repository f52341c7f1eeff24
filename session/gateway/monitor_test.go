package gateway

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
)

// look asks for a page, with the token as a bearer or as a password.
func look(t *testing.T, url, token string, password bool) (status int, body string, header http.Header) {
	t.Helper()
	r, _ := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	switch {
	case password:
		r.SetBasicAuth("me", token)
	case token != "":
		r.Header.Set("Authorization", "Bearer "+token)
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer.StatusCode, string(text), answer.Header
}

// Only a client that may watch does, and anybody where no tokens are asked for.
func TestMonitored(t *testing.T) {
	metrics := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintln(w, "metrics") })
	url := strings.TrimSuffix(serveHTTP(t, newBench(t, Options{}), HTTPOptions{Metrics: metrics, Roster: Roster{
		Clients: []Client{with(t, tokenA, Client{Name: "a", Monitor: true}), with(t, tokenB, Client{Name: "b"})},
	}}), Path) + MetricsPath
	for _, c := range []struct {
		token    string
		password bool
		status   int
	}{{tokenA, false, 200}, {tokenA, true, 200}, {tokenB, false, 403}, {tokenB, true, 403}, {"", false, 401},
		{"", true, 401}, {"token-cccccccccccccccc", true, 401}} {
		status, body, header := look(t, url, c.token, c.password)
		if status != c.status || (body == "metrics\n") != (status == 200) {
			t.Errorf("%q %t: %d %s", c.token, c.password, status, body)
		}
		if (header.Get("WWW-Authenticate") != "") != (status != 200) {
			t.Error(header)
		}
	}
	open := strings.TrimSuffix(serveHTTP(t, newBench(t, Options{}), HTTPOptions{Metrics: metrics, Roster: anyone}), Path)
	if status, _, _ := look(t, open+MetricsPath, "", false); status != 200 {
		t.Error(status)
	}
	off := strings.TrimSuffix(serveHTTP(t, newBench(t, Options{}), HTTPOptions{Roster: anyone}), Path)
	if status, _, _ := look(t, off+MetricsPath, "", false); status != 404 {
		t.Error(status)
	}
}
