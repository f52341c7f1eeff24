package openapi

// This file turns a request's body into arguments.

import (
	"regexp"
	"slices"
	"strings"

	"almanac/catalog/text"

	"almanac/catalog/tree"
)

// requestBody adds the body of OpenAPI 3. It returns the schema for unlisted names, nil if there are none.
func (b *inputBuilder) requestBody() (more *tree.Node) {
	given := b.op.node.Get("requestBody")
	if given == nil {
		return nil
	}
	n, err := b.d.follow(given)
	if err != nil {
		b.lost = append(b.lost, "the body: "+err.Error())
		n = given
	}
	content := n.Get("content")
	if b.op.method == "get" || b.op.method == "head" || b.op.method == "trace" {
		if !n.Get("required").True() {
			return nil // it has no meaning there
		}
	}
	mediaType, media := b.d.pickMedia(content)
	if mediaType == "" {
		mediaType = "application/json"
	}
	schema := media.Get("schema")
	if kind, _, _ := strings.Cut(strings.ToLower(mediaType), ";"); isLines(kind) {
		schema = itemsOfMedia(media)
	}
	return b.whole(schema, mediaType, n.Get("required").True(), n.Get("description").Str(),
		media.Get("encoding"))
}

// pickMedia picks the kind of body that is easiest to write: JSON, then forms, then text. A form of something else than
// named fields comes last.
func (d *document) pickMedia(content *tree.Node) (mediaType string, media *tree.Node) {
	best := -1
	content.Each(func(name string, value *tree.Node) {
		score, value := 1, d.soft(value)
		switch kind, _, _ := strings.Cut(strings.ToLower(name), ";"); {
		case kind == "application/json":
			score = 9
		case kind == "*/*" || kind == "application/*":
			score = 5
		case isJSON(kind):
			score = 8
		case kind == "application/x-www-form-urlencoded":
			score = 7
		case kind == "multipart/form-data":
			score = 6
		case strings.HasPrefix(kind, "text/"), isLines(kind):
			score = 4
		case kind == "application/octet-stream":
			score = 3
		}
		if of := d.soft(value.Get("schema")).Get("type").Str(); of != "" && of != "object" && (score == 6 || score == 7) {
			score = 2
		}
		if score > best {
			best, mediaType, media = score, name, value
		}
	})
	return mediaType, media
}

// isLines tells a sequence of JSON values, one after another.
func isLines(kind string) bool {
	switch kind {
	case "application/jsonl", "application/x-ndjson", "application/x-jsonlines", "application/json-seq":
		return true
	}
	return false
}

// itemsOfMedia is the schema of all items of a sequence; nil where the document has none.
func itemsOfMedia(media *tree.Node) *tree.Node {
	items := media.Get("itemSchema")
	if schema := media.Get("schema"); schema != nil || items == nil {
		return schema
	}
	return &tree.Node{Kind: tree.Object, Names: []string{"type", "items"},
		Values: []*tree.Node{{Kind: tree.Text, Text: "array"}, items}}
}

func isJSON(kind string) bool {
	return kind == "application/json" || strings.HasSuffix(kind, "+json") || kind == "text/json"
}

