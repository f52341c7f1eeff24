package grpc

// This file opens a server, or the files that describe it, as a source.

import (
	"cmp"

	"almanac/catalog"
	"almanac/catalog/secret"
	"almanac/catalog/source"
	"almanac/catalog/web"
)

// Kind is grpc:HOST:PORT, grpc:http://HOST:PORT, grpc:FILE, and a .proto file.
func Kind() source.Kind {
	return source.Kind{
		Prefix: "grpc", Forms: []string{"grpc:HOST:PORT", "grpc:FILE.proto"}, About: "a gRPC server",
		Endings: []string{".proto", ".protoset"}, Beside: true,
		Open: func(r source.Ref, h source.Host) ([]source.Source, []catalog.Skip, error) {
			name, _ := secret.Address(r.As("grpc:" + r.Rest))
			a := newAPI(options{
				From: r.Rest, Source: name, Name: r.Name, Base: h.Base(cmp.Or(r.Name, nameOf(r.Rest))),
				Vault: web.NewVault(h.Getenv, web.Keyring),
			})
			if a.wrong != nil {
				return nil, nil, a.wrong
			}
			s := source.Source{Name: name, Load: a.load, Health: a.Health, Secrets: a.secrets, Close: a.Close}
			if isFile(r.Rest) {
				s.Watch = source.WatchFile(r.Rest, 0)
			}
			return []source.Source{s}, nil, nil
		},
	}
}
