package catalog

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"reflect"

	"almanac/catalog/spec"
)

// Func makes an entry from a typed Go function. The schemas come from the struct tags of In and Out: `json` gives the
// names (omitempty: not required), `jsonschema` the descriptions. In must be a struct or a map with string keys. A
// schema that e has already stays. What the function returns becomes the result's data through encoding/json; an Out of
// type any leaves the output schema open; one of WithEffects has effects beside its data. A type that contains
// itself is described once, and left open below. Func panics if a type has no schema, such as one with a channel, which
// is a programming error.
func Func[In, Out any](e Entry, fn func(ctx context.Context, in In, c Context) (Out, error)) Entry {
	if e.Input == nil {
		e.Input = inferred[In](e.ID)
	}
	if e.Output == nil {
		e.Output = outputOf[Out](e.ID)
	}
	e.Action = func(ctx context.Context, call Call) (Result, error) {
		in, err := Arguments[In](call)
		if err != nil {
			return Result{}, err
		}
		out, err := fn(ctx, in, call.Context)
		if err != nil {
			return Result{}, err
		}
		var data any = out
		var effects []Effect
		if with, ok := data.(emitting); ok {
			data, effects = with.parts()
		}
		raw, err := json.Marshal(data)
		if err != nil {
			return Result{}, fmt.Errorf("result of type %T is no data: %w", data, err)
		}
		return Result{Data: spec.Decode(raw), Effects: effects}, nil
	}
	return e
}

// Arguments are the arguments of a call as the type that a Func of the entry takes them in.
func Arguments[In any](call Call) (in In, err error) {
	raw, err := json.Marshal(call.Args)
	if err == nil {
		dec := json.NewDecoder(bytes.NewReader(raw))
		dec.UseNumber()
		err = dec.Decode(&in)
	}
	if err != nil {
		return in, fmt.Errorf("arguments do not fit %T: %w", in, err)
	}
	return in, nil
}

// emitting is WithEffects of any type.
type emitting interface {
	parts() (data any, effects []Effect)
	output(id string) *Schema
}

// outputOf is the schema of a result type; nil where it may be anything.
func outputOf[T any](id string) *Schema {
	var zero T
	switch t := any(&zero).(type) {
	case *any:
		return nil
	case emitting:
		return t.output(id)
	}
	return inferred[T](id)
}

func inferred[T any](id string) *Schema {
	s, err := schemaOf(reflect.TypeFor[T]())
	if err != nil {
		panic(fmt.Sprintf("catalog.Func: %s: %v", id, err))
	}
	raw, err := json.Marshal(s)
	if err != nil {
		panic(fmt.Sprintf("catalog.Func: %s: %v", id, err))
	}
	return MustSchema(string(raw))
}
