package gateway

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"almanac/catalog"
)

// opening is what a client sends first, with what it can.
func opening(version, can string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"%s","capabilities":{%s},`+
		`"clientInfo":{"name":"x","version":"1"}}}`+"\n"+`{"jsonrpc":"2.0","method":"notifications/initialized"}`+"\n",
		version, can)
}

// running is the request that runs a script.
func running(id, lua string, tools ...string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":"tools/call","params":{"name":"lua_tools_execute","arguments":`+
		`{"script":%q,"actions":["%s"]}}}`+"\n", id, lua, strings.Join(tools, `","`))
}

// conversed is what a client gets that says all at once and then ends its side.
func conversed(t *testing.T, b *bench, said io.Reader) string {
	t.Helper()
	var out bytes.Buffer
	if err := b.ServeStdio(t.Context(), Client{}, said, &out); err != nil {
		t.Error(err)
	}
	return out.String()
}

// A client that ends its side right after a request has its answer, and nothing waits for what it cannot say any more.
func TestAnswersBeforeTheEnd(t *testing.T) {
	for _, test := range []struct{ what, version, can, asks, want string }{
		{"a ping", withHandshake, "", `{"jsonrpc":"2.0","id":"last","method":"ping"}`,
			`{"jsonrpc":"2.0","id":"last","result":{}}`},
		{"a script", withHandshake, "", running("7", "return shop.price{id='x'}.cents", "shop.price"), "250"},
		{"a batch", "2025-03-26", "", `[{"jsonrpc":"2.0","id":8,"method":"ping"},{"jsonrpc":"2.0","id":9,"method":"ping"}]`,
			`{"jsonrpc":"2.0","id":9,"result":{}}]`},
		{"what nobody is there to approve", withHandshake, `"elicitation":{}`, running("7", "shop.buy{id='x'}", "shop.buy"),
			"denied"},
	} {
		b := newBench(t, Options{Drain: time.Hour})
		got := conversed(t, b, strings.NewReader(opening(test.version, test.can)+test.asks))
		if !strings.Contains(got, test.want) {
			t.Errorf("%s: want %s, got %s", test.what, test.want, got)
		}
	}
}

// What does not end is stopped: by the time it has, by the end of the program, by a client that reads no more.
func TestTheEndIsBounded(t *testing.T) {
	said := opening(withHandshake, "") + running("7", "shop.wait{}", "shop.wait")
	b := newBench(t, Options{Drain: time.Millisecond})
	conversed(t, b, strings.NewReader(said))

	b = newBench(t, Options{Drain: time.Hour})
	ctx, cancel := context.WithCancel(t.Context())
	begun := make(chan struct{})
	wait := func(ctx context.Context, _ catalog.Call) (catalog.Result, error) {
		close(begun)
		<-ctx.Done()
		return catalog.Result{}, ctx.Err()
	}
	all, _ := catalog.New([]catalog.Entry{{ID: "shop.wait", Action: wait}}, catalog.Options{})
	b.view = all.View()
	go func() {
		<-begun
		cancel()
	}()
	if err := b.ServeStdio(ctx, Client{}, strings.NewReader(said), io.Discard); err != nil {
		t.Error(err)
	}

	b = newBench(t, Options{Drain: time.Hour})
	gone := iotest.ErrReader(errors.New("gone"))
	if err := b.ServeStdio(t.Context(), Client{}, strings.NewReader(said), failing{gone}); err == nil {
		t.Error("nobody reads, and nobody says so")
	}
}

// A failing writer fails as a reader does.
type failing struct{ io.Reader }

func (f failing) Write(p []byte) (int, error) { return f.Read(p) }

// A message that is too long is answered, whatever it is, and the conversation goes on.
func TestTooLong(t *testing.T) {
	long := strings.Repeat("x", maxRequest)
	const what = `"error":{"code":-32600,"message":"the message has more than 4.0 MiB"}}`
	for _, test := range []struct{ what, line, want string }{
		{"its id first", `{"jsonrpc":"2.0","id":5,"method":"ping","params":{"a":"` + long + `"}}`,
			`{"jsonrpc":"2.0","id":5,` + what},
		{"its id last", `{"method":"ping","params":{"id":6,"a":["` + long + `",{"id":6}]}, "id" : "it\"s" }`,
			`{"jsonrpc":"2.0","id":"it\"s",` + what},
		{"no id", `{"method":"x","params":"` + long + `"}`, `{"jsonrpc":"2.0","id":null,` + what},
		{"an id that is none", `{"id":{"id":5},"method":"x","params":"` + long + `"}`, `"id":null,` + what},
		{"no JSON", long + "x", `"id":null,` + what},
		{"quoted braces", `{"method":"}","a":"\\\"}{[","b":"` + long + `","id":5}`, `"id":5,` + what},
		{"a long id", `{"method":"x","id":"` + long + `"}`, `"id":null,` + what},
		{"an answer to nothing", `{"jsonrpc":"2.0","id":5,"result":"` + long + `"}`, ""},
	} {
		b := newBench(t, Options{Drain: time.Hour})
		said := io.MultiReader(strings.NewReader(opening(withHandshake, "")+test.line+"\n"),
			strings.NewReader(`{"jsonrpc":"2.0","id":99,"method":"ping"}`))
		got := conversed(t, b, said)
		if !strings.Contains(got, test.want) || !strings.Contains(got, `{"jsonrpc":"2.0","id":99,"result":{}}`) {
			t.Errorf("%s: want %s, got %s", test.what, test.want, got)
		}
		if test.want == "" && strings.Contains(got, "MiB") {
			t.Errorf("%s: got %s", test.what, got)
		}
	}
}

// A client's answer that is too long is no answer: what asked goes on.
func TestAnswerTooLong(t *testing.T) {
	b := newBench(t, Options{Drain: time.Hour})
	in, client := io.Pipe()
	answers, out := io.Pipe()
	go func() {
		if err := b.ServeStdio(t.Context(), Client{}, in, out); err != nil {
			t.Error(err)
		}
		out.Close()
	}()
	go io.WriteString(client, opening(withHandshake, `"elicitation":{}`)+running("7", "shop.buy{id='x'}", "shop.buy"))
	got := ""
	for scan := bufio.NewScanner(answers); scan.Scan(); {
		line := scan.Text()
		got += line
		if strings.Contains(line, `"method":"elicitation/create"`) {
			id := strings.SplitN(strings.SplitN(line, `"id":`, 2)[1], ",", 2)[0]
			fmt.Fprintf(client, `{"jsonrpc":"2.0","result":{"action":"accept","content":{"a":"%s"}},"id":%s}`+"\n",
				strings.Repeat("x", maxRequest), id)
		}
		if strings.Contains(line, `"id":7`) {
			client.Close()
		}
	}
	if !strings.Contains(got, "denied") {
		t.Errorf("got %s", got)
	}
}
