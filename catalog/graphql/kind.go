package graphql

// This file opens a server, or the file of its schema, as a source.

import (
	"context"

	"almanac/catalog"
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
			a := newAPI(h.Site(r, "graphql", nameOf(r.Rest), "allow", "query"))
			s := source.Source{Name: a.Source, Load: a.load, Health: a.Health, Secrets: a.Secrets, Close: a.Close}
			if a.address != "" {
				s.Login = &login.Way{Name: a.name, Target: func(context.Context) (login.Target, error) {
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
