package openapi

// This file combines parameters and body into one flat argument table.

import (
	"slices"
	"strings"

	"almanac/catalog"
	"almanac/catalog/spec"
	"almanac/catalog/text"
	"almanac/catalog/tree"
	"almanac/catalog/verb"
)

// A plan says how the arguments of an operation become a request.
type plan struct {
	params []param
	body   *body
	accept string
	// accepts are the only values that the operation takes in the header Accept; none where it does not say.
	accepts []string
	// sends are those that it takes in the header Content-Type; empty is that of a request without a body, "" for none.
	sends []string
	empty string
	// keys are the parameters that carry credentials, in the form of document.keys; needed are those of them that the
	// operation requires whatever it says of credentials.
	keys   map[string]bool
	needed []string
	// wantJSON is set if every success returns JSON; notFound if 404 is an ordinary response.
	wantJSON, notFound bool
}

// A param is an argument that goes into the path, the query, a header or a cookie.
type param struct {
	arg, name, in string
	style         string
	explode       bool
	// reserved leaves reserved characters of addresses unescaped.
	reserved bool
	// json is set if the value is sent as JSON.
	json bool
	// size is the default of a page size parameter; 0 if it has none.
	size int
	// whole is set for a query parameter that takes integers.
	whole bool
}

// A body is how arguments become the body of a request.
type body struct {
	mediaType string
	form      formKind
	// whole is the argument that is the body; empty if its fields are arguments.
	whole  string
	fields []field
	// open is set if unlisted arguments belong to the body; optional if nothing is sent where none of them is given.
	open, optional bool
}

// A field is one name in a body.
type field struct {
	arg, name   string
	style       string // of a form's field, as of a query parameter; empty for JSON unless it is a scalar
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
	linesBody
)

// An inputBuilder collects the arguments of an operation.
type inputBuilder struct {
	d        *document
	e        *emitter
	op       *operation
	keys     map[string]bool // "in name" of credentials, which are not arguments
	taken    map[string]bool
	required []string
	// together are the body's arguments that are required once one of the body is given, and given those that would be.
	together, given []string
	lost            []string
}

