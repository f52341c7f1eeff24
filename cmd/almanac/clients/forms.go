package clients

import (
	"bytes"
	"encoding/json"
	"errors"
	"regexp"
)

// An opencodeServer is an entry of opencode.
type opencodeServer struct {
	Type        string            `json:"type"`
	Command     []string          `json:"command,omitempty"`
	Environment map[string]string `json:"environment,omitempty"`
	URL         string            `json:"url,omitempty"`
	Headers     map[string]string `json:"headers,omitempty"`
	Enabled     *bool             `json:"enabled,omitempty"`
}

func toOpencode(s Server) any {
	enabled := true
	command := append([]string{s.Command}, s.Args...)
	return opencodeServer{Type: "local", Command: command, Environment: s.Env, Enabled: &enabled}
}

func fromOpencode(entry json.RawMessage) (Server, error) {
	if bytes.Contains(entry, []byte("{file:")) {
		return Server{}, errors.New("it names a {file:...}")
	}
	var o opencodeServer
	if err := json.Unmarshal(entry, &o); err != nil {
		return Server{}, err
	}
	s := Server{URL: plainVariables(o.URL), Env: variables(o.Environment), Headers: variables(o.Headers),
		Disabled: o.Enabled != nil && !*o.Enabled}
	for i, word := range o.Command {
		if word = plainVariables(word); i == 0 {
			s.Command = word
		} else {
			s.Args = append(s.Args, word)
		}
	}
	return s, s.check()
}

// A codexServer is what entries of Codex have besides the keys of mcpServers.
type codexServer struct {
	Server
	Enabled *bool             `json:"enabled"`
	Bearer  string            `json:"bearer_token_env_var"`
	HTTP    map[string]string `json:"http_headers"`
	HTTPEnv map[string]string `json:"env_http_headers"`
}

func fromCodex(entry json.RawMessage) (Server, error) {
	var c codexServer
	if err := json.Unmarshal(entry, &c); err != nil {
		return Server{}, err
	}
	s := c.Server
	s.Disabled = c.Enabled != nil && !*c.Enabled
	if len(c.HTTP)+len(c.HTTPEnv) > 0 || c.Bearer != "" {
		s.Headers = map[string]string{}
	}
	for name, value := range c.HTTP {
		s.Headers[name] = value
	}
	for name, variable := range c.HTTPEnv {
		s.Headers[name] = "${" + variable + "}"
	}
	if c.Bearer != "" {
		s.Headers["Authorization"] = "Bearer ${" + c.Bearer + "}"
	}
	return s, s.check()
}

func (s Server) check() error {
	if s.Command == "" && s.URL == "" {
		return errors.New("has neither a command nor a URL")
	}
	return nil
}

// opencodeVariable is how opencode writes a variable of the environment; others write ${NAME}.
var opencodeVariable = regexp.MustCompile(`\{env:([A-Za-z_][A-Za-z0-9_]*)\}`)

func plainVariables(text string) string { return opencodeVariable.ReplaceAllString(text, "$${$1}") }

func variables(values map[string]string) map[string]string {
	for name, value := range values {
		values[name] = plainVariables(value)
	}
	return values
}
