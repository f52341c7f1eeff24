package openapi

// This file resolves references in a document, and finds how its schemas are related.

import (
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"strings"

	"almanac/catalog"
	"almanac/catalog/text"
	"almanac/catalog/tree"
)

// A document is a parsed document. It is used by one goroutine.
type document struct {
	root *tree.Node
	// v2 is set for Swagger 2.0, as opposed to OpenAPI 3.
	v2      bool
	version string

	others   *others                            // nil where no other document is read
	notes    []catalog.Skip                     // of overlays
	pointed  map[string]*tree.Node              // what references point to
	place    map[*tree.Node]string              // the reference that a target was first found by
	reaches  map[*tree.Node]map[*tree.Node]bool // the targets that apply wherever a target does
	children map[*tree.Node][]*tree.Node        // by base: references to those that extend it
}

// newDocument determines the version of a document.
func newDocument(root *tree.Node) (*document, error) {
	d := &document{root: root, pointed: map[string]*tree.Node{}, place: map[*tree.Node]string{},
		reaches: map[*tree.Node]map[*tree.Node]bool{}}
	if !root.Is(tree.Object) {
		return nil, errors.New("want an OpenAPI document, got something other than an object")
	}
	swagger, openapi := root.Get("swagger").Scalar(), root.Get("openapi").Scalar()
	switch {
	case openapi != "" && strings.HasPrefix(openapi, "3"):
		d.version = openapi
	case openapi == "" && strings.HasPrefix(swagger, "2"):
		d.v2, d.version = true, swagger
	case openapi+swagger != "":
		return nil, fmt.Errorf("OpenAPI version %s is not supported: want 2.0 or 3.0 to 3.2",
			text.LineBytes(openapi+swagger, 20))
	default:
		return nil, errors.New("want an OpenAPI document, with openapi or swagger at the top")
	}
	return d, nil
}

// maxHops bounds chains of references.
const maxHops = 32

// pointer finds what a reference points to.
func (d *document) pointer(ref string) (*tree.Node, error) {
	if n, ok := d.pointed[ref]; ok {
		if n == nil {
			return nil, fmt.Errorf("the reference %s points to nothing", text.LineBytes(ref, 120))
		}
		return n, nil
	}
	n := d.root
	path, ok := strings.CutPrefix(ref, "#/")
	if !ok {
		var err error
		if n, path, err = d.elsewhere(ref); err != nil {
			d.pointed[ref] = nil
			return nil, err
		}
	}
	for step := range strings.SplitSeq(path, "/") {
		if path == "" {
			break // the whole document
		}
		if strings.ContainsRune(step, '%') {
			if plain, err := url.PathUnescape(step); err == nil {
				step = plain
			}
		}
		step = strings.NewReplacer("~1", "/", "~0", "~").Replace(step)
		if n.Is(tree.List) {
			i, err := strconv.Atoi(step)
			if err != nil || i < 0 || i >= len(n.Values) {
				n = nil
				break
			}
			n = n.Values[i]
			continue
		}
		n = n.Get(step)
	}
	d.pointed[ref] = n
	if n == nil {
		if !ok {
			d.others.lose(ref, errors.New("it points to nothing"))
		}
		return nil, fmt.Errorf("the reference %s points to nothing", text.LineBytes(ref, 120))
	}
	if d.place[n] == "" {
		d.place[n] = ref
	}
	return n, nil
}

// elsewhere is the document that a reference names, and its pointer in it, without the slash in front.
func (d *document) elsewhere(ref string) (*tree.Node, string, error) {
	if strings.HasPrefix(ref, "#") || d.others == nil {
		return nil, "", fmt.Errorf("the reference %s is not supported: want one such as #/components/schemas/Pet",
			text.LineBytes(ref, 120))
	}
	root, fragment, err := d.others.get(ref, d.root)
	if path, ok := strings.CutPrefix(fragment, "/"); err == nil && (ok || fragment == "") {
		return root, path, nil
	}
	if err == nil {
		err = errors.New("names of places are not supported: want a path such as #/Pet")
	}
	d.others.lose(ref, err)
	return nil, "", fmt.Errorf("the reference %s: %w", text.LineBytes(ref, 120), err)
}

