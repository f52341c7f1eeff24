// This file makes the models that can be asked from the configuration: each is a target with its server.

package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"almanac/catalog/search/spelling"
	"almanac/catalog/secret"
	"almanac/catalog/subprocess"
	"almanac/llm"
	"almanac/llm/openai"
	"almanac/repl"
)

// A server is one model server. Its key is read when a request needs it first, and again after it was refused.
type server struct {
	options     openai.Options
	address     string // as it can be shown
	key         keySource
	credentials *credentials

	mu       sync.Mutex // held while the key is read
	provider *openai.Provider
}

// open returns the provider with its key.
func (s *server) open(ctx context.Context) (*openai.Provider, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.provider != nil {
		return s.provider, nil
	}
	o := s.options
	var err error
	if o.Key, err = s.credentials.key(ctx, s.key); err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, &llm.Error{
			Kind: llm.BadKey, Message: s.address + ": no key: " + err.Error(), Hint: "almanac config shows where it is read",
		}
	}
	s.provider = openai.New(o)
	return s.provider, nil
}

// ready tells whether there is a key, for who is about to choose the server.
func (s *server) ready(ctx context.Context) error {
	_, err := s.open(ctx)
	return err
}

// refused forgets the key that a server has refused: what a command prints may expire.
func (s *server) refused(err error) {
	if failed := new(llm.Error); errors.As(err, &failed) && failed.Kind == llm.BadKey {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.provider = nil
	}
}

// Complete implements llm.Provider.
func (s *server) Complete(ctx context.Context, r llm.Request, hear func(llm.Piece)) (llm.Response, error) {
	p, err := s.open(ctx)
	if err != nil {
		return llm.Response{}, err
	}
	response, err := p.Complete(ctx, r, hear)
	s.refused(err)
	return response, err
}

// models asks the server for its models.
func (s *server) models(ctx context.Context) ([]llm.Model, error) {
	p, err := s.open(ctx)
	if err != nil {
		return nil, err
	}
	list, err := p.Models(ctx)
	s.refused(err)
	return secret.Clean(s.credentials.filter.Now(), list), err
}

// key reads a key.
func (c *credentials) key(ctx context.Context, from keySource) (key string, err error) {
	switch {
	case from.env != "":
		if key = os.Getenv(from.env); key == "" {
			err = fmt.Errorf("%s is not set in the environment", from.env)
		}
	case from.keyring != "":
		found := false
		if key, found = c.keyring.Value(from.keyring); !found {
			err = fmt.Errorf("%s is not in the system keyring", from.keyring)
		}
	case len(from.command) > 0:
		if key, err = subprocess.Output(ctx, from.command); err == nil {
			if key = strings.TrimSpace(key); key == "" || strings.ContainsAny(key, "\r\n") {
				err = fmt.Errorf("%s: want it to print one line, the key", from.command[0])
			}
		}
	}
	if err == nil {
		c.add(key)
	}
	return key, err
}

// tableTarget is the target of a table. Without a server of its own it is at that of base_url.
func (cli *commandLine) tableTarget(t modelTable) llm.Target {
	o, key := openai.Options{BaseURL: t.baseURL, API: t.api}, t.key
	if o.BaseURL == "" {
		o.BaseURL, key, _ = cli.modelServer()
		o.API = cmp.Or(o.API, cli.API)
	}
	target := cli.target(o, key, t.model)
	target.Name, target.Window, target.Price = t.name, t.window, t.price
	target.Images = t.images || cli.origins["images"] && cli.Images
	if cli.origins["context-window"] {
		target.Window = cli.ContextWindow
	}
	return target
}

// plainTarget is a model of the server of base_url; without a Provider if there is no such server.
func (cli *commandLine) plainTarget(model string) llm.Target {
	base, key, ok := cli.modelServer()
	if !ok {
		return llm.Target{}
	}
	t := cli.target(openai.Options{BaseURL: base, API: cli.API}, key, model)
	t.Window, t.Images = cli.ContextWindow, cli.Images
	return t
}

func (cli *commandLine) target(o openai.Options, key keySource, model string) llm.Target {
	s := &server{options: o, key: key, credentials: cli.credentials}
	s.address, _ = secret.Address(cmp.Or(o.BaseURL, openai.DefaultURL))
	cli.credentials.address(o.BaseURL)
	return llm.Target{Model: model, Provider: s, Server: s.address, Models: s.models, Ready: s.ready}
}

// A modelChoice is what can be asked.
type modelChoice struct {
	named []llm.Target // the tables
	// server is where all other models are; without a Provider there is none.
	server llm.Target
	// first is asked first, and fallback after it.
	first    llm.Target
	fallback []llm.Target
}

