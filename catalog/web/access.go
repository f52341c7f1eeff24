package web

// This file is the one place that makes a request one of its source: credentials, configured headers and parameters,
// signatures.

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"almanac/catalog/subprocess"
	"almanac/catalog/text"
	"almanac/catalog/web/login"
)

// An Access is what a person's configuration says of the requests of a source. The zero Access says nothing.
type Access struct {
	// Auth replaces the credentials that the source asks for; nil leaves them.
	Auth []Auth
	// Always go with every request; Header and Query are texts that are no secrets. All of them take the place of what
	// the source would write there.
	Always        []Auth
	Header, Query map[string]string
	// Login has the tokens of almanac login, which take the place of a credential of the source's in the header
	// Authorization, not of Auth; nil has none.
	Login *login.Account
	// Secrets say where the names of Auth and Always are looked up; others are as those of a Vault.
	Secrets map[string]Secret
	// Certificate is how requests show who sends them, by TLS.
	Certificate Certificate
	// Timeout bounds one request; zero means the default. Allow are further servers that may be reached.
	Timeout time.Duration
	Allow   []string

	loggedIn bool // the Login has a token for where the request goes; see At
}

// A Secret is where a value is found: in one of these.
type Secret struct {
	Env, Keyring string
	Command      []string // prints it, in one line
}

// Places are where the Access writes, as Auth has them: "query key". Arguments are not written there.
func (a Access) Places() []string {
	var all []string
	if a.loggedIn {
		all = append(all, "header authorization")
	}
	if a.Signs() {
		all = append(all, SigningPlaces()...)
	}
	for _, one := range a.Always {
		all = append(all, one.place())
	}
	for name := range a.Header {
		all = append(all, "header "+strings.ToLower(name))
	}
	for name := range a.Query {
		all = append(all, "query "+strings.ToLower(name))
	}
	return all
}

// At is what the configuration says of requests to an address: the Login takes a place only where it has a token for
// there.
func (a Access) At(address *url.URL) Access {
	a.loggedIn = a.Auth == nil && a.Login.Has(address)
	return a
}

// LoggedIn reports whether the Login has a token for the address of At.
func (a Access) LoggedIn() bool { return a.loggedIn }

// logIn adds the token of the login, if there is one for where the request goes.
func (a Access) logIn(req *http.Request, v *Vault) error {
	if a.Auth != nil {
		return nil
	}
	token, err := a.Login.Token(req.Context(), req.URL)
	if err == nil && token != "" {
		v.issue(token)
		setHeader(req, "Authorization", "Bearer "+token)
	}
	return err
}

// Over is the credentials that are left of a source's, which it asks for in alternatives, and those that always go.
func (a Access) Over(alternatives [][]Auth) [][]Auth {
	alternatives = a.left(alternatives)
	if len(a.Always) == 0 {
		return alternatives
	}
	if len(alternatives) == 0 {
		alternatives = [][]Auth{nil}
	}
	all := make([][]Auth, len(alternatives))
	for i, one := range alternatives {
		all[i] = slices.Concat(one, a.Always)
	}
	return all
}

// choose picks the first complete alternative of what the source asks for, and all that always goes and has a value.
// wanted are the names to check if the server refuses it: those without a value, or all if each has one. A command of
// the configuration that failed is an error: the person meant its value to be sent.
func (a Access) choose(v *Vault, asked [][]Auth) (chosen []Auth, wanted []string, err error) {
	left := a.left(asked)
	chosen, wanted = v.choose(left)
	var missing []string
	if chosen == nil && len(left) > 0 {
		missing = wanted
	}
	for _, one := range a.Always {
		if v.has([]Auth{one}) {
			chosen, wanted = append(slices.Clip(chosen), one), append(wanted, one.Names...)
		} else {
			missing = append(missing, v.lacks(one)...)
		}
	}
	if len(missing) > 0 {
		wanted = missing
	}
	return chosen, wanted, a.Failure(v)
}

