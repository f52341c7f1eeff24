package gateway

//lint:file-ignore SA1019 sampling is deprecated in the last version of the protocol, which still has it.

import (
	"context"
	"fmt"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"almanac/catalog"
)

// What the server of an action asks goes to the client that called, as far as that can answer.
func TestInquired(t *testing.T) {
	form := catalog.MustSchema(`{"type":"object","properties":{"who":{"type":"string"}},"required":["who"]}`)
	asks := func(q catalog.Inquiry) catalog.Action {
		return func(ctx context.Context, _ catalog.Call) (catalog.Result, error) {
			r := catalog.Inquire(ctx, q)
			return catalog.Result{Data: fmt.Sprintf("%v %v %s%s%s", r.Accepted, r.Values, r.Model, r.Text, r.Reason)}, nil
		}
	}
	all, _ := catalog.New([]catalog.Entry{
		{ID: "bank.form", Description: "Ask.", Action: asks(catalog.Inquiry{Server: "bank", Text: "Who?", Form: form})},
		{ID: "bank.open", Description: "Ask.", Action: asks(catalog.Inquiry{Server: "bank", URL: "https://a.b"})},
		{ID: "bank.sample", Description: "Ask.", Action: asks(catalog.Inquiry{Server: "bank",
			Sample: &catalog.Sample{System: "Be brief.", Text: "user: hi"}})},
	}, catalog.Options{})
	for _, version := range []string{withHandshake, noHandshake} {
		t.Run(version, func(t *testing.T) {
			b := newBench(t, Options{})
			b.version, b.view = version, all.View()
			var told []string
			can := &sdk.ClientOptions{
				ElicitationHandler: func(_ context.Context, r *sdk.ElicitRequest) (*sdk.ElicitResult, error) {
					told = append(told, r.Params.Message)
					return &sdk.ElicitResult{Action: "accept", Content: map[string]any{"who": "Ann"}}, nil
				},
				CreateMessageHandler: func(_ context.Context, r *sdk.CreateMessageRequest) (*sdk.CreateMessageResult, error) {
					told = append(told, r.Params.SystemPrompt)
					return &sdk.CreateMessageResult{Model: "m", Role: "assistant", Content: &sdk.TextContent{Text: "hello"}}, nil
				},
			}
			opens := &sdk.ClientOptions{
				Capabilities: &sdk.ClientCapabilities{Elicitation: &sdk.ElicitationCapabilities{
					URL: &sdk.URLElicitationCapabilities{}}},
				ElicitationHandler: func(_ context.Context, r *sdk.ElicitRequest) (*sdk.ElicitResult, error) {
					told = append(told, r.Params.Mode+" "+r.Params.URL)
					return &sdk.ElicitResult{Action: "accept"}, nil
				},
			}
			for _, c := range []struct {
				id, want string
				o        *sdk.ClientOptions
			}{
				{"bank.form", "true map[who:Ann]", can},
				{"bank.sample", "true map[] mhello", can},
				{"bank.open", "false map[] this client cannot show addresses", can},
				{"bank.open", "true map[] ", opens},
				{"bank.form", "false map[] this client cannot ask its person", &sdk.ClientOptions{}},
				{"bank.sample", "false map[] this client has no model to ask", &sdk.ClientOptions{}},
			} {
				cs := b.dial(t, Client{}, c.o)
				got := textOf(call(t, cs, "execute", script("return "+c.id+"{}", c.id)))
				if !strings.Contains(got, c.want) {
					t.Errorf("%s: got %s, want %s", c.id, got, c.want)
				}
			}
			want := "The server bank, which bank.form calls, asks (its own words):\nWho?|Be brief.|url https://a.b"
			if got := strings.Join(told, "|"); got != want {
				t.Errorf("asked %q", got)
			}
		})
	}
}

// A client is told, by the id that it was given, when its person is done at an address: not before, and not where they
// declined.
func TestFinished(t *testing.T) {
	b := newBench(t, Options{})
	tell := make(chan func(), 1)
	all, _ := catalog.New([]catalog.Entry{{ID: "bank.open", Description: "Ask.",
		Action: func(ctx context.Context, _ catalog.Call) (catalog.Result, error) {
			r := catalog.Inquire(ctx, catalog.Inquiry{Server: "bank", URL: "https://a.b", Finish: func(f func()) { tell <- f }})
			return catalog.Result{Data: r.Accepted}, nil
		}}}, catalog.Options{})
	b.view = all.View()
	action, asked, told := "accept", "", make(chan string, 10)
	cs := b.dial(t, Client{}, &sdk.ClientOptions{
		Capabilities: &sdk.ClientCapabilities{Elicitation: &sdk.ElicitationCapabilities{
			URL: &sdk.URLElicitationCapabilities{}}},
		ElicitationHandler: func(_ context.Context, r *sdk.ElicitRequest) (*sdk.ElicitResult, error) {
			asked = r.Params.ElicitationID
			return &sdk.ElicitResult{Action: action}, nil
		},
		ElicitationCompleteHandler: func(_ context.Context, r *sdk.ElicitationCompleteNotificationRequest) {
			told <- r.Params.ElicitationID
		},
	})
	open := func() string { return textOf(call(t, cs, "execute", script("return bank.open{}", "bank.open"))) }
	if got := open(); !strings.Contains(got, "true") || len(told) != 0 {
		t.Errorf("got %s, told %d times", got, len(told))
	}
	(<-tell)()
	if got := <-told; got != asked || asked == "" {
		t.Errorf("told of %q, want %q", got, asked)
	}
	action = "decline"
	if got := open(); !strings.Contains(got, "false") || len(tell) != 0 {
		t.Errorf("declined: %s, %d", got, len(tell))
	}
}
