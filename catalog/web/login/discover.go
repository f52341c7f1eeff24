package login

// This file finds out who gives tokens for a server, and where.

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/oauthex"
	"golang.org/x/oauth2"

	"almanac/catalog/secret"
	"almanac/catalog/text"
)

// An issuer is who gives tokens: what it says of itself (RFC 8414, OpenID Connect Discovery), or what a document says.
type issuer struct {
	Issuer        string   `json:"issuer"`
	AuthURL       string   `json:"authorization_endpoint"`
	TokenURL      string   `json:"token_endpoint"`
	DeviceURL     string   `json:"device_authorization_endpoint"`
	RegisterURL   string   `json:"registration_endpoint"`
	RevokeURL     string   `json:"revocation_endpoint"`
	Scopes        []string `json:"scopes_supported"`
	Methods       []string `json:"token_endpoint_auth_methods_supported"`
	Challenges    []string `json:"code_challenge_methods_supported"`
	NamesItself   bool     `json:"authorization_response_iss_parameter_supported"`
	resource      string   // what the token is for, as the server names it
	wanted        []string // scopes that the server wants
	onlyTheirs    bool     // for programs: client credentials
	metadataFound bool
}

// discover finds who gives tokens for the target.
func discover(ctx context.Context, t Target, c Client) (issuer, error) {
	var found issuer
	var err error
	switch {
	case c.Issuer != "":
		found, err = metadata(ctx, c.Issuer)
		if err == nil && !found.metadataFound {
			err = fmt.Errorf("%s: it says nothing of itself under /.well-known", c.Issuer)
		}
	case t.OpenID != "":
		var ok bool
		if ok, err = getJSON(ctx, t.OpenID, &found); err == nil && !ok {
			err = errors.New("nothing there")
		}
		if err != nil {
			err = fmt.Errorf("%s: %w", plainAddress(t.OpenID), err)
		}
		found.metadataFound = true
	case t.TokenURL != "":
		found = issuer{AuthURL: t.AuthURL, TokenURL: t.TokenURL, DeviceURL: t.DeviceURL, onlyTheirs: t.Application}
	default:
		if found, err = ask(ctx, t); err != nil {
			err = fmt.Errorf("%w; if another server gives its tokens, name that one as issuer in auth.login of [sources.NAME]",
				err)
		}
	}
	if err != nil {
		return issuer{}, err
	}
	for _, address := range []string{found.AuthURL, found.TokenURL, found.DeviceURL, found.RegisterURL, found.RevokeURL} {
		if u, err := url.Parse(address); address != "" && (err != nil || !Secure(u)) {
			return issuer{}, fmt.Errorf("%s: secrets would go there: want https", plainAddress(address))
		}
	}
	if found.TokenURL == "" {
		return issuer{}, errors.New("nobody is named who gives tokens")
	}
	if found.Issuer == "" {
		u, _ := url.Parse(found.TokenURL)
		found.Issuer = u.Scheme + "://" + u.Host
	}
	if len(found.wanted) == 0 {
		found.wanted = t.Scopes
	}
	return found, nil
}

// ask asks the server of the target who gives tokens for it (RFC 9728), and that one where.
func ask(ctx context.Context, t Target) (issuer, error) {
	challenge, scopes, err := probe(ctx, t)
	if err != nil {
		return issuer{}, err
	}
	at, err := url.Parse(t.Resource)
	if err != nil {
		return issuer{}, errors.New("the server's address is invalid")
	}
	root := *at
	root.Path, root.RawPath, root.RawQuery, root.Fragment, root.User = "", "", "", "", nil
	const wellKnown = "/.well-known/oauth-protected-resource"
	places := []string{root.String() + wellKnown}
	if path := strings.Trim(at.EscapedPath(), "/"); path != "" {
		places = append([]string{root.String() + wellKnown + "/" + path}, places...)
	}
	if challenge != "" {
		places = []string{challenge}
	}
	var said oauthex.ProtectedResourceMetadata
	for _, place := range places {
		ok, err := getJSON(ctx, place, &said)
		if err != nil {
			return issuer{}, fmt.Errorf("%s: %w", plainAddress(place), err)
		}
		if ok {
			return named(ctx, at, said, scopes)
		}
	}
	// A server of the protocol's first version gives tokens itself.
	found, err := metadata(ctx, root.String())
	if err == nil && !found.metadataFound {
		base := root.String()
		found = issuer{Issuer: base, AuthURL: base + "/authorize", TokenURL: base + "/token", RegisterURL: base + "/register"}
	}
	found.resource, found.wanted = t.Resource, scopes
	return found, err
}

