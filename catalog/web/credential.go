package web

// This file holds credentials. Their values are looked up by name when a request needs them, and used for nothing else.

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/oauth2"
	"golang.org/x/oauth2/clientcredentials"

	"almanac/catalog/secret"
	"almanac/catalog/text"
	"almanac/catalog/verb"
	"almanac/catalog/web/aws"
	"almanac/catalog/web/login"
)

// A Kind is a way to authenticate.
type Kind string

// The kinds of credential.
const (
	Bearer Kind = "bearer" // Names: token
	Basic  Kind = "basic"  // Names: user, password
	Key    Kind = "key"    // Names: key
	OAuth2 Kind = "oauth2" // Names: client id, client secret; the client credentials grant
	// SigV4 signs requests for AWS. Names: access key id, secret access key, session token, of which the last need not
	// have a value; or none, for keys that AWS's own programs would use.
	SigV4 Kind = "sigv4"
)

// An Auth is one credential that a request may need.
type Auth struct {
	Kind Kind
	// Names are the names to look values up by, such as ALMANAC_GITHUB_TOKEN, in the order given by the Kind. An OAuth2
	// with a third name uses the token under that name, if there is one, instead of requesting one.
	Names []string
	// Place is header, query or cookie and Field the name there; for a Key only.
	Place, Field string
	// TokenURL and Scopes are for OAuth2 only. The token is requested over https, or on this machine.
	TokenURL string
	Scopes   []string
	// AWS is for SigV4 only.
	AWS AWS `json:",omitzero"`
}

// An AWS says what requests are signed for, and with which keys where the Auth has no Names. Region and Service are
// empty where the address says them, or the region is AWS's own setting.
type AWS struct {
	Region, Service, Profile string
	Command                  []string
}

// EnvName is the name of a source's credential: ALMANAC_GITHUB_TOKEN. It is never the name of one of the program's own
// settings: a source called api must not get the key of the model's provider.
func EnvName(source, what string) string {
	name := "ALMANAC_" + strings.ToUpper(strings.Join(verb.Words(source), "_")) + "_" + what
	if name == "ALMANAC_API_KEY" {
		return "ALMANAC_SOURCE_API_KEY"
	}
	return name
}

// Equal tells that both are the same.
func (a Auth) Equal(b Auth) bool {
	return a.Kind == b.Kind && a.Place == b.Place && a.Field == b.Field && a.TokenURL == b.TokenURL &&
		slices.Equal(a.Names, b.Names) && slices.Equal(a.Scopes, b.Scopes) && reflect.DeepEqual(a.AWS, b.AWS)
}

// SamePlace tells that both are written in the same place of a request.
func (a Auth) SamePlace(b Auth) bool { return a.place() == b.place() }

// place is where it is written: "query api_key".
func (a Auth) place() string {
	if a.Kind != Key || strings.EqualFold(a.Field, "Authorization") {
		return "header authorization"
	}
	return a.Place + " " + strings.ToLower(a.Field)
}

// A Vault looks up values by name and remembers those it gave out. It is safe for concurrent use; a nil *Vault is
// empty.
type Vault struct {
	getenv  func(name string) string
	keyring func(name string) (string, error)

	secrets map[string]Secret // where the configuration says that names are; set before the first use

	mu     sync.Mutex // may be held while the keyring asks its person
	found  map[string]string
	missed map[string]time.Time
	// failures are those of commands, as they ran last.
	failures map[string]error
	tokens   map[string]oauth2.TokenSource
	chains   []*aws.Chain

	// filter redacts issued: all values that were ever given out or expected.
	filter  *secret.Filter
	issuing sync.Mutex // guards issued
	issued  []string
}

// NewVault returns a vault over the environment and the system keyring; a nil function is an empty one.
func NewVault(getenv func(name string) string, keyring func(name string) (string, error)) *Vault {
	v := &Vault{
		getenv: getenv, keyring: keyring,
		found: map[string]string{}, missed: map[string]time.Time{}, tokens: map[string]oauth2.TokenSource{},
		failures: map[string]error{},
	}
	v.filter = secret.NewFilter(v.Secrets)
	return v
}

const (
	// keyringWait bounds one lookup in the keyring, which may ask a person to unlock it.
	keyringWait = 10 * time.Second
	// missFor is how long a name missing in the keyring is not looked up again.
	missFor = 30 * time.Second
)

