// Example attaches an application's catalog to a session, read-only, and gives a model its tools.
package main

import (
	"context"
	"errors"
	"fmt"

	"almanac/catalog"
	"almanac/llm/tools"
	"almanac/session"
	"almanac/session/kernel"
)

type find struct {
	Word string `json:"word" jsonschema:"what the title must hold"`
}

func main() {
	if kernel.Main() { // this process is a Lua kernel process; it served until its pipe closed
		return
	}
	books := func(_ context.Context, in find, _ catalog.Context) (string, error) { return in.Word + " in Go", nil }
	all, _ := catalog.New([]catalog.Entry{
		catalog.Func(catalog.Entry{ID: "library.find", Description: "Find books by a word."}, books),
		catalog.Func(catalog.Entry{ID: "library.burn", Description: "Burn books.", Mutates: true}, books),
	}, catalog.Options{})
	view, narrowed := all.View().Narrow(catalog.Rules{Name: "reading room", ReadOnly: true})
	s, err := session.New(view, session.Options{})
	if err := errors.Join(narrowed, err); err != nil {
		panic(err)
	}
	defer s.Close()
	list := tools.New(s, tools.Options{Prefix: "library"}) // library_query, _describe and _execute: give them to a model
	for _, lua := range []string{"library.find{word = 'Lua'}", "library.burn{word = 'Lua'}"} {
		answer, err := list[2].Run(context.Background(), []byte(`{"script": "return `+lua+`", "actions": ["library.find"]}`))
		fmt.Printf("%s: %s %v\n", list[2].Name, answer.Text, err)
	}
}
