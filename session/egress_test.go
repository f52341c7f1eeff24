package session

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"almanac/catalog"
	"almanac/catalog/secret"
	"almanac/session/policy"
	"almanac/session/trace"
)

// A text in any field of an outcome, an answer, a record or a request loses its secrets, those in fields that are added
// later too. A type that keeps text where nothing can take a secret out of it has to be named here, with its reason.
func TestEgressReachesEveryField(t *testing.T) {
	const value = "hunter22"
	closed := map[reflect.Type]string{
		reflect.TypeFor[time.Time]():      "holds no text of anybody's",
		reflect.TypeFor[catalog.Set]():    "holds the view and numbers of its entries",
		reflect.TypeFor[catalog.Schema](): "is the text of a source, and shown as that of a Spec",
	}
	filter := secret.New([]string{value}, secret.Least)
	for _, v := range []any{new(Outcome), new(Answer), new(trace.Record), new(Request)} {
		f := filler{text: value, closed: closed, depth: map[reflect.Type]int{}}
		f.fill(reflect.ValueOf(v).Elem(), reflect.TypeOf(v).Elem().Name())
		for _, place := range f.unreachable {
			if strings.Contains(place, ".Steps[1].needs") {
				continue // names of fields by which a plan is ordered; nothing shows them
			}
			t.Errorf("%s: it is not exported, and so not cleaned", place)
		}
		before := fmt.Sprint(placedTexts(reflect.ValueOf(v), 0))
		if n := strings.Count(before, value); n < 5 {
			t.Fatalf("%T: the test filled only %d texts", v, n)
		}
		clean := secret.Clean(filter, v)
		for _, text := range placedTexts(reflect.ValueOf(clean), 0) {
			if strings.Contains(text, value) {
				t.Errorf("%T: %s", v, text)
			}
		}
	}
}

// A filler puts a text wherever a value can hold one.
type filler struct {
	text        string
	closed      map[reflect.Type]string
	depth       map[reflect.Type]int // how often a type is under way, which bounds those that hold themselves
	unreachable []string
}

func (f *filler) fill(v reflect.Value, place string) {
	if _, ok := f.closed[v.Type()]; ok || f.depth[v.Type()] > 1 {
		return
	}
	f.depth[v.Type()]++
	defer func() { f.depth[v.Type()]-- }()
	switch v.Kind() {
	case reflect.String:
		v.SetString(f.text)
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		f.fill(v.Elem(), place)
	case reflect.Interface:
		if v.NumMethod() == 0 {
			v.Set(reflect.ValueOf(map[string]any{f.text: []any{f.text}}))
		}
	case reflect.Struct:
		for i := range v.NumField() {
			field := v.Type().Field(i)
			if field.IsExported() {
				f.fill(v.Field(i), place+"."+field.Name)
			} else {
				f.unreachable = append(f.unreachable, place+"."+field.Name)
			}
		}
	case reflect.Slice:
		if v.Type() == reflect.TypeFor[json.RawMessage]() {
			v.SetBytes([]byte(`{"a": "` + f.text + `"}`))
			return
		}
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		f.fill(v.Index(1), place+"[1]")
	case reflect.Map:
		name, inner := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
		f.fill(name, place+" name")
		f.fill(inner, place+"[]")
		v.Set(reflect.MakeMap(v.Type()))
		v.SetMapIndex(name, inner)
	case reflect.Array:
		for i := range v.Len() {
			f.fill(v.Index(i), place+"[]")
		}
	}
}

// placedTexts are all texts in v, each behind the place where it is.
func placedTexts(v reflect.Value, depth int) (all []string) {
	if depth > 40 {
		return nil
	}
	add := func(place string, inner reflect.Value) {
		for _, text := range placedTexts(inner, depth+1) {
			all = append(all, place+text)
		}
	}
	switch v.Kind() {
	case reflect.String:
		return []string{": " + v.String()}
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() {
			add("", v.Elem())
		}
	case reflect.Struct:
		for i := range v.NumField() {
			add("."+v.Type().Field(i).Name, v.Field(i))
		}
	case reflect.Slice, reflect.Array:
		if v.Type() == reflect.TypeFor[json.RawMessage]() {
			return []string{": " + string(v.Bytes())}
		}
		for i := range v.Len() {
			add(fmt.Sprintf("[%d]", i), v.Index(i))
		}
	case reflect.Map:
		for _, name := range v.MapKeys() {
			add(" name", name)
			add("[]", v.MapIndex(name))
		}
	}
	return all
}

// The question names the arguments that hold a credential, which it does not show and the action gets.
func TestQuestionsNameCredentials(t *testing.T) {
	b := newBench(t, func(o *Options) { o.Policy.Mode = policy.Ask })
	b.answers = []Approval{{Verdict: Once}, {Verdict: Once}}
	for source, want := range map[string][]string{
		`shop.item.price{item_id = "hunter2", cents = 1}`:                 {"item_id"},
		`shop.item.price{item_id = ("hunt" .. "er2"):upper(), cents = 1}`: nil,
		`shop.item.price{item_id = "a", cents = 1}`:                       nil,
	} {
		b.asked = nil
		b.run(User, source)
		if len(b.asked) != 1 || !slices.Equal(b.asked[0].Credentials, want) ||
			strings.Contains(fmt.Sprint(b.asked[0]), "hunter2") {
			t.Errorf("%s: asked %+v, want %v", source, b.asked, want)
		}
	}
}

// What is said of the words of a query cannot show a credential in pieces.
func TestQueriesLoseCredentials(t *testing.T) {
	b := newBench(t, func(o *Options) {
		o.Secrets = secret.NewFilter(func() []string { return []string{"crimson-walnut-ledger"} })
	})
	for _, source := range []string{
		`return catalog.explain("shop.item.get", "crimson-walnut-ledger item")`,
		`return catalog.search("crimson-walnut-ledger item", {limit = 2})`,
	} {
		a, err := b.session.Query(t.Context(), Script{Source: source})
		if err != nil || a.Outcome.Err != nil {
			t.Fatalf("%s: %v %v", source, err, a)
		}
		text := a.Text + fmt.Sprintf("%+v", a.Outcome)
		for _, piece := range []string{"crimson", "walnut", "ledger"} {
			if strings.Contains(text, piece) {
				t.Errorf("%s: shows %q: %s", source, piece, text)
			}
		}
	}
}
