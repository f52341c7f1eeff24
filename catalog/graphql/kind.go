package graphql

// This file opens a server, or the file of its schema, as a source.

import (
	"cmp"
	"context"

	"almanac/catalog"
	"almanac/catalog/secret"
	"almanac/catalog/source"
	"almanac/catalog/web/login"
)

// Kind is graphql:URL, graphql:FILE, and a file of a schema.
func Kind() source.Kind {
	return source.Kind{
		Prefix: "graphql", Forms: []string{"graphql:URL", "graphql:FILE"}, About: "a GraphQL server",
		Endings: []string{".graphql", ".graphqls", ".gql"}, Beside: true,
		Named: func(r source.Ref) string { return nameOf(r.Rest) },
		Open: func(r source.Ref, h source.Host) ([]source.Source, []catalog.Skip, error) {
			name, _ := secret.Address(r.As("graphql:" + r.Rest))
			called := cmp.Or(r.Name, nameOf(r.Rest))
			vault, access := h.Requests(called, "allow", "auth", "base", "ca", "cert", "headers",
				"key", "query", "timeout")
			a := newAPI(options{From: r.Rest, Source: name, Name: r.Name, Base: h.Base(called), Vault: vault, Access: access})
			s := source.Source{Name: name, Load: a.load, Health: a.Health, Secrets: a.secrets, Close: a.Close}
			if a.address != "" {
				s.Login = &login.Way{Name: called, Target: func(context.Context) (login.Target, error) {
					return login.Target{Resource: a.address, Probes: []login.Probe{{Body: `{"query": "{__typename}"}`}}}, nil
				}}
			}
			if !isAddress(r.Rest) {
				s.Watch = source.WatchFile(r.Rest, 0)
			}
			return []source.Source{s}, nil, nil
		},
	}
}
