// Package tools is what a model sees of a session: three tools and the system prompt.
//
//	New           the tools: query, describe, execute
//	SystemPrompt  who the model is, what it may do now, and the catalog in a few lines
//	Options       the prefix of the tools' names
//
// Arguments are read strictly and answers written in few tokens: a model pays for every word, again in each turn.
// Start at New.
package tools
