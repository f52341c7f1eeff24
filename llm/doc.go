// Package llm holds a conversation with a language model: messages, tools, and the loop that runs them.
//
//	Conversation  the messages so far and the loop: complete, run the tools asked for, until there is an answer
//	Provider      completes a Request: llm/openai, llm/replay
//	Message       the text, tool calls or tool answer of one turn
//	Tool          a function that the model may call
//	Event         progress of a Send, as it happens
//	Error         why a completion failed, and what to do about it
//	Usage         tokens, added up
//
// Start at Conversation.Send.
package llm
