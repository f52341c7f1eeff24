// Package web calls HTTP APIs for actions: it reaches only the given hosts, adds credentials that nobody else sees, and
// returns bounded data in bounded time, or an error that says what to do.
//
//	Client       sends requests to the origins it may reach
//	Request      one request, with the credentials it may use
//	Answer       the decoded response
//	Site         where a source is, and how its requests are made
//	Ready        the Client that its last reading made
//	Auth         one credential: its kind, where it goes, the names to look it up by
//	Vault        looks credentials up by name, in the environment and the system keyring
//	StatusError  a response with a status other than 2xx
//
// Start at Client.Do.
package web

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"slices"
	"time"

	"almanac/catalog"
	"almanac/catalog/text"
	"almanac/catalog/web/login"
)

const (
	defaultTimeout = 60 * time.Second
	defaultMaxBody = 16 << 20
	maxRedirects   = 10
)

// Options configure a Client. The zero value reaches nothing.
type Options struct {
	// Origins are the places that may be reached: "https://api.example.com", "http://localhost:8080". Anything after the
	// host is ignored. Redirects are bound by them too.
	Origins []string
	// Vault looks credentials up; nil has none. Access is what the configuration says of all requests.
	Vault  *Vault
	Access Access
	// Timeout bounds one Do, unless the context has an earlier deadline. Zero means 60 s.
	Timeout time.Duration
	// MaxBody bounds an answer in bytes, uncompressed. Zero means 16 MiB.
	MaxBody int64
}

// A Client sends requests. It is safe for concurrent use.
type Client struct {
	o       Options
	origins []string
	http    *http.Client
}

// New returns a Client. It fails if an origin is not an http or https address.
func New(o Options) (*Client, error) {
	c := &Client{o: o}
	for _, s := range slices.Concat(o.Origins, o.Access.Allow) {
		u, err := url.Parse(s)
		if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
			return nil, fmt.Errorf("server %q: want an address such as https://api.example.com", text.LineBytes(s, 200))
		}
		c.origins = append(c.origins, login.Origin(u))
	}
	if o.Access.Timeout > 0 {
		c.o.Timeout = o.Access.Timeout
	}
	if c.o.Timeout == 0 {
		c.o.Timeout = defaultTimeout
	}
	if c.o.MaxBody == 0 {
		c.o.MaxBody = defaultMaxBody
	}
	trust, err := c.o.Access.Certificate.TLS()
	if err != nil {
		return nil, err
	}
	transport := &http.Transport{
		TLSClientConfig:        trust,
		Proxy:                  http.ProxyFromEnvironment,
		DialContext:            (&net.Dialer{Timeout: 10 * time.Second}).DialContext,
		TLSHandshakeTimeout:    10 * time.Second,
		MaxResponseHeaderBytes: 1 << 20,
		MaxIdleConnsPerHost:    8,
		IdleConnTimeout:        30 * time.Second,
		ForceAttemptHTTP2:      true,
	}
	c.http = &http.Client{Transport: transport, CheckRedirect: c.redirect}
	return c, nil
}

// Close drops idle connections. Requests under way continue.
func (c *Client) Close() { c.http.CloseIdleConnections() }

// allows reports whether the client may reach the address.
func (c *Client) allows(u *url.URL) bool { return slices.Contains(c.origins, login.Origin(u)) }

// Covers fails if other may reach an origin that c may not.
func (c *Client) Covers(other *Client) error {
	for _, place := range other.origins {
		if !slices.Contains(c.origins, place) {
			return fmt.Errorf("%s is a new server", text.LineBytes(place, 200))
		}
	}
	return nil
}

// A Request is one request.
type Request struct {
	Method, URL string
	Header      http.Header
	Body        []byte // may be nil
	// Auth lists alternatives, each a list of credentials that go together. The first complete alternative is used; if
	// there is none, the request goes without.
	Auth [][]Auth
	// JSON accepts nothing but JSON. Raw returns the body as a string, undecoded.
	JSON, Raw bool
}

// An Answer is a decoded response.
type Answer struct {
	Status int
	Header http.Header
	// Data is the decoded body: plain data from JSON, a string from anything else, nil if there was no body.
	Data any
	// Note says how Data was obtained if that is not obvious; may be empty.
	Note string
}

// Do sends r and decodes the response. The error is a *StatusError for an answer of 400 and above, and within a
// *catalog.Transient where another attempt may help. No error holds a credential or a query string.
func (c *Client) Do(ctx context.Context, r Request) (Answer, error) {
	u, err := url.Parse(r.URL)
	if err != nil {
		return Answer{}, errors.New("invalid request URL: check its path arguments")
	}
	if !c.allows(u) {
		return Answer{}, fmt.Errorf("%s is not a server of this source: calls to other servers are not allowed",
			text.LineBytes(login.Origin(u), 200))
	}
	ctx, cancel := context.WithTimeoutCause(ctx, c.o.Timeout, errors.New("no answer within "+text.Span(c.o.Timeout)))
	defer cancel()
	auth, wanted, err := c.o.Access.At(u).choose(c.o.Vault, r.Auth)
	if err != nil {
		return Answer{}, c.plain(ctx, err, auth, wanted)
	}
	answer, wait, err := c.once(ctx, r, u, auth)
	var status *StatusError
	if errors.As(err, &status) && status.refused != "" {
		// The server refused it before it did anything, so that a write may be sent again.
		answer, wait, err = c.once(login.Refused(ctx, status.refused), r, u, auth)
	}
	if err == nil {
		return answer, nil
	}
	transient := wait >= 0 && ctx.Err() == nil
	if err = c.plain(ctx, err, auth, wanted); transient {
		err = &catalog.Transient{Err: err, After: wait}
	}
	return Answer{}, err
}

