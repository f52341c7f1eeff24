package gateway

import (
	"io"
	"net/http"
	"strings"
	"testing"
)

// TestStreamsBeginUnnamed: the first event of a stream has an id and no data, and no name that a client would warn of.
func TestStreamsBeginUnnamed(t *testing.T) {
	url := serveHTTP(t, newBench(t, Options{}), HTTPOptions{Roster: Roster{Clients: []Client{{Name: "a"}}}})
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(`{"jsonrpc":"2.0","id":1,`+
		`"method":"initialize","params":{"protocolVersion":"`+withHandshake+`","capabilities":{},`+
		`"clientInfo":{"name":"raw","version":"1"}}}`))
	if err != nil {
		t.Fatal(err)
	}
	r.Header = http.Header{"Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"}}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	first, rest, _ := strings.Cut(string(text), "\n\n")
	if !strings.HasPrefix(first, "id: ") || !strings.HasSuffix(first, "\ndata: ") ||
		!strings.HasPrefix(rest, "event: message\n") {
		t.Errorf("got %s", text)
	}
}
