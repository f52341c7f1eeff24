package grpc

// This file writes messages as JSON Schemas, in the form of protobuf's JSON with the names of the fields as declared.

import (
	"encoding/json"
	"strings"

	"google.golang.org/protobuf/reflect/protoreflect"

	"almanac/catalog"
	"almanac/catalog/text"
	"almanac/catalog/tree"
)

const (
	// maxTypes bounds the messages that one schema describes; those beyond it are open tables.
	maxTypes  = 60
	maxRemark = 400
)

type object = map[string]any

// A schemas writes the schema of one message; those in it are in defs.
type schemas struct {
	closed bool // names that are not listed are refused: for arguments
	defs   object
}

// schemaOf is the schema of a message; more are properties of it beside its fields.
func schemaOf(m protoreflect.MessageDescriptor, input bool) (*catalog.Schema, error) {
	s := &schemas{closed: input, defs: object{}}
	whole := object{}
	if known := wellKnown(m); known != nil {
		whole = known
	} else {
		s.message(m, whole)
	}
	if len(s.defs) > 0 {
		whole["$defs"] = s.defs
	}
	raw, err := json.Marshal(whole)
	if err != nil {
		return nil, err
	}
	return catalog.ParseSchema(raw)
}

// listOf is the schema of a stream of messages.
func listOf(m protoreflect.MessageDescriptor) (*catalog.Schema, error) {
	s := &schemas{defs: object{}}
	whole := object{"type": "array", "items": s.ref(m)}
	if len(s.defs) > 0 {
		whole["$defs"] = s.defs
	}
	raw, err := json.Marshal(whole)
	if err != nil {
		return nil, err
	}
	return catalog.ParseSchema(raw)
}

// message fills in the schema of a message.
func (s *schemas) message(m protoreflect.MessageDescriptor, into object) {
	var properties tree.Ordered
	var required []string
	for i := range m.Fields().Len() {
		f := m.Fields().Get(i)
		p := s.field(f)
		if d := comment(f, maxRemark); d != "" {
			p["description"] = d
		}
		if one := f.ContainingOneof(); one != nil && !one.IsSynthetic() {
			d, _ := p["description"].(string)
			p["description"] = strings.TrimSpace(d + " (one of " + string(one.Name()) + ")")
		}
		name := string(f.Name())
		properties.Set(name, p)
		if f.Cardinality() == protoreflect.Required {
			required = append(required, name)
		}
	}
	into["type"], into["properties"] = "object", properties
	if s.closed {
		into["additionalProperties"] = false
	}
	if len(required) > 0 {
		into["required"] = required
	}
}

// field is the schema of a field.
func (s *schemas) field(f protoreflect.FieldDescriptor) object {
	switch {
	case f.IsMap():
		return object{"type": "object", "additionalProperties": s.value(f.MapValue())}
	case f.IsList():
		return object{"type": "array", "items": s.value(f)}
	}
	p := s.value(f)
	if f.HasDefault() && f.Kind() != protoreflect.BytesKind && f.Kind() != protoreflect.EnumKind {
		p["default"] = f.Default().Interface()
	}
	return p
}

// value is the schema of one value of a field.
func (s *schemas) value(f protoreflect.FieldDescriptor) object {
	switch f.Kind() {
	case protoreflect.BoolKind:
		return object{"type": "boolean"}
	case protoreflect.StringKind:
		return object{"type": "string"}
	case protoreflect.BytesKind:
		return object{"type": "string", "contentEncoding": "base64", "description": "base64"}
	case protoreflect.FloatKind, protoreflect.DoubleKind:
		return object{"type": "number"}
	case protoreflect.EnumKind:
		values := []any{}
		for i := range f.Enum().Values().Len() {
			values = append(values, string(f.Enum().Values().Get(i).Name()))
		}
		return object{"type": "string", "enum": values}
	case protoreflect.MessageKind, protoreflect.GroupKind:
		return s.ref(f.Message())
	case protoreflect.Uint64Kind, protoreflect.Fixed64Kind:
		return object{"type": []string{"integer", "string"}} // a text beyond what Lua's integers hold
	}
	return object{"type": "integer"}
}

// ref is a reference to the schema of a message, which is put among the definitions.
func (s *schemas) ref(m protoreflect.MessageDescriptor) object {
	if known := wellKnown(m); known != nil {
		return known
	}
	name := string(m.FullName())
	if s.defs[name] == nil {
		if len(s.defs) >= maxTypes {
			return object{"type": "object", "description": "a " + name + ": its fields are not listed here"}
		}
		made := object{}
		s.defs[name] = made
		s.message(m, made)
	}
	return object{"$ref": "#/$defs/" + name}
}

// wellKnown is the schema of a message that JSON writes in a form of its own; nil for others.
func wellKnown(m protoreflect.MessageDescriptor) object {
	switch m.FullName() {
	case "google.protobuf.Timestamp":
		return object{"type": "string", "format": "date-time"}
	case "google.protobuf.Duration":
		return object{"type": "string", "description": "seconds, such as 1.5s"}
	case "google.protobuf.FieldMask":
		return object{"type": "string", "description": "names of fields with commas between them"}
	case "google.protobuf.Empty":
		return object{"type": "object", "properties": object{}}
	case "google.protobuf.Struct":
		return object{"type": "object"}
	case "google.protobuf.ListValue":
		return object{"type": "array"}
	case "google.protobuf.Value":
		return object{}
	case "google.protobuf.Any":
		return object{"type": "object", "properties": object{"@type": object{"type": "string",
			"description": "the name of a message: type.googleapis.com/PACKAGE.MESSAGE, with the fields of that beside it"}},
			"additionalProperties": object{}}
	case "google.protobuf.BoolValue":
		return object{"type": []string{"boolean", "null"}}
	case "google.protobuf.StringValue", "google.protobuf.BytesValue":
		return object{"type": []string{"string", "null"}}
	case "google.protobuf.DoubleValue", "google.protobuf.FloatValue":
		return object{"type": []string{"number", "null"}}
	case "google.protobuf.Int32Value", "google.protobuf.Int64Value", "google.protobuf.UInt32Value":
		return object{"type": []string{"integer", "null"}}
	case "google.protobuf.UInt64Value":
		return object{"type": []string{"integer", "string", "null"}}
	}
	return nil
}

// comment is what stands before a declaration, as one line of at most n bytes.
func comment(d protoreflect.Descriptor, n int) string {
	return line(commentOf(d), n)
}

func commentOf(d protoreflect.Descriptor) string {
	at := d.ParentFile().SourceLocations().ByDescriptor(d)
	if c := strings.TrimSpace(at.LeadingComments); c != "" {
		return c
	}
	return strings.TrimSpace(at.TrailingComments)
}

func line(s string, n int) string { return text.LineBytes(s, n) }
