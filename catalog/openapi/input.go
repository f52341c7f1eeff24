package openapi

// This file makes one flat argument table of parameters and body.

import (
	"slices"
	"strings"

	"almanac/catalog"
	"almanac/catalog/text"
	"almanac/catalog/verb"
)

// A plan is how the arguments of an operation become a request.
type plan struct {
	params []param
	body   *body
	accept string
	// keys are the parameters that carry credentials, as document.keys has them.
	keys map[string]bool
	// wantJSON tells that every success answers JSON; notFound that 404 is a plain answer.
	wantJSON, notFound bool
}

// A param is an argument that goes into the path, the query, a header or a cookie.
type param struct {
	arg, name, in string
	style         string
	explode       bool
	// reserved tells to leave the characters of addresses alone.
	reserved bool
	// json tells that the value is sent as JSON.
	json bool
	// size is the default of a parameter that says how long a page is; 0 when it has none.
	size int
	// whole tells a parameter of the query that takes whole numbers.
	whole bool
}

// A body is how arguments become the body of a request.
type body struct {
	mediaType string
	form      formKind
	// whole is the argument that is the body; empty where the fields are arguments.
	whole  string
	fields []field
	// open tells that arguments that are no parameters and not listed belong to the body too.
	open bool
}

// A field is one name in a body.
type field struct {
	arg, name   string
	style       string // of a form's field, as of a query parameter; empty for JSON where it is no scalar
	explode     bool
	contentType string // of a part
	file        bool
}

type formKind byte

const (
	jsonBody formKind = iota
	formBody
	multipartBody
	rawBody
)

// An inputBuilder collects the arguments of an operation.
type inputBuilder struct {
	d        *document
	e        *emitter
	op       *operation
	keys     map[string]bool // "in name" of credentials, which are no arguments
	taken    map[string]bool
	required []string
	lost     []string
}

// input makes the plan of an operation and the schema of its arguments, nil when it takes none.
func (d *document) input(op *operation, patterns map[string]bool, keys map[string]bool) (schema *catalog.Schema, mended []string, err error) {
	b := &inputBuilder{d: d, e: newEmitter(d, patterns, false), op: op, keys: keys, taken: map[string]bool{}}
	op.plan.keys = keys
	params, lost := d.parameters(op)
	b.lost = lost
	b.e.raw(`{"type":"object","properties":{`)
	var form []*node
	var whole *node
	for _, p := range params {
		switch in := p.get("in").str(); in {
		case "formData":
			form = append(form, p)
		case "body":
			whole = p
		case "path", "query", "header", "cookie":
			b.param(p, in)
		default:
			b.lost = append(b.lost, "a parameter in "+text.LineBytes(in, 20)+", which is no place")
		}
	}
	for _, name := range placeholders(op.path) {
		if !slices.ContainsFunc(op.plan.params, func(p param) bool { return p.in == "path" && p.name == name }) {
			b.undeclared(name)
		}
	}
	var more *node
	switch {
	case len(form) > 0:
		b.form(form)
	case whole != nil:
		more = b.whole(whole.get("schema"), first(d.consumes(op), "application/json"), whole.get("required").truth(), whole.get("description").str(), nil)
	case !d.v2:
		more = b.requestBody()
	}
	b.e.raw("}")
	b.e.required(stringList(b.required), nil)
	if more != nil {
		b.e.name("additionalProperties")
		b.e.schema(more, spot{depth: 1, room: innerText})
	}
	b.e.defs()
	b.e.raw("}")
	mended = b.lost
	mended = append(mended, b.e.told("input")...)
	if len(b.taken) == 0 && more == nil {
		return nil, mended, nil
	}
	schema, err = catalog.ParseSchema(slices.Clip(b.e.b))
	return schema, mended, err
}

// told says what of a schema was left open.
func (e *emitter) told(what string) []string {
	var out []string
	if e.cut > 0 {
		out = append(out, text.Count(e.cut, "place")+" of the "+what+" left open: the schema is larger than "+kb(e.limit))
	}
	if e.lost > 0 {
		out = append(out, text.Count(e.lost, "place")+" of the "+what+" left open: a reference or pattern that cannot be used")
	}
	return out
}

