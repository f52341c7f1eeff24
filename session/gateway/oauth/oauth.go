// Package oauth verifies the access tokens of an authorisation server: JWTs (RFC 9068) signed with keys of its key set.
//
//	Options    which server, for which resource
//	Verifier   Verify tells what a token says, or why it is not good
//	Claims     what a good token says
//
// Whatever is unsure is not good: no expiry, no audience, a signature that needs a shared secret or none, a critical
// header that is not known, a token that is bound to a key which the request does not prove.
package oauth

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/MicahParks/keyfunc/v3"
	"github.com/golang-jwt/jwt/v5"
)

// Options say whose tokens are good, and for what.
type Options struct {
	// Issuer is the authorisation server: its address as its tokens name it. https, or http on the loopback interface.
	Issuer string
	// Resource is the address by which clients know this server; tokens are for it.
	Resource string
	// Audience are names that tokens may have for this server; empty means Resource alone. One of them must be there.
	Audience []string
	// Keys is the address of the key set; empty means what the server's metadata says (RFC 8414, OpenID Connect).
	Keys string
	// Algorithms are those that may sign; empty means Algorithms(). One that needs a shared secret is an error.
	Algorithms []string
	// ActorClaim names the claim that says who acts; empty means "sub". TenantClaim names that of the tenant; empty:
	// tokens do not say.
	ActorClaim, TenantClaim string
}

// Algorithms are all that may sign: those with a public key.
func Algorithms() []string {
	return []string{"RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA"}
}

// Check says what is wrong with o.
func (o Options) Check() error {
	for key, address := range map[string]string{"issuer": o.Issuer, "resource": o.Resource, "keys": o.Keys} {
		if address == "" && key == "keys" {
			continue
		}
		if err := checkAddress(address); err != nil {
			return fmt.Errorf("%s %q: %w", key, address, err)
		}
	}
	for _, name := range o.Algorithms {
		if !slices.Contains(Algorithms(), name) {
			return fmt.Errorf("algorithms: %s: not one with a public key: use %s", name, strings.Join(Algorithms(), ", "))
		}
	}
	return nil
}

// checkAddress allows https, and http where nobody can be on the way.
func checkAddress(address string) error {
	u, err := url.Parse(address)
	switch {
	case err != nil || u.Host == "" || u.Fragment != "" || u.User != nil:
		return errors.New("want an address: https://HOST/PATH")
	case u.Scheme == "https", u.Scheme == "http" && isLoopback(u.Hostname()):
		return nil
	}
	return errors.New("want https")
}

// Claims are what a good token says.
type Claims struct {
	// Subject is whom the token is about; never empty. Actor and Tenant are those of the claims that Options name.
	Subject, Actor, Tenant string
	// Scopes are what it allows.
	Scopes []string
	// Expires is when it is not good any more, with the time that clocks may differ.
	Expires time.Time
	all     jwt.MapClaims
}

// Has tells that the claim has one of the values, or a list with one of them.
func (c Claims) Has(claim string, values []string) bool {
	return slices.ContainsFunc(texts(c.all[claim]), func(v string) bool { return slices.Contains(values, v) })
}

// A Verifier verifies tokens. It is safe for concurrent use. Close ends its requests.
type Verifier struct {
	options Options
	parser  *jwt.Parser
	log     func(format string, args ...any)
	ctx     context.Context
	cancel  context.CancelFunc

	mu    sync.Mutex // guards what follows, and is held while the keys are fetched for the first time
	keys  keyfunc.Keyfunc
	tried time.Time // when they were asked for in vain
}

const (
	// leeway is how far clocks may differ.
	leeway = 30 * time.Second
	// farthest is the last second of the year 9999, which stands for all times beyond.
	farthest = 253402300799.0
	// maxToken is the longest token that is looked at, in bytes.
	maxToken = 16 << 10
)

// New returns a Verifier. It fetches nothing yet: an authorisation server that is down keeps nobody from starting, but
// its tokens are not good until it answers. log is told when keys cannot be read; nil tells nobody.
func New(o Options, log func(format string, args ...any)) (*Verifier, error) {
	if err := o.Check(); err != nil {
		return nil, err
	}
	if len(o.Audience) == 0 {
		o.Audience = []string{o.Resource}
	}
	if len(o.Algorithms) == 0 {
		o.Algorithms = Algorithms()
	}
	if o.ActorClaim == "" {
		o.ActorClaim = "sub"
	}
	if log == nil {
		log = func(string, ...any) {}
	}
	v := &Verifier{options: o, log: log, parser: jwt.NewParser(
		jwt.WithValidMethods(o.Algorithms), jwt.WithIssuer(o.Issuer), jwt.WithAudience(o.Audience...),
		jwt.WithExpirationRequired(), jwt.WithIssuedAt(), jwt.WithLeeway(leeway),
	)}
	v.ctx, v.cancel = context.WithCancel(context.Background())
	return v, nil
}

