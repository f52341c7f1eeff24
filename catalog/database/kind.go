package database

// This file opens databases as sources.

import (
	"context"
	"net/url"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"almanac/catalog"
	"almanac/catalog/secret"
	"almanac/catalog/source"
	"almanac/catalog/web"
)

// Kinds are postgres://, mysql:// and sqlite:FILE, the first two also by their other names.
func Kinds() source.Kinds {
	kind := func(prefix, form, about string) source.Kind {
		k := source.Kind{Prefix: prefix, About: about, Open: openKind, Shown: func(r source.Ref) string {
			shown, _ := Shown(r.Spec)
			return r.As(shown)
		}}
		if form != "" {
			k.Forms = []string{form}
		}
		return k
	}
	file := kind("sqlite", "sqlite:FILE", "a file of SQLite: its tables and views")
	file.Beside = true
	return source.Kinds{
		kind("postgres", "postgres://USER@HOST/DB", "a PostgreSQL database: its tables, views and functions"),
		kind("mysql", "mysql://USER@HOST/DB", "a MySQL or MariaDB database: its tables, views and routines"),
		file,
		kind("postgresql", "", "the same as postgres"), kind("mariadb", "", "the same as mysql"),
	}
}

// Shown is the address of a database without what may be secret, and what was left out: the password, and options that
// are not known to be harmless.
func Shown(address string) (shown string, values []string) {
	if !Is(address) {
		return address, nil
	}
	front, query, has := strings.Cut(address, "?")
	scheme, rest, _ := strings.Cut(front, "://")
	if at := strings.LastIndex(rest, "@"); at >= 0 {
		user, password, both := strings.Cut(rest[:at], ":")
		if both {
			values = append(values, password)
			user += ":" + secret.Hidden
		}
		rest = user + rest[at:]
	}
	shown = scheme + "://" + rest
	if !has {
		return shown, plainToo(values)
	}
	options := strings.Split(query, "&")
	for i, option := range options {
		if name, value, _ := strings.Cut(option, "="); !slices.Contains(harmless, name) {
			values = append(values, value)
			options[i] = name + "=" + secret.Hidden
		}
	}
	return shown + "?" + strings.Join(options, "&"), plainToo(values)
}

// plainToo adds the values without the escapes of addresses.
func plainToo(values []string) []string {
	for _, value := range values {
		if plain, err := url.PathUnescape(value); err == nil && plain != value {
			values = append(values, plain)
		}
	}
	return slices.DeleteFunc(values, func(s string) bool { return s == "" })
}

// harmless are options that are shown with their values.
var harmless = []string{"timeout", "schemas", "sslmode", "tls", "socket", "host", "port", "service", "application_name",
	"connect_timeout", "pool_max_conns", "target_session_attrs", "search_path", "user", "dbname", "database"}

func openKind(r source.Ref, h source.Host) ([]source.Source, []catalog.Skip, error) {
	address := r.Spec
	name := r.Name
	if rest, is := strings.CutPrefix(address, "sqlite:"); is {
		address = rest
		if name == "" {
			name = segment(strings.TrimSuffix(filepath.Base(rest), filepath.Ext(rest)))
		}
	} else if name == "" {
		if u, err := url.Parse(address); err == nil {
			name = segment(path.Base(u.Path))
		}
	}
	d, err := Open(address, Options{Name: name, Vault: web.NewVault(h.Getenv, web.Keyring)})
	if err != nil {
		return nil, nil, err
	}
	if name == "" || name == "_" {
		name = "db"
	}
	d.name = name
	shown, _ := Shown(r.Spec)
	return []source.Source{{
		Name:   r.As(shown),
		Load:   func(ctx context.Context, _ func(source.Reading)) (catalog.Batch, error) { return d.load(ctx, name+".") },
		Health: d.Health, Secrets: d.Secrets, Close: d.Close,
	}}, nil, nil
}

// load reads the schema.
func (d *Database) load(ctx context.Context, prefix string) (catalog.Batch, error) {
	ctx, cancel := context.WithTimeout(ctx, loadTime)
	defer cancel()
	if err := d.Check(ctx); err != nil {
		return catalog.Batch{}, err
	}
	server, err := d.server()
	if err != nil {
		return catalog.Batch{}, err
	}
	s, err := server.schema(ctx)
	if err != nil {
		return catalog.Batch{}, cause(ctx, d.plain(server, err))
	}
	return d.batch(s, prefix), nil
}