// named is who gives tokens for the server at the address, as its metadata says.
func named(ctx context.Context, at *url.URL, said oauthex.ProtectedResourceMetadata, scopes []string) (issuer, error) {
	of, err := url.Parse(said.Resource)
	under := err == nil && Origin(of) == Origin(at) &&
		strings.HasPrefix(strings.TrimRight(at.Path, "/")+"/", strings.TrimRight(of.Path, "/")+"/")
	if !under {
		return issuer{}, fmt.Errorf("the server's metadata is of %s, want %s: it may not be trusted with a token",
			plainAddress(said.Resource), plainAddress(at.String()))
	}
	if len(said.AuthorizationServers) == 0 {
		return issuer{}, errors.New("the server's metadata names nobody who gives tokens")
	}
	found, err := metadata(ctx, said.AuthorizationServers[0])
	if err == nil && !found.metadataFound {
		err = fmt.Errorf("%s: it says nothing of itself under /.well-known", plainAddress(said.AuthorizationServers[0]))
	}
	if err == nil && !slices.Contains(found.Challenges, "S256") {
		err = fmt.Errorf("%s: it does not check codes by PKCE with S256, so that they could be stolen: not used", found.Issuer)
	}
	found.resource, found.wanted = said.Resource, scopes
	if len(scopes) == 0 {
		found.wanted = said.ScopesSupported
	}
	return found, err
}

// probe sends requests without a token until one is refused for that, and returns what the refusal names: the place of
// the metadata, and scopes.
func probe(ctx context.Context, t Target) (place string, scopes []string, err error) {
	all, open := t.Probes, false
	if len(all) == 0 {
		all = []Probe{{}}
	}
	for _, p := range all {
		method := http.MethodGet
		if p.Body != "" {
			method = http.MethodPost
		}
		req, err := http.NewRequestWithContext(ctx, method, t.Resource, strings.NewReader(p.Body))
		if err != nil {
			return "", nil, errors.New("the server's address is invalid")
		}
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("Accept", "application/json, text/event-stream")
		for name, value := range p.Header {
			req.Header.Set(name, value)
		}
		res, err := client().Do(req)
		if err != nil {
			return "", nil, told(t.Resource, err)
		}
		res.Body.Close()
		place, scopes = challenged(res.Header)
		if res.StatusCode == http.StatusUnauthorized || place != "" || len(scopes) > 0 {
			return place, scopes, nil
		}
		open = open || res.StatusCode >= 200 && res.StatusCode < 300
	}
	if open {
		return "", nil, fmt.Errorf("%s: it answers without a login", plainAddress(t.Resource))
	}
	return "", nil, nil // the well-known places are left
}

// challenged is what a refusal names: the place of the metadata, and the scopes that are wanted.
func challenged(h http.Header) (place string, scopes []string) {
	challenges, err := oauthex.ParseWWWAuthenticate(h.Values("WWW-Authenticate"))
	if err != nil {
		return "", nil
	}
	for _, c := range challenges {
		place = cmp.Or(place, c.Params["resource_metadata"])
		if c.Scheme == "bearer" && len(scopes) == 0 {
			scopes = strings.Fields(c.Params["scope"])
		}
	}
	return place, scopes
}