// Failure says why a value of the configuration cannot be had: its command failed, or AWS's programs have no keys. Nil
// for one that is only missing.
func (a Access) Failure(v *Vault) error {
	for _, one := range slices.Concat(a.Auth, a.Always) {
		if err := v.noKeys(one); err != nil {
			return err
		}
		for _, name := range one.Names {
			if _, ok := v.Value(name); !ok && v.failed(name) != nil {
				return v.failed(name)
			}
		}
	}
	return nil
}

// left is what the configuration leaves of the credentials that a source asks for.
func (a Access) left(alternatives [][]Auth) [][]Auth {
	if a.Auth != nil {
		alternatives = [][]Auth{a.Auth}
	}
	places := a.Places()
	if len(places) > 0 {
		left := make([][]Auth, len(alternatives))
		for i, all := range alternatives {
			left[i] = slices.DeleteFunc(slices.Clone(all), func(one Auth) bool { return slices.Contains(places, one.place()) })
		}
		alternatives = left
	}
	return alternatives
}

// Authenticate makes the request one of its source, for whoever sends it otherwise than by a Client: with the first
// complete alternative of the credentials that the source asks for, and all that the Access says. It returns their
// names; none where the request goes without. body is what is sent; nil for none. v may be nil.
func (a Access) Authenticate(req *http.Request, v *Vault, asked [][]Auth, body []byte) (sent []string, err error) {
	chosen, _, err := a.At(req.URL).choose(v, asked)
	if err != nil {
		return nil, err
	}
	if err := a.authenticate(req, v, chosen, body, nil); err != nil {
		return nil, err
	}
	sent = names(chosen)
	if a.Login.Sent(req) != "" {
		sent = append(sent, "of the login "+a.Login.Source())
	}
	return sent, nil
}

// authenticate adds credentials, and all that the Access says. Tokens are asked for by transport; nil is the default.
func (a Access) authenticate(req *http.Request, v *Vault, auth []Auth, body []byte, transport http.RoundTripper) error {
	if err := a.logIn(req, v); err != nil {
		return err
	}
	for _, one := range auth {
		if err := v.apply(req, one, transport); err != nil {
			return err
		}
	}
	for name, value := range a.Header {
		setHeader(req, name, value)
	}
	if len(a.Query) > 0 {
		query := url.Values{}
		for name, value := range a.Query {
			query.Set(name, value)
		}
		req.URL.RawQuery = strings.TrimPrefix(req.URL.RawQuery+"&"+query.Encode(), "&")
	}
	if err := v.sign(req, auth, body); err != nil {
		return err
	}
	for name, values := range req.Header {
		for _, value := range values {
			if err := CheckHeader(name, value); err != nil {
				return err
			}
		}
	}
	return nil
}

// CheckHeader fails if no request may have such a header: its name is no token, or its value has a line break or
// another control character. The error does not hold the value.
func CheckHeader(name, value string) error {
	odd := func(r rune) bool { return r <= ' ' || r >= 0x7f || strings.ContainsRune(`()<>@,;:\"/[]?={}`, r) }
	control := func(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f }
	switch {
	case name == "" || strings.ContainsFunc(name, odd):
		return fmt.Errorf("header %q: a name has letters, digits and -_.!#$%%&'*+^`|~ only", text.LineBytes(name, 80))
	case strings.ContainsFunc(value, control):
		return fmt.Errorf("header %s: the value has a line break or another control character", name)
	}
	return nil
}

// From has names looked up where the secrets say.
func (v *Vault) From(secrets map[string]Secret) { v.secrets = secrets }

// look finds a value where the configuration says.
func (v *Vault) look(at Secret) (value string, err error) {
	switch {
	case at.Env != "":
		return v.getenv(at.Env), nil
	case at.Keyring != "":
		return v.ask(at.Keyring), nil
	}
	value, err = subprocess.Output(context.Background(), at.Command)
	value = strings.TrimSpace(value)
	if err == nil && (value == "" || strings.ContainsAny(value, "\r\n")) {
		return "", fmt.Errorf("%s: want it to print one line, the value", at.Command[0])
	}
	return value, err
}
