package login

// This file gives the tokens of a source to its requests, and renews them.

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/oauth2"
	"golang.org/x/oauth2/clientcredentials"

	"almanac/catalog/text"
)

// An Account has the logins of one source. It is safe for concurrent use; a nil *Account has none.
type Account struct {
	store  *Store
	source string

	mu    sync.Mutex
	known map[string]known // by id
}

// known is a login with its tokens, and what its file was.
type known struct {
	raw   string
	login Login
}

// Of returns the account of a source.
func (s *Store) Of(source string) *Account {
	if s == nil || source == "" {
		return nil
	}
	return &Account{store: s, source: source, known: map[string]known{}}
}

// Source is the name of the source.
func (a *Account) Source() string {
	if a == nil {
		return ""
	}
	return a.source
}

// Secrets are all values that must not be shown.
func (a *Account) Secrets() []string {
	if a == nil {
		return nil
	}
	return a.store.Secrets()
}

// Has reports whether there is a login for the server at the address, whether or not it still holds.
func (a *Account) Has(at *url.URL) bool {
	_, found := a.find(at)
	return found
}

// State is a text that changes when somebody logs in to the source, or out.
func (a *Account) State() string {
	if a == nil {
		return ""
	}
	state := ""
	for _, id := range a.store.files(a.source) {
		l, _, err := a.store.note(id)
		state += fmt.Sprintln(id, l.Got, l.Ended, err)
	}
	return state
}

// find is the login for the address, without its tokens. One whose file cannot be read is found by its name.
func (a *Account) find(at *url.URL) (id string, found bool) {
	if a == nil || at == nil {
		return "", false
	}
	named := Login{Source: a.source, Origins: []string{Origin(at)}}.id()
	for _, id := range a.store.files(a.source) {
		if l, _, err := a.store.note(id); err == nil && l.covers(at) || err != nil && id == named {
			return id, true
		}
	}
	return "", false
}

// read is a login with its tokens: the one that is known, unless its file has changed.
func (a *Account) read(id string) (Login, error) {
	_, raw, err := a.store.note(id)
	if err != nil {
		return Login{}, err
	}
	a.mu.Lock()
	have, ok := a.known[id]
	a.mu.Unlock()
	if ok && have.raw == raw {
		return have.login, nil
	}
	l, err := a.store.read(id)
	if err != nil {
		return Login{}, err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.known[id] = known{raw, l}
	return l, nil
}

// Token is the token for a request to the address; empty where there is no login for it. One that has come to its end,
// or that the server refused (see Refused), is renewed first, by one program at a time. The error is a *NeededError
// where a person has to log in again. It names no secret.
func (a *Account) Token(ctx context.Context, at *url.URL) (string, error) {
	refused, _ := ctx.Value(refusedKey{}).(string)
	id, found := a.find(at)
	if !found {
		return "", nil
	}
	l, err := a.read(id)
	switch {
	case err != nil:
		return "", err
	case !l.covers(at):
		return "", nil // the file beside the keyring says more than the keyring
	case l.valid(time.Now()) && l.Tokens.Access != refused:
		return l.Tokens.Access, nil
	}
	type answer struct {
		token string
		err   error
	}
	done := make(chan answer, 1)
	go func() {
		// A renewal that has begun is ended even if nobody waits: the server may have taken back the refresh token.
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), lockWait+requestTime)
		defer cancel()
		token, err := a.renew(ctx, id, refused)
		done <- answer{token, err}
	}()
	select {
	case got := <-done:
		return got.token, got.err
	case <-ctx.Done():
		return "", context.Cause(ctx)
	}
}

// refusedKey is the context key of a token that the server refused.
type refusedKey struct{}

// Refused is a context for a request that is sent again because the server refused this token.
func Refused(ctx context.Context, token string) context.Context {
	return context.WithValue(ctx, refusedKey{}, token)
}

// Sent is the token of the account that a request carries; empty where it carries none.
func (a *Account) Sent(req *http.Request) string {
	token, ok := strings.CutPrefix(req.Header.Get("Authorization"), "Bearer ")
	if a == nil || !ok || !slices.Contains(a.store.Secrets(), token) {
		return ""
	}
	return token
}

