package openaitest

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

const scriptText = `
-- user --
how many?
-- model delay=2ms chunk=3 --
I will look.
-- call lua_tools_query id=c7 cuts=2,5 --
return catalog.search("customer")
-- call lua_tools_describe --
crm.customer.search
billing.invoice.list_unpaid
-- tool --
found
-- call lua_tools_execute noid --
{"script":"return 1","fresh":true}
-- fault 429 retry=2 --
-- think field=reasoning --
hm
-- expect --
two
== model hang ==
-- line --
data: {"error":"x"}
-- answer --
`

func TestParseScript(t *testing.T) {
	got, err := ParseScript([]byte(scriptText))
	if err != nil {
		t.Fatal(err)
	}
	want := []Reply{
		{Text: "I will look.", Delay: 2 * time.Millisecond, Chunk: 3, Calls: []Call{
			{Name: "lua_tools_query", ID: "c7", Cuts: []int{2, 5}, Args: `{"script":"return catalog.search(\"customer\")"}`},
			{Name: "lua_tools_describe", Args: `{"ids":["crm.customer.search","billing.invoice.list_unpaid"]}`},
		}},
		{Calls: []Call{{Name: "lua_tools_execute", NoID: true, Args: `{"script":"return 1","fresh":true}`}}},
		{Status: 429, Header: map[string]string{"Retry-After": "2"}},
		{Expect: "two", Reasoning: "hm", ReasoningField: "reasoning", Hang: true, Raw: []string{`data: {"error":"x"}`}},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	for _, bad := range []string{"-- modle --\n", "-- model delay=x --\n", "-- call --\n", "-- fault 7 --\n",
		"-- call x size=3 --\n", "[{]"} {
		if _, err := ParseScript([]byte(bad)); err == nil {
			t.Errorf("%q was accepted", bad)
		}
	}
	if replies, err := ParseScript([]byte(`[{"Text":"hi"}]`)); err != nil || replies[0].Text != "hi" {
		t.Errorf("JSON: %v, %v", replies, err)
	}
}

// TestServe talks to the server as another process would: by the address that it prints.
func TestServe(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	in, out := io.Pipe()
	done := make(chan error, 1)
	go func() { done <- Serve(ctx, "127.0.0.1:0", []Reply{{Text: "hi", Expect: "go"}}, out) }()
	line, err := bufio.NewReader(in).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	url := strings.TrimSpace(line)
	for _, test := range []struct {
		text   string
		status int
		want   string
	}{
		{"stay", 400, `reply 1 expects`},
		{"go", 200, `"content":"hi"`},
		{"go", 400, "no reply left for request 3"},
	} {
		resp, err := http.Post(url+"/chat/completions", "application/json",
			strings.NewReader(`{"model":"m","messages":[{"role":"user","content":"`+test.text+`"}]}`))
		if err != nil {
			t.Fatal(err)
		}
		body, _ := io.ReadAll(resp.Body)
		resp.Body.Close()
		if resp.StatusCode != test.status || !strings.Contains(string(body), test.want) {
			t.Errorf("%s: %d %s", test.text, resp.StatusCode, body)
		}
	}
	cancel()
	if err := <-done; err != nil {
		t.Error(err)
	}
}