// whole adds a body with one schema: its fields as arguments if it is an object with names, else as one argument.
func (b *inputBuilder) whole(schema *tree.Node, mediaType string, required bool, about string,
	encoding *tree.Node) (more *tree.Node) {
	kind, _, _ := strings.Cut(strings.ToLower(mediaType), ";")
	out := &body{mediaType: mediaType}
	switch {
	case kind == "*/*" || kind == "application/*":
		out.mediaType = "application/json"
	case isJSON(kind):
	case kind == "application/x-www-form-urlencoded":
		out.form = formBody
	case isLines(kind):
		out.form = linesBody
	case strings.HasPrefix(kind, "multipart/"):
		out.form, out.mediaType = multipartBody, "multipart/form-data"
	default:
		out.form = rawBody
	}
	if out.form == rawBody && b.d.soft(schema).Get("properties").Is(tree.Object) {
		// An object under the media type of a file. Documents made of Google's have that of uploads, which go elsewhere:
		// here the server takes JSON.
		out.form, out.mediaType = jsonBody, "application/json"
	}
	if kind, _, _ = strings.Cut(kind, "/"); out.form == rawBody && len(b.op.plan.sends) > 0 &&
		!slices.Contains(b.op.plan.sends, mediaType) {
		out.mediaType = b.op.plan.sends[0]
	}
	b.op.plan.body = out
	flat := &flattened{}
	if out.form != rawBody && out.form != linesBody && b.flatten(schema, flat, true, nil) && len(flat.names) > 0 {
		b.flat(out, flat, required, encoding)
		return flat.more
	}
	out.whole = b.arg("body", "request")
	if required {
		b.required = append(b.required, out.whole)
	}
	if !schema.Is(tree.Object) {
		schema = &tree.Node{Kind: tree.Object}
	}
	if out.form == rawBody {
		if format := b.d.soft(schema).Get("format").Str(); format == "byte" || format == "base64" {
			about = strings.TrimSpace(about + " In base64.")
		}
		of := "string"
		if kinds := b.e.kinds(b.d.soft(schema)); kind == "text" && len(kinds) == 1 &&
			slices.Contains([]string{"boolean", "integer", "number"}, kinds[0]) {
			of = kinds[0]
		}
		schema = &tree.Node{Kind: tree.Object, Names: []string{"type"},
			Values: []*tree.Node{{Kind: tree.Text, Text: of}}}
		about = strings.TrimSpace(about + " Sent unchanged, as " + text.LineBytes(out.mediaType, 60) + ".")
	}
	holder := &tree.Node{Kind: tree.Object}
	if about != "" {
		holder.Names, holder.Values = []string{"description"}, []*tree.Node{{Kind: tree.Text, Text: about}}
	}
	if target := b.d.soft(schema); target.Get("readOnly") == nil {
		b.propertyOf(out.whole, schema, holder)
	}
	return nil
}

// propertyOf adds the argument for a whole body.
func (b *inputBuilder) propertyOf(arg string, schema, about *tree.Node) {
	b.e.name(arg)
	if description := about.Get("description"); description != nil && schema.Get("description") == nil {
		shown := with(schema, "description", description)
		schema = &shown
	}
	b.e.schema(schema, spot{depth: 1, room: topText})
}

// A flattened is an object schema with its parts merged.
type flattened struct {
	names    []string
	schemas  []*tree.Node
	required []string
	hidden   []string
	more     *tree.Node
	closed   bool
}

// flatten merges the parts of a schema, and reports whether it is a plain object: a choice between shapes stays whole.
func (b *inputBuilder) flatten(n *tree.Node, out *flattened, top bool, trail []*tree.Node) bool {
	n = b.d.soft(n)
	if n == nil || !n.Is(tree.Object) || slices.Contains(trail, n) {
		return false
	}
	trail = append(trail, n)
	kinds := b.e.kinds(n)
	if len(kinds) > 0 && !slices.Contains(kinds, "object") {
		return false
	}
	for _, keyword := range []string{"oneOf", "anyOf"} {
		for _, branch := range n.Get(keyword).Items() {
			// Branches that only combine required names are left to the server.
			if b.hasShape(branch) {
				return false
			}
		}
	}
	if len(b.d.extending(n)) > 0 && top {
		return false
	}
	n.Get("properties").Each(func(name string, schema *tree.Node) {
		if schema.Get("readOnly").True() || b.d.soft(schema).Get("readOnly").True() {
			out.hidden = append(out.hidden, name)
			return
		}
		if i := slices.Index(out.names, name); i >= 0 {
			out.schemas[i] = b.both(out.schemas[i], schema)
			return
		}
		out.names, out.schemas = append(out.names, name), append(out.schemas, schema)
	})
	out.required = append(out.required, n.Get("required").Strings()...)
	switch more := n.Get("additionalProperties"); {
	case more.Is(tree.Boolean):
		if out.closed = out.closed || !more.True(); more.True() {
			out.more = more
		}
	case more.Is(tree.Object):
		out.more = more
	}
	for _, part := range n.Get("allOf").Items() {
		if !b.flatten(part, out, false, trail) && b.hasShape(part) {
			return false
		}
	}
	return true
}

