// This file makes sources of MCP servers.

package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"almanac/catalog"
	"almanac/catalog/mcp"
	"almanac/catalog/source"
)

// mcpSources are the servers that mcp:COMMAND, mcp+http:URL or mcp:FILE.json names; as, which may be empty, is the name
// of the only one. Nothing is started yet.
func (cli *commandLine) mcpSources(as, kind, rest string) ([]source.Source, error) {
	if kind == "mcp+http" {
		s, err := mcp.ParseURL(as, rest, os.LookupEnv)
		if err != nil {
			return nil, err
		}
		return mcpSource(s)
	}
	if filepath.Ext(rest) == ".json" && !strings.ContainsAny(rest, " \t") {
		return cli.mcpFile(rest)
	}
	s, err := mcp.ParseCommand(as, rest, os.LookupEnv)
	if err != nil {
		return nil, err
	}
	return mcpSource(s)
}

// mcpFile are the servers of a file as other clients write it. Those that cannot be used are left out, for the doctor to tell.
func (cli *commandLine) mcpFile(file string) ([]source.Source, error) {
	servers, skipped, err := mcp.ReadConfig(file, os.LookupEnv)
	if err != nil {
		return nil, err
	}
	var all []source.Source
	for _, s := range servers {
		one, err := mcpSource(s)
		if errors.Is(err, mcp.ErrNested) {
			return nil, err
		}
		if err != nil {
			skipped = append(skipped, catalog.Skip{ID: s.Name, Source: file, Reason: err.Error()})
			continue
		}
		all = append(all, one...)
	}
	if len(all) == 0 {
		cli.tell("skipped", skipped)
		return nil, fmt.Errorf("no server of it can be used")
	}
	if len(skipped) > 0 {
		cli.leftOut = append(cli.leftOut, source.Status{
			Name: "mcp:" + file, State: source.Ready, Found: len(skipped), Skipped: skipped,
		})
	}
	return all, nil
}

func mcpSource(s mcp.Server) ([]source.Source, error) {
	depth, err := mcp.Depth(os.LookupEnv)
	if err != nil {
		return nil, err
	}
	src, err := mcp.New(s, mcp.Options{Version: version, Depth: depth})
	if err != nil {
		return nil, err
	}
	return []source.Source{{
		Name: src.Name(), Load: src.Load, Watch: src.Watch, Health: src.Health, Secrets: src.Secrets, Close: src.Close,
	}}, nil
}
