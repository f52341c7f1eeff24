package openapi

// This file finds things in a document: what references point to, and how schemas hang together.

import (
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"strings"

	"almanac/catalog/text"
)

// A document is one that was read. It is used by one goroutine.
type document struct {
	root *node
	// v2 tells Swagger 2.0 from OpenAPI 3.
	v2      bool
	version string

	pointed  map[string]*node         // what references point to
	place    map[*node]string         // the reference that a target was first found by
	reaches  map[*node]map[*node]bool // the targets that apply wherever a target does
	children map[*node][]*node        // by base: references to those that extend it
}

// newDocument looks which kind of document it is.
func newDocument(root *node) (*document, error) {
	d := &document{root: root, pointed: map[string]*node{}, place: map[*node]string{}, reaches: map[*node]map[*node]bool{}}
	if !root.is(object) {
		return nil, errors.New("want an OpenAPI document, got something that is no object")
	}
	swagger, openapi := root.get("swagger").scalar(), root.get("openapi").scalar()
	switch {
	case openapi != "" && strings.HasPrefix(openapi, "3"):
		d.version = openapi
	case openapi == "" && strings.HasPrefix(swagger, "2"):
		d.v2, d.version = true, swagger
	case openapi+swagger != "":
		return nil, fmt.Errorf("version %s of OpenAPI is not known: want 2.0, 3.0 or 3.1", text.LineBytes(openapi+swagger, 20))
	default:
		return nil, errors.New("this is no OpenAPI document: it has neither openapi nor swagger at its top")
	}
	return d, nil
}

// maxHops bounds chains of references.
const maxHops = 32

// pointer finds what a reference points to.
func (d *document) pointer(ref string) (*node, error) {
	if n, ok := d.pointed[ref]; ok {
		if n == nil {
			return nil, fmt.Errorf("the reference %s points to nothing", text.LineBytes(ref, 120))
		}
		return n, nil
	}
	path, ok := strings.CutPrefix(ref, "#/")
	if !ok {
		return nil, fmt.Errorf("the reference %s leads out of the document", text.LineBytes(ref, 120))
	}
	n := d.root
	for step := range strings.SplitSeq(path, "/") {
		if strings.ContainsRune(step, '%') {
			if plain, err := url.PathUnescape(step); err == nil {
				step = plain
			}
		}
		step = strings.NewReplacer("~1", "/", "~0", "~").Replace(step)
		if n.is(list) {
			i, err := strconv.Atoi(step)
			if err != nil || i < 0 || i >= len(n.values) {
				n = nil
				break
			}
			n = n.values[i]
			continue
		}
		n = n.get(step)
	}
	d.pointed[ref] = n
	if n == nil {
		return nil, fmt.Errorf("the reference %s points to nothing", text.LineBytes(ref, 120))
	}
	if d.place[n] == "" {
		d.place[n] = ref
	}
	return n, nil
}

// follow steps through references until there is none.
func (d *document) follow(n *node) (*node, error) {
	for hop := 0; ; hop++ {
		ref := n.get("$ref")
		if !ref.is(textual) {
			return n, nil
		}
		if hop == maxHops {
			return nil, fmt.Errorf("the reference %s leads in a circle", text.LineBytes(ref.text, 120))
		}
		var err error
		if n, err = d.pointer(ref.text); err != nil {
			return nil, err
		}
	}
}

// soft is follow for places where nothing depends on it: nil where it leads nowhere.
func (d *document) soft(n *node) *node {
	n, err := d.follow(n)
	if err != nil {
		return nil
	}
	return n
}

// inPlace calls f with the schemas that apply to the same value as n does.
func (d *document) inPlace(n *node, f func(part *node)) {
	if ref := n.get("$ref"); ref.is(textual) {
		if target, err := d.pointer(ref.text); err == nil {
			f(target)
		}
	}
	for _, keyword := range []string{"allOf", "anyOf", "oneOf"} {
		for _, part := range n.get(keyword).items() {
			f(part)
		}
	}
	for _, keyword := range []string{"not", "if", "then", "else"} {
		if part := n.get(keyword); part.is(object) {
			f(part)
		}
	}
	for _, child := range d.extending(n) {
		f(child)
	}
}

// reach is the set of targets of references that apply wherever n does, n among them when it applies to itself.
func (d *document) reach(n *node) map[*node]bool {
	if set, ok := d.reaches[n]; ok {
		return set
	}
	set, seen := map[*node]bool{}, map[*node]bool{}
	var visit func(n *node)
	visit = func(n *node) {
		d.inPlace(n, func(part *node) {
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

// extending lists references to the schemas that extend n by allOf, where n has a discriminator and does not list
// them itself.
func (d *document) extending(n *node) []*node {
	if n.get("discriminator") == nil || n.get("oneOf") != nil || n.get("anyOf") != nil {
		return nil
	}
	if d.children == nil {
		d.children = map[*node][]*node{}
		d.schemas().each(func(name string, schema *node) {
			for _, part := range schema.get("allOf").items() {
				ref := part.get("$ref")
				if !ref.is(textual) {
					continue
				}
				base, err := d.pointer(ref.text)
				if err != nil || base == schema {
					continue
				}
				d.children[base] = append(d.children[base], &node{
					kind: object, names: []string{"$ref"},
					values: []*node{{kind: textual, text: d.schemaPlace() + strings.NewReplacer("~", "~0", "/", "~1", "%", "%25").Replace(name)}},
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
func (d *document) schemas() *node {
	if d.v2 {
		return d.root.get("definitions")
	}
	return d.root.at("components", "schemas")
}

func (d *document) schemaPlace() string {
	if d.v2 {
		return "#/definitions/"
	}
	return "#/components/schemas/"
}
