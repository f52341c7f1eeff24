package web

// This file decodes responses; a status other than 2xx is an error.

import (
	"bytes"
	"fmt"
	"mime"
	"net/http"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"almanac/catalog"
	"almanac/catalog/text"
)

// A StatusError is a response with a status other than 2xx.
type StatusError struct {
	Status int
	// Message is the server's own message, cleaned and cut; may be empty.
	Message string
	// After is how long the server asked to wait; zero when it did not say.
	After time.Duration
	// Hint says what to do; may be empty.
	Hint string
	// asks tells that the server says who gives tokens for it, refused is the login's that it refused.
	asks    bool
	refused string
}

// Error is one line: `404 Not Found: no such pet`.
func (e *StatusError) Error() string {
	text := strings.TrimSpace(fmt.Sprintf("%d %s", e.Status, http.StatusText(e.Status)))
	if e.Message != "" {
		text += ": " + e.Message
	}
	hint := e.Hint
	if hint == "" {
		hint = e.remedy()
	}
	if hint != "" {
		text += "; " + hint
	}
	return text
}

func (e *StatusError) remedy() string {
	switch {
	case e.Status == http.StatusTooManyRequests && e.After > 0:
		return "rate limited: try again in " + text.Span(e.After)
	case e.Status == http.StatusTooManyRequests:
		return "rate limited: try again later, with fewer calls at a time"
	case e.Status >= 500:
		return "the server failed: try again later"
	case e.Status >= 300 && e.Status < 400:
		return "an invalid redirect"
	}
	return ""
}

// wait is how long to wait before another attempt, as once returns it: below zero where that cannot help.
func (e *StatusError) wait() time.Duration {
	switch {
	case e.Status == http.StatusTooManyRequests:
		return e.After
	case e.Status == http.StatusNotImplemented, e.Status < 500:
		return -1
	}
	return e.After
}

func statusError(res *http.Response, text []byte) *StatusError {
	e := &StatusError{Status: res.StatusCode, Message: message(res.Header.Get("Content-Type"), text)}
	e.asks = res.StatusCode == http.StatusUnauthorized &&
		strings.Contains(res.Header.Get("WWW-Authenticate"), "resource_metadata=")
	after := res.Header.Get("Retry-After")
	if n, err := strconv.Atoi(after); err == nil && n > 0 {
		e.After = time.Duration(min(n, 1<<30)) * time.Second
	} else if at, err := http.ParseTime(after); err == nil {
		e.After = max(0, time.Until(at).Round(time.Second))
	}
	return e
}

// maxMessage bounds a server's message in an error, in bytes.
const maxMessage = 300

// message finds a server's message about a failure.
func message(contentType string, raw []byte) string {
	if data, err := decodeJSON(raw); err == nil {
		if found := messageIn(data, 0); found != "" {
			return text.LineBytes(found, maxMessage)
		}
		if len(raw) > 0 && data != nil {
			return text.LineBytes(string(raw), maxMessage)
		}
		return ""
	}
	if strings.Contains(contentType, "html") || bytes.HasPrefix(bytes.TrimSpace(raw), []byte("<")) {
		return ""
	}
	return text.LineBytes(string(raw), maxMessage)
}

func messageIn(data any, depth int) string {
	switch v := data.(type) {
	case string:
		return v
	case []any:
		if len(v) > 0 && depth < 4 {
			return messageIn(v[0], depth+1)
		}
	case map[string]any:
		for _, name := range []string{"message", "error_description", "detail", "error", "title", "errors", "reason",
			"description", "msg"} {
			if found := messageIn(v[name], depth+1); depth < 4 && found != "" {
				return found
			}
		}
	}
	return ""
}

// decode decodes a body. A body declared as JSON must be JSON; if wantJSON is set, so must any other.
func decode(contentType string, raw []byte, wantJSON bool) (data any, note string, err error) {
	if len(bytes.TrimSpace(raw)) == 0 {
		return nil, "", nil
	}
	kind, _, _ := mime.ParseMediaType(contentType)
	declared := kind == "application/json" || kind == "text/json" || strings.HasSuffix(kind, "+json")
	switch kind {
	case "text/event-stream":
		list := decodeEvents(raw)
		return list, text.Count(len(list), "event"), nil
	case "application/x-ndjson", "application/jsonl", "application/x-jsonlines", "application/json-seq":
		list, err := decodeLines(bytes.ReplaceAll(raw, []byte{0x1e}, nil))
		if err != nil {
			return nil, "", fmt.Errorf("the response is declared %s but is not: %w", kind, err)
		}
		return list, "parsed from lines of JSON", nil
	}
	start := bytes.TrimSpace(raw)[0]
	if declared || wantJSON || kind == "" && (start == '{' || start == '[') {
		data, err := decodeJSON(raw)
		switch {
		case err == nil && !declared:
			return data, "parsed from " + orPlain(kind), nil
		case err == nil:
			return data, "", nil
		case declared:
			return nil, "", fmt.Errorf("the response is declared %s but is not: %w; it starts %q; ask the server's owner", kind,
				err, text.LineBytes(string(raw), 60))
		case wantJSON:
			return nil, "", fmt.Errorf("want JSON, got %s, starting %q; check the server's address", orPlain(kind),
				text.LineBytes(string(raw), 60))
		}
	}
	if utf8.Valid(raw) {
		return string(raw), "", nil
	}
	return string(raw), fmt.Sprintf("%d bytes of %s", len(raw), orPlain(kind)), nil
}

func orPlain(kind string) string {
	if kind == "" {
		return "no declared type"
	}
	return text.LineBytes(kind, 80)
}

// decodeJSON reads one JSON value; integers become int64 where they fit.
func decodeJSON(text []byte) (any, error) {
	return catalog.ParseJSON(bytes.TrimPrefix(text, []byte("\ufeff")))
}

// decodeEvents reads server-sent events, each {data, event, id}; data that is an object or a list in JSON is read too.
func decodeEvents(raw []byte) []any {
	list := []any{}
	event := map[string]any{}
	end := func() {
		said, given := event["data"].(string)
		if given {
			if data, err := decodeJSON([]byte(said)); err == nil && strings.ContainsAny(said[:min(1, len(said))], "{[") {
				event["data"] = data
			}
			list = append(list, event)
		}
		event = map[string]any{}
	}
	for line := range strings.Lines(strings.ReplaceAll(string(raw), "\r\n", "\n")) {
		line = strings.TrimSuffix(line, "\n")
		name, value, _ := strings.Cut(line, ":")
		value = strings.TrimPrefix(value, " ")
		switch {
		case line == "":
			end()
		case name == "data":
			if before, more := event["data"].(string); more {
				value = before + "\n" + value
			}
			event["data"] = value
		case name == "event" || name == "id":
			event[name] = value
		}
	}
	end()
	return list
}

func decodeLines(text []byte) ([]any, error) {
	list := []any{}
	for line := range bytes.Lines(text) {
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		v, err := decodeJSON(line)
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", len(list)+1, err)
		}
		list = append(list, v)
	}
	return list, nil
}
