package catalog

import (
	"cmp"
	"fmt"
	"strings"
	"testing"

	"almanac/internal/golden"
)

// TestAlike has pairs of actions that share a line, and pairs that do not.
func TestAlike(t *testing.T) {
	takes := func(names string, required ...string) *Schema {
		var props []string
		for _, name := range strings.Fields(names) {
			props = append(props, fmt.Sprintf(`%q:{"type":"string"}`, name))
		}
		for i, name := range required {
			required[i] = fmt.Sprintf("%q", name)
		}
		return input(strings.Join(props, ","), strings.Join(required, ","))
	}
	get := read("pets_v1.pet.get", "Get one pet by its id.", takes("pet_id verbose", "pet_id"), nil)
	with := func(id string, change func(e *Entry)) Entry {
		e := get
		e.ID = id
		change(&e)
		return e
	}
	same := func(*Entry) {}
	for _, test := range []struct {
		name  string
		other Entry
		want  bool
	}{
		{"version of the vendor", with("pets_v2.pet.get", same), true},
		{"version in the path", with("pets_v1.v2.pet.get", same), true},
		{"version at the end", with("pets_v1.pet.get.v2019-03-01", same), true},
		{"another vendor", with("zoo.pet.get", same), true},
		{"another style", with("zoo.Pet.Get", same), true},
		{"other words", with("zoo.pet.get", func(e *Entry) { e.Description = "Get a pet by id" }), true},
		{"one more option", with("zoo.pet.get", func(e *Entry) { e.Input = takes("petId verbose fields", "petId") }), true},
		{"another name", with("pets_v2.pet.find", same), false},
		{"another path", with("pets_v2.wild.pet.get", same), false},
		{"another description", with("zoo.pet.get", func(e *Entry) { e.Description = "Scans a patient." }), false},
		{"no description", with("zoo.pet.get", func(e *Entry) { e.Description = "" }), false},
		{"other options", with("zoo.pet.get", func(e *Entry) { e.Input = takes("pet_id a b c", "pet_id") }), false},
		{"other arguments", with("zoo.pet.get", func(e *Entry) { e.Input = takes("name verbose", "name") }), false},
		{"none required", with("zoo.pet.get", func(e *Entry) { e.Input = takes("pet_id verbose") }), false},
		{"it writes", with("zoo.pet.get", func(e *Entry) { e.Mutates, e.Operation = true, Update }), false},
		{"more risk", with("zoo.pet.get", func(e *Entry) { e.Risk = High }), false},
	} {
		c, report := New([]Entry{get, test.other}, Options{})
		if len(report.Skipped) > 0 {
			t.Fatal(report.Skipped)
		}
		groups := c.View().Alike([]Hit{{ID: get.ID}, {ID: test.other.ID}}, "")
		if got := len(groups) == 1; got != test.want {
			t.Errorf("%s: alike %t, want %t", test.name, got, test.want)
		}
	}
	// A request that names one of them is not answered with the other, whoever else may be meant.
	other := with("pets_v2.pet.get", func(e *Entry) { e.Products = []string{"Pet Palace"} })
	c, _ := New([]Entry{get, with("zoo.pet.get", same), other}, Options{})
	for words, want := range map[string]string{
		"get a pet":                    "[[pets_v1.pet.get zoo.pet.get pets_v2.pet.get]]",
		"list pets":                    "[[pets_v1.pet.get zoo.pet.get pets_v2.pet.get]]",
		"zoo: get a pet":               "[[pets_v1.pet.get pets_v2.pet.get] [zoo.pet.get]]",
		"get a pet in the petpalace":   "[[pets_v1.pet.get zoo.pet.get] [pets_v2.pet.get]]",
		"Pet Palace: get a pet":        "[[pets_v1.pet.get zoo.pet.get] [pets_v2.pet.get]]",
		"get a pet from zoo or palace": "[[pets_v1.pet.get] [zoo.pet.get] [pets_v2.pet.get]]",
		"pets v2: get":                 "[[pets_v1.pet.get] [zoo.pet.get] [pets_v2.pet.get]]",
	} {
		var got [][]string
		for _, group := range c.View().Alike([]Hit{{ID: get.ID}, {ID: "zoo.pet.get"}, {ID: other.ID}}, words) {
			got = append(got, nil)
			for _, h := range group {
				got[len(got)-1] = append(got[len(got)-1], h.ID)
			}
		}
		if fmt.Sprint(got) != want {
			t.Errorf("%q: %v, want %s", words, got, want)
		}
	}
	// A single word that two vendors have says too little.
	c, _ = New([]Entry{read("a.send", "Send it.", nil, nil), read("b.send", "Send it.", nil, nil)}, Options{})
	if groups := c.View().Alike([]Hit{{ID: "a.send"}, {ID: "b.send"}}, ""); len(groups) != 2 {
		t.Error("one word is enough")
	}
}

// TestAlikeAnswer shows interchangeable hits: one line, in the order of what was just used, as few ids as are admitted.
func TestAlikeAnswer(t *testing.T) {
	var b strings.Builder
	v := vendors(t, Options{})
	for _, ask := range []struct {
		say    string
		words  string
		recent []string
		o      SearchOptions
		list   ListOptions
	}{
		{say: "nothing used"},
		{say: "beta was used", recent: []string{"beta.qx.list"}},
		{say: "a limit", o: SearchOptions{Limit: 20}},
		{say: "a line each", list: ListOptions{Each: true}},
		{say: "three actions", list: ListOptions{Most: 3}},
		{say: "two admitted", list: ListOptions{Admit: admitting(2)}},
		{say: "gamma is asked for, beta was used", words: "gamma: send a message", recent: []string{"beta.qx.list"}},
	} {
		used := v.WithRecent(ask.recent)
		l := used.List(mustSearch(t, used, cmp.Or(ask.words, "send a message"), ask.o), ask.list)
		fmt.Fprintf(&b, "== %s\n%s\n%v\n", ask.say, l.Text, l.Like)
	}
	golden.Equal(t, "testdata/alike.golden", b.String())
}

// admitting admits so many.
func admitting(n int) func(string) bool {
	return func(string) bool { n--; return n >= 0 }
}
