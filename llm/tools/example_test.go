package tools_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log"

	"almanac/catalog"
	"almanac/llm/tools"
	"almanac/session"
)

type word struct {
	Word string `json:"word"`
}

// The three tools over a session are what a model gets in place of the catalog.
func Example() {
	find := catalog.Func(catalog.Entry{ID: "library.find", Description: "Find books by a word."},
		func(_ context.Context, in word, _ catalog.Context) (string, error) { return in.Word + " in Go", nil })
	all, _ := catalog.New([]catalog.Entry{find}, catalog.Options{})
	s, err := session.New(all.View(), session.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer s.Close()
	execute := tools.New(s, tools.Options{Prefix: "library"})[2]
	answer, err := execute.Run(context.Background(),
		json.RawMessage(`{"script": "return library.find{word = 'Lua'}", "actions": ["library.find"]}`))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(execute.Name)
	fmt.Println(answer.Text)
	// Output:
	// library_execute
	// "Lua in Go"
}
