package mcp

//lint:file-ignore SA1019 roots and sampling are deprecated in the last version of the protocol, which still has them.

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"almanac/catalog"
)

// askingServer asks in its tools, and once outside of any: what it hears then, the tool heard tells.
func askingServer() *sdk.Server {
	s := sdk.NewServer(&sdk.Implementation{Name: "asks", Version: "1"}, nil)
	heard := make(chan string, 1)
	text := func(words string) *sdk.CallToolResult {
		return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: words}}}
	}
	elicit := func(ctx context.Context, ss *sdk.ServerSession, p *sdk.ElicitParams) string {
		answer, err := ss.Elicit(ctx, p)
		if err != nil {
			return "error: " + err.Error()
		}
		raw, _ := json.Marshal(answer.Content)
		return fmt.Sprintf("%s %s %v", answer.Action, raw, answer.Meta[metaReason])
	}
	add := func(name string, f func(context.Context, *sdk.CallToolRequest) string) {
		s.AddTool(&sdk.Tool{Name: name, InputSchema: json.RawMessage(`{"type":"object"}`)},
			func(ctx context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
				return text(f(ctx, r)), nil
			})
	}
	form := json.RawMessage(`{"type":"object","properties":{"name":{"type":"string"},"n":{"type":"integer","default":3}},` +
		`"required":["name"]}`)
	add("ask", func(ctx context.Context, r *sdk.CallToolRequest) string {
		return elicit(ctx, r.Session, &sdk.ElicitParams{Message: "Who\x1b[2J?", RequestedSchema: form})
	})
	add("long", func(ctx context.Context, r *sdk.CallToolRequest) string {
		return elicit(ctx, r.Session, &sdk.ElicitParams{Message: strings.Repeat("x", maxAsked+1), RequestedSchema: form})
	})
	add("open", func(ctx context.Context, r *sdk.CallToolRequest) string {
		var all []string
		for _, address := range []string{
			"https://login.example.com/a?b=c#d", "http://127.0.0.1:1/", "javascript:alert(1)", "file:///etc/passwd",
			"https://ann:pw@example.com/", "https://exаmple.com/", "https://example.com/п\u202e", "",
			"https://example.com/" + strings.Repeat("x", maxURL),
		} {
			all = append(all, elicit(ctx, r.Session, &sdk.ElicitParams{Mode: "url", Message: "Log in.", URL: address,
				ElicitationID: "1"}))
		}
		return strings.Join(all, "\n")
	})
	add("sample", func(ctx context.Context, r *sdk.CallToolRequest) string {
		answer, err := r.Session.CreateMessage(ctx, &sdk.CreateMessageParams{SystemPrompt: "Be brief.", MaxTokens: 50,
			Messages: []*sdk.SamplingMessage{{Role: "user", Content: &sdk.TextContent{Text: "Say hello."}}}})
		if err != nil {
			return "error: " + err.Error()
		}
		return answer.Model + ": " + answer.Content.(*sdk.TextContent).Text
	})
	add("roots", func(ctx context.Context, r *sdk.CallToolRequest) string {
		answer, err := r.Session.ListRoots(ctx, nil)
		raw, _ := json.Marshal(answer)
		return fmt.Sprint(string(raw), " ", err)
	})
	add("later", func(_ context.Context, r *sdk.CallToolRequest) string {
		go func() {
			time.Sleep(100 * time.Millisecond)
			heard <- elicit(context.Background(), r.Session, &sdk.ElicitParams{Message: "Now?", RequestedSchema: form})
		}()
		return "later"
	})
	s.AddTool(&sdk.Tool{Name: "wait", InputSchema: json.RawMessage(`{"type":"object"}`)},
		func(ctx context.Context, _ *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		})
	// consent is given by the tool agree; impatient says at once that it is not, and when it is.
	var agreed, told atomic.Bool
	for _, name := range []string{"consent", "impatient", "never", "odd"} {
		address := map[string]string{"odd": "javascript:alert(1)"}[name]
		address = cmp.Or(address, "https://bank.example/consent?state="+name)
		s.AddTool(&sdk.Tool{Name: name, InputSchema: json.RawMessage(`{"type":"object"}`)},
			func(_ context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
				if agreed.Swap(false) {
					return text("done"), nil
				}
				if name == "impatient" && !told.Swap(true) {
					go func() {
						agreed.Store(true)
						_ = r.Session.NotifyElicitationComplete(context.Background(), &sdk.ElicitationCompleteParams{ElicitationID: name})
					}()
				}
				return nil, sdk.URLElicitationRequiredError([]*sdk.ElicitParams{
					{Mode: "url", Message: "Agree\x1b[2Jfirst.", URL: address, ElicitationID: name}})
			})
	}
	add("finish", func(ctx context.Context, r *sdk.CallToolRequest) string {
		for _, id := range []string{"another", "1", "1"} {
			if err := r.Session.NotifyElicitationComplete(ctx, &sdk.ElicitationCompleteParams{ElicitationID: id}); err != nil {
				return err.Error()
			}
		}
		return "finished"
	})
	add("agree", func(context.Context, *sdk.CallToolRequest) string { agreed.Store(true); return "agreed" })
	add("heard", func(context.Context, *sdk.CallToolRequest) string { return <-heard })
	return s
}