// Value is what is kept under the name; ok is false where there is nothing.
func (v *Vault) Value(name string) (value string, ok bool) {
	if v == nil || name == "" {
		return "", false
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	if at, ok := v.secrets[name]; ok {
		if value = v.found[name]; value == "" && time.Since(v.missed[name]) > missFor {
			if value, v.failures[name] = v.look(at); value == "" {
				v.missed[name] = time.Now()
			}
		}
		if value != "" {
			v.found[name] = value
			v.issue(value)
		}
		return value, value != ""
	}
	if v.getenv != nil {
		value = v.getenv(name)
	}
	if value == "" {
		value = v.found[name]
	}
	if value == "" && v.keyring != nil && time.Since(v.missed[name]) > missFor {
		value = v.ask(name)
		if value == "" {
			v.missed[name] = time.Now()
		}
	}
	if value != "" {
		v.found[name] = value
		v.issue(value)
	}
	return value, value != ""
}

// InEnvironment tells that there is a variable of the name.
func (v *Vault) InEnvironment(name string) bool {
	return v != nil && v.getenv != nil && v.getenv(name) != ""
}

// Expect makes the values of the environment that the credentials name secrets from now on: until one is used, another
// way could bring it into a text. Those of the keyring, which may ask its person, are secrets once they are looked up.
func (v *Vault) Expect(alternatives [][]Auth) {
	if v == nil || v.getenv == nil {
		return
	}
	for _, all := range alternatives {
		for _, name := range names(all) {
			if value := v.getenv(name); name != "" && value != "" {
				v.issue(value)
			}
		}
	}
}

// ask looks in the keyring. If it does not answer, its goroutine is abandoned.
func (v *Vault) ask(name string) string {
	answer := make(chan string, 1)
	go func() {
		value, err := v.keyring(name)
		if err != nil {
			value = ""
		}
		answer <- value
	}()
	timer := time.NewTimer(keyringWait)
	defer timer.Stop()
	select {
	case value := <-answer:
		return value
	case <-timer.C:
		return ""
	}
}

// Secrets are all values given out or expected so far, to be redacted from texts. It never waits for the keyring.
func (v *Vault) Secrets() []string {
	if v == nil {
		return nil
	}
	v.issuing.Lock()
	defer v.issuing.Unlock()
	return slices.Clone(v.issued)
}

// redact takes all values that were given out out of a text, escaped ones too.
func (v *Vault) redact(text string) string { return v.cutter().Text(text) }

func (v *Vault) cutter() secret.Cutter {
	if v == nil {
		return secret.Cutter{}
	}
	return v.filter.Now()
}

// failed says why the command that prints the value of a name, which has been looked up, did not; nil where it did, or
// there is none.
func (v *Vault) failed(name string) error {
	if v == nil {
		return nil
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	if err := v.failures[name]; err != nil {
		return fmt.Errorf("%s: its command failed: %w", name, err)
	}
	return nil
}

// choose picks the first complete alternative and the names in it. If there is none, wanted are the missing names.
func (v *Vault) choose(alternatives [][]Auth) (chosen []Auth, wanted []string) {
	for _, all := range alternatives {
		if v.has(all) {
			return all, append(wanted, names(all)...)
		}
		for _, one := range all {
			for _, name := range v.lacks(one) {
				if !slices.Contains(wanted, name) {
					wanted = append(wanted, name)
				}
			}
		}
	}
	return nil, wanted
}

func (v *Vault) has(all []Auth) bool {
	for _, a := range all {
		if a.Kind == SigV4 && len(a.Names) == 0 && (v == nil || v.noKeys(a) != nil) {
			return false
		}
		if a.Kind == OAuth2 && len(a.Names) > 2 {
			if _, ok := v.Value(a.Names[2]); ok {
				continue
			}
		}
		for _, name := range needed(a) {
			if _, ok := v.Value(name); !ok {
				return false
			}
		}
	}
	return true
}

// lacks are the names of a credential that have no value; none where it can be used without them.
func (v *Vault) lacks(a Auth) []string {
	if v.has([]Auth{a}) {
		return nil
	}
	all := slices.Clone(a.Names)
	switch {
	case a.Kind == SigV4 && len(all) == 0:
		return aws.Variables()[:2]
	case a.Kind == SigV4:
		all = all[:2]
	}
	return slices.DeleteFunc(all, func(name string) bool {
		_, ok := v.Value(name)
		return ok
	})
}

// needed are the names that must have a value. A user may come without a password.
func needed(a Auth) []string {
	switch {
	case a.Kind == SigV4 && len(a.Names) == 0:
		return nil
	case a.Kind == OAuth2 || a.Kind == SigV4:
		return a.Names[:2]
	}
	return a.Names[:1]
}

func names(all []Auth) []string {
	var list []string
	for _, a := range all {
		if a.Kind == SigV4 && len(a.Names) == 0 {
			list = append(list, aws.Variables()...)
		}
		list = append(list, a.Names...)
	}
	return list
}

// Wanted lists the missing names if no alternative is complete; nil if one is, or none is needed.
func (v *Vault) Wanted(alternatives [][]Auth) []string {
	if len(alternatives) == 0 {
		return nil
	}
	for _, all := range alternatives {
		if v.has(all) {
			return nil
		}
	}
	_, wanted := v.choose(alternatives)
	return wanted
}

// hint says what to do about a request that was refused with these credentials.
func (v *Vault) hint(sent []Auth, wanted []string) string {
	if i := slices.IndexFunc(sent, isSigned); i >= 0 {
		k, _ := v.keys(sent[i])
		return "it was signed with the keys of " + k.From + ": check what they may do, the region and the service"
	}
	if len(wanted) == 0 {
		return "it requires a credential, but the source does not name one"
	}
	return "check the credential: " + strings.Join(wanted, ", ") + " in the environment or the system keyring"
}

// apply adds one credential to the request.
func (v *Vault) apply(req *http.Request, a Auth, transport http.RoundTripper) error {
	var first string
	if len(a.Names) > 0 {
		first, _ = v.Value(a.Names[0])
	}
	switch a.Kind {
	case Bearer:
		setHeader(req, "Authorization", "Bearer "+first)
	case Basic:
		password := ""
		if len(a.Names) > 1 {
			password, _ = v.Value(a.Names[1])
		}
		pair := base64.StdEncoding.EncodeToString([]byte(first + ":" + password))
		v.issue(pair)
		setHeader(req, "Authorization", "Basic "+pair)
	case Key:
		switch a.Place {
		case "query":
			query := url.QueryEscape(a.Field) + "=" + url.QueryEscape(first)
			if req.URL.RawQuery != "" {
				query = req.URL.RawQuery + "&" + query
			}
			req.URL.RawQuery = query
		case "cookie":
			req.AddCookie(&http.Cookie{Name: a.Field, Value: first})
			carries(req, "Cookie")
		default:
			setHeader(req, a.Field, first)
		}
	case OAuth2:
		token, err := v.token(req.Context(), a, transport)
		if err != nil {
			return err
		}
		setHeader(req, "Authorization", "Bearer "+token)
	case SigV4: // when all else is written
	default:
		return fmt.Errorf("unknown kind of credential %q", a.Kind)
	}
	return nil
}

// headerKey is the context key for the names of the headers that carry credentials.
type headerKey struct{}

func credentialHeaders(req *http.Request) []string {
	names, _ := req.Context().Value(headerKey{}).([]string)
	return names
}

func setHeader(req *http.Request, name, value string) {
	req.Header.Set(name, value)
	carries(req, name)
}

// carries tells that the headers carry credentials.
func carries(req *http.Request, names ...string) {
	*req = *req.WithContext(context.WithValue(req.Context(), headerKey{}, append(credentialHeaders(req), names...)))
}

func (v *Vault) issue(value string) {
	if v == nil {
		return
	}
	v.issuing.Lock()
	defer v.issuing.Unlock()
	if !slices.Contains(v.issued, value) {
		v.issued = append(v.issued, value)
	}
}

// token gets a token by the client credentials grant, or reuses the last one while it is valid.
func (v *Vault) token(ctx context.Context, a Auth, transport http.RoundTripper) (string, error) {
	if len(a.Names) > 2 {
		if token, ok := v.Value(a.Names[2]); ok {
			return token, nil
		}
	}
	u, err := url.Parse(a.TokenURL)
	if err != nil || !login.Secure(u) {
		return "", errors.New("the source names no https token endpoint: set " + a.Names[len(a.Names)-1])
	}
	id, _ := v.Value(a.Names[0])
	password, _ := v.Value(a.Names[1])
	v.mu.Lock()
	key := strings.Join(append([]string{a.TokenURL, id, password}, a.Scopes...), "\x00")
	source := v.tokens[key]
	if source == nil {
		config := clientcredentials.Config{ClientID: id, ClientSecret: password, TokenURL: a.TokenURL, Scopes: a.Scopes}
		client := &http.Client{
			Transport:     transport,
			Timeout:       20 * time.Second,
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		}
		source = config.TokenSource(context.WithValue(context.Background(), oauth2.HTTPClient, client))
		v.tokens[key] = source
	}
	v.mu.Unlock()
	type answer struct {
		token *oauth2.Token
		err   error
	}
	done := make(chan answer, 1)
	go func() {
		token, err := source.Token()
		done <- answer{token, err}
	}()
	select {
	case <-ctx.Done():
		return "", context.Cause(ctx)
	case got := <-done:
		if got.err != nil {
			return "", tokenError(u, got.err, a.Names)
		}
		v.issue(got.token.AccessToken)
		return got.token.AccessToken, nil
	}
}

func tokenError(u *url.URL, err error, names []string) error {
	var refused *oauth2.RetrieveError
	if errors.As(err, &refused) {
		reason := refused.Response.Status
		if refused.ErrorCode != "" {
			reason += ", " + text.LineBytes(refused.ErrorCode, 80)
		}
		return fmt.Errorf("%s refused a token (%s): check %s", u.Host, reason, strings.Join(names[:2], " and "))
	}
	return fmt.Errorf("%s returned no token: unexpected response; try again later", u.Host)
}
