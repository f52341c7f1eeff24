// This file reads the [sources.NAME] tables of the configuration.

package main

import (
	"cmp"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"

	"almanac/catalog/mcp"
	"almanac/catalog/pattern"
	"almanac/catalog/source"
	"almanac/catalog/web"
)

// A sourceTable is one [sources.NAME] table.
type sourceTable struct {
	name  string
	line  int
	reads []pattern.Pattern
	// trustHints believes what the server says of its tools.
	trustHints bool
	// roots tells the server of the folder that the program works in.
	roots bool
	base  string
	// protocol is the version that is spoken with an MCP server first; empty: one with a handshake.
	protocol string
	// overlays are files that change the source's document.
	overlays []string
	access   web.Access
	login    loginTable
}

const sourcesKey = "sources."

// sourceKeys are the keys of a table.
var sourceKeys = []string{
	"allow", "auth", "base", "ca", "cert", "headers", "key", "overlay", "protocol", "query", "reads", "roots",
	"timeout", "trust_hints",
}

// takeSources reads the sources table of a file. Its keys become values of the file, so that they are shown, and
// approved where a project's need that.
func (f *configFile) takeSources(value any, lines map[string]int) (errs []*keyError) {
	tables, ok := value.(map[string]any)
	if !ok {
		return []*keyError{{Line: lines["sources"], Key: "sources", Message: "want tables: [sources.NAME]"}}
	}
	for _, name := range slices.Sorted(maps.Keys(tables)) {
		at := sourcesKey + name
		table, ok := tables[name].(map[string]any)
		if !ok {
			errs = append(errs, &keyError{Line: lines[at], Key: at, Message: "want a table: [sources.NAME]"})
			continue
		}
		if given, _ := source.Split(name + "=x"); given == "" {
			errs = append(errs, &keyError{Line: lines[at], Key: at,
				Message: "want the name of a source: small letters, digits and _"})
			continue
		}
		t := sourceTable{name: name, line: lines[at]}
		for _, key := range slices.Sorted(maps.Keys(table)) {
			if err := t.take(f, key, table[key], lines); err != nil {
				err.Key, err.Line = at+"."+err.Key, cmp.Or(lines[at+"."+key], lines[at])
				errs = append(errs, err)
			}
		}
		f.sources = append(f.sources, t)
	}
	return errs
}

// take sets one key.
func (t *sourceTable) take(f *configFile, key string, value any, lines map[string]int) *keyError {
	at := sourcesKey + t.name
	v := configValue{line: cmp.Or(lines[at+"."+key], lines[at])}
	switch key {
	case "reads":
		var err error
		if v.list, v.many = texts(value); v.many {
			t.reads, err = pattern.ParseAll(v.list)
		}
		if !v.many || err != nil {
			return &keyError{Key: key, Message: "want patterns of ids below the name, such as [\"*.get\"]" + because(err)}
		}
	case "roots", "trust_hints":
		is, ok := value.(bool)
		if !ok {
			return &keyError{Key: key, Message: "want true or false"}
		}
		*map[string]*bool{"roots": &t.roots, "trust_hints": &t.trustHints}[key] = is
		v.text = strconv.FormatBool(is)
	case "protocol":
		v.text, _ = value.(string)
		if !slices.Contains(mcp.Protocols(), v.text) {
			return &keyError{Key: key, Message: "want the version to speak first: " + strings.Join(mcp.Protocols(), " or ")}
		}
		t.protocol = v.text
	case "overlay":
		if v.list, v.many = texts(value); !v.many || slices.Contains(v.list, "") {
			return &keyError{Key: key, Message: "want files of OpenAPI Overlays, such as [\"mine.yaml\"]"}
		}
		for _, file := range v.list {
			t.overlays = append(t.overlays, beside(*f, file))
		}
	case "allow", "auth", "base", "ca", "cert", "headers", "key", "query", "timeout":
		var message string
		if v.text, message = t.takeAccess(key, value); message != "" {
			return &keyError{Key: key, Message: message}
		}
	default:
		return &keyError{Key: key, Message: "unknown key" + nearWord(key, sourceKeys),
			hint: "the keys are " + strings.Join(sourceKeys, ", ")}
	}
	f.values[at+"."+key] = v
	return nil
}

// reads are the actions that the person says only read. A project's file has to be approved for that.
func (c *config) reads() source.Reads {
	all := source.Reads{}
	for i, f := range []configFile{c.user, c.project} {
		for _, t := range f.sources {
			if len(t.reads) > 0 && (i == 0 || !slices.Contains(c.unapproved, sourcesKey+t.name+".reads")) {
				all[t.name] = append(all[t.name], t.reads...)
			}
		}
	}
	return all
}

// trustsHints reports whether the person trusts what the server of the source says of its tools.
func (c *config) trustsHints(name string) bool {
	trusts := func(t sourceTable) bool { return t.name == name && t.trustHints }
	return slices.ContainsFunc(c.user.sources, trusts) || slices.ContainsFunc(c.project.sources, trusts) &&
		!slices.Contains(c.unapproved, sourcesKey+name+".trust_hints")
}

// overlays are the files that change the document of a source.
func (cli *commandLine) overlays(name string) []string {
	if t := cli.config.source(name); t != nil {
		return t.overlays
	}
	return nil
}

// protocol is the version of MCP that is spoken with the server of the source first; empty has none.
func (cli *commandLine) protocol(name string) string {
	if t := cli.config.source(name); t != nil {
		return t.protocol
	}
	return ""
}

// roots are the folders that the server of the source is told of: where the person says so, the current one.
func (c *config) roots(name string) []string {
	tells := func(t sourceTable) bool { return t.name == name && t.roots }
	dir, err := os.Getwd()
	if err != nil || !slices.ContainsFunc(c.user.sources, tells) {
		return nil
	}
	return []string{dir}
}

// sourceRows are the tables as almanac config shows them.
func (f configFile) sourceRows() (rows []configured) {
	for _, key := range slices.Sorted(maps.Keys(f.values)) {
		if strings.HasPrefix(key, sourcesKey) {
			rows = append(rows, configured{key, shownValues(key, f.values[key].String()), at(f, f.values[key])})
		}
	}
	return rows
}
