// This file reads what the [sources.NAME] tables of the user's file say of requests: credentials, headers, parameters.

package main

import (
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
	"time"

	"almanac/catalog/web"
)

const valueHint = `say where the value is: {env = "VARIABLE"}, {keyring = "NAME"} or {command = ["PROGRAM", "ARG"]}`

// takeAccess sets a key that says how requests are made; message says why it cannot.
func (t *sourceTable) takeAccess(key string, value any) (shown, message string) {
	said, _ := value.(string)
	switch key {
	case "base":
		if t.base = said; !isAddress(said) {
			return "", "want the address of a server, such as \"https://api.example.com/v1\""
		}
		return said, ""
	case "timeout":
		d, err := time.ParseDuration(said)
		if t.access.Timeout = d; err != nil || d <= 0 {
			return "", "want a duration like \"10s\" or \"1m30s\""
		}
		return said, ""
	case "allow":
		list, ok := texts(value)
		if t.access.Allow = list; !ok || slices.ContainsFunc(list, func(s string) bool { return !isAddress(s) }) {
			return "", "want addresses of further servers, such as [\"https://files.example.com\"]; " +
				"actions are allowed by allow outside of a table"
		}
		return strings.Join(list, ", "), ""
	case "auth":
		return "set", t.takeAuth(value)
	}
	table, ok := value.(map[string]any)
	if !ok {
		return "", "want a table: {NAME = \"text\"} or {NAME = {env = \"VARIABLE\"}}"
	}
	place, plain := "header", &t.access.Header
	if key == "query" {
		place, plain = "query", &t.access.Query
	}
	if *plain == nil {
		*plain = map[string]string{}
	}
	for _, name := range slices.Sorted(maps.Keys(table)) {
		if text, ok := table[name].(string); ok {
			if secretKey.MatchString(strings.ReplaceAll(name, "-", "_")) || strings.EqualFold(name, "cookie") {
				return "", name + ": secrets do not belong in this file: " + valueHint
			}
			(*plain)[name] = text
			continue
		}
		from, message := t.secret(key+"."+name, table[name])
		if message != "" {
			return "", name + ": " + message
		}
		t.access.Always = append(t.access.Always, web.Auth{
			Kind: web.Key, Place: place, Field: name, Names: []string{from},
		})
	}
	return strings.Join(slices.Sorted(maps.Keys(table)), ", "), ""
}

func isAddress(s string) bool {
	u, err := url.Parse(s)
	return err == nil && u.Host != "" && u.User == nil && (u.Scheme == "http" || u.Scheme == "https")
}

// secret reads where a value is, and returns the name that it is looked up by.
func (t *sourceTable) secret(key string, value any) (name, message string) {
	table, ok := value.(map[string]any)
	if !ok || len(table) != 1 {
		return "", valueHint
	}
	at := web.Secret{}
	env, isEnv := table["env"].(string)
	keyring, isKeyring := table["keyring"].(string)
	command, isCommand := texts(table["command"])
	switch {
	case isEnv && envName.MatchString(env):
		at.Env, name = env, env
	case isKeyring && keyring != "":
		at.Keyring, name = keyring, keyring
	case isCommand && len(command) > 0 && command[0] != "":
		at.Command, name = command, sourcesKey+t.name+"."+key
	default:
		return "", valueHint
	}
	if t.access.Secrets == nil {
		t.access.Secrets = map[string]web.Secret{}
	}
	if have, twice := t.access.Secrets[name]; twice && have.Env != at.Env {
		name = sourcesKey + t.name + "." + key
	}
	t.access.Secrets[name] = at
	return name, ""
}

// takeAuth reads the credential that replaces those that the source asks for.
func (t *sourceTable) takeAuth(value any) (message string) {
	const want = `want {bearer = VALUE} or {user = VALUE, password = VALUE}; a key goes under headers or query: `
	table, ok := value.(map[string]any)
	if !ok {
		return want + valueHint
	}
	read := func(key string) (name string) {
		if message == "" {
			if name, message = t.secret("auth."+key, table[key]); message != "" {
				message = key + ": " + message
			}
		}
		return name
	}
	switch fmt.Sprint(slices.Sorted(maps.Keys(table))) {
	case "[bearer]":
		t.access.Auth = []web.Auth{{Kind: web.Bearer, Names: []string{read("bearer")}}}
	case "[password user]":
		t.access.Auth = []web.Auth{{Kind: web.Basic, Names: []string{read("user"), read("password")}}}
	default:
		return want + valueHint
	}
	return message
}

// unusable lists the keys of the user's tables that the sources of these names, which have been opened, have no use
// for.
func (cli *commandLine) unusable(names map[string]string) (all []string) {
	for _, row := range cli.config.user.sourceRows() {
		name, key, _ := strings.Cut(strings.TrimPrefix(row.Key, sourcesKey), ".")
		_, named := names[name]
		takes, opened := cli.usable[name]
		if key == "reads" || !named && !opened || slices.Contains(takes, key) {
			continue
		}
		use := "its kind of source takes no such keys"
		if len(takes) > 0 {
			slices.Sort(takes)
			use = "its kind of source takes " + strings.Join(slices.Compact(takes), ", ")
		}
		all = append(all, fmt.Sprintf("%s: %s has no effect: %s", row.From, row.Key, use))
	}
	return all
}

// source is the user's table of a source; nil where there is none.
func (c *config) source(name string) *sourceTable {
	for i := range c.user.sources {
		if c.user.sources[i].name == name && name != "" {
			return &c.user.sources[i]
		}
	}
	return nil
}

// access is what the user's file says of the requests of a source, whose kind has a use for the keys.
func (cli *commandLine) access(name string, keys ...string) web.Access {
	if cli.usable == nil {
		cli.usable = map[string][]string{}
	}
	cli.usable[name] = append(cli.usable[name], keys...)
	if t := cli.config.source(name); t != nil {
		return t.access
	}
	return web.Access{}
}
