package mcp

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"unicode"

	"almanac/catalog"
	"almanac/catalog/lua"
	"almanac/catalog/text"
	"almanac/catalog/verb"
)

// maxSegments is how many bytes of an id a name may take; the source's name and a suffix need room too.
const maxSegments = 180

// dotted converts a name to a path of lower-case segments: "getUser" is get_user, "github/list-issues" is
// github.list_issues. Letters of other scripts stay: call("tools.日本語", {...}). It is empty if the name has no letter
// or digit.
func dotted(name string) string {
	var segments []string
	for _, part := range strings.FieldsFunc(text.Clean(name), func(r rune) bool {
		return strings.ContainsRune("./:", r)
	}) {
		if s := segment(part); s != "" {
			segments = append(segments, s)
		}
	}
	return shorten(strings.Join(segments, "."), name)
}

// segment converts a part of a name to one lower-case segment, a Lua name if its letters are Latin; empty if nothing of
// it is usable.
func segment(name string) string {
	name = strings.Join(verb.Terms(text.Clean(name)), "_")
	_, reserved := lua.Keyword(name)
	switch {
	case name == "":
	case unicode.IsDigit(rune(name[0])):
		name = "_" + name
	case reserved:
		name += "_"
	}
	return name
}

func shorten(path, name string) string {
	if len(path) <= maxSegments {
		return path
	}
	return strings.TrimRight(text.HeadBytes(path, maxSegments), "._") + "_" + mark(name)
}

// mark is a short suffix that depends on the name alone, so that it is stable when other names come and go.
func mark(name string) string {
	sum := sha256.Sum256([]byte(name))
	return hex.EncodeToString(sum[:3])
}

// A naming gives every name of a server its own id, independent of their order.
type naming struct {
	source string // how the server's source is written, for the report
	prefix string
	flat   bool            // every name is one segment, as those of files should be
	taken  map[string]bool // ids of others
}

func (n *naming) path(name string) string {
	if n.flat {
		return shorten(segment(name), name)
	}
	return dotted(name)
}

// assign returns an id for each name, in their order. Names that collide get a mark, except one spelt like the id;
// names must differ. renamed lists the ids with a mark.
func (n *naming) assign(names []string) (ids []string, renamed []catalog.Skip) {
	wanted := map[string]int{}
	for _, name := range names {
		wanted[n.path(name)]++
	}
	for _, name := range names {
		path := n.path(name)
		plain := n.prefix + path
		id, why := plain, ""
		switch {
		case path == "":
			id, why = n.prefix+"_"+mark(name), "its name has no letters"
		case n.taken[plain], wanted[path] > 1 && path != name:
			id, why = plain+"_"+mark(name), "another has the id "+plain
		}
		for n.taken[id] {
			id += "_"
		}
		n.taken[id] = true
		ids = append(ids, id)
		if why != "" {
			renamed = append(renamed, catalog.Skip{ID: id, Source: n.source, Reason: "the name " + clean(name, 100) + ": " +
				why})
		}
	}
	return ids, renamed
}

// clean is a server's text, made harmless, in at most n bytes.
func clean(s string, n int) string { return text.ClipBytes(text.Clean(s), n) }

// made is the description of a tool that its server does not describe, from its name and its arguments.
func made(name string, input *catalog.Schema) string {
	words := text.Capital(strings.Join(verb.Terms(name), " "))
	var needs []string
	for _, f := range input.Fields() {
		if f.Required && len(needs) < 4 {
			needs = append(needs, f.Name)
		}
	}
	if len(needs) > 0 {
		words += ", with " + clean(strings.Join(needs, ", "), 200)
	}
	return words + ". " + catalog.Undescribed
}
