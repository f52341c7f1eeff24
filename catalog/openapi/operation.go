package openapi

// This file reads the operations of a document.

import (
	"fmt"
	"slices"
	"strings"

	"almanac/catalog"
	"almanac/catalog/text"
	"almanac/catalog/tree"
)

// An operation is one method of one path, with what a call needs.
type operation struct {
	method, path                      string // the method in lower case
	operationID, summary, description string
	tags                              []string
	deprecated                        bool
	name                              name
	id, wanted                        string

	node, item *tree.Node
	plan       plan
}

// methods are the possible methods, in the order of a path's operations.
var methods = []string{"get", "put", "post", "delete", "options", "head", "patch", "trace", "query"}

// operations reads all operations, in document order. Invalid ones are skipped.
func (d *document) operations(source string) (ops []*operation, skipped []catalog.Skip, found int) {
	skip := func(what, reason string) {
		found++
		skipped = append(skipped, catalog.Skip{ID: text.LineBytes(what, 200), Source: source, Reason: reason})
	}
	paths := d.root.Get("paths")
	if paths != nil && !paths.Is(tree.Object) {
		skip("paths", "want an object of paths")
	}
	paths.Each(func(path string, item *tree.Node) {
		if strings.HasPrefix(path, "x-") {
			return
		}
		whole, err := d.follow(item)
		if err != nil {
			skip(path, err.Error())
			return
		}
		if !whole.Is(tree.Object) {
			if !whole.Is(tree.Null) {
				skip(path, "want an object of methods")
			}
			return
		}
		read := func(method string, n *tree.Node) {
			if !n.Is(tree.Object) {
				skip(strings.ToUpper(method)+" "+path, "want an object that describes the operation")
				return
			}
			if !strings.HasPrefix(path, "/") {
				path = "/" + path
			}
			op := &operation{
				method: method, path: path, operationID: n.Get("operationId").Scalar(),
				summary: n.Get("summary").Str(), description: n.Get("description").Str(),
				tags: n.Get("tags").Strings(), deprecated: n.Get("deprecated").True(), node: n, item: whole,
			}
			found++
			ops = append(ops, op)
		}
		whole.Each(func(key string, n *tree.Node) {
			if method := strings.ToLower(key); slices.Contains(methods, method) && !n.Is(tree.Null) {
				read(method, n)
			}
		})
		whole.Get("additionalOperations").Each(func(key string, n *tree.Node) {
			if strings.Trim(key, "ABCDEFGHIJKLMNOPQRSTUVWXYZ-_") != "" || key == "" || key == "CONNECT" {
				skip(key+" "+path, "its method is not supported: want capital letters, and not CONNECT")
				return
			}
			read(strings.ToLower(key), n)
		})
	})
	return ops, skipped, found
}

// describe is the entry's description of the operation: the summary, then the description, or else one that is made
// here.
func (op *operation) describe(input *catalog.Schema) string {
	summary, description := lines(op.summary, 300), lines(op.description, maxDescription)
	if summary == "" && description == "" {
		summary = op.made(input)
	}
	if summary != "" && !strings.HasSuffix(summary, ".") && !strings.HasSuffix(summary, "!") &&
		!strings.HasSuffix(summary, "?") && !strings.HasSuffix(summary, catalog.Undescribed) {
		summary += "."
	}
	var parts []string
	if op.deprecated {
		parts = append(parts, "Deprecated.")
	}
	for _, part := range []string{summary, description} {
		if part != "" && !(part == description && strings.TrimSuffix(summary, ".") == strings.TrimSuffix(description, ".")) {
			parts = append(parts, part)
		}
	}
	if op.deprecated && len(parts) > 1 {
		// The first sentence is what lists show.
		parts = append(parts[1:], "Deprecated.")
	}
	return lines(strings.Join(parts, "\n"), maxDescription)
}

// maxDescription is how much of a description is kept, in bytes.
const maxDescription = 4 << 10

// title is a short name for people.
func (op *operation) title() string { return strings.TrimSuffix(text.LineBytes(op.summary, 100), ".") }

// parameters are those of the path, overridden by the operation's own, with references resolved. lost lists invalid
// ones.
func (d *document) parameters(op *operation) (list []*tree.Node, lost []string) {
	place := map[string]int{}
	for _, holder := range []*tree.Node{op.item, op.node} {
		for _, param := range holder.Get("parameters").Items() {
			n, err := d.follow(param)
			if err != nil {
				lost = append(lost, err.Error())
				continue
			}
			key := n.Get("in").Str() + " " + n.Get("name").Scalar()
			if n.Get("name").Scalar() == "" || n.Get("in").Str() == "" {
				lost = append(lost, fmt.Sprintf("a parameter without name or place (%s)", text.LineBytes(key, 60)))
				continue
			}
			if i, ok := place[key]; ok {
				list[i] = n
				continue
			}
			place[key] = len(list)
			list = append(list, n)
		}
	}
	return list, lost
}
