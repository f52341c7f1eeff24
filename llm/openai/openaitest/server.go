package openaitest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"
)

// A Request is what a client asked, decoded.
type Request struct {
	// Path is that of the interface, below the base URL: /chat/completions or /responses.
	Path     string
	Header   http.Header
	Model    string
	Messages []Message
	// Thoughts are the encrypted reasoning items among the messages, over the Responses interface.
	Thoughts []string
	// Tools are the names of the tools.
	Tools []string
	// Usage tells that the client asked for usage.
	Usage bool
	// Body is the request as it came.
	Body []byte
}

// A Message is one message of a Request.
type Message struct {
	Role       string     `json:"role"`
	Content    string     `json:"content"`
	ToolCallID string     `json:"tool_call_id"`
	ToolCalls  []ToolCall `json:"tool_calls"`
}

// UnmarshalJSON reads a message whose content is a text or parts.
func (m *Message) UnmarshalJSON(raw []byte) error {
	type plain Message
	all := struct {
		*plain
		Content content `json:"content"`
	}{plain: (*plain)(m)}
	err := json.Unmarshal(raw, &all)
	m.Content = string(all.Content)
	return err
}

// A ToolCall is a call of a Message.
type ToolCall struct {
	ID       string `json:"id"`
	Function struct {
		Name      string `json:"name"`
		Arguments string `json:"arguments"`
	} `json:"function"`
}

// Last returns the text of the last message.
func (r Request) Last() string {
	if len(r.Messages) == 0 {
		return ""
	}
	return r.Messages[len(r.Messages)-1].Content
}

// A Server answers requests over the chat and the Responses interface with its replies, in order. When none is left it
// answers 400. Safe for concurrent use.
type Server struct {
	listener net.Listener
	http     *http.Server
	gone     chan struct{} // closed by Close, so that hanging replies end
	once     sync.Once

	mu       sync.Mutex
	replies  []Reply
	next     int
	requests []Request
	refused  []string
	answer   func(Request) Reply
	models   http.Handler // answers GET /v1/models
	listed   int
}

// New starts a server on a free port of the loopback interface. The caller closes it. It panics when there is no
// such port.
func New(replies ...Reply) *Server {
	s, err := listen("127.0.0.1:0", replies)
	if err != nil {
		panic(err)
	}
	return s
}

// Serve answers at addr ("127.0.0.1:0" for a free port) until ctx is done. It first writes the base URL to out as
// one line.
func Serve(ctx context.Context, addr string, replies []Reply, out io.Writer) error {
	s, err := listen(addr, replies)
	if err != nil {
		return err
	}
	defer s.Close()
	if _, err := fmt.Fprintln(out, s.URL()); err != nil {
		return err
	}
	<-ctx.Done()
	return nil
}

func listen(addr string, replies []Reply) (*Server, error) {
	l, err := net.Listen("tcp", addr)
	if err != nil {
		return nil, err
	}
	s := &Server{listener: l, replies: replies, gone: make(chan struct{})}
	s.Models(func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, `{"object":"list","data":[{"id":"scripted","object":"model"}]}`)
	})
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/chat/completions", s.complete(Reply.completion, (*events).chat))
	mux.HandleFunc("POST /v1/responses", s.complete(Reply.response, (*events).items))
	mux.HandleFunc("GET /v1/models", func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		models := s.models
		s.listed++
		s.mu.Unlock()
		models.ServeHTTP(w, r)
	})
	s.http = &http.Server{Handler: mux, ReadHeaderTimeout: time.Minute}
	go s.http.Serve(l)
	return s, nil
}

// Close ends the server and the replies that hang.
func (s *Server) Close() {
	s.once.Do(func() {
		close(s.gone)
		s.http.Close()
	})
}

// URL is the base URL, with /v1.
func (s *Server) URL() string { return "http://" + s.listener.Addr().String() + "/v1" }

// Add puts more replies behind those that are left.
func (s *Server) Add(replies ...Reply) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.replies = append(s.replies, replies...)
}

// Answer makes the server ask f for its replies, one at a time, in place of the script, and keep no requests.
func (s *Server) Answer(f func(Request) Reply) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.answer = f
}

// Refuse makes the server answer 400 to requests that have the top-level field.
func (s *Server) Refuse(field string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.refused = append(s.refused, field)
}

// Models replaces what GET /v1/models is answered with.
func (s *Server) Models(answer http.HandlerFunc) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.models = answer
}

// Listed returns how often the models were asked for.
func (s *Server) Listed() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.listed
}

// Requests returns the requests so far, also those that were refused.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Request(nil), s.requests...)
}

// Left returns how many replies have not been asked for.
func (s *Server) Left() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.replies) - s.next
}

