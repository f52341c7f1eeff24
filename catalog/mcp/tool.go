package mcp

// This file has single tools of servers, for sources that name them one by one.

import (
	"encoding/json"
	"errors"
	"net/url"
	"os"
	"slices"
	"strings"
	"sync"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"almanac/catalog"
	"almanac/catalog/media"
	"almanac/catalog/secret"
	"almanac/catalog/tree"
	"almanac/catalog/verb"
	"almanac/catalog/web"
)

// Servers are the MCP servers whose tools a source names one by one. Each is started, or connected to, when a call
// first needs it, and has one process or connection however many tools name it. It is safe for concurrent use; a nil
// *Servers has none and allows none.
type Servers struct {
	o ServerOptions

	mu     sync.Mutex
	open   map[string]*serverSource // by the text of their configuration
	closed bool
}

// ServerOptions say how Servers are reached.
type ServerOptions struct {
	// Version is that of the program, as servers are told; Data its folder, for images and files of results.
	Version, Data string
	// Vault and Access are for the requests to servers at an address; the zero values have nothing to add.
	Vault  *web.Vault
	Access web.Access
}

// NewServers returns the servers of a source.
func NewServers(o ServerOptions) *Servers { return &Servers{o: o, open: map[string]*serverSource{}} }

// A Server is one of Servers.
type Server struct {
	key string
	src *serverSource
}

// Server returns the server of a configuration as the files of other programs have it: command, args, env and cwd, or
// url and headers. ${NAME} in it stands for a variable of the environment. Nothing is started yet.
func (s *Servers) Server(config json.RawMessage) (*Server, error) {
	if s == nil {
		return nil, errors.New("servers cannot be reached from here")
	}
	var c map[string]json.RawMessage
	if err := json.Unmarshal(config, &c); err != nil {
		return nil, err
	}
	delete(c, "tool")
	whole, err := json.Marshal(c)
	if err != nil {
		return nil, err
	}
	key := string(whole)
	s.mu.Lock()
	defer s.mu.Unlock()
	if src := s.open[key]; src != nil {
		return &Server{key, src}, nil
	}
	e, err := parseServer("mcp", whole, "", os.LookupEnv)
	if err != nil {
		return nil, err
	}
	e.Name = commandName(e.Command)
	if u, err := url.Parse(e.URL); err == nil && e.URL != "" {
		e.Name = hostName(u.Hostname())
	}
	if e.Source = e.URL; e.URL == "" {
		shown, _ := secret.Command(e.Command)
		e.Source = strings.Join(shown, " ")
	}
	e.Source, _ = secret.Address(e.Source)
	o := options{Version: s.o.Version, Media: media.In(s.o.Data)}
	if o.Depth, err = depth(os.LookupEnv); err != nil {
		return nil, err
	}
	if e.URL != "" {
		o.Vault, o.Access = s.o.Vault, s.o.Access
		if e.Header["Authorization"] != "" {
			o.Access.Login = nil
		}
	}
	src, err := newSource(e, o)
	if err != nil {
		return nil, err
	}
	if s.closed {
		src.link.close()
	}
	s.open[key] = src
	return &Server{key, src}, nil
}

// Key names the server in its Servers. It has no values of variables.
func (s *Server) Key() string { return s.key }

// Literal reports whether the configuration has a secret that stands in it itself.
func (s *Server) Literal() bool {
	return slices.ContainsFunc(s.src.server.Secrets, func(value string) bool {
		written := tree.Quote(nil, value)
		return len(value) >= secret.Least && strings.Contains(s.key, string(written[1:len(written)-1]))
	})
}

// Target is what a call of the tool reaches, without secrets.
func (s *Server) Target(tool string) string {
	return "MCP " + s.src.server.Source + " " + clean(tool, 200)
}

// Infer is what a tool does, by its name and a description. As with a server that gives no hints it changes something.
func Infer(tool, description string) verb.Effect {
	does, _ := effects(&sdk.Tool{Name: tool, Description: description}, false)
	return does
}

// Tool is an action that calls the tool. One that reads is called again where the connection broke.
func (s *Server) Tool(name string, read bool) catalog.Action { return s.src.call(name, read) }

// Health says why the tools of the server of the key cannot be called now; nil where they can, or where no call needed
// it yet.
func (s *Servers) Health(key string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if src := s.open[key]; src != nil {
		return src.health()
	}
	return nil
}

// Secrets are values that must never be shown.
func (s *Servers) Secrets() (all []string) {
	if s == nil {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, src := range s.open {
		all = append(all, src.secrets()...)
	}
	return all
}

// Close ends the servers. Actions of theirs fail from then on.
func (s *Servers) Close() error {
	if s == nil {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	for _, src := range s.open {
		src.link.close()
	}
	return nil
}
