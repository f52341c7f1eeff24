package manifest

// This file makes actions of single tools of MCP servers.

import (
	"cmp"

	"go.yaml.in/yaml/v3"

	"almanac/catalog"
	"almanac/catalog/mcp"
	"almanac/catalog/tree"
)

// A served is the mcp part of a declaration: a server as other programs configure it, and one of its tools.
type served struct {
	Tool    string    `yaml:"tool"`
	Type    string    `yaml:"type"`
	Command string    `yaml:"command"`
	Args    yaml.Node `yaml:"args"`
	Env     yaml.Node `yaml:"env"`
	Dir     string    `yaml:"cwd"`
	URL     string    `yaml:"url"`
	Headers yaml.Node `yaml:"headers"`
}

// tool makes an action of a tool of an MCP server, which is started or connected to when a call first needs it. It
// counts as a write unless mutates says otherwise.
func (d *outside) tool(e *catalog.Entry, n *yaml.Node, mutates *bool) error {
	name, config, err := toolOf(n)
	if err != nil {
		return err
	}
	server, err := d.servers.Server(config)
	if err != nil {
		return tree.FaultAt(n, "mcp: %v", err)
	}
	does := mcp.Infer(name, e.Description)
	if e.Mutates = does.Mutates; mutates != nil {
		e.Mutates = *mutates
	}
	if e.Mutates && does.Mutates {
		e.Operation, e.Risk = cmp.Or(e.Operation, does.Operation), cmp.Or(e.Risk, does.Risk)
	}
	if e.Input == nil {
		e.Input = openSchema()
	}
	e.Target, e.Timeout = server.Target(name), cmp.Or(e.Timeout, d.access.Timeout)
	d.want(e.ID, need{Server: server.Key()})
	e.Action = server.Tool(name, !e.Mutates)
	return nil
}

// toolOf reads the name of a tool and the configuration of its server, as JSON.
func toolOf(n *yaml.Node) (tool string, config []byte, err error) {
	var s served
	if err := decode(n, "mcp", &s); err != nil {
		return "", nil, err
	}
	if s.Tool == "" {
		return "", nil, tree.FaultAt(n, "mcp: tool is missing: want the name of a tool of the server")
	}
	value, err := treeOf(n)
	if err != nil {
		return "", nil, err
	}
	return s.Tool, value.AppendJSON(nil), nil
}
