package openapi

// This file opens a document as a source.

import (
	"cmp"

	"almanac/catalog"
	"almanac/catalog/secret"
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
			name := r.As("openapi:" + r.Rest)
			vault, access := h.Requests(r.Name, "allow", "auth", "base", "ca", "cert", "headers", "key", "overlay",
				"query", "timeout")
			api := New(options{
				From: r.Rest, Source: name, Name: r.Name, Base: h.Base(r.Name), Vault: vault, Access: access,
			})
			if h.Overlays != nil {
				api.o.Overlays = h.Overlays(r.Name)
			}
			name, _ = secret.Address(name)
			s := source.Source{
				Name: name, Load: api.load, Key: api.key, Far: api.far(), Recall: api.recall, Health: api.Health,
				Secrets: api.secrets, Close: api.Close,
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
