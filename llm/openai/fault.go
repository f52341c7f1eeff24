package openai

import (
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"almanac/catalog/text"
	"almanac/llm"
)

// This file tells what went wrong and what to do about it.

// A fault is an error as servers write them, in whatever form.
type fault struct {
	message, code, kind, object string
}

// readFault reads OpenAI's {"error":{…}}, the same in a list, {"error":"…"}, {"message":…} and {"detail":…}. What is
// none of these becomes the message.
func readFault(body []byte) fault {
	var list []json.RawMessage
	if json.Unmarshal(body, &list) == nil && len(list) > 0 {
		return readFault(list[0])
	}
	var top map[string]json.RawMessage
	if json.Unmarshal(body, &top) != nil {
		return fault{message: brief(string(body))}
	}
	inner := top
	if present(top["error"]) {
		var text string
		if json.Unmarshal(top["error"], &text) == nil {
			return fault{message: brief(text), code: word(top["code"]), kind: word(top["type"])}
		}
		inner = nil
		if json.Unmarshal(top["error"], &inner) != nil {
			return fault{message: brief(string(body))}
		}
	}
	f := fault{code: word(inner["code"]), kind: word(inner["type"]), object: word(inner["object"])}
	for _, name := range []string{"message", "detail", "error"} {
		if present(inner[name]) {
			f.message = brief(word(inner[name]))
			return f
		}
	}
	f.message = brief(string(body))
	return f
}

// word returns a string as it is and any other JSON as its text.
func word(raw json.RawMessage) string {
	var text string
	if !present(raw) || json.Unmarshal(raw, &text) == nil {
		return text
	}
	return string(raw)
}

// brief is what a server says, as an error quotes it.
func brief(s string) string { return text.LineBytes(s, 300) }

func (x *exchange) server() string { return "model server " + x.base }

// statusError is the error of an answer with a failure status.
func (x *exchange) statusError(resp *http.Response) *llm.Error {
	f := readFault(x.body)
	if page := strings.TrimSpace(string(x.body)); strings.HasPrefix(page, "<") {
		f = fault{message: pageTitle(page)}
	}
	e := x.classify(resp.StatusCode, f)
	e.RetryAfter = retryAfter(resp.Header)
	if e.RetryAfter > 0 && e.Temporary() {
		e.Hint = fmt.Sprintf("the server asks us to wait %s", e.RetryAfter.Round(time.Millisecond))
	}
	return e
}

// streamError is the error of a fault within a stream.
func (x *exchange) streamError(f fault) *llm.Error {
	status, err := strconv.Atoi(f.code)
	if err != nil || status < 400 || status > 599 {
		status = 0
	}
	return x.classify(status, f)
}

func (x *exchange) pageError() *llm.Error {
	return &llm.Error{
		Kind: llm.NotAnAPI, Status: x.status,
		Message: fmt.Sprintf("%s: answered with a web page (%s)", x.server(), pageTitle(string(x.body))),
		Hint:    "check the base URL: it usually ends in /v1",
	}
}

// toolsHint says what to change where tools are refused, by the words of each server.
func toolsHint(refusal string) string {
	for _, server := range []struct{ sign, hint string }{
		{"--jinja", "start llama-server with --jinja"},
		{"--enable-auto-tool-choice", "start vLLM with --enable-auto-tool-choice --tool-call-parser NAME; the parser depends on the model"},
		{"No endpoints found", "choose a model with tools: openrouter.ai/models?supported_parameters=tools"},
		{"does not support tools", "choose a model with tools; those of Ollama are at ollama.com/search?c=tools"},
	} {
		if strings.Contains(refusal, server.sign) {
			return server.hint
		}
	}
	return "choose a model that supports tool calling, or enable it on the server"
}

func pageTitle(page string) string {
	lower := strings.ToLower(page)
	start := strings.Index(lower, "<title")
	end := strings.Index(lower, "</title")
	if len(lower) == len(page) && start >= 0 && end > start {
		if _, title, ok := strings.Cut(page[start:end], ">"); ok && strings.TrimSpace(title) != "" {
			return brief(title)
		}
	}
	return "no title"
}

