package login

// This file logs a person in: by a browser on this machine, or by a code that is typed elsewhere.

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/subtle"
	"errors"
	"fmt"
	"html"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/oauthex"
	"golang.org/x/oauth2"

	"almanac/catalog/text"
)

// Options say how a person logs in.
type Options struct {
	Client Client
	// Device asks for a code that is typed in a browser anywhere.
	Device bool
	// Scopes take the place of those that the server asks for; nil leaves them.
	Scopes []string
	// Show is told what the person has to open, and the code to type there; empty for none.
	Show func(address, code string)
	// Open opens an address in a browser. Its error is ignored, since the address is shown, too. Nil opens none.
	Open func(address string) error
}

// Login logs in to a source and keeps what came of it. It waits for the person until ctx is done.
func (s *Store) Login(ctx context.Context, source string, t Target, o Options) (Login, error) {
	l, err := s.login(ctx, source, t, o)
	if err != nil && ctx.Err() != nil {
		return Login{}, context.Cause(ctx)
	}
	if err != nil {
		return Login{}, fmt.Errorf("%s: %s", source, s.plain(err.Error()))
	}
	unlock, err := s.lock(ctx, l.id())
	if err != nil {
		return Login{}, fmt.Errorf("%s: %w", source, err)
	}
	defer unlock()
	if l, err = s.write(l, true); err != nil {
		return Login{}, fmt.Errorf("%s: the login cannot be kept: %w", source, err)
	}
	l.Tokens = tokens{}
	return l, nil
}

// A flow is one login on its way.
type flow struct {
	Options
	issuer   issuer
	login    Login
	redirect *url.URL
}

func (s *Store) login(ctx context.Context, source string, t Target, o Options) (Login, error) {
	at, err := url.Parse(t.Resource)
	if err != nil || !Secure(at) {
		return Login{}, fmt.Errorf("%s: a token must not go over plain http to another machine: use https",
			plainAddress(t.Resource))
	}
	found, err := discover(ctx, t, o.Client)
	if err != nil {
		return Login{}, err
	}
	f := &flow{Options: o, issuer: found, login: Login{
		Source: source, Origins: []string{Origin(at)}, Resource: found.resource, Issuer: found.Issuer,
		TokenURL: found.TokenURL, RevokeURL: found.RevokeURL, ClientID: o.Client.ID,
	}}
	for _, origin := range t.Origins {
		if !slices.Contains(f.login.Origins, origin) {
			f.login.Origins = append(f.login.Origins, origin)
		}
	}
	if err := f.choose(); err != nil {
		return Login{}, err
	}
	if o.Client.Secret != nil {
		if f.login.Tokens.Client, err = o.Client.Secret(); err != nil {
			return Login{}, fmt.Errorf("its client secret: %w", err)
		}
		s.issue(f.login.Tokens)
	}
	began := time.Now()
	var token *oauth2.Token
	switch f.login.Grant {
	case grantCode:
		token, err = f.code(ctx, s)
	case grantDevice:
		token, err = f.device(ctx, s)
	default:
		if f.login.ClientID == "" || f.login.Tokens.Client == "" {
			return Login{}, errors.New("its server gives tokens to programs only: set client_id and client_secret in " +
				"[sources." + source + ".auth.login]")
		}
		f.style()
		token, err = f.login.request(ctx)
	}
	if err != nil {
		return Login{}, told(f.login.TokenURL, err)
	}
	f.login.take(token, began)
	return f.login, nil
}

// offline is the scope of tokens that can be renewed.
const offline = "offline_access"

// choose picks the grant and the scopes.
func (f *flow) choose() error {
	l := &f.login
	switch grant := f.Client.Grant; {
	case f.Device:
		l.Grant = grantDevice
	case grant != "":
		l.Grant = grant
	case f.issuer.AuthURL != "":
		l.Grant = grantCode
	case f.issuer.DeviceURL != "":
		l.Grant = grantDevice
	default:
		l.Grant = grantApplication
	}
	if l.Grant == grantDevice && f.issuer.DeviceURL == "" {
		return fmt.Errorf("%s: it has no login by a code (device flow): log in without --device", f.issuer.Issuer)
	}
	if l.Grant == grantCode && f.issuer.AuthURL == "" {
		return fmt.Errorf("%s: it has no login by a browser: try --device", f.issuer.Issuer)
	}
	l.Scopes = f.issuer.wanted
	if f.Client.Scopes != nil {
		l.Scopes = f.Client.Scopes
	}
	if f.Scopes != nil {
		l.Scopes = f.Scopes
	}
	if l.Grant != grantApplication && slices.Contains(f.issuer.Scopes, offline) && !slices.Contains(l.Scopes, offline) {
		l.Scopes = append(slices.Clone(l.Scopes), offline)
	}
	return nil
}

