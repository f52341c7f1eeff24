package openapi

// This file opens a document as a source.

import (
	"cmp"

	"almanac/catalog"
	"almanac/catalog/source"
	"almanac/catalog/web/login"
)

// Kind is openapi:FILE-or-URL, and a file recognised by a top-level key.
func Kind() source.Kind {
	return source.Kind{
		Prefix: "openapi", Forms: []string{"openapi:FILE-or-URL"}, About: "an OpenAPI document and its server",
		TopKeys: []string{"openapi", "swagger"}, Beside: true,
		Named: func(r source.Ref) string { return cmp.Or(fileName(r.Rest), titleName(source.Title(r.Rest))) },
		Open: func(r source.Ref, h source.Host) ([]source.Source, []catalog.Skip, error) {
			api := New(options{Site: h.Site(r, "openapi", "", "allow", "overlay", "query")})
			if h.Overlays != nil {
				api.o.Overlays = h.Overlays(r.Name)
			}
			s := source.Source{
				Name: api.o.Source, Load: api.load, Key: api.key, Far: api.far(), Recall: api.recall, Health: api.Health,
				Secrets: api.o.Secrets, Close: api.ready.Close,
			}
			if r.Name != "" {
				s.Login = &login.Way{Name: r.Name, Target: api.target}
			}
			if files := api.own(); len(files) > 0 {
				api.files.set(files)
				s.Watch = source.Watch(api.files.look, 0)
			}
			return []source.Source{s}, nil, nil
		},
	}
}
