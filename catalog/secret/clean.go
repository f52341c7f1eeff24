package secret

// This file redacts whole structures, so that a field added later is not forgotten.

import (
	"encoding/json"
	"maps"
	"reflect"
	"slices"
)

// deepest bounds how deep a structure is searched; nothing that is shown nests so deeply.
const deepest = 300

// Clean returns v without the values in any text reachable by exported fields, pointers, lists, tables and their names.
// v itself is not changed; clean parts of it are shared.
func Clean[T any](c Cutter, v T) T {
	if c.patterns == nil {
		return v
	}
	old := reflect.ValueOf(&v).Elem()
	if clean, changed := c.clean(old, 0); changed {
		old.Set(clean)
	}
	return v
}

var rawMessage = reflect.TypeFor[json.RawMessage]()

func (c Cutter) clean(v reflect.Value, depth int) (_ reflect.Value, changed bool) {
	if depth > deepest {
		return v, false
	}
	switch v.Kind() {
	case reflect.String:
		text := v.String()
		plain := c.Text(text)
		if plain == text {
			return v, false
		}
		return reflect.ValueOf(plain).Convert(v.Type()), true
	case reflect.Interface, reflect.Pointer:
		return c.cleanInner(v, depth)
	case reflect.Struct:
		return c.cleanFields(v, depth)
	case reflect.Map:
		return c.cleanMap(v, depth)
	case reflect.Slice:
		if v.Type() == rawMessage {
			plain := c.JSON(v.Bytes())
			return reflect.ValueOf(json.RawMessage(plain)), !slices.Equal(plain, v.Bytes())
		}
		return c.cleanList(v, depth)
	}
	return v, false
}

func (c Cutter) cleanInner(v reflect.Value, depth int) (reflect.Value, bool) {
	if v.IsNil() {
		return v, false
	}
	switch data := v.Interface().(type) {
	case string, []any, map[string]any:
		plain, changed := c.data(data, depth)
		return reflect.ValueOf(plain), changed
	}
	inner, changed := c.clean(v.Elem(), depth+1)
	if !changed {
		return v, false
	}
	if v.Kind() == reflect.Interface {
		return inner, true
	}
	fresh := reflect.New(v.Type().Elem())
	fresh.Elem().Set(inner)
	return fresh, true
}

func (c Cutter) cleanFields(v reflect.Value, depth int) (reflect.Value, bool) {
	fresh := reflect.Value{}
	for i := range v.NumField() {
		if !v.Type().Field(i).IsExported() {
			continue
		}
		inner, changed := c.clean(v.Field(i), depth+1)
		if !changed {
			continue
		}
		if !fresh.IsValid() {
			fresh = reflect.New(v.Type()).Elem()
			fresh.Set(v)
		}
		fresh.Field(i).Set(inner)
	}
	if !fresh.IsValid() {
		return v, false
	}
	return fresh, true
}

func (c Cutter) cleanMap(v reflect.Value, depth int) (reflect.Value, bool) {
	fresh := reflect.Value{}
	for _, name := range v.MapKeys() {
		plain, renamed := c.clean(name, depth+1)
		inner, changed := c.clean(v.MapIndex(name), depth+1)
		if !renamed && !changed {
			continue
		}
		if !fresh.IsValid() {
			fresh = reflect.MakeMapWithSize(v.Type(), v.Len())
			for _, each := range v.MapKeys() {
				fresh.SetMapIndex(each, v.MapIndex(each))
			}
		}
		fresh.SetMapIndex(name, reflect.Value{})
		fresh.SetMapIndex(plain, inner)
	}
	if !fresh.IsValid() {
		return v, false
	}
	return fresh, true
}

func (c Cutter) cleanList(v reflect.Value, depth int) (reflect.Value, bool) {
	fresh := reflect.Value{}
	for i := range v.Len() {
		inner, changed := c.clean(v.Index(i), depth+1)
		if !changed {
			continue
		}
		if !fresh.IsValid() {
			fresh = reflect.MakeSlice(v.Type(), v.Len(), v.Len())
			reflect.Copy(fresh, v)
		}
		fresh.Index(i).Set(inner)
	}
	if !fresh.IsValid() {
		return v, false
	}
	return fresh, true
}

// Data does the same to plain data, which may be large, without reflection.
func (c Cutter) Data(v any) any {
	if c.patterns != nil {
		v, _ = c.data(v, 0)
	}
	return v
}

func (c Cutter) data(v any, depth int) (_ any, changed bool) {
	if depth > deepest {
		return v, false
	}
	switch v := v.(type) {
	case nil, bool, int64, float64, json.Number:
		return v, false
	case string:
		text := c.Text(v)
		return text, text != v
	case []any:
		list := v
		for i := range v {
			if inner, other := c.data(v[i], depth+1); other {
				if !changed {
					list, changed = slices.Clone(v), true
				}
				list[i] = inner
			}
		}
		return list, changed
	case map[string]any:
		object := v
		for name, inner := range v {
			inner, other := c.data(inner, depth+1)
			plain := c.Text(name)
			if !other && plain == name {
				continue
			}
			if !changed {
				object, changed = maps.Clone(v), true
			}
			delete(object, name)
			object[plain] = inner
		}
		return object, changed
	}
	inner, changed := c.clean(reflect.ValueOf(v), depth+1)
	return inner.Interface(), changed
}