// input makes the plan of an operation and the schema of its arguments, nil if it takes none.
func (d *document) input(op *operation, patterns map[string]bool,
	keys map[string]bool) (schema *catalog.Schema, mended []string, err error) {
	b := &inputBuilder{d: d, e: newEmitter(d, patterns, false), op: op, keys: keys, taken: map[string]bool{}}
	op.plan.keys = keys
	params, lost := d.parameters(op)
	b.lost = lost
	op.path = routed(op.path, params)
	inPath := placeholders(op.path)
	b.e.raw(`{"type":"object","properties":{`)
	var form, last []*tree.Node
	var whole *tree.Node
	for _, p := range params {
		switch in := p.Get("in").Str(); in {
		case "formData":
			form = append(form, p)
		case "body":
			whole = p
		case "path", "query", "querystring", "header", "cookie":
			if isTransport(p, params) {
				last = append(last, p)
				continue
			}
			if name := p.Get("name").Scalar(); in == "path" && !slices.Contains(inPath, name) {
				b.lost = append(b.lost, "the path parameter "+text.LineBytes(name, 60)+" is not in the path")
				continue
			}
			b.param(p, in)
		default:
			b.lost = append(b.lost, "a parameter in "+text.LineBytes(in, 20)+": unknown place")
		}
	}
	for _, name := range inPath {
		if !slices.ContainsFunc(op.plan.params, func(p param) bool { return p.in == "path" && p.name == name }) {
			b.undeclared(name)
		}
	}
	var more *tree.Node
	switch {
	case len(form) > 0:
		b.form(form)
	case whole != nil:
		more = b.whole(whole.Get("schema"), first(d.consumes(op), "application/json"), whole.Get("required").True(),
			whole.Get("description").Str(), nil)
	case !d.v2:
		more = b.requestBody()
	}
	for _, p := range last {
		b.param(p, p.Get("in").Str())
	}
	b.e.raw("}")
	b.e.required(stringList(b.required), nil)
	b.conditional()
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

// told reports the parts of a schema that were left open.
func (e *emitter) told(what string) []string {
	var out []string
	if e.cut > 0 {
		out = append(out, text.Count(e.cut, "place")+" of the "+what+" left open: the schema is larger than "+kb(e.limit))
	}
	if e.lost > 0 {
		out = append(out, text.Count(e.lost, "place")+" of the "+what+" left open: an invalid reference or pattern")
	}
	return out
}

func stringList(names []string) *tree.Node {
	n := &tree.Node{Kind: tree.List}
	for _, name := range names {
		n.Values = append(n.Values, &tree.Node{Kind: tree.Text, Text: name})
	}
	return n
}

func first(list []string, otherwise string) string {
	if len(list) > 0 {
		return list[0]
	}
	return otherwise
}

// arg reserves an argument name: the name itself, prefixed by its place only if it is taken.
func (b *inputBuilder) arg(name, place string) string {
	arg := name
	for b.taken[arg] {
		arg = place + "_" + arg
	}
	b.taken[arg] = true
	return arg
}

func (b *inputBuilder) param(n *tree.Node, in string) {
	name := n.Get("name").Scalar()
	lower := strings.ToLower(name)
	if in == "header" && (lower == "accept" || lower == "content-type" || lower == "authorization" || lower == "cookie" ||
		lower == "host") ||
		b.keys[in+" "+lower] {
		switch lower {
		case "accept":
			b.op.plan.accepts = b.choices(n)
		case "content-type":
			b.op.plan.sends = b.choices(n)
			if n.Get("required").True() {
				b.op.plan.empty = first(b.op.plan.sends, "application/json")
			}
		}
		if n.Get("required").True() && b.keys[in+" "+lower] {
			b.op.plan.needed = append(b.op.plan.needed, in+" "+lower)
		}
		return
	}
	p := param{name: name, in: in, reserved: n.Get("allowReserved").True()}
	p.arg = b.arg(argName(name, in), in)
	schema := n.Get("schema")
	if b.d.v2 {
		schema = n
	}
	if content := n.Get("content"); content.Is(tree.Object) && len(content.Names) > 0 {
		schema = b.d.soft(content.Values[0]).Get("schema")
		p.json = in != "querystring" || isJSON(content.Names[0])
	}
	p.style, p.explode = styleOf(n, in)
	if in == "querystring" {
		p.style, p.explode = "form", true
	}
	if in == "query" && schema != nil {
		p.whole = b.d.soft(schema).Get("type").Str() == "integer"
		if d := b.d.soft(schema).Get("default"); d.Is(tree.Number) {
			if size, ok := d.Plain().(int64); ok && size > 0 && size < 1<<20 {
				p.size = int(size)
			}
		}
	}
	b.op.plan.params = append(b.op.plan.params, p)
	if n.Get("required").True() || in == "path" {
		b.required = append(b.required, p.arg)
	}
	b.property(p.arg, schema, n)
}

// choices are the values that a parameter takes; none where it takes any.
func (b *inputBuilder) choices(n *tree.Node) []string {
	if !b.d.v2 {
		n = b.d.soft(n.Get("schema"))
	}
	return n.Get("enum").Strings()
}

// property writes one argument; about holds its description if the schema has none.
func (b *inputBuilder) property(arg string, schema, about *tree.Node) {
	b.e.name(arg)
	at := spot{depth: 1, room: topText}
	if !schema.Is(tree.Object) {
		b.e.raw("{")
		b.e.words(about, at)
		b.e.raw("}")
		return
	}
	shown := *schema
	if schema != about && about != nil {
		if description := about.Get("description"); description.Is(tree.Text) {
			shown = with(schema, "description", description)
		}
	}
	if b.d.v2 && schema == about {
		// A parameter of Swagger 2.0 is half a schema; drop what is not a schema keyword.
		shown = tree.Node{Kind: tree.Object}
		about.Each(func(name string, value *tree.Node) {
			if name != "required" && name != "name" && name != "in" {
				shown.Names, shown.Values = append(shown.Names, name), append(shown.Values, value)
			}
		})
	}
	place := &shown
	if target := b.d.place[schema]; target != "" && schema == about {
		place = schema
	}
	b.argument(place, at)
}

// argument writes the schema of a parameter, with its default if the value fits.
func (b *inputBuilder) argument(schema *tree.Node, at spot) {
	value := schema.Get("default")
	plain := b.d.soft(schema)
	if value == nil || value.Kind >= tree.List || value.Kind == tree.Null || schema.Get("$ref") != nil ||
		!b.e.fits(value, plain) {
		b.e.schema(schema, at)
		return
	}
	at.keepDefault = true
	b.e.schema(schema, at)
	if last := len(b.e.b) - 1; b.e.b[last] == '}' {
		b.e.b = b.e.b[:last]
		b.e.name("default")
		b.e.b = append(fit(value, b.e.kinds(plain)).AppendJSON(b.e.b), '}')
	}
}

// fits reports whether a scalar is of a type of the schema, and among its values.
func (e *emitter) fits(value, schema *tree.Node) bool {
	kinds := e.kinds(schema)
	value = fit(value, kinds)
	ok := false
	for _, kind := range kinds {
		switch kind {
		case "string":
			ok = ok || value.Is(tree.Text)
		case "integer":
			ok = ok || value.Is(tree.Number) && !strings.ContainsAny(value.Text, ".eE")
		case "number":
			ok = ok || value.Is(tree.Number)
		case "boolean":
			ok = ok || value.Is(tree.Boolean)
		}
	}
	if values := schema.Get("enum").Items(); len(values) > 0 {
		ok = ok && slices.ContainsFunc(values, func(v *tree.Node) bool { return fit(v, kinds).Text == value.Text })
	}
	for _, keyword := range []string{"pattern", "minLength", "maxLength", "minimum", "maximum", "exclusiveMinimum",
		"exclusiveMaximum", "multipleOf"} {
		ok = ok && (schema.Get(keyword) == nil || value.Is(tree.Number) && inBounds(value, schema))
	}
	return ok
}

func inBounds(value, schema *tree.Node) bool {
	n, _ := value.Plain().(int64)
	low, hasLow := schema.Get("minimum").Plain().(int64)
	high, hasHigh := schema.Get("maximum").Plain().(int64)
	return schema.Get("exclusiveMinimum") == nil && schema.Get("exclusiveMaximum") == nil &&
		schema.Get("multipleOf") == nil &&
		(schema.Get("minimum") == nil || hasLow && low <= n) && (schema.Get("maximum") == nil || hasHigh && n <= high)
}

// with is a copy of an object with one member set.
func with(n *tree.Node, name string, value *tree.Node) tree.Node {
	out := tree.Node{Kind: tree.Object, Names: slices.Clone(n.Names), Values: slices.Clone(n.Values)}
	if i := slices.Index(out.Names, name); i >= 0 {
		out.Values[i] = value
		return out
	}
	out.Names, out.Values = append(out.Names, name), append(out.Values, value)
	return out
}

// argName is a parameter's name as an argument: snake case for headers, which have no case, else unchanged.
func argName(name, in string) string {
	if in != "header" {
		return name
	}
	if s := strings.Join(verb.Words(name), "_"); s != "" {
		return s
	}
	return name
}

// routed is a path without what its query says of parameters that are declared for the query: /csv?id={id}.
func routed(path string, params []*tree.Node) string {
	path, own, _ := strings.Cut(path, "?")
	pairs := slices.DeleteFunc(strings.Split(own, "&"), func(pair string) bool {
		return pair == "" || slices.ContainsFunc(params, func(p *tree.Node) bool {
			name := p.Get("name").Scalar()
			return p.Get("in").Str() == "query" && pair == name+"={"+name+"}"
		})
	})
	if len(pairs) == 0 {
		return path
	}
	return path + "?" + strings.Join(pairs, "&")
}

// placeholders are the names in braces of a path.
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

// conditional writes which arguments of the body are required once one of it is given.
func (b *inputBuilder) conditional() {
	if len(b.together) == 0 {
		return
	}
	b.e.list(spec.RequiredTogether, b.together)
	if len(b.given) < 2 {
		return
	}
	// Each asks for the first, and the first for the others: as much text as there are names.
	first := b.together[0]
	b.e.name("dependentRequired")
	b.e.raw("{")
	for _, arg := range b.given {
		if arg != first {
			b.e.list(arg, []string{first})
		}
	}
	b.e.list(first, b.together[1:])
	b.e.raw("}")
}

// transport are parameters of how an answer is sent, not of what it says: those of every operation of Google's.
var transport = []string{
	"$.xgafv", "access_token", "alt", "callback", "oauth_token", "prettyPrint", "quotaUser", "upload_protocol",
	"uploadType", "userIp",
}

// isTransport tells whether a parameter goes behind all others: key and fields do where the rest of Google's are.
func isTransport(p *tree.Node, all []*tree.Node) bool {
	named := func(name string) func(*tree.Node) bool {
		return func(p *tree.Node) bool { return p.Get("name").Scalar() == name }
	}
	if p.Get("in").Str() != "query" || p.Get("required").True() {
		return false
	}
	name := p.Get("name").Scalar()
	return slices.Contains(transport, name) ||
		(name == "key" || name == "fields") && slices.ContainsFunc(all, named("prettyPrint"))
}

// undeclared adds a path parameter that the document does not declare.
func (b *inputBuilder) undeclared(name string) {
	arg := b.arg(name, "path")
	b.op.plan.params = append(b.op.plan.params, param{name: name, arg: arg, in: "path", style: "simple"})
	b.required = append(b.required, arg)
	b.e.name(arg)
	b.e.raw(`{"type":["string","integer"]}`)
	b.lost = append(b.lost, "the path parameter "+text.LineBytes(name, 60)+" is not declared")
}

// styleOf is how a parameter is written, by OpenAPI 3 or by the collectionFormat of Swagger 2.0.
func styleOf(n *tree.Node, in string) (style string, explode bool) {
	style = n.Get("style").Str()
	if style == "" {
		style = "simple"
		if in == "query" || in == "cookie" || in == "formData" {
			style = "form"
		}
	}
	explode = style == "form"
	if given := n.Get("explode"); given.Is(tree.Boolean) {
		explode = given.True()
	}
	if format := n.Get("collectionFormat").Str(); n.Get("type").Str() == "array" && n.Get("schema") == nil {
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
func (b *inputBuilder) form(params []*tree.Node) {
	consumes := b.d.consumes(b.op)
	form := &body{mediaType: "application/x-www-form-urlencoded", form: formBody}
	if slices.ContainsFunc(consumes, func(m string) bool { return strings.HasPrefix(m, "multipart/") }) ||
		slices.ContainsFunc(params, func(p *tree.Node) bool { return p.Get("type").Str() == "file" }) {
		form.mediaType, form.form = "multipart/form-data", multipartBody
	}
	for _, p := range params {
		f := field{name: p.Get("name").Scalar(), file: p.Get("type").Str() == "file"}
		f.style, f.explode = styleOf(p, "formData")
		f.arg = b.arg(f.name, "body")
		if p.Get("required").True() {
			b.required = append(b.required, f.arg)
		}
		form.fields = append(form.fields, f)
		b.property(f.arg, p, p)
	}
	b.op.plan.body = form
}
