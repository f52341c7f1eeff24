package openapi

// This file reads the servers and credentials of a document.

import (
	"errors"
	"net/url"
	"slices"
	"strings"

	"almanac/catalog/text"
	"almanac/catalog/verb"
	"almanac/catalog/web"

	"almanac/catalog/tree"
)

// keys are the names of parameters that carry credentials: "query api_key", in lower case.
func (d *document) keys() map[string]bool {
	keys := map[string]bool{}
	d.schemes().Each(func(_ string, n *tree.Node) {
		if n = d.soft(n); n.Get("type").Str() == "apiKey" {
			keys[keyOf(n)] = true
		}
		if isSigned(n) {
			for _, place := range web.SigningPlaces() {
				keys[place] = true
			}
		}
	})
	return keys
}

func (d *document) schemes() *tree.Node {
	if d.v2 {
		return d.root.Get("securityDefinitions")
	}
	return d.root.At("components", "securitySchemes")
}

// isSigned tells a scheme whose requests are signed for AWS.
func isSigned(n *tree.Node) bool {
	return strings.EqualFold(n.Get("x-amazon-apigateway-authtype").Str(), "awsSigv4")
}

// auth lists the alternatives of an operation's credentials; the last is empty if none is needed. An alternative with
// an unsupported scheme is left out.
func (d *document) auth(op *operation, base *url.URL, o options, source string) [][]web.Auth {
	wanted := op.node.Get("security")
	if wanted == nil {
		wanted = d.root.Get("security")
	}
	var out [][]web.Auth
	optional := false
	for _, alternative := range wanted.Items() {
		var all []web.Auth
		whole := true
		alternative.Each(func(name string, scopes *tree.Node) {
			a, ok := d.scheme(name, scopes.Strings(), base, o, source)
			all, whole = append(all, a), whole && ok
		})
		if whole && len(all) > 0 {
			out = append(out, all)
		}
		optional = optional || alternative.Is(tree.Object) && len(all) == 0
	}
	if optional && len(out) > 0 {
		out = append(out, nil)
	}
	if wanted == nil && op.node.At("x-amazon-apigateway-auth", "type").Str() == "AWS_IAM" {
		out = [][]web.Auth{{signed(source)}}
	}
	return d.withNeeded(out, op, base, o, source)
}

// withNeeded adds to every alternative the credentials that the operation also requires as parameters: a document may
// say "key or token" where its server wants both.
func (d *document) withNeeded(out [][]web.Auth, op *operation, base *url.URL, o options, source string) [][]web.Auth {
	if len(op.plan.needed) == 0 {
		return out
	}
	var needed []web.Auth
	d.schemes().Each(func(name string, n *tree.Node) {
		n = d.soft(n)
		if n.Get("type").Str() != "apiKey" || !slices.Contains(op.plan.needed, keyOf(n)) {
			return
		}
		if a, ok := d.scheme(name, nil, base, o, source); ok {
			needed = append(needed, a)
		}
	})
	if len(out) == 0 {
		out = [][]web.Auth{nil}
	}
	var all [][]web.Auth
	for _, alternative := range out {
		whole := slices.Clone(alternative)
		for _, a := range needed {
			if !slices.ContainsFunc(whole, a.SamePlace) {
				whole = append(whole, a)
			}
		}
		slices.SortFunc(whole, func(a, b web.Auth) int { return strings.Compare(a.Names[0], b.Names[0]) })
		same := func(have []web.Auth) bool { return slices.EqualFunc(have, whole, web.Auth.SamePlace) }
		if !slices.ContainsFunc(all, same) {
			all = append(all, whole)
		}
	}
	return all
}

// keyOf is a scheme that is a key as document.keys has it.
func keyOf(n *tree.Node) string {
	return n.Get("in").Str() + " " + strings.ToLower(n.Get("name").Str())
}

// signed is a credential that signs requests for AWS. Its keys are looked up by the name of the source: whose document
// asks for them may not have those of this machine.
func signed(source string) web.Auth {
	return web.Auth{Kind: web.SigV4, Names: []string{web.EnvName(source, "AWS_ACCESS_KEY_ID"),
		web.EnvName(source, "AWS_SECRET_ACCESS_KEY"), web.EnvName(source, "AWS_SESSION_TOKEN")}}
}

