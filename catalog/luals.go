package catalog

// This file writes specs as annotations for the Lua language server (LuaLS), which other tools and models read too:
// https://luals.github.io/wiki/annotations/.

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"almanac/catalog/lua"
)

const (
	// maxClassNest is how many levels of nested shapes become classes; below they are plain tables.
	maxClassNest = 6
	maxClasses   = 60
	// maxTypes is how many parts of a schema are looked at; the rest is any.
	maxTypes = 2000
)

// specLuaLS is an entry as a function with a class for each shape. A shape that contains itself refers to its own class.
func specLuaLS(e *Entry) string {
	var a annotator
	params, ret := "", ""
	if e.Input != nil {
		if _, props := e.Input.fields(); len(props) > 0 {
			params = a.class(document(e.Input.text), e.Input.text, luaPath(e.ID)+".args", 0)
		} else if _, o := e.Input.outline(); string(o.additional) != "false" {
			params = "table<string, any>"
		}
	}
	if e.Output != nil {
		ret = a.typeOf(document(e.Output.text), e.Output.text, luaPath(e.ID)+".result", 0)
	}
	var b strings.Builder
	for _, class := range a.classes {
		b.WriteString(class + "\n")
	}
	about := clip(oneLine(e.Description), 400)
	if about != "" {
		b.WriteString("---" + about + "\n")
	}
	b.WriteString("---Safety: " + safety(e) + "\n")
	for _, s := range Warnings(e) {
		if !strings.Contains(about, s) {
			b.WriteString("---" + s + "\n")
		}
	}
	name := "args"
	if params == "" {
		name = ""
	} else {
		optional := "?"
		if _, props := e.Input.fields(); slices.ContainsFunc(props, func(p property) bool { return p.required }) {
			optional = ""
		}
		fmt.Fprintf(&b, "---@param args%s %s\n", optional, params)
	}
	if ret != "" {
		b.WriteString("---@return " + ret + "\n")
	}
	if call := lua.Call(e.ID, ""); !strings.HasPrefix(call, "call(") {
		fmt.Fprintf(&b, "function %s(%s) end", e.ID, name)
	} else {
		arg := name
		if arg == "" {
			arg = "{}"
		}
		fmt.Fprintf(&b, "local function action(%s) return %s end", name, lua.Call(e.ID, arg))
	}
	return b.String()
}

// An annotator writes the classes of one entry, the outer ones first.
type annotator struct {
	classes []string
	names   []string
	path    []openClass
	types   int
}

// An openClass is one that is being written.
type openClass struct{ text, name string }

// luaPath is a dotted name of letters, digits and "_".
func luaPath(name string) string {
	return strings.Map(func(r rune) rune {
		if r == '.' || r == '_' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' {
			return r
		}
		return '_'
	}, clip(oneLine(name), 120))
}

// class writes the class of an object's shape and returns its name.
func (a *annotator) class(d document, part []byte, name string, depth int) string {
	for _, open := range a.path {
		if open.text == string(part) {
			return open.name
		}
	}
	if depth >= maxClassNest || len(a.classes) >= maxClasses {
		return "table"
	}
	for n := 2; slices.Contains(a.names, name); n++ {
		name = fmt.Sprintf("%s_%d", strings.TrimRight(name, "_0123456789"), n)
	}
	a.names = append(a.names, name)
	a.path = append(a.path, openClass{string(part), name})
	at := len(a.classes)
	a.classes = append(a.classes, "")
	o, _ := d.plain(part)
	lines := []string{"---@class " + name}
	for _, p := range d.fields(o) {
		lines = append(lines, a.field(d, p, name, depth))
	}
	a.classes[at] = strings.Join(lines, "\n") + "\n"
	a.path = a.path[:len(a.path)-1]
	return name
}

func (a *annotator) field(d document, p property, class string, depth int) string {
	o, _ := d.plain(p.text)
	name := lua.Key(oneLine(p.name))
	optional := ""
	if !p.required {
		optional = "?"
	}
	line := fmt.Sprintf("---@field %s%s %s", name, optional, a.typeOf(d, p.text, class+"."+luaPath(p.name), depth+1))
	text := firstSentence(o.description, 120)
	if o.dflt != nil {
		text = strings.TrimSpace(text + " Default " + clip(oneLine(string(o.dflt)), 60) + ".")
	}
	if text != "" {
		line += " # " + text
	}
	return line
}

// typeOf is the type of a part; the shapes inside it become classes that begin with name.
func (a *annotator) typeOf(d document, part []byte, name string, depth int) string {
	if a.types++; a.types > maxTypes || depth > 2*maxClassNest {
		return "any"
	}
	o, nullable := d.plain(part)
	kind := a.bareType(d, o, part, name, depth)
	if nullable && kind != "any" && kind != "nil" {
		kind += "|nil"
	}
	return kind
}

func (a *annotator) bareType(d document, o outline, part []byte, name string, depth int) string {
	switch {
	case o.constant != nil:
		return literalType([]json.RawMessage{o.constant})
	case len(o.enum) > 0:
		return literalType(o.enum)
	case o.list() && o.items == nil:
		return "any[]"
	case o.list():
		item := a.typeOf(d, o.items, name, depth+1)
		if strings.Contains(item, "|") {
			item = "(" + item + ")"
		}
		return item + "[]"
	case len(o.anyOf) > 1 && len(o.props) == 0:
		var kinds []string
		for _, branch := range o.anyOf[:min(len(o.anyOf), 8)] {
			if kind := a.typeOf(d, branch, name, depth+1); !slices.Contains(kinds, kind) {
				kinds = append(kinds, kind)
			}
		}
		if slices.Contains(kinds, "any") {
			return "any"
		}
		return strings.Join(kinds, "|")
	case len(d.fields(o)) > 0:
		return a.class(d, part, name, depth)
	case len(o.additional) > 0 && o.additional[0] == '{':
		return "table<string, " + a.typeOf(d, o.additional, name, depth+1) + ">"
	}
	var kinds []string
	for _, kind := range o.types {
		switch kind {
		case "object":
			kind = "table"
		case "array":
			kind = "any[]"
		case "null":
			kind = "nil"
		case "string", "integer", "number", "boolean":
		default:
			kind = "any"
		}
		if kind != "nil" || len(o.types) == 1 {
			kinds = append(kinds, kind)
		}
	}
	if len(kinds) == 0 {
		return "any"
	}
	return strings.Join(kinds, "|")
}

// literalType are values as a type: "open"|"paid"|3.
func literalType(values []json.RawMessage) string {
	var words []string
	for i, raw := range values {
		if i == 20 {
			return strings.Join(append(words, valueWord(raw)), "|")
		}
		word := valueWord(raw)
		if raw[0] == '"' && len(raw) <= 60 {
			word = lua.Quote(oneLine(text(raw)))
		} else if raw[0] == 't' || raw[0] == 'f' || raw[0] == '-' || raw[0] >= '0' && raw[0] <= '9' {
			word = string(raw)
		}
		if !slices.Contains(words, word) {
			words = append(words, word)
		}
	}
	return strings.Join(words, "|")
}

// valueWord is the LuaLS type of a JSON value.
func valueWord(raw []byte) string {
	switch valueType(raw) {
	case "str":
		return "string"
	case "int":
		return "integer"
	case "num":
		return "number"
	case "bool":
		return "boolean"
	case "null":
		return "nil"
	}
	return "table"
}
