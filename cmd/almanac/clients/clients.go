// Package clients reads and edits the configuration files in which programs name the MCP servers that they start.
//
//	Client  a program: where its file is, and how it writes a server
//	File    one such file: Names, With, Without, Hide
//	Server  a server as most programs write it
//
// Start with Find and Client.Open.
package clients

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"almanac/catalog/secret"
)

// A Client is a program that starts MCP servers which a file of its own names.
type Client struct {
	Name, Title string
	// user is the file of the person, project that of a folder; "" has none.
	user, project string
	// table is the key of the servers.
	table string
	// write is what an entry of a server holds; read is the entry as a Server, nil if it is one.
	write func(Server) any
	read  func(entry json.RawMessage) (Server, error)
}

// A Server is one that a command starts, or that is at an address, in the form of mcpServers.
type Server struct {
	Type    string            `json:"type,omitempty"`
	Command string            `json:"command,omitempty"`
	Args    []string          `json:"args,omitempty"`
	Env     map[string]string `json:"env,omitempty"`
	Dir     string            `json:"cwd,omitempty"`
	URL     string            `json:"url,omitempty"`
	Headers map[string]string `json:"headers,omitempty"`
	// Disabled ones are listed and not started.
	Disabled bool `json:"disabled,omitempty"`
}

// All are the clients that are known, in the order in which they are listed. The paths are those of this system.
func All() []Client {
	home, _ := os.UserHomeDir()
	configs, _ := os.UserConfigDir()
	plain := func(s Server) any { return s }
	typed := func(s Server) any {
		s.Type = "stdio"
		return s
	}
	opencode := filepath.Join(cmp.Or(os.Getenv("XDG_CONFIG_HOME"), filepath.Join(home, ".config")), "opencode")
	return []Client{
		{Name: "claude", Title: "Claude Code",
			user:    filepath.Join(cmp.Or(os.Getenv("CLAUDE_CONFIG_DIR"), home), ".claude.json"),
			project: ".mcp.json", table: "mcpServers", write: typed},
		{Name: "claude-desktop", Title: "Claude Desktop",
			user:  filepath.Join(configs, "Claude", "claude_desktop_config.json"),
			table: "mcpServers", write: plain},
		{Name: "cursor", Title: "Cursor", user: filepath.Join(home, ".cursor", "mcp.json"),
			project: filepath.Join(".cursor", "mcp.json"), table: "mcpServers", write: plain},
		{Name: "codex", Title: "Codex",
			user:    filepath.Join(cmp.Or(os.Getenv("CODEX_HOME"), filepath.Join(home, ".codex")), "config.toml"),
			project: filepath.Join(".codex", "config.toml"), table: "mcp_servers", write: plain, read: fromCodex},
		{Name: "vscode", Title: "Visual Studio Code", user: filepath.Join(configs, "Code", "User", "mcp.json"),
			project: filepath.Join(".vscode", "mcp.json"), table: "servers", write: typed},
		{Name: "opencode", Title: "opencode", user: filepath.Join(opencode, "opencode.json"), project: "opencode.json",
			table: "mcp", write: toOpencode, read: fromOpencode},
	}
}

// Find is the client called name.
func Find(name string) (Client, bool) {
	all := All()
	i := slices.IndexFunc(all, func(c Client) bool { return c.Name == name })
	if i < 0 {
		return Client{}, false
	}
	return all[i], true
}

// Path is where the client's file is: the person's, or the one of the folder project. It need not exist.
func (c Client) Path(project string) (string, error) {
	path := c.user
	if project != "" {
		if c.project == "" {
			return "", fmt.Errorf("%s has no file of a project", c.Title)
		}
		path = filepath.Join(project, c.project)
	}
	if path == "" || !filepath.IsAbs(path) {
		return "", errors.New("the home folder is not known: set HOME")
	}
	if comments := path + "c"; filepath.Ext(comments) == ".jsonc" {
		if _, err := os.Stat(comments); err == nil {
			path = comments
		}
	}
	return path, nil
}

// maxFile is the size of the largest file that is read, in bytes.
const maxFile = 64 << 20

// A File is the text of a client's file. It is not changed.
type File struct {
	Text   string
	client Client
	edit   editor
	// servers are the entries of the table of servers as JSON, by name; rest is everything else.
	servers map[string]json.RawMessage
	rest    map[string]any
}

// An editor takes entries out of a text and adds some, and leaves all else as it is written.
type editor interface {
	// decode reads the text.
	decode(text string) (map[string]any, error)
	// cut takes the entry called name out of the table, and returns what was taken.
	cut(text, table, name string) (rest, taken string, err error)
	// add writes an entry: as cut has taken it, or, where it is fresh, in the layout of the text.
	add(text, table, name, entry string, fresh bool) (string, error)
	// written is an entry as add takes it.
	written(table, name string, entry any) (string, error)
}

// Open reads the file at path. A file that does not exist is an empty one.
func (c Client) Open(path string) (File, error) {
	if info, err := os.Stat(path); err == nil && (!info.Mode().IsRegular() || info.Size() > maxFile) {
		return File{}, fmt.Errorf("%s: not a regular file of at most %d MB", path, maxFile>>20)
	}
	text, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return File{}, err
	}
	f, err := c.Parse(string(text))
	if err != nil {
		return File{}, fmt.Errorf("%s: %w", path, err)
	}
	return f, nil
}

