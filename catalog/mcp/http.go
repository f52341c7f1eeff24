package mcp

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
)

// httpClient sends the server's headers to its own host, and follows no redirect to another.
func httpClient(s endpoint) *http.Client {
	return &http.Client{
		Transport: &headed{header: s.Header, next: http.DefaultTransport},
		CheckRedirect: func(r *http.Request, via []*http.Request) error {
			if r.URL.Host != via[0].URL.Host || r.URL.Scheme != via[0].URL.Scheme {
				return fmt.Errorf("it redirects to %s: another host is not followed", r.URL.Host)
			}
			if len(via) >= 5 {
				return errors.New("too many redirects")
			}
			return nil
		},
	}
}

// headed is a transport that adds headers to requests.
type headed struct {
	header map[string]string
	next   http.RoundTripper
}

func (h *headed) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	for name, value := range h.header {
		r.Header.Set(name, value)
	}
	answer, err := h.next.RoundTrip(r)
	if err == nil && !strings.HasPrefix(answer.Header.Get("Content-Type"), "text/event-stream") {
		answer.Body = &bounded{ReadCloser: answer.Body, left: maxMessage}
	}
	return answer, err
}

// bounded is a body that fails beyond the largest message. In a stream of events each event is bounded.
type bounded struct {
	io.ReadCloser
	left int
}

func (b *bounded) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if b.left -= n; b.left < 0 {
		return n, fmt.Errorf("it sent a message of more than %d MiB", maxMessage>>20)
	}
	return n, err
}
