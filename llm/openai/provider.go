package openai

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/sashabaranov/go-openai"

	"almanac/llm"
)

// DefaultURL is where requests go when no base URL is given.
const DefaultURL = "https://api.openai.com/v1"

// The interfaces of Options.API.
const (
	ChatAPI      = "chat"
	ResponsesAPI = "responses"
)

// Options configure a Provider.
type Options struct {
	// BaseURL is the server's address, with or without /v1; see the package comment. Empty means DefaultURL.
	BaseURL string
	// Key is sent as a bearer token. It may be empty when BaseURL is set: local servers want none.
	Key string
	// API is the interface that is asked: ChatAPI, ResponsesAPI, or empty for chat completions and the Responses interface
	// for models that the server refuses there.
	API string
	// HTTP sends the requests. Nil means a client without time limits of its own: ctx ends a completion.
	HTTP *http.Client
}

// A Provider is an llm.Provider for one server. Safe for concurrent use.
type Provider struct {
	base string
	key  string
	api  string
	http *http.Client
	// fault is what is wrong with the options; it is told at the first completion, where it can be shown.
	fault *llm.Error
	// noUsage is set once the server has refused to be asked for usage.
	noUsage atomic.Bool
	calls   atomic.Int64

	mu sync.Mutex
	// wires is what the server has taught of each model.
	wires map[string]wire
	// thoughts are what the servers of reasoning models want back while a turn runs.
	thoughts thoughtStore
}

// New returns a Provider. Options that cannot work are told by Complete.
func New(o Options) *Provider {
	p := &Provider{key: o.Key, api: o.API, http: o.HTTP, wires: map[string]wire{}}
	if p.http == nil {
		p.http = &http.Client{}
	}
	base, err := baseURL(o.BaseURL)
	switch {
	case err != nil:
		p.fault = &llm.Error{Kind: llm.Unreachable, Message: err.Error(), Hint: "give the base URL as http://host:port/v1"}
	case o.API != "" && o.API != ChatAPI && o.API != ResponsesAPI:
		p.fault = &llm.Error{
			Kind: llm.BadRequest, Message: fmt.Sprintf("model server: api %q: unknown", o.API),
			Hint: fmt.Sprintf("the interfaces are %s and %s", ChatAPI, ResponsesAPI),
		}
	case o.Key == "" && o.BaseURL == "":
		p.fault = &llm.Error{
			Kind:    llm.BadKey,
			Message: "model server " + DefaultURL + ": no API key",
			Hint:    "set OPENAI_API_KEY, or the base URL of a server that needs no key",
		}
	}
	p.base = base
	return p
}

// baseURL returns the address that an address as people write it stands for; see the package comment.
func baseURL(s string) (string, error) {
	text := strings.TrimSpace(s)
	if text == "" {
		return DefaultURL, nil
	}
	if !strings.Contains(text, "://") {
		text = guessScheme(text) + "://" + text
	}
	u, err := url.Parse(text)
	if err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") {
		return "", fmt.Errorf("base URL %q: not an http address", s)
	}
	path := strings.TrimRight(u.Path, "/")
	for _, end := range []string{"/chat/completions", "/responses"} {
		path = strings.TrimRight(strings.TrimSuffix(path, end), "/")
	}
	if path == "" {
		path = "/v1"
	}
	return (&url.URL{Scheme: u.Scheme, User: u.User, Host: u.Host, Path: path}).String(), nil
}

func guessScheme(address string) string {
	host, _, _ := strings.Cut(address, "/")
	if h, _, err := net.SplitHostPort(host); err == nil {
		host = h
	}
	if ip := net.ParseIP(strings.Trim(host, "[]")); host == "localhost" || ip != nil && ip.IsLoopback() {
		return "http"
	}
	return "https"
}

// Complete implements llm.Provider.
func (p *Provider) Complete(ctx context.Context, r llm.Request, hear func(llm.Piece)) (llm.Response, error) {
	if p.fault != nil {
		return llm.Response{}, p.fault
	}
	if r.Model == "" {
		return llm.Response{}, &llm.Error{Kind: llm.NoModel, Message: "model: no name", Hint: "name the model to ask"}
	}
	if p.api == ResponsesAPI || p.wire(r.Model).responses {
		return p.respond(ctx, r, hear)
	}
	response, x, err := p.chat(ctx, r, hear)
	if err == nil || p.api == ChatAPI || !x.refusesChat() {
		return response, err
	}
	response, second := p.respond(ctx, r, hear)
	var e *llm.Error
	if errors.As(second, &e) && e.Kind == llm.NotAnAPI {
		return llm.Response{}, err // there is no such interface, so the first error says more
	}
	p.learn(r.Model, func(w *wire) { w.responses = true })
	return response, second
}