// Same tells that a Verifier of o would be like v.
func (v *Verifier) Same(o Options) bool {
	other, err := New(o, nil)
	if err != nil {
		return false
	}
	other.Close()
	return reflect.DeepEqual(v.options, other.options)
}

// Options are those of v, with defaults filled in.
func (v *Verifier) Options() Options { return v.options }

// Close ends requests for keys that are under way; later tokens are not good where keys are missing.
func (v *Verifier) Close() { v.cancel() }

// Verify tells what a token says. The error says why it is not good, in words that hold nothing of it.
func (v *Verifier) Verify(ctx context.Context, token string) (Claims, error) {
	if len(token) > maxToken {
		return Claims{}, fmt.Errorf("longer than %d bytes", maxToken)
	}
	claims := jwt.MapClaims{}
	_, err := v.parser.ParseWithClaims(token, claims, func(t *jwt.Token) (any, error) {
		// The signature is checked last. What fails before it costs no request for keys.
		if err := checkHeader(t.Header); err != nil {
			return nil, err
		}
		if issuer, _ := claims["iss"].(string); issuer != v.options.Issuer {
			return nil, jwt.ErrTokenInvalidIssuer
		}
		for _, name := range []string{"exp", "nbf", "iat"} {
			if at, ok := claims[name].(float64); ok { // any number is a time (RFC 7519), and the library has few bits for it
				claims[name] = max(-farthest, min(at, farthest))
			}
		}
		keys, err := v.keySet(ctx)
		if err != nil {
			return nil, err
		}
		return keys.KeyfuncCtx(ctx)(t)
	})
	if err != nil {
		return Claims{}, explained(err)
	}
	if _, bound := claims["cnf"]; bound {
		return Claims{}, reason("it is bound to a key: only bearer tokens are taken")
	}
	made := Claims{Scopes: append(texts(claims["scope"]), texts(claims["scp"])...), all: claims}
	made.Subject, _ = claims["sub"].(string)
	if made.Subject == "" {
		return Claims{}, reason("it does not say whom it is about (sub)")
	}
	if made.Actor, _ = claims[v.options.ActorClaim].(string); made.Actor == "" {
		return Claims{}, fmt.Errorf("it has no text in %q, which is to name the actor", v.options.ActorClaim)
	}
	if name := v.options.TenantClaim; name != "" {
		if made.Tenant, _ = claims[name].(string); made.Tenant == "" {
			return Claims{}, fmt.Errorf("it has no text in %q, which is to name the tenant", name)
		}
	}
	expires, err := claims.GetExpirationTime()
	if err != nil || expires == nil {
		return Claims{}, reason("it does not say when it expires")
	}
	made.Expires = expires.Add(leeway)
	return made, nil
}

// checkHeader refuses what asks for more than is checked here.
func checkHeader(header map[string]any) error {
	if _, critical := header["crit"]; critical {
		return reason("its header has what must be understood and is not (crit)")
	}
	kind, _ := header["typ"].(string)
	switch strings.TrimPrefix(strings.ToLower(kind), "application/") {
	case "", "jwt", "at+jwt":
		return nil
	}
	return reason("it is a token of another kind (typ)")
}

// texts are the words of a text, or the texts of a list.
func texts(v any) []string {
	switch v := v.(type) {
	case string:
		return strings.Fields(v)
	case []any:
		var list []string
		for _, item := range v {
			if s, ok := item.(string); ok {
				list = append(list, s)
			}
		}
		return list
	}
	return nil
}

// A reason is an error that clients may read.
type reason string

func (r reason) Error() string { return string(r) }

// explained is an error of the library in our words; those of its parts that tell how it works are left out.
func explained(err error) error {
	if why := reason(""); errors.As(err, &why) {
		return why
	}
	for _, known := range []struct {
		is   error
		says string
	}{
		{jwt.ErrTokenExpired, "it has expired"},
		{jwt.ErrTokenNotValidYet, "it is not valid yet"},
		{jwt.ErrTokenUsedBeforeIssued, "it was issued in the future"},
		{jwt.ErrTokenInvalidIssuer, "it is from another issuer"},
		{jwt.ErrTokenInvalidAudience, "it is for another audience"},
		{jwt.ErrTokenRequiredClaimMissing, "it lacks an expiry or an audience"},
		{jwt.ErrTokenMalformed, "it is no JWT"},
		{jwt.ErrTokenUnverifiable, "no key of the issuer verifies it"},
		{jwt.ErrTokenSignatureInvalid, "its signature is wrong, or of an algorithm that is not taken"},
	} {
		if errors.Is(err, known.is) {
			return reason(known.says)
		}
	}
	return reason("it is not valid")
}
