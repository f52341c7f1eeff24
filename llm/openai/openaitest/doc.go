// Package openaitest is a model server for tests: it speaks OpenAI's chat completion protocol and Responses
// interface over a real loopback socket and answers from a script, over both the same.
//
//	Server   hands out replies in order and keeps the requests
//	Reply    one answer: text in chunks, tool calls in fragments, or a failure of some kind
//	Call     a tool call of a reply and the places where it is split
//	Request  what a client asked
//
// Replies come from Go or from a file; see ParseScript for its form. Start at New; Serve makes a process of it.
package openaitest