// models are the models of the configuration. An error says why there is none to begin with.
func (cli *commandLine) models() (m modelChoice, err error) {
	for _, t := range cli.config.user.models {
		m.named = append(m.named, cli.tableTarget(t))
	}
	m.server = cli.plainTarget(defaultModel)
	name := cli.Model
	roles, _ := cli.roles()
	for _, r := range roles {
		if r.model() != "" && !cli.origins["model"] {
			name = r.model()
		}
	}
	if m.first, err = cli.findTarget(m, name); err != nil {
		return m, err
	}
	for _, name := range cli.Fallback {
		t, err := cli.findTarget(m, name)
		if err != nil {
			return m, fmt.Errorf("fallback: %w", err)
		}
		m.fallback = append(m.fallback, t)
	}
	return m, nil
}

// findTarget returns the target of a name: that of a table, else a model of the server of base_url. Without a name it
// is the default model of that server, else the first table.
func (cli *commandLine) findTarget(m modelChoice, name string) (llm.Target, error) {
	var names []string
	for _, t := range m.named {
		if names = append(names, t.Name); t.Name == name {
			return t, nil
		}
	}
	t := m.server
	near := spelling.Nearest(name, names)
	switch {
	case t.Provider != nil:
		t.Model = cmp.Or(name, t.Model)
		return t, nil
	case len(names) == 0:
		return t, errNoModel
	case name == "":
		return m.named[0], nil
	case near != "":
		return t, fmt.Errorf("model %q: not configured: did you mean %s?", name, near)
	}
	return t, fmt.Errorf("model %q: not configured: the models are %s", name, strings.Join(names, ", "))
}

// namedTarget returns the target of a name that the configuration has: that of a table, or the model that answers
// first.
func (cli *commandLine) namedTarget(m modelChoice, name string) (llm.Target, error) {
	if m.first.Provider != nil && m.first.String() == name {
		return m.first, nil
	}
	m.server = llm.Target{}
	t, err := cli.findTarget(m, name)
	if errors.Is(err, errNoModel) {
		err = fmt.Errorf("model %q: not configured: almanac models alone lists what the server has", name)
	}
	return t, err
}

// local finds model servers on the usual ports of this machine; nil where a model is configured.
func (cli *commandLine) local(noModel error) (*repl.Local, error) {
	var places []string
	var addresses []string
	for _, place := range cli.LocalPorts {
		name, port, _ := strings.Cut(place, "=")
		if n, err := strconv.ParseUint(port, 10, 16); err != nil || n == 0 {
			return nil, usage("--local-ports %s: want NAME=PORT, such as Ollama=11434", place)
		}
		places, addresses = append(places, name+" "+port), append(addresses, "http://localhost:"+port+"/v1")
	}
	if !errors.Is(noModel, errNoModel) {
		return nil, nil
	}
	return &repl.Local{
		Places: strings.Join(places, ", "), Grace: answerGrace,
		Find: func(ctx context.Context) []llm.Target { return cli.findLocal(ctx, addresses) },
		Keep: func(t llm.Target) string {
			return fmt.Sprintf("to keep it, write model = %s and base_url = %s into %s", tomlString(t.Model),
				tomlString(t.Server), userConfigPath())
		},
	}, nil
}

// Bounds of findLocal: how long a server may take, and how many of its models are listed.
const (
	localTime   = 2 * time.Second
	localModels = 20
)

// findLocal asks the servers at the addresses, all at the same time, for their models.
func (cli *commandLine) findLocal(ctx context.Context, addresses []string) (found []llm.Target) {
	ctx, cancel := context.WithTimeout(ctx, localTime)
	defer cancel()
	at := make([][]llm.Target, len(addresses))
	var asking sync.WaitGroup
	for i, address := range addresses {
		asking.Go(func() {
			t := cli.target(openai.Options{BaseURL: address}, keySource{}, "")
			list, _ := t.Models(ctx) // who does not answer is not there
			for _, m := range list[:min(len(list), localModels)] {
				t.Model, t.Window = m.Name, m.Window
				at[i] = append(at[i], t)
			}
		})
	}
	asking.Wait()
	return slices.Concat(at...)
}

// errNoModel answers a prompt when no model is configured.
var errNoModel = errors.New("no model is configured: set OPENAI_API_KEY, or --base-url (ALMANAC_BASE_URL) to an " +
	"OpenAI-compatible server such as http://localhost:11434/v1, and choose one with --model (ALMANAC_MODEL)")

// defaultModel is used if a key is set but no model is named.
const defaultModel = "gpt-4.1"

// modelServer is the server of models without a table, and its key; ok is false if neither is configured.
func (cli *commandLine) modelServer() (base string, key keySource, ok bool) {
	base = cmp.Or(cli.BaseURL, os.Getenv("OPENAI_BASE_URL"))
	for _, name := range []string{"OPENAI_API_KEY", "ALMANAC_API_KEY"} {
		if os.Getenv(name) != "" {
			key.env = name
		}
	}
	return base, key, base != "" || key.env != ""
}
