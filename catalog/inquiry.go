package catalog

// This file is the way back of a call: what the server of an action asks while it works on it.

import "context"

// An Inquiry is what the server of an action asks during a call: the person to fill in Form or to open URL, or a model
// for an answer to Sample. All of it is the server's words.
type Inquiry struct {
	// Server is the name of the source.
	Server string
	// Text says what is asked; empty where Sample is set.
	Text string
	// Form describes the answer, a flat table; nil where a yes is all.
	Form *Schema
	// URL is an address that the person is to open in a browser, http or https; empty for none. Nobody opens it but the
	// person, and Reply.Accepted only says that they were shown it and agree.
	URL string
	// Again tells that the call was refused until the person is done at URL, and is made again after a yes.
	Again bool
	// Finish has tell called, once, when the server says that the person is done at URL, which may be at once, long after
	// the answer, or never; tell must not block. Nil where the server does not say so.
	Finish func(tell func())
	// Sample is set where a model is to answer.
	Sample *Sample
}

// A Sample is what a model is to answer.
type Sample struct {
	// System may be empty. Text is the conversation, each message behind the name of its role.
	System, Text string
	// Most is how many tokens the answer may have; zero where that was not said.
	Most int64
}

// A Reply answers an Inquiry. The zero Reply declines.
type Reply struct {
	Accepted bool
	// Reason says why it was declined; may be empty.
	Reason string
	// Values fill in the form.
	Values map[string]any
	// Text is the answer to a Sample, and Model who gave it.
	Text, Model string
}

type inquirer struct {
	who any
	ask func(context.Context, Inquiry) Reply
}

type inquirerKey struct{}

// WithInquiries returns a context under which servers of actions may ask: ask puts the question, and ends with its
// context. who is the same for calls whose questions go to the same person.
func WithInquiries(ctx context.Context, who any, ask func(context.Context, Inquiry) Reply) context.Context {
	return context.WithValue(ctx, inquirerKey{}, inquirer{who, ask})
}

// Inquirer is the who of WithInquiries; nil where nobody can be asked.
func Inquirer(ctx context.Context) any {
	asks, _ := ctx.Value(inquirerKey{}).(inquirer)
	return asks.who
}

// Inquire puts a question of the call under ctx; where nobody can be asked it is declined.
func Inquire(ctx context.Context, q Inquiry) Reply {
	asks, ok := ctx.Value(inquirerKey{}).(inquirer)
	if !ok {
		return Reply{Reason: "nobody can be asked here"}
	}
	return asks.ask(ctx, q)
}