func stringList(names []string) *node {
	n := &node{kind: list}
	for _, name := range names {
		n.values = append(n.values, &node{kind: textual, text: name})
	}
	return n
}

func first(list []string, otherwise string) string {
	if len(list) > 0 {
		return list[0]
	}
	return otherwise
}

// arg takes an argument name: the name itself, with its place in front only when another has it.
func (b *inputBuilder) arg(name, place string) string {
	arg := name
	for b.taken[arg] {
		arg = place + "_" + arg
	}
	b.taken[arg] = true
	return arg
}

func (b *inputBuilder) param(n *node, in string) {
	name := n.get("name").scalar()
	lower := strings.ToLower(name)
	if in == "header" && (lower == "accept" || lower == "content-type" || lower == "authorization" || lower == "cookie" || lower == "host") ||
		b.keys[in+" "+lower] {
		return
	}
	p := param{name: name, in: in, reserved: n.get("allowReserved").truth()}
	p.arg = b.arg(argName(name, in), in)
	schema := n.get("schema")
	if b.d.v2 {
		schema = n
	}
	if content := n.get("content"); content.is(object) && len(content.names) > 0 {
		schema = content.values[0].get("schema")
		p.json = true
	}
	p.style, p.explode = styleOf(n, in)
	if in == "query" && schema != nil {
		p.whole = b.d.soft(schema).get("type").str() == "integer"
		if d := b.d.soft(schema).get("default"); d.is(number) {
			if size, ok := d.value().(int64); ok && size > 0 && size < 1<<20 {
				p.size = int(size)
			}
		}
	}
	b.op.plan.params = append(b.op.plan.params, p)
	if n.get("required").truth() || in == "path" {
		b.required = append(b.required, p.arg)
	}
	b.property(p.arg, schema, n)
}

// property writes one argument; about holds its description where the schema has none.
func (b *inputBuilder) property(arg string, schema, about *node) {
	b.e.name(arg)
	at := spot{depth: 1, room: topText}
	if !schema.is(object) {
		b.e.raw("{")
		b.e.words(about, at)
		b.e.raw("}")
		return
	}
	shown := *schema
	if schema != about && about != nil {
		if description := about.get("description"); description.is(textual) {
			shown = with(schema, "description", description)
		}
	}
	if b.d.v2 && schema == about {
		// A parameter of Swagger 2.0 is half a schema; what is no keyword of one goes.
		shown = node{kind: object}
		about.each(func(name string, value *node) {
			if name != "required" && name != "name" && name != "in" {
				shown.names, shown.values = append(shown.names, name), append(shown.values, value)
			}
		})
	}
	place := &shown
	if target := b.d.place[schema]; target != "" && schema == about {
		place = schema
	}
	b.argument(place, at)
}

// argument writes the schema of a parameter, with its default where the value fits.
func (b *inputBuilder) argument(schema *node, at spot) {
	value := schema.get("default")
	plain := b.d.soft(schema)
	if value == nil || value.kind >= list || value.kind == null || schema.get("$ref") != nil || !b.e.fits(value, plain) {
		b.e.schema(schema, at)
		return
	}
	at.keepDefault = true
	b.e.schema(schema, at)
	if last := len(b.e.b) - 1; b.e.b[last] == '}' {
		b.e.b = b.e.b[:last]
		b.e.name("default")
		b.e.b = append(fit(value, b.e.kinds(plain)).json(b.e.b), '}')
	}
}

// fits tells whether a scalar is of a type of the schema, and among its values.
func (e *emitter) fits(value, schema *node) bool {
	kinds := e.kinds(schema)
	value = fit(value, kinds)
	ok := false
	for _, kind := range kinds {
		switch kind {
		case "string":
			ok = ok || value.is(textual)
		case "integer":
			ok = ok || value.is(number) && !strings.ContainsAny(value.text, ".eE")
		case "number":
			ok = ok || value.is(number)
		case "boolean":
			ok = ok || value.is(boolean)
		}
	}
	if values := schema.get("enum").items(); len(values) > 0 {
		ok = ok && slices.ContainsFunc(values, func(v *node) bool { return fit(v, kinds).text == value.text })
	}
	for _, keyword := range []string{"pattern", "minLength", "maxLength", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"} {
		ok = ok && (schema.get(keyword) == nil || value.is(number) && inBounds(value, schema))
	}
	return ok
}

