package mcp

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"

	"almanac/catalog/web"
	"almanac/catalog/web/login"
)

// httpClient sends the server's headers, and what the configuration says, to its own host, and follows no redirect to
// another.
func httpClient(s endpoint, o options, needed func(error)) *http.Client {
	next := http.DefaultTransport
	trust, err := o.Access.Certificate.TLS()
	if t, ok := next.(*http.Transport); ok && trust != nil {
		t = t.Clone()
		t.TLSClientConfig, next = trust, t
	}
	return &http.Client{
		Transport: &headed{header: s.Header, vault: o.Vault, access: o.Access, needed: needed, wrong: err, next: next},
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

// headed is a transport that adds headers to requests, and credentials. needed is told why there is no login that the
// server takes, or nil when it takes one.
type headed struct {
	header map[string]string
	vault  *web.Vault
	access web.Access
	needed func(error)
	wrong  error // why nothing can be sent
	next   http.RoundTripper
}

// send sends a request with its credentials; again with a new token of the login where the server refuses the one it
// has, which it does before it acts.
func (h *headed) send(first *http.Request) (*http.Response, error) {
	if h.wrong != nil {
		return nil, h.wrong
	}
	r, refused := first.Clone(first.Context()), ""
	for {
		if err := h.authenticate(r); err != nil {
			h.needed(err)
			return nil, err
		}
		answer, err := h.next.RoundTrip(r)
		if err != nil {
			return nil, err
		}
		if answer.StatusCode != http.StatusUnauthorized {
			h.needed(h.access.Login.Wider(r, answer))
			return answer, nil
		}
		sent := h.access.Login.Sent(r)
		again := first.Body == nil || first.Body == http.NoBody || first.GetBody != nil
		if sent == "" || refused != "" || !again {
			if h.access.Login != nil && (sent != "" || r.Header.Get("Authorization") == "") {
				h.needed(&login.NeededError{Source: h.access.Login.Source(), Reason: "it wants a login"})
			}
			return answer, nil
		}
		answer.Body.Close()
		refused = sent
		if r = first.Clone(login.Refused(first.Context(), sent)); first.GetBody != nil {
			if r.Body, err = first.GetBody(); err != nil {
				return nil, err
			}
		}
	}
}

// authenticate adds what the configuration says of requests. What is sent is read only where it has to be signed.
func (h *headed) authenticate(r *http.Request) (err error) {
	var body []byte
	if h.access.Signs() && r.Body != nil {
		body, err = io.ReadAll(r.Body)
		if err = errors.Join(err, r.Body.Close()); err != nil {
			return err
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
	}
	_, err = h.access.Authenticate(r, h.vault, nil, body)
	return err
}

func (h *headed) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	for name, value := range h.header {
		r.Header.Set(name, value)
	}
	answer, err := h.send(r)
	if err != nil {
		return nil, err
	}
	body := answer.Body
	if strings.HasPrefix(answer.Header.Get("Content-Type"), "text/event-stream") {
		lines := bufio.NewReader(body)
		answer.Body = &readableBody{Closer: body, next: func() ([]byte, error) {
			line, err := readLine(lines)
			if message, ok := bytes.CutPrefix(line, []byte("data:")); ok {
				line = slices.Concat([]byte("data: "), readable(bytes.TrimSpace(message)), []byte("\n"))
			}
			return line, err
		}}
		return answer, nil
	}
	answer.Body = &readableBody{Closer: body, next: func() ([]byte, error) {
		message, err := io.ReadAll(&bounded{ReadCloser: body, left: maxMessage})
		if err == nil {
			return readable(bytes.TrimSpace(message)), io.EOF
		}
		return nil, err
	}}
	return answer, nil
}

// A readableBody gives what next makes of the body of an answer, part by part; an error of next is its last.
type readableBody struct {
	io.Closer
	next func() ([]byte, error)
	rest []byte
	err  error
}

func (b *readableBody) Read(p []byte) (int, error) {
	for len(b.rest) == 0 {
		if b.err != nil {
			return 0, b.err
		}
		b.rest, b.err = b.next()
	}
	n := copy(p, b.rest)
	b.rest = b.rest[n:]
	return n, nil
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
