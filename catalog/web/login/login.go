// Package login gets tokens for the servers of sources by OAuth and keeps them: in the system's keyring, or in files
// that their owner alone reads.
//
//	Way      how one logs in to a source: its name and what is asked of it
//	Target   the server that the token is for, and what is known of who gives it
//	Login    what is kept of one login
//	Store    all logins of this machine: Login, Logout, List
//	Account  the logins of one source, for its requests: Token
//
// A token goes to the origins that it was got for and nowhere else. It is renewed by one program at a time, under a
// lock between processes, because a server may take a refresh token that comes twice for a stolen one.
//
// Start at Store.Login and Account.Token.
package login

import (
	"context"
	"fmt"
	"net"
	"net/url"
	"slices"
	"strings"
	"time"

	"golang.org/x/oauth2"
)

// A Way is how one logs in to a source.
type Way struct {
	// Name is the source's, as almanac login takes it.
	Name string
	// Target says what the login is for; it may read the source.
	Target func(ctx context.Context) (Target, error)
}

// A Target is the server that a token is for.
type Target struct {
	// Resource is its address, and Origins are all that the token may go to, that of Resource among them.
	Resource string
	Origins  []string
	// Probes are requests that the server refuses without a token, and says who gives one: the first that it refuses so
	// counts. None sends a GET.
	Probes []Probe
	// What is said of who gives tokens; all may be empty. Where nothing is, the server is asked (RFC 9728).
	OpenID, AuthURL, TokenURL, DeviceURL string
	// Application tells that the TokenURL gives a token to programs (client credentials), without a person.
	Application bool
	// Scopes are those to ask for, unless the person names others.
	Scopes []string
}

// A Probe is a POST request.
type Probe struct {
	Body   string
	Header map[string]string
}

// A Client is how this program is known to a server that gives tokens, as the configuration says. The zero Client
// registers itself.
type Client struct {
	ID     string
	Secret func() (string, error) // nil has none
	// Issuer is who gives the token, in place of what the source says.
	Issuer string
	Scopes []string
	// Redirect is the loopback address that the browser comes back to; empty chooses a free port.
	Redirect string
	// Grant is the only way to try: "code", "device" or "application"; empty tries what the server has.
	Grant string
}

// The grants.
const (
	grantCode        = "code"
	grantDevice      = "device"
	grantApplication = "application"
)

// Grants are the values of Client.Grant.
func Grants() []string { return []string{grantCode, grantDevice, grantApplication} }

// A Login is what is kept of one login.
type Login struct {
	Source   string   `json:"source"`
	Origins  []string `json:"origins"`
	Resource string   `json:"resource,omitempty"` // as the server names it; sent with each request for a token
	// Issuer is who gave the token, for people. Its addresses follow.
	Issuer    string           `json:"issuer"`
	TokenURL  string           `json:"token_url"`
	RevokeURL string           `json:"revoke_url,omitempty"`
	Grant     string           `json:"grant"`
	ClientID  string           `json:"client_id"`
	Style     oauth2.AuthStyle `json:"style"`
	Scopes    []string         `json:"scopes,omitempty"`
	Got       time.Time        `json:"got"`
	Expires   time.Time        `json:"expires,omitzero"` // zero: the server did not say
	// Ended is why it cannot be renewed any more; empty while it can, or while its token holds.
	Ended string `json:"ended,omitempty"`
	// InKeyring tells that the tokens are in the keyring, not in the file.
	InKeyring bool   `json:"in_keyring,omitempty"`
	Tokens    tokens `json:"tokens,omitzero"`
}

// tokens are the secrets of a Login.
type tokens struct {
	Access  string `json:"access"`
	Refresh string `json:"refresh,omitempty"`
	Client  string `json:"client,omitempty"` // the client's own
}

// Renews tells that a new token can be got without the person.
func (l Login) Renews() bool {
	return l.Ended == "" && (l.Tokens.Refresh != "" || l.Grant == grantApplication)
}

// early is how long before its end a token is renewed, at most: clocks differ, and requests take time.
const early = time.Minute

// valid reports whether the token holds for a while.
func (l Login) valid(now time.Time) bool {
	if l.Tokens.Access == "" {
		return false
	}
	return l.Expires.IsZero() || now.Before(l.Expires.Add(-min(early, l.Expires.Sub(l.Got)/4)))
}

// A NeededError says that a person has to log in.
type NeededError struct {
	Source, Reason string
	// Scopes are those to ask for; empty leaves them to the server.
	Scopes []string
}

func (e *NeededError) Error() string {
	command := "almanac login " + e.Source
	for _, scope := range e.Scopes {
		command += " --scope " + scope
	}
	return fmt.Sprintf("%s: %s: run %s in a terminal", e.Source, e.Reason, command)
}

// Origin is scheme, host and port of an address in normal form.
func Origin(u *url.URL) string {
	host, port := strings.ToLower(u.Hostname()), u.Port()
	scheme := strings.ToLower(u.Scheme)
	if port == "" {
		port = "443"
		if scheme == "http" {
			port = "80"
		}
	}
	return scheme + "://" + net.JoinHostPort(host, port)
}

// Secure reports whether secrets may go to the address: over https, or on this machine.
func Secure(u *url.URL) bool {
	host := u.Hostname()
	ip := net.ParseIP(host)
	here := host == "localhost" || ip != nil && ip.IsLoopback()
	return u.Host != "" && (u.Scheme == "https" || u.Scheme == "http" && here)
}

// covers reports whether the token may go to the address.
func (l Login) covers(u *url.URL) bool { return Secure(u) && slices.Contains(l.Origins, Origin(u)) }
