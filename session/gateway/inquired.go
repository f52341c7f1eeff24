package gateway

// This file passes on to a client what the server of an action asks during its call: a form to its person, a text to
// its model. The client has the last word; what it cannot answer is declined.

import (
	"context"
	"crypto/rand"
	"fmt"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"almanac/catalog"
	"almanac/catalog/text"
)

// defaultSample is how many tokens a model is asked for where the server did not say.
const defaultSample = 1000

// inquire asks the client, which can do what can says.
func (s *served) inquire(ctx context.Context, can *sdk.ClientCapabilities, id string, q catalog.Inquiry) catalog.Reply {
	select { // one question at a time
	case s.asked <- struct{}{}:
		defer func() { <-s.asked }()
	case <-ctx.Done():
		return catalog.Reply{Reason: "interrupted"}
	}
	who := fmt.Sprintf("The server %s, which %s calls, asks (its own words):\n", text.SanitizeLine(q.Server), id)
	var form sdk.InputRequest
	switch {
	case q.URL != "" && (can == nil || can.Elicitation == nil || can.Elicitation.URL == nil):
		return catalog.Reply{Reason: "this client cannot show addresses"}
	case q.URL != "":
		form = &sdk.ElicitParams{Mode: "url", Message: who + text.Sanitize(q.Text), URL: q.URL, ElicitationID: rand.Text()}
	case q.Sample == nil && canAsk(can):
		schema := q.Form.JSON()
		if q.Form == nil {
			schema = []byte(`{"type":"object","properties":{}}`)
		}
		form = &sdk.ElicitParams{Mode: "form", Message: who + text.Sanitize(q.Text), RequestedSchema: schema}
	case q.Sample == nil:
		return catalog.Reply{Reason: "this client cannot ask its person"}
	//lint:ignore SA1019 deprecated in the version without a handshake, which still has it
	case can != nil && can.Sampling != nil:
		most := q.Sample.Most
		if most <= 0 {
			most = defaultSample
		}
		//lint:ignore SA1019 as above
		form = &sdk.CreateMessageParams{SystemPrompt: q.Sample.System, MaxTokens: most,
			//lint:ignore SA1019 as above
			Messages: []*sdk.SamplingMessage{{Role: "user", Content: &sdk.TextContent{Text: q.Sample.Text}}}}
	default:
		return catalog.Reply{Reason: "this client has no model to ask"}
	}
	answer, err := s.ask(ctx, form)
	if err != nil {
		return catalog.Reply{Reason: "the client did not answer"}
	}
	reply := replyOf(answer)
	if opened, is := form.(*sdk.ElicitParams); is && reply.Accepted && q.Finish != nil {
		s.finish(ctx, opened.ElicitationID, q.Finish)
	}
	return reply
}

// finishTime is how long a client may take to hear that its person is done.
const finishTime = 30 * time.Second

// finish has the client told when its person is done at an address. The version without a handshake has no such notice.
func (s *served) finish(ctx context.Context, id string, finish func(tell func())) {
	c, ok := ctx.Value(callKey{}).(*toolCall)
	if !ok || c.rounds {
		return
	}
	ss := c.request.Session
	finish(func() {
		go func() {
			by, cancel := context.WithTimeout(s.ctx, finishTime)
			defer cancel()
			_ = ss.NotifyElicitationComplete(by, &sdk.ElicitationCompleteParams{ElicitationID: id}) // it may be gone
		}()
	})
}

// replyOf is what a client answered: anything but an acceptance, or a text, declines.
func replyOf(answer sdk.InputResponse) catalog.Reply {
	said := func(model string, parts ...sdk.Content) catalog.Reply {
		if len(parts) == 1 {
			if words, ok := parts[0].(*sdk.TextContent); ok {
				return catalog.Reply{Accepted: true, Text: words.Text, Model: model}
			}
		}
		return catalog.Reply{Reason: "the client's model answered with something else than a text"}
	}
	switch answer := answer.(type) {
	case *sdk.ElicitResult:
		if answer.Action != "accept" {
			return catalog.Reply{Reason: "the person answered " + text.ClipBytes(text.SanitizeLine(answer.Action), 20)}
		}
		return catalog.Reply{Accepted: true, Values: answer.Content}
	//lint:ignore SA1019 deprecated in the version without a handshake, which still has it
	case *sdk.CreateMessageResult:
		return said(answer.Model, answer.Content)
	//lint:ignore SA1019 as above
	case *sdk.CreateMessageWithToolsResult:
		return said(answer.Model, answer.Content...)
	}
	return catalog.Reply{}
}
