package openapi

// This file writes the schemas of a document as self-contained JSON Schema: what they refer to is copied under $defs,
// within limits.

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"almanac/catalog/spec"
	"almanac/catalog/text"
	"almanac/catalog/tree"
)

const (
	// maxInput and maxOutput bound the text of a schema in bytes; anything beyond is left open and accepts any value.
	maxInput  = 48 << 10
	maxOutput = 12 << 10
	// maxNesting bounds how deep a schema may nest without references.
	maxNesting = 24
	// maxEnum bounds an enumeration in bytes.
	maxEnum = 4 << 10
	// topText and innerText bound the descriptions of arguments and of their parts, in bytes.
	topText   = 800
	innerText = 160
)

// An emitter writes one schema.
type emitter struct {
	d        *document
	patterns map[string]bool // which patterns can be checked; shared by all emitters of a document
	output   bool
	limit    int
	b        []byte
	names    map[*tree.Node]string
	taken    map[string]bool
	waiting  []*tree.Node
	// cut counts the places left open for lack of room, lost those that cannot be followed or checked.
	cut, lost int
}

func newEmitter(d *document, patterns map[string]bool, output bool) *emitter {
	e := &emitter{d: d, patterns: patterns, output: output, limit: maxInput, names: map[*tree.Node]string{},
		taken: map[string]bool{}}
	if output {
		e.limit = maxOutput
	}
	return e
}

// A spot is the emitter's place in a schema.
type spot struct {
	depth int
	// trail holds the reference targets that already apply here.
	trail []*tree.Node
	// bare leaves out choices that lead back to the trail.
	bare bool
	// hidden are names excluded in this direction.
	hidden map[string]bool
	// extra are required names that are described nowhere.
	extra []string
	// keepDefault allows a default.
	keepDefault bool
	room        int // for the description
}

func (s spot) deeper() spot {
	return spot{depth: s.depth + 1, room: innerText}
}

func (e *emitter) raw(s string) { e.b = append(e.b, s...) }

// name begins a member of an object.
func (e *emitter) name(name string) {
	if c := e.b[len(e.b)-1]; c != '{' {
		e.b = append(e.b, ',')
	}
	e.b = append(tree.Quote(e.b, name), ':')
}

func (e *emitter) comma() {
	if c := e.b[len(e.b)-1]; c != '[' {
		e.b = append(e.b, ',')
	}
}

// schema writes the schema of n.
func (e *emitter) schema(n *tree.Node, at spot) {
	if n.Is(tree.Boolean) {
		e.raw(n.Text)
		return
	}
	if !n.Is(tree.Object) {
		e.raw("{}")
		return
	}
	if len(e.b) > e.limit || at.depth > maxNesting {
		e.cut++
		e.raw("{}")
		return
	}
	if ref := n.Get("$ref"); ref.Is(tree.Text) {
		e.reference(n, ref.Text, at)
		return
	}
	if e.nullable(n) && len(e.kinds(n)) == 0 && n.Get("enum") == nil {
		if n.Get("allOf") != nil || n.Get("oneOf") != nil || n.Get("anyOf") != nil {
			e.raw(`{"anyOf":[`)
			e.open(n, at)
			e.raw(`,{"type":"null"}]}`)
			return
		}
	}
	e.open(n, at)
}

func (e *emitter) reference(n *tree.Node, ref string, at spot) {
	target, err := e.d.pointer(ref)
	if err != nil {
		e.lost++
		e.raw("{}")
		return
	}
	if slices.Contains(at.trail, target) {
		e.raw("{}")
		return
	}
	reach := e.d.reach(target)
	for _, before := range at.trail {
		if reach[before] {
			at.trail = append(slices.Clip(at.trail), target)
			at.bare = true
			at.depth++
			e.schema(target, at)
			return
		}
	}
	if reach[target] && target.Get("$ref") != nil {
		e.lost++ // a circular chain of references
		e.raw("{}")
		return
	}
	nullable := e.nullable(n)
	if nullable {
		e.raw(`{"anyOf":[`)
	}
	e.raw(`{"$ref":`)
	e.b = tree.Quote(e.b, "#/$defs/"+e.def(target))
	e.words(n, at)
	if !e.output {
		e.required(n.Get("required"), e.d.hidden(target, false)) // which 3.0 does not count, and who writes it means
	}
	e.raw("}")
	if nullable {
		e.raw(`,{"type":"null"}]}`)
	}
}

// def is the name of a target under $defs.
func (e *emitter) def(target *tree.Node) string {
	if name, ok := e.names[target]; ok {
		return name
	}
	place := e.d.place[target]
	base := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' || r == '-' || r == '.' {
			return r
		}
		return '_'
	}, place[strings.LastIndexByte(place, '/')+1:])
	base = base[:min(len(base), 60)]
	name := base
	for i := 2; name == "" || e.taken[name]; i++ {
		name = base + "_" + strconv.Itoa(i)
	}
	e.names[target], e.taken[name] = name, true
	e.waiting = append(e.waiting, target)
	return name
}

