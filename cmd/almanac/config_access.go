// This file reads what the [sources.NAME] tables of the user's file say of requests: credentials, headers, parameters.

package main

import (
	"fmt"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"time"

	"almanac/catalog/search/spelling"
	"almanac/catalog/secret"
	"almanac/catalog/source"
	"almanac/catalog/web"
	"almanac/catalog/web/login"
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
	case "ca", "cert", "key":
		into := map[string]*string{
			"ca": &t.access.Certificate.CA, "cert": &t.access.Certificate.Cert, "key": &t.access.Certificate.Key}
		if *into[key] = said; !filepath.IsAbs(said) {
			return "", "want the whole path of a file with PEM, such as \"/etc/ssl/shop.pem\""
		}
		return said, ""
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
		text, ok := table[name].(string)
		if err := web.CheckHeader(name, text); err != nil && key == "headers" {
			return "", err.Error()
		}
		if ok {
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
	case isEnv && secret.NamesVariable(env):
		at.Env, name = env, env
	case isKeyring && secret.NamesEntry(keyring):
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
	const want = `want {bearer = VALUE}, {user = VALUE, password = VALUE}, {login = {...}} or {aws = {...}}; a key goes ` +
		`under headers or query: `
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
	case "[aws]":
		return t.takeAWS(table["aws"])
	case "[login]":
		return t.takeLogin(table["login"])
	default:
		return want + valueHint
	}
	return message
}

