package openapi

// This file refuses arguments that smuggle in names: an exploded object writes its own names beside the parameters,
// where one could pose as another parameter, as a value that the host fills in, or as a credential.

import (
	"fmt"
	"net/url"
	"strings"

	"almanac/catalog/text"
)

// clash fails if the parameter's value would write a name that belongs to something else in the same place.
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
	case p.in == "query" || p.in == "querystring":
		list = pairs(p.name, p.style, p.explode, v)
	case p.in == "cookie":
		list = pairs(p.name, "form", p.explode, v)
	}
	return foreign(p.arg, p.name, p.style, list, op.named(strings.TrimSuffix(p.in, "string")))
}

// named lists the names with a meaning of their own in a place.
func (op *operation) named(in string) []string {
	var names []string
	for _, p := range op.plan.params {
		if p.in == in && in != "querystring" {
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

// foreign fails if one of the pairs of an argument has the name of something else.
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
				return fmt.Errorf("argument %s: must not contain %q, the name of another parameter, a credential or a value that "+
					"the host fills in", arg, text.LineBytes(one.name, 60))
			}
		}
	}
	return nil
}

// root is a name as servers may read it: without case and brackets, and with the characters that some read as an
// underscore replaced.
func root(name string) string {
	name = strings.TrimLeft(name, " ")
	if i := strings.IndexAny(name, "[\x00"); i > 0 {
		name = name[:i]
	}
	return strings.ToLower(strings.NewReplacer(".", "_", " ", "_", "+", "_").Replace(name))
}