// Parse is Open of a text.
func (c Client) Parse(text string) (File, error) {
	f := File{Text: text, client: c, edit: jsonEditor{}, servers: map[string]json.RawMessage{}}
	if filepath.Ext(c.user) == ".toml" {
		f.edit = tomlEditor{}
	}
	if strings.HasPrefix(text, "\ufeff") {
		return File{}, errors.New("it begins with a byte-order mark: save it without")
	}
	all, err := f.edit.decode(text)
	if err != nil {
		return File{}, err
	}
	table, found := all[c.table]
	servers, ok := table.(map[string]any)
	if found && !ok {
		return File{}, fmt.Errorf("%s: want a table of servers", c.table)
	}
	for name, entry := range servers {
		if f.servers[name], err = json.Marshal(entry); err != nil {
			return File{}, fmt.Errorf("%s.%s: %w", c.table, name, err)
		}
	}
	delete(all, c.table)
	f.rest = all
	return f, nil
}

// Names are the names of the servers, sorted.
func (f File) Names() []string { return slices.Sorted(maps.Keys(f.servers)) }

// Server is the entry called name in the form of mcpServers, with whatever other keys it has. An entry that says which
// tools are offered is an error: nobody else would know.
func (f File) Server(name string) (json.RawMessage, error) {
	var keys map[string]json.RawMessage
	_ = json.Unmarshal(f.servers[name], &keys)
	for _, key := range slices.Sorted(maps.Keys(keys)) {
		if strings.Contains(strings.ToLower(key), "tools") {
			return nil, fmt.Errorf("%s would not be kept", key)
		}
	}
	if f.client.read == nil {
		return f.servers[name], nil
	}
	s, err := f.client.read(f.servers[name])
	if err != nil {
		return nil, err
	}
	return json.Marshal(s)
}

// Without is the file without the server called name, and the text of its entry.
func (f File) Without(name string) (File, string, error) {
	text, taken, err := f.edit.cut(f.Text, f.client.table, name)
	if err != nil {
		return f, "", err
	}
	want := maps.Clone(f.servers)
	delete(want, name)
	is, err := f.edited(text, want)
	return is, taken, err
}

// With is the file with a server more. A name that is there already is an error.
func (f File) With(name string, s Server) (File, error) {
	entry, err := f.edit.written(f.client.table, name, f.client.write(s))
	if err != nil {
		return f, err
	}
	return f.with(name, entry, true)
}

// Again is the file with an entry that Without has taken.
func (f File) Again(name, entry string) (File, error) { return f.with(name, entry, false) }

func (f File) with(name, entry string, fresh bool) (File, error) {
	if _, there := f.servers[name]; there {
		return f, fmt.Errorf("%s.%s is there already", f.client.table, name)
	}
	text, err := f.edit.add(f.Text, f.client.table, name, entry, fresh)
	if err != nil {
		return f, err
	}
	is, err := f.client.Parse(text)
	if err != nil {
		return f, errByHand
	}
	want := maps.Clone(f.servers)
	want[name] = is.servers[name]
	return f.edited(text, want)
}

var errByHand = errors.New("the edit would change something else: edit the file by hand")

// edited is the file with the text, if its servers are those of want and nothing else is changed.
func (f File) edited(text string, want map[string]json.RawMessage) (File, error) {
	is, err := f.client.Parse(text)
	if err != nil || !reflect.DeepEqual(is.servers, want) || !reflect.DeepEqual(is.rest, f.rest) {
		return f, errByHand
	}
	return is, nil
}

// Hide takes secrets out of a text that shows the file: of the servers the values of variables and headers, what
// addresses and flags carry; of all else what has the name of a secret or looks like one, and what addresses carry.
func (f File) Hide(text string) string {
	text = hideData(text, "", f.rest)
	for _, entry := range f.servers {
		var e struct {
			URL, Command, Args        any
			Env, Environment, Headers map[string]any
			HTTPHeaders               map[string]any `json:"http_headers"`
		}
		if json.Unmarshal(entry, &e) != nil {
			continue
		}
		var hidden []string
		for _, values := range []map[string]any{e.Env, e.Environment, e.Headers, e.HTTPHeaders} {
			for _, v := range values {
				if s := fmt.Sprint(v); len(s) >= 4 && !strings.HasPrefix(s, "$") {
					hidden = append(hidden, s)
				}
			}
		}
		words := append(texts(e.Command), texts(e.Args)...)
		_, values := secret.Command(words)
		for _, word := range words { // one may be a command line for a shell
			_, inside := secret.Command(strings.Fields(word))
			values = append(values, inside...)
		}
		hidden = append(hidden, values...)
		for _, word := range append(words, texts(e.URL)...) {
			shown, _ := secret.Address(word)
			text = replaced(text, word, shown)
		}
		for _, value := range hidden {
			text = replaced(text, value, secret.Hidden)
		}
	}
	return text
}

// hideData takes secrets of a value that is called name out of a text.
func hideData(text, name string, value any) string {
	switch value := value.(type) {
	case map[string]any:
		for key, item := range value {
			text = hideData(text, key, item)
		}
	case []any:
		for _, item := range value {
			text = hideData(text, name, item)
		}
	case string:
		shown, _ := secret.Address(value)
		switch hidden := secret.Suspicious(name, value); {
		case hidden && len(value) < 12: // a short one may be a word that stands elsewhere too
			for _, quote := range []string{`"`, `'`} {
				text = replaced(text, quote+value+quote, quote+secret.Hidden+quote)
			}
		case hidden:
			text = replaced(text, value, secret.Hidden)
		default:
			text = replaced(text, value, shown)
		}
	}
	return text
}

// replaced is text with another value in the place of one, also as it stands in JSON.
func replaced(text, value, by string) string {
	if value == by || value == "" {
		return text
	}
	quoted, _ := json.Marshal(value)
	return strings.ReplaceAll(strings.ReplaceAll(text, string(quoted[1:len(quoted)-1]), by), value, by)
}

func texts(v any) (all []string) {
	switch v := v.(type) {
	case string:
		return []string{v}
	case []any:
		for _, item := range v {
			all = append(all, texts(item)...)
		}
	}
	return all
}