// What a server wants opened before it takes a call is put to the person, and the call is made again; whoever cannot be
// asked is told the address.
func TestOpening(t *testing.T) {
	entries := load(t, child(t, "asks", nil, options{}))
	var asked []catalog.Inquiry
	person := func(accept bool, then func()) context.Context {
		return catalog.WithInquiries(t.Context(), "ann", func(_ context.Context, q catalog.Inquiry) catalog.Reply {
			asked = append(asked, q)
			then()
			return catalog.Reply{Accepted: accept}
		})
	}
	agrees := func() {
		if got, err := call(t.Context(), entries["x.agree"], nil); err != nil || got.Data != "agreed" {
			t.Errorf("%v, %v", got, err)
		}
	}
	const at = `server x wants this address opened first (%s): https://bank.example/consent?state=%s; it says "Agree first."`
	for _, c := range []struct {
		tool   string
		ctx    context.Context
		want   string
		opened int
	}{
		{"consent", person(true, agrees), "done", 1},
		{"impatient", person(true, func() {}), "done", 1},
		{"never", t.Context(), fmt.Sprintf(at, "nobody can be asked here", "never"), 0},
		{"never", person(false, func() {}), fmt.Sprintf(at, "declined", "never"), 1},
		{"odd", person(true, func() {}), "server x wants an address opened first, which is not shown: " +
			`the address is none of the web; it says "Agree first."`, 0},
	} {
		asked = nil
		result, err := call(c.ctx, entries["x."+c.tool], nil)
		got := fmt.Sprint(result.Data)
		if err != nil {
			got = err.Error()
		}
		if got != c.want || len(asked) != c.opened {
			t.Errorf("%s: asked %d times, got %s\nwant %s", c.tool, len(asked), got, c.want)
		}
		if len(asked) > 0 && (!asked[0].Again || asked[0].URL != "https://bank.example/consent?state="+c.tool) {
			t.Errorf("%s: asked %+v", c.tool, asked[0])
		}
	}
}

// What a server asks in a call goes to who made the call; anything else is declined.
func TestAsked(t *testing.T) {
	entries := load(t, child(t, "asks", nil, options{Roots: []string{"/work/my project"}}))
	var asked []catalog.Inquiry
	ann := catalog.WithInquiries(t.Context(), "ann", func(_ context.Context, q catalog.Inquiry) catalog.Reply {
		asked = append(asked, q)
		if q.Sample != nil {
			return catalog.Reply{Accepted: true, Text: "hello", Model: "m"}
		}
		return catalog.Reply{Accepted: true, Values: map[string]any{"name": "Ann"}}
	})
	says := func(ctx context.Context, id, want string) {
		t.Helper()
		got, err := call(ctx, entries["x."+id], nil)
		if err != nil || got.Data != want {
			t.Errorf("%s: got %v, %v\nwant %s", id, got.Data, err, want)
		}
	}
	says(ann, "ask", `accept {"n":3,"name":"Ann"} <nil>`)
	says(ann, "sample", "m: hello")
	says(ann, "long", `decline null the question is too large to show`)
	says(ann, "roots", `{"roots":[{"name":"my project","uri":"file:///work/my%20project"}]} <nil>`)
	says(t.Context(), "ask", `decline null nobody can be asked here`)
	says(t.Context(), "sample", `error: calling "sampling/createMessage": refused: nobody can be asked here`)
	if len(asked) != 2 || asked[0].Text != "Who ?" || asked[0].Server != "x" || len(asked[0].Form.Fields()) != 2 ||
		*asked[1].Sample != (catalog.Sample{System: "Be brief.", Text: "user: Say hello.", Most: 50}) {
		t.Errorf("asked %+v", asked)
	}

	asked = nil
	says(ann, "open", `accept null <nil>
accept null <nil>
decline null the address is none of the web
decline null the address is none of the web
decline null the address has a name or a password before its host
decline null the address has a host with letters that may look like others
accept null <nil>
error: calling "elicitation/create": URL must be set for URL elicitation
decline null the address is too long to show`)
	var opened []string
	for _, q := range asked {
		opened = append(opened, q.URL)
	}
	if got := strings.Join(opened, " "); got != "https://login.example.com/a?b=c#d http://127.0.0.1:1/ "+
		"https://example.com/%D0%BF%E2%80%AE" {
		t.Errorf("to open: %s", got)
	}

	// The server says, once, that the person is done there, before or after somebody wants to know.
	told := make(chan string, 10)
	asked[len(asked)-1].Finish(func() { told <- "before" })
	says(t.Context(), "finish", "finished")
	if got := <-told; got != "before" {
		t.Errorf("told %s", got)
	}
	asked[len(asked)-1].Finish(func() { told <- "after" })
	if got := <-told; got != "after" || len(told) != 0 {
		t.Errorf("told %s, and %d times more", got, len(told))
	}

	// When no call is running.
	says(ann, "later", "later")
	time.Sleep(300 * time.Millisecond)
	says(t.Context(), "heard", `decline null no call is running in which to ask`)

	// When somebody else has a call running, too: it is not known whose it is.
	waiting, stop := context.WithCancel(catalog.WithInquiries(t.Context(), "ben",
		func(context.Context, catalog.Inquiry) catalog.Reply {
			t.Error("ben was asked")
			return catalog.Reply{}
		}))
	done := make(chan struct{})
	go func() {
		defer close(done)
		_, _ = call(waiting, entries["x.wait"], nil)
	}()
	time.Sleep(200 * time.Millisecond)
	says(ann, "ask",
		`decline null calls of several sessions are running, and it is not known which of them asks`)
	stop()
	<-done
}
