package grpc

// This file opens a server, or the files that describe it, as a source.

import (
	"context"
	"errors"

	"almanac/catalog"
	"almanac/catalog/source"
	"almanac/catalog/web/login"
)

// Kind is grpc:HOST:PORT, grpc:http://HOST:PORT, grpc:FILE, and a .proto file.
func Kind() source.Kind {
	return source.Kind{
		Prefix: "grpc", Forms: []string{"grpc:HOST:PORT", "grpc:FILE.proto"}, About: "a gRPC server",
		Endings: []string{".proto", ".protoset"}, Beside: true,
		Open: func(r source.Ref, h source.Host) ([]source.Source, []catalog.Skip, error) {
			a := newAPI(h.Site(r, "grpc", nameOf(r.Rest)))
			if a.Access.Signs() {
				return nil, nil, errors.New("auth.aws of [sources." + a.name + "]: gRPC calls are not signed")
			}
			if a.wrong != nil {
				return nil, nil, a.wrong
			}
			s := source.Source{Name: a.Source, Load: a.load, Health: a.Health, Secrets: a.Secrets, Close: a.Close}
			if a.address != "" {
				s.Login = &login.Way{Name: a.name, Target: func(context.Context) (login.Target, error) {
					return login.Target{Resource: a.url()}, nil
				}}
			}
			if isFile(r.Rest) {
				s.Watch = source.WatchFile(r.Rest, 0)
			}
			return []source.Source{s}, nil, nil
		},
	}
}