// metadata reads what an issuer says of itself; metadataFound is false where it says nothing.
func metadata(ctx context.Context, name string) (issuer, error) {
	at, err := url.Parse(name)
	if err != nil || !Secure(at) {
		return issuer{}, fmt.Errorf("%s: want https", plainAddress(name))
	}
	root, path := at.Scheme+"://"+at.Host, strings.Trim(at.EscapedPath(), "/")
	places := []string{root + "/.well-known/oauth-authorization-server", root + "/.well-known/openid-configuration"}
	if path != "" {
		places = []string{
			root + "/.well-known/oauth-authorization-server/" + path, root + "/.well-known/openid-configuration/" + path,
			root + "/" + path + "/.well-known/openid-configuration",
		}
	}
	for _, place := range places {
		found := issuer{}
		ok, err := getJSON(ctx, place, &found)
		if err != nil {
			return issuer{}, fmt.Errorf("%s: %w", plainAddress(place), err)
		}
		if !ok {
			continue
		}
		if strings.TrimRight(found.Issuer, "/") != strings.TrimRight(name, "/") {
			return issuer{}, fmt.Errorf("%s: it calls itself %s: not trusted", plainAddress(name), plainAddress(found.Issuer))
		}
		found.metadataFound = true
		return found, nil
	}
	return issuer{}, nil
}

// maxMetadata bounds what a server says of itself, in bytes.
const maxMetadata = 1 << 20

// getJSON reads public metadata; ok is false where there is none. Redirects are followed to places as safe.
func getJSON(ctx context.Context, address string, into any) (ok bool, err error) {
	u, err := url.Parse(address)
	if err != nil || !Secure(u) {
		return false, errors.New("want https")
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return false, err
	}
	req.Header.Set("Accept", "application/json")
	c := client()
	c.CheckRedirect = func(req *http.Request, via []*http.Request) error {
		if len(via) > 3 || req.URL.Scheme != via[0].URL.Scheme || !Secure(req.URL) {
			return http.ErrUseLastResponse
		}
		return nil
	}
	res, err := c.Do(req)
	if err != nil {
		return false, told(address, err)
	}
	defer res.Body.Close()
	if res.StatusCode >= 500 {
		return false, fmt.Errorf("it answers %d", res.StatusCode)
	}
	if res.StatusCode != http.StatusOK {
		return false, nil
	}
	body, err := io.ReadAll(io.LimitReader(res.Body, maxMetadata+1))
	if err != nil {
		return false, told(address, err)
	}
	if len(body) > maxMetadata {
		return false, fmt.Errorf("metadata of more than %d MiB", maxMetadata>>20)
	}
	if !bytes.HasPrefix(bytes.TrimSpace(body), []byte("{")) {
		return false, nil // a page for people
	}
	if err := json.Unmarshal(body, into); err != nil {
		return false, errors.New("it is no JSON as metadata should be")
	}
	return true, nil
}

// plainAddress is an address for people, without what must not be shown.
func plainAddress(address string) string {
	shown, _ := secret.Address(address)
	return text.LineBytes(shown, 200)
}

// plain takes the secrets out of a text of others.
func (s *Store) plain(said string) string {
	return text.LineBytes(secret.New(s.Secrets(), secret.Least).Text(said), 300)
}

// told is an error of a request, without what was sent.
func (s *Store) told(address string, err error) error {
	return errors.New(s.plain(told(address, err).Error()))
}

// told is an error of a request without what was sent; others stay as they are.
func told(address string, err error) error {
	host := plainAddress(address)
	if u, err := url.Parse(address); err == nil && u.Host != "" {
		host = u.Host
	}
	var failed *oauth2.RetrieveError
	var wrapped *url.Error
	switch {
	case errors.As(err, &failed) && failed.ErrorCode != "":
		said := failed.ErrorCode
		if failed.ErrorDescription != "" {
			said += ": " + failed.ErrorDescription
		}
		return fmt.Errorf("%s refuses (%s)", host, text.LineBytes(said, 200))
	case errors.As(err, &failed) && failed.Response != nil:
		return fmt.Errorf("%s refuses (%s)", host, failed.Response.Status)
	case errors.As(err, &wrapped):
		return fmt.Errorf("%s did not answer: %w", host, wrapped.Err)
	}
	if said, ok := strings.CutPrefix(err.Error(), "oauth2: "); ok {
		return fmt.Errorf("%s gives no token: %s", host, said)
	}
	return err
}
