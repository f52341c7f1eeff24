package web

// This file signs requests for AWS, when all else of them is written.

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"time"

	"almanac/catalog/secret"
	"almanac/catalog/web/aws"
)

// Signs reports whether the configuration has requests signed, so that their bodies must be known.
func (a Access) Signs() bool { return slices.ContainsFunc(a.Auth, isSigned) }

func isSigned(a Auth) bool { return a.Kind == SigV4 }

// SigningPlaces are where a signature of AWS is written beside the header Authorization, and what goes with it, as
// Places has them. A document may declare them as parameters.
func SigningPlaces() (all []string) {
	for _, name := range []string{"algorithm", "content-sha256", "credential", "date", "security-token", "signature",
		"signedheaders"} {
		all = append(all, "header x-amz-"+name, "query x-amz-"+name)
	}
	return all
}

// chain finds the keys of a credential without names.
func (v *Vault) chain(a Auth) *aws.Chain {
	v.mu.Lock()
	defer v.mu.Unlock()
	for _, c := range v.chains {
		if c.Profile == a.AWS.Profile && slices.Equal(c.Command, a.AWS.Command) {
			return c
		}
	}
	c := &aws.Chain{Getenv: v.getenv, Profile: a.AWS.Profile, Command: a.AWS.Command}
	v.chains = append(v.chains, c)
	return c
}

// keys are those of now.
func (v *Vault) keys(a Auth) (k aws.Keys, err error) {
	if len(a.Names) > 0 {
		k.ID, _ = v.Value(a.Names[0])
		k.Secret, _ = v.Value(a.Names[1])
		k.Token, _ = v.Value(a.Names[2])
		k.From = a.Names[0]
		return k, nil
	}
	if k, err = v.chain(a).Keys(); err == nil {
		for _, value := range []string{k.ID, k.Secret, k.Token} {
			if value != "" {
				v.issue(value)
			}
		}
	}
	return k, err
}

// noKeys says why there are none for a credential without names; nil for any other.
func (v *Vault) noKeys(a Auth) (err error) {
	if v != nil && a.Kind == SigV4 && len(a.Names) == 0 {
		_, err = v.keys(a)
	}
	return err
}

// signingKey is the context key of what signs a request once more, when it is redirected.
type signingKey struct{}

// sign signs the request with the first credential of auth that does so.
func (v *Vault) sign(req *http.Request, auth []Auth, body []byte) error {
	i := slices.IndexFunc(auth, isSigned)
	if i < 0 {
		return nil
	}
	a := auth[i]
	again := func(req *http.Request) error {
		k, err := v.keys(a)
		if err != nil {
			return err
		}
		var sent []byte
		if req.Body != nil && req.Body != http.NoBody {
			sent = body
		}
		s := aws.Signer{Region: a.AWS.Region, Service: a.AWS.Service}
		return s.Sign(req, sent, k, v.chain(a).Region(), time.Now())
	}
	carries(req, aws.Headers()...)
	*req = *req.WithContext(context.WithValue(req.Context(), signingKey{}, again))
	return again(req)
}

// signAnew signs a request that was redirected, where the first one was signed.
func signAnew(req *http.Request) error {
	if again, ok := req.Context().Value(signingKey{}).(func(*http.Request) error); ok {
		return again(req)
	}
	return nil
}

// unsigned is a text of an answer without the signature of its request.
func unsigned(text string, req *http.Request) string {
	if signature := aws.Signature(req); signature != "" {
		return strings.ReplaceAll(text, signature, secret.Mark)
	}
	return text
}

// Keys says where the keys come from that the configuration has requests signed with, and until when they hold; zero
// where that is not known. The error says why there are none.
func (a Access) Keys(v *Vault) (from string, until time.Time, err error) {
	if err := a.Failure(v); err != nil {
		return "", until, err
	}
	one := a.Auth[slices.IndexFunc(a.Auth, isSigned)]
	if missing := v.lacks(one); len(missing) > 0 {
		return "", until, errors.New("no value for " + strings.Join(missing, ", "))
	}
	k, err := v.keys(one)
	return k.From, k.Expires, err
}
