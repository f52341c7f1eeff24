// Package graphql turns the queries and mutations of a GraphQL server into actions.
//
//	Kind       a server, or a file of its schema, as a source
//	api        one server: reads its schema, sends the operations
//	field      a field of the root: one action
//	selection  which fields of a result are asked for
//
// A schema is foreign data: its texts are cut and cleaned, operations go to its own server only, and a mutation is
// never a read. The text of an operation is made here from parsed parts; arguments are sent as variables.
//
// Start at api.load.
package graphql

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"path/filepath"
	"strings"

	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/parser"

	"almanac/catalog"
	"almanac/catalog/regular"
	"almanac/catalog/source"
	"almanac/catalog/text"
	"almanac/catalog/verb"
	"almanac/catalog/web"
)

// An api is one server. It is safe for concurrent use.
type api struct {
	// Site is the server's. It is read from the address of a server, which is asked for its schema, or a file with it: in
	// the schema language, or the answer to an introspection query as JSON.
	web.Site
	web.Ready
	name    string
	address string // of the server; empty where none is known
	auth    [][]web.Auth
}

// newAPI returns an api. Nothing is read yet.
func newAPI(s web.Site) *api {
	a := &api{Site: s, name: cmp.Or(s.Name, nameOf(s.From)), address: s.Base}
	if a.address == "" && isAddress(s.From) {
		a.address = s.From
	}
	a.auth = s.Token(a.name)
	return a
}

func isAddress(from string) bool {
	return strings.HasPrefix(from, "http://") || strings.HasPrefix(from, "https://")
}

// nameOf is what a source without a name is called: after its file, or the host of its address.
func nameOf(from string) string {
	name := strings.TrimSuffix(filepath.Base(from), filepath.Ext(from))
	if u, err := url.Parse(from); err == nil && u.Host != "" {
		labels := strings.Split(u.Hostname(), ".")
		name = labels[max(0, len(labels)-2)]
	}
	return cmp.Or(verb.Segment(name), "graphql")
}

// maxSchema bounds a schema in bytes.
const maxSchema = 64 << 20

// load reads the schema and makes an entry of each field of the roots.
func (a *api) load(ctx context.Context, _ func(source.Reading)) (catalog.Batch, error) {
	var client *web.Client
	health := errors.New("the schema has no server: set one with --base NAME=URL")
	if a.address != "" {
		var err error
		if client, err = web.New(web.Options{Origins: []string{a.address}, Vault: a.Vault,
			Access: a.Access}); err != nil {
			return catalog.Batch{}, err
		}
		health = nil
	}
	doc, err := a.schema(ctx, client)
	if err != nil {
		return catalog.Batch{}, err
	}
	schema, left, err := assemble(doc)
	if err != nil {
		return catalog.Batch{}, err
	}
	if err := a.Take(client, health); err != nil {
		return catalog.Batch{}, err
	}
	l := loader{api: a, schema: schema, taken: map[string]bool{}}
	for _, reason := range left {
		l.batch.Mended = append(l.batch.Mended, catalog.Skip{ID: a.name, Source: a.Source, Reason: "left out " + reason})
	}
	return l.load(ctx)
}

// schema reads the schema from its file or its server.
func (a *api) schema(ctx context.Context, client *web.Client) (*ast.SchemaDocument, error) {
	if !isAddress(a.From) {
		raw, err := regular.Read(a.From, maxSchema)
		if err != nil {
			return nil, err
		}
		if strings.HasSuffix(a.From, ".json") {
			return introspected(raw)
		}
		doc, err := parser.ParseSchema(&ast.Source{Name: filepath.Base(a.From), Input: string(raw)})
		if err != nil {
			return nil, fmt.Errorf("the schema: %w", err)
		}
		return doc, nil
	}
	raw, err := a.introspect(ctx, client)
	if err != nil {
		return nil, err
	}
	return introspected(raw)
}

// introspect asks the server for its schema. A read may be tried again.
func (a *api) introspect(ctx context.Context, client *web.Client) ([]byte, error) {
	var answer web.Answer
	err := catalog.Retry{}.Do(ctx, nil, func(ctx context.Context) (err error) {
		answer, err = client.Do(ctx, a.request(introspection, nil, true))
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("the schema: %w", err)
	}
	raw, _ := answer.Data.(string)
	return []byte(raw), nil
}

// line is a text of the schema as one harmless line of at most n bytes.
func line(s string, n int) string { return text.LineBytes(s, n) }

// httpHeader is what every request says that it can read.
func httpHeader() http.Header {
	return http.Header{
		"Accept":       {"application/graphql-response+json, application/json;q=0.9"},
		"Content-Type": {"application/json"},
	}
}
