package openapi

// This file refuses names that arguments bring along and that are not theirs: an exploded object writes its own names
// beside the parameters, where one could speak for another parameter, for what the host fills in, or for a credential.

import (
	"fmt"
	"net/url"
	"strings"

	"almanac/catalog/text"
)

// clash fails when writing the value of the parameter would give a name that belongs to something else in its place.
func (op *operation) clash(p *param, v any) error {
	object, ok := v.(map[string]any)
	if !ok || p.json {
		return nil
	}
	var list []pair
	switch {
	case p.in == "path" && p.style == "matrix" && p.explode:
		for name := range object {
			list = append(list, pair{name: name})
		}
	case p.in == "query":
		list = pairs(p.name, p.style, p.explode, v)
	case p.in == "cookie":
		list = pairs(p.name, "form", p.explode, v)
	}
	return foreign(p.arg, p.name, p.style, list, op.named(p.in))
}

// named lists the names that have a meaning of their own in a place.
func (op *operation) named(in string) []string {
	var names []string
	for _, p := range op.plan.params {
		if p.in == in {
			names = append(names, p.name)
		}
	}
	for key := range op.plan.keys {
		if place, name, _ := strings.Cut(key, " "); place == in {
			names = append(names, name)
		}
	}
	if _, own, _ := strings.Cut(op.path, "?"); own != "" && in == "query" {
		// What cannot be read has no names.
		given, _ := url.ParseQuery(own)
		for name := range given {
			names = append(names, name)
		}
	}
	return names
}

// foreign fails when one of the pairs that an argument became has the name of something else.
func foreign(arg, own, style string, list []pair, names []string) error {
	for _, one := range list {
		if one.name == own {
			continue
		}
		for _, name := range names {
			same := root(one.name) == root(name)
			if style == "deepObject" {
				same = strings.EqualFold(one.name, name)
			}
			if same && name != own {
				return fmt.Errorf("argument %s: it must not hold %q, which is the name of another parameter, of a credential or of what the host fills in", arg, text.LineBytes(one.name, 60))
			}
		}
	}
	return nil
}

// root is a name as servers read it that make lists and tables of names: without case, brackets, and what some of them
// take for an underscore.
func root(name string) string {
	name = strings.TrimLeft(name, " ")
	if i := strings.IndexAny(name, "[\x00"); i > 0 {
		name = name[:i]
	}
	return strings.ToLower(strings.NewReplacer(".", "_", " ", "_", "+", "_").Replace(name))
}