// style sets how the client shows who it is. Where nobody says it, both ways are tried.
func (f *flow) style() {
	methods := f.issuer.Methods
	switch {
	case f.login.Tokens.Client == "", slices.Contains(methods, "client_secret_post"):
		f.login.Style = oauth2.AuthStyleInParams
	case f.issuer.metadataFound, slices.Contains(methods, "client_secret_basic"):
		f.login.Style = oauth2.AuthStyleInHeader // the default of metadata
	default:
		f.login.Style = oauth2.AuthStyleAutoDetect
	}
}

// known makes this program known to the server, unless the configuration says how it is known.
func (f *flow) known(ctx context.Context, s *Store) error {
	if f.login.ClientID == "" {
		if f.issuer.RegisterURL == "" {
			return fmt.Errorf("%s: programs cannot register themselves there: register one and set client_id in "+
				"[sources.%s.auth.login]", f.issuer.Issuer, f.login.Source)
		}
		asked := &oauthex.ClientRegistrationMetadata{
			ClientName: "Almanac", TokenEndpointAuthMethod: "none", ApplicationType: "native",
			GrantTypes: []string{"authorization_code", "refresh_token"}, ResponseTypes: []string{"code"},
			RedirectURIs: []string{"http://127.0.0.1/callback"}, Scope: strings.Join(f.login.Scopes, " "),
		}
		if f.redirect != nil {
			asked.RedirectURIs = []string{f.redirect.String()}
		}
		if f.issuer.DeviceURL != "" {
			asked.GrantTypes = append(asked.GrantTypes, "urn:ietf:params:oauth:grant-type:device_code")
		}
		got, err := oauthex.RegisterClient(ctx, f.issuer.RegisterURL, asked, client())
		if err != nil {
			return fmt.Errorf("its registration there: %w", err)
		}
		f.login.ClientID, f.login.Tokens.Client = got.ClientID, got.ClientSecret
		s.issue(f.login.Tokens)
		if method := got.TokenEndpointAuthMethod; method == "client_secret_basic" || method == "client_secret_post" {
			f.issuer.Methods = []string{method}
		}
	}
	f.style()
	return nil
}

func (f *flow) config() *oauth2.Config {
	c := &oauth2.Config{
		ClientID: f.login.ClientID, ClientSecret: f.login.Tokens.Client, Scopes: f.login.Scopes,
		Endpoint: oauth2.Endpoint{
			AuthURL: f.issuer.AuthURL, TokenURL: f.issuer.TokenURL, DeviceAuthURL: f.issuer.DeviceURL, AuthStyle: f.login.Style,
		},
	}
	if f.redirect != nil {
		c.RedirectURL = f.redirect.String()
	}
	return c
}

// parameters are those of every request for a token.
func (f *flow) parameters(more ...oauth2.AuthCodeOption) []oauth2.AuthCodeOption {
	if f.login.Resource != "" {
		more = append(more, oauth2.SetAuthURLParam("resource", f.login.Resource))
	}
	return more
}

