package llm

import (
	"errors"
	"fmt"
	"time"
)

// ErrBusy is what Send returns while another Send of the same conversation runs.
var ErrBusy = errors.New("conversation: busy: wait for the answer, or interrupt it")

// An ErrorKind says what sort of failure an Error is.
type ErrorKind string

// The kinds.
const (
	BadKey      ErrorKind = "key"         // the server wants another key, or one at all
	NoQuota     ErrorKind = "quota"       // the key is good but has nothing left to spend
	NoModel     ErrorKind = "model"       // the server does not know the model
	NoTools     ErrorKind = "tools"       // the model cannot call tools
	TooLong     ErrorKind = "length"      // the conversation is longer than the model can read
	Unreachable ErrorKind = "unreachable" // nobody answers at the address
	NotAnAPI    ErrorKind = "page"        // something answers, but it is no model server
	BadRequest  ErrorKind = "request"     // the server refused the request for another reason
	RateLimited ErrorKind = "rate"        // too many requests; worth trying again
	ServerFault ErrorKind = "server"      // the server failed; worth trying again
	Broken      ErrorKind = "broken"      // the connection ended before the answer did; worth trying again
	Endless     ErrorKind = "endless"     // the answer was cut off, since it went on and on
	BadRecord   ErrorKind = "record"      // a recording does not fit the request
)

// An Error is a failed completion.
type Error struct {
	Kind ErrorKind `json:"kind"`
	// Status is the HTTP status; zero when there was none.
	Status int `json:"status,omitempty"`
	// Message says what went wrong, its object (a URL or a model) first.
	Message string `json:"message"`
	// Hint says what to do; may be empty.
	Hint string `json:"hint,omitempty"`
	// RetryAfter is how long the server asked to wait; zero when it did not.
	RetryAfter time.Duration `json:"retry_after_ns,omitempty"`
	// Err is the cause; may be nil.
	Err error `json:"-"`
}

// Error returns the message and the hint.
func (e *Error) Error() string {
	if e.Hint == "" {
		return e.Message
	}
	return e.Message + "; " + e.Hint
}

// Brief returns what went wrong in a few words: "server error (500)".
func (e *Error) Brief() string {
	words := map[ErrorKind]string{
		RateLimited: "rate limited", ServerFault: "server error", Broken: "connection lost",
	}[e.Kind]
	switch {
	case words == "":
		return e.Message
	case e.Status > 0:
		return fmt.Sprintf("%s (%d)", words, e.Status)
	}
	return words
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Temporary tells whether the same request may succeed a little later.
func (e *Error) Temporary() bool {
	return e.Kind == RateLimited || e.Kind == ServerFault || e.Kind == Broken
}

// An ArgsError means that the model called a tool with malformed arguments. Its text is for the model, Fault says to
// anybody what is wrong and where.
type ArgsError struct {
	Tool, Fault string
	// Unread tells that they are not even a JSON object.
	Unread bool
}

func (e *ArgsError) Error() string {
	if e.Unread {
		return fmt.Sprintf("%s: arguments are not a JSON object: %s; send them again", e.Tool, e.Fault)
	}
	return e.Tool + ": " + e.Fault
}

// A TurnLimitError ends a Send whose model asked for tools Turns times and never answered. The history is valid;
// another Send goes on from there.
type TurnLimitError struct{ Turns int }

func (e *TurnLimitError) Error() string {
	return fmt.Sprintf("conversation: stopped after %d model turns without an answer; say \"go on\" to continue", e.Turns)
}