// classify makes an error of a fault. Status zero means a fault within a stream.
func (x *exchange) classify(status int, f fault) *llm.Error {
	message := f.message
	if status != 0 {
		message = strings.TrimSpace(fmt.Sprintf("%d %s", status, http.StatusText(status)))
		if f.message != "" {
			message += ": " + strings.TrimSuffix(f.message, ".") // a hint follows
		}
	}
	e := &llm.Error{Kind: kindOf(status, f), Status: status, Message: x.server() + ": " + message}
	switch e.Kind {
	case llm.BadKey:
		e.Hint = "check the key"
	case llm.NoQuota:
		e.Hint = "check the account's plan and balance"
	case llm.NoModel:
		e.Message = fmt.Sprintf("model %s: unknown at %s: %s", x.model, x.base, message)
		e.Hint = "check the name, or load the model on the server"
	case llm.NoTools:
		e.Message = fmt.Sprintf("model %s: no tool calling at %s: %s", x.model, x.base, message)
		e.Hint = toolsHint(f.message)
	case llm.TooLong:
		e.Message = fmt.Sprintf("model %s: the conversation is longer than its context: %s", x.model, message)
		e.Hint = "start a new conversation, or set a smaller context budget"
	case llm.NotAnAPI:
		e.Hint = "check the base URL: it usually ends in /v1"
		if x.responses {
			e.Hint = `this server may not have the Responses interface: set api = "chat"`
		}
	case llm.BadRequest:
		switch {
		case !x.responses && wantsResponses(f.code+" "+f.message):
			e.Hint = `set api = "responses" for this model`
		case strings.Contains(f.message, "jinja template"): // LM Studio
			e.Hint = "the model's prompt template fails, maybe on the tools: choose another template there, or another model"
		}
	case llm.RateLimited:
		e.Hint = "wait a moment and ask again"
	case llm.ServerFault:
		e.Hint = "ask again"
	}
	return e
}

// wantsResponses tells whether a refusal over the chat interface says that the model has another one. These are the
// words of OpenAI, Azure and GitHub.
func wantsResponses(refusal string) bool {
	return slices.ContainsFunc([]string{
		"v1/responses", "responses api", "not supported in the v1/chat/completions", "unsupported_api_for_model",
		"chatcompletion operation does not work",
	}, func(words string) bool { return strings.Contains(strings.ToLower(refusal), words) })
}

func kindOf(status int, f fault) llm.ErrorKind {
	text := strings.ToLower(f.code + " " + f.kind + " " + f.message)
	has := func(words ...string) bool {
		for _, w := range words {
			if strings.Contains(text, w) {
				return true
			}
		}
		return false
	}
	switch {
	case has("insufficient_quota", "billing_") || status == http.StatusPaymentRequired:
		return llm.NoQuota
	case status == http.StatusTooManyRequests || has("rate_limit"):
		return llm.RateLimited
	case status == http.StatusUnauthorized || status == http.StatusForbidden || has("invalid_api_key"):
		return llm.BadKey
	case has("context_length", "context length", "context window", "context size", "exceed_context", "prompt is too long",
		"too many tokens", "maximum number of tokens") || status == http.StatusRequestEntityTooLarge:
		return llm.TooLong
	case has("support tool", "support function", "tool choice requires", "tools param requires",
		"`tools` is not supported", "tool calling` is not supported", "tool calling is not supported",
		"function calling is not supported", "function calling is unsupported"):
		return llm.NoTools
	case has("model_not_found", "invalid model", "unknown model", "not a valid model") ||
		has("model") && has("not found", "does not exist", "not exist", "no such"):
		return llm.NoModel
	case wantsResponses(text):
		return llm.BadRequest
	case status == http.StatusNotFound || status == http.StatusMethodNotAllowed:
		return llm.NotAnAPI
	case status == 0, status >= 500, status == http.StatusRequestTimeout:
		return llm.ServerFault
	}
	return llm.BadRequest
}

// retryAfter reads how long the server asks to wait: milliseconds, seconds or a date.
func retryAfter(h http.Header) time.Duration {
	if ms, err := strconv.ParseFloat(h.Get("Retry-After-Ms"), 64); err == nil && ms > 0 && ms < 1e12 {
		return time.Duration(ms * float64(time.Millisecond))
	}
	text := h.Get("Retry-After")
	if s, err := strconv.ParseFloat(text, 64); err == nil && s > 0 && s < 1e9 {
		return time.Duration(s * float64(time.Second))
	}
	if at, err := http.ParseTime(text); err == nil {
		return max(time.Until(at), 0)
	}
	return 0
}

// transportError is the error of an exchange that did not come about or was cut.
func (x *exchange) transportError(err error) *llm.Error {
	var op *net.OpError
	if errors.As(err, &op) && op.Op == "dial" {
		what := "unreachable: " + op.Err.Error()
		if strings.Contains(op.Err.Error(), "refused") {
			what = "connection refused"
		}
		return &llm.Error{
			Kind: llm.Unreachable, Message: x.server() + ": " + what,
			Hint: "check that the server is running, or set another base URL", Err: err,
		}
	}
	text := err.Error()
	contains := func(sign string) bool { return strings.Contains(text, sign) }
	if slices.ContainsFunc([]string{"x509:", "tls:", "HTTPS client"}, contains) {
		return &llm.Error{
			Kind: llm.Unreachable, Message: x.server() + ": " + brief(text),
			Hint: "check whether the base URL should start with http or https", Err: err,
		}
	}
	return x.brokenError(brief(err.Error()), err)
}
