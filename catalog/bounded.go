package catalog

// This file makes schemas of Go types that contain themselves. What a value has below its own kind a second time is
// left open, for the function to check.

import (
	"maps"
	"reflect"
	"slices"

	"github.com/google/jsonschema-go/jsonschema"
)

// schemaOf is the schema of a type, bounded where the type contains itself.
func schemaOf(t reflect.Type) (*jsonschema.Schema, error) {
	s, err := jsonschema.ForType(t, nil)
	if err == nil {
		return s, nil
	}
	open := map[reflect.Type]*jsonschema.Schema{}
	recursive(t, nil, map[reflect.Type]bool{}, open)
	if len(open) == 0 {
		return nil, err
	}
	once := map[reflect.Type]*jsonschema.Schema{}
	for _, inner := range slices.Collect(maps.Keys(open)) {
		if once[inner], err = jsonschema.ForType(unnamed(inner), &jsonschema.ForOptions{TypeSchemas: open}); err != nil {
			return nil, err
		}
	}
	if s := once[t]; s != nil {
		return s, nil
	}
	return jsonschema.ForType(t, &jsonschema.ForOptions{TypeSchemas: once})
}

// recursive finds the types that contain themselves, with a schema for each that says no more than its kind. path are
// the types that t is in.
func recursive(t reflect.Type, path []reflect.Type, seen map[reflect.Type]bool,
	open map[reflect.Type]*jsonschema.Schema) {
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Array, reflect.Map, reflect.Struct:
	default:
		return
	}
	if slices.Contains(path, t) && t.Name() != "" {
		kind := "object"
		if t.Kind() == reflect.Slice || t.Kind() == reflect.Array {
			kind = "array"
		}
		open[t] = &jsonschema.Schema{Type: kind}
	}
	if seen[t] {
		return
	}
	seen[t] = true
	path = append(path, t)
	if t.Kind() != reflect.Struct {
		recursive(t.Elem(), path, seen, open)
		return
	}
	for _, f := range fieldsOf(t) {
		recursive(f.Type, path, seen, open)
	}
}

// unnamed is a type of the same form without a name.
func unnamed(t reflect.Type) reflect.Type {
	switch t.Kind() {
	case reflect.Struct:
		return reflect.StructOf(fieldsOf(t))
	case reflect.Slice:
		return reflect.SliceOf(t.Elem())
	case reflect.Array:
		return reflect.ArrayOf(t.Len(), t.Elem())
	default:
		return reflect.MapOf(t.Key(), t.Elem())
	}
}

// fieldsOf are the exported fields of a struct, with those of embedded ones.
func fieldsOf(t reflect.Type) (fields []reflect.StructField) {
	for _, f := range reflect.VisibleFields(t) {
		known := func(have reflect.StructField) bool { return have.Name == f.Name }
		if f.IsExported() && !f.Anonymous && !slices.ContainsFunc(fields, known) {
			fields = append(fields, reflect.StructField{Name: f.Name, Type: f.Type, Tag: f.Tag})
		}
	}
	return fields
}
