package manifest

// This file turns a line into an entry.

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"almanac/catalog"
	"almanac/catalog/text"
	"almanac/catalog/tree"
	"almanac/catalog/verb"
)

// A record is a line of the file.
type record struct {
	ID           string          `json:"id"`
	Name         string          `json:"name"`
	Title        string          `json:"title"`
	Namespace    []string        `json:"namespace"`
	Description  string          `json:"description"`
	Tags         []string        `json:"tags"`
	Aliases      []string        `json:"aliases"`
	Entities     []string        `json:"entities"`
	Input        json.RawMessage `json:"input"`
	OutputFields []string        `json:"output_fields"`
	Operation    string          `json:"operation"`
	Endpoint     string          `json:"endpoint"`
	Mutates      *bool           `json:"mutates"`
	Risk         string          `json:"risk"`
	Category     string          `json:"category"`
	Version      string          `json:"version"`
	Strict       bool            `json:"strict"`
	HTTP         json.RawMessage `json:"http"`
	MCP          json.RawMessage `json:"mcp"`
	// What only manifests have.
	Data json.RawMessage `json:"data"`
	Lua  json.RawMessage `json:"lua"`
	SQL  json.RawMessage `json:"sql"`
}

// A decoder reads lines, and shares what many of them have. It is for one goroutine.
type decoder struct {
	schemas map[string]*catalog.Schema // that are whole in their lines, by their text
	objects catalog.ObjectWriter
	words   map[string]string // tags, segments of namespaces and the like, by their JSON
	fields  map[string]field  // by their JSON
	outside *outside          // what calls reach; nil allows none
	// reused
	text   []byte
	names  []string
	values []json.RawMessage
	found  []field
	items  []json.RawMessage // of a list
	member fieldMembers
}

// newDecoder has room for what differs in n lines: growing a map hashes all that it has anew.
func newDecoder(n int) *decoder {
	n = min(n, mostKept)
	return &decoder{schemas: map[string]*catalog.Schema{}, words: map[string]string{}, fields: make(map[string]field, n)}
}

// record reads a line as json.Unmarshal does, or reports false for one that it had better read: it is wrong, or writes
// names in another way.
func (d *decoder) record(line []byte) (r record, ok bool) {
	known := true
	ok = tree.ValidMembers(line, func(name string, value json.RawMessage) { known = known && d.set(&r, name, value) })
	return r, ok && known
}

func (d *decoder) set(r *record, name string, value []byte) bool {
	switch name {
	case "id":
		return setText(&r.ID, value)
	case "name":
		return setText(&r.Name, value)
	case "title":
		return setText(&r.Title, value)
	case "description":
		return setText(&r.Description, value)
	case "operation":
		return setText(&r.Operation, value)
	case "endpoint":
		return setText(&r.Endpoint, value)
	case "risk":
		return setText(&r.Risk, value)
	case "category":
		r.Category = d.word(value)
		return value[0] == '"'
	case "version":
		r.Version = d.word(value)
		return value[0] == '"'
	case "namespace":
		return d.setList(&r.Namespace, value)
	case "tags":
		return d.setList(&r.Tags, value)
	case "aliases":
		return d.setList(&r.Aliases, value)
	case "entities":
		return d.setList(&r.Entities, value)
	case "output_fields":
		return d.setList(&r.OutputFields, value)
	case "input":
		r.Input = value
		return true
	case "http", "mcp", "data", "lua", "sql":
		parts := map[string]*json.RawMessage{"http": &r.HTTP, "mcp": &r.MCP, "data": &r.Data, "lua": &r.Lua, "sql": &r.SQL}
		*parts[name] = value
		return true
	}
	return !slices.ContainsFunc(recordNames, func(known string) bool { return strings.EqualFold(known, name) })
}

// recordNames are the names of a record's members.
var recordNames = []string{
	"id", "name", "title", "namespace", "description", "tags", "aliases", "entities", "input", "output_fields",
	"operation",
	"endpoint", "mutates", "risk", "category", "version", "strict", "http", "mcp", "data", "lua", "sql",
}

func setText(to *string, value []byte) bool {
	*to = unquote(value)
	return value[0] == '"'
}

// unquote is tree.Unquote for valid UTF-8.
func unquote(raw []byte) string {
	if len(raw) < 2 || raw[0] != '"' || bytes.IndexByte(raw, '\\') >= 0 {
		return tree.Unquote(raw)
	}
	return string(raw[1 : len(raw)-1])
}

func (d *decoder) setList(to *[]string, value []byte) bool {
	if value[0] != '[' {
		return false
	}
	s := tree.Scan(value)
	items := s.AppendList(d.items[:0])
	d.items = items
	list := make([]string, len(items))
	for i, item := range items {
		if item[0] != '"' {
			return false
		}
		list[i] = d.word(item)
	}
	*to = list
	return true
}

// word is the text of a JSON string that others may have too.
func (d *decoder) word(raw []byte) string {
	word, ok := d.words[string(raw)]
	if ok {
		return word
	}
	if len(d.words) >= mostKept {
		clear(d.words)
	}
	word = unquote(raw)
	d.words[string(raw)] = word
	return word
}

