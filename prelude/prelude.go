// Package prelude holds the built-in functions that are written in Lua: the helpers every session starts with.
//
//	Chunk   one embedded Lua file
//	Chunks  all of them, in the order they are loaded
//	Doc     the documentation line of one function, from host.doc
//	Docs    all of them
//
// Each chunk runs once when a machine is created. Its argument `host` is a table of host functions that scripts cannot
// reach; the globals it sets are visible to every script. help.lua loads last: it reads the one-line docs that
// `host.doc` registered. Start at functional.lua.
package prelude

import (
	"embed"
	"fmt"
	"regexp"
	"strconv"
)

//go:embed *.lua
var files embed.FS

// A Chunk is one Lua source text of the prelude.
type Chunk struct {
	Name, Source string
}

// Chunks returns the chunks in load order; the slice belongs to the caller.
func Chunks() []Chunk {
	names := []string{"functional", "text", "parallel", "compose", "catalog", "files", "chart", "help"}
	chunks := make([]Chunk, 0, len(names))
	for _, name := range names {
		source, err := files.ReadFile(name + ".lua")
		if err != nil {
			panic(fmt.Sprintf("prelude %s: not embedded: %v", name, err))
		}
		chunks = append(chunks, Chunk{Name: "prelude/" + name, Source: string(source)})
	}
	return chunks
}

// A Doc is what a function was given by host.doc: how it is called, and what it does.
type Doc struct{ Form, Text string }

var docLine = regexp.MustCompile(`(?m)^\s*host\.doc\(("(?:[^"\\]|\\.)*"), ("(?:[^"\\]|\\.)*")\)$`)

// Docs returns the docs of all chunks, read from their sources: those that are written out there.
func Docs() []Doc {
	var docs []Doc
	for _, c := range Chunks() {
		for _, m := range docLine.FindAllStringSubmatch(c.Source, -1) {
			form, err := strconv.Unquote(m[1])
			text, err2 := strconv.Unquote(m[2])
			if err == nil && err2 == nil {
				docs = append(docs, Doc{form, text})
			}
		}
	}
	return docs
}