// plainScope is a scope that can stand in a command line: servers name them.
var plainScope = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9:._/@+-]{0,99}$`)

// Wider is why the server refused a request although its token is good: it wants more scopes (RFC 6750). Nil where it
// is something else. A person has to agree to more, so that nothing is asked for here.
func (a *Account) Wider(req *http.Request, answer *http.Response) error {
	if answer.StatusCode != http.StatusForbidden || a.Sent(req) == "" ||
		!strings.Contains(strings.Join(answer.Header.Values("WWW-Authenticate"), ","), "insufficient_scope") {
		return nil
	}
	needed := &NeededError{Source: a.source, Reason: "it wants more than the login may"}
	_, wanted := challenged(answer.Header)
	if id, found := a.find(req.URL); found {
		if l, _, err := a.store.note(id); err == nil {
			wanted = append(slices.Clone(l.Scopes), wanted...)
		}
	}
	for _, scope := range wanted {
		if !plainScope.MatchString(scope) {
			needed.Scopes = nil
			break
		}
		if !slices.Contains(needed.Scopes, scope) {
			needed.Scopes = append(needed.Scopes, scope)
		}
	}
	return needed
}

// renew gets a new token, unless another program has done so.
func (a *Account) renew(ctx context.Context, id, refused string) (string, error) {
	unlock, err := a.store.lock(ctx, id)
	if err != nil {
		return "", fmt.Errorf("%s: %w", a.source, err)
	}
	defer unlock()
	l, err := a.read(id)
	if err != nil {
		return "", err
	}
	now := time.Now()
	if l.valid(now) && l.Tokens.Access != refused {
		return l.Tokens.Access, nil
	}
	if !l.Renews() {
		reason := "its login has ended"
		if l.Ended != "" {
			reason += " (" + l.Ended + ")"
		} else if l.Expires.IsZero() || now.Before(l.Expires) {
			reason = "the server refuses its login"
		}
		return "", &NeededError{Source: a.source, Reason: reason}
	}
	token, err := l.request(ctx)
	var failed *oauth2.RetrieveError
	switch {
	case errors.As(err, &failed) && final(failed.ErrorCode):
		l.Ended = a.store.plain(failed.ErrorCode)
		if _, err := a.store.write(l, l.InKeyring); err != nil {
			return "", fmt.Errorf("%s: its login: %w", a.source, err)
		}
		return "", &NeededError{Source: a.source, Reason: "its login has ended (" + l.Ended + ")"}
	case err != nil && l.Tokens.Access != refused && !l.Expires.IsZero() && now.Before(l.Expires):
		return l.Tokens.Access, nil // it holds for a moment still
	case err != nil:
		return "", fmt.Errorf("%s: its login could not be renewed: %w", a.source, a.store.told(l.TokenURL, err))
	}
	l.take(token, now)
	if l, err = a.store.write(l, l.InKeyring); err != nil {
		return "", fmt.Errorf("%s: its login was renewed and could not be kept: %w", a.source, err)
	}
	return l.Tokens.Access, nil
}

// final reports whether an error of a server that gives tokens will not pass.
func final(code string) bool {
	return code == "invalid_grant" || code == "invalid_client" || code == "unauthorized_client"
}

// take keeps the answer of a server that gives tokens.
func (l *Login) take(token *oauth2.Token, now time.Time) {
	l.Got, l.Expires, l.Ended = now.Round(0), token.Expiry.Round(0), ""
	l.Tokens.Access = token.AccessToken
	if token.RefreshToken != "" {
		l.Tokens.Refresh = token.RefreshToken
	}
	if granted, ok := token.Extra("scope").(string); ok && granted != "" {
		l.Scopes = strings.Fields(granted)
	}
}

// requestTime bounds one request of a server that gives tokens.
const requestTime = 20 * time.Second

// request gets a token without the person.
func (l Login) request(ctx context.Context) (*oauth2.Token, error) {
	config := clientcredentials.Config{
		ClientID: l.ClientID, ClientSecret: l.Tokens.Client, TokenURL: l.TokenURL, AuthStyle: l.Style,
		EndpointParams: url.Values{},
	}
	if l.Resource != "" {
		config.EndpointParams.Set("resource", l.Resource)
	}
	if l.Grant == grantApplication {
		config.Scopes = l.Scopes
	} else {
		config.EndpointParams.Set("grant_type", "refresh_token")
		config.EndpointParams.Set("refresh_token", l.Tokens.Refresh)
	}
	return checked(config.Token(withClient(ctx)))
}

// checked refuses a token of a type that cannot be used.
func checked(token *oauth2.Token, err error) (*oauth2.Token, error) {
	if err == nil && token.TokenType != "" && !strings.EqualFold(token.TokenType, "bearer") {
		err = fmt.Errorf("a token of the type %s, want Bearer", text.LineBytes(token.TokenType, 40))
	}
	return token, err
}

// revoke tells who gave the tokens that they are no longer used (RFC 7009).
func (l Login) revoke(ctx context.Context) error {
	if l.RevokeURL == "" {
		return nil
	}
	form := url.Values{"token": {l.Tokens.Refresh}, "client_id": {l.ClientID}}
	if l.Tokens.Refresh == "" {
		form.Set("token", l.Tokens.Access)
	}
	if l.Style == oauth2.AuthStyleInParams && l.Tokens.Client != "" {
		form.Set("client_secret", l.Tokens.Client)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, l.RevokeURL, strings.NewReader(form.Encode()))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	if l.Style == oauth2.AuthStyleInHeader {
		req.SetBasicAuth(url.QueryEscape(l.ClientID), url.QueryEscape(l.Tokens.Client))
	}
	res, err := client().Do(req)
	if err == nil {
		err = res.Body.Close()
	}
	return err
}

// client sends requests that carry secrets: it follows no redirect.
func client() *http.Client {
	return &http.Client{
		Timeout:       requestTime,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

func withClient(ctx context.Context) context.Context {
	return context.WithValue(ctx, oauth2.HTTPClient, client())
}