// entry reads a line. mended says what of it could not be kept.
func (d *decoder) entry(line []byte) (e catalog.Entry, mended []string, err error) {
	if !utf8.Valid(line) {
		line = bytes.ToValidUTF8(line, []byte("\ufffd"))
		mended = append(mended, "invalid UTF-8 was replaced")
	}
	r, ok := d.record(line)
	if !ok {
		r = record{}
		if err := json.Unmarshal(line, &r); err != nil {
			return catalog.Entry{ID: r.ID}, nil, plainError(err)
		}
	}
	e = catalog.Entry{
		ID: r.ID, Title: r.Title, Description: r.Description, Namespace: r.Namespace, Tags: r.Tags, Aliases: r.Aliases,
		Entities: r.Entities, Operation: catalog.Operation(strings.ToLower(r.Operation)),
		Category: r.Category, Version: r.Version, Strict: r.Strict,
	}
	if err := catalog.CheckID(e.ID); err != nil {
		return e, nil, err
	}
	if strings.ContainsRune(e.ID, utf8.RuneError) {
		return e, nil, errors.New("the id is not valid UTF-8")
	}
	if err := r.onlyInManifests(); err != nil {
		return e, nil, err
	}
	if len(e.Description) > maxDescription {
		mended = append(mended, fmt.Sprintf("the description was cut from %d to %d bytes", len(e.Description),
			maxDescription))
		e.Description = strings.Clone(text.HeadBytes(e.Description, maxDescription))
	}
	if !d.said(e.ID, r.Name) {
		e.Aliases = append(e.Aliases[:len(e.Aliases):len(e.Aliases)], r.Name)
	}
	switch risk := catalog.Risk(strings.ToLower(r.Risk)); risk {
	case "", catalog.Low, catalog.Medium, catalog.High:
		e.Risk = risk
	default:
		e.Risk = catalog.High
		mended = append(mended, fmt.Sprintf("the risk %q counts as high", text.HeadBytes(r.Risk, 40)))
	}
	e.Mutates = mutates(&r)
	if e.Input, err = d.inputSchema(r.Input); err != nil {
		e.Input = openSchema()
		mended = append(mended, "the input was dropped: "+err.Error())
	}
	e.Output = d.outputSchema(r.OutputFields)
	if len(r.HTTP)+len(r.MCP) > 0 && d.outside != nil {
		if err := d.outside.callable(&e, &r); err != nil {
			mended = append(mended, "it cannot be called: "+err.Error())
		}
	}
	return e, mended, nil
}

// onlyInManifests refuses the parts of an action that a line cannot have: dropped, they would leave an entry that looks
// as if it lacked them.
func (r *record) onlyInManifests() error {
	for _, part := range []struct {
		name string
		text json.RawMessage
	}{{"data", r.Data}, {"lua", r.Lua}, {"sql", r.SQL}} {
		if len(part.text) > 0 && string(part.text) != "null" {
			return fmt.Errorf("%s: a line cannot have it: declare this action in a manifest (.yaml), or give the line an http "+
				"or an mcp part instead", part.name)
		}
	}
	return nil
}

// plainError is a JSON error without the names of Go.
func plainError(err error) error {
	var wrong *json.UnmarshalTypeError
	if errors.As(err, &wrong) {
		if wrong.Field == "" {
			return fmt.Errorf("want an object, got %s", wrong.Value)
		}
		return fmt.Errorf("%s: got %s", wrong.Field, wrong.Value)
	}
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) {
		return fmt.Errorf("column %d: %w", syntax.Offset, err)
	}
	return err
}

// said reports whether the id already contains the name, whatever separates its words.
func (d *decoder) said(id, name string) bool {
	d.text = appendLetters(d.text[:0], id)
	n := len(d.text)
	d.text = appendLetters(d.text, name)
	return bytes.Contains(d.text[:n], d.text[n:])
}

// appendLetters appends the letters and digits of s, and all that is not ASCII, in lower case.
func appendLetters(b []byte, s string) []byte {
	for i := range len(s) {
		switch c := s[i]; {
		case c >= utf8.RuneSelf:
			return append(b, strings.Map(func(r rune) rune {
				if r < utf8.RuneSelf && !('a' <= r && r <= 'z' || '0' <= r && r <= '9') {
					return -1
				}
				return r
			}, strings.ToLower(s[i:]))...)
		case 'A' <= c && c <= 'Z':
			b = append(b, c+'a'-'A')
		case 'a' <= c && c <= 'z', '0' <= c && c <= '9':
			b = append(b, c)
		}
	}
	return b
}

// mutates reports whether a call may change anything: as the line says, else as its operation implies, else as its name
// and method suggest. Without evidence the action counts as a mutation.
func mutates(r *record) bool {
	if r.Mutates != nil {
		return *r.Mutates
	}
	if r.Operation != "" {
		return !strings.EqualFold(r.Operation, string(catalog.Read))
	}
	method, path, _ := strings.Cut(r.Endpoint, " ")
	return method != "" && !verb.Safe(method) ||
		verb.Infer(verb.Hints{Method: method, Path: path, Names: []string{cmp.Or(r.Name, r.ID)}, Text: r.Description}).Mutates
}