// defs writes all referenced schemas, nearest first, as the last member of the open object.
func (e *emitter) defs() {
	if len(e.waiting) == 0 {
		return
	}
	e.name("$defs")
	e.raw("{")
	for i := 0; i < len(e.waiting); i++ {
		target := e.waiting[i]
		e.name(e.names[target])
		e.schema(target, spot{trail: []*tree.Node{target}, room: innerText, depth: 1})
	}
	e.raw("}")
}

// kinds are the types of a schema, in the terms of JSON Schema.
func (e *emitter) kinds(n *tree.Node) []string {
	var out []string
	add := func(name string) {
		switch name = strings.ToLower(name); name {
		case "int", "long", "int32", "int64":
			name = "integer"
		case "float", "double", "decimal":
			name = "number"
		case "bool":
			name = "boolean"
		case "file", "date", "datetime", "date-time", "uuid", "uri":
			name = "string"
		case "string", "integer", "number", "boolean", "object", "array", "null":
		default:
			return
		}
		if !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	switch t := n.Get("type"); {
	case t.Is(tree.Text):
		add(t.Text)
	case t.Is(tree.List):
		for _, name := range t.Strings() {
			add(name)
		}
	case n.Get("properties").Is(tree.Object) && len(n.Get("properties").Names) > 0:
		add("object")
	case n.Get("items").Is(tree.Object):
		add("array")
	}
	if len(out) > 0 && e.nullable(n) {
		add("null")
	}
	return out
}

func (e *emitter) nullable(n *tree.Node) bool {
	return n.Get("nullable").True() || n.Get("x-nullable").True()
}

// open writes a schema that is not a reference.
func (e *emitter) open(n *tree.Node, at spot) {
	e.raw("{")
	kinds := e.kinds(n)
	if len(kinds) == 1 {
		e.name("type")
		e.b = tree.Quote(e.b, kinds[0])
	} else {
		e.list("type", kinds)
	}
	e.words(n, at)
	e.choices(n, kinds)
	e.bounds(n, kinds)
	if at.hidden == nil {
		at.hidden = e.d.hidden(n, e.output)
		at.extra = e.undeclared(n)
		if more := n.Get("additionalProperties"); more.Is(tree.Boolean) && !more.True() {
			// Required and not allowed: the server has to say what it means.
			for _, name := range at.extra {
				at.hidden[name] = true
			}
			at.extra = nil
		}
	}
	e.inside(n, at)
	e.composed(n, at)
	e.raw("}")
}

// words writes the texts for people.
func (e *emitter) words(n *tree.Node, at spot) {
	if title := n.Get("title").Str(); title != "" && len(title) <= 80 && !e.output {
		e.name("title")
		e.b = tree.Quote(e.b, text.LineBytes(title, 80))
	}
	room := at.room
	if e.output {
		room = min(room, 80)
	}
	about := text.LineBytes(n.Get("description").Str(), room)
	if value := n.Get("default"); value != nil && value.Kind != tree.Null && value.Kind < tree.List && !e.output &&
		!at.keepDefault {
		// Filled-in defaults would be sent, and overwrite fields that an update does not name.
		about = strings.TrimSpace(about + " (default " + text.LineBytes(value.Scalar(), 40) + ")")
	}
	if about != "" {
		e.name("description")
		e.b = tree.Quote(e.b, about)
	}
	if format := n.Get("format").Str(); format != "" && len(format) < 40 {
		e.name("format")
		e.b = tree.Quote(e.b, format)
	}
	if n.Get("deprecated").True() {
		e.name("deprecated")
		e.raw("true")
	}
}

// choices writes enum, const and default, with values of the schema's types.
func (e *emitter) choices(n *tree.Node, kinds []string) {
	if values := n.Get("enum").Items(); len(values) > 0 {
		text := []byte{'['}
		null := false
		for _, value := range values {
			value = fit(value, kinds)
			null = null || value.Kind == tree.Null
			if len(text) > 1 {
				text = append(text, ',')
			}
			text = value.AppendJSON(text)
		}
		if e.nullable(n) && !null {
			text = append(text, ",null"...)
		}
		if len(text) > maxEnum {
			e.cut++ // the server checks a list of this size
		} else {
			e.name("enum")
			e.b = append(append(e.b, text...), ']')
		}
	}
	if value := n.Get("const"); value != nil {
		e.name("const")
		e.b = fit(value, kinds).AppendJSON(e.b)
	}
}

// fit converts a scalar to one of the types: YAML reads yes as a boolean.
func fit(n *tree.Node, kinds []string) *tree.Node {
	if len(kinds) == 0 || n == nil {
		return n
	}
	has := func(kind string) bool { return slices.Contains(kinds, kind) }
	switch {
	case n.Is(tree.Text) && !has("string"):
		if _, err := strconv.ParseFloat(n.Text, 64); err == nil && (has("integer") || has("number")) && validNumber(n.Text) {
			return &tree.Node{Kind: tree.Number, Text: n.Text}
		}
		if (n.Text == "true" || n.Text == "false") && has("boolean") {
			return &tree.Node{Kind: tree.Boolean, Text: n.Text}
		}
	case n.Is(tree.Number) && has("string") && !has("integer") && !has("number"),
		n.Is(tree.Boolean) && has("string") && !has("boolean"):
		return &tree.Node{Kind: tree.Text, Text: n.Scalar()}
	}
	return n
}

var numberForm = regexp.MustCompile(`^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?$`)

func validNumber(s string) bool { return numberForm.MatchString(s) }

// bounds writes the keywords that bound a value, if they apply to its types.
func (e *emitter) bounds(n *tree.Node, kinds []string) {
	if e.output {
		return
	}
	for _, keyword := range []string{"minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties"} {
		if value := n.Get(keyword); value.Is(tree.Number) {
			if i, err := strconv.ParseFloat(value.Text, 64); err == nil && i >= 0 && i == float64(int(i)) && i < 1<<31 {
				e.name(keyword)
				e.raw(strconv.Itoa(int(i)))
			}
		}
	}
	for _, side := range [][2]string{{"minimum", "exclusiveMinimum"}, {"maximum", "exclusiveMaximum"}} {
		bound, exclusive := n.Get(side[0]), n.Get(side[1])
		switch {
		case bound.Is(tree.Number) && exclusive.True():
			e.name(side[1])
			e.raw(bound.Text)
		case bound.Is(tree.Number):
			e.name(side[0])
			e.raw(bound.Text)
		}
		if exclusive.Is(tree.Number) {
			e.name(side[1])
			e.raw(exclusive.Text)
		}
	}
	if n.Get("uniqueItems").True() {
		e.name("uniqueItems")
		e.raw("true")
	}
	if value := n.Get("multipleOf"); value.Is(tree.Number) && slices.Contains(kinds, "integer") &&
		strings.Trim(value.Text, "0123456789") == "" && strings.Trim(value.Text, "0") != "" {
		e.name("multipleOf")
		e.raw(value.Text)
	}
	if pattern := n.Get("pattern").Str(); pattern != "" {
		if e.checkable(pattern) {
			e.name("pattern")
			e.b = tree.Quote(e.b, pattern)
		} else {
			e.lost++
		}
	}
}

// checkable is spec.Checkable, asked once for each pattern.
func (e *emitter) checkable(pattern string) bool {
	ok, known := e.patterns[pattern]
	if !known {
		ok = spec.Checkable(pattern)
		e.patterns[pattern] = ok
	}
	return ok
}

// inside writes the schemas of a value's parts.
func (e *emitter) inside(n *tree.Node, at spot) {
	hidden := at.hidden
	props, extra := n.Get("properties"), at.extra
	if !props.Is(tree.Object) {
		props = nil
	}
	if props != nil && len(props.Names) > 0 || len(extra) > 0 {
		e.name("properties")
		e.raw("{")
		for _, name := range extra {
			e.name(name)
			e.raw("{}")
		}
		if props == nil {
			props = &tree.Node{}
		}
		for i, name := range props.Names {
			if hidden[name] || slices.Contains(props.Names[:i], name) {
				continue
			}
			e.name(name)
			e.schema(props.Values[i], at.deeper())
		}
		e.raw("}")
	}
	if !e.output {
		e.required(n.Get("required"), hidden)
	}
	// Where all properties are those of choices, false would leave none.
	more := n.Get("additionalProperties")
	foreign := n.Get("allOf") != nil || n.Get("oneOf") != nil || n.Get("anyOf") != nil
	if more.Is(tree.Object) || more.Is(tree.Boolean) && (more.True() || !foreign || n.Get("properties") != nil) {
		e.name("additionalProperties")
		e.schema(more, at.deeper())
	}
	if patterns := n.Get("patternProperties"); patterns.Is(tree.Object) {
		var kept int
		patterns.Each(func(pattern string, schema *tree.Node) {
			if !e.checkable(pattern) {
				e.lost++
				return
			}
			if kept++; kept == 1 {
				e.name("patternProperties")
				e.raw("{")
			}
			e.name(pattern)
			e.schema(schema, at.deeper())
		})
		if kept > 0 {
			e.raw("}")
		}
	}
	if items := n.Get("items"); items.Is(tree.Object) || items.Is(tree.Boolean) {
		e.name("items")
		e.schema(items, at.deeper())
	}
	if prefix := n.Get("prefixItems").Items(); len(prefix) > 0 {
		e.name("prefixItems")
		e.raw("[")
		for _, item := range prefix {
			e.comma()
			e.schema(item, at.deeper())
		}
		e.raw("]")
	}
}