func inBounds(value, schema *node) bool {
	n, _ := value.value().(int64)
	low, hasLow := schema.get("minimum").value().(int64)
	high, hasHigh := schema.get("maximum").value().(int64)
	return schema.get("exclusiveMinimum") == nil && schema.get("exclusiveMaximum") == nil && schema.get("multipleOf") == nil &&
		(schema.get("minimum") == nil || hasLow && low <= n) && (schema.get("maximum") == nil || hasHigh && n <= high)
}

// with is a copy of an object with one member set.
func with(n *node, name string, value *node) node {
	out := node{kind: object, names: slices.Clone(n.names), values: slices.Clone(n.values)}
	if i := slices.Index(out.names, name); i >= 0 {
		out.values[i] = value
		return out
	}
	out.names, out.values = append(out.names, name), append(out.values, value)
	return out
}

// argName is a parameter's name as an argument: headers have no case and go in snake case, all else as it is written.
func argName(name, in string) string {
	if in != "header" {
		return name
	}
	if s := strings.Join(verb.Words(name), "_"); s != "" {
		return s
	}
	return name
}

// placeholders are the names in braces in a path.
func placeholders(path string) []string {
	var out []string
	for {
		_, rest, ok := strings.Cut(path, "{")
		if !ok {
			return out
		}
		name, after, ok := strings.Cut(rest, "}")
		if !ok {
			return out
		}
		if !slices.Contains(out, name) {
			out = append(out, name)
		}
		path = after
	}
}

// undeclared adds a path parameter that the document forgot.
func (b *inputBuilder) undeclared(name string) {
	arg := b.arg(name, "path")
	b.op.plan.params = append(b.op.plan.params, param{name: name, arg: arg, in: "path", style: "simple"})
	b.required = append(b.required, arg)
	b.e.name(arg)
	b.e.raw(`{"type":["string","integer"]}`)
	b.lost = append(b.lost, "the path parameter "+text.LineBytes(name, 60)+" is not declared")
}

// styleOf is how a parameter is written, by OpenAPI 3 or by the collectionFormat of Swagger 2.0.
func styleOf(n *node, in string) (style string, explode bool) {
	style = n.get("style").str()
	if style == "" {
		style = "simple"
		if in == "query" || in == "cookie" || in == "formData" {
			style = "form"
		}
	}
	explode = style == "form"
	if given := n.get("explode"); given.is(boolean) {
		explode = given.truth()
	}
	if format := n.get("collectionFormat").str(); n.get("type").str() == "array" && n.get("schema") == nil {
		explode = false
		switch format {
		case "multi":
			explode = true
		case "ssv":
			style = "spaceDelimited"
		case "tsv":
			style = "tabDelimited"
		case "pipes":
			style = "pipeDelimited"
		}
	}
	return style, explode
}

// form adds the form parameters of Swagger 2.0.
func (b *inputBuilder) form(params []*node) {
	consumes := b.d.consumes(b.op)
	form := &body{mediaType: "application/x-www-form-urlencoded", form: formBody}
	if slices.ContainsFunc(consumes, func(m string) bool { return strings.HasPrefix(m, "multipart/") }) ||
		slices.ContainsFunc(params, func(p *node) bool { return p.get("type").str() == "file" }) {
		form.mediaType, form.form = "multipart/form-data", multipartBody
	}
	for _, p := range params {
		f := field{name: p.get("name").scalar(), file: p.get("type").str() == "file"}
		f.style, f.explode = styleOf(p, "formData")
		f.arg = b.arg(f.name, "body")
		if p.get("required").truth() {
			b.required = append(b.required, f.arg)
		}
		form.fields = append(form.fields, f)
		b.property(f.arg, p, p)
	}
	b.op.plan.body = form
}
