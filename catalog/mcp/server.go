package mcp

import (
	"cmp"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"

	"almanac/catalog/secret"
	"almanac/catalog/source"
	"almanac/catalog/web/login"
)

// An endpoint is how to reach one MCP server: Command or URL, never both.
type endpoint struct {
	// Name is the first segment of the ids of its actions.
	Name string
	// Source is the server as the person wrote it: "memory=mcp:npx -y server-memory", without secret values. Entries and
	// reports carry it.
	Source string
	// Command and its arguments start a server that communicates over standard input and output. No shell is involved.
	Command []string
	// Env is the environment of the process beside PATH and HOME.
	Env map[string]string
	// Dir is the working directory of the process; empty means the current one.
	Dir string
	// URL is a server over HTTP: streamable HTTP, or the older SSE if SSE is set.
	URL string
	SSE bool
	// Header is sent with every request to URL, and to no other host.
	Header map[string]string
	// Secrets are values that must never be shown: tokens and values of environment variables.
	Secrets []string

	depth int // see depthVariable
}

// check fails if s is invalid.
func (s endpoint) check() error {
	switch {
	case segment(s.Name) != s.Name || s.Name == "":
		return fmt.Errorf("the name %q: use lower-case letters, digits and _", s.Name)
	case (len(s.Command) == 0) == (s.URL == ""):
		return errors.New("give a command or a URL")
	case s.URL == "":
		return nil
	}
	u, err := url.Parse(s.URL)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return fmt.Errorf("the URL %q: want http://HOST/PATH or https://HOST/PATH", clean(s.URL, 200))
	}
	if !login.Secure(u) && len(s.Secrets) > 0 {
		return fmt.Errorf("%s: a token must not go over plain http to another machine: use https", u.Host)
	}
	return nil
}

// parseCommand reads a command line: words with quotes as in a shell, but no shell. NAME=VALUE words in front go into
// the environment; there $NAME, ${NAME} and ${env:NAME} stand for a variable of the environment that getenv reads, and
// its value is a secret. An empty name is made from the command.
func parseCommand(name, line string, getenv func(string) (string, bool)) (endpoint, error) {
	s := endpoint{Env: map[string]string{}}
	words, err := split(line)
	if err != nil {
		return endpoint{}, err
	}
	_, literal := secret.Command(words)
	s.Source = source.Ref{Name: name}.As(shown(line))
	x := expander{getenv: getenv}
	for len(words) > 0 {
		key, value, ok := strings.Cut(words[0], "=")
		if !ok || !secret.IsVariable(key) {
			break
		}
		if s.Env[key], err = x.expand(strings.TrimPrefix(value, secret.Marked)); err != nil {
			return endpoint{}, err
		}
		words = words[1:]
	}
	if len(words) == 0 {
		return endpoint{}, errors.New("no command: write mcp:COMMAND ARGS")
	}
	if strings.HasPrefix(words[0], ":") {
		return endpoint{},
			fmt.Errorf("%q is not a command: write mcp:COMMAND ARGS or mcp:FILE.json, with one colon", words[0])
	}
	s.Command, s.Secrets = words, append(x.secrets, literal...)
	s.Name = cmp.Or(name, commandName(words))
	return s, s.check()
}

// shown is mcp:COMMAND without the values that were written into it.
func shown(line string) string {
	words, err := split(line)
	if err != nil {
		return "mcp:" + secret.Hidden
	}
	shown, _ := secret.Command(words)
	if slices.Equal(shown, words) {
		return "mcp:" + line
	}
	return "mcp:" + strings.Join(shown, " ")
}

// parseURL reads the address of a server that speaks streamable HTTP. A fragment #bearer=NAME names the variable of the
// environment that holds the token; it is not sent as part of the address. An empty name is derived from the host.
func parseURL(name, text string, getenv func(string) (string, bool)) (endpoint, error) {
	shown, literal := secret.Place(text)
	s := endpoint{Source: source.Ref{Name: name}.As("mcp+http:" + shown)}
	address, fragment, marked := strings.Cut(text, "#")
	s.URL = address
	u, err := url.Parse(address)
	if err != nil {
		return endpoint{}, errors.New("invalid URL")
	}
	s.Name = cmp.Or(name, hostName(u.Hostname()))
	if marked {
		variable, ok := strings.CutPrefix(fragment, "bearer=")
		if !ok || !secret.NamesVariable(variable) {
			return endpoint{}, errors.New("the part behind # is not shown, since it may be a secret: want #bearer=NAME, where " +
				"NAME is a variable of the environment that holds the token")
		}
		token, set := getenv(variable)
		if !set || token == "" {
			return endpoint{}, fmt.Errorf("the variable %s is not set: it must hold the token", variable)
		}
		s.Header = map[string]string{"Authorization": "Bearer " + token}
		s.Secrets = []string{token}
	}
	if _, has := u.User.Password(); has {
		return endpoint{}, errors.New("the URL has a password in it: put a token into the environment and write #bearer=NAME")
	}
	if err := s.check(); err != nil {
		return endpoint{}, err
	}
	s.Secrets = append(s.Secrets, literal...)
	return s, nil
}

