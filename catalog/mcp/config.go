package mcp

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tailscale/hujson"

	"almanac/catalog"
	"almanac/catalog/regular"
	"almanac/catalog/secret"
)

// A configured is one server as clients configure it: Claude Desktop and Claude Code, Cursor, Windsurf, VS Code, Gemini
// CLI. Their other keys are ignored.
type configured struct {
	Type      string            `json:"type"`
	Transport string            `json:"transport"`
	Command   string            `json:"command"`
	Args      []string          `json:"args"`
	Env       map[string]any    `json:"env"`
	Dir       string            `json:"cwd"`
	URL       string            `json:"url"`
	ServerURL string            `json:"serverUrl"`
	HTTPURL   string            `json:"httpUrl"`
	Headers   map[string]string `json:"headers"`
	EnvFile   string            `json:"envFile"`
	Disabled  bool              `json:"disabled"`
	Enabled   *bool             `json:"enabled"`
}

func serversOf(text []byte) (map[string]json.RawMessage, error) {
	var file struct {
		MCPServers map[string]json.RawMessage `json:"mcpServers"`
		Servers    json.RawMessage            `json:"servers"`
		MCP        struct {
			Servers map[string]json.RawMessage `json:"servers"`
		} `json:"mcp"`
	}
	plain, err := hujson.Standardize(text)
	if err != nil {
		return nil, errors.New(strings.TrimPrefix(err.Error(), "hujson: "))
	}
	if err := json.Unmarshal(plain, &file); err != nil {
		return nil, err
	}
	if file.MCPServers != nil {
		return file.MCPServers, nil
	}
	if file.MCP.Servers != nil {
		return file.MCP.Servers, nil
	}
	var servers map[string]json.RawMessage
	if len(file.Servers) > 0 && json.Unmarshal(file.Servers, &servers) == nil {
		return servers, nil
	}
	return nil, errors.New("want mcpServers or servers at the top, found neither")
}

// maxConfig is the size of the largest file of servers that is read, in bytes.
const maxConfig = 16 << 20

// readConfig reads the servers of a file as other clients write it, in the order of their names. Those that are
// disabled or cannot be used are listed with the reason. The name of each is its key.
func readConfig(file string, getenv func(string) (string, bool)) ([]endpoint, []catalog.Skip, error) {
	text, err := regular.Read(file, maxConfig)
	if err != nil {
		return nil, nil, err
	}
	return parseConfig(text, file, getenv)
}

// parseConfig is readConfig of a file's text.
func parseConfig(text []byte, file string, getenv func(string) (string, bool)) ([]endpoint, []catalog.Skip, error) {
	found, err := serversOf(text)
	if err != nil {
		return nil, nil, fmt.Errorf("mcp servers: %w", err)
	}
	var servers []endpoint
	var skipped []catalog.Skip
	taken := map[string]bool{}
	for _, key := range slices.Sorted(maps.Keys(found)) {
		s, err := parseServer(key, found[key], file, getenv)
		if err == nil && taken[s.Name] {
			err = fmt.Errorf("another server has the name %s", s.Name)
		}
		if err != nil {
			skipped = append(skipped, catalog.Skip{ID: key, Source: file, Reason: err.Error()})
			continue
		}
		taken[s.Name] = true
		servers = append(servers, s)
	}
	return servers, skipped, nil
}

func parseServer(key string, raw json.RawMessage, file string, getenv func(string) (string, bool)) (endpoint, error) {
	var c configured
	if err := json.Unmarshal(raw, &c); err != nil {
		var wrong *json.UnmarshalTypeError
		if errors.As(err, &wrong) {
			err = fmt.Errorf("%s is of the wrong type (%s)", cmp.Or(wrong.Field, "the entry"), wrong.Value)
		}
		return endpoint{}, fmt.Errorf("cannot be read: %w", err)
	}
	if c.Disabled || c.Enabled != nil && !*c.Enabled {
		return endpoint{}, errors.New("disabled in the file")
	}
	if c.EnvFile != "" {
		return endpoint{}, errors.New("envFile is not read: set the variables, and name them as ${NAME} in env")
	}
	dir, err := filepath.Abs(filepath.Dir(file))
	if err != nil {
		dir = "."
	}
	x := &expander{getenv: getenv, dir: dir}
	s := endpoint{
		Name: cmp.Or(segment(strings.ToLower(key)), "_"+mark(key)), Source: "mcp:" + file + "#" + key,
		Env: map[string]string{}, Header: map[string]string{},
	}
	var errs []error
	put := func(target *string, text string) {
		value, err := x.expand(text)
		*target = value
		errs = append(errs, err)
	}
	put(&s.URL, cmp.Or(c.URL, c.ServerURL, c.HTTPURL))
	put(&s.Dir, c.Dir)
	if c.Command != "" {
		s.Command = make([]string, 1+len(c.Args))
		put(&s.Command[0], c.Command)
		for i, arg := range c.Args {
			put(&s.Command[i+1], arg)
		}
	}
	for name, value := range c.Env {
		var text string
		put(&text, fmt.Sprint(value))
		s.Env[name] = text
		x.keep(name, text)
	}
	for name, value := range c.Headers {
		var text string
		put(&text, value)
		s.Header[name] = text
		x.keep(name, text)
	}
	if err := errors.Join(errs...); err != nil {
		return endpoint{}, errors.New(strings.ReplaceAll(err.Error(), "\n", "; "))
	}
	if s.Dir != "" && !filepath.IsAbs(s.Dir) {
		s.Dir = filepath.Join(dir, s.Dir)
	}
	switch kind := strings.ToLower(cmp.Or(c.Type, c.Transport)); kind {
	case "", "stdio", "http", "streamable-http", "streamable_http", "streamablehttp":
	case "sse":
		s.SSE = true
	default:
		return endpoint{}, fmt.Errorf("unknown type %q: want stdio, http or sse", clean(kind, 40))
	}
	slices.Sort(x.secrets)
	s.Secrets = slices.Compact(x.secrets)
	if err := s.check(); err != nil {
		return endpoint{}, err
	}
	_, inURL := secret.Address(s.URL)
	_, inCommand := secret.Command(s.Command)
	s.Secrets = append(s.Secrets, slices.Concat(inURL, inCommand)...)
	return s, nil
}

// Movable reports why the entry of another client's file cannot be used from a file in another folder, nil if it can.
// Variables count as set.
func Movable(name string, entry json.RawMessage) error {
	if strings.Contains(string(entry), "${workspaceFolder}") {
		return errors.New("it names ${workspaceFolder}")
	}
	var c configured
	if json.Unmarshal(entry, &c) == nil && c.Dir != "" && !filepath.IsAbs(c.Dir) && !strings.HasPrefix(c.Dir, "${") {
		return errors.New("its cwd is relative")
	}
	_, err := parseServer(name, entry, "", func(string) (string, bool) { return "set", true })
	return err
}

// keep remembers a value as a secret if its name suggests one.
func (x *expander) keep(name, value string) {
	upper := strings.ToUpper(name)
	for _, word := range []string{"TOKEN", "KEY", "SECRET", "PASSWORD", "PASSWD", "AUTH", "CREDENTIAL", "COOKIE"} {
		if strings.Contains(upper, word) && len(value) >= minSecret {
			for _, scheme := range []string{"Bearer ", "Basic ", "token "} {
				value = strings.TrimPrefix(value, scheme)
			}
			x.secrets = append(x.secrets, value)
			return
		}
	}
}
