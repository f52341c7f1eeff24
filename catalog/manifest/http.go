package manifest

// This file makes actions of HTTP requests.

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"almanac/catalog"
	"almanac/catalog/secret"
	"almanac/catalog/tree"
	"almanac/catalog/verb"
	"almanac/catalog/web"
)

// A requested is the http part of a declaration.
type requested struct {
	Method   string    `yaml:"method"`
	URL      string    `yaml:"url"`
	Query    yaml.Node `yaml:"query"`
	Headers  yaml.Node `yaml:"headers"`
	Body     yaml.Node `yaml:"body"`
	Form     yaml.Node `yaml:"form"`
	Auth     yaml.Node `yaml:"auth"`
	NotFound bool      `yaml:"not_found"`
}

// An identity is the credential of a request, by the names of its values.
type identity struct {
	Bearer string   `yaml:"bearer"`
	Basic  []string `yaml:"basic"`
	Key    string   `yaml:"key"`
	Header string   `yaml:"header"`
	Query  string   `yaml:"query"`
}

// An httpAction sends one kind of request.
type httpAction struct {
	client         *web.Client
	method         string
	address        template // up to the query
	query, headers []pair
	form           []pair
	body           *shape
	auth           [][]web.Auth
	notFound       bool
}

// request makes an action of an HTTP request. It reaches only the host of its address.
func (d *outside) request(e *catalog.Entry, n *yaml.Node, mutates *bool) error {
	a, address, err := d.requestOf(n)
	if err != nil {
		return err
	}
	e.Target, e.Timeout = a.method+" "+address, cmp.Or(e.Timeout, d.access.Timeout)
	if e.Mutates = !verb.Safe(a.method) || a.changes(e, address); mutates != nil {
		e.Mutates = *mutates
	}
	if err := a.checkNames(e, n); err != nil {
		return err
	}
	d.want(e.ID, need{Origin: originOf(address), Auth: a.auth})
	if e.Mutates && e.Operation == "" {
		e.Operation = map[string]catalog.Operation{"POST": catalog.Create, "DELETE": catalog.Delete}[a.method]
	}
	if e.Mutates && e.Risk == "" && a.method == http.MethodDelete {
		e.Risk = catalog.High
	}
	e.Action, e.SendsKey = a.run, true
	if e.Mutates {
		e.Preview = a.preview
	}
	return nil
}

// requestOf reads an HTTP request and returns its address, too.
func (d *outside) requestOf(n *yaml.Node) (a *httpAction, address string, err error) {
	var q requested
	if err := decode(n, "http", &q); err != nil {
		return nil, "", err
	}
	a = &httpAction{method: strings.ToUpper(q.Method), notFound: q.NotFound}
	if a.method == "" {
		a.method = http.MethodGet
	}
	if !slices.Contains([]string{"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"}, a.method) {
		return nil, "", tree.FaultAt(n, "http: method: want GET, HEAD, POST, PUT, PATCH or DELETE, got %s", clip(q.Method))
	}
	if err = a.readAddress(d, n, &q); err == nil {
		err = a.readParts(&q)
	}
	if err != nil {
		return nil, "", err
	}
	taken := d.access.Places()
	a.query, a.headers = unwritten(a.query, "query", taken), unwritten(a.headers, "header", taken)
	return a, q.URL, nil
}

// originOf is the beginning of an address that a request was made of: its scheme and host.
func originOf(address string) string {
	scheme, rest, _ := strings.Cut(address, "://")
	host, _, _ := strings.Cut(rest, "/")
	return scheme + "://" + host
}

// client returns the client for an origin.
func (d *outside) client(origin string) (*web.Client, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if c := d.clients[origin]; c != nil {
		return c, nil
	}
	c, err := web.New(web.Options{Origins: []string{origin}, Vault: d.vault, Access: d.access})
	if err != nil {
		return nil, err
	}
	if d.clients == nil {
		d.clients = map[string]*web.Client{}
	}
	d.clients[origin] = c
	return c, nil
}