// split splits a command line into words. Single quotes keep everything, double quotes all but backslash and quote.
func split(line string) ([]string, error) {
	var words []string
	var word strings.Builder
	quote, started := rune(0), false
	runes := []rune(line)
	for i := 0; i < len(runes); i++ {
		r := runes[i]
		switch {
		case quote != 0 && r == quote:
			quote = 0
		case r == '\\' && quote != '\'' && i+1 < len(runes) && strings.ContainsRune(`\"' `, runes[i+1]):
			i++
			word.WriteRune(runes[i])
			started = true
		case quote != 0:
			word.WriteRune(r)
		case r == '\'' || r == '"':
			quote, started = r, true
		case strings.ContainsRune(" \t\r\n", r):
			if started {
				words = append(words, word.String())
				word.Reset()
			}
			started = false
		default:
			word.WriteRune(r)
			started = true
		}
	}
	if quote != 0 {
		return nil, fmt.Errorf("the command has an unclosed %c", quote)
	}
	if started {
		words = append(words, word.String())
	}
	return words, nil
}

// launchers are words of a command that do not identify the server.
var launchers = []string{
	"npx", "uvx", "bunx", "pnpm", "npm", "yarn", "exec", "dlx", "run", "node", "python", "python3", "bun", "deno",
	"docker",
	"podman", "go", "sh", "env",
}

// commandName derives a name from a command: "npx -y @org/server-memory@1.2 dir" gives memory.
func commandName(words []string) string {
	for _, word := range words {
		word = strings.ReplaceAll(word, `\`, "/")
		if strings.HasPrefix(word, "-") || slices.Contains(launchers, strings.TrimSuffix(path.Base(word), ".exe")) {
			continue
		}
		for ; word != "." && word != "/"; word = path.Dir(word) {
			if s := packageName(path.Base(word)); s != "" {
				return s
			}
		}
	}
	return "mcp"
}

// packageName derives a name from a part of a path; empty if that is generic, such as "index.js" and "dist".
func packageName(base string) string {
	for _, sign := range []string{"@", ":"} {
		if i := strings.LastIndex(base, sign); i > 0 {
			base = base[:i]
		}
	}
	base = strings.TrimSuffix(base, path.Ext(base))
	if slices.Contains([]string{"index", "main", "server", "cli", "app", "dist", "build", "src", "bin", "out", "lib"},
		base) {
		return ""
	}
	for _, affix := range []string{"mcp-server-", "mcp_server_", "server-", "mcp-"} {
		base = strings.TrimPrefix(base, affix)
	}
	for _, affix := range []string{"-mcp-server", "-server", "-mcp"} {
		base = strings.TrimSuffix(base, affix)
	}
	return segment(base)
}

// hostName derives a name from a host: "mcp.linear.app" gives linear.
func hostName(host string) string {
	if net.ParseIP(host) != nil || host == "localhost" {
		return "mcp"
	}
	labels := strings.Split(host, ".")
	labels = slices.DeleteFunc(labels, func(l string) bool { return slices.Contains([]string{"mcp", "api", "www"}, l) })
	if len(labels) > 1 {
		return cmp.Or(segment(labels[len(labels)-2]), "mcp")
	}
	return cmp.Or(segment(strings.Join(labels, "_")), "mcp")
}

// An expander replaces variables in configuration and collects their values, which are secrets.
type expander struct {
	getenv  func(string) (string, bool)
	dir     string // the value of ${workspaceFolder}
	secrets []string
}

var variable = regexp.MustCompile(`\$\{[^}]*\}`)

// expand replaces ${NAME}, ${env:NAME} and ${NAME:-default}; an unset variable without a default is an error.
func (x *expander) expand(text string) (string, error) {
	var wrong error
	out := variable.ReplaceAllStringFunc(text, func(match string) string {
		name := strings.TrimPrefix(match[2:len(match)-1], "env:")
		name, fallback, has := strings.Cut(name, ":-")
		switch name {
		case "workspaceFolder":
			return x.dir
		case "userHome":
			home, _ := os.UserHomeDir()
			return home
		case "pathSeparator", "/":
			return string(os.PathSeparator)
		}
		if !secret.IsVariable(name) {
			wrong = cmp.Or(wrong, fmt.Errorf("%s: want an environment variable: write ${NAME} or ${env:NAME}", clean(match, 60)))
			return ""
		}
		value, set := x.getenv(name)
		if (!set || value == "") && has {
			return fallback
		}
		if !set {
			wrong = cmp.Or(wrong, fmt.Errorf("the variable %s is not set", name))
		}
		if len(value) >= minSecret && !slices.Contains([]string{"HOME", "PATH", "USER", "PWD"}, name) {
			x.secrets = append(x.secrets, value)
		}
		return value
	})
	return out, wrong
}

// minSecret is the shortest value of a variable that counts as a secret: redacting shorter ones would spoil texts.
const minSecret = 6
