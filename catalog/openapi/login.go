package openapi

// This file says how one logs in to the servers of a document.

import (
	"context"
	"errors"
	"net/url"
	"slices"

	"almanac/catalog/text"
	"almanac/catalog/tree"
	"almanac/catalog/web/login"
)

// maxScopes is how many scopes are asked for when the person names none: a document may know hundreds.
const maxScopes = 20

// target reads the document for what a login is for: its servers, and who gives tokens for them.
func (a *api) target(ctx context.Context) (login.Target, error) {
	d, _, err := a.document(ctx)
	if err != nil {
		return login.Target{}, err
	}
	at := servers{d: d, o: a.o, from: a.address()}
	ops, _, _ := d.operations(a.o.Source)
	var wrong error
	for _, op := range ops {
		if _, err := at.at(at.find(op)); err != nil {
			wrong = err
		}
	}
	if len(at.all) == 0 {
		if wrong == nil {
			wrong = errNoServer
		}
		return login.Target{}, wrong
	}
	t := login.Target{Resource: at.all[0]}
	for _, address := range at.all {
		if u, err := url.Parse(address); err == nil && login.Secure(u) {
			t.Origins = append(t.Origins, login.Origin(u))
		}
	}
	scheme := d.asks(&t)
	if t.Scopes = d.scopes(scheme, ops); len(t.Scopes) > maxScopes {
		return t, errors.New("the document knows " + text.Count(len(t.Scopes), "scope") +
			": name those that you want with --scope, or in scopes of [sources." + a.name(d) + ".auth.login]")
	}
	return t, nil
}

// asks finds who gives tokens, and returns the name of the scheme that says so; empty where none does.
func (d *document) asks(t *login.Target) (scheme string) {
	base, _ := url.Parse(t.Resource)
	address := func(n *tree.Node) string {
		u, err := url.Parse(n.Str())
		if err != nil || n.Str() == "" {
			return ""
		}
		return base.ResolveReference(u).String()
	}
	best := 0
	better := func(rank int, name string) bool {
		if rank > best {
			best, scheme = rank, name
			t.OpenID, t.AuthURL, t.TokenURL, t.DeviceURL, t.Application = "", "", "", "", false
			return true
		}
		return false
	}
	d.schemes().Each(func(name string, n *tree.Node) {
		n = d.soft(n)
		flow := func(three, two string) *tree.Node {
			if d.v2 && n.Get("flow").Str() == two {
				return n
			}
			return n.At("flows", three)
		}
		code, device, application := flow("authorizationCode", "accessCode"), n.At("flows", "deviceAuthorization"),
			flow("clientCredentials", "application")
		switch kind := n.Get("type").Str(); {
		case kind == "oauth2" && code != nil && better(4, name):
			t.AuthURL, t.TokenURL = address(code.Get("authorizationUrl")), address(code.Get("tokenUrl"))
			t.DeviceURL = address(device.Get("deviceAuthorizationUrl"))
		case kind == "openIdConnect" && better(3, name):
			t.OpenID = address(n.Get("openIdConnectUrl"))
		case kind == "oauth2" && device != nil && better(2, name):
			t.DeviceURL, t.TokenURL = address(device.Get("deviceAuthorizationUrl")), address(device.Get("tokenUrl"))
		case kind == "oauth2" && application != nil && better(1, name):
			t.TokenURL, t.Application = address(application.Get("tokenUrl")), true
		}
	})
	return scheme
}

// scopes are those that operations want of a scheme, in the order of their names.
func (d *document) scopes(scheme string, ops []*operation) []string {
	var all []string
	add := func(wanted *tree.Node) {
		for _, alternative := range wanted.Items() {
			for _, scope := range alternative.Get(scheme).Strings() {
				if !slices.Contains(all, scope) {
					all = append(all, scope)
				}
			}
		}
	}
	add(d.root.Get("security"))
	for _, op := range ops {
		add(op.node.Get("security"))
	}
	slices.Sort(all)
	return all
}
