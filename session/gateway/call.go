package gateway

// This file is the way of a tool call: into its session, to its turn, to its answer. Where the protocol has a handshake
// one request is one call. Where it has none, a question to the person is an answer too: the call goes on with the
// request that brings the reply.

//lint:file-ignore SA1019 sampling is deprecated in the last version of the protocol, which still has it.

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"sync"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"almanac/catalog"
	"almanac/catalog/media"
	"almanac/catalog/secret"
	"almanac/llm/tools"
	"almanac/session"
	"almanac/session/gateway/audit"
)

// noHandshake is the first version of the protocol that has neither a handshake nor sessions.
const noHandshake = "2026-07-28"

// A toolCall is one use of a tool.
type toolCall struct {
	member *member
	tool   offered
	args   json.RawMessage
	rounds bool // questions are answers: the protocol has no others
	// request began it.
	request *sdk.CallToolRequest
	cancel  context.CancelFunc
	// about is what every record of it says; began is when it did.
	about audit.Record
	began time.Time

	questions chan inquiry
	result    chan *sdk.CallToolResult // has room for the one

	mu   sync.Mutex
	now  *sdk.CallToolRequest // waits for it; nil while the client is to answer a question
	ctx  context.Context      // of that request
	said string               // what the last action told of its progress
	in   *session.Session     // nil until it has one
}

// An inquiry is a question for the client's person, and where the answer goes.
type inquiry struct {
	state  string // what the client names it by
	form   sdk.InputRequest
	answer chan sdk.InputResponse // has room for the one
}

// questionTime is how long a question stays open that is an answer.
const questionTime = 10 * time.Minute

// questionName is what the one question of an answer is called.
const questionName = "approval"

type callKey struct{}

// serve is one request to use a tool. What is wrong with the arguments or the script is an answer that the model can
// read.
func (g *Gateway) serve(ctx context.Context, m *member, t offered,
	r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
	var c *toolCall
	var err error
	if r.Params.RequestState != "" {
		c, err = g.goOn(m, t, r)
	} else {
		c, err = g.start(ctx, m, t, r)
	}
	if err != nil {
		return g.clean(failure(err)), nil
	}
	return g.clean(c.wait(ctx, r)), nil
}

// start begins a call, which then runs on its own.
func (g *Gateway) start(by context.Context, m *member, t offered, r *sdk.CallToolRequest) (*toolCall, error) {
	if err := g.allow(m); err != nil {
		g.refused(m.name(g), nil, err.Error())
		return nil, err
	}
	c := &toolCall{
		member: m, tool: t, args: r.Params.Arguments, rounds: r.ProtocolVersion() >= noHandshake, request: r,
		questions: make(chan inquiry), result: make(chan *sdk.CallToolResult, 1),
	}
	c.attend(by, r)
	if err := g.began(c); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(g.ctx)
	c.cancel = cancel
	ctx = context.WithValue(ctx, callKey{}, c)
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.closed {
		cancel()
		return nil, errClosed
	}
	g.underway++
	g.wait.Go(func() {
		defer cancel()
		c.result <- g.ended(c, g.use(ctx, c))
		g.mu.Lock()
		defer g.mu.Unlock()
		g.underway--
		g.settled()
	})
	return c, nil
}

// use runs the tool in the session of the call.
func (g *Gateway) use(ctx context.Context, c *toolCall) *sdk.CallToolResult {
	args, handle, err := c.tool.handle(c.args)
	if err != nil {
		return failure(err)
	}
	cursor, paging, wrong := cursorOf(args)
	if c.tool.knows != nil && !paging {
		if err := c.tool.knows(args); err != nil {
			return failure(err)
		}
	}
	s, err := g.enter(ctx, c.member, c, handle)
	if err != nil {
		return failure(err)
	}
	defer g.leave(s)
	if c.tool.alone && s.handle() != "" {
		defer g.drop(s)
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(s.ctx, cancel)()
	if c.tool.paged && paging {
		if wrong != nil {
			return failure(wrong)
		}
		return s.pages.next(cursor)
	}
	release, err := g.run(ctx, c.member)
	if err != nil {
		return failure(err)
	}
	defer release()
	c.mu.Lock()
	c.in = s.session
	c.mu.Unlock()
	ctx = catalog.WithProgress(ctx, c.told)
	reply, err := c.tool.run(ctx, s.session, args)
	if err != nil {
		reply = refused(err)
	}
	return s.answer(reply, c.tool)
}

// drop closes a session that no other call can name.
func (g *Gateway) drop(s *served) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.forget(s)
}