// scheme turns a security scheme into a credential.
func (d *document) scheme(name string, scopes []string, base *url.URL, o options, source string) (a web.Auth, ok bool) {
	n := d.soft(d.schemes().Get(name))
	if n == nil && strings.ContainsAny(name, "#/") {
		n, _ = d.pointer(name) // a scheme of another document
	}
	given := o.Names[name]
	pick := func(defaults ...string) []string {
		for i, name := range given {
			if i < len(defaults) && name != "" {
				defaults[i] = name
			}
		}
		return defaults
	}
	token := web.EnvName(source, "TOKEN")
	if isSigned(n) {
		a = signed(source)
		a.Names = pick(a.Names...)
		return a, true
	}
	switch kind := n.Get("type").Str(); {
	case kind == "basic", kind == "http" && strings.EqualFold(n.Get("scheme").Str(), "basic"):
		return web.Auth{Kind: web.Basic, Names: pick(web.EnvName(source, "USER"), web.EnvName(source, "PASSWORD"))}, true
	case kind == "http" && strings.EqualFold(n.Get("scheme").Str(), "bearer"):
		return web.Auth{Kind: web.Bearer, Names: pick(token)}, true
	case kind == "openIdConnect":
		return web.Auth{Kind: web.Bearer, Names: pick(token)}, true
	case kind == "apiKey":
		field := n.Get("name").Str()
		if strings.EqualFold(field, "Authorization") {
			// The value is the whole header, so the stored token includes its prefix, if any.
			return web.Auth{Kind: web.Key, Place: "header", Field: field, Names: pick(token)}, true
		}
		names := pick(web.EnvName(source, "KEY"))
		if len(given) == 0 && d.schemesOf("apiKey") > 1 {
			names = []string{web.EnvName(source, "KEY_"+strings.ToUpper(strings.Join(verb.Words(name), "_")))}
		}
		return web.Auth{Kind: web.Key, Place: n.Get("in").Str(), Field: field, Names: names}, field != ""
	case kind == "oauth2":
		flow, tokenURL := n, n.Get("tokenUrl").Str()
		application := n.Get("flow").Str() == "application"
		if !d.v2 {
			flow = n.At("flows", "clientCredentials")
			tokenURL, application = flow.Get("tokenUrl").Str(), flow != nil
		}
		if !application || tokenURL == "" {
			return web.Auth{Kind: web.Bearer, Names: pick(token)}, true
		}
		if u, err := url.Parse(tokenURL); err == nil && base != nil {
			tokenURL = base.ResolveReference(u).String()
		}
		return web.Auth{
			Kind: web.OAuth2, TokenURL: tokenURL, Scopes: scopes,
			Names: pick(web.EnvName(source, "CLIENT_ID"), web.EnvName(source, "CLIENT_SECRET"), token),
		}, true
	}
	return web.Auth{}, false
}

func (d *document) schemesOf(kind string) int {
	n := 0
	d.schemes().Each(func(_ string, s *tree.Node) {
		if d.soft(s).Get("type").Str() == kind {
			n++
		}
	})
	return n
}

// servers are the addresses in a document that requests may go to.
type servers struct {
	d    *document
	o    options
	from *url.URL // where the document came from; nil for a file
	all  []string // every address that an operation uses
}

var errNoServer = errors.New("the document has no server: set one with --base NAME=URL")

// at is an address as find returned it, without a slash at its end.
func (s *servers) at(base, broken string) (string, error) {
	if s.o.Base != "" {
		base, broken = s.o.Base, ""
	}
	if broken != "" {
		return "", errors.New(broken)
	}
	u, err := url.Parse(base)
	if err == nil && s.from != nil {
		u = s.from.ResolveReference(u)
	}
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" || u.User != nil {
		if u != nil && u.Host == "" {
			return "", errNoServer
		}
		return "", errors.New("the server " + text.LineBytes(base, 100) + " is not an http address: " +
			"set one with --base NAME=URL")
	}
	u.RawQuery, u.Fragment = "", ""
	base = strings.TrimRight(u.String(), "/")
	if !slices.Contains(s.all, base) {
		s.all = append(s.all, base)
	}
	return base, nil
}

// find is the address of an operation's server as the document has it; one without a host is beside the document.
// broken says why there is none.
func (s *servers) find(op *operation) (base, broken string) {
	if s.d.v2 {
		host := s.d.root.Get("host").Str()
		path := s.d.root.Get("basePath").Str()
		if host == "" {
			return "/" + strings.TrimLeft(path, "/"), ""
		}
		schemes := s.d.root.Get("schemes").Strings()
		scheme := "https"
		if len(schemes) > 0 && !slices.Contains(schemes, "https") {
			scheme = schemes[0]
		}
		return scheme + "://" + host + "/" + strings.TrimLeft(path, "/"), ""
	}
	for _, holder := range []*tree.Node{op.node, op.item, s.d.root} {
		if list := holder.Get("servers").Items(); len(list) > 0 {
			base, err := s.fill(list[0])
			if err != nil {
				return "", err.Error()
			}
			return base, ""
		}
	}
	return "/", ""
}

// fill replaces the variables in a server's address with their values.
func (s *servers) fill(server *tree.Node) (string, error) {
	address := server.Get("url").Str()
	for _, name := range placeholders(address) {
		variable := server.At("variables", name)
		value, given := s.o.Variables[name]
		if !given {
			value = variable.Get("default").Scalar()
		}
		if value == "" {
			if list := variable.Get("enum").Strings(); len(list) > 0 {
				value = list[0]
			}
		}
		if value == "" {
			return "", errors.New("the server " + text.LineBytes(address, 100) + " has no value for " +
				text.LineBytes(name, 40) + ": set the whole address with --base NAME=URL")
		}
		address = strings.ReplaceAll(address, "{"+name+"}", value)
	}
	return address, nil
}