// changes reports whether a GET is named like a mutation, or may send a parameter that selects one: action: delete.
func (a *httpAction) changes(e *catalog.Entry, address string) bool {
	h := verb.Hints{Method: a.method, Names: []string{e.ID}, Path: address}
	for _, p := range a.query {
		if !verb.IsActionKey(p.name) || len(p.value.parts) != 1 {
			continue
		}
		for _, f := range e.Input.Fields() {
			if f.Name != p.value.whole() {
				continue
			}
			h.Free = h.Free || len(f.Enum) == 0
			for _, v := range f.Enum {
				if text, ok := v.(string); ok {
					h.Commands = append(h.Commands, text)
				}
			}
		}
		h.Commands = append(h.Commands, p.value.parts[0].text)
	}
	return verb.Infer(h).Mutates
}

// readAddress reads the address: its scheme and host are fixed, the rest may have arguments.
func (a *httpAction) readAddress(d *outside, n *yaml.Node, q *requested) (err error) {
	bare := strings.NewReplacer("{", "", "}", "").Replace(q.URL)
	u, err := url.Parse(bare)
	if err != nil || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return tree.FaultAt(n, "http: url: want an address such as https://api.example.com/items/{id}, "+
			"its parameters under query")
	}
	origin := originOf(q.URL)
	if strings.ContainsAny(origin, "{}") {
		return tree.FaultAt(n, "http: url: the host must be fixed: no argument may choose it")
	}
	if a.address, err = parseTemplate(q.URL); err != nil {
		return tree.FaultAt(n, "http: url: %v", err)
	}
	if a.client, err = d.client(origin); err != nil {
		return tree.FaultAt(n, "http: url: %v", err)
	}
	return nil
}

// ownHeaders are set by the client and by auth.
var ownHeaders = []string{"Authorization", "Proxy-Authorization", "Cookie", "Host", "Content-Length", "Connection",
	"Transfer-Encoding"}

// settable tells that a manifest may set the header.
func settable(header string) bool {
	return !slices.Contains(ownHeaders, http.CanonicalHeaderKey(header)) &&
		nameLength(strings.ReplaceAll(header, "-", "_")) == len(header)
}

func (a *httpAction) readParts(q *requested) (err error) {
	if a.query, err = pairsOf(&q.Query, "http: query"); err != nil {
		return err
	}
	if a.headers, err = pairsOf(&q.Headers, "http: headers"); err != nil {
		return err
	}
	for _, h := range a.headers {
		if !settable(h.name) {
			return tree.FaultAt(&q.Headers, "http: headers: %s cannot be set here: credentials go under auth", clip(h.name))
		}
	}
	if a.form, err = pairsOf(&q.Form, "http: form"); err != nil {
		return err
	}
	if !q.Body.IsZero() {
		if a.form != nil {
			return tree.FaultAt(&q.Body, "http: want a body or a form, got both")
		}
		value, err := treeOf(&q.Body)
		if err != nil {
			return err
		}
		s, err := shapeOf(value.Plain())
		if err != nil {
			return tree.FaultAt(&q.Body, "http: body: %v", err)
		}
		a.body = &s
	}
	a.auth, err = authOf(&q.Auth)
	return err
}

// unwritten is the pairs that the configuration does not write, whose places are taken.
func unwritten(pairs []pair, in string, taken []string) []pair {
	return slices.DeleteFunc(pairs, func(p pair) bool { return slices.Contains(taken, in+" "+strings.ToLower(p.name)) })
}

const nameKinds = "names are those of environment variables or of keyring entries"