// answer is a reply with what the model is to know of its session.
func (s *served) answer(reply tools.Reply, t offered) *sdk.CallToolResult {
	if !t.paged {
		return plain(reply, s.pages.most)
	}
	if reply.Data == nil {
		reply.Data = map[string]any{"ok": !reply.Failed}
	}
	if note := s.noted(); note != "" {
		reply.Text = note + "\n" + reply.Text
		reply.Data["note"] = note
	}
	return s.pages.first(reply)
}

// wait answers a request: with the result, or a question for the person.
func (c *toolCall) wait(ctx context.Context, r *sdk.CallToolRequest) *sdk.CallToolResult {
	c.attend(ctx, r)
	defer c.attend(context.Background(), nil)
	stop := c.reporting(ctx, r)
	defer stop()
	select {
	case result := <-c.result:
		return result
	case q := <-c.questions:
		return &sdk.CallToolResult{
			InputRequests: sdk.InputRequestMap{questionName: q.form}, RequestState: q.state,
		}
	case <-ctx.Done():
		c.cancel()
		return <-c.result
	}
}

func (c *toolCall) attend(ctx context.Context, r *sdk.CallToolRequest) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ctx, c.now = ctx, r
}

// ask puts a form to the client's person, or a text to its model. The error is ctx's, or tells that there was no
// answer.
func (g *Gateway) ask(ctx context.Context, form sdk.InputRequest) (sdk.InputResponse, error) {
	c, ok := ctx.Value(callKey{}).(*toolCall)
	if !ok {
		return nil, errUndecided
	}
	if !c.rounds {
		by, cancel := context.WithCancel(c.ctx) // it says which stream the question goes to
		defer cancel()
		defer context.AfterFunc(ctx, cancel)()
		return put(by, c.request.Session, form)
	}
	q := inquiry{state: rand.Text(), form: form, answer: make(chan sdk.InputResponse, 1)}
	g.mu.Lock()
	g.asked[q.state] = pending{c, q}
	g.mu.Unlock()
	defer func() {
		g.mu.Lock()
		delete(g.asked, q.state)
		g.mu.Unlock()
	}()
	late := time.NewTimer(questionTime)
	defer late.Stop()
	select {
	case c.questions <- q:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	select {
	case answer := <-q.answer:
		return answer, nil
	case <-late.C:
		return nil, errUndecided
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// put asks where the protocol has questions of their own.
func put(ctx context.Context, ss *sdk.ServerSession, form sdk.InputRequest) (sdk.InputResponse, error) {
	switch form := form.(type) {
	case *sdk.ElicitParams:
		return ss.Elicit(ctx, form)
	case *sdk.CreateMessageParams:
		return ss.CreateMessage(ctx, form)
	}
	return nil, errUndecided
}

// answers tells that a response is of the kind that a question wants.
func answers(form sdk.InputRequest, answer sdk.InputResponse) bool {
	_, elicited := answer.(*sdk.ElicitResult)
	_, wants := form.(*sdk.ElicitParams)
	return answer != nil && elicited == wants
}

// A pending question waits for the request that answers it.
type pending struct {
	call     *toolCall
	question inquiry
}

// goOn finds the call that a request goes on with, and gives it the answer to its question. The request must be that of
// the call again: a yes is for what was asked about.
func (g *Gateway) goOn(m *member, t offered, r *sdk.CallToolRequest) (*toolCall, error) {
	g.mu.Lock()
	p, ok := g.asked[r.Params.RequestState]
	g.mu.Unlock()
	if !ok || p.call.member != m {
		return nil, errors.New("requestState: unknown or expired: the question is closed, and what it was about was denied")
	}
	answer := r.Params.InputResponses[questionName]
	switch {
	case p.call.tool.name != t.name || !sameJSON(p.call.args, r.Params.Arguments):
		return nil, errors.New("requestState: it belongs to a call of another tool or with other arguments")
	case !answers(p.question.form, answer):
		return nil, fmt.Errorf("inputResponses: want the answer to %q, of the kind that was asked for", questionName)
	}
	g.mu.Lock()
	_, ok = g.asked[r.Params.RequestState]
	delete(g.asked, r.Params.RequestState) // one answer only
	g.mu.Unlock()
	if !ok {
		return nil, errors.New("requestState: answered already")
	}
	p.question.answer <- answer
	return p.call, nil
}

// sameJSON tells that two texts are one value: a client may write its names in another order.
func sameJSON(a, b json.RawMessage) bool {
	one, err := catalog.ParseJSON(a)
	other, wrong := catalog.ParseJSON(b)
	return err == nil && wrong == nil && reflect.DeepEqual(one, other)
}

// log sends the client a line, where it listens to log messages.
func (c *toolCall) log(ctx context.Context, n session.Notice) {
	c.mu.Lock()
	now, of := c.now, c.ctx
	c.mu.Unlock()
	if !c.rounds {
		now, of = c.request, ctx
	}
	if now == nil {
		return
	}
	_ = now.Session.Log(of, &sdk.LoggingMessageParams{Level: "notice", Logger: n.Action,
		Data: strings.TrimPrefix(n.Target+": "+n.Text, ": ")})
}

// told takes in what an action says of its progress.
func (c *toolCall) told(p catalog.Progress) {
	said := p.ID
	if p.Total > 0 {
		said += fmt.Sprintf(" %g of %g", p.Done, p.Total)
	}
	if p.Text != "" {
		said += ": " + p.Text
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.said = said
}

// progress says how far the call is after so many seconds.
func (c *toolCall) progress(seconds int) string {
	c.mu.Lock()
	in, said := c.in, c.said
	c.mu.Unlock()
	if in == nil {
		return fmt.Sprintf("%d s, waiting for its turn", seconds)
	}
	text := fmt.Sprintf("%d s, %d calls", seconds, in.Used().Calls)
	if said != "" {
		text += "; " + said
	}
	return in.Redact(text)
}

// beat is how often a client is told that a script is still running.
const beat = time.Second

// reporting tells the client every second how far a script is, where it asked for that. stop ends it.
func (c *toolCall) reporting(ctx context.Context, r *sdk.CallToolRequest) (stop func()) {
	token := r.Params.GetProgressToken()
	if token == nil {
		return func() {}
	}
	done := make(chan struct{})
	var wait sync.WaitGroup
	wait.Go(func() {
		ticks := time.NewTicker(beat)
		defer ticks.Stop()
		for n := 1; ; n++ {
			select {
			case <-ticks.C:
			case <-done:
				return
			case <-ctx.Done():
				return
			}
			// A client that does not listen any more is noticed by the end of its connection.
			_ = r.Session.NotifyProgress(ctx, &sdk.ProgressNotificationParams{
				ProgressToken: token, Progress: float64(n), Message: c.progress(n),
			})
		}
	})
	return func() {
		close(done)
		wait.Wait()
	}
}

// clean is an answer without secrets.
func (g *Gateway) clean(result *sdk.CallToolResult) *sdk.CallToolResult {
	cutter := g.options.Secrets.Now()
	result.StructuredContent = secret.Clean(cutter, result.StructuredContent)
	for _, content := range result.Content {
		if text, ok := content.(*sdk.TextContent); ok {
			text.Text = cutter.Text(text.Text)
		}
	}
	result.Content = append(result.Content, g.attached(result.StructuredContent)...)
	return result
}

// mostAttached bounds the images and sounds of one answer, mostAttachedBytes what they take together.
const mostAttached, mostAttachedBytes = 8, 4 << 20

// attached are the images and sounds whose handles an answer holds, as far as there is room for them.
func (g *Gateway) attached(data any) (blocks []sdk.Content) {
	raw, ok := data.(json.RawMessage)
	if !ok {
		raw, _ = json.Marshal(data)
	}
	var plain any
	if !bytes.Contains(raw, []byte(media.Prefix)) || json.Unmarshal(raw, &plain) != nil {
		return nil
	}
	room := mostAttachedBytes
	for _, a := range media.Attachments(plain, mostAttached) {
		content, err := g.options.Media.Get(a.Handle)
		if room -= len(content); err != nil || room < 0 {
			continue
		}
		switch a.Kind {
		case "image":
			blocks = append(blocks, &sdk.ImageContent{MIMEType: a.MIME, Data: content})
		case "audio":
			blocks = append(blocks, &sdk.AudioContent{MIMEType: a.MIME, Data: content})
		default:
			blocks = append(blocks, &sdk.EmbeddedResource{
				Resource: &sdk.ResourceContents{URI: a.Handle, MIMEType: a.MIME, Blob: content},
			})
		}
	}
	return blocks
}

// refused is the reply that says what went wrong before anything ran.
func refused(err error) tools.Reply {
	return tools.Reply{
		Failed: true, Text: "error: " + err.Error(),
		Data: map[string]any{"ok": false, "error": map[string]any{"kind": "refused", "message": err.Error()}},
	}
}

// failure is refused as an answer.
func failure(err error) *sdk.CallToolResult {
	r := refused(err)
	return &sdk.CallToolResult{
		IsError: true, Content: []sdk.Content{&sdk.TextContent{Text: r.Text}}, StructuredContent: r.Data,
	}
}