// chat completes r over the chat interface.
func (p *Provider) chat(ctx context.Context, r llm.Request,
	hear func(llm.Piece)) (llm.Response, *exchange, error) {
	asked := !p.noUsage.Load()
	response, x, err := p.attempt(ctx, r, asked, hear)
	if err != nil && asked && x.refusesUsage() {
		p.noUsage.Store(true)
		response, x, err = p.attempt(ctx, r, false, hear)
	}
	return response, x, err
}

// attempt makes one HTTP exchange of the chat interface.
func (p *Provider) attempt(ctx context.Context, r llm.Request, usage bool,
	hear func(llm.Piece)) (llm.Response, *exchange, error) {
	x := &exchange{client: p.http, base: p.base, model: r.Model}
	config := openai.DefaultConfig(p.key)
	config.BaseURL = p.base
	config.HTTPClient = x
	request := chatRequest(r)
	if usage {
		request.StreamOptions = &openai.StreamOptions{IncludeUsage: true}
	}
	stream, err := openai.NewClientWithConfig(config).CreateChatCompletionStream(ctx, request)
	if err != nil {
		return llm.Response{}, x, p.failure(ctx, x, err)
	}
	defer stream.Close()
	a := answer{hear: hear, nextID: p.nextID}
	if err := x.read(stream.RecvRaw, &a); err != nil {
		return llm.Response{}, x, p.failure(ctx, x, err)
	}
	return a.response(), x, nil
}

// failure is err as the caller gets it: ctx's own error when ctx is done, otherwise an *llm.Error without the key.
func (p *Provider) failure(ctx context.Context, x *exchange, err error) error {
	if ended := ctx.Err(); ended != nil {
		return ended
	}
	var e *llm.Error
	if !errors.As(err, &e) {
		e = x.transportError(err)
	}
	if p.key != "" {
		e.Message = strings.ReplaceAll(e.Message, p.key, "[key]")
	}
	return e
}

// nextID names a call that the server gave no name. Nine letters and digits: some servers want exactly that.
func (p *Provider) nextID() string { return fmt.Sprintf("call%05d", p.calls.Add(1)) }

// pictures is the user's message with the pictures of the answers that messages end with: this interface takes none in
// an answer. None if they have none.
func pictures(messages []llm.Message) []openai.ChatCompletionMessage {
	var parts []openai.ChatMessagePart
	for _, m := range slices.Backward(messages) {
		if m.Role != llm.ToolRole {
			break
		}
		for _, image := range m.Images {
			label, address := picture(image)
			parts = append(parts, openai.ChatMessagePart{Type: openai.ChatMessagePartTypeText, Text: label})
			if address != "" {
				parts = append(parts, openai.ChatMessagePart{
					Type: openai.ChatMessagePartTypeImageURL, ImageURL: &openai.ChatMessageImageURL{URL: address},
				})
			}
		}
	}
	if parts == nil {
		return nil
	}
	return []openai.ChatCompletionMessage{{Role: openai.ChatMessageRoleUser, MultiContent: parts}}
}

// picture is what stands before an image, and its bytes as an address; "" where they are gone.
func picture(image llm.Image) (label, address string) {
	data, err := image.Read()
	if err != nil || len(data) > llm.MaxImage {
		return "the picture " + image.Handle + " of a result above cannot be read", ""
	}
	return "the picture " + image.Handle + " of a result above, which is data:",
		"data:" + image.MIME + ";base64," + base64.StdEncoding.EncodeToString(data)
}

func chatRequest(r llm.Request) openai.ChatCompletionRequest {
	q := openai.ChatCompletionRequest{Model: r.Model}
	if r.System != "" {
		q.Messages = append(q.Messages, openai.ChatCompletionMessage{Role: openai.ChatMessageRoleSystem, Content: r.System})
	}
	for i, m := range r.Messages {
		message := openai.ChatCompletionMessage{Role: string(m.Role), Content: m.Text, ToolCallID: m.CallID}
		for _, call := range m.Calls {
			args := bytes.TrimSpace(call.Args)
			if len(args) == 0 {
				args = []byte("{}")
			}
			message.ToolCalls = append(message.ToolCalls, openai.ToolCall{
				ID: call.ID, Type: openai.ToolTypeFunction,
				Function: openai.FunctionCall{Name: call.Name, Arguments: string(args)},
			})
		}
		q.Messages = append(q.Messages, message)
		if i+1 == len(r.Messages) || r.Messages[i+1].Role != llm.ToolRole {
			q.Messages = append(q.Messages, pictures(r.Messages[:i+1])...)
		}
	}
	for _, t := range r.Tools {
		q.Tools = append(q.Tools, openai.Tool{
			Type:     openai.ToolTypeFunction,
			Function: &openai.FunctionDefinition{Name: t.Name, Description: t.Description, Parameters: t.Schema},
		})
	}
	return q
}