// once sends r. On failure wait says whether another attempt may help: below zero no, zero after the usual pause, else
// after that long.
func (c *Client) once(ctx context.Context, r Request, u *url.URL, auth []Auth) (Answer, time.Duration, error) {
	var body io.Reader
	if r.Body != nil {
		body = bytes.NewReader(r.Body)
	}
	req, err := http.NewRequestWithContext(ctx, r.Method, u.String(), body)
	if err != nil {
		return Answer{}, -1, errors.New("cannot build the request: check its arguments")
	}
	for name, values := range r.Header {
		req.Header[name] = values
	}
	if req.Header.Get("User-Agent") == "" {
		req.Header.Set("User-Agent", "almanac")
	}
	if err := c.o.Access.authenticate(req, c.o.Vault, auth, r.Body, c.http.Transport); err != nil {
		return Answer{}, -1, err
	}
	res, err := c.http.Do(req)
	if err != nil {
		var stop *redirectError
		if errors.As(err, &stop) {
			return Answer{}, -1, stop
		}
		return Answer{}, 0, err
	}
	defer res.Body.Close()
	text, err := io.ReadAll(io.LimitReader(res.Body, c.o.MaxBody+1))
	if int64(len(text)) > c.o.MaxBody {
		return Answer{}, -1, fmt.Errorf("the response exceeds %d MiB: ask for less, with a filter or a smaller page",
			c.o.MaxBody>>20)
	}
	if err != nil {
		return Answer{}, 0, fmt.Errorf("the response broke off after %d bytes: %w", len(text), err)
	}
	// Redact both before and after decoding: clipping could split a value, and one may be escaped twice.
	cutter := c.o.Vault.cutter()
	text = []byte(cutter.Text(unsigned(string(text), res.Request)))
	if res.StatusCode >= 300 {
		failed := statusError(res, text)
		if res.Request == req && res.StatusCode == http.StatusUnauthorized { // not where it was redirected to
			failed.refused = c.o.Access.Login.Sent(req)
		}
		return Answer{}, failed.wait(), failed
	}
	for _, values := range res.Header {
		for i := range values {
			values[i] = cutter.Text(unsigned(values[i], res.Request))
		}
	}
	answer := Answer{Status: res.StatusCode, Header: res.Header}
	if r.Raw {
		answer.Data = string(text)
		return answer, -1, nil
	}
	answer.Data, answer.Note, err = decode(res.Header.Get("Content-Type"), text, r.JSON)
	answer.Data = cutter.Data(answer.Data)
	return answer, -1, err
}

// plain makes an error fit to be shown: no query strings, no credentials, and what to do.
func (c *Client) plain(ctx context.Context, err error, sent []Auth, wanted []string) error {
	var status *StatusError
	if errors.As(err, &status) {
		if status.Status == http.StatusUnauthorized || status.Status == http.StatusForbidden {
			status.Hint = c.o.Vault.hint(sent, wanted)
		}
		if source := c.o.Access.Login.Source(); status.asks && source != "" {
			status.Hint = (&login.NeededError{Source: source, Reason: "it wants a login"}).Error()
		}
		status.Message = c.o.Vault.redact(status.Message)
		return status
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	var wrapped *url.Error
	if errors.As(err, &wrapped) {
		err = fmt.Errorf("%s did not answer: %s", hostOf(wrapped.URL), cause(wrapped.Err))
	}
	return errors.New(c.o.Vault.redact(err.Error()))
}

// cause says why a connection failed.
func cause(err error) string {
	var dns *net.DNSError
	var op *net.OpError
	switch {
	case errors.As(err, &dns):
		return "unknown host: check the network and the server's name"
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return "it closed the connection: try again later"
	case errors.As(err, &op) && op.Op == "dial":
		return "connection failed (" + op.Err.Error() + "): check that it is running"
	}
	return err.Error()
}

func hostOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return "the server"
	}
	return u.Host
}

// A redirectError ends the following of redirects.
type redirectError struct{ text string }

func (e *redirectError) Error() string { return e.text }

// redirect decides whether one redirect is followed. Credentials stay with the origin that they were meant for: no
// Referer is sent, since the address before it may have a key in its query.
func (c *Client) redirect(req *http.Request, via []*http.Request) error {
	first := via[0]
	if first.Header.Get("Referer") == "" {
		req.Header.Del("Referer")
	}
	to := text.LineBytes(login.Origin(req.URL), 200)
	switch {
	case !c.allows(req.URL):
		return &redirectError{"redirected to " + to + ", not a server of this source: not followed; " +
			"if it may be reached, add it to allow in [sources.NAME] of the configuration"}
	case len(via) >= maxRedirects:
		return &redirectError{fmt.Sprintf("redirected more than %d times: not followed", maxRedirects)}
	case first.Method != req.Method && first.Method != http.MethodHead && req.Response.StatusCode != http.StatusSeeOther:
		return &redirectError{"redirected to " + to + ": a write is not redirected to another server; " +
			"if the address is right, set it with --base"}
	}
	if login.Origin(req.URL) != login.Origin(first.URL) {
		for _, name := range credentialHeaders(first) {
			req.Header.Del(name)
		}
		return nil
	}
	if err := signAnew(req); err != nil {
		return &redirectError{err.Error()}
	}
	return nil
}
