package oauth

// This file finds the keys of an authorisation server and keeps them: they are read again every hour, and at once for a
// key that is not known, at most every few seconds.

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/MicahParks/jwkset"
	"github.com/MicahParks/keyfunc/v3"
	"golang.org/x/time/rate"
)

const (
	// refreshTime is how often keys are read again, againTime the least time between two reads for keys that are not
	// known, or after one that failed.
	refreshTime, againTime = time.Hour, 5 * time.Second
	// fetchTime bounds one request, maxSet what it may answer, in bytes.
	fetchTime, maxSet = 10 * time.Second, 1 << 20
)

// errKeys says that a token can be neither good nor bad now.
const errKeys = reason("the keys of its issuer cannot be read now: try again later")

// keySet is the keys, which are fetched by the first who needs them.
func (v *Verifier) keySet(ctx context.Context) (keyfunc.Keyfunc, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.keys != nil {
		return v.keys, nil
	}
	if time.Since(v.tried) < againTime {
		return nil, errKeys
	}
	// Not the context of the request: its client may hang up while others wait.
	keys, err := v.fetch(context.WithoutCancel(ctx))
	if err != nil {
		v.tried = time.Now()
		v.log("issuer %s: its keys cannot be read, and its tokens are refused: %v", v.options.Issuer, err)
		return nil, errKeys
	}
	v.keys = keys
	return keys, nil
}

func (v *Verifier) fetch(ctx context.Context) (keyfunc.Keyfunc, error) {
	ctx, cancel := context.WithTimeout(ctx, fetchTime)
	defer cancel()
	client := &http.Client{Transport: bounded{http.DefaultTransport}, Timeout: fetchTime,
		CheckRedirect: func(*http.Request, []*http.Request) error { return errors.New("it redirects") }}
	address := v.options.Keys
	if address == "" {
		var err error
		if address, err = discover(ctx, client, v.options.Issuer); err != nil {
			return nil, err
		}
	}
	set, err := jwkset.NewStorageFromHTTP(address, jwkset.HTTPClientStorageOptions{
		Client: client, Ctx: v.ctx, HTTPTimeout: fetchTime, RefreshInterval: refreshTime,
		RefreshErrorHandler: func(_ context.Context, err error) {
			v.log("issuer %s: its keys stay as they were: %v", v.options.Issuer, err)
		},
	})
	if err != nil {
		return nil, fmt.Errorf("keys of %s: %w", address, err)
	}
	all, err := jwkset.NewHTTPClient(jwkset.HTTPClientOptions{
		HTTPURLs:          map[string]jwkset.Storage{address: set},
		RefreshUnknownKID: rate.NewLimiter(rate.Inf, 1), RateLimitWaitMax: fetchTime, // the latter bounds the request, too
	})
	if err != nil {
		return nil, err
	}
	return keyfunc.New(keyfunc.Options{Ctx: v.ctx, UseWhitelist: []jwkset.USE{jwkset.UseSig, ""},
		Storage: sparing{Storage: all, read: set, again: rate.NewLimiter(rate.Every(againTime), 1)}})
}

// A sparing storage reads keys anew for one that is not known, but not more often than again allows, and nobody waits
// for that. The limiter of jwkset's own would have its request end within the time that may be waited.
type sparing struct {
	jwkset.Storage
	read  jwkset.Storage // what was read
	again *rate.Limiter
}

// KeyRead is jwkset.Storage's.
func (s sparing) KeyRead(ctx context.Context, id string) (jwkset.JWK, error) {
	key, err := s.read.KeyRead(ctx, id)
	if errors.Is(err, jwkset.ErrKeyNotFound) && s.again.Allow() {
		return s.Storage.KeyRead(ctx, id)
	}
	return key, err
}

// Probe reads the keys anew, apart from those that Verify uses, and returns how many of them can verify a token. None
// is an error.
func (v *Verifier) Probe(ctx context.Context) (int, error) {
	keys, err := v.fetch(ctx)
	if err != nil {
		return 0, err
	}
	all, err := keys.Storage().KeyReadAll(ctx)
	if err != nil {
		return 0, err
	}
	usable := 0
	for _, key := range all {
		about := key.Marshal()
		if (about.USE == jwkset.UseSig || about.USE == "") && v.verifies(about.KTY, about.ALG) {
			usable++
		}
	}
	if usable == 0 {
		return 0, fmt.Errorf("it has %d keys, and none for %s", len(all), strings.Join(v.options.Algorithms, ", "))
	}
	return usable, nil
}

// verifies tells that a key of the type, and for the algorithm where it names one, can verify what is taken here.
func (v *Verifier) verifies(kind jwkset.KTY, alg jwkset.ALG) bool {
	return slices.ContainsFunc(v.options.Algorithms, func(name string) bool {
		of := jwkset.KtyRSA
		switch name[0] {
		case 'E':
			of = jwkset.KtyEC
			if name == "EdDSA" {
				of = jwkset.KtyOKP
			}
		}
		return kind == of && (alg == "" || string(alg) == name)
	})
}

// discover asks the issuer where its keys are.
func discover(ctx context.Context, client *http.Client, issuer string) (string, error) {
	u, err := url.Parse(issuer)
	if err != nil {
		return "", err
	}
	path := strings.TrimSuffix(u.Path, "/")
	var failed error
	for _, at := range []string{
		path + "/.well-known/openid-configuration", "/.well-known/oauth-authorization-server" + path,
	} {
		place := url.URL{Scheme: u.Scheme, Host: u.Host, Path: at}
		about, err := metadata(ctx, client, place.String())
		switch {
		case err != nil:
			failed = errors.Join(failed, err)
		case about.Issuer != issuer:
			return "", fmt.Errorf("%s: it speaks for the issuer %q", place.String(), about.Issuer)
		case checkAddress(about.Keys) != nil:
			return "", fmt.Errorf("%s: jwks_uri %q: %w", place.String(), about.Keys, checkAddress(about.Keys))
		default:
			return about.Keys, nil
		}
	}
	return "", failed
}

// server is what an authorisation server says of itself.
type server struct {
	Issuer string `json:"issuer"`
	Keys   string `json:"jwks_uri"`
}

func metadata(ctx context.Context, client *http.Client, address string) (about server, err error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return about, err
	}
	answer, err := client.Do(r)
	if err != nil {
		return about, err
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return about, fmt.Errorf("%s: %s", address, answer.Status)
	}
	if err := json.NewDecoder(answer.Body).Decode(&about); err != nil {
		return about, fmt.Errorf("%s: %w", address, err)
	}
	return about, nil
}

// bounded cuts answers that are too long.
type bounded struct{ http.RoundTripper }

func (b bounded) RoundTrip(r *http.Request) (*http.Response, error) {
	answer, err := b.RoundTripper.RoundTrip(r)
	if err == nil {
		answer.Body = struct {
			io.Reader
			io.Closer
		}{io.LimitReader(answer.Body, maxSet), answer.Body}
	}
	return answer, err
}

func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}
