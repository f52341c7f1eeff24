package openapi

// This file applies OpenAPI Overlays (1.0): a person's own additions to a document, and what they take out of it.

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/theory/jsonpath"
	"github.com/theory/jsonpath/spec"

	"almanac/catalog"
	"almanac/catalog/regular"
	"almanac/catalog/text"
	"almanac/catalog/tree"
)

// maxOverlay bounds an overlay in bytes.
const maxOverlay = 16 << 20

// overlaid changes a document as the overlays in the files say, in their order. An overlay that cannot be read or
// applied is an error: what it takes out must not stay. notes are targets that match nothing.
func overlaid(root *tree.Node, files []string) (notes []catalog.Skip, err error) {
	for _, file := range files {
		raw, err := regular.Read(file, maxOverlay)
		if err != nil {
			return nil, fmt.Errorf("overlay: %w", err)
		}
		overlay, err := tree.Parse(raw)
		if err == nil {
			err = applied(root, overlay, func(target string) {
				notes = append(notes, catalog.Skip{Source: file, Reason: text.LineBytes(target, 120) + " matches nothing"})
			})
		}
		if err != nil {
			return nil, fmt.Errorf("overlay %s: %w", file, err)
		}
	}
	return notes, nil
}

// applied applies one overlay. unmatched is told the targets that match nothing.
func applied(root, overlay *tree.Node, unmatched func(target string)) error {
	if version := overlay.Get("overlay").Scalar(); !strings.HasPrefix(version, "1.") {
		return fmt.Errorf("want overlay: 1.0.0 at the top, got %q", text.LineBytes(version, 20))
	}
	actions := overlay.Get("actions")
	if !actions.Is(tree.List) {
		return errors.New("actions: want a list")
	}
	for i, action := range actions.Values {
		fail := func(err error) error { return fmt.Errorf("actions[%d]: %w", i, err) }
		target := action.Get("target").Str()
		query, err := jsonpath.Parse(target)
		if err != nil {
			return fail(fmt.Errorf("target %s: %w", text.LineBytes(target, 120), err))
		}
		update := action.Get("update")
		if update == nil && !action.Get("remove").True() {
			return fail(errors.New("want update or remove"))
		}
		// The queries know plain data, which has no order; the tree keeps the document's.
		found := query.SelectLocated(root.Plain())
		if len(found) == 0 {
			unmatched(target)
		}
		var all []located
		for _, node := range found {
			if at, ok := locate(root, node.Path); ok {
				all = append(all, at)
			}
		}
		for _, at := range all {
			if action.Get("remove").True() {
				at.remove()
			} else if err := merge(at.node, update); err != nil {
				return fail(err)
			}
		}
	}
	return nil
}

// A located is a node in what holds it; parent is nil for the document.
type located struct{ parent, node *tree.Node }

func locate(root *tree.Node, path spec.NormalizedPath) (located, bool) {
	at := located{node: root}
	for _, step := range path {
		at.parent = at.node
		switch step := step.(type) {
		case spec.Name:
			at.node = at.node.Get(string(step))
		case spec.Index:
			if items := at.node.Items(); int(step) < len(items) {
				at.node = items[step]
			} else {
				at.node = nil
			}
		}
		if at.node == nil {
			return at, false
		}
	}
	return at, true
}

func (l located) remove() {
	if l.parent == nil {
		return
	}
	if i := slices.Index(l.parent.Values, l.node); i >= 0 {
		l.parent.Values = slices.Delete(l.parent.Values, i, i+1)
		if l.parent.Is(tree.Object) {
			l.parent.Names = slices.Delete(l.parent.Names, i, i+1)
		}
	}
}

// merge adds an update to a target: members to an object, below them too, and an item, or all of a list, to a list.
func merge(target, update *tree.Node) error {
	switch {
	case target.Is(tree.List) && update.Is(tree.List):
		for _, item := range update.Values {
			target.Values = append(target.Values, cloned(item))
		}
	case target.Is(tree.List):
		target.Values = append(target.Values, cloned(update))
	case target.Is(tree.Object) && update.Is(tree.Object):
		var err error
		update.Each(func(name string, value *tree.Node) {
			have := target.Get(name)
			switch {
			case have == nil:
				target.Names, target.Values = append(target.Names, name), append(target.Values, cloned(value))
			case have.Is(tree.Object) && value.Is(tree.Object), have.Is(tree.List) && value.Is(tree.List):
				err = cmp.Or(err, merge(have, value))
			default:
				*have = *cloned(value)
			}
		})
		return err
	case target.Kind < tree.List && update.Kind < tree.List:
		*target = *cloned(update)
	default:
		return errors.New("update: want an object for an object")
	}
	return nil
}

// cloned is a node of its own, so that a later action changes one place.
func cloned(n *tree.Node) *tree.Node {
	out := *n
	out.Names, out.Values = slices.Clone(n.Names), slices.Clone(n.Values)
	for i, value := range out.Values {
		out.Values[i] = cloned(value)
	}
	return &out
}
