package manifest

// This file changes the descriptions of other sources' actions. The person writes overlays, so they may raise a risk or
// lower it.

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"almanac/catalog"
	"almanac/catalog/pattern"
	"almanac/catalog/text"
	"almanac/catalog/tree"
)

// A declaredOverlay is an overlay as written in a manifest.
type declaredOverlay struct {
	properties
	Match       yaml.Node `yaml:"match"`
	Source      string    `yaml:"source"`
	Hide        bool      `yaml:"hide"`
	Title       *string   `yaml:"title"`
	Description *string   `yaml:"description"`
}

// An overlay is an overlay of a manifest, ready to be applied.
type overlay struct {
	declaredOverlay
	place    string
	match    []string
	patterns []pattern.Pattern
	risk     catalog.Risk
	timeout  time.Duration
	inject   []catalog.Injection
	undo     *catalog.Compensation
	effects  []catalog.Effect
	conduct  conduct
	// broken says what is wrong with it; then everything it matches is hidden, since that may have been its purpose.
	broken string
}

// overlays reads the overlays; nil if there are none. An invalid one hides what it matches; if that is unknown too,
// overlays fails.
func (r *reading) overlays(n *yaml.Node) (catalog.Overlay, error) {
	if n.IsZero() || n.Tag == "!!null" {
		return nil, nil
	}
	if n.Kind != yaml.SequenceNode {
		return nil, tree.FaultAt(n, "overlays: want a list, got %s", kindOf(n))
	}
	var all []overlay
	for _, item := range n.Content {
		o, err := r.overlay(item)
		if err != nil {
			return nil, err
		}
		all = append(all, o)
	}
	return func(entries []catalog.Entry) catalog.Overlaid { return applyOverlays(all, entries) }, nil
}

func (r *reading) overlay(n *yaml.Node) (overlay, error) {
	members, err := mapping(n, "overlay")
	if err != nil {
		return overlay{}, err
	}
	o := overlay{place: r.place(n.Line)}
	at := slices.IndexFunc(members, func(m member) bool { return m.name == "match" })
	if at < 0 {
		return overlay{}, tree.FaultAt(n, "overlay: match is missing: want an id, or a pattern such as billing.*")
	}
	if o.match, err = texts(members[at].value, "overlay: match"); err != nil {
		return overlay{}, err
	}
	if o.patterns, err = pattern.ParseAll(o.match); err != nil {
		return overlay{}, tree.FaultAt(members[at].value, "overlay: match: %v", err)
	}
	if err = decode(n, "overlay", &o.declaredOverlay); err == nil {
		o.risk, o.timeout, o.inject, err = o.read()
	}
	if err == nil {
		o.undo, err = compensationOf(&o.Compensate)
	}
	if err == nil {
		o.effects, err = effectsOf(&o.Effects)
	}
	if err == nil {
		o.conduct, err = r.conduct(&o.properties)
	}
	if err != nil {
		o.place = r.place(lineOf(err, n))
		o.broken = err.Error()
	}
	return o, nil
}

// applyOverlays applies overlays to entries, in document order: if two set the same thing, the later one counts.
func applyOverlays(all []overlay, entries []catalog.Entry) catalog.Overlaid {
	said := catalog.Overlaid{Hidden: map[string]string{}}
	remark := func(o *overlay, id, format string, args ...any) {
		said.Remarks = append(said.Remarks, catalog.Skip{ID: id, Source: o.place, Reason: fmt.Sprintf(format, args...)})
	}
	for i := range all {
		o := &all[i]
		if o.broken != "" {
			remark(o, "", "%s; what it matches is hidden until this is fixed", o.broken)
		}
		found := false
		for j := range entries {
			e := &entries[j]
			if !o.matches(e) {
				continue
			}
			found = true
			if o.Hide || o.broken != "" {
				said.Hidden[e.ID] = "the overlay at " + o.place
				continue
			}
			o.describe(e)
			if err := e.CheckEffects(); err != nil {
				remark(o, e.ID, "%v", err)
			}
			if o.conduct.apply(e, func(format string, args ...any) { remark(o, e.ID, format, args...) }) {
				said.Hidden[e.ID] = "the overlay at " + o.place
			}
			for _, in := range o.inject {
				switch inject(e, in) {
				case notThere:
					remark(o, e.ID, "context: it has no parameter %s, and takes none", in.Field)
				case notTakenOut:
					said.Hidden[e.ID] = "the overlay at " + o.place
					remark(o, e.ID, "context: a caller might still send %s (in a choice of shapes, inside a parameter, "+
						"or as an unlisted name): the action is hidden", in.Field)
				}
			}
		}
		if !found {
			remark(o, "", "%s matches no action", strings.Join(o.match, ", "))
		}
	}
	return said
}

func (o *overlay) matches(e *catalog.Entry) bool {
	return (o.Source == "" || o.Source == e.Source) &&
		slices.ContainsFunc(o.patterns, func(p pattern.Pattern) bool { return p.Match(e.ID) })
}