// take keeps the request and returns the reply to it.
func (s *Server) take(r *http.Request) (Request, Reply) {
	refuse := func(format string, args ...any) Reply {
		return Reply{Status: http.StatusBadRequest, Body: errorBody(fmt.Sprintf(format, args...))}
	}
	body, err := io.ReadAll(r.Body)
	req := Request{Path: strings.TrimPrefix(r.URL.Path, "/v1"), Header: r.Header.Clone(), Body: body}
	var fields map[string]json.RawMessage
	if err = errors.Join(err, json.Unmarshal(body, &fields), req.decode()); err != nil {
		return req, refuse("request: %v", err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.answer != nil {
		return req, s.answer(req)
	}
	s.requests = append(s.requests, req)
	for _, name := range s.refused {
		if _, ok := fields[name]; ok {
			return req, refuse("unrecognized request argument supplied: %s", name)
		}
	}
	if s.next == len(s.replies) {
		return req, refuse("script: no reply left for request %d, which ends: %q", len(s.requests), req.Last())
	}
	reply := s.replies[s.next]
	if !strings.Contains(req.Last(), reply.Expect) {
		return req, refuse("script: reply %d expects %q in %q", s.next+1, reply.Expect, req.Last())
	}
	s.next++
	return req, reply
}

func (r *Request) decode() error {
	if r.Path == "/responses" {
		return r.decodeResponses()
	}
	var q struct {
		Model    string    `json:"model"`
		Messages []Message `json:"messages"`
		Tools    []struct {
			Function struct {
				Name string `json:"name"`
			} `json:"function"`
		} `json:"tools"`
		StreamOptions struct {
			IncludeUsage bool `json:"include_usage"`
		} `json:"stream_options"`
	}
	if err := json.Unmarshal(r.Body, &q); err != nil {
		return err
	}
	r.Model, r.Messages, r.Usage = q.Model, q.Messages, q.StreamOptions.IncludeUsage
	for _, t := range q.Tools {
		r.Tools = append(r.Tools, t.Function.Name)
	}
	return nil
}

// complete serves replies in the form of one interface: whole or as a stream.
func (s *Server) complete(
	whole func(Reply, Request) map[string]any, stream func(*events, Request, Reply),
) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		req, reply := s.take(r)
		switch {
		case reply.Status != 0:
			reply.fail(w)
		case reply.Whole:
			w.Header().Set("Content-Type", "application/json")
			json.NewEncoder(w).Encode(whole(reply, req))
		default:
			w.Header().Set("Content-Type", "text/event-stream")
			w.WriteHeader(http.StatusOK)
			stream(&events{w: w, ctx: r.Context(), gone: s.gone, model: req.Model}, req, reply)
		}
	}
}

// completion is the whole answer of the chat interface.
func (r Reply) completion(req Request) map[string]any {
	answer := map[string]any{
		"object": "chat.completion", "model": req.Model,
		"choices": []any{map[string]any{"index": 0, "message": r.message(), "finish_reason": r.finish()}},
	}
	if !r.NoUsage {
		answer["usage"] = usage(req, r)
	}
	return answer
}

// usage counts a quarter of the bytes, so that numbers in tests are easily understood.
func usage(req Request, reply Reply) map[string]any {
	if reply.Usage != nil {
		return reply.Usage
	}
	in, out := len(req.Body)/4, len(reply.Text)/4
	for _, c := range reply.Calls {
		out += len(c.Args) / 4
	}
	return map[string]any{"prompt_tokens": in, "completion_tokens": out, "total_tokens": in + out}
}

func (e *events) chat(req Request, reply Reply) {
	e.delta(map[string]any{"role": "assistant", "content": ""}, nil)
	for _, piece := range reply.split(reply.Reasoning) {
		e.wait(reply.Delay)
		if piece != "" {
			e.delta(map[string]any{reply.reasoningField(): piece}, nil)
		}
	}
	for _, piece := range reply.pieces() {
		e.wait(reply.Delay)
		e.delta(map[string]any{"content": piece}, nil)
	}
	for i, c := range reply.Calls {
		for _, f := range c.fragments(i) {
			e.wait(reply.Delay)
			e.delta(map[string]any{"tool_calls": []any{f}}, nil)
		}
	}
	for _, line := range reply.Raw {
		e.line(line)
	}
	if reply.Hang {
		e.wait(-1)
		return
	}
	if reply.Cut {
		panic(http.ErrAbortHandler)
	}
	if finish := reply.finish(); finish != nil {
		e.delta(map[string]any{}, finish)
	}
	if req.Usage && !reply.NoUsage {
		e.chunk(map[string]any{"choices": []any{}, "usage": usage(req, reply)})
	}
	if !reply.NoDone {
		e.line("data: [DONE]")
	}
}

// events writes a stream of events.
type events struct {
	w     http.ResponseWriter
	ctx   context.Context
	gone  <-chan struct{}
	model string
}

func (e *events) line(text string) {
	fmt.Fprintf(e.w, "%s\n\n", text)
	if f, ok := e.w.(http.Flusher); ok {
		f.Flush()
	}
}

func (e *events) chunk(fields map[string]any) {
	fields["id"], fields["object"], fields["model"] = "chatcmpl-1", "chat.completion.chunk", e.model
	text, _ := json.Marshal(fields)
	e.line("data: " + string(text))
}

func (e *events) delta(delta map[string]any, finish any) {
	e.chunk(map[string]any{"choices": []any{map[string]any{"index": 0, "delta": delta, "finish_reason": finish}}})
}

// wait waits for d, or for the client or the server to go away; a negative d means for ever.
func (e *events) wait(d time.Duration) {
	if d == 0 {
		return
	}
	var timer <-chan time.Time
	if d > 0 {
		t := time.NewTimer(d)
		defer t.Stop()
		timer = t.C
	}
	select {
	case <-timer:
	case <-e.ctx.Done():
	case <-e.gone:
	}
}
