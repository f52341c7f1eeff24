package mcp

// This file opens servers as sources.

import (
	"context"
	"errors"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"almanac/catalog"
	"almanac/catalog/media"
	"almanac/catalog/source"
	"almanac/catalog/web/login"
)

// Kind is mcp:COMMAND, mcp:FILE.json, and a JSON file recognised by a top-level key.
func Kind() source.Kind {
	return source.Kind{
		Prefix: "mcp", Forms: []string{"mcp:COMMAND", "mcp:FILE.json"},
		About:   "an MCP server that a command starts, or a file of servers",
		TopKeys: []string{"mcpServers"}, Beside: true,
		Shown: func(r source.Ref) string { return r.As(shown(r.Rest)) },
		Open: func(r source.Ref, h source.Host) ([]source.Source, []catalog.Skip, error) {
			if filepath.Ext(r.Rest) == ".json" && !strings.ContainsAny(r.Rest, " \t") {
				return openFile(r.Rest, h)
			}
			s, err := parseCommand(r.Name, r.Rest, os.LookupEnv)
			return opened(s, err, h)
		},
	}
}

// HTTPKind is mcp+http:URL.
func HTTPKind() source.Kind {
	return source.Kind{
		Prefix: "mcp+http", Forms: []string{"mcp+http:URL"}, About: "an MCP server at a URL",
		Named: func(r source.Ref) string {
			u, err := url.Parse(r.Rest)
			if err != nil {
				return ""
			}
			return hostName(u.Hostname())
		},
		Open: func(r source.Ref, h source.Host) ([]source.Source, []catalog.Skip, error) {
			s, err := parseURL(r.Name, r.Rest, os.LookupEnv)
			return opened(s, err, h)
		},
	}
}

// openFile opens the servers in another client's configuration file. Invalid ones are skipped.
func openFile(file string, h source.Host) ([]source.Source, []catalog.Skip, error) {
	servers, skipped, err := readConfig(file, os.LookupEnv)
	if err != nil {
		return nil, nil, err
	}
	var all []source.Source
	for _, s := range servers {
		one, _, err := opened(s, nil, h)
		if errors.Is(err, errNested) {
			return nil, nil, err
		}
		if err != nil {
			skipped = append(skipped, catalog.Skip{ID: s.Name, Source: file, Reason: err.Error()})
			continue
		}
		all = append(all, one...)
	}
	switch {
	case len(all) == 0 && len(skipped) == 0:
		return nil, nil, errors.New("no servers in it: add one under mcpServers, with a command or a url")
	case len(all) == 0:
		return nil, skipped, errors.New("no usable server in it")
	}
	return all, skipped, nil
}

// probes are requests which a server refuses to those who are not logged in. Some let everybody begin a session, or
// know only one of the ways to speak.
func probes() []login.Probe {
	const about = `{"name": "almanac", "version": "0"}`
	const meta = `"` + sdk.MetaKeyProtocolVersion + `": "` + modernVersion + `", ` +
		`"` + sdk.MetaKeyClientCapabilities + `": {}, "` + sdk.MetaKeyClientInfo + `": ` + about
	return []login.Probe{
		{Body: `{"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": "` + oldVersion + `", ` +
			`"capabilities": {}, "clientInfo": ` + about + `}}`},
		{Body: `{"jsonrpc": "2.0", "id": 1, "method": "tools/list"}`,
			Header: map[string]string{"Mcp-Protocol-Version": oldVersion}},
		{Body: `{"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {"_meta": {` + meta + `}}}`,
			Header: map[string]string{"Mcp-Protocol-Version": modernVersion, "Mcp-Method": "tools/list"}},
	}
}

// Protocols are the versions of the protocol that may be spoken first: one that begins with a handshake, and one that
// has none.
func Protocols() []string { return []string{oldVersion, modernVersion} }

// opened opens a server, unless reading its configuration failed with err.
func opened(s endpoint, err error, h source.Host) ([]source.Source, []catalog.Skip, error) {
	if err != nil {
		return nil, nil, err
	}
	depth, err := depth(os.LookupEnv)
	if err != nil {
		return nil, nil, err
	}
	o := options{Version: h.Version, Depth: depth, Media: media.In(h.Data),
		TrustHints: h.Trusts != nil && h.Trusts(s.Name)}
	if h.Roots != nil {
		o.Roots = h.Roots(s.Name)
	}
	if h.Protocol != nil {
		o.Modern = h.Protocol(s.Name) == modernVersion
	}
	keys := []string{"protocol", "roots", "timeout", "trust_hints"}
	if s.URL != "" {
		keys = append(keys, "auth", "ca", "cert", "headers", "key", "query")
	}
	o.Vault, o.Access = h.Requests(s.Name, keys...)
	var way *login.Way
	if s.Header["Authorization"] != "" {
		o.Access.Login = nil
	} else if s.URL != "" {
		way = &login.Way{Name: s.Name, Target: func(context.Context) (login.Target, error) {
			return login.Target{Resource: s.URL, Probes: probes()}, nil
		}}
	}
	src, err := newSource(s, o)
	if err != nil {
		return nil, nil, err
	}
	return []source.Source{{
		Name: src.name(), Login: way, Load: src.load, Watch: src.watch, Health: src.health, Secrets: src.secrets,
		Close: src.Close,
	}}, nil, nil
}