// describe changes the description of an entry. Lists are extended; everything else is replaced.
func (o *overlay) describe(e *catalog.Entry) {
	if o.Title != nil {
		e.Title = *o.Title
	}
	if o.Description != nil {
		e.Description = text.HeadBytes(*o.Description, maxDescription)
	}
	e.Entities = grown(e.Entities, o.Entities)
	e.Tags = grown(e.Tags, o.Tags)
	e.Aliases = grown(e.Aliases, o.Aliases)
	e.Examples = grown(e.Examples, o.Examples)
	if o.Mutates != nil {
		e.Mutates = *o.Mutates
		if reads := catalog.OperationOf(e) == catalog.Read; reads && e.Mutates {
			e.Operation = catalog.Update
		} else if !reads && !e.Mutates {
			e.Operation = catalog.Read
		}
	}
	if o.Operation != "" {
		e.Operation = catalog.Operation(strings.ToLower(o.Operation))
	}
	if o.risk != "" {
		e.Risk = o.risk
	}
	e.Category, e.Version = cmp.Or(o.Category, e.Category), cmp.Or(o.Version, e.Version)
	if o.Strict != nil {
		e.Strict = *o.Strict
	}
	if o.timeout > 0 {
		e.Timeout = o.timeout
	}
	if o.undo != nil {
		e.Compensate = o.undo
	}
	if o.effects != nil {
		e.Effects = o.effects
	}
}

// grown is list with the new items of more, in a slice of its own.
func grown(list, more []string) []string {
	list = slices.Clip(list)
	for _, text := range more {
		if !slices.Contains(list, text) {
			list = append(list, text)
		}
	}
	return list
}

// A taking is the outcome of removing a parameter that the host fills in.
type taking byte

const (
	takenOut taking = iota
	// notThere: the action has no such parameter and refuses unlisted names.
	notThere
	// notTakenOut: a caller may still send the name.
	notTakenOut
)

// inject removes a parameter from the schema of an entry and leaves it to the host.
func inject(e *catalog.Entry, in catalog.Injection) taking {
	fields := e.Input.Fields()
	at := slices.IndexFunc(fields, func(f catalog.Field) bool { return f.Name == in.Field })
	if at < 0 {
		if e.Input == nil || len(fields) > 0 && !open(e.Input.JSON()) && !mentions(e.Input.JSON(), in.Field) {
			return notThere
		}
		return notTakenOut
	}
	e.Inject = append(slices.Clip(e.Inject), in)
	switch strings.TrimSuffix(fields[at].Type, "?") {
	case "int", "num":
		e.Inject[len(e.Inject)-1].Number = true
	}
	text, err := without(e.Input.JSON(), in.Field, 0)
	if err != nil || mentions(text, in.Field) {
		return notTakenOut
	}
	s, err := catalog.ParseSchema(text)
	if err != nil {
		return notTakenOut
	}
	e.Input = s
	// An example that sends it would be refused.
	e.Examples = slices.DeleteFunc(slices.Clone(e.Examples), func(text string) bool {
		return strings.Contains(text, in.Field)
	})
	return takenOut
}

// open reports whether a schema may accept unlisted names, judged by its outermost level: anything but a plain table of
// properties may.
func open(schema []byte) bool {
	var s map[string]json.RawMessage
	if json.Unmarshal(schema, &s) != nil {
		return true
	}
	for _, key := range []string{"allOf", "anyOf", "oneOf", "if", "not", "$ref", "$dynamicRef", "patternProperties",
		"dependentSchemas"} {
		if s[key] != nil {
			return true
		}
	}
	more := s["additionalProperties"]
	return more != nil && string(more) != "false"
}

// mentions reports whether a schema names the property anywhere.
func mentions(schema []byte, name string) bool {
	var v any
	return json.Unmarshal(schema, &v) != nil || named(v, name)
}

func named(v any, name string) bool {
	switch v := v.(type) {
	case []any:
		return slices.ContainsFunc(v, func(item any) bool { return named(item, name) })
	case map[string]any:
		for key, inner := range v {
			listed, isTable := inner.(map[string]any)
			required, isList := inner.([]any)
			if isTable && key == "properties" && listed[name] != nil ||
				isList && key == "required" && slices.Contains(required, any(name)) || named(inner, name) {
				return true
			}
		}
	}
	return false
}

// without is the text of a schema without properties of the name, at its outermost level and in the parts of an allOf.
func without(schema []byte, name string, depth int) ([]byte, error) {
	names, values, err := tree.Members(schema)
	if err != nil || depth > maxNesting {
		return schema, err
	}
	var out bytes.Buffer
	out.WriteByte('{')
	for i, key := range names {
		value := []byte(values[i])
		switch key {
		case "properties":
			value = withoutMember(value, name)
		case "required":
			value, err = withoutItem(value, name)
		case "allOf":
			value, err = withoutParts(value, name, depth)
		}
		if err != nil {
			return nil, err
		}
		if out.Len() > 1 {
			out.WriteByte(',')
		}
		out.Write(tree.Quote(nil, key))
		out.WriteByte(':')
		out.Write(value)
	}
	out.WriteByte('}')
	return out.Bytes(), nil
}

// Malformed parts are left unchanged.

func withoutMember(object []byte, name string) []byte {
	names, values, err := tree.Members(object)
	if err != nil {
		return object
	}
	var parts [][]byte
	for i, key := range names {
		if key != name {
			parts = append(parts, slices.Concat(tree.Quote(nil, key), []byte(":"), values[i]))
		}
	}
	return slices.Concat([]byte("{"), bytes.Join(parts, []byte(",")), []byte("}"))
}

func withoutItem(list []byte, name string) ([]byte, error) {
	var items []string
	if json.Unmarshal(list, &items) != nil {
		return list, nil
	}
	return json.Marshal(slices.DeleteFunc(items, func(item string) bool { return item == name }))
}

func withoutParts(list []byte, name string, depth int) ([]byte, error) {
	var parts []json.RawMessage
	if json.Unmarshal(list, &parts) != nil {
		return list, nil
	}
	for i, part := range parts {
		if len(part) == 0 || part[0] != '{' {
			continue
		}
		changed, err := without(part, name, depth+1)
		if err != nil {
			return nil, err
		}
		parts[i] = changed
	}
	return json.Marshal(parts)
}
