package manifest

// This file makes actions of the lines of a list that say how they are called, in the form that manifests have for it.
// What an action is made of is kept with its entry as text, so that it need not be made before it is called.

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"

	"go.yaml.in/yaml/v3"

	"almanac/catalog"
	"almanac/catalog/tree"
)

// A recipe is what a call of an entry needs.
type recipe struct {
	HTTP json.RawMessage `json:"http,omitempty"`
	MCP  json.RawMessage `json:"mcp,omitempty"`
}

// callable gives an entry its action. An error leaves it as it was.
func (d *outside) callable(e *catalog.Entry, r *record) error {
	if len(r.HTTP) > 0 && len(r.MCP) > 0 {
		return errors.New("want one of http and mcp, got both")
	}
	made := *e
	n, err := nodeOf(r.HTTP)
	if len(r.MCP) > 0 {
		n, err = nodeOf(r.MCP)
	}
	if err != nil {
		return err
	}
	if len(r.MCP) > 0 {
		err = d.tool(&made, n, r.Mutates)
	} else {
		err = d.request(&made, n, r.Mutates)
	}
	if err != nil {
		return err
	}
	if made.Mutates {
		byName(&made, r.Risk != "")
	}
	text, err := json.Marshal(recipe{r.HTTP, r.MCP})
	if err != nil {
		return err
	}
	made.Recipe, made.Sealed = string(text), true
	*e = made
	return nil
}

// attach gives an entry that comes from the cache its action, which is made when it is first called.
func (d *outside) attach(e *catalog.Entry) {
	if e.Recipe == "" {
		return
	}
	text, read := e.Recipe, !e.Mutates
	made := sync.OnceValues(func() (catalog.Entry, error) { return d.remade(text, read) })
	e.Action = func(ctx context.Context, call catalog.Call) (catalog.Result, error) {
		e, err := made()
		if err != nil {
			return catalog.Result{}, err
		}
		return e.Action(ctx, call)
	}
	if e.Preview = nil; read || strings.HasPrefix(text, `{"mcp"`) {
		return
	}
	e.Preview = func(ctx context.Context, call catalog.Call) (string, error) {
		e, err := made()
		if err != nil {
			return "", err
		}
		return e.Preview(ctx, call)
	}
}

// remade makes the functions of an entry of its recipe.
func (d *outside) remade(text string, read bool) (e catalog.Entry, err error) {
	var r recipe
	if err := json.Unmarshal([]byte(text), &r); err != nil {
		return e, err
	}
	if len(r.MCP) > 0 {
		n, err := nodeOf(r.MCP)
		if err != nil {
			return e, err
		}
		name, config, err := toolOf(n)
		if err != nil {
			return e, err
		}
		server, err := d.servers.Server(config)
		if err != nil {
			return e, fmt.Errorf("mcp: %w", err)
		}
		e.Action = server.Tool(name, read)
		return e, nil
	}
	n, err := nodeOf(r.HTTP)
	if err != nil {
		return e, err
	}
	a, _, err := d.requestOf(n)
	if err == nil {
		e.Action, e.Preview = a.run, a.preview
	}
	return e, err
}

// kept is what health needs of a list that is not read.
func (d *outside) kept() []byte {
	d.mu.Lock()
	defer d.mu.Unlock()
	text, _ := json.Marshal(listed{d.all, d.needs}) // it has nothing that fails
	return text
}

// A listed is how many entries a list has, and what the calls of some need.
type listed struct {
	All   int
	Needs []needed
}

// recall makes ready what calls of a list need that was read at an earlier start.
func (d *outside) recall(kept []byte) (attach func(*catalog.Entry), notes []catalog.Skip, err error) {
	var l listed
	if err := json.Unmarshal(kept, &l); err != nil {
		return nil, nil, err
	}
	for _, n := range l.Needs {
		d.vault.Expect(n.Auth)
		if n.Server == "" {
			continue
		}
		if _, err := d.servers.Server([]byte(n.Server)); err != nil {
			return nil, nil, err
		}
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.all, d.needs = l.All, l.Needs
	return d.attach, nil, nil
}

// literal reports whether the list has secrets that stand in it themselves, so that nothing made of it may be kept.
func (d *outside) literal() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, n := range d.needs {
		if n.Server == "" {
			continue
		}
		if s, err := d.servers.Server([]byte(n.Server)); err != nil || s.Literal() {
			return true
		}
	}
	return false
}

// nodeOf is JSON as the YAML that manifests are made of. Its nodes have no lines.
func nodeOf(text []byte) (*yaml.Node, error) {
	if len(text) == 0 {
		return nil, errors.New("nothing there")
	}
	n, err := tree.Parse(text)
	if err != nil {
		return nil, err
	}
	return tree.ToYAML(n), nil
}