// follow resolves references until there is none left.
func (d *document) follow(n *tree.Node) (*tree.Node, error) {
	for hop := 0; ; hop++ {
		ref := n.Get("$ref")
		if !ref.Is(tree.Text) {
			return n, nil
		}
		if hop == maxHops {
			return nil, fmt.Errorf("the reference %s is circular", text.LineBytes(ref.Text, 120))
		}
		var err error
		if n, err = d.pointer(ref.Text); err != nil {
			return nil, err
		}
	}
}

// soft is follow for optional references: nil if one leads nowhere.
func (d *document) soft(n *tree.Node) *tree.Node {
	n, err := d.follow(n)
	if err != nil {
		return nil
	}
	return n
}

// inPlace calls f with the schemas that apply to the same value as n.
func (d *document) inPlace(n *tree.Node, f func(part *tree.Node)) {
	if ref := n.Get("$ref"); ref.Is(tree.Text) {
		if target, err := d.pointer(ref.Text); err == nil {
			f(target)
		}
	}
	for _, keyword := range []string{"allOf", "anyOf", "oneOf"} {
		for _, part := range n.Get(keyword).Items() {
			f(part)
		}
	}
	for _, keyword := range []string{"not", "if", "then", "else"} {
		if part := n.Get(keyword); part.Is(tree.Object) {
			f(part)
		}
	}
	for _, child := range d.extending(n) {
		f(child)
	}
}

// reach is the set of reference targets that apply wherever n does, including n if it applies to itself.
func (d *document) reach(n *tree.Node) map[*tree.Node]bool {
	if set, ok := d.reaches[n]; ok {
		return set
	}
	set, seen := map[*tree.Node]bool{}, map[*tree.Node]bool{}
	var visit func(n *tree.Node)
	visit = func(n *tree.Node) {
		d.inPlace(n, func(part *tree.Node) {
			if d.place[part] != "" {
				set[part] = true
			}
			if !seen[part] {
				seen[part] = true
				visit(part)
			}
		})
	}
	visit(n)
	d.reaches[n] = set
	return set
}

// maxChildren bounds how many extensions of a base are written out.
const maxChildren = 40

// extending lists references to the schemas that extend n by allOf, if n has a discriminator and does not list them
// itself.
func (d *document) extending(n *tree.Node) []*tree.Node {
	if n.Get("discriminator") == nil || n.Get("oneOf") != nil || n.Get("anyOf") != nil {
		return nil
	}
	if d.children == nil {
		d.children = map[*tree.Node][]*tree.Node{}
		d.schemas().Each(func(name string, schema *tree.Node) {
			for _, part := range schema.Get("allOf").Items() {
				ref := part.Get("$ref")
				if !ref.Is(tree.Text) {
					continue
				}
				base, err := d.pointer(ref.Text)
				if err != nil || base == schema {
					continue
				}
				d.children[base] = append(d.children[base], &tree.Node{
					Kind: tree.Object, Names: []string{"$ref"},
					Values: []*tree.Node{{Kind: tree.Text, Text: d.schemaPlace() + strings.NewReplacer("~", "~0", "/", "~1", "%",
						"%25").Replace(name)}},
				})
			}
		})
	}
	if list := d.children[n]; len(list) <= maxChildren {
		return list
	}
	return nil
}

// schemas are the named schemas of the document.
func (d *document) schemas() *tree.Node {
	if d.v2 {
		return d.root.Get("definitions")
	}
	return d.root.At("components", "schemas")
}

func (d *document) schemaPlace() string {
	if d.v2 {
		return "#/definitions/"
	}
	return "#/components/schemas/"
}