// authOf reads the credential: names to look up, never values.
func authOf(n *yaml.Node) ([][]web.Auth, error) {
	if n.IsZero() {
		return nil, nil
	}
	var id identity
	if err := decode(n, "http: auth", &id); err != nil {
		return nil, err
	}
	var one web.Auth
	switch {
	case id.Bearer != "" && id.Basic == nil && id.Key == "":
		one = web.Auth{Kind: web.Bearer, Names: []string{id.Bearer}}
	case len(id.Basic) == 2 && id.Bearer == "" && id.Key == "":
		one = web.Auth{Kind: web.Basic, Names: id.Basic}
	case id.Key != "" && id.Bearer == "" && id.Basic == nil && (id.Header == "") != (id.Query == ""):
		one = web.Auth{Kind: web.Key, Names: []string{id.Key}, Place: "header", Field: id.Header}
		if id.Query != "" {
			one.Place, one.Field = "query", id.Query
		}
	default:
		return nil, tree.FaultAt(n, "http: auth: want {bearer: NAME}, {basic: [USER, PASSWORD]}, {key: NAME, header: "+
			"X-Key} or {key: NAME, query: key}, where the "+nameKinds)
	}
	for _, name := range one.Names {
		if !secret.IsName(name) {
			return nil, tree.FaultAt(n, "http: auth: a value is not a name, and is not shown, since it may be the secret "+
				"itself: %s. Put the secret into one of these and write its name", nameKinds)
		}
	}
	return [][]web.Auth{{one}}, nil
}

// checkNames checks that each argument of the request is an input of the action, and that those in the path are
// required.
func (a *httpAction) checkNames(e *catalog.Entry, n *yaml.Node) error {
	known := argumentNames(e)
	used := a.address.names()
	for _, p := range slices.Concat(a.query, a.headers, a.form) {
		used = append(used, p.value.names()...)
	}
	if a.body != nil {
		used = append(used, a.body.names()...)
	}
	for _, name := range used {
		if !slices.Contains(known, name) {
			return tree.FaultAt(n, "http: {%s} is not an input of the action%s", name, meant(name, known))
		}
	}
	for _, f := range e.Input.Fields() {
		if slices.Contains(a.address.names(), f.Name) && !f.Required && !f.HasDefault {
			return tree.FaultAt(n, "http: url: {%s} must be required: the address needs it", f.Name)
		}
	}
	return nil
}

// make fills in the arguments.
func (a *httpAction) make(call catalog.Call) (web.Request, error) {
	r := web.Request{Method: a.method, Header: http.Header{}, Auth: a.auth}
	address, ok, err := a.address.fill(call.Args, asSegment)
	if err != nil {
		return r, err
	}
	if !ok {
		return r, errors.New("an argument of the address is missing")
	}
	r.URL = address
	query, err := valuesOf(a.query, call.Args)
	if err != nil {
		return r, err
	}
	if len(query) > 0 {
		r.URL += "?" + query.Encode()
	}
	for _, h := range a.headers {
		text, ok, err := h.value.fill(call.Args, asHeader)
		if err != nil {
			return r, err
		}
		if ok {
			r.Header.Set(h.name, text)
		}
	}
	switch {
	case a.form != nil:
		values, err := valuesOf(a.form, call.Args)
		if err != nil {
			return r, err
		}
		r.Body = []byte(values.Encode())
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	case a.body != nil:
		data, _, err := a.body.fill(call.Args)
		if err != nil {
			return r, err
		}
		if r.Body, err = json.Marshal(data); err != nil {
			return r, err
		}
		r.Header.Set("Content-Type", "application/json")
	}
	return r, nil
}

func (a *httpAction) run(ctx context.Context, call catalog.Call) (catalog.Result, error) {
	r, err := a.make(call)
	if err != nil {
		return catalog.Result{}, err
	}
	if call.KeyHeader != "" {
		r.Header.Set(call.KeyHeader, call.Key)
	}
	answer, err := a.client.Do(ctx, r)
	var status *web.StatusError
	if a.notFound && errors.As(err, &status) && status.Status == http.StatusNotFound {
		return catalog.Result{Note: "not found", Status: status.Status}, nil
	}
	return catalog.Result{Data: answer.Data, Note: answer.Note, Status: answer.Status}, err
}

// preview shows the request that would be sent, without credentials.
func (a *httpAction) preview(_ context.Context, call catalog.Call) (string, error) {
	r, err := a.make(call)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("%s %s\n%s", r.Method, r.URL, r.Body), nil
}