// both is a schema of what two parts of an object say of a name. A scalar is as the later one has it.
func (b *inputBuilder) both(have, more *tree.Node) *tree.Node {
	kind := b.d.soft(have).Get("type")
	required := func(n *tree.Node) *tree.Node { return b.d.soft(n).Get("required") }
	if have == more || kind.Str() != "" && kind.Str() != "object" || required(have) == nil && required(more) == nil {
		return more
	}
	n := &tree.Node{Kind: tree.Object, Names: []string{"allOf"}, Values: []*tree.Node{{Kind: tree.List,
		Values: []*tree.Node{more, have}}}}
	for _, from := range []*tree.Node{have, b.d.soft(more)} {
		for _, name := range []string{"type", "description"} {
			if value := from.Get(name); value != nil && n.Get(name) == nil {
				n.Names, n.Values = append(n.Names, name), append(n.Values, value)
			}
		}
	}
	return n
}

// hasShape reports whether a branch declares more than required names.
func (b *inputBuilder) hasShape(n *tree.Node) bool {
	plain := b.d.soft(n)
	if plain == nil {
		return false
	}
	for _, keyword := range []string{"properties", "allOf", "oneOf", "anyOf", "items", "enum", "additionalProperties"} {
		if plain.Get(keyword) != nil {
			return true
		}
	}
	kind := plain.Get("type").Str()
	return kind != "" && kind != "object"
}

// flat adds the names of a body as arguments.
func (b *inputBuilder) flat(out *body, flat *flattened, required bool, encoding *tree.Node) {
	out.open = flat.more != nil
	for _, name := range flat.required {
		if flat.closed {
			break // Required and not allowed: the server has to say what it means.
		}
		if !slices.Contains(flat.names, name) && !slices.Contains(flat.hidden, name) {
			// Required, but not described further.
			flat.names, flat.schemas = append(flat.names, name), append(flat.schemas, &tree.Node{Kind: tree.Object})
		}
	}
	for i, name := range flat.names {
		f := field{name: name, arg: b.arg(name, "body"), explode: true}
		plain := b.d.soft(flat.schemas[i])
		if out.form == formBody || out.form == multipartBody {
			b.encode(&f, plain, encoding.Get(name))
		}
		switch must := slices.Contains(flat.required, name); {
		case must && required:
			b.required = append(b.required, f.arg)
		case must:
			b.together, out.optional = append(b.together, f.arg), true
		}
		b.given = append(b.given, f.arg)
		out.fields = append(out.fields, f)
		b.e.name(f.arg)
		b.e.schema(flat.schemas[i], spot{depth: 1, room: topText})
	}
}

// encode sets how a field of a form is written.
func (b *inputBuilder) encode(f *field, schema, encoding *tree.Node) {
	f.style = "form"
	kinds := b.e.kinds(schema)
	items := b.d.soft(schema.Get("items"))
	if slices.Contains(kinds, "object") || slices.Contains(kinds, "array") && slices.Contains(b.e.kinds(items), "object") {
		f.style = "" // JSON
	}
	if slices.Contains(kinds, "array") && serialized.MatchString(schema.Get("description").Str()) {
		f.style = ""
	}
	f.file = isFile(schema) || isFile(items)
	if style := encoding.Get("style").Str(); style != "" {
		f.style = style
	}
	if explode := encoding.Get("explode"); explode.Is(tree.Boolean) {
		f.explode = explode.True()
		if f.style == "" {
			f.style = "form"
		}
	}
	f.contentType, _, _ = strings.Cut(encoding.Get("contentType").Str(), ",")
}

// serialized is how documents say that a list is one text of JSON, where their format would have a part for each item.
var serialized = regexp.MustCompile(`(?i)\bJSON[- ](serialized|encoded|stringified)\b`)

func isFile(schema *tree.Node) bool {
	return schema.Get("format").Str() == "binary" || schema.Get("contentMediaType") != nil &&
		schema.Get("contentEncoding") == nil ||
		schema.Get("type").Str() == "file"
}

// consumes are the media types that an operation of Swagger 2.0 accepts, JSON first.
func (d *document) consumes(op *operation) []string {
	list := op.node.Get("consumes").Strings()
	if op.node.Get("consumes") == nil {
		list = d.root.Get("consumes").Strings()
	}
	list = slices.Clone(list)
	slices.SortStableFunc(list, func(a, b string) int {
		rank := func(m string) int {
			if kind, _, _ := strings.Cut(m, ";"); isJSON(kind) {
				return 0
			}
			return 1
		}
		return rank(a) - rank(b)
	})
	return list
}
