package grpc

// This file opens a server, or the files that describe it, as a source.

import (
	"cmp"
	"context"
	"errors"

	"almanac/catalog"
	"almanac/catalog/secret"
	"almanac/catalog/source"
	"almanac/catalog/web/login"
)

// Kind is grpc:HOST:PORT, grpc:http://HOST:PORT, grpc:FILE, and a .proto file.
func Kind() source.Kind {
	return source.Kind{
		Prefix: "grpc", Forms: []string{"grpc:HOST:PORT", "grpc:FILE.proto"}, About: "a gRPC server",
		Endings: []string{".proto", ".protoset"}, Beside: true,
		Open: func(r source.Ref, h source.Host) ([]source.Source, []catalog.Skip, error) {
			name, _ := secret.Address(r.As("grpc:" + r.Rest))
			called := cmp.Or(r.Name, nameOf(r.Rest))
			vault, access := h.Requests(called, "auth", "base", "ca", "cert", "headers", "key", "timeout")
			if access.Signs() {
				return nil, nil, errors.New("auth.aws of [sources." + called + "]: gRPC calls are not signed")
			}
			a := newAPI(options{From: r.Rest, Source: name, Name: r.Name, Base: h.Base(called), Vault: vault, Access: access})
			if a.wrong != nil {
				return nil, nil, a.wrong
			}
			s := source.Source{Name: name, Load: a.load, Health: a.Health, Secrets: a.secrets, Close: a.Close}
			if a.address != "" {
				s.Login = &login.Way{Name: called, Target: func(context.Context) (login.Target, error) {
					return login.Target{Resource: "https://" + a.address}, nil
				}}
			}
			if isFile(r.Rest) {
				s.Watch = source.WatchFile(r.Rest, 0)
			}
			return []source.Source{s}, nil, nil
		},
	}
}
