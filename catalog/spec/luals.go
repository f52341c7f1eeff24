package spec

// This file writes specs as annotations for the Lua language server (LuaLS), which other tools and models read too:
// https://luals.github.io/wiki/annotations/.

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"almanac/catalog/lua"
	"almanac/catalog/text"
	"almanac/catalog/tree"
)

const (
	// maxClassNest is how many levels of nested shapes become classes; below they are plain tables.
	maxClassNest = 6
	maxClasses   = 60
	// maxTypes is how many parts of a schema are read; the rest becomes any.
	maxTypes = 2000
)

// specLuaLS is an entry as a function with a class for each shape. A shape that contains itself refers to its own
// class.
func specLuaLS(e *Action) string {
	var a annotator
	params, ret := "", ""
	if e.Input != nil {
		if len(e.Input.Fields()) > 0 {
			params = a.class(e.Input, e.Input, luaPath(e.ID)+".args", 0)
		} else if o := e.Input.root(); string(o.additional) != "false" {
			params = "table<string, any>"
		}
	}
	if e.Output != nil {
		ret = a.typeOf(e.Output, e.Output, luaPath(e.ID)+".result", 0)
	}
	var b strings.Builder
	for _, class := range a.classes {
		b.WriteString(class + "\n")
	}
	about := text.ClipRunes(text.OneLine(e.Description), 400)
	if about != "" {
		b.WriteString("---" + about + "\n")
	}
	b.WriteString("---Safety: " + safety(e) + "\n")
	if label := e.label(); label != "" {
		b.WriteString("---" + strings.ToUpper(label[:1]) + label[1:] + "\n")
	}
	for _, s := range e.Warnings {
		if !strings.Contains(about, s) {
			b.WriteString("---" + s + "\n")
		}
	}
	name := "args"
	if params == "" {
		name = ""
	} else {
		optional := "?"
		if slices.ContainsFunc(e.Input.Fields(), func(p Property) bool { return p.Required }) {
			optional = ""
		}
		for _, p := range e.Input.Fields() {
			if p.Name == e.Lone {
				params += "|" + a.typeOf(e.Input, p.Text, "", 0)
			}
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
	}, text.ClipRunes(text.OneLine(name), 120))
}

// class writes the class of an object's shape and returns its name.
func (a *annotator) class(d Document, part []byte, name string, depth int) string {
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
	o, _ := d.Plain(part)
	lines := []string{"---@class " + name}
	for _, p := range d.FieldsOf(o) {
		lines = append(lines, a.field(d, p, name, depth))
	}
	a.classes[at] = strings.Join(lines, "\n") + "\n"
	a.path = a.path[:len(a.path)-1]
	return name
}

func (a *annotator) field(d Document, p Property, class string, depth int) string {
	o, _ := d.Plain(p.Text)
	name := lua.Key(text.OneLine(p.Name))
	optional := ""
	if !p.Required {
		optional = "?"
	}
	line := fmt.Sprintf("---@field %s%s %s", name, optional, a.typeOf(d, p.Text, class+"."+luaPath(p.Name), depth+1))
	about := firstSentence(o.Description, 120)
	if o.Default != nil {
		about = strings.TrimSpace(about + " Default " + text.ClipRunes(text.OneLine(string(o.Default)), 60) + ".")
	}
	if about != "" {
		line += " # " + about
	}
	return line
}

// typeOf is the type of a part; the shapes inside it become classes that begin with name.
func (a *annotator) typeOf(d Document, part []byte, name string, depth int) string {
	if a.types++; a.types > maxTypes || depth > 2*maxClassNest {
		return "any"
	}
	o, nullable := d.Plain(part)
	kind := a.bareType(d, o, part, name, depth)
	if nullable && kind != "any" && kind != "nil" {
		kind += "|nil"
	}
	return kind
}

func (a *annotator) bareType(d Document, o Outline, part []byte, name string, depth int) string {
	switch {
	case o.Constant != nil:
		return literalType([]json.RawMessage{o.Constant})
	case len(o.Enum) > 0:
		return literalType(o.Enum)
	case o.IsList() && o.Items == nil:
		return "any[]"
	case o.IsList():
		item := a.typeOf(d, o.Items, name, depth+1)
		if strings.Contains(item, "|") {
			item = "(" + item + ")"
		}
		return item + "[]"
	case len(o.anyOf) > 1 && len(o.Props) == 0:
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
	case len(d.FieldsOf(o)) > 0:
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
			word = lua.Quote(text.OneLine(tree.Unquote(raw)))
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