// code logs in by a browser that comes back to this machine.
func (f *flow) code(ctx context.Context, s *Store) (*oauth2.Token, error) {
	redirect, err := url.Parse(cmp.Or(f.Client.Redirect, "http://127.0.0.1:0/callback"))
	if err != nil || redirect.Scheme != "http" || !Secure(redirect) {
		return nil, errors.New("redirect: want a loopback address, such as http://127.0.0.1:8765/callback")
	}
	listener, err := net.Listen("tcp", net.JoinHostPort(redirect.Hostname(), cmp.Or(redirect.Port(), "80")))
	if err != nil {
		return nil, fmt.Errorf("waiting for the browser: %w", err)
	}
	if redirect.Port() == "0" {
		_, port, _ := net.SplitHostPort(listener.Addr().String())
		redirect.Host = net.JoinHostPort(redirect.Hostname(), port)
	}
	f.redirect = redirect
	back := &callback{
		path: cmp.Or(redirect.Path, "/"), state: rand.Text(), issuer: f.issuer.Issuer, named: f.issuer.NamesItself,
		known: f.issuer.metadataFound, came: make(chan answer, 1),
	}
	server := &http.Server{Handler: back, ReadTimeout: requestTime, WriteTimeout: requestTime, MaxHeaderBytes: 64 << 10}
	go func() { _ = server.Serve(listener) }() // ends with Shutdown
	defer func() {
		soon, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
		defer cancel()
		_ = server.Shutdown(soon) // the browser has its page, or will see that nobody is there
	}()
	if err := f.known(ctx, s); err != nil {
		return nil, err
	}
	verifier, config := oauth2.GenerateVerifier(), f.config()
	asked := []oauth2.AuthCodeOption{oauth2.S256ChallengeOption(verifier)}
	if slices.Contains(f.login.Scopes, offline) { // which OpenID Connect gives to those only who agree to it
		asked = append(asked, oauth2.SetAuthURLParam("prompt", "consent"))
	}
	address := config.AuthCodeURL(back.state, f.parameters(asked...)...)
	if f.Show != nil {
		f.Show(address, "")
	}
	if f.Open != nil {
		_ = f.Open(address)
	}
	select {
	case got := <-back.came:
		if got.err != nil {
			return nil, got.err
		}
		return checked(config.Exchange(withClient(ctx), got.code, f.parameters(oauth2.VerifierOption(verifier))...))
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// A callback takes the browser that comes back. Requests that are not of this login are refused and change nothing:
// any page can send the browser here.
type callback struct {
	path, state, issuer string
	// named tells that the server always says who it is; known that its issuer is known for certain.
	named, known bool
	came         chan answer // has room for one
}

type answer struct {
	code string
	err  error
}

func (c *callback) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("Content-Security-Policy", "default-src 'none'")
	w.Header().Set("Referrer-Policy", "no-referrer")
	say := func(status int, sentence string) {
		w.WriteHeader(status)
		fmt.Fprintf(w, "<!doctype html><title>Almanac</title><p>%s", html.EscapeString(sentence))
	}
	query := r.URL.Query()
	if r.Method != http.MethodGet || r.URL.Path != c.path {
		say(http.StatusNotFound, "Nothing is here.")
		return
	}
	if subtle.ConstantTimeCompare([]byte(query.Get("state")), []byte(c.state)) != 1 {
		say(http.StatusBadRequest, "This is not the login that almanac waits for.")
		return
	}
	got := answer{code: query.Get("code")}
	from, said := query.Get("iss"), query.Get("error")
	switch {
	case from != "" && c.known && from != c.issuer, from == "" && c.named:
		got = answer{err: fmt.Errorf("the browser came back from %q, want %s: the login was refused",
			text.LineBytes(from, 200), c.issuer)}
	case said != "":
		if more := query.Get("error_description"); more != "" {
			said += ": " + more
		}
		got = answer{err: fmt.Errorf("the login was refused (%s)", text.LineBytes(said, 200))}
	case got.code == "":
		got = answer{err: errors.New("the browser came back without a code")}
	}
	select {
	case c.came <- got:
	default: // it came before
	}
	if got.err != nil {
		say(http.StatusBadRequest, "The login failed. The terminal says why.")
		return
	}
	say(http.StatusOK, "You are logged in to almanac. This window can be closed.")
}

// device logs in by a code that the person types in any browser.
func (f *flow) device(ctx context.Context, s *Store) (*oauth2.Token, error) {
	if err := f.known(ctx, s); err != nil {
		return nil, err
	}
	config := f.config()
	asked, err := config.DeviceAuth(withClient(ctx), f.parameters()...)
	if err != nil {
		return nil, err
	}
	s.issue(tokens{Access: asked.DeviceCode})
	address := cmp.Or(asked.VerificationURIComplete, asked.VerificationURI)
	if u, err := url.Parse(address); err != nil || !Secure(u) {
		return nil, fmt.Errorf("it names the page %s: want https", plainAddress(address))
	}
	if f.Show != nil {
		f.Show(asked.VerificationURI, asked.UserCode)
	}
	if f.Open != nil {
		_ = f.Open(address)
	}
	var token *oauth2.Token
	var silent *url.Error
	for {
		token, err = config.DeviceAccessToken(withClient(ctx), asked, f.parameters()...)
		ended := asked.Expiry.IsZero() || !time.Now().Before(asked.Expiry)
		if !errors.As(err, &silent) || ctx.Err() != nil || ended { // a server that does not answer is asked again
			break
		}
	}
	switch {
	case errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil && silent != nil:
		err = fmt.Errorf("nobody typed the code in time, or it is not known: %w", told(f.login.TokenURL, silent))
	case errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil:
		err = errors.New("nobody typed the code in time")
	}
	return checked(token, err)
}