// takeAWS reads what requests are signed for, and with whose keys: those that AWS's programs use, a profile's, a
// program's, or values.
func (t *sourceTable) takeAWS(value any) (message string) {
	table, ok := value.(map[string]any)
	if !ok {
		return "aws: want a table, of region, service, profile, command, access_key_id, secret_access_key and session_token"
	}
	var a web.AWS
	names, from := make([]string, 3), map[string]bool{}
	for _, key := range slices.Sorted(maps.Keys(table)) {
		said, isText := table[key].(string)
		switch key {
		case "region", "service", "profile":
			*map[string]*string{"region": &a.Region, "service": &a.Service, "profile": &a.Profile}[key] = said
			if !isText || strings.Trim(said, " ") == "" {
				return "aws." + key + ": want a text"
			}
			if key == "profile" {
				from[key] = true
			}
		case "command":
			if a.Command, ok = texts(table[key]); !ok || len(a.Command) == 0 || a.Command[0] == "" {
				return `aws.command: want a program, such as ["aws", "configure", "export-credentials"]`
			}
			from[key] = true
		case "access_key_id", "secret_access_key", "session_token":
			i := slices.Index([]string{"access_key_id", "secret_access_key", "session_token"}, key)
			if names[i], message = t.secret("auth.aws."+key, table[key]); message != "" {
				return "aws." + key + ": " + message
			}
			from["values"] = true
		default:
			return "aws." + key + ": unknown key: want region, service, profile, command, access_key_id, secret_access_key " +
				"or session_token"
		}
	}
	switch {
	case len(from) > 1:
		return "aws: keys come from a profile, a command or access_key_id and secret_access_key: name one of these"
	case from["values"] && (names[0] == "" || names[1] == ""):
		return "aws: access_key_id and secret_access_key go together: set both"
	case !from["values"]:
		names = nil
	}
	t.access.Auth = []web.Auth{{Kind: web.SigV4, Names: names, AWS: a}}
	return ""
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

// sourceless lists the user's tables that belong to no source. named are those with a name, as for unusable. loud are
// those to be told at every start: others may be of sources that other command lines name.
func (cli *commandLine) sourceless(named map[string]string) (loud, quiet []string) {
	names := slices.Concat(slices.Collect(maps.Keys(named)), slices.Collect(maps.Keys(cli.usable)))
	names = slices.DeleteFunc(names, func(name string) bool { return name == "" || name == ownActions })
	slices.Sort(names)
	catalog, _ := cli.config.setting("catalog")
	_, from, _ := cli.config.from(catalog)
	own := !cli.origins["catalog"] && cli.config.user.path != "" && strings.HasPrefix(from, cli.config.user.path)
	for _, t := range cli.config.user.sources {
		if slices.Contains(names, t.name) || t.onlyReads() {
			continue
		}
		near := spelling.Nearest(t.name, names)
		if near != "" {
			near = ": did you mean " + near + "?"
		}
		for _, text := range cli.sourceNames() {
			name, spec := source.Split(text)
			file := strings.TrimSuffix(filepath.Base(spec), filepath.Ext(spec))
			if file = file[strings.LastIndex(file, ":")+1:]; name == "" && file == t.name {
				near = ": did you mean " + kinds().Shown(t.name+"="+spec) + "?"
			}
		}
		line := fmt.Sprintf("%s: sources.%s has no effect: no source has this name%s",
			at(cli.config.user, configValue{line: t.line}), t.name, near)
		if own || near != "" {
			loud = append(loud, line)
		} else {
			quiet = append(quiet, line)
		}
	}
	return loud, quiet
}

// onlyReads tells that the table says of no requests; what its reads do not match is reported with the sources.
func (t *sourceTable) onlyReads() bool {
	return !t.trustHints && t.base == "" && reflect.DeepEqual(t.access, web.Access{}) &&
		reflect.DeepEqual(t.login, loginTable{})
}

// A loginTable is how almanac login makes itself known, as [sources.NAME.auth.login] says.
type loginTable struct {
	login.Client
	secret string // the name that the client secret is looked up by; empty for none
}

// takeLogin reads it.
func (t *sourceTable) takeLogin(value any) (message string) {
	table, ok := value.(map[string]any)
	if !ok {
		return "login: want a table, of issuer, client_id, client_secret, scopes, redirect and grant"
	}
	for _, key := range slices.Sorted(maps.Keys(table)) {
		said, _ := table[key].(string)
		switch key {
		case "issuer":
			if t.login.Issuer, ok = said, isAddress(said); !ok {
				return "login.issuer: want an address, such as \"https://login.example.com\""
			}
		case "client_id":
			if t.login.ID = said; said == "" {
				return "login.client_id: want a text"
			}
		case "client_secret":
			if t.login.secret, message = t.secret("auth.login."+key, table[key]); message != "" {
				return "login.client_secret: " + message
			}
		case "scopes":
			if t.login.Scopes, ok = texts(table[key]); !ok {
				return "login.scopes: want a list of texts"
			}
		case "redirect":
			u, err := url.Parse(said)
			if t.login.Redirect = said; err != nil || u.Scheme != "http" || !login.Secure(u) {
				return "login.redirect: want an address of this machine, such as \"http://127.0.0.1:8765/callback\""
			}
		case "grant":
			if t.login.Grant = said; !slices.Contains(login.Grants(), said) {
				return "login.grant: want one of " + strings.Join(login.Grants(), ", ")
			}
		default:
			return "login." + key + ": unknown key: want issuer, client_id, client_secret, scopes, redirect or grant"
		}
	}
	return ""
}

// client is how almanac login makes itself known to the source's server.
func (t *sourceTable) client() login.Client {
	c := t.login.Client
	if name := t.login.secret; name != "" {
		v := web.NewVault(os.Getenv, web.Keyring)
		v.From(t.access.Secrets)
		c.Secret = func() (string, error) {
			value, ok := v.Value(name)
			if !ok {
				return "", fmt.Errorf("%s has no value", name)
			}
			return value, nil
		}
	}
	return c
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

// access is what the user's file says of the requests of a source, whose kind has a use for the keys, and its login.
func (cli *commandLine) access(name string, keys ...string) web.Access {
	if cli.usable == nil {
		cli.usable = map[string][]string{}
	}
	cli.usable[name] = append(cli.usable[name], keys...)
	access := web.Access{}
	if t := cli.config.source(name); t != nil {
		access = t.access
	}
	access.Login = cli.logins.Of(name)
	return access
}
