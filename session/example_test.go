package session_test

import (
	"context"
	"fmt"
	"log"

	"almanac/catalog"
	"almanac/session"
	"almanac/session/policy"
)

type refund struct {
	Invoice string `json:"invoice"`
	Cents   int    `json:"cents"`
}

// A mutation is asked for before it is made; globals live from run to run. A program that uses the package calls
// kernel.Main first thing in main: Lua runs in a child process of the same program.
func Example() {
	issue := catalog.Func(catalog.Entry{ID: "refund.issue", Description: "Pay money back.", Mutates: true},
		func(_ context.Context, in refund, _ catalog.Context) (string, error) { return "paid", nil })
	all, _ := catalog.New([]catalog.Entry{issue}, catalog.Options{})
	s, err := session.New(all.View(), session.Options{
		Policy: policy.Policy{Mode: policy.Ask},
		Approve: func(_ context.Context, r session.Request) (session.Approval, error) {
			fmt.Println("asked:", r.Entry.ID, r.Args["cents"])
			return session.Approval{Verdict: session.Once}, nil
		},
	})
	if err != nil {
		log.Fatal(err)
	}
	defer s.Close()
	for _, line := range []string{`cents = 100`, `return refund.issue{invoice = "inv_1", cents = cents}`} {
		out, err := s.Run(context.Background(), session.Script{Source: line, Author: session.User})
		if err != nil {
			log.Fatal(err)
		}
		for _, v := range out.Values {
			fmt.Println(v.Repr)
		}
	}
	// Output:
	// asked: refund.issue 100
	// "paid"
}

// A Go program makes a call without Lua: for somebody, whom it knows, and with what the session lets through.
func ExampleSession_Call() {
	greet := catalog.Entry{
		ID: "desk.greet", Inject: []catalog.Injection{{Field: "who", From: "actor"}},
		Action: func(_ context.Context, c catalog.Call) (catalog.Result, error) {
			return catalog.Result{Data: "good morning, " + c.Args["who"].(string)}, nil
		},
	}
	sack := catalog.Entry{ID: "desk.sack", Mutates: true, Action: greet.Action}
	all, _ := catalog.New([]catalog.Entry{greet, sack}, catalog.Options{})
	s, err := session.New(all.View(), session.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer s.Close()
	for _, id := range []string{"desk.greet", "desk.sack"} {
		result, err := s.Call(context.Background(), session.Invocation{ID: id, Context: catalog.Context{Actor: "ann"}})
		fmt.Println(result.Data, err)
	}
	// Output:
	// good morning, ann <nil>
	// <nil> desk.sack: denied: this session is read-only
}
